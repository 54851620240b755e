"""Snapshot of the territory: units, postcodes, the search index and boundaries of one database state."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from catalog.models import (
    County,
    Dataset,
    FormerMunicipality,
    Municipality,
    Postcode,
    PostcodeMunicipality,
    Voivodeship,
)
from catalog.search.engine import Search
from catalog.search.index import read_index
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.coordinates import Point
from catalog.text import voivodeship_slug, whole_of
from fueldepot.data.snapshot import Snapshot


@dataclass(eq=False, repr=False)
class UnitNotFound(Exception):
    """No unit has this code. successor: follows one that left the register; others: have a part of it.

    whole: the municipality of a part: a town, rural area, district. nearest: the only one with the first six digits.
    """

    teryt: str
    successor: str | None = None
    others: tuple[str, ...] = ()
    whole: Municipality | None = None
    nearest: Municipality | None = None


class VoivodeshipNotFound(Exception):
    """No voivodeship has this name, slug or code. The message is what was given."""


class PostcodeNotFound(Exception):
    """No municipality has addresses with this postcode."""


class PostcodeArea(NamedTuple):
    """centre: of the built-up area. municipalities: most addresses first. addresses: their numbers, 0 if unknown."""

    centre: Point
    municipalities: tuple[str, ...]
    addresses: tuple[int, ...]

    def shares(self) -> list[tuple[str, float | None]]:
        """Return each municipality with its share of the addresses, None unless all numbers are known."""
        total = sum(self.addresses) if all(self.addresses) else 0
        counted = zip(self.municipalities, self.addresses, strict=True)
        return [(teryt, count / total if total else None) for teryt, count in counted]


Unit = Voivodeship | County | Municipality


@dataclass(frozen=True, slots=True)
class Territory:
    """All units by code, ascending; municipalities with county and voivodeship. centres: as in the search index.

    formers: by former code. postcodes_in: ascending, by municipality with any.
    """

    voivodeships: Mapping[str, Voivodeship]
    counties: Mapping[str, County]
    municipalities: Mapping[str, Municipality]
    formers: Mapping[str, FormerMunicipality]
    postcodes: Mapping[str, PostcodeArea]
    search: Search
    postcodes_in: Mapping[str, tuple[str, ...]]
    boundaries: BoundaryIndex
    centres: Mapping[str, tuple[float, float]]

    def unit(self, teryt: str) -> Unit:
        """Return a unit by its code of 2, 4 or 7 digits. Raises UnitNotFound with its successors."""
        levels: dict[int, Mapping[str, Unit]] = {2: self.voivodeships, 4: self.counties, 7: self.municipalities}
        unit = levels[len(teryt)].get(teryt)
        if unit is None:
            raise self.unknown_unit(teryt)
        return unit

    def unknown_unit(self, teryt: str) -> UnitNotFound:
        """Return the error for an unknown code; successors of a larger unit are those of its municipalities."""
        code = whole_of(teryt)
        if code is not None and code in self.formers:
            code = self.formers[code].successor_id
        if code is not None and code in self.municipalities:
            return UnitNotFound(teryt, whole=self.municipalities[code])
        formers = [former for code, former in self.formers.items() if code.startswith(teryt)]
        counts = Counter(former.successor_id[: len(teryt)] for former in formers)
        codes = sorted(counts, key=lambda code: (-counts[code], code))
        codes += sorted({code[: len(teryt)] for former in formers for code in former.others} - {*codes})
        alike = self.municipalities_in(teryt[:-1]) if len(teryt) == 7 else ()
        nearest = alike[0] if len(alike) == 1 else None
        return UnitNotFound(teryt, successor=codes[0] if codes else None, others=tuple(codes[1:]), nearest=nearest)

    def municipalities_in(self, teryt: str) -> tuple[Municipality, ...]:
        return tuple(unit for code, unit in self.municipalities.items() if code.startswith(teryt))

    def municipality(self, teryt: str) -> Municipality:
        """Return a municipality by its code of 7 digits. Raises UnitNotFound."""
        if teryt not in self.municipalities:
            raise self.unknown_unit(teryt)
        return self.municipalities[teryt]

    def centre(self, teryt: str) -> tuple[float, float] | None:
        """Return the WGS84 point (lat, lon) that stands for a municipality, see `search.entries`; None if unknown."""
        return self.centres.get(teryt) or self.boundaries.representative_point(teryt)

    def voivodeship(self, name: str) -> Voivodeship:
        """Return a voivodeship by name, slug or two digits. Raises VoivodeshipNotFound."""
        key = voivodeship_slug(name)
        for unit in self.voivodeships.values():
            if key in (unit.slug, unit.teryt):
                return unit
        raise VoivodeshipNotFound(name)

    def postcode(self, code: str) -> PostcodeArea:
        """Return a postcode. Raises PostcodeNotFound."""
        if code not in self.postcodes:
            raise PostcodeNotFound(code)
        return self.postcodes[code]

    def municipalities_of_postcode(self, code: str) -> list[Municipality]:
        """Return the municipalities of a postcode, most addresses first. Raises PostcodeNotFound, also without any."""
        units = [self.municipalities[teryt] for teryt in self.postcode(code).municipalities]
        if not units:
            raise PostcodeNotFound(code)
        return units


def read_territory() -> Territory:
    """Read the present state. Nine queries; about a second for the whole country."""
    voivodeships = Voivodeship.objects.order_by("teryt").in_bulk()
    counties = County.objects.order_by("teryt").in_bulk()
    for county in counties.values():
        county.voivodeship = voivodeships[county.voivodeship_id]
    municipalities = Municipality.objects.order_by("teryt").in_bulk()
    boundaries = BoundaryIndex.load(municipalities)
    postcodes = read_postcodes(boundaries)
    postcodes_in: dict[str, list[str]] = defaultdict(list)
    for code in sorted(postcodes):
        for teryt in postcodes[code].municipalities:
            postcodes_in[teryt].append(code)
    for unit in municipalities.values():
        unit.county, unit.voivodeship = counties[unit.county_id], voivodeships[unit.voivodeship_id]
    index = read_index(municipalities)
    search = Search(index, {code.replace("-", ""): area.municipalities for code, area in postcodes.items()})
    return Territory(
        voivodeships=voivodeships,
        counties=counties,
        municipalities=municipalities,
        formers=FormerMunicipality.objects.order_by("teryt").in_bulk(),
        postcodes=postcodes,
        search=search,
        postcodes_in={teryt: tuple(codes) for teryt, codes in postcodes_in.items()},
        boundaries=boundaries,
        centres={index.teryt(n): point for n in range(index.municipalities) if (point := index.point(n))},
    )


def read_postcodes(boundaries: BoundaryIndex) -> dict[str, PostcodeArea]:
    """Read every postcode. Two queries."""
    shares = PostcodeMunicipality.objects.main_first().by_postcode()
    areas = {}
    for code, lat, lon in Postcode.objects.values_list("code", "lat", "lon"):
        main_first = boundaries.main_first(shares[code], lat, lon)
        areas[code] = PostcodeArea(
            Point(lat, lon), tuple(unit for unit, _ in main_first), tuple(count for _, count in main_first)
        )
    return areas


territory = Snapshot(
    read_territory, Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES, Dataset.Slug.BOUNDARIES
)
