"""Writing of localities and postcodes, and resolution of the codes of their municipalities.

Each source of localities updates its own rows. Of postcodes the better source wins, whatever the order of imports:
sources state their ranks.

Writing of boundaries, and reassignment of depots to the municipality of their position.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import astuple, replace

import shapely

from catalog.importers.records import (
    BoundaryRecord,
    Extract,
    Note,
    Options,
    PlaceRecord,
    PostcodeRecord,
    Report,
    compare,
)
from catalog.importers.runner import report_of
from catalog.importers.sources import all_sources
from catalog.models import (
    Boundary,
    Dataset,
    Depot,
    FormerMunicipality,
    Municipality,
    Place,
    Postcode,
    PostcodeMunicipality,
)
from catalog.territory import boundaries
from catalog.text import is_city_with_county_rights
from fueldepot.data import history
from fueldepot.data.history import insert, upsert

DISTRICT_KINDS = frozenset("89")
"""Seventh digits of districts of Warszawa (8) and delegations of Kraków, Łódź, Poznań and Wrocław (9)."""


def district_of(code: str) -> str:
    """Return a code of seven digits if it is that of a district or delegation, else ""."""
    return code if code[6:] in DISTRICT_KINDS else ""


class MunicipalityCodes:
    """Resolves codes of sources. Two queries to create, none to look up."""

    def __init__(self) -> None:
        self.codes = set(Municipality.objects.values_list("teryt", flat=True))
        self.by_number = {code[:6]: code for code in self.codes}
        former = FormerMunicipality.objects.order_by("left_on", "pk").values_list("teryt", "successor_id")
        self.successors = {key: successor for code, successor in former for key in (code[:6], code)}

    def find(self, code: str) -> str | None:
        """Return the municipality of a code of six or seven digits; None if unknown.

        Parts of a municipality (kinds 4 and 5), codes of an earlier kind and six-digit codes are found by number,
        districts by their city, former municipalities by their successor, by number the one that left last.
        """
        if code in self.codes:
            return code
        if code[:6] in self.by_number:
            return self.by_number[code[:6]]
        if district_of(code) or is_city_with_county_rights(code):
            return self.by_number.get(f"{code[:4]}01")
        return self.successors.get(code, self.successors.get(code[:6]))


PLACE_COLUMNS = ("id", "name", "kind", "municipality_id", "main", "lat", "lon", "district")
"""Columns of a place, in the order of the fields of its record."""


def sync_places(extract: Extract[PlaceRecord], options: Options) -> Report:
    """Update the places of one source from its file. Raises ImportRefused before anything is written."""
    codes = MunicipalityCodes()
    incoming: dict[str, PlaceRecord] = {}
    rejected = list(extract.rejected)
    for place in options.progress(extract.rows, "places"):
        municipality = codes.find(place.unit)
        if municipality is None:
            rejected.append(Note(f"{place.id} {place.name}", f"no municipality has the code {place.unit}"))
            continue
        incoming[place.id] = replace(place, unit=municipality, district=district_of(place.unit))
    sources = {key.split(":")[0] for key in incoming}
    stored = {
        row[0]: PlaceRecord(*row)
        for source in sources
        for row in Place.objects.filter(id__startswith=f"{source}:").values_list(*PLACE_COLUMNS)
    }
    diff = compare(stored, incoming, rejected)
    report = report_of("places", diff, options, rejected=rejected)
    if options.write:
        insert(Place, PLACE_COLUMNS, map(astuple, diff.added.values()))
        changed = [Place(**dict(zip(PLACE_COLUMNS, astuple(place), strict=True))) for _, place in diff.changed.values()]
        upsert(changed, PLACE_COLUMNS[1:])
        Place.objects.filter(pk__in=diff.removed).delete()
    return report


def stored_postcodes() -> dict[str, PostcodeRecord]:
    shares = PostcodeMunicipality.objects.order_by("-addresses", "municipality").by_postcode()
    return {
        code: PostcodeRecord(code, tuple(shares[code]), tuple(places), lat, lon, source)
        for code, places, lat, lon, source in Postcode.objects.values_list("code", "places", "lat", "lon", "source")
    }


def resolve(record: PostcodeRecord, codes: MunicipalityCodes) -> PostcodeRecord:
    """Return the record with present municipalities, most addresses first; unknown ones are omitted."""
    counts: Counter[str] = Counter()
    for code, addresses in record.municipalities:
        if municipality := codes.find(code):
            counts[municipality] += addresses
    return replace(record, municipalities=PostcodeRecord.most_first(counts))


def sync_postcodes(extract: Extract[PostcodeRecord], options: Options) -> Report:
    """Update postcodes, but those of a better source, and address points elsewhere. Raises ImportRefused."""
    codes = MunicipalityCodes()
    ranks = {kind: rank for source in all_sources().values() for kind, rank in source.ranks.items()}
    stored = stored_postcodes()
    rejected, skipped = list(extract.rejected), []
    incoming: dict[str, PostcodeRecord] = {}
    for row in options.progress(extract.rows, "postcodes"):
        record = resolve(row, codes)
        present = stored.get(record.code)
        if not record.municipalities:
            rejected.append(Note(record.code, "none of its municipalities is in the register"))
        elif present and ranks[present.source].number > ranks[record.source].number:
            skipped.append(Note(record.code, ranks[present.source].reason))
        else:
            incoming[record.code] = record
    sources = {record.source for record in incoming.values()}
    mine = {code: row for code, row in stored.items() if code in incoming or row.source in sources}
    if sources == {Postcode.Source.POINTS.value}:
        mine, incoming = within_covered(mine, incoming)
    diff = compare(mine, incoming, rejected)
    report = report_of("postcodes", diff, options, rejected=rejected, skipped=skipped)
    if options.write:
        Postcode.objects.filter(pk__in=diff.removed).delete()
        write_postcodes(list(diff.added.values()), [new for _, new in diff.changed.values()])
    return report


def within_covered(
    stored: Mapping[str, PostcodeRecord], incoming: Mapping[str, PostcodeRecord]
) -> tuple[dict[str, PostcodeRecord], dict[str, PostcodeRecord]]:
    """Return stored and incoming address points within the voivodeships that the source covers.

    A postcode that extends beyond them keeps its stored shares there, and the centre of the larger part.
    """
    covered = {code[:2] for record in incoming.values() for code, _ in record.municipalities}
    mine, merged = {}, dict(incoming)
    for code, present in stored.items():
        beyond = tuple(share for share in present.municipalities if share[0][:2] not in covered)
        if code not in incoming and len(beyond) == len(present.municipalities):
            continue
        mine[code] = present
        if not beyond:
            continue
        here = incoming.get(code)
        larger = present
        if here and sum(count for _, count in here.municipalities) >= sum(count for _, count in beyond):
            larger = here
        merged[code] = replace(
            larger,
            municipalities=PostcodeRecord.most_first(dict((*(here.municipalities if here else ()), *beyond))),
            places=tuple(dict.fromkeys((*larger.places, *(here.places if here else ()), *present.places))),
            source=Postcode.Source.POINTS.value,
        )
    return mine, merged


def write_postcodes(added: list[PostcodeRecord], changed: list[PostcodeRecord]) -> None:
    columns = ("code", "places", "lat", "lon", "source")
    new, renewed = (
        [(row.code, list(row.places), row.lat, row.lon, row.source) for row in rows] for rows in (added, changed)
    )
    insert(Postcode, columns, new)
    upsert([Postcode(**dict(zip(columns, row, strict=True))) for row in renewed], columns[1:])
    PostcodeMunicipality.objects.filter(postcode__in=[row.code for row in changed]).delete()
    shares = ((row.code, *share) for row in [*added, *changed] for share in row.municipalities)
    insert(PostcodeMunicipality, ("postcode_id", "municipality_id", "addresses"), shares)


def sync_boundaries(extract: Extract[BoundaryRecord], options: Options, *, approximate: bool = False) -> Report:
    """Update boundaries from a file; depots of unconfirmed municipality follow their position.

    Always writes, for the report names these depots; the runner rolls a dry run back.

    Official boundaries missing in a file that covers other voivodeships only stay. A file older than the register has
    areas of former municipalities: they go to the successors, as in `hand_over_boundaries`. Raises ImportRefused.
    """
    registered = set(Municipality.objects.values_list("teryt", flat=True))
    codes = current_codes(registered, {row.teryt for row in extract.rows})
    former = FormerMunicipality.objects.in_bulk({row.teryt for row in extract.rows} - codes.keys())
    rejected = list(extract.rejected)
    areas: dict[str, list[shapely.Geometry]] = defaultdict(list)
    merged: set[str] = set()
    for row in options.progress(extract.rows, "boundaries"):
        code, gone = codes.get(row.teryt), former.get(row.teryt)
        if gone and not (gone.whole and gone.successor_id in codes.values()):
            code = gone.successor_id
            merged |= set() if gone.whole else {code}
        if code:
            areas[code].append(row.area)
        else:
            rejected.append(Note(f"{row.teryt} {row.name}", "no municipality has this code"))
    incoming = {
        code: (shapely.to_wkb(shapely.union_all(parts) if len(parts) > 1 else parts[0]), approximate or code in merged)
        for code, parts in areas.items()
    }
    covered = {code[:2] for code in incoming}
    stored = Boundary.objects.values_list("municipality_id", "area", "approximate")
    mine = {code: (bytes(area), rough) for code, area, rough in stored if rough or code[:2] in covered}
    diff = compare(mine, incoming)
    kept = sum(was_approximate for _, was_approximate in diff.removed.values())
    report = report_of("boundaries", diff, options, kept=kept, rejected=rejected)
    lacking = (code for code in sorted(registered - set(incoming)) if code[:2] in covered)
    report.lines += [*extract.remarks, *(f"without a boundary: {code}" for code in lacking)]
    if report.changes:
        touched = [*diff.added, *diff.changed]
        upsert(
            [Boundary(pk=code, area=incoming[code][0], approximate=incoming[code][1]) for code in touched],
            ["area", "approximate"],
        )
        Boundary.objects.filter(pk__in=diff.removed).delete()
        report.lines += reassign_depots(options)
    return report


def current_codes(registered: Collection[str], stated: Collection[str]) -> dict[str, str]:
    """Map codes of a file to codes of the register, whose year and thus kinds may differ.

    Unknown codes are omitted, and those of another kind if the file has the right one too.
    """
    by_number = {code[:6]: code for code in registered if code not in stated}
    current = {code: code if code in registered else by_number.get(code[:6]) for code in stated}
    return {code: present for code, present in current.items() if present}


def reassign_depots(options: Options) -> Iterable[str]:
    index = boundaries.BoundaryIndex.load()
    moved: list[Depot] = []
    lines: list[str] = []
    for depot in Depot.objects.exclude(confirmed_fields__contains=["municipality"]).order_by("pk"):
        located = index.find(depot.lat, depot.lon)
        if located and located.teryt != depot.municipality_id:
            lines.append(f"depot {depot.pk} {depot.name}: {depot.municipality_id} → {located.teryt}")
            depot.municipality, depot.updated_at = located, options.today
            moved.append(depot)
    if moved:
        Depot.objects.bulk_update(moved, ["municipality", "updated_at"], batch_size=500)
        history.record_bulk(Depot, [depot.pk for depot in moved], by=None, reason=f"{history.IMPORTED}: granice gmin")
        # Medians of voivodeships depend on the municipality of depots.
        Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    return lines
