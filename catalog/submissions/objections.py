"""Others who claim or delete an owner's entry: the owner is told, and may object before it is another's, or gone."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from catalog.models import OwnerLink, Submission, max_length
from catalog.services import Refusal
from catalog.services.editors import is_chief
from catalog.submissions import tokens
from fueldepot.data.history import lock_rows

OBJECTION_TIME = timedelta(days=3)
"""Time to object since the letter to the owner has left."""


MAX_OBJECTION = max_length(Submission, "objection")

CONTESTABLE = (Submission.Kind.CLAIM, Submission.Kind.DELETE)
"""Kinds of submissions that the owner may contest. The names of this module call both of them claims."""


class OwnerMayObject(Refusal):
    """The time of the present owner to object is not over, or has not begun because the letter has not left."""

    reason = (
        f"wpis ma właściciela, a ten ma {OBJECTION_TIME.days} dni na sprzeciw; wcześniej zgłoszenie może przyjąć "
        "tylko redaktor naczelny"
    )


class OwnerObjected(Refusal):
    reason = "właściciel wpisu zgłosił sprzeciw; przyjąć to zgłoszenie może tylko redaktor naczelny"


class NoSuchClaim(Refusal):
    """The token is invalid, or the claim or the owner's link is gone."""

    status, title = 404, "Nie ma takiego zgłoszenia"
    reason = "Odnośnik jest niepełny, zgłoszenia już nie ma albo wpis nie jest już Twój."


class ClaimClosed(Refusal):
    """The claim was decided or withdrawn before the owner opened the letter."""

    title, reason = "Nie trzeba już sprzeciwu", "To zgłoszenie jest już zamknięte."


class ObjectionClosed(ClaimClosed):
    """The claim was decided or withdrawn, or the objection made, while the owner wrote."""

    reason = "O tym zgłoszeniu właśnie zdecydowano."


class AlreadyObjected(Refusal):
    status, title = 200, "Dziękujemy za sprzeciw"
    reason = "Sprzeciw jest w redakcji. Dopóki redakcja nie zdecyduje, wpis i Twój odnośnik zostają bez zmian."


def other_owners(claim: Submission) -> QuerySet[OwnerLink]:
    """Return the working links of an entry's owners with another address than a claim's, oldest first."""
    links = OwnerLink.objects.working().filter(depot=claim.depot_id).exclude(email_hash=claim.email_hash)
    return links.order_by("granted_at", "pk")


def claims_to_announce() -> QuerySet[Submission]:
    """Return waiting claims of which the present owner of the entry has not been told."""
    owners = OwnerLink.objects.working().filter(depot=OuterRef("depot")).exclude(email_hash=OuterRef("email_hash"))
    return Submission.objects.waiting().filter(Exists(owners), kind__in=CONTESTABLE, owner_told_at=None)


def announce_again(claims: QuerySet[Submission]) -> None:
    """Let the owners who an entry has now be told of claims. At most two statements."""
    Submission.objects.filter(pk__in=lock_rows(claims)).update(owner_told_at=None)


def objection_ends(claim: Submission) -> datetime | None:
    """Return until when the owner may object; None while the letter has not left."""
    return None if claim.owner_told_at is None else claim.owner_told_at + OBJECTION_TIME


def is_owner_heard(claim: Submission, on: datetime) -> bool:
    """Whether the owner had the time to object, and did not."""
    ends = objection_ends(claim)
    return claim.objected_at is None and ends is not None and ends <= on


def check_owner_heard(claim: Submission, *, by: AbstractBaseUser, on: datetime) -> None:
    """Raise OwnerMayObject or OwnerObjected where only a chief editor may accept a claim. At most two queries."""
    if other_owners(claim).exists() and not is_chief(by) and not is_owner_heard(claim, on):
        raise (OwnerMayObject if claim.objected_at is None else OwnerObjected)(claim.pk)


def get_claim(token: str) -> Submission:
    """Return the claim that an owner's letter is about, with its depot. Two queries.

    Raises NoSuchClaim, ClaimClosed and AlreadyObjected.
    """
    number, link = tokens.OBJECTION.read(token, NoSuchClaim())
    claim = Submission.objects.select_related("depot__municipality__voivodeship").filter(pk=number).first()
    if claim is None or not OwnerLink.objects.working().filter(pk=link, depot=claim.depot_id).exists():
        raise NoSuchClaim
    if claim.state != Submission.State.WAITING:
        raise ClaimClosed(claim.pk)
    if claim.objected_at is not None:
        raise AlreadyObjected(claim.pk)
    return claim


@transaction.atomic
def object_to_claim(*, claim: Submission, text: str, on: datetime) -> None:
    """Store the objection of an owner. text: may be "". Raises ObjectionClosed."""
    stored = Submission.objects.waiting().select_for_update(of=("self",)).filter(pk=claim.pk).first()
    if stored is None or stored.objected_at is not None:
        raise ObjectionClosed(claim.pk)
    stored.objected_at, stored.objection = on, text[:MAX_OBJECTION]
    stored.save(update_fields=["objected_at", "objection"])
