"""Postcodes in the database: the address register goes before GeoNames, whatever the order of the imports."""

from collections import defaultdict

from catalog.bulk import insert, upsert
from catalog.importers.records import Extract, Note, PostcodeRecord
from catalog.importers.resolve import MunicipalityCodes
from catalog.importers.sync import Options, Report, check_removals, compare, report_of
from catalog.models import Postcode, PostcodeMunicipality

TITLE = "postcodes"


def stored_postcodes() -> dict[str, PostcodeRecord]:
    """Every postcode in the database by code."""
    shares: dict[str, list[tuple[str, int]]] = defaultdict(list)
    rows = PostcodeMunicipality.objects.order_by("-addresses", "municipality")
    for code, municipality, addresses in rows.values_list("postcode_id", "municipality_id", "addresses"):
        shares[code].append((municipality, addresses))
    return {
        code: PostcodeRecord(code, tuple(shares[code]), tuple(places), lat, lon, source)
        for code, places, lat, lon, source in Postcode.objects.values_list("code", "places", "lat", "lon", "source")
    }


def resolve(record: PostcodeRecord, codes: MunicipalityCodes) -> PostcodeRecord:
    """The record with municipalities of the register, most addresses first; unknown ones are left out."""
    counts: dict[str, int] = defaultdict(int)
    for code, addresses in record.municipalities:
        municipality = codes.find(code)
        if municipality:
            counts[municipality] += addresses
    shares = sorted(counts.items(), key=lambda share: (-share[1], share[0]))
    return PostcodeRecord(record.code, tuple(shares), record.places, record.lat, record.lon, record.source)


def sync_postcodes(extract: Extract[PostcodeRecord], options: Options) -> Report:
    """Bring the postcodes of the sources in a file to its state.

    A code that the address register has is not taken from GeoNames. Raises TooManyRemovals before anything is written.
    """
    codes = MunicipalityCodes()
    stored = stored_postcodes()
    rejected, skipped = list(extract.rejected), []
    incoming: dict[str, PostcodeRecord] = {}
    for row in options.progress(extract.rows, TITLE):
        record = resolve(row, codes)
        held = stored.get(record.code)
        if not record.municipalities:
            rejected.append(Note(record.code, "none of its municipalities is in the register"))
        elif record.source == Postcode.Source.GEONAMES and held and held.source != Postcode.Source.GEONAMES:
            skipped.append(Note(record.code, "kept as the address register has it"))
        else:
            incoming[record.code] = record
    sources = {record.source for record in incoming.values()}
    mine = {code: row for code, row in stored.items() if code in incoming or row.source in sources}
    diff = compare(mine, incoming)
    check_removals(TITLE, removed=len(diff.removed), stored=diff.stored, options=options)
    report = report_of(TITLE, diff)
    report.rejected, report.skipped = rejected, skipped
    if options.write:
        Postcode.objects.filter(pk__in=diff.removed).delete()
        write(list(diff.added.values()), [new for _, new in diff.changed.values()])
    return report


def write(added: list[PostcodeRecord], changed: list[PostcodeRecord]) -> None:
    """Write postcodes and their shares."""
    insert(
        Postcode,
        ("code", "places", "lat", "lon", "source"),
        ((row.code, list(row.places), row.lat, row.lon, row.source) for row in added),
    )
    upsert(
        [Postcode(code=r.code, places=list(r.places), lat=r.lat, lon=r.lon, source=r.source) for r in changed],
        ["places", "lat", "lon", "source"],
    )
    PostcodeMunicipality.objects.filter(postcode__in=[row.code for row in changed]).delete()
    insert(
        PostcodeMunicipality,
        ("postcode_id", "municipality_id", "addresses"),
        (
            (row.code, municipality, addresses)
            for row in [*added, *changed]
            for municipality, addresses in row.municipalities
        ),
    )
