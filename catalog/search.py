"""What `/locations` can suggest, in one order of importance.

Rebuilt whole after every change of units, places or postcodes, in the transaction of that change; each process then
reads it into its own index (`catalog.names`).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection

from catalog.bulk import insert
from catalog.models import Municipality, Place, Postcode, PostcodeMunicipality, SearchEntry
from catalog.teryt import is_city_county
from catalog.text import fold

LABEL_LENGTH = 80
"""Longest label of a postcode; more places end in an ellipsis."""

TOWN, DISTRICT, VILLAGE, OTHER = range(4)

KIND_TIERS = {"miasto": TOWN, "dzielnica": DISTRICT, "delegatura": DISTRICT, "wieś": VILLAGE}


def tier_of(kind: str, municipality: str) -> int:
    """How well known a locality of a kind is, the best known first: part of a large city before a village."""
    if kind == "część miasta" and is_city_county(municipality):
        return DISTRICT
    return KIND_TIERS.get(kind, OTHER)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the index without its rank."""

    kind: str
    fold: str
    label: str
    description: str
    municipality: str


def rebuild() -> int:
    """Write the entries anew. Returns their number."""
    entries = list(all_entries())
    with connection.cursor() as cursor:
        # TRUNCATE would lock readers out until the import commits.
        cursor.execute("DELETE FROM catalog_searchentry")
    insert(
        SearchEntry,
        ("rank", "kind", "fold", "label", "description", "municipality_id"),
        ((rank, e.kind, e.fold, e.label, e.description, e.municipality) for rank, e in enumerate(entries)),
    )
    return len(entries)


def all_entries() -> Iterator[Entry]:
    """Every entry, the most important first: municipalities, postcodes, localities."""
    municipalities = {
        m.teryt: m for m in Municipality.objects.select_related("county", "voivodeship").order_by("teryt")
    }
    weights = addresses_of_municipalities()
    yield from municipality_entries(municipalities, weights)
    yield from postcode_entries(municipalities)
    yield from locality_entries(municipalities, weights)


def addresses_of_municipalities() -> dict[str, int]:
    """How many addresses, or postcodes where nobody counted, each municipality has: its size as people see it."""
    weights: dict[str, int] = defaultdict(int)
    for code, addresses in PostcodeMunicipality.objects.values_list("municipality_id", "addresses"):
        weights[code] += max(addresses, 1)
    return weights


def municipality_entries(municipalities: dict[str, Municipality], weights: dict[str, int]) -> Iterator[Entry]:
    """Municipalities by size; a town stands right before the rural municipality named after it.

    The two may be in different counties, since the larger towns are counties of their own.
    """
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    for m in municipalities.values():
        name = (m.voivodeship_id, m.name)
        sizes[name] = max(sizes[name], weights.get(m.teryt, 0))
    order = sorted(
        municipalities.values(),
        key=lambda m: (-sizes[m.voivodeship_id, m.name], m.voivodeship_id, m.name, m.kind, m.teryt),
    )
    for m in order:
        yield Entry(SearchEntry.Kind.MUNICIPALITY, fold(m.name), m.name, m.description, m.teryt)


def postcode_entries(municipalities: dict[str, Municipality]) -> Iterator[Entry]:
    """Postcodes in their own order, those without a known address last, each at its main municipality."""
    main: dict[str, str] = {}
    unused: dict[str, bool] = {}
    shares = PostcodeMunicipality.objects.main_first()
    for code, municipality, addresses in shares.values_list("postcode_id", "municipality_id", "addresses"):
        main.setdefault(code, municipality)
        unused.setdefault(code, addresses == 0)
    postcodes = Postcode.objects.values_list("code", "places")
    for code, places in sorted(postcodes, key=lambda row: (unused[row[0]], row[0])):
        m = municipalities[main[code]]
        yield Entry(
            SearchEntry.Kind.POSTCODE,
            code.replace("-", ""),
            postcode_label(code, places),
            f"kod pocztowy, {within(m)}",
            m.teryt,
        )


def postcode_label(code: str, places: list[str]) -> str:
    """The code and its places, cut at a whole place with an ellipsis."""
    label = f"{code} {', '.join(places)}".strip()
    if len(label) <= LABEL_LENGTH:
        return label
    return label[:LABEL_LENGTH].rpartition(", ")[0] + ", …"


def within(m: Municipality) -> str:
    """ "gmina wiejska Kościelisko, powiat tatrzański, województwo małopolskie"."""
    return f"{Municipality.Kind(m.kind).label} {m.name}, {m.county.title}, województwo {m.voivodeship.name}"


def locality_entries(municipalities: dict[str, Municipality], weights: dict[str, int]) -> Iterator[Entry]:
    """Localities: towns, districts, villages, then the rest; within these the larger municipality first.

    One name stands once in a municipality, and not at all where the municipality itself has it: the address of the
    suggestion would be the same.
    """
    best: dict[tuple[str, str], tuple[tuple[int, int], str, str]] = {}
    for name, kind, main, municipality in Place.objects.values_list("name", "kind", "main", "municipality_id"):
        tier = tier_of(kind, municipality)
        key = (fold(name), municipality)
        found = ((tier, not main), name, kind)
        if key not in best or found < best[key]:
            best[key] = found
    own = {(fold(m.name), m.teryt) for m in municipalities.values()}
    order = sorted(
        ((tier, -weights.get(code, 0), code, key, name, kind) for (key, code), (tier, name, kind) in best.items())
    )
    for _, _, code, folded, name, kind in order:
        if folded and (folded, code) not in own:
            yield Entry(SearchEntry.Kind.LOCALITY, folded, name, f"{kind}, {within(municipalities[code])}", code)
