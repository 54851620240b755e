"""Decisions about waiting submissions: accept or reject, one or many."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from catalog.models import Dataset, Decision, Depot, OwnerLink, Submission, max_length
from catalog.services import Refusal, journal, moderation
from catalog.services.journal import Outcome
from catalog.submissions import field_groups, letters, objections, owner_links
from catalog.submissions.field_groups import Values
from catalog.territory.snapshot import territory
from catalog.text import one_line
from fueldepot.data import history
from fueldepot.data.history import locking

MAX_REASON = max_length(Submission, "reason")

State = Submission.State
Kind = Submission.Kind

ONE_BY_ONE = (Kind.CLAIM, Kind.DELETE, Kind.RESTORE)
"""Kinds that are never accepted in bulk."""


class SubmissionAlreadyDecided(Refusal):
    """The submission is not waiting: another editor decided it, or it was superseded."""

    reason = "ktoś już o nim zdecydował"


class SubmissionIsErased(Exception):
    """The submission was erased with its depot, or undecided when its time was over. args: its number."""

    reason = "już go nie ma: usunięto je razem z wpisem albo nie rozpatrzono go w terminie"


class DepotOfSubmissionIsRemoved(Refusal):
    reason = "wpis jest usunięty; najpierw go przywróć albo odrzuć zgłoszenie"


class NoFieldsAccepted(Refusal):
    reason = "zaznacz co najmniej jedno pole albo odrzuć zgłoszenie"


class ReasonMissing(Refusal):
    reason = "podaj powód tego, czego nie przyjmujesz"


class ReasonWithoutOmission(Refusal):
    reason = "podano powód, ale wszystkie pola są zaznaczone: odznacz te, których nie przyjmujesz, albo usuń powód"


class LocationOutsidePoland(Refusal):
    reason = "położenie nie leży w żadnej gminie"


class DecidedOneByOne(Refusal):
    reason = "przejęcia, usunięcia i przywrócenia przyjmuje się pojedynczo, na stronie zgłoszenia"


@dataclass(frozen=True, slots=True)
class PartDecision:
    """What becomes of one submission.

    groups: names of the accepted field groups of a correction or new depot, None for all. values: clean values of the
    editor that replace proposed ones, by field; others are ignored.
    """

    submission: int
    accept: bool
    groups: Collection[str] | None = None
    values: Values = field(default_factory=dict)


@transaction.atomic
def decide(
    *,
    parts: Sequence[PartDecision],
    reason: str = "",
    explained: bool = False,
    verify: bool = False,
    keep_owners: bool = False,
    by: AbstractBaseUser,
    on: datetime,
) -> Outcome[Submission]:
    """Decide submissions, all or none: one, or those of a visit, whose author gets one letter.

    reason: why some were rejected, or field groups left out, for the author. explained: whether it is also the reason
    for something else, such as a refused price. verify: with a correction, also verify the whole depot, see
    `moderation.verify_depot`; otherwise only the accepted fields count as confirmed, and the data status stays.
    keep_owners: whether the links of other owners of a claimed entry go on working.

    Raises SubmissionIsErased, SubmissionAlreadyDecided, DepotOfSubmissionIsRemoved, NoFieldsAccepted, ReasonMissing,
    ReasonWithoutOmission, LocationOutsidePoland, ValueRefused, OwnerMayObject and OwnerObjected.
    """
    with journal.recording(Decision.Kind.SUBMISSION, by=by, on=on, reason=reason) as record:
        batch = DecisionBatch([part.submission for part in parts], record, by, on)
        if batch.erased:
            raise SubmissionIsErased(batch.erased[0])
        chosen = {part.submission: part for part in parts}
        omitting = {row.pk for row in batch.submissions if field_groups.omits(row, chosen[row.pk].groups)}
        explained |= bool(omitting) or not all(part.accept for part in parts)
        # A deletion last, since nothing can follow it.
        for row in sorted(batch.submissions, key=lambda row: row.kind == Kind.DELETE):
            part = chosen[row.pk]
            if part.accept:
                # A reason that nothing else needs is refused by a correction that omits nothing.
                own_reason = reason if row.pk in omitting or not explained else ""
                batch.accept(row, part, own_reason, verify=verify, keep_owners=keep_owners)
            else:
                batch.reject(row, reason)
        batch.save()
    return Outcome(batch.changed, decision=record.decision)


@transaction.atomic
def decide_possible(
    *, submissions: Collection[int], rejection: str | None = None, by: AbstractBaseUser, on: datetime
) -> Outcome[Submission]:
    """Accept several submissions completely, or reject them, where possible; those of `ONE_BY_ONE` are never accepted.

    rejection: its reason, None to accept. The number of statements is constant.
    """
    with journal.recording(Decision.Kind.SUBMISSION, by=by, on=on, reason=rejection or "") as record:
        batch = DecisionBatch(submissions, record, by, on)
        unchanged = [(Submission(pk=number), SubmissionIsErased.reason) for number in batch.erased]
        for submission in batch.submissions:
            try:
                if rejection is not None:
                    batch.reject(submission, rejection)
                elif submission.kind in ONE_BY_ONE:
                    raise DecidedOneByOne(submission.pk)
                else:
                    batch.accept(submission, PartDecision(submission.pk, True))
            except Refusal as refusal:
                unchanged.append((submission, refusal.reason))
        batch.save()
    return Outcome(batch.changed, unchanged, record.decision)


class DecisionBatch:
    """Submissions decided in one transaction, locked together with their depots.

    `save` writes the collected decisions in a constant number of statements. erased: numbers without a row, in
    ascending order.
    """

    def __init__(self, numbers: Collection[int], record: journal.Recording, by: AbstractBaseUser, on: datetime) -> None:
        self.record, self.by, self.on, self.day = record, by, on, timezone.localdate(on)
        chosen = Submission.objects.filter(pk__in=numbers)
        keys = set(chosen.exclude(depot=None).values_list("depot", flat=True))
        self.depots: dict[int, Depot] = locking(Depot.objects.filter(pk__in=keys)).in_bulk()
        self.submissions = list(locking(chosen))
        self.erased = sorted({*numbers} - {submission.pk for submission in self.submissions})
        # A depot may have been merged while this waited for its lock; its submissions then belong to the survivor.
        moved = {submission.depot_id for submission in self.submissions if submission.depot_id} - self.depots.keys()
        self.depots |= locking(Depot.objects.filter(pk__in=moved)).in_bulk()
        for submission in self.submissions:
            # Share one object per depot, so that several submissions about it accumulate.
            if submission.depot_id in self.depots:
                submission.depot = self.depots[submission.depot_id]
        self.changed: list[Submission] = []
        self.touched: dict[int, Depot] = {}
        self.removed: list[int] = []
        self.verified: list[int] = []

    def accept(
        self, row: Submission, part: PartDecision, reason: str = "", *, verify: bool = False, keep_owners: bool = False
    ) -> None:
        self._check_waiting(row)
        is_removed = row.depot is not None and row.depot.publication == Depot.Publication.REMOVED
        if is_removed and row.kind != Kind.RESTORE:
            raise DepotOfSubmissionIsRemoved(row.depot_id)
        match row.kind:
            case Kind.CORRECT:
                row.accepted_fields = self._correct(row, part, reason)
                if verify:
                    depot = self._change(row)
                    moderation.set_verified(depot, by=self.by, on=self.day)
                    self.verified.append(depot.pk)
            case Kind.CLAIM:
                self._claim(row, keep_owners=keep_owners)
            case Kind.DELETE:
                self._remove(row)
            case Kind.RESTORE:
                self._restore(row)
            case _:
                row.accepted_fields = self._add(row, part.values)
        self._decide(row, State.ACCEPTED)

    def reject(self, submission: Submission, reason: str) -> None:
        if not reason.strip():
            raise ReasonMissing
        self._check_waiting(submission)
        submission.reason = one_line(reason, MAX_REASON)
        self._decide(submission, State.REJECTED)

    def save(self) -> None:
        """Write the decisions; the letters are sent after the commit."""
        if not self.changed:
            return
        Submission.objects.bulk_update(
            self.changed,
            ["depot", "state", "decided_at", "decided_by", "reason", "accepted_fields", "notification_pending"],
            batch_size=500,
        )
        if self.touched:
            columns = (*Depot.PUBLIC_FIELDS, *moderation.STATUS_COLUMNS)
            Depot.objects.bulk_update(self.touched.values(), columns, batch_size=500)
            journal.vouch(self.touched.values())
            for kind in Kind:
                about = {row.depot_id for row in self.changed if (row.kind, row.state) == (kind, State.ACCEPTED)}
                keys = [key for key in self.touched if key in about]
                history.record_bulk(Depot, keys, by=self.by, reason=f"{history.SUBMITTED}: {kind.label}")
            history.record_bulk(Depot, self.verified, by=self.by, reason=moderation.VERIFYING)
            Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
        self.record.title = field_groups.describe_decided(self.changed)
        self.record.concern(Submission, [row.pk for row in self.changed])
        if self.removed:
            moderation.close_submissions(self.removed, self.record, self.on)
        self.record.concern(Depot, [row.depot_id for row in self.changed if row.depot_id])
        self.record.waiting_since += [row.confirmed_at for row in self.changed if row.confirmed_at]
        letters.send_soon()

    def _check_waiting(self, submission: Submission) -> None:
        if submission.state != State.WAITING:
            raise SubmissionAlreadyDecided(submission.pk)

    def _decide(self, submission: Submission, state: State) -> None:
        submission.state, submission.decided_at, submission.decided_by_id = state, self.on, self.by.pk
        submission.notification_pending = True
        self.changed.append(submission)

    def _correct(self, submission: Submission, part: PartDecision, reason: str) -> list[str]:
        offered = [group.name for group in field_groups.groups_in(submission.proposed)]
        taken = [name for name in offered if part.groups is None or name in part.groups]
        if not taken:
            raise NoFieldsAccepted(submission.pk)
        if len(taken) < len(offered):
            if not reason.strip():
                raise ReasonMissing(submission.pk)
            submission.reason = one_line(reason, MAX_REASON)
        elif reason.strip():
            raise ReasonWithoutOmission(submission.pk)
        depot = self._depot(submission)
        values = replaced(submission.proposed, part.values)
        if "lat" in taken:
            values["municipality"] = self._locate(submission, values)
        names = field_groups.apply(depot, values, taken)
        depot.confirm(names)
        self._change(submission)
        return names

    def _claim(self, submission: Submission, *, keep_owners: bool) -> None:
        objections.check_owner_heard(submission, by=self.by, on=self.on)
        depot = self._change(submission)
        # The new owner has not been told of other claims. Before links, as `letters` locks them.
        objections.announce_again(Submission.objects.waiting().filter(depot=depot).exclude(pk=submission.pk))
        standing = list(OwnerLink.objects.filter(depot=depot, revoked_at=None))
        own = next((link for link in standing if link.email_hash == submission.email_hash), None)
        if depot.data_status != Depot.DataStatus.OWNER:  # the status would let ended links work again
            owner_links.revoke_links([link for link in standing if link != own], on=self.on)
        depot.data_status, depot.verified_at, depot.verified_by_id = Depot.DataStatus.OWNER, self.day, self.by.pk
        depot.confirm(Depot.CHECKED)
        links = [] if keep_owners else owner_links.replace_owners(submission, on=self.on)
        is_owner = own is not None and own.replaced_at is None  # and stays one if this is undone
        if own is not None and own.replaced_at is not None:
            self.record.details.setdefault("replaced", {})[own.pk] = own.replaced_at.isoformat()
        link = owner_links.grant_link(depot=depot, email=submission.email, on=self.on)
        self.record.concern(OwnerLink, [row.pk for row in (links if is_owner else [*links, link])])

    def _remove(self, submission: Submission) -> None:
        objections.check_owner_heard(submission, by=self.by, on=self.on)
        depot = self._change(submission)
        moderation.set_removed(depot, Depot.RemovalReason.OWNER, on=self.day)
        self.removed.append(depot.pk)

    def _restore(self, submission: Submission) -> None:
        moderation.set_published(self._change(submission), on=self.day)

    def _add(self, submission: Submission, values: Values) -> list[str]:
        """Create the proposed depot. Unlike the rest, this costs statements per row."""
        accepted = replaced(submission.proposed, values)
        municipality = self._locate(submission, accepted)
        depot = Depot(source=Depot.Source.EDITOR, updated_at=self.day)
        names = field_groups.apply(depot, accepted)
        depot.municipality_id = municipality
        moderation.set_verified(depot, by=self.by, on=self.day)
        submission.depot = moderation.save(depot, by=self.by, reason=f"{history.SUBMITTED}: {Kind.ADD.label}")
        return names

    def _locate(self, submission: Submission, values: Values) -> str:
        """Return the code of the municipality of a position: that of the proposal may have left the register."""
        located = territory.get().boundaries.find(values["lat"], values["lon"])
        if located is None:
            raise LocationOutsidePoland(submission.pk)
        return located.teryt

    def _depot(self, submission: Submission) -> Depot:
        assert submission.depot is not None  # noqa: S101 - a constraint of the table
        return submission.depot

    def _change(self, submission: Submission) -> Depot:
        """Return the depot, to be saved with today as the day of its content."""
        depot = self._depot(submission)
        self.touched[depot.pk] = depot
        depot.updated_at = self.day
        return depot


def replaced(proposed: Values, values: Values) -> dict[str, Any]:
    return {name: values.get(name, value) for name, value in proposed.items()}
