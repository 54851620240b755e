"""The journal of decisions: services record what they change in it, and a decision is undone from it.

A service that changes what is published does so within `recording`. Every history row written meanwhile becomes a line
of the decision; rows without a history are named by `Recording.concern`. A service called by another one joins its
decision.

`undo` hands the lines of each model to its handler in `UNDO_HANDLERS`: depots first, then what other apps have
registered, then submissions and owners' links. What somebody has changed or checked since stays, and is named; a
decision of which nothing can be restored is not undone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import CharField, Max, Model, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone
from simple_history.utils import get_history_model_for_model

from catalog.models import Decision, DecisionLine, Depot, max_length
from catalog.services import Refusal
from catalog.submissions import limits
from fueldepot.data import history
from fueldepot.data.history import Span, among

Row = TypeVar("Row", bound=Model)

UNDONE = "cofnięto decyzję"
"""Prefix of the reason in history rows that undo a decision."""


class DecisionAlreadyUndone(Refusal):
    title = "Nie ma czego cofać"
    reason = "tę decyzję cofnięto już wcześniej"


class NothingToRestore(Refusal):
    """Every row of the decision was changed by somebody since, or is gone. left: those that are there."""

    reason = "nie ma czego przywrócić, bo od tej decyzji zmieniono, sprawdzono albo usunięto wszystko, czego dotyczyła"

    def __init__(self, left: Sequence[Model]) -> None:
        super().__init__(reason=f"{self.reason}: {join_names(map(str, left))}" if left else self.reason)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Row]):
    """What came of a decision about one row or many.

    unchanged: rows that stay as they are, with the reason in Polish. decision: None if nothing was changed.
    """

    changed: Sequence[Row]
    unchanged: Sequence[tuple[Row, str]] = ()
    decision: Decision | None = None


@dataclass(slots=True)
class Recording:
    """What is known of a decision that is being carried out. title: in Polish, the first that a service gives counts.

    decision: with its number once it is recorded, None if nothing was changed or within another decision.
    """

    title: str = ""
    reason: str = ""
    rows: list[tuple[type[Model], Any]] = field(default_factory=list)
    waiting_since: list[datetime] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)
    vouches: defaultdict[tuple[type[Model], Any], set[str]] = field(default_factory=lambda: defaultdict(set))
    spans: history.Spans = field(default_factory=dict)
    decision: Decision | None = None

    def concern(self, model: type[Model], keys: Iterable[Any]) -> None:
        """Name rows that have no history, or that the decision only concerns."""
        self.rows += [(model, key) for key in keys]


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)


def vouch(depots: Iterable[Depot]) -> None:
    """Note what `Depot.confirm` has collected, for the lines of the decision that is being recorded, if any."""
    if (record := _current.get()) is not None:
        for depot in depots:
            record.vouches[Depot, depot.pk] |= depot.vouches


@contextmanager
def recording(
    kind: Decision.Kind, *, by: AbstractBaseUser | None, on: datetime | None = None, title: str = "", reason: str = ""
) -> Iterator[Recording]:
    """Record what is changed within as one decision, in one transaction; within another decision join that one.

    by: None for an owner or a command. on: the moment, the present one by default. Nothing is recorded if neither a
    history row was written nor a row named. One statement at the end, and another for every 5000 rows.
    """
    outer = _current.get()
    if outer is not None:
        yield Recording(rows=outer.rows, waiting_since=outer.waiting_since, details=outer.details)
        return
    record = Recording(title, reason)
    token = _current.set(record)
    try:
        with transaction.atomic(savepoint=False), history.collected() as spans:
            record.spans = spans
            yield record
            if spans or record.rows:
                record.decision = _store(record, kind, spans, by, on or timezone.now())
    finally:
        _current.reset(token)


def _store(
    record: Recording, kind: Decision.Kind, spans: history.Spans, by: AbstractBaseUser | None, on: datetime
) -> Decision:
    decision = Decision.objects.create(
        kind=kind,
        title=record.title[: max_length(Decision, "title")],
        reason=record.reason[: max_length(Decision, "reason")],
        decided_at=on,
        decided_by_id=None if by is None else by.pk,
        waiting_since=min(record.waiting_since, default=None),
        details=record.details,
    )
    lines = []
    for (model, key), (first, last) in (dict.fromkeys(record.rows, (None, None)) | spans).items():
        about = {"model": model._meta.label_lower, "key": str(key), "vouches": sorted(record.vouches[model, key])}
        lines.append(DecisionLine(decision=decision, first=first, last=last, **about))
    DecisionLine.objects.bulk_create(lines, batch_size=5000)  # of six parameters; a statement has at most 65,535
    return decision


def titled(label: str, names: Iterable[str]) -> str:
    """Return a title: what was done, to what; of several rows the first one and the number of others.

    label: "usunięto: powtórzony wpis" gives "Usunięto: Skład Nowak i jeszcze 3 – powtórzony wpis".
    """
    done, _, detail = label.partition(": ")
    return f"{done[:1].upper()}{done[1:]}: {join_names(names)}" + (f" – {detail}" if detail else "")


def join_names(names: Iterable[str]) -> str:
    """Return the first name and the number of others."""
    first, *others = names
    return f"{first} i jeszcze {len(others)}" if others else first


Lines = Sequence[Any]
"""Rows of the history of a depot, oldest first. `vouches`: of the line that a decision has from this row on."""


def read_lines(depots: Collection[int]) -> Mapping[int, Lines]:
    """Return the history of the values of depots. One query, none without depots."""
    columns = ("id", *Depot.CHECKED, *Depot.FUEL_FIELDS, "confirmed_fields", "history_date")
    of_depot = DecisionLine.objects.filter(model=Depot._meta.label_lower, key=Cast(OuterRef("id"), CharField()))
    vouches = Subquery(of_depot.filter(first=OuterRef("history_id")).values("vouches")[:1])
    nothing = Value([], DecisionLine._meta.get_field("vouches"))
    rows = Depot.history.filter(id__in=among(depots)).annotate(vouches=Coalesce(vouches, nothing))
    lines, record = defaultdict(list), _current.get() or Recording()
    for row in rows.order_by("history_id").only(*columns) if depots else ():
        span = record.spans.get((Depot, row.id))
        if span and span.first == row.history_id:  # of the decision being recorded, which has no lines yet
            row.vouches = record.vouches[Depot, row.id]
        lines[row.id].append(row)
    return lines


@dataclass
class Undoing:
    """A decision that is being undone, and what came of it.

    decision: locked. note: the reason, "" for none. changed: number of rows by model. left: rows that were
    changed again since and stay as they are. reopened: number of submissions that wait again. letters: author of each
    letter about it. record: the decision that undoes it, once it is recorded.
    """

    decision: Decision
    by: AbstractBaseUser | None
    on: datetime
    note: str = ""
    changed: Counter[type[Model]] = field(default_factory=Counter)
    left: list[Model] = field(default_factory=list)
    reopened: int = 0
    letters: set[str] = field(default_factory=set)
    record: Decision | None = None

    @property
    def reason(self) -> str:
        return f"{UNDONE}: {self.decision.title}"

    @property
    def restored(self) -> int:
        return self.changed.total()

    @cached_property
    def lines(self) -> list[DecisionLine]:
        return list(self.decision.lines.order_by("pk"))

    @cached_property
    def histories_since(self) -> Mapping[int, tuple[Lines, Lines, Lines]]:
        """What `read_histories` returns of the depots with newer rows before any is restored. Two queries."""
        spans = self.spans(Depot)
        newest = Depot.history.filter(id__in=among(spans)).values_list("id").annotate(Max("history_id"))
        return self.read_histories([key for key, last in newest if last > spans[key].last])

    def read_histories(self, depots: Collection[int]) -> Mapping[int, tuple[Lines, Lines, Lines]]:
        """Return the histories of depots: rows older than the decision, its own, and newer ones. One query."""
        parted, spans = {}, self.spans(Depot)
        for key, lines in read_lines(depots).items():
            before = [line for line in lines if line.history_id < spans[key].first]
            since = [line for line in lines if line.history_id > spans[key].last]
            parted[key] = before, lines[len(before) : len(lines) - len(since)], since
        return parted

    def keys(self, model: type[Model]) -> list[Any]:
        """Return the primary keys of the decision's rows of a model."""
        return [model._meta.pk.to_python(line.key) for line in self.lines if line.model == model._meta.label_lower]

    def spans(self, model: type[Model]) -> dict[Any, Span]:
        """Return what the decision wrote into the history of a model, by primary key."""
        lines = [line for line in self.lines if line.model == model._meta.label_lower]
        to_key = model._meta.pk.to_python
        return {to_key(line.key): Span(line.first, line.last) for line in lines if line.first and line.last}

    def added(self, model: type[Model]) -> QuerySet[Any, Any]:
        """Return the primary keys of the rows that the decision added."""
        historical = get_history_model_for_model(model)._default_manager
        firsts = among([span.first for span in self.spans(model).values()])
        rows: QuerySet[Any] = historical.filter(history_id__in=firsts, history_type=history.CREATED)
        return rows.values_list(model._meta.pk.name, flat=True)


UNDO_HANDLERS: dict[str, Callable[[Undoing], None]] = {}
"""What undoes the lines of each model ("catalog.depot"); apps register theirs in `AppConfig.ready`."""

STAYING: dict[str, Callable[[Undoing], Iterable[Model]]] = {}
"""What stays of the rows of each model, beside those changed since: functions that the handlers call, too."""

UNCOMPARED = ("updated_at", "depot_id")
"""Columns that code sets by itself, as when a price follows its merged depot: a difference in them is no change."""

UNDONE_LAST = ("catalog.submission", "catalog.ownerlink")
"""Locked after depots and prices, everywhere."""

UNDO_KINDS: dict[Decision.Kind, Callable[[Undoing], None]] = {}
"""What undoes a whole decision of a kind, instead of the handlers of its models."""


@transaction.atomic
def undo(*, decision: Decision, by: AbstractBaseUser | None, on: datetime, note: str = "") -> Undoing:
    """Undo a decision; that is a decision too. The number of statements does not depend on that of rows.

    by: None for an owner, who undoes changes by the owner's link. note: the reason, for the journal.

    Authors who were told of the decision are told that it was undone. Raises DecisionAlreadyUndone, NothingToRestore,
    Refusal for what undid another decision, and what the handlers raise.
    """
    limits.wait_for_turn(limits.MERGING)
    stored = Decision.objects.select_for_update(of=("self",)).get(pk=decision.pk)
    if stored.undone_at is not None:
        raise DecisionAlreadyUndone(stored.pk)
    if stored.kind == Decision.Kind.UNDO:
        raise Refusal(reason="cofnięcia nie można cofnąć; podejmij decyzję jeszcze raz")
    undoing = Undoing(stored, by, on, note.strip())
    title = f"Cofnięto decyzję nr {stored.pk}: {stored.title}"
    with recording(Decision.Kind.UNDO, by=by, on=on, title=title, reason=undoing.note) as record:
        record.concern(Decision, [stored.pk])
        if stored.kind in UNDO_KINDS:
            UNDO_KINDS[Decision.Kind(stored.kind)](undoing)
        else:
            models = {line.model for line in undoing.lines}
            for model in sorted(UNDO_HANDLERS, key=UNDONE_LAST.__contains__):
                if model in models:
                    UNDO_HANDLERS[model](undoing)
    if not undoing.restored and not undoing.reopened:
        raise NothingToRestore(undoing.left)
    stored.undone_at, stored.undone_by_id, stored.undoing = on, None if by is None else by.pk, record.decision
    undoing.record = record.decision
    stored.save(update_fields=["undone_at", "undone_by", "undoing"])
    return undoing


def following(decision: Decision) -> tuple[str, ...]:
    """Return the columns of depots that never prevent restoring others, see `history.restore`.

    Of depots that were merged or that owners changed also fuels. They follow the prices: an owner's link changes them
    by prices alone.
    """
    columns = ("updated_at", "confirmed_fields")
    if decision.kind not in {Decision.Kind.MERGE, Decision.Kind.OWNER}:
        return columns
    return (*columns, "merged_into_id", *Depot.FUEL_FIELDS)


def find_changed_since(decision: Decision) -> list[Model]:
    """Return the rows of a decision that undoing it would leave, because somebody has changed them since.

    Three queries for each model with a history, and those of `STAYING`.
    """
    undoing = Undoing(decision, None, decision.decided_at)
    labels = [*dict.fromkeys(line.model for line in undoing.lines)]
    if decision.kind in UNDO_KINDS:
        # Offers follow the prices, whatever was changed there since; so do prices their merged depot.
        of_prices = decision.kind in {Decision.Kind.PRICES, Decision.Kind.PRICE_LIST}
        labels = [label for label in labels if (label == Depot._meta.label_lower) != of_prices]
    for label in sorted(labels, key=UNDONE_LAST.__contains__):
        model = apps.get_model(label)
        if spans := undoing.spans(model):
            columns = following(decision) if model is Depot else ()
            restorable = history.find_restorable(model, list(spans.values()), following=columns)
            untouched = history.find_untouched(model, list(spans.values()), ignored=UNCOMPARED)
            changed = spans.keys() - {*restorable, *untouched}
            undoing.left += model._default_manager.in_bulk(changed).values()
        if label in STAYING:
            undoing.left += STAYING[label](undoing)
    return list(dict.fromkeys(undoing.left))


def restore_rows(model: type[Model], undoing: Undoing) -> None:
    """Bring rows back one by one, newest first: changed, deleted and added ones. For a handful that no others refer to.

    A row that was changed since stays, as does one whose former values no line of its history has.
    """
    historical = get_history_model_for_model(model)
    name = model._meta.pk.name
    spans = undoing.spans(model)
    rows = history.locking(model._default_manager.filter(pk__in=list(spans))).in_bulk()
    added, untouched = set(undoing.added(model)), set(history.find_untouched(model, list(spans.values())))
    for key, span in sorted(spans.items(), key=lambda item: -item[1].last):
        lines = historical._default_manager.filter(**{name: key})
        before = lines.filter(history_id__lt=span.first).order_by("-history_id").first()
        row = rows.get(key)
        is_deleted = row is None and history.latest_id(historical, key) == span.last
        is_known = before is not None or (row is not None and key in added)
        if not (is_known and (key in untouched or is_deleted)):
            undoing.left.append(row or lines.latest("history_id").instance)
            continue
        changing: Any = row if before is None else before.instance
        changing._history_user, changing._change_reason = undoing.by, undoing.reason[:100]
        if before is None:
            changing.delete()
        else:
            changing.save()
        undoing.changed[model] += 1
