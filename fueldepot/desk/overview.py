"""The start page of the desk: waiting work with its age, and today's decisions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, F, Min, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Substr
from django.urls import reverse
from django.utils import timezone

from catalog.admin import work_queues
from catalog.admin.journal import DayOfEditor, count_decisions
from catalog.depots import quality
from catalog.models import (
    Depot,
    Draft,
    OwnerChange,
    Submission,
    SubmissionQuestion,
    Voivodeship,
    VoivodeshipClaim,
)
from catalog.services.coordination import is_chief
from prices.models import DepotPrice
from regulations.models import LegalState
from regulations.snapshot import STALE_AFTER


@dataclass(frozen=True, slots=True)
class Waiting:
    """Waiting work of one kind with its URL. since: oldest item, None if irrelevant."""

    label: str
    count: int
    url: str
    since: datetime | None = None

    @property
    def days(self) -> int | None:
        """Age of the oldest item in whole days."""
        return None if self.since is None else (timezone.now() - self.since).days


def find_waiting(user: Any) -> list[Waiting]:
    """Return waiting work that the user may do, what readers wait for first. At most eight queries."""
    waiting: list[Waiting] = []
    if user.has_perm("catalog.view_submission"):
        waiting += submissions_waiting()
    if user.has_perm("prices.view_depotprice"):
        waiting.append(prices_waiting())
    if user.has_perm("catalog.view_ownerchange"):
        waiting.append(owner_changes_unseen())
    if user.has_perm("catalog.view_draft"):
        waiting += drafts_waiting(user)
    if user.has_perm("regulations.view_legalstate"):
        waiting.append(stale_states())
    if user.has_perm("catalog.view_depot"):
        waiting += depots_waiting()
    if user.has_perm("auth.view_user"):
        waiting.append(accounts_without_group())
    return waiting


def submissions_waiting() -> list[Waiting]:
    """Return waiting submissions, those with answers of their authors, and pending letters."""
    url = reverse("admin:catalog_submission_changelist")
    state = Submission.State.WAITING
    counts = Submission.objects.aggregate(
        waiting=Count("pk", filter=Q(state=state)),
        since=Min("confirmed_at", filter=Q(state=state)),
        unnotified=Count("pk", filter=Q(notification_pending=True, erased_at__isnull=True)),
    )
    answered = SubmissionQuestion.objects.answered()
    answers = answered.aggregate(number=Count("submission", distinct=True), since=Min("answered_at"))
    return [
        Waiting("Zgłoszenia właścicieli i czytelników", counts["waiting"], url, counts["since"]),
        Waiting(
            "Odpowiedzi autorów na pytania", answers["number"], f"{url}?state=all&question=answered", answers["since"]
        ),
        Waiting("Listy o decyzji, które nie wyszły", counts["unnotified"], f"{url}?state=all&letter=owed"),
    ]


@dataclass(frozen=True, slots=True)
class VoivodeshipWork:
    """Waiting work of a voivodeship and its claim. may_release: whether the user may release the claim."""

    voivodeship: Voivodeship
    claim: VoivodeshipClaim | None
    may_release: bool
    submissions: int
    prices: int
    unchecked: int


def find_voivodeships(user: Any) -> list[VoivodeshipWork]:
    """Return the work of each voivodeship, the user's own first, then by code. At most six queries."""
    if not user.has_perm("catalog.change_depot"):
        return []
    claims = {claim.voivodeship_id: claim for claim in VoivodeshipClaim.objects.standing().select_related("editor")}
    proposed = Substr(KT("proposed__municipality"), 1, 2)
    submissions = _count_by(Submission.objects.waiting(), Coalesce("depot__municipality__voivodeship", proposed))
    prices = _count_by(DepotPrice.objects.pending(), F("depot__municipality__voivodeship"))
    unchecked = _count_by(Depot.objects.filter(work_queues.ALIVE, verified_at=None), F("municipality__voivodeship"))
    unlimited = bool(claims) and is_chief(user)
    own: list[VoivodeshipWork] = []
    others: list[VoivodeshipWork] = []
    for voivodeship in Voivodeship.objects.order_by("teryt"):
        claim = claims.get(voivodeship.pk)
        is_own = claim is not None and claim.editor_id == user.pk
        work = VoivodeshipWork(
            voivodeship=voivodeship,
            claim=claim,
            may_release=is_own or (claim is not None and unlimited),
            submissions=submissions.get(voivodeship.pk, 0),
            prices=prices.get(voivodeship.pk, 0),
            unchecked=unchecked.get(voivodeship.pk, 0),
        )
        (own if is_own else others).append(work)
    return own + others


def _count_by(rows: Any, voivodeship: Any) -> dict[str, int]:
    """Count rows by the code of their voivodeship. One query."""
    return dict(rows.order_by().values_list(voivodeship).annotate(number=Count("pk")))


def prices_waiting() -> Waiting:
    """Return waiting prices."""
    counts = DepotPrice.objects.pending().aggregate(number=Count("pk"), since=Min("submitted_at"))
    url = reverse("admin:prices_depotprice_changelist")
    return Waiting("Ceny do zatwierdzenia", counts["number"], url, counts["since"])


def owner_changes_unseen() -> Waiting:
    """Return owners' changes that no editor has reviewed."""
    counts = OwnerChange.objects.filter(seen_at__isnull=True).aggregate(number=Count("pk"), since=Min("made_at"))
    url = reverse("admin:catalog_ownerchange_changelist")
    return Waiting("Zmiany właścicieli do obejrzenia", counts["number"], f"{url}?seen=no", counts["since"])


def drafts_waiting(user: Any) -> list[Waiting]:
    """Return drafts waiting for a second person, and the user's own unsent ones."""
    own = Q(state=Draft.State.PREPARED, drafted_by=user.pk)
    waiting = Q(state=Draft.State.WAITING)
    others = waiting & ~Q(drafted_by=user.pk)
    counts = Draft.objects.aggregate(
        waiting=Count("pk", filter=others), since=Min("drafted_at", filter=others), own=Count("pk", filter=own)
    )
    url = reverse("admin:catalog_draft_changelist")
    return [
        Waiting("Szkice innych osób do zatwierdzenia", counts["waiting"], url, counts["since"]),
        Waiting("Twoje szkice, których nie wysłano", counts["own"], f"{url}?state={Draft.State.PREPARED}"),
    ]


def stale_states() -> Waiting:
    """Return legal states due for a review."""
    count = LegalState.objects.filter(as_of__lt=timezone.localdate() - STALE_AFTER).count()
    url = f"{reverse('admin:regulations_legalstate_changelist')}?stale=yes"
    return Waiting(f"Stany prawne starsze niż {STALE_AFTER.days} dni", count, url)


def depots_waiting() -> list[Waiting]:
    """Return the work queues of depots."""
    url = reverse("admin:catalog_depot_changelist")
    counts = work_queues.count_queues(timezone.localdate(), quality.get_report())
    return [Waiting(f"Składy: {queue.label}", count, f"{url}?queue={queue.slug}") for queue, count in counts]


def accounts_without_group() -> Waiting:
    """Return active accounts without rights."""
    people = get_user_model().objects.filter(is_active=True, is_superuser=False)
    count = people.filter(groups__isnull=True, user_permissions__isnull=True).count()
    return Waiting("Konta bez grupy: nic nie mogą zrobić", count, f"{reverse('admin:auth_user_changelist')}?role=none")


def find_today(user: Any) -> list[DayOfEditor]:
    """Return today's decisions by editor, none if the user may not see them. One query."""
    today = timezone.localdate()
    return count_decisions(today, today) if user.has_perm("catalog.view_decision") else []
