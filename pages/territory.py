"""The page of a voivodeship with its municipalities."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, ClassVar

from django.http import Http404

from catalog.api.params import LIMIT_RANGE
from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.depots.snapshot import depots
from catalog.links import municipality_path
from catalog.models import Dataset, Depot, Municipality, Voivodeship
from catalog.territory.snapshot import VoivodeshipNotFound, territory
from catalog.text import sort_key
from fueldepot.data import snapshot
from fueldepot.http.links import route_path
from pages.page import Crumb, Page, terms_of_list
from pages.polish import counted
from pages.svg import territory as territory_svg
from pages.svg.maps import AreaMap, MapUnit
from prices.snapshot import prices

PLURALS = {"miasto na prawach powiatu": "miasta na prawach powiatu"}
"""Headings of lists by the title of their counties; several cities have the same title."""

DEPOT_NOUN = ("skład", "składy", "składów")


@dataclass(frozen=True, slots=True)
class ListedMunicipality:
    """A municipality in the list. kind: in Polish. county: with its kind, "powiat nowotarski"."""

    name: str
    kind: str
    county: str
    path: str
    depots: int

    @property
    def description(self) -> str:
        """Kind and county, to distinguish equal names."""
        return f"{self.kind}, {self.county}"


@dataclass(frozen=True, slots=True)
class Median:
    """Median of a fuel in an area, in zł; None for too few prices. path: of the page of the fuel there."""

    name: str
    median: float | None
    unit: str
    n: int
    path: str


@dataclass(frozen=True, slots=True)
class CountyList:
    """The municipalities of a county, or all cities with county rights."""

    name: str
    rows: tuple[ListedMunicipality, ...]

    @property
    def depots(self) -> int:
        return sum(row.depots for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoivodeshipPage(Page):
    """A voivodeship with its municipalities in Polish order. draw_map: None without boundaries. medians: known ones."""

    template: ClassVar[str] = "pages/voivodeship"

    draw_map: Callable[[], AreaMap | None]
    name: str
    slug: str
    medians: tuple[Median, ...]
    rows: tuple[ListedMunicipality, ...]
    municipalities: int
    depots: int

    @property
    def counties(self) -> list[CountyList]:
        """The rows by county, in Polish order."""
        rows = sorted(self.rows, key=county_key)
        counties = {name: tuple(group) for name, group in groupby(rows, key=attrgetter("county"))}
        return [CountyList(PLURALS.get(name, name), group) for name, group in counties.items()]

    def schema_org(self) -> list[dict[str, Any]]:
        """Return the voivodeship as schema.org's AdministrativeArea."""
        return [{"@type": "AdministrativeArea", "name": f"województwo {self.name}", "url": self.canonical}]

    @property
    def map_name(self) -> str:
        return f"składy opału w gminach, województwo {self.name}"


def county_key(row: ListedMunicipality) -> tuple[Any, ...]:
    return sort_key(row.county), sort_key(row.name)


def depots_as_of(*days: date | None) -> date | None:
    """Return the day of a list of depots: that of the data set's last change, else the newest of the given days."""
    return snapshot.changed_on(Dataset.Slug.DEPOTS) or max(filter(None, days), default=None)


def voivodeships_by_name() -> tuple[Voivodeship, ...]:
    """Return the voivodeships in Polish order."""
    return tuple(sorted(territory.get().voivodeships.values(), key=lambda unit: sort_key(unit.name)))


def get_voivodeship(name: str) -> Voivodeship:
    """Return a voivodeship by slug or two digits. Raises Http404."""
    try:
        return territory.get().voivodeship(name)
    except VoivodeshipNotFound as error:
        raise Http404 from error


def find_median(unit: Voivodeship, fuel: Fuel, today: date) -> Median | None:
    """Return the median of a fuel in a voivodeship; None for too few prices."""
    summary = prices.get().figures(fuel.slug, today).voivodeships.get(unit.teryt)
    if summary is None or summary.median is None:
        return None
    path = route_path("fuel-prices-voivodeship", fuel.slug, unit.slug)
    return Median(fuel.name, float(summary.median), fuel.unit, summary.n, path)


def voivodeship_page(slug: str, today: date) -> VoivodeshipPage:
    """Return the page of a voivodeship. Raises Http404."""
    unit, known = get_voivodeship(slug), depots.get()
    if unit.slug != slug:
        raise Http404
    municipalities = sorted(
        territory.get().municipalities_in(unit.teryt), key=lambda m: (sort_key(m.name), m.kind, m.teryt)
    )
    rows = [
        ListedMunicipality(
            name=m.name,
            kind=Municipality.Kind(m.kind).label,
            county=m.county.title,
            path=municipality_path(unit.slug, m.slug, m.teryt),
            depots=known.count_in(m.teryt),
        )
        for m in municipalities
    ]
    own = known.in_unit(unit.teryt).rows
    total = len(own)
    demonstration = any(row.source == Depot.Source.DEMO for row in own)
    return VoivodeshipPage(
        title=f"Składy opału: województwo {unit.name}",
        description=f"Województwo {unit.name}: {counted(total, *DEPOT_NOUN)} opału według gmin.",
        path=route_path("voivodeship", unit.slug),
        breadcrumbs=(Crumb.home(),),
        **terms_of_list(demonstration=demonstration),
        indexed=not demonstration,
        data_path=f"{route_path('v1:stores')}?teryt={unit.teryt}&limit={LIMIT_RANGE[1]}",
        as_of=depots_as_of(*(row.updated_at for row in own)),
        draw_map=partial(draw_map, unit, tuple(zip(municipalities, rows, strict=True))),
        name=unit.name,
        slug=unit.slug,
        medians=tuple(filter(None, (find_median(unit, fuel, today) for fuel in fuels.FUELS))),
        rows=tuple(rows),
        municipalities=len(rows),
        depots=total,
    )


def draw_map(unit: Voivodeship, municipalities: Iterable[tuple[Municipality, ListedMunicipality]]) -> AreaMap | None:
    """Return the map of a voivodeship: the more depots, the larger the circle of a municipality."""
    return territory_svg.voivodeship_map(
        unit.slug,
        {
            m.teryt: MapUnit(row.path, f"{m.name} ({row.description}): {counted(row.depots, *DEPOT_NOUN)}", row.depots)
            for m, row in municipalities
        },
    )
