"""Writing of postcodes: the better source wins, whatever the order of imports. Sources state their ranks."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from catalog.importers.records import Extract, Note, PostcodeRecord
from catalog.importers.source import all_sources
from catalog.importers.sync import Options, Report, check_removals, compare, report_of
from catalog.importers.sync.resolve import MunicipalityCodes
from catalog.models import Postcode, PostcodeMunicipality
from fueldepot.data.bulk import insert, upsert

TITLE = "postcodes"


def stored_postcodes() -> dict[str, PostcodeRecord]:
    """Return every stored postcode by code."""
    shares = PostcodeMunicipality.objects.order_by("-addresses", "municipality").by_postcode()
    return {
        code: PostcodeRecord(code, tuple(shares[code]), tuple(places), lat, lon, source)
        for code, places, lat, lon, source in Postcode.objects.values_list("code", "places", "lat", "lon", "source")
    }


def resolve(record: PostcodeRecord, codes: MunicipalityCodes) -> PostcodeRecord:
    """Return the record with present municipalities, most addresses first; unknown ones are omitted."""
    counts: dict[str, int] = defaultdict(int)
    for code, addresses in record.municipalities:
        municipality = codes.find(code)
        if municipality:
            counts[municipality] += addresses
    shares = sorted(counts.items(), key=lambda share: (-share[1], share[0]))
    return replace(record, municipalities=tuple(shares))


def sync_postcodes(extract: Extract[PostcodeRecord], options: Options) -> Report:
    """Update the postcodes of the sources in a file.

    Codes of a better source are skipped. Address points may cover some voivodeships only; stored data of the others
    stay. Raises TooManyRemovals before anything is written.
    """
    codes = MunicipalityCodes()
    ranks = {kind: rank for source in all_sources().values() for kind, rank in source.ranks.items()}
    stored = stored_postcodes()
    rejected, skipped = list(extract.rejected), []
    incoming: dict[str, PostcodeRecord] = {}
    for row in options.progress(extract.rows, TITLE):
        record = resolve(row, codes)
        known = stored.get(record.code)
        if not record.municipalities:
            rejected.append(Note(record.code, "none of its municipalities is in the register"))
        elif known and ranks[known.source].number > ranks[record.source].number:
            skipped.append(Note(record.code, ranks[known.source].reason))
        else:
            incoming[record.code] = record
    sources = {record.source for record in incoming.values()}
    mine = {code: row for code, row in stored.items() if code in incoming or row.source in sources}
    if sources == {Postcode.Source.POINTS.value}:
        mine, incoming = within_covered(mine, incoming)
    diff = compare(mine, incoming)
    check_removals(TITLE, removed=len(diff.removed), stored=diff.stored, options=options)
    report = report_of(TITLE, diff)
    report.rejected, report.skipped = rejected, skipped
    if options.write:
        Postcode.objects.filter(pk__in=diff.removed).delete()
        write(list(diff.added.values()), [new for _, new in diff.changed.values()])
    return report


def within_covered(
    stored: Mapping[str, PostcodeRecord], incoming: Mapping[str, PostcodeRecord]
) -> tuple[dict[str, PostcodeRecord], dict[str, PostcodeRecord]]:
    """Return stored and incoming address points within the voivodeships that the source covers.

    A postcode that extends beyond them keeps its stored shares there, and the centre of the larger part.
    """
    covered = {code[:2] for record in incoming.values() for code, _ in record.municipalities}
    mine, merged = {}, dict(incoming)
    for code, known in stored.items():
        beyond = tuple(share for share in known.municipalities if share[0][:2] not in covered)
        if code not in incoming and len(beyond) == len(known.municipalities):
            continue
        mine[code] = known
        if not beyond:
            continue
        here = incoming.get(code)
        larger = known
        if here and sum(count for _, count in here.municipalities) >= sum(count for _, count in beyond):
            larger = here
        shares = [*(here.municipalities if here else ()), *beyond]
        merged[code] = replace(
            larger,
            municipalities=tuple(sorted(shares, key=lambda share: (-share[1], share[0]))),
            places=tuple(dict.fromkeys((*larger.places, *(here.places if here else ()), *known.places))),
            source=Postcode.Source.POINTS.value,
        )
    return mine, merged


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
