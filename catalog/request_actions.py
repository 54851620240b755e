"""What happens to requests: submitted by a stranger, confirmed by e-mail, decided by an editor, erased with time.

Each is one transaction. Where both are locked, depots are locked before requests, in the order of their numbers.
Letters leave when the transaction is committed; one that cannot be sent undoes nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from catalog import boundaries, history, request_fields, request_limits, request_mail, request_secrets, versions
from catalog.actions import DepotIsRemoved
from catalog.edit_actions import check_unchanged
from catalog.models import Dataset, Depot, DepotRequest
from catalog.request_fields import Values
from catalog.text import fold

KEPT = timedelta(days=90)
"""How long personal data stay after a decision."""

KEPT_FOR_LIMITS = timedelta(days=1)
"""How long network addresses stay, and the author of a price that was passed on: as long as the limits count."""

MAX_REASON = 500

State = DepotRequest.State
Kind = DepotRequest.Kind


class DepotIsHeld(Exception):
    """The depot waits for an editor itself; the public cannot see it."""


class NothingChanged(Exception):
    """What is proposed is what the catalog says already."""


class LinkAlreadyUsed(Exception):
    """The request was confirmed before."""


class LinkSuperseded(Exception):
    """A newer link or a newer request has taken the place of this one."""


class LinkForgotten(Exception):
    """The link is good, but its request was erased."""


class LinksSpent(Exception):
    """The link of a request was sent as often as it may be."""


class RequestAlreadyDecided(Exception):
    """The request does not wait any more: another editor decided, or the entry is gone."""


class NothingAccepted(Exception):
    """A correction of which no field is accepted is a rejection."""


class ReasonMissing(Exception):
    """A rejection has to say why."""


class PlaceUnknown(Exception):
    """The position of a new depot lies in no municipality."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who sends a request. client: their network address."""

    email: str
    client: str
    role: str = ""
    nip: str = ""
    phone: str = ""
    message: str = ""


@dataclass(slots=True)
class Decided:
    """What became of several requests. unchanged: with the reason in Polish. unsent: filled once it is committed,
    with numbers of requests whose authors could not be told."""

    changed: list[DepotRequest] = field(default_factory=list)
    unchanged: list[tuple[DepotRequest, str]] = field(default_factory=list)
    unsent: list[int] = field(default_factory=list)


@transaction.atomic
def submit_request(
    *, kind: Kind, depot: Depot | None, proposed: Values, subject: str = "", author: Author, on: datetime
) -> DepotRequest:
    """Take a request in and send its author the link that makes it count.

    proposed: for a correction and a new depot the wanted values, else what the kind needs. An unconfirmed request of
    the same author about the same is superseded; one that waits stays until the new one is confirmed.
    Raises DepotIsRemoved, DepotIsHeld, NothingChanged, TooManyRequests.
    """
    email_hash, client_hash = request_secrets.hash_email(author.email), request_secrets.hash_client(author.client)
    key = None if depot is None else depot.pk
    request_limits.take_turn(request_limits.Counted(client_hash, email_hash, key), on)
    stored: dict[str, Any] = {}
    if depot is not None:
        depot = Depot.objects.get(pk=depot.pk)
        check_published(depot)
    if kind == Kind.CORRECT and depot is not None:
        known = request_fields.values_of(depot)
        proposed = request_fields.changes(known, proposed)
        if not proposed:
            raise NothingChanged(depot.pk)
        stored = {name: known[name] for name in proposed}
    if kind == Kind.ADD:
        subject = f"{fold(proposed['name'])} | {fold(proposed['place'])}"
    same = DepotRequest.objects.filter(
        depot=depot, kind=kind, subject=subject, email_hash=email_hash, state=State.UNCONFIRMED
    )
    same.update(state=State.SUPERSEDED, decided_at=on)
    request = DepotRequest.objects.create(
        depot=depot,
        kind=kind,
        subject=subject,
        proposed=dict(proposed),
        stored=stored,
        message=author.message,
        email=author.email,
        email_hash=email_hash,
        claimant_role=author.role,
        claimant_nip=author.nip,
        claimant_phone=author.phone,
        client_hash=client_hash,
        created_at=on,
    )
    _send_link(request, on)
    return request


@transaction.atomic
def resend_link(*, request: DepotRequest, on: datetime) -> DepotRequest:
    """Send a new link; the one before stops working. Raises LinkAlreadyUsed, LinkSuperseded, LinksSpent."""
    stored = DepotRequest.objects.select_for_update(of=("self",)).select_related("depot").get(pk=request.pk)
    _check_unconfirmed(stored)
    if stored.mails_sent >= request_limits.LINKS_PER_REQUEST:
        raise LinksSpent(stored.pk)
    _send_link(stored, on)
    return stored


def get_confirmable(*, token: str, on: datetime) -> DepotRequest:
    """The request that a link would confirm, with its depot. Two queries.

    Raises LinkUnreadable, LinkExpired, LinkForgotten, LinkAlreadyUsed, LinkSuperseded, DepotIsRemoved, DepotIsHeld.
    """
    return _confirmable(DepotRequest.objects.all(), token, on)


@transaction.atomic
def confirm_request(*, token: str, on: datetime) -> DepotRequest:
    """Make a request count: it waits for an editor from now on, or, a price, is passed on by the caller.

    What its author had waiting about the same is superseded. Raises what `get_confirmable` raises.
    """
    request = _confirmable(DepotRequest.objects.select_for_update(of=("self",)), token, on)
    waiting = DepotRequest.objects.waiting().filter(
        depot=request.depot, kind=request.kind, subject=request.subject, email_hash=request.email_hash
    )
    waiting.update(state=State.SUPERSEDED, decided_at=on)
    request.confirmed_at = on
    if request.kind == Kind.PRICE:
        request.state, request.decided_at = State.PASSED_ON, on
    else:
        request.state = State.WAITING
    try:
        with transaction.atomic():
            request.save()
    except IntegrityError as error:
        # Two links about the same were opened at once; the other was a moment earlier.
        if "depotrequest_one_open" not in str(error):
            raise
        raise LinkSuperseded(request.pk) from error
    return request


def accept_request(
    *,
    request: DepotRequest,
    groups: Collection[str] | None = None,
    opened: int | None = None,
    by: AbstractBaseUser,
    on: datetime,
) -> Decided:
    """Do what a request asks for. groups: names of the accepted ones, None for all; for corrections and new depots.

    opened: `edit_actions.opened_at` of the entry that the editor saw, None not to compare. Raises
    RequestAlreadyDecided, DepotChangedMeanwhile, DepotIsRemoved, NothingAccepted, PlaceUnknown.
    """
    with transaction.atomic():
        desk = _Desk([request.pk], by, on)
        (stored,) = desk.requests
        if opened is not None and stored.depot is not None and stored.state == State.WAITING:
            check_unchanged(stored.depot, opened)
        desk.accept(stored, groups)
        return desk.close()


def reject_request(*, request: DepotRequest, reason: str, by: AbstractBaseUser, on: datetime) -> Decided:
    """Turn a request down. reason: what its author is told. Raises RequestAlreadyDecided and ReasonMissing."""
    with transaction.atomic():
        desk = _Desk([request.pk], by, on)
        desk.reject(desk.requests[0], reason)
        return desk.close()


def accept_requests(*, requests: Collection[int], by: AbstractBaseUser, on: datetime) -> Decided:
    """Accept all that can be, each whole. As many statements for two hundred as for one."""
    with transaction.atomic():
        desk = _Desk(requests, by, on)
        for request in desk.requests:
            desk.attempt(request, lambda request: desk.accept(request, None))
        return desk.close()


def reject_requests(*, requests: Collection[int], reason: str, by: AbstractBaseUser, on: datetime) -> Decided:
    """Turn down all that wait, for one reason. As many statements for two hundred as for one. Raises ReasonMissing."""
    if not reason.strip():
        raise ReasonMissing
    with transaction.atomic():
        desk = _Desk(requests, by, on)
        for request in desk.requests:
            desk.attempt(request, lambda request: desk.reject(request, reason))
        return desk.close()


@dataclass(frozen=True, slots=True)
class Purged:
    """How many rows were deleted, and of how many personal data were erased."""

    deleted: int
    erased: int
    clients: int


@transaction.atomic
def purge_requests(*, on: datetime) -> Purged:
    """Forget what is not needed any more.

    Requests that were never confirmed go once their link has expired. Personal data go `KEPT` after the decision,
    and with them what was proposed and not accepted; of prices a day after they were passed on. Hashes of network
    addresses go after a day.
    """
    expired = on - request_secrets.LINK_LIFE
    unconfirmed = DepotRequest.objects.filter(
        Q(mailed_at__isnull=True) | Q(mailed_at__lte=expired), confirmed_at__isnull=True, created_at__lte=expired
    )
    deleted, _ = unconfirmed.delete()
    due = DepotRequest.objects.filter(erased_at__isnull=True, confirmed_at__isnull=False).filter(
        Q(decided_at__lte=on - KEPT) | Q(state=State.PASSED_ON, decided_at__lte=on - KEPT_FOR_LIMITS)
    )
    due.exclude(state=State.ACCEPTED).update(proposed={}, stored={}, subject="")
    erased = due.update(
        erased_at=on,
        email="",
        email_hash="",
        message="",
        claimant_role="",
        claimant_nip="",
        claimant_phone="",
        client_hash="",
        token_hash="",
    )
    old = DepotRequest.objects.filter(created_at__lte=on - KEPT_FOR_LIMITS).exclude(client_hash="")
    return Purged(deleted, erased, old.update(client_hash=""))


def check_published(depot: Depot) -> None:
    """Raises DepotIsRemoved or DepotIsHeld unless the public sees the entry."""
    if depot.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(depot.pk)
    if depot.publication == Depot.Publication.HELD:
        raise DepotIsHeld(depot.pk)


def _send_link(request: DepotRequest, on: datetime) -> None:
    """Make a new link, keep its hash, and send it on commit. `mailed_at` says whether it has left."""
    token, request.token_hash = request_secrets.new_token(request.pk, on)
    request.mails_sent += 1
    request.mailed_at = None
    request.save(update_fields=["token_hash", "mails_sent", "mailed_at"])

    def send() -> None:
        if not request_mail.send([request_mail.link_letter(request, token)]):
            request.mailed_at = on
            request.save(update_fields=["mailed_at"])

    transaction.on_commit(send)


def _confirmable(rows: Any, token: str, on: datetime) -> DepotRequest:
    link = request_secrets.read_token(token, on)
    request: DepotRequest | None = rows.select_related("depot").filter(pk=link.request_id).first()
    if request is None:
        raise LinkForgotten(link.request_id)
    _check_unconfirmed(request)
    if not request_secrets.is_token(token, request.token_hash):
        raise LinkSuperseded(request.pk)
    if request.depot is not None:
        check_published(request.depot)
    return request


def _check_unconfirmed(request: DepotRequest) -> None:
    """Raises LinkAlreadyUsed and LinkSuperseded."""
    if request.confirmed_at is not None:
        raise LinkAlreadyUsed(request.pk)
    if request.state != State.UNCONFIRMED:
        raise LinkSuperseded(request.pk)


class _Desk:
    """Requests that an editor decides in one transaction, with their depots, all locked.

    What is decided is collected and written by `close`, in the same number of statements however much it is.
    """

    def __init__(self, numbers: Collection[int], by: AbstractBaseUser, on: datetime) -> None:
        self.by, self.on, self.day = by, on, timezone.localdate(on)
        chosen = DepotRequest.objects.filter(pk__in=numbers).order_by("pk")
        keys = set(chosen.order_by().exclude(depot=None).values_list("depot", flat=True))
        depots = Depot.objects.select_for_update(of=("self",)).filter(pk__in=keys).order_by("pk")
        self.depots: dict[int, Depot] = {depot.pk: depot for depot in depots}
        self.requests = list(chosen.select_for_update(of=("self",)))
        # An entry may have been merged into another while this waited for it; its requests are that one's now.
        moved = {request.depot_id for request in self.requests if request.depot_id} - self.depots.keys()
        if moved:
            survivors = Depot.objects.select_for_update(of=("self",)).filter(pk__in=moved).order_by("pk")
            self.depots |= {depot.pk: depot for depot in survivors}
        for request in self.requests:
            # One object for a depot, so that several requests about it add up.
            if request.depot_id in self.depots:
                request.depot = self.depots[request.depot_id]
        self.decided = Decided()
        self.touched: dict[int, Depot] = {}
        self.removed: list[Depot] = []
        self.letters: list[Callable[[], request_mail.Letter]] = []

    def attempt(self, request: DepotRequest, act: Callable[[DepotRequest], None]) -> None:
        """Decide one of many: what cannot be decided is named, and bars none of the others."""
        try:
            act(request)
        except tuple(WHY_UNCHANGED) as error:
            self.decided.unchanged.append((request, WHY_UNCHANGED[type(error)]))

    def accept(self, request: DepotRequest, groups: Collection[str] | None) -> None:
        self._check_waiting(request)
        if request.depot is not None and request.depot.publication == Depot.Publication.REMOVED:
            raise DepotIsRemoved(request.depot.pk)
        match request.kind:
            case Kind.CORRECT:
                request.accepted_fields = self._correct(request, groups)
            case Kind.CLAIM:
                self._confirm(request, Depot.DataStatus.OWNER, Depot.PUBLIC_FIELDS)
            case Kind.DELETE:
                self._remove(request)
            case _:
                request.accepted_fields = self._add(request)
        self._decide(request, State.ACCEPTED, request_mail.accepted_letter)

    def reject(self, request: DepotRequest, reason: str) -> None:
        if not reason.strip():
            raise ReasonMissing
        self._check_waiting(request)
        request.reason = " ".join(reason.split())[:MAX_REASON]
        self._decide(request, State.REJECTED, request_mail.rejected_letter)

    def close(self) -> Decided:
        """Write what was decided; the letters leave on commit."""
        superseded = self._supersede()
        decided = [*self.decided.changed, *superseded]
        DepotRequest.objects.bulk_update(
            decided, ["depot", "state", "decided_at", "decided_by", "reason", "accepted_fields"], batch_size=500
        )
        if self.touched:
            Depot.objects.bulk_update(self.touched.values(), DECIDED_COLUMNS, batch_size=500)
            for kind in Kind:
                about = {request.depot_id for request in self.decided.changed if request.kind == kind}
                keys = [key for key in self.touched if key in about]
                history.record(Depot, keys, by=self.by, reason=f"{history.REQUESTED}: {kind.label}")
        if self.touched or any(request.kind == Kind.ADD for request in self.decided.changed):
            versions.raise_version(Dataset.Slug.DEPOTS)
        if decided:
            transaction.on_commit(self._send)
        return self.decided

    def _send(self) -> None:
        self.decided.unsent.extend(request_mail.send([letter() for letter in self.letters]))

    def _check_waiting(self, request: DepotRequest) -> None:
        if request.state != State.WAITING:
            raise RequestAlreadyDecided(request.pk)

    def _decide(
        self, request: DepotRequest, state: State, letter: Callable[[DepotRequest], request_mail.Letter]
    ) -> None:
        request.state, request.decided_at, request.decided_by_id = state, self.on, self.by.pk
        self.decided.changed.append(request)
        self.letters.append(partial(letter, request))

    def _correct(self, request: DepotRequest, groups: Collection[str] | None) -> list[str]:
        depot = self._depot(request)
        offered = [group.name for group in request_fields.groups_in(request.proposed)]
        taken = [name for name in offered if groups is None or name in groups]
        if not taken:
            raise NothingAccepted(request.pk)
        names = request_fields.apply(depot, request.proposed, taken)
        owner = depot.data_status == Depot.DataStatus.OWNER
        self._confirm(request, Depot.DataStatus.OWNER if owner else Depot.DataStatus.VERIFIED, names)
        return names

    def _confirm(self, request: DepotRequest, status: Depot.DataStatus, names: Sequence[str]) -> None:
        """Vouch for fields of an entry. A field that changed counts as changed today."""
        depot = self._depot(request)
        depot.data_status, depot.verified_at, depot.verified_by_id = status, self.day, self.by.pk
        depot.confirmed_fields = sorted({*depot.confirmed_fields, *names})
        depot.updated_at = self.day
        self.touched[depot.pk] = depot

    def _remove(self, request: DepotRequest) -> None:
        depot = self._depot(request)
        depot.publication = Depot.Publication.REMOVED
        depot.removed_at = depot.updated_at = self.day
        depot.removal_reason = Depot.RemovalReason.OWNER
        self.touched[depot.pk] = depot
        self.removed.append(depot)

    def _add(self, request: DepotRequest) -> list[str]:
        """Make the proposed depot; it is the one that costs statements of its own."""
        values = request.proposed
        located = boundaries.current().find(values["lat"], values["lon"])
        if located is None:
            raise PlaceUnknown(request.pk)
        depot = Depot(
            source=Depot.Source.EDITOR,
            data_status=Depot.DataStatus.VERIFIED,
            verified_at=self.day,
            verified_by_id=self.by.pk,
            updated_at=self.day,
        )
        names = request_fields.apply(depot, values, [group.name for group in request_fields.GROUPS])
        depot.municipality_id = located.teryt
        depot.confirmed_fields = sorted(Depot.PUBLIC_FIELDS)
        depot._history_user = self.by  # type: ignore[attr-defined] # both are read by simple-history
        depot._change_reason = f"{history.REQUESTED}: {Kind.ADD.label}"  # type: ignore[attr-defined]
        depot.save()
        request.depot = depot
        return names

    def _supersede(self) -> list[DepotRequest]:
        """Close what else is open about removed entries, and tell those who had confirmed theirs."""
        if not self.removed:
            return []
        rows = DepotRequest.objects.select_for_update(of=("self",)).open()
        mine = {request.pk for request in self.decided.changed}
        others = list(rows.filter(depot__in=self.removed).exclude(pk__in=mine).order_by("pk"))
        for request in others:
            request.depot = self.depots[request.depot_id or 0]
            if request.state == State.WAITING:
                self.letters.append(partial(request_mail.superseded_letter, request))
            request.state, request.decided_at = State.SUPERSEDED, self.on
        return others

    def _depot(self, request: DepotRequest) -> Depot:
        """The entry of a request of any kind but a new depot."""
        assert request.depot is not None  # noqa: S101 - a constraint of the table
        return request.depot


DECIDED_COLUMNS = [
    *Depot.PUBLIC_FIELDS,
    "data_status",
    "verified_at",
    "verified_by",
    "updated_at",
    "confirmed_fields",
    "publication",
    "removed_at",
    "removal_reason",
]
"""What a decision may change of an entry."""

WHY_UNCHANGED: Mapping[type[Exception], str] = {
    RequestAlreadyDecided: "ktoś już o nim zdecydował",
    DepotIsRemoved: "wpis jest usunięty; zgłoszenie można tylko odrzucić",
    NothingAccepted: "nie ma żadnego pola do przyjęcia",
    PlaceUnknown: "położenie nie leży w żadnej gminie",
}
"""Why one of many could not be decided, in the words that an editor reads."""
