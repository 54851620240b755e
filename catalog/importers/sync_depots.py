"""Writing of depots. What a person set, verified or removed is never overwritten."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import override

from catalog.depots import fuels
from catalog.depots.duplicates import NEAR_M
from catalog.importers.records import DepotRecord, Extract, Note, Options, Report, cut
from catalog.importers.runner import check_removals
from catalog.importers.successions import REVIEW
from catalog.models import Depot, Municipality, max_length
from catalog.parsing.fuels_in_names import fuels_in_name
from catalog.services import publishing
from catalog.services.moderation import REDRAWN, RESTORED_WITH_REASON, set_removed
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.coordinates import distance_m
from fueldepot.data import history
from fueldepot.data.history import lock_rows

TITLE = "depots"

NOT_STORED = {"source_id", "held", "notes", "kind_name", "denied_fuels"}
PLAIN_FIELDS = tuple(f.name for f in fields(DepotRecord) if f.name not in NOT_STORED)


def plain_values(record: DepotRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in PLAIN_FIELDS} | {"fuels": list(record.fuels)}


def values_of(record: DepotRecord, municipality: Municipality) -> dict[str, Any]:
    """Return `plain_values` with the municipality, which completes the name of a depot without name and place."""
    values = plain_values(record) | fuel_values(record, "" if record.kind_name else record.name)
    values["municipality_id"] = municipality.teryt
    values["publication"] = Depot.Publication.HELD if record.held else Depot.Publication.PUBLISHED
    if record.kind_name and not record.place:
        values["name"] = f"{record.kind_name}, {municipality.name}"
    return values


def fuel_values(record: DepotRecord, name: str) -> dict[str, Any]:
    added = frozenset(fuels_in_name(name, record.place)) - {*record.fuels, *record.denied_fuels}
    return {"fuels": list(fuels.in_order(added | {*record.fuels})), "fuels_in_name": list(fuels.in_order(added))}


def fit(values: dict[str, Any], key: str) -> Iterator[Note]:
    """Empty the values that validators of the model refuse, and shorten a long name. Yields what was refused, and why.

    A part of an address or of a week would be wrong; a depot without a name would be lost.
    """
    for name in (name for name in PLAIN_FIELDS if isinstance(values.get(name), str)):
        try:
            Depot.validate_value(name, values[name])
        except ValidationError as error:
            with override("en"):
                reason = " ".join(error.messages)
            if name == "name":
                values[name] = cut(values[name], max_length(Depot, name))
                yield Note(key, f"name cut: {reason}")
                continue
            values[name] = None if name == "nip" else ""
            if name == "opening_hours":
                values["hours"] = None
            yield Note(key, f"{name} left out: {reason}")


def sync_depots(extract: Extract[DepotRecord], options: Options, *, origin: Depot.Source) -> Report:
    """Update the depots of one origin; those of other origins stay, but demonstration depots are deleted.

    Missing depots are marked as removed. Raises ImportRefused before anything is written.
    """
    index = BoundaryIndex.load()
    if options.write:
        # Edits wait for this lock, instead of being overwritten with values read here.
        lock_rows(Depot.objects.exclude(source=Depot.Source.EDITOR))
    stored = {depot.source_id: depot for depot in Depot.objects.filter(source=origin)}
    real = Depot.objects.exclude(source=Depot.Source.DEMO)
    withdrawn = real.filter(removal_reason__in=RESTORED_WITH_REASON).order_by("pk")
    active = count_active(stored)
    report = Report(TITLE, rejected=list(extract.rejected))
    added: list[Depot] = []
    changed: list[Depot] = []
    # Rejected rows still exist: their depot stays.
    seen = {note.key for note in extract.rejected}
    # So does a depot that absorbed another one, while the source has either.
    merged = Depot.objects.filter(source=origin, merged_into__source=origin)
    absorbed = dict(merged.values_list("source_id", "merged_into__source_id"))
    for record in options.progress(extract.rows, TITLE):
        seen.add(record.source_id)
        report.notes.extend(record.notes)
        municipality = index.find(record.lat, record.lon)
        if municipality is None:
            report.rejected.append(Note(record.source_id, "lies in no municipality"))
            continue
        depot = stored.get(record.source_id)
        if depot is not None and depot.publication == Depot.Publication.HELD and depot.review.startswith(REDRAWN):
            record = replace(record, held=True, review=depot.review)  # until an editor decides, wherever it moves
        elif depot is None or depot.publication != Depot.Publication.PUBLISHED:
            record = held_if_withdrawn(record, withdrawn)
        values = values_of(record, municipality)
        report.notes.extend(fit(values, record.source_id))
        if depot is None:
            added.append(Depot(**values, source=origin, source_id=record.source_id, updated_at=options.today))
        elif update(depot, record, values, report, options):
            changed.append(depot)
    gone = mark_gone(stored, seen | {absorbed[key] for key in seen & absorbed.keys()}, report, options)

    check_removals(TITLE, removed=len(gone), stored=active, options=options)
    report.added, report.changed, report.removed = len(added), len(changed), len(gone)
    # Those that are back in the source are changed, too.
    report.unchanged = count_active(stored) - len(changed)
    demonstration = Depot.objects.demonstration()
    if added and demonstration.exists():
        report.lines.append(f"{demonstration.count()} demonstration depots give way")
        if options.write:
            publishing.erase_demonstration()
    if options.write:
        write_depots(origin, added, changed, gone)
    return report


def held_if_withdrawn(record: DepotRecord, withdrawn: Iterable[Depot]) -> DepotRecord:
    """Hold a record that stands where a removed depot stood or has its tax number: a redrawn object has a new id."""
    for depot in withdrawn:
        near = distance_m(record.lat, record.lon, depot.lat, depot.lon) <= NEAR_M
        if near or (record.nip and record.nip == depot.nip):
            review = f"{REDRAWN} {depot.pk} ({depot.get_removal_reason_display()})"
            return replace(record, held=True, review=review)
    return record


def count_active(depots: Mapping[str, Depot]) -> int:
    return sum(depot.publication != Depot.Publication.REMOVED for depot in depots.values())


def update(depot: Depot, record: DepotRecord, values: dict[str, Any], report: Report, options: Options) -> bool:
    """Apply the values of a source, except to fields confirmed by a person. Returns whether the depot changed."""
    publications = Depot.Publication
    if depot.publication == publications.REMOVED and depot.removal_reason != Depot.RemovalReason.GONE_FROM_SOURCE:
        report.skipped.append(Note(record.source_id, f"stays removed: {depot.get_removal_reason_display()}"))
        return False
    kept = Depot.stated(depot.confirmed_fields)
    if "name" in kept:
        values |= fuel_values(record, depot.name)
        # Only a person decides whether to publish a depot held for a personal name.
        is_held = depot.publication == publications.HELD
        values["publication"] = publications.HELD if is_held else publications.PUBLISHED
    # Remarks of a source are about the name: one that a person has dealt with stays away. A merger's waits for one.
    if depot.review == REVIEW or ("name" in kept and not depot.review):
        values["review"] = depot.review
    # A person may have removed a fuel after its price added it.
    if priced := {*depot.fuels_priced} & {*depot.fuels}:
        values["fuels"] = list(fuels.in_order({*values["fuels"], *priced}))
        values["fuels_in_name"] = [name for name in values["fuels_in_name"] if name not in priced]
    if "fuels" in kept:
        del values["fuels_in_name"]
    touched = []
    for column, value in values.items():
        name, stored = column.removesuffix("_id"), getattr(depot, column)
        if stored == value:
            continue
        if name in kept:
            reason = f"{name} kept, a person set or checked it: '{as_text(stored)}'; the source says '{as_text(value)}'"
            report.skipped.append(Note(record.source_id, reason))
        else:
            setattr(depot, column, value)
            touched.append(name)
    depot.removed_at, depot.removal_reason = None, ""
    if touched:
        if set(touched) - {"review"}:
            depot.updated_at = options.today
        report.lines.append(f"changed: {record.source_id} {depot.name}: {', '.join(touched)}")
    return bool(touched)


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def mark_gone(stored: dict[str, Depot], seen: set[str], report: Report, options: Options) -> list[Depot]:
    """Mark depots missing in the source as removed, unless a person verified them. Returns the marked ones."""
    gone = []
    for source_id, depot in stored.items():
        if source_id in seen or depot.publication == Depot.Publication.REMOVED:
            continue
        if depot.data_status != Depot.DataStatus.UNVERIFIED or depot.confirmed_fields:
            report.skipped.append(Note(source_id, "kept although gone from the source: a person confirmed it"))
            continue
        set_removed(depot, Depot.RemovalReason.GONE_FROM_SOURCE, on=options.today)
        gone.append(depot)
        report.lines.append(f"gone: {source_id} {depot.name}")
    return gone


def write_depots(
    origin: Depot.Source, added: Sequence[Depot], changed: Sequence[Depot] = (), gone: Sequence[Depot] = ()
) -> None:
    """Write depots of an origin, with a history row for each."""
    added = Depot.objects.bulk_create(added, batch_size=1000)
    columns = ["fuels_in_name", "municipality", "publication", "removed_at", "removal_reason", "updated_at"]
    Depot.objects.bulk_update([*changed, *gone], [*PLAIN_FIELDS, *columns], batch_size=500)
    for depots, reason, kind in (
        (added, f"{history.IMPORTED}: {origin.label}", history.CREATED),
        (changed, f"{history.IMPORTED}: {origin.label}", history.CHANGED),
        (gone, f"{history.IMPORTED}: {Depot.RemovalReason.GONE_FROM_SOURCE.label}", history.CHANGED),
    ):
        history.record_bulk(Depot, [depot.pk for depot in depots], by=None, reason=reason, kind=kind)
