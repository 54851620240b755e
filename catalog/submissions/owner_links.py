"""The permanent link of an owner: granted with an accepted claim, renewed by e-mail, revoked by either side.

The link is signed and contains id and serial, so the table holds no secret, and other letters can include the link. It
is valid while a depot of its owner is published and has that status. A renewed link has the next serial; it and the
former ones of the owner, to whichever depot, are valid until something is saved by the new one.

Each change by a link is told to the owner, who can undo it by the letter. And the letters of owners.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from catalog.models import Decision, DecisionLine, Depot, OwnerChange, OwnerLink, PendingLetter, Submission
from catalog.services import Refusal, journal, moderation
from catalog.submissions import field_groups, letters, objections, tokens
from catalog.submissions.letter_kinds import Letter, PendingLetters
from catalog.submissions.letter_texts import Part, compose
from catalog.submissions.retention import LINK_REPLACED
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking
from fueldepot.http.links import site_url

UNUSED = timedelta(days=365)
"""Lifetime of a link since it was granted, sent or used."""

UNDOABLE = timedelta(days=14)
"""How long the owner can undo a change by the letter about it."""

LISTED = 20
"""Most changes that one page offers to undo."""


class OwnerLinkInvalid(Refusal):
    """The token is invalid, or the link was renewed, revoked, or unused for `UNUSED`."""

    status, title = 404, "Ten odnośnik nie działa"
    reason = (
        "Odnośnik jest niepełny, wygasł, został odwołany, zastąpił go nowszy albo wpis nie jest już Twój. Na stronie "
        "swojego składu poproś o nowy; jeśli nie przyjdzie, przejmij wpis jeszcze raz."
    )
    onward, onward_label = "claim", "Przejmij wpis"


class OwnerLinkRenewed(OwnerLinkInvalid):
    """The token is of a link that a newer one has ended."""

    reason = "Zastąpił go nowszy, który wysłaliśmy na Twój adres. Znajdź tę wiadomość albo poproś o jeszcze jeden."
    onward, onward_label = "renew", "Poproś o nowy odnośnik"


class ChangeTooOld(Refusal):
    """The change is older than `UNDOABLE`, or the link was replaced by another owner's."""

    status, title = 410, "Tej zmiany nie można już cofnąć"
    reason = (
        f"Zmianę można cofnąć przez {UNDOABLE.days} dni. Teraz zmień godziny i ceny pod swoim odnośnikiem albo popraw "
        "wpis w formularzu."
    )


class ChangeOutdated(Refusal):
    """All that the change was about has been changed since."""

    title = "Tej zmiany nie można już cofnąć"
    reason = (
        "Wszystko, co wtedy zmieniono, zmieniono potem jeszcze raz, sprawdzono albo scalono z innym wpisem, więc nie "
        "ma czego przywrócić. Cofnij najpierw późniejszą zmianę albo zmień godziny i ceny pod swoim odnośnikiem."
    )


def grant_link(*, depot: Depot, email: str, on: datetime) -> OwnerLink:
    """Grant an owner a link, or return the existing one. Runs in the transaction that accepts the claim."""
    # Of a row that a restored database has lost, the next one has the number.
    serial = 1 + secrets.randbelow(2**30)
    columns = {**tokens.address(email), "granted_at": on, "serial": serial}
    email_hash = columns["email_hash"]
    link, is_new = OwnerLink.objects.get_or_create(columns, depot=depot, email_hash=email_hash, revoked_at=None)
    if not is_new:
        link.granted_at, link.replaced_at, link.loss_told_at = on, None, None
        link.save(update_fields=["granted_at", "replaced_at", "loss_told_at"])
    return link


def read_link(token: str, *, on: datetime) -> OwnerLink:
    """Return the link with its depot and the depot's units; if that is gone, with another of its owner. Two queries.

    Raises OwnerLinkInvalid or OwnerLinkRenewed, with the number of the depot if it is public.
    """
    number, serial = tokens.OWNER.read(token, OwnerLinkInvalid(None))
    link = OwnerLink.objects.in_force().filter(pk=number, serial__in=[serial, serial - 1]).first()
    first = next(iter(read_branches(link).values()), None) if link else None
    if link is None or first is None or last_sign_of_life(link) <= on - UNUSED:
        depot = Depot.objects.published().filter(owner_links=number).first()
        renewed = OwnerLink.objects.working().filter(pk=number, serial__gt=serial).exists()
        raise (OwnerLinkRenewed if renewed else OwnerLinkInvalid)(depot and depot.pk)
    link.depot = first.depot
    return link


def read_branches(link: OwnerLink) -> dict[int, OwnerLink]:
    """Return the working links of the same owner by id of the depot, with depots: that of the link, others by name.

    They are of one address, whose owner has confirmed it for each of them. One query.
    """
    rows = OwnerLink.objects.working().filter(email_hash=link.email_hash)
    rows = rows.select_related("depot__municipality__voivodeship").order_by("depot__name", "depot")
    branches = {row.depot_id: row for row in rows}
    return {link.depot_id: branches[link.depot_id]} | branches if link.depot_id in branches else branches


def is_renewed(link: OwnerLink, token: str) -> bool:
    """Whether a token of the link is of a new one, beside which the former one still works."""
    _, serial = tokens.OWNER.read(token)
    return bool(serial > link.serial)


@transaction.atomic
def end_former(link: OwnerLink, token: str) -> None:
    """End the former link of a renewed one, and all links to other entries of the owner, which lead to the same page.

    At most three statements.
    """
    if not is_renewed(link, token):
        return
    _, serial = tokens.OWNER.read(token)
    lock_rows(links := OwnerLink.objects.filter(email_hash=link.email_hash, revoked_at=None))
    if links.filter(pk=link.pk, serial__lt=serial).update(serial=serial):
        links.exclude(pk=link.pk).update(serial=F("serial") + 2)  # ends renewed ones that were not used, too


@transaction.atomic
def request_link(*, depot: Depot, email: str, on: datetime) -> None:
    """Have a new link sent if the address has one.

    Costs the same for any address: whose it is turns out when the letter leaves, after the answer. Raises
    DepotIsErased.
    """
    depot = moderation.locked(depot)
    PendingLetter.objects.create(kind=PendingLetter.Kind.OWNER_LINK, email=email, depot=depot, requested_at=on)
    letters.send_soon()


def replace_owners(claim: Submission, *, on: datetime) -> list[OwnerLink]:
    """End the links of an entry's other owners, who are told so. Runs in the transaction that accepts the claim.

    Returns them. Their data are erased after `LINK_REPLACED`; until then the decision can be undone.
    """
    former = list(objections.other_owners(claim))
    kind = PendingLetter.Kind.OWNER_REPLACED
    PendingLetter.objects.bulk_create(
        PendingLetter(kind=kind, email=link.email, depot=claim.depot, requested_at=on) for link in former
    )
    # What was changed by a link that has been revoked is no longer its owner's to undo, either.
    ended = Q(pk__in=[link.pk for link in former]) | Q(depot=claim.depot, revoked_at__isnull=False)
    OwnerLink.objects.filter(ended, replaced_at=None).update(replaced_at=on)
    return former


def revoke_links(links: Iterable[OwnerLink], *, merged: bool = False, on: datetime) -> int:
    """Revoke links and erase their owners' data. Returns how many were valid.

    merged: also the links that these owners have at depots merged into theirs, which wait for a restoring.
    """
    keys = [link.pk for link in links]
    chosen = Q(pk__in=keys)
    if merged:
        of_owner = OwnerLink.objects.filter(pk__in=keys, email_hash=OuterRef("email_hash"))
        chosen |= Q(Exists(of_owner.filter(depot=OuterRef("depot__merged_into"))))
    rows = OwnerLink.objects.filter(chosen, revoked_at__isnull=True)
    return rows.update(revoked_at=on, email="", email_hash="", mailbox_hash="", letters_at=[])


def forget_unused(*, on: datetime) -> int:
    """Revoke links unused for `UNUSED`, replaced `LINK_REPLACED` ago, or of owners without a depot.

    Returns how many.
    """
    standing = OwnerLink.objects.filter(revoked_at__isnull=True)
    beside = OwnerLink.objects.working().filter(email_hash=OuterRef("email_hash"))
    kept = standing.filter(
        Q(OwnerLink.OWNED | Exists(beside), replaced_at=None) | Q(replaced_at__gt=on - LINK_REPLACED)
    )
    used = [link.pk for link in kept if last_sign_of_life(link) > on - UNUSED]
    return revoke_links(standing.exclude(pk__in=used), merged=True, on=on)


def move_links(loser: int, survivor: int, by: AbstractBaseUser, on: date) -> list[int]:
    """Move the links of a merged depot to the survivor, with revoked ones. Returns their ids.

    If the survivor has a link of the same owner, that of the loser stays and is invalid; so do those of a loser that
    has lost the status "owner".
    """
    standing = Q(depot__data_status=Depot.DataStatus.OWNER) | Q(revoked_at__isnull=False)
    return _hand_over(OwnerLink.objects.filter(standing, depot=loser), survivor)


def bring_links_back(
    numbers: Collection[int], heirs: Collection[int], depot: int, by: AbstractBaseUser | None, on: date
) -> None:
    """Move links back to a restored depot, from whichever of the heirs has them.

    The owner whose claim of an heir was accepted meanwhile, with the same link, gets another one for it, which ends
    with the claim if that is undone. Those that another's claim of an heir has replaced work again.
    """
    rows = OwnerLink.objects.filter(pk__in=numbers, depot__in=heirs)
    claims = Submission.objects.filter(kind=Submission.Kind.CLAIM, state=Submission.State.ACCEPTED)
    claims = claims.filter(depot=OuterRef("depot"))
    claimed = Exists(claims.filter(decided_at=OuterRef("granted_at")))
    claimed_too = list(rows.in_force().filter(claimed).select_related("depot"))
    replaced = Exists(claims.filter(decided_at=OuterRef("replaced_at")))
    return_links(rows.filter(replaced, revoked_at=None), to=depot, on=timezone.now())
    _hand_over(rows, depot)
    for link in claimed_too:
        another = grant_link(depot=link.depot, email=link.email, on=link.granted_at)
        of_claim = Decision.objects.about(link.depot).filter(decided_at=link.granted_at)
        label, key = OwnerLink._meta.label_lower, str(another.pk)
        DecisionLine.objects.bulk_create(DecisionLine(decision=row, model=label, key=key) for row in of_claim)


def return_links(links: QuerySet[OwnerLink], *, to: int | None = None, on: datetime) -> int:
    """Let replaced links work again. Returns how many. to: the depot to which they move.

    Their owners are told, unless the letter about the end has not left: these letters are locked before links.
    """
    of_links = PendingLetter.objects.filter(email__in=links.values("email"), depot__in=links.values("depot"))
    unsent = lock_rows(of_links.filter(kind=PendingLetter.Kind.OWNER_REPLACED, letter_tried_at=None))
    returning = list(locking(links))
    OwnerLink.objects.filter(pk__in=[link.pk for link in returning]).update(replaced_at=None)
    kind = PendingLetter.Kind.OWNER_RESTORED
    for link in returning:
        if not PendingLetter.objects.filter(pk__in=unsent, email=link.email, depot=link.depot_id).delete()[0]:
            depot = to or link.depot_id
            PendingLetter.objects.create(kind=kind, email=link.email, depot_id=depot, requested_at=on)
    letters.send_soon()
    return len(returning)


def count_links(depots: Collection[int]) -> int:
    """Return the number of links of depots neither revoked nor replaced. One query."""
    return OwnerLink.objects.in_force().filter(depot__in=among(depots)).count()


def _hand_over(links: QuerySet[OwnerLink], to: int) -> list[int]:
    duplicate = OwnerLink.objects.filter(depot=to, email_hash=OuterRef("email_hash"), revoked_at__isnull=True)
    moving = list(links.exclude(Exists(duplicate), revoked_at__isnull=True).order_by("pk").values_list("pk", flat=True))
    OwnerLink.objects.filter(pk__in=moving).update(depot=to)
    return moving


def last_sign_of_life(link: OwnerLink) -> datetime:
    """Return when a link was last granted, sent or used."""
    return max(filter(None, [link.granted_at, link.used_at, *link.letters_at]))


@transaction.atomic
def change_hours(*, depot: Depot, values: Mapping[str, object], on: datetime) -> Sequence[str]:
    """Publish opening hours. values: `hours` and `opening_hours`. Returns the changes, for `note_change`.

    The status and its verifier stay. Raises ValueRefused.
    """
    depot = moderation.locked(depot)
    before = field_groups.values_of(depot)
    changed = field_groups.changes(before, values)
    if not changed:
        return ()
    depot.confirm(field_groups.apply(depot, changed))
    depot.updated_at = depot.verified_at = timezone.localdate(on)
    moderation.save(depot, by=None, reason=f"{history.OWNER}: godziny otwarcia")
    rows = field_groups.differences(before, changed)
    return tuple(f"{row['label']}: {row['before']} → {row['after']}".replace("\n", ", ") for row in rows)


def links_to_tell(depots: Collection[int]) -> list[int]:
    """Return the ids of the working links of depots, one of each owner. One query."""
    rows = OwnerLink.objects.working().filter(depot__in=among(depots)).order_by("email_hash", "pk")
    return list(rows.distinct("email_hash").values_list("pk", flat=True))


@transaction.atomic
def note_change(*, link: OwnerLink, lines: Mapping[int, Sequence[str]], decision: Decision, on: datetime) -> None:
    """Record an owner's changes for review and the use of the link; the owners of the depots get a letter.

    lines: by id of the depot. decision: of the journal, whose details name the links to tell.
    """
    OwnerChange.objects.bulk_create(
        OwnerChange(depot_id=depot, made_at=on, text="\n".join(some), decision=decision)
        for depot, some in lines.items()
    )
    used = Q(pk=link.pk) | Q(email_hash=link.email_hash, depot__in=among(lines))
    OwnerLink.objects.filter(used).update(used_at=on)
    common = {"kind": PendingLetter.Kind.OWNER_CHANGED, "decision": decision, "requested_at": on}
    owners = OwnerLink.objects.filter(pk__in=decision.details["links"])
    PendingLetter.objects.bulk_create(
        PendingLetter(email=owner.email, depot_id=owner.depot_id, **common) for owner in owners
    )
    letters.send_soon()


def find_undoable(token: str, *, on: datetime) -> list[Decision]:
    """Return the changes that the letter with a token tells of and the later ones of its owner, newest first.

    With the noted lines of their depots, at most `LISTED`, not older than `UNDOABLE`. Five queries. Raises
    InvalidToken, and ChangeTooOld if there is none.
    """
    number, first = tokens.CHANGE.read(token)
    standing = OwnerLink.objects.filter(pk=number, replaced_at__isnull=True)
    rows = Decision.objects.filter(kind=Decision.Kind.OWNER, pk__gte=first, decided_at__gt=on - UNDOABLE)
    changes = rows.filter(details__links__contains=number).prefetch_related("owner_changes__depot__municipality")
    decisions = list(changes.order_by("-pk")[:LISTED]) if standing.exists() else []
    if not decisions:
        raise ChangeTooOld(first)
    return decisions


@transaction.atomic
def undo_change(*, token: str, decision: int, on: datetime) -> None:
    """Undo a change of an owner, whoever made it by the link. What was changed since stays, see `journal.undo`.

    Raises InvalidToken, ChangeTooOld, ChangeOutdated and DecisionAlreadyUndone.
    """
    change = next((row for row in find_undoable(token, on=on) if row.pk == decision), None)
    if change is None:
        raise ChangeTooOld(decision)
    try:
        undoing = journal.undo(decision=change, by=None, on=on)
    except journal.NothingToRestore as refusal:
        raise ChangeOutdated(change.pk) from refusal
    OwnerChange.objects.bulk_create(
        OwnerChange(depot_id=row.depot_id, made_at=on, text=f"Cofnięto:\n{row.text}", decision=undoing.record)
        for row in change.owner_changes.all()
    )


def owner_link_letter(row: PendingLetter, on: datetime) -> Iterable[Letter]:
    """Yield the link of an owner, a new one or that which works again.

    Nothing for another address, whose request thereby ends.
    """
    is_new = row.kind == PendingLetter.Kind.OWNER_LINK
    depots = [row.depot_id, row.depot and row.depot.merged_into_id]  # the link may have moved meanwhile
    # By the address: hashes are none of a new SECRET_KEY, after which all owners need new links.
    links = OwnerLink.objects.working().filter(depot__in=depots, email__iexact=row.email)
    for link in links.select_related("depot__municipality"):
        part: Part = row.kind, {"link": tokens.OWNER.url([link.pk, link.serial + is_new])}
        yield Letter(row, link, partial(compose, link.email, link.depot, part))


def owner_replaced_letter(row: PendingLetter, on: datetime) -> Iterable[Letter]:
    """Yield the letter to a former owner, whose link has ended and therefore counts no letters."""
    if row.depot is not None:
        link = site_url(reverse("depot-claim", args=[row.depot.pk]))
        others = OwnerLink.objects.working().filter(email__iexact=row.email).exists()
        part: Part = "owner_replaced", {"link": link, "days": LINK_REPLACED.days, "others": others}
        yield Letter(row, None, partial(compose, row.email, row.depot, part))


def owner_changed_letter(row: PendingLetter, on: datetime) -> Iterable[Letter]:
    """Yield the letter about changes by an owner's link: the first one of the row and all since.

    Also to an owner whose link was revoked since, maybe by whoever made the change.
    """
    if row.decision is None:
        return
    links = OwnerLink.objects.filter(pk__in=row.decision.details["links"], replaced_at__isnull=True)
    link = links.filter(Q(email=row.email) | Q(email="", depot=row.depot_id)).first()
    since = OwnerChange.objects.filter(decision__gte=row.decision, decision__kind=Decision.Kind.OWNER)
    since = since.filter(decision__details__links__contains=link.pk) if link else since.none()
    since = since.filter(decision__undone_at=None).select_related("depot__municipality")
    changes = list(since.order_by("-pk")[:LISTED])
    if link and changes:
        url = tokens.CHANGE.url([link.pk, row.decision.pk])
        sections = [_section(change) for change in changes]
        part: Part = "owner_changed", {"link": url, "sections": sections, "days": UNDOABLE.days}
        yield Letter(row, link if link.email else None, partial(compose, row.email, row.depot, part))


def _section(change: OwnerChange) -> tuple[str, list[dict[str, str]], str]:
    made_at = date_format(timezone.localtime(change.made_at), "DATETIME_FORMAT")
    heading = f"{change.depot.name}, {change.depot.address}, {made_at}"
    lines = (line.partition(": ") for line in change.text.splitlines())
    return heading, [{"label": label, "before": "", "after": value} for label, _, value in lines], ""


PendingLetters.writers |= {
    PendingLetter.Kind.OWNER_LINK: owner_link_letter,
    PendingLetter.Kind.OWNER_REPLACED: owner_replaced_letter,
    PendingLetter.Kind.OWNER_RESTORED: owner_link_letter,
    PendingLetter.Kind.OWNER_CHANGED: owner_changed_letter,
}
