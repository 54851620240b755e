"""The permanent link of an owner: granted with an accepted claim, renewed by e-mail, revoked by either side.

The link is signed and contains id and serial, so the table holds no secret, and other letters can include the link. It
is valid while the depot is published and confirmed by its owner. A renewed link has the next serial; both are valid
until something is saved by the new one.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from catalog.models import Depot, OwnerChange, OwnerLink, PendingLetter, Submission
from catalog.services import moderation
from catalog.services.refusal import Refusal
from catalog.submissions import field_groups, letters, objections, tokens
from fueldepot.data import history
from fueldepot.data.history import among

UNUSED = timedelta(days=365)
"""Lifetime of a link since it was granted, sent or used."""

REPLACED_KEPT = timedelta(days=14)
"""How long a link is kept that another owner's claim ended, to come back if the decision is undone."""


class OwnerLinkInvalid(Refusal):
    """The token is invalid, or the link was renewed, revoked, or unused for `UNUSED`."""

    status, title = 404, "Ten odnośnik nie działa"
    reason = (
        "Odnośnik jest niepełny, wygasł, został odwołany albo zastąpił go nowszy. Na stronie swojego składu poproś o "
        "nowy. Jeśli odnośnik odwołano, przejmij wpis jeszcze raz."
    )
    onward, onward_label = "claim", "Przejmij wpis"


def grant_link(*, depot: Depot, email: str, on: datetime) -> OwnerLink:
    """Grant an owner a link, or return the existing one. Runs in the transaction that accepts the claim."""
    link, is_new = OwnerLink.objects.get_or_create(
        depot=depot,
        email_hash=tokens.hash_email(email),
        revoked_at=None,
        defaults={"email": email, "mailbox_hash": tokens.hash_mailbox(email), "granted_at": on},
    )
    if not is_new:
        link.granted_at, link.replaced_at = on, None
        link.save(update_fields=["granted_at", "replaced_at"])
    return link


def read_link(token: str, *, on: datetime) -> OwnerLink:
    """Return the link with its depot and the depot's units. One query.

    Raises OwnerLinkInvalid, with the number of the depot if it is public.
    """
    try:
        number, serial = tokens.read_owner_token(token)
    except tokens.InvalidToken:
        raise OwnerLinkInvalid(None) from None
    rows = OwnerLink.objects.working().select_related("depot__municipality__voivodeship")
    link = rows.filter(pk=number, serial__in=[serial, serial - 1]).first()
    if link is None or last_sign_of_life(link) <= on - UNUSED:
        depot = Depot.objects.published().filter(owner_links=number).first()
        raise OwnerLinkInvalid(depot and depot.pk)
    return link


def is_renewed(link: OwnerLink, token: str) -> bool:
    """Whether a token of the link is of a new one, beside which the former one still works."""
    _, serial = tokens.read_owner_token(token)
    return serial > link.serial


def end_former(link: OwnerLink, token: str) -> None:
    """End the former link of a renewed one. One statement."""
    _, serial = tokens.read_owner_token(token)
    OwnerLink.objects.filter(pk=link.pk, serial__lt=serial).update(serial=serial)


@transaction.atomic
def request_link(*, depot: Depot, email: str, on: datetime) -> None:
    """Have a new link sent if the address has one.

    Costs the same for any address: whose it is turns out when the letter leaves, after the answer.
    """
    PendingLetter.objects.create(kind=PendingLetter.Kind.OWNER_LINK, email=email, depot=depot, requested_at=on)
    letters.send_soon()


def replace_owners(claim: Submission, *, on: datetime) -> list[OwnerLink]:
    """End the links of an entry's other owners, who are told so. Runs in the transaction that accepts the claim.

    Returns them. Their data are erased after `REPLACED_KEPT`; until then the decision can be undone.
    """
    former = list(objections.other_owners(claim))
    kind = PendingLetter.Kind.OWNER_REPLACED
    PendingLetter.objects.bulk_create(
        PendingLetter(kind=kind, email=link.email, depot=claim.depot, requested_at=on) for link in former
    )
    OwnerLink.objects.filter(pk__in=[link.pk for link in former]).update(replaced_at=on)
    return former


def revoke_links(links: Sequence[OwnerLink], *, on: datetime) -> int:
    """Revoke links and erase their owners' data. Returns how many were valid."""
    rows = OwnerLink.objects.filter(pk__in=[link.pk for link in links], revoked_at__isnull=True)
    return rows.update(revoked_at=on, email="", email_hash="", mailbox_hash="", links_at=[])


def forget_unused(*, on: datetime) -> int:
    """Revoke links unused for `UNUSED`, replaced `REPLACED_KEPT` ago, or of a depot that is no longer its owner's.

    Returns how many.
    """
    standing = OwnerLink.objects.filter(revoked_at__isnull=True).select_related("depot")
    over = [
        link
        for link in standing
        if not _stands(link.depot)
        or last_sign_of_life(link) <= on - UNUSED
        or (link.replaced_at is not None and link.replaced_at <= on - REPLACED_KEPT)
    ]
    return revoke_links(over, on=on)


def move_links(loser: int, survivor: int, by: AbstractBaseUser, on: date) -> list[int]:
    """Move the links of a merged depot to the survivor, with revoked ones. Returns their ids.

    If the survivor has a link of the same owner, that of the loser stays and is invalid.
    """
    return _hand_over(OwnerLink.objects.filter(depot=loser), survivor)


def bring_links_back(
    numbers: Collection[int], heirs: Collection[int], depot: int, by: AbstractBaseUser | None, on: date
) -> None:
    """Move links back to a restored depot, from whichever of the heirs has them."""
    _hand_over(OwnerLink.objects.filter(pk__in=numbers, depot__in=heirs), depot)


def count_links(depots: Collection[int]) -> int:
    """Return the number of links of depots that are not revoked. One query."""
    return OwnerLink.objects.filter(depot__in=among(depots), revoked_at__isnull=True, replaced_at=None).count()


def _hand_over(links: QuerySet[OwnerLink], to: int) -> list[int]:
    duplicate = OwnerLink.objects.filter(depot=to, email_hash=OuterRef("email_hash"), revoked_at__isnull=True)
    moving = list(links.exclude(Exists(duplicate), revoked_at__isnull=True).order_by("pk").values_list("pk", flat=True))
    OwnerLink.objects.filter(pk__in=moving).update(depot=to)
    return moving


def last_sign_of_life(link: OwnerLink) -> datetime:
    """Return when a link was last granted, sent or used."""
    return max([link.granted_at, *link.links_at, *([link.used_at] if link.used_at else [])])


@transaction.atomic
def change_hours(*, link: OwnerLink, values: Mapping[str, object], on: datetime) -> Sequence[str]:
    """Publish opening hours. values: `hours` and `opening_hours`. Returns the changes, for `note_change`.

    The status and its verifier stay. Raises ValueRefused.
    """
    depot = moderation.locked(link.depot)
    before = field_groups.values_of(depot)
    changed = field_groups.changes(before, values)
    if not changed:
        return ()
    names = field_groups.apply(depot, changed, [group.name for group in field_groups.groups_in(changed)])
    depot.confirmed_fields = sorted({*depot.confirmed_fields, *names})
    depot.updated_at = depot.verified_at = timezone.localdate(on)
    moderation.save(depot, by=None, reason=f"{history.OWNER}: godziny otwarcia")
    differences = field_groups.differences(before, changed, {})
    return tuple(
        f"{difference.group.label}: {_inline(difference.before)} → {_inline(difference.after)}"
        for difference in differences
    )


@transaction.atomic
def note_change(*, link: OwnerLink, lines: Sequence[str], on: datetime) -> None:
    """Record an owner's changes for review, and the use of the link."""
    OwnerChange.objects.create(depot=link.depot, made_at=on, text="\n".join(lines))
    OwnerLink.objects.filter(pk=link.pk).update(used_at=on)


def _stands(depot: Depot) -> bool:
    return depot.publication == Depot.Publication.PUBLISHED and depot.data_status == Depot.DataStatus.OWNER


def _inline(text: str) -> str:
    return ", ".join(text.splitlines())
