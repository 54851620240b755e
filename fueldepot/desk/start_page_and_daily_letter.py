"""Work that waits for editors, with its age: on the start page of the desk, and in the daily letter."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Count, F, Min
from django.db.models.lookups import In
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import localdate

from catalog.admin import depot_list
from catalog.admin.desk import days_since
from catalog.admin.drafts import drafts_by_author
from catalog.admin.journal import count_decisions
from catalog.depots import duplicates
from catalog.models import (
    DailyLetter,
    Depot,
    Draft,
    OwnerChange,
    Submission,
    SubmissionQuestion,
    Voivodeship,
    VoivodeshipClaim,
)
from catalog.services.editors import claimed_codes, is_chief
from catalog.submissions.letters import Sending
from catalog.text import wrapped
from fueldepot.http.links import route_url, site_url
from pages.svg.cached_maps import country_map
from pages.svg.maps import AreaMap, MapUnit
from prices.models import DepotPrice
from regulations.models import STALE_AFTER, LegalState

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Waiting work of one kind with its URL. since: oldest item, None if irrelevant."""

    label: str
    count: int
    url: str
    since: datetime | None = None

    @property
    def waited(self) -> str:
        return "" if self.since is None else days_since(self.since)


def describe(user: Any) -> dict[str, Any]:
    """Return the template context of the start page: what the user may see and do. At most 19 queries."""
    today, voivodeships = timezone.localdate(), find_voivodeships(user)
    return {
        "work": find_waiting(user),
        "voivodeships": voivodeships,
        "map": draw_queue(voivodeships),
        "today": count_decisions(today, today) if user.has_perm("catalog.view_decision") else [],
        "gets_letter": DailyLetter.objects.filter(editor=user.pk).exists(),
    }


def find_waiting(user: Any) -> list[Waiting]:
    """Return waiting work that the user may do, what readers wait for first. At most eleven queries."""
    waiting = find_waiting_in(user, ())
    today = timezone.localdate()
    if user.has_perm("regulations.view_legalstate"):
        label, stale = f"Stany prawne starsze niż {STALE_AFTER.days} dni", LegalState.objects.stale(today)
        waiting.append(Waiting(label, stale.count(), _list("regulations_legalstate", {"stale": "yes"})))
    if user.has_perm("catalog.view_depot"):
        waiting += [
            Waiting(f"Składy: {label}", count, _list("catalog_depot", {"queue": slug}))
            for slug, label, count in depot_list.count_queues(duplicates.get_report())
        ]
    if user.has_perm("auth.view_user"):
        people = get_user_model().objects.filter(is_active=True, is_superuser=False)
        powerless = people.filter(groups__isnull=True, user_permissions__isnull=True).count()
        url = _list("auth_user", {"role": "none", "is_active__exact": "1"})
        waiting.append(Waiting("Konta bez grupy: nic nie mogą zrobić", powerless, url))
    return waiting


def find_waiting_in(user: Any, codes: Sequence[str]) -> list[Waiting]:
    """Return what people wait for and the user may decide. codes: of voivodeships claimed by the user, () for all.

    Drafts are of no voivodeship. At most eight queries.
    """
    waiting: list[Waiting] = []
    if user.has_perm("catalog.view_submission"):
        waiting += submissions_waiting(codes)
    if user.has_perm("prices.view_depotprice"):
        prices, url = DepotPrice.objects.waiting(), _list("prices_depotprice", {"unit": "mine"} if codes else {})
        waiting.append(_count("Ceny do zatwierdzenia", _within(prices, codes), "submitted_at", url))
    if user.has_perm("catalog.view_ownerchange"):
        changes = OwnerChange.objects.filter(seen_at__isnull=True)
        url = _list("catalog_ownerchange", {"seen": "no"} | ({"unit": "mine"} if codes else {}))
        waiting.append(_count("Zmiany właścicieli do obejrzenia", _within(changes, codes), "made_at", url))
    if user.has_perm("catalog.view_draft"):
        waiting += drafts_waiting(user)
    return waiting


def _count(label: str, rows: Any, moment: str, url: str, what: str = "pk") -> Waiting:
    counts = rows.aggregate(number=Count(what, distinct=True), since=Min(moment))
    return Waiting(label, counts["number"], url, counts["since"])


def _list(model: str, query: Mapping[str, str]) -> str:
    return reverse(f"admin:{model}_changelist", query=query)


def _within(rows: Any, codes: Sequence[str]) -> Any:
    """Keep rows about depots of voivodeships; all without codes."""
    return rows.filter(depot__municipality__voivodeship__in=codes) if codes else rows


def submissions_waiting(codes: Sequence[str]) -> list[Waiting]:
    rows = Submission.objects.filter(In(Submission.VOIVODESHIP, codes)) if codes else Submission.objects.all()
    answered = SubmissionQuestion.objects.answered()
    if codes:
        answered = answered.filter(submission__in=rows)
    mine = {"unit": "mine"} if codes else {}
    queries = (mine, {"state": "all", "question": "answered"} | mine, {"state": "all", "letter": "owed"} | mine)
    queue, questions, letters = (_list("catalog_submission", query) for query in queries)
    return [
        _count("Zgłoszenia właścicieli i czytelników", rows.waiting(), "confirmed_at", queue),
        _count("Odpowiedzi autorów na pytania", answered, "answered_at", questions, "submission"),
        Waiting("Listy o decyzji, które nie wyszły", rows.left_behind(timezone.now()).count(), letters),
    ]


def find_voivodeships(user: Any) -> list[dict[str, Any]]:
    """Return the waiting work of each voivodeship and its claim, the user's own first, then by code.

    may_release: whether the user may release the claim. At most six queries.
    """
    if not user.has_perm("catalog.change_depot"):
        return []
    claims = {claim.voivodeship_id: claim for claim in VoivodeshipClaim.objects.standing().select_related("editor")}
    submissions = _count_by(Submission.objects.waiting(), Submission.VOIVODESHIP)
    prices = _count_by(DepotPrice.objects.waiting(), F("depot__municipality__voivodeship"))
    unchecked = _count_by(Depot.objects.filter(depot_list.ALIVE, verified_at=None), F("municipality__voivodeship"))
    own = {code for code, claim in claims.items() if claim.editor_id == user.pk}
    releasable = claims.keys() if claims and is_chief(user) else own
    return [
        {
            "voivodeship": voivodeship,
            "claim": claims.get(voivodeship.pk),
            "may_release": voivodeship.pk in releasable,
            "submissions": submissions.get(voivodeship.pk, 0),
            "prices": prices.get(voivodeship.pk, 0),
            "unchecked": unchecked.get(voivodeship.pk, 0),
        }
        for voivodeship in sorted(Voivodeship.objects.order_by("teryt"), key=lambda row: row.pk not in own)
    ]


def draw_queue(voivodeships: Sequence[Mapping[str, Any]]) -> AreaMap | None:
    """Return the map of what waits: a circle in each voivodeship, with a link to its queue. None without boundaries."""
    work = {row["voivodeship"].slug: row for row in voivodeships}
    lists = {name: reverse(f"admin:{name}_changelist") for name in ("catalog_submission", "prices_depotprice")}

    def unit_of(slug: str, name: str) -> MapUnit:
        row = work[slug]
        queue = "prices_depotprice" if row["prices"] and not row["submissions"] else "catalog_submission"
        title = "{}: zgłoszenia {submissions}, ceny {prices}, niesprawdzone składy {unchecked}".format(name, **row)
        url = f"{lists[queue]}?unit={row['voivodeship'].pk}"
        return MapUnit(url, title, row["submissions"] + row["prices"])

    return country_map(unit_of) if voivodeships else None


def _count_by(rows: Any, voivodeship: Any) -> dict[str, int]:
    """Count rows by the code of their voivodeship. One query."""
    return dict(rows.order_by().values_list(voivodeship).annotate(number=Count("pk")))


def drafts_waiting(user: Any) -> list[Waiting]:
    of = drafts_by_author(user)
    waiting = Draft.objects.filter(of["others"], state=Draft.State.WAITING)
    prepared = Draft.objects.filter(of["mine"], state=Draft.State.PREPARED)
    rejected = Draft.objects.filter(of["rejected"])
    queries = {"author": "others"}, {"state": "prepared", "author": "mine"}, {"state": "all", "author": "rejected"}
    others, own, lately = (_list("catalog_draft", query) for query in queries)
    return [
        _count("Szkice innych osób do zatwierdzenia", waiting, "drafted_at", others),
        Waiting("Twoje szkice, których nie wysłano", prepared.count(), own),
        Waiting("Twoje szkice, które ktoś odrzucił", rejected.count(), lately),
    ]


def send_daily_letters(*, today: date, commit: bool) -> Sending:
    """Write to each editor once a day that something waits, or only say to whom. Labels are user names.

    An editor is one transaction, whose last step hands the letter over: killed before, nothing is stored and the next
    call of the day sends it, as it does one that could not be sent. Who must not enter the desk any more gets none.
    """
    due = DailyLetter.objects.exclude(sent_on__gte=today).filter(editor__is_active=True, editor__is_staff=True)
    result = Sending()
    for key, name in list(due.exclude(editor__email="").order_by("pk").values_list("pk", "editor__username")):
        try:
            result += Sending(sent=(name,)) if _send_to(key, today, commit=commit) else Sending()
        except (OSError, ValueError) as error:  # an SMTPException is an OSError
            logger.error("daily letter of %s not sent: %s", name, type(error).__name__)  # the text may have the address
            result += Sending(unsent=(name,))
    return result


@transaction.atomic
def _send_to(key: int, today: date, *, commit: bool) -> bool:
    """Send the letter of a day, if something waits and it was not sent before. Locked, so that two calls send one."""
    rows = DailyLetter.objects.select_related("editor").select_for_update(of=("self",), skip_locked=True)
    row = rows.filter(pk=key).exclude(sent_on__gte=today).first()
    message = write_letter(row.editor) if row else None
    if row is None or message is None or not commit:
        return message is not None
    row.sent_on = today
    row.save(update_fields=["sent_on"])
    message.send()
    return True


def write_letter(editor: Any) -> EmailMessage | None:
    """Return the letter to an editor, None if nothing waits. At most 13 queries."""
    codes = claimed_codes(editor)
    waiting = [row for row in find_waiting_in(editor, codes) if row.count]
    if not waiting:
        return None
    names = Voivodeship.objects.filter(pk__in=codes).order_by("teryt").values_list("name", flat=True)
    context = {
        "rows": [(row, row.since and f"{localdate(row.since):%d.%m.%Y}", site_url(row.url)) for row in waiting],
        "voivodeships": ", ".join(names),
        "desk": route_url("admin:index"),
        "total": sum(row.count for row in waiting),
    }
    subject, _, body = render_to_string("mail/daily.txt", context).strip().partition("\n\n")
    return EmailMessage(subject, wrapped(body), None, [editor.email])
