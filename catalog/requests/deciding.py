"""What editors do to requests that wait: accept or turn down, one by one or many at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from catalog import history
from catalog.actions import DepotIsRemoved, check_unchanged
from catalog.models import Dataset, Depot, DepotRequest
from catalog.requests import proposals, telling
from catalog.territory.snapshot import territory
from fueldepot.data import versions

MAX_REASON = 500

State = DepotRequest.State
Kind = DepotRequest.Kind


class RequestAlreadyDecided(Exception):
    """The request does not wait any more: another editor decided, or the entry is gone."""


class NothingAccepted(Exception):
    """A correction of which no field is accepted is a rejection."""


class ReasonMissing(Exception):
    """A rejection has to say why."""


class PlaceUnknown(Exception):
    """The position of a new depot lies in no municipality."""


@dataclass(slots=True)
class Decided:
    """What became of several requests. unchanged: with the reason in Polish. unsent: filled once it is committed,
    with numbers of requests whose authors could not be told."""

    changed: list[DepotRequest] = field(default_factory=list)
    unchanged: list[tuple[DepotRequest, str]] = field(default_factory=list)
    unsent: list[int] = field(default_factory=list)


def accept_request(
    *,
    request: DepotRequest,
    groups: Collection[str] | None = None,
    opened: int | None = None,
    by: AbstractBaseUser,
    on: datetime,
) -> Decided:
    """Do what a request asks for. groups: names of the accepted ones, None for all; for corrections and new depots.

    opened: `actions.opened_at` of the entry that the editor saw, None not to compare. Raises
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
        self.to_tell: list[DepotRequest] = []

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
        self._decide(request, State.ACCEPTED)

    def reject(self, request: DepotRequest, reason: str) -> None:
        if not reason.strip():
            raise ReasonMissing
        self._check_waiting(request)
        request.reason = " ".join(reason.split())[:MAX_REASON]
        self._decide(request, State.REJECTED)

    def close(self) -> Decided:
        """Write what was decided; the letters leave on commit."""
        superseded = self._supersede()
        decided = [*self.decided.changed, *superseded]
        DepotRequest.objects.bulk_update(
            decided,
            ["depot", "state", "decided_at", "decided_by", "reason", "accepted_fields", "letter_owed"],
            batch_size=500,
        )
        if self.touched:
            Depot.objects.bulk_update(self.touched.values(), DECIDED_COLUMNS, batch_size=500)
            for kind in Kind:
                about = {request.depot_id for request in self.decided.changed if request.kind == kind}
                keys = [key for key in self.touched if key in about]
                history.record(Depot, keys, by=self.by, reason=f"{history.REQUESTED}: {kind.label}")
        if self.touched or any(request.kind == Kind.ADD for request in self.decided.changed):
            versions.bump_version(Dataset.Slug.DEPOTS)
        if decided:
            transaction.on_commit(self._send)
        return self.decided

    def _send(self) -> None:
        self.decided.unsent.extend(telling.tell(self.to_tell))

    def _check_waiting(self, request: DepotRequest) -> None:
        if request.state != State.WAITING:
            raise RequestAlreadyDecided(request.pk)

    def _decide(self, request: DepotRequest, state: State) -> None:
        request.state, request.decided_at, request.decided_by_id = state, self.on, self.by.pk
        self.decided.changed.append(request)
        self._owe(request)

    def _owe(self, request: DepotRequest) -> None:
        """Note that the author has to be told; the note goes when the letter has left."""
        request.letter_owed = True
        self.to_tell.append(request)

    def _correct(self, request: DepotRequest, groups: Collection[str] | None) -> list[str]:
        depot = self._depot(request)
        offered = [group.name for group in proposals.groups_in(request.proposed)]
        taken = [name for name in offered if groups is None or name in groups]
        if not taken:
            raise NothingAccepted(request.pk)
        names = proposals.apply(depot, request.proposed, taken)
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
        located = territory.get().boundaries.find(values["lat"], values["lon"])
        if located is None:
            raise PlaceUnknown(request.pk)
        depot = Depot(
            source=Depot.Source.EDITOR,
            data_status=Depot.DataStatus.VERIFIED,
            verified_at=self.day,
            verified_by_id=self.by.pk,
            updated_at=self.day,
        )
        names = proposals.apply(depot, values, [group.name for group in proposals.GROUPS])
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
                self._owe(request)
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
