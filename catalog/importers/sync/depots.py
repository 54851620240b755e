"""Depots in the database. What a person set, checked or removed is never overwritten."""

import json
from dataclasses import dataclass, field, fields
from typing import Any

from catalog import actions, history
from catalog.actions.states import lock_depots
from catalog.boundaries import BoundaryIndex, Located
from catalog.importers.records import DepotRecord, Extract, Note
from catalog.importers.sync import Options, Report, check_removals
from catalog.models import Depot

TITLE = "depots"

PLAIN_FIELDS = tuple(f.name for f in fields(DepotRecord) if f.name not in {"source_id", "held", "notes", "kind_name"})
"""Fields of a record that are stored as they are."""


def plain_values(record: DepotRecord) -> dict[str, Any]:
    """What a record says, in the columns of a depot; the municipality is the caller's."""
    values = {name: getattr(record, name) for name in PLAIN_FIELDS}
    values["fuels"] = list(record.fuels)
    values["phone"] = record.phone or ""
    values["website"] = record.website or ""
    return values


def values_of(record: DepotRecord, municipality: Located) -> dict[str, Any]:
    """`plain_values` with the municipality, which also names a depot that has neither name nor place."""
    values = plain_values(record)
    values["municipality_id"] = municipality.teryt
    if record.kind_name and not record.place:
        values["name"] = f"{record.kind_name}, {municipality.name}"
    return values


@dataclass(slots=True)
class Plan:
    """What an import of depots will write."""

    origin: Depot.Source
    added: list[Depot] = field(default_factory=list)
    changed: list[Depot] = field(default_factory=list)
    gone: list[Depot] = field(default_factory=list)


def sync_depots(extract: Extract[DepotRecord], options: Options, *, origin: Depot.Source) -> Report:
    """Bring the depots of one origin to the state of an extract; those of others stay as they are.

    New ones are added, changed ones updated field by field, missing ones marked as removed; demonstration depots give
    way to real ones. Raises TooManyRemovals before anything is written.
    """
    index = BoundaryIndex.load()
    if options.write:
        # What an editor saves meanwhile waits for this import, instead of being overwritten with what was read here.
        lock_depots(Depot.objects.exclude(source=Depot.Source.EDITOR))
    stored = {depot.source_id: depot for depot in Depot.objects.filter(source=origin)}
    active = sum(depot.publication != Depot.Publication.REMOVED for depot in stored.values())
    report = Report(TITLE, rejected=list(extract.rejected))
    plan = Plan(origin)
    # A row that cannot be used is still there: its depot stays as it is.
    seen = {note.key for note in extract.rejected}
    # So is a depot that absorbed another one, as long as the source has either of the two.
    absorbed = dict(
        Depot.objects.filter(source=origin, merged_into__source=origin).values_list(
            "source_id", "merged_into__source_id"
        )
    )
    for record in options.progress(extract.rows, TITLE):
        seen.add(record.source_id)
        report.notes.extend(record.notes)
        municipality = index.find(record.lat, record.lon)
        if municipality is None:
            report.rejected.append(Note(record.source_id, "lies in no municipality"))
            continue
        values = values_of(record, municipality)
        depot = stored.get(record.source_id)
        if depot is None:
            plan.added.append(new_depot(record, values, options, origin))
        else:
            update(depot, record, values, plan, report, options)
    find_gone(stored, seen | {absorbed[key] for key in seen & absorbed.keys()}, plan, report, options)

    check_removals(TITLE, removed=len(plan.gone), stored=active, options=options)
    report.added, report.changed, report.removed = len(plan.added), len(plan.changed), len(plan.gone)
    report.unchanged = active - len(plan.changed) - len(plan.gone)
    demonstration = Depot.objects.demonstration()
    if plan.added and demonstration.exists():
        report.lines.append(f"{demonstration.count()} demonstration depots give way")
        if options.write:
            actions.erase_demonstration()
    if options.write:
        write(plan)
    return report


def new_depot(record: DepotRecord, values: dict[str, Any], options: Options, origin: Depot.Source) -> Depot:
    """A depot that the catalog did not have."""
    publication = Depot.Publication.HELD if record.held else Depot.Publication.PUBLISHED
    return Depot(
        **values,
        source=origin,
        source_id=record.source_id,
        publication=publication,
        updated_at=options.today,
    )


def update(
    depot: Depot, record: DepotRecord, values: dict[str, Any], plan: Plan, report: Report, options: Options
) -> None:
    """Take what the source says now, except what a person decided, and put the depot on the plan if it differs."""
    removed = depot.publication == Depot.Publication.REMOVED
    if removed and depot.removal_reason != Depot.RemovalReason.GONE_FROM_SOURCE:
        report.skipped.append(
            Note(record.source_id, f"stays removed: {Depot.RemovalReason(depot.removal_reason).label}")
        )
        return
    touched = []
    kept = Depot.stated(depot.confirmed_fields)
    for column, value in values.items():
        name = column.removesuffix("_id")
        stored = getattr(depot, column)
        if stored == value:
            continue
        if name in kept:
            reason = f"{name} kept, a person set or checked it: '{shown(stored)}'; the source says '{shown(value)}'"
            report.skipped.append(Note(record.source_id, reason))
            continue
        setattr(depot, column, value)
        touched.append(name)
    # Whether a held depot with a name from a person may be published, only a person decides.
    decided = "name" in depot.confirmed_fields
    publication = Depot.Publication.HELD if record.held and not decided else Depot.Publication.PUBLISHED
    if depot.publication != publication and not (decided and depot.publication == Depot.Publication.HELD):
        depot.publication, depot.removed_at, depot.removal_reason = publication, None, ""
        touched.append("publication")
    if touched:
        if set(touched) - {"review"}:
            depot.updated_at = options.today
        plan.changed.append(depot)
        report.lines.append(f"changed: {record.source_id} {depot.name}: {', '.join(touched)}")


def shown(value: Any) -> str:
    """A value as a report quotes it: on one line, lists and weeks as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def find_gone(stored: dict[str, Depot], seen: set[str], plan: Plan, report: Report, options: Options) -> None:
    """Mark as removed what the source no longer has, unless a person has vouched for it."""
    for source_id, depot in stored.items():
        if source_id in seen or depot.publication == Depot.Publication.REMOVED:
            continue
        if depot.data_status != Depot.DataStatus.UNVERIFIED or depot.confirmed_fields:
            report.skipped.append(Note(source_id, "kept although gone from the source: a person confirmed it"))
            continue
        depot.publication = Depot.Publication.REMOVED
        depot.removed_at = depot.updated_at = options.today
        depot.removal_reason = Depot.RemovalReason.GONE_FROM_SOURCE
        plan.gone.append(depot)
        report.lines.append(f"gone: {source_id} {depot.name}")


def write(plan: Plan) -> None:
    """Write a plan, and a line of history for every depot of it."""
    added = Depot.objects.bulk_create(plan.added, batch_size=1000)
    columns = [*PLAIN_FIELDS, "municipality", "publication", "removed_at", "removal_reason", "updated_at"]
    Depot.objects.bulk_update([*plan.changed, *plan.gone], columns, batch_size=500)
    source = plan.origin.label
    for depots, reason, kind in (
        (added, f"{history.IMPORTED}: {source}", history.ADDED),
        (plan.changed, f"{history.IMPORTED}: {source}", history.CHANGED),
        (plan.gone, f"{history.IMPORTED}: {Depot.RemovalReason.GONE_FROM_SOURCE.label}", history.CHANGED),
    ):
        history.record(Depot, [depot.pk for depot in depots], by=None, reason=reason, kind=kind)
