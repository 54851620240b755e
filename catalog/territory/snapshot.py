"""Territory in memory: units, postcodes, the search index and the boundaries, of one state of the database."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from catalog.boundaries import BoundaryIndex
from catalog.models import (
    County,
    Dataset,
    FormerMunicipality,
    Municipality,
    Postcode,
    PostcodeMunicipality,
    Voivodeship,
)
from catalog.names import Names, read_names
from catalog.params import Point
from fueldepot.data.snapshot import Snapshot


class UnknownUnit(Exception):
    """No voivodeship, county or municipality has this code.

    successor: who follows a code that has left the register; others: who else got a part of it.
    """

    def __init__(self, teryt: str, successor: str | None = None, others: tuple[str, ...] = ()) -> None:
        self.teryt, self.successor, self.others = teryt, successor, others
        super().__init__(teryt)


class UnknownVoivodeship(Exception):
    """No voivodeship has this slug or code."""


class UnknownPostcode(Exception):
    """No municipality has addresses with this postcode."""


class Former(NamedTuple):
    """Who follows a code that has left the register. others: codes of further municipalities that got a part of it."""

    successor: str
    others: tuple[str, ...]


class PostcodeArea(NamedTuple):
    """Where a postcode is.

    centre: of its built-up area. municipalities: TERYT codes, the one with most addresses first.
    """

    centre: Point
    municipalities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Territory:
    """All units by their codes, in the order of these. Municipalities have their county and voivodeship loaded.

    formers: the codes of municipalities that have left the register.
    """

    voivodeships: Mapping[str, Voivodeship]
    counties: Mapping[str, County]
    municipalities: Mapping[str, Municipality]
    formers: Mapping[str, Former]
    postcodes: Mapping[str, PostcodeArea]
    names: Names
    boundaries: BoundaryIndex

    def check_unit(self, teryt: str) -> None:
        """Raise UnknownUnit, with those that follow it, unless a unit has this code of 2, 4 or 7 digits."""
        units: Mapping[str, object] = {2: self.voivodeships, 4: self.counties, 7: self.municipalities}[len(teryt)]
        if teryt not in units:
            raise self.unknown_unit(teryt)

    def unknown_unit(self, teryt: str) -> UnknownUnit:
        """Return the error for a code that no unit has, with those that follow it.

        A county or voivodeship is followed by those that its municipalities went to, the one with most of them first.
        """
        formers = [former for code, former in self.formers.items() if code.startswith(teryt)]
        counts = Counter(former.successor[: len(teryt)] for former in formers)
        found = sorted(counts, key=lambda code: (-counts[code], code))
        found += sorted({code[: len(teryt)] for former in formers for code in former.others} - {*found})
        return UnknownUnit(teryt, successor=found[0] if found else None, others=tuple(found[1:]))

    def municipalities_in(self, teryt: str) -> tuple[Municipality, ...]:
        """Return the municipalities of a unit, by their codes."""
        return tuple(unit for code, unit in self.municipalities.items() if code.startswith(teryt))

    def voivodeship(self, asked: str) -> Voivodeship:
        """Return a voivodeship by its slug or its two digits. Raises UnknownVoivodeship."""
        for unit in self.voivodeships.values():
            if asked in (unit.slug, unit.teryt):
                return unit
        raise UnknownVoivodeship(asked)

    def postcode(self, code: str) -> PostcodeArea:
        """Return a postcode. Raises UnknownPostcode."""
        try:
            return self.postcodes[code]
        except KeyError:
            raise UnknownPostcode(code) from None


def read_territory() -> Territory:
    """Read the present state. Ten queries; about a second for the whole country."""
    voivodeships = {unit.teryt: unit for unit in Voivodeship.objects.order_by("teryt")}
    counties = {unit.teryt: unit for unit in County.objects.order_by("teryt")}
    for county in counties.values():
        county.voivodeship = voivodeships[county.voivodeship_id]
    municipalities = {unit.teryt: unit for unit in Municipality.objects.order_by("teryt")}
    for unit in municipalities.values():
        unit.county, unit.voivodeship = counties[unit.county_id], voivodeships[unit.voivodeship_id]
    return Territory(
        voivodeships=voivodeships,
        counties=counties,
        municipalities=municipalities,
        formers=read_formers(),
        postcodes=read_postcodes(),
        names=read_names(),
        boundaries=BoundaryIndex.load(municipalities),
    )


def read_formers() -> dict[str, Former]:
    """Read every code that has left the register. One query."""
    rows = FormerMunicipality.objects.order_by("teryt").values_list("teryt", "successor_id", "others")
    return {code: Former(successor, tuple(others)) for code, successor, others in rows}


def read_postcodes() -> dict[str, PostcodeArea]:
    """Read every postcode. Two queries."""
    codes: dict[str, list[str]] = defaultdict(list)
    shares = PostcodeMunicipality.objects.main_first().values_list("postcode_id", "municipality_id")
    for code, municipality in shares:
        codes[code].append(municipality)
    rows = Postcode.objects.values_list("code", "lat", "lon")
    return {code: PostcodeArea(Point(lat, lon), tuple(codes[code])) for code, lat, lon in rows}


territory = Snapshot(
    read_territory, Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES, Dataset.Slug.BOUNDARIES
)
