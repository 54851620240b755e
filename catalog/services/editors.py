"""Roles of editors and what they may undo, their claimed voivodeships, the depots that they have open, comments.

Only the roles restrict what an editor may do. They are Django groups, which
`fueldepot/migrations/0001_editor_groups.py` creates.
"""

from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q

from catalog.models import (
    CaseComment,
    Decision,
    Depot,
    DepotViewer,
    Draft,
    Submission,
    Voivodeship,
    VoivodeshipClaim,
    max_length,
)
from catalog.services import Refusal, journal
from catalog.services.moderation import DepotIsErased
from fueldepot.data.history import lock_rows


@transaction.atomic
def take_voivodeship(*, voivodeship: Voivodeship, by: AbstractBaseUser, on: datetime) -> VoivodeshipClaim:
    """Claim a voivodeship for an editor; idempotent. Raises Refusal if another one has it."""
    lock_rows(Voivodeship.objects.filter(pk=voivodeship.pk), no_key=True)
    taken = {"editor_id": by.pk, "taken_at": on}
    claims = VoivodeshipClaim.objects.select_related("editor")
    claim, is_new = claims.get_or_create(taken, voivodeship=voivodeship, released_at=None)
    if is_new:
        _record("Wzięto", claim, by, on)
    elif claim.editor_id != by.pk:
        raise Refusal(reason=f"Województwo {voivodeship.name} ma już {claim.editor}.")
    return claim


@transaction.atomic
def release_voivodeship(*, claim: VoivodeshipClaim, by: AbstractBaseUser, on: datetime) -> bool:
    """Release a voivodeship. Returns False if it was released before."""
    standing = VoivodeshipClaim.objects.standing().filter(pk=claim.pk)
    if not standing.update(released_at=on, released_by_id=by.pk):
        return False
    _record("Oddano", claim, by, on)
    return True


def _record(done: str, claim: VoivodeshipClaim, by: AbstractBaseUser, on: datetime) -> None:
    title = f"{done} województwo {claim.voivodeship.name}"
    with journal.recording(Decision.Kind.VOIVODESHIP, by=by, on=on, title=title) as record:
        record.concern(VoivodeshipClaim, [claim.pk])


def claimed_codes(editor: AbstractBaseUser) -> list[str]:
    """Return the codes of the voivodeships that an editor has claimed. One query."""
    return list(VoivodeshipClaim.objects.standing().filter(editor_id=editor.pk).values_list("voivodeship", flat=True))


HOLDS = timedelta(seconds=90)
"""Lifetime of a mark: three signals of the page."""


@transaction.atomic
def mark_viewing(*, depot: Depot, by: AbstractBaseUser, on: datetime) -> list[str]:
    """Record that an editor has a depot open. Returns the names of the others. Deletes expired marks.

    Raises DepotIsErased.
    """
    check_kept(depot)
    DepotViewer.objects.filter(seen_at__lt=on - HOLDS).delete()
    DepotViewer.objects.update_or_create(depot=depot, user_id=by.pk, defaults={"seen_at": on})
    return find_viewers(depot, besides=by, on=on)


def find_viewers(depot: Depot, *, besides: AbstractBaseUser, on: datetime) -> list[str]:
    """Return the names of other editors who have a depot open. One query."""
    rows = DepotViewer.objects.filter(depot=depot, seen_at__gte=on - HOLDS).exclude(user_id=besides.pk)
    return list(rows.order_by("user__username").values_list("user__username", flat=True))


def check_kept(case: Depot | Submission | Draft) -> None:
    """Keep a case from being erased until the end of the transaction. Raises DepotIsErased. One query."""
    if not lock_rows(type(case)._default_manager.filter(pk=case.pk), no_key=True):
        raise DepotIsErased(case.pk)


TWICE = timedelta(minutes=1)
"""The same comment of the same editor within this time is one."""


@transaction.atomic
def write_comment(*, case: Depot | Submission | Draft, text: str, by: AbstractBaseUser, on: datetime) -> CaseComment:
    """Write a comment about a case, cut at the limit of the column. Raises DepotIsErased, and Refusal if it is blank.

    One about a submission to a depot that exists belongs to the depot, and so stays when the submission is forgotten.
    """
    depot = getattr(case, "depot_id", None)
    about = case if depot is None else Depot(pk=depot)
    words = text.strip()[: max_length(CaseComment, "text")]
    if not words:
        raise Refusal(reason="komentarz jest pusty")
    check_kept(about)
    comment = {str(about._meta.model_name): about, "text": words, "written_by_id": by.pk}
    # The row of the case is locked, so the second click of two finds the comment of the first.
    again = CaseComment.objects.filter(**comment, written_at__gt=on - TWICE).first()
    return again or CaseComment.objects.create(**comment, written_at=on)


EDITOR = "Redaktor"
"""Verifies, edits, adds, removes and merges depots; decides submissions and prices; maintains the legal state."""

CHIEF = "Redaktor naczelny"
"""Rights besides those of EDITOR: plausible ranges of prices, deleting rows of the legal state, editors' accounts,
bulk actions without a limit, claims that an owner may still object to."""


def is_chief(user: Any) -> bool:
    """Whether a user is a superuser or a chief editor. At most one query."""
    return bool(user.is_superuser or user.groups.filter(name=CHIEF).exists())


def may_undo(decision: Decision, editor: Any) -> bool:
    """Whether an editor may undo a decision: their own or an owner's, or any as a chief editor.

    The right to change each kind of its rows is needed.
    """
    if decision.undone_at is not None or decision.kind == Decision.Kind.UNDO:
        return False
    if decision.decided_by_id not in {None, editor.pk} and not is_chief(editor):
        return False
    changed = decision.lines.filter(Q(last__isnull=False) | Q(model=Submission._meta.label_lower))
    labels = changed.order_by().values_list("model", flat=True).distinct()
    models = [*map(apps.get_model, labels)] or [Depot]
    return all(editor.has_perm(f"{model._meta.app_label}.change_{model._meta.model_name}") for model in models)
