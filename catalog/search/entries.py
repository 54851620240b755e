"""Entries of `/locations` in order of importance.

Rebuilt after every change of the register, in its transaction; processes read them into `catalog.search.index`.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from catalog.models import Municipality, Place, Postcode, PostcodeMunicipality, SearchEntry
from catalog.search.positions import PlaceRegister, PlaceRow, Position, Positions, PostcodeRow
from catalog.search.ranking import Sizes, kind_tier
from catalog.territory.boundaries import BoundaryIndex
from catalog.text import fold
from fueldepot.data.history import insert

LABEL_LENGTH = 80
"""Maximum length of a postcode's label; further places become an ellipsis."""

PLACE_COLUMNS = ("name", "kind", "main", "municipality_id", "lat", "lon", "district")
COLUMNS = ("rank", "kind", "fold", "label", "description", "municipality_id", "lat", "lon", "position")

DECIMALS = 5


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A row of the index without its rank. municipality: its code. position: None if unknown."""

    kind: str
    fold: str
    label: str
    description: str
    municipality: str
    position: Position | None


def rebuild_index() -> int:
    """Rebuild the index. Returns the number of entries. Six queries."""
    entries = list(iter_entries(read_register()))
    with connection.cursor() as cursor:
        # TRUNCATE would block readers until the import commits.
        cursor.execute("DELETE FROM catalog_searchentry")
    insert(SearchEntry, COLUMNS, (_row(rank, entry) for rank, entry in enumerate(entries)))
    return len(entries)


def _row(rank: int, entry: IndexEntry) -> tuple[object, ...]:
    at = entry.position
    lat, lon, source = (round(at.lat, DECIMALS), round(at.lon, DECIMALS), at.source) if at else (None, None, "")
    return (rank, entry.kind, entry.fold, entry.label, entry.description, entry.municipality, lat, lon, source)


def read_register() -> PlaceRegister:
    """Read units, places, postcodes and boundaries. Five queries."""
    units = Municipality.objects.select_related("county", "voivodeship").order_by("teryt")
    municipalities = {unit.teryt: unit for unit in units}
    shares = PostcodeMunicipality.objects.main_first().by_postcode()
    places = [PlaceRow(*row) for row in Place.objects.order_by("id").values_list(*PLACE_COLUMNS)]
    postcodes = [
        PostcodeRow(code, tuple(names), lat, lon, tuple(shares[code]))
        for code, names, lat, lon in Postcode.objects.order_by("code").values_list("code", "places", "lat", "lon")
        if code in shares
    ]
    return PlaceRegister(municipalities, places, postcodes, BoundaryIndex.load(municipalities))


def iter_entries(register: PlaceRegister) -> Iterator[IndexEntry]:
    """Yield all entries, most important first: municipalities, postcodes, localities."""
    positions = Positions(register)
    sizes = Sizes(register)
    yield from municipality_entries(register, sizes, positions)
    yield from postcode_entries(register)
    yield from locality_entries(register, sizes, positions)


def municipality_entries(register: PlaceRegister, sizes: Sizes, positions: Positions) -> Iterator[IndexEntry]:
    """Yield municipalities by size; a town directly precedes the rural one named after it, in whatever county."""
    shared: dict[tuple[str, str], float] = defaultdict(float)
    for unit in register.municipalities.values():
        name = unit.voivodeship_id, unit.name
        shared[name] = max(shared[name], sizes.municipalities[unit.teryt])
    order = sorted(
        register.municipalities.values(),
        key=lambda m: (-shared[m.voivodeship_id, m.name], m.voivodeship_id, m.name, m.kind, m.teryt),
    )
    for m in order:
        position = positions.of_municipality(m.teryt)
        yield IndexEntry(SearchEntry.Kind.MUNICIPALITY, fold(m.name), m.name, m.description, m.teryt, position)


def postcode_entries(register: PlaceRegister) -> Iterator[IndexEntry]:
    """Yield postcodes in order, those without known addresses last, each with its main municipality."""
    for row in sorted(register.postcodes, key=lambda row: (row.municipalities[0][1] == 0, row.code)):
        m = register.municipalities[row.municipalities[0][0]]
        yield IndexEntry(
            SearchEntry.Kind.POSTCODE,
            row.code.replace("-", ""),
            postcode_label(row.code, row.places),
            f"kod pocztowy, {within(m)}",
            m.teryt,
            Position(row.lat, row.lon, SearchEntry.Position.POSTCODE),
        )


def postcode_label(code: str, places: Sequence[str]) -> str:
    label = f"{code} {', '.join(places)}".strip()
    if len(label) <= LABEL_LENGTH:
        return label
    return label[:LABEL_LENGTH].rpartition(", ")[0] + ", …"


def within(m: Municipality) -> str:
    """ "gmina wiejska Kościelisko, powiat tatrzański, województwo małopolskie"."""
    return f"{Municipality.Kind(m.kind).label} {m.name}, {m.county.title}, województwo {m.voivodeship.name}"


def locality_entries(register: PlaceRegister, sizes: Sizes, positions: Positions) -> Iterator[IndexEntry]:
    """Yield localities: towns, districts, villages, then the rest; within these by size.

    A name occurs once per municipality, and not at all if it is the municipality's: the suggestions would be equal.
    """
    best: dict[tuple[str, str], tuple[tuple[int, int], str, str]] = {}
    for row in register.places:
        key = fold(row.name), row.municipality
        found = (kind_tier(row.kind, row.municipality), not row.main), row.name, row.kind
        best[key] = min(best.get(key, found), found)
    own = {(fold(m.name), m.teryt) for m in register.municipalities.values()}
    order = sorted(
        (tier, -sizes.places.get((folded, code), 0), -sizes.municipalities[code], code, folded, name, kind)
        for (folded, code), ((tier, _), name, kind) in best.items()
    )
    for _, _, _, code, folded, name, kind in order:
        if folded and (folded, code) not in own:
            description = f"{kind}, {within(register.municipalities[code])}"
            position = positions.of_place(folded, code)
            yield IndexEntry(SearchEntry.Kind.LOCALITY, folded, name, description, code, position)
