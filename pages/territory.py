"""Pages of the units: a voivodeship with its municipalities, a municipality with its depots."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, ClassVar

from django.http import Http404

from catalog.depots.snapshot import DepotRow, depots
from catalog.links import municipality_path, route_path, site_url
from catalog.models import Dataset, Depot, Municipality, Voivodeship
from catalog.params import LIMIT_RANGE, Point
from catalog.territory.great_circle import distance_m
from catalog.territory.snapshot import territory
from catalog.text import sort_key
from fueldepot.data import snapshot
from pages.depots import DepotCard, depot_card
from pages.origin import Origin, RequestedPoint
from pages.page import DEMONSTRATION_STATUS, MIXED_STATUS, Crumb, Page, licence_of_list
from pages.pictures import territory as pictures
from pages.pictures.maps import AreaMap, DepotMap, Unit
from pages.polish import counted

NEAREST_LIMIT = 10
NEAREST_KM = 50

FORMS = ("skład", "składy", "składów")

TERYT_FORM = re.compile(r"[0-9]{7}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A municipality in the list of its voivodeship. description: kind and county, for the many equal names."""

    name: str
    description: str
    path: str
    depots: int


@dataclass(frozen=True, slots=True)
class Letter:
    """The municipalities whose names begin with a letter."""

    letter: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoivodeshipPage(Page):
    """A voivodeship: its municipalities in Polish order. map: None where no boundary is known."""

    template: ClassVar[str] = "pages/voivodeship"

    map: AreaMap | None
    name: str
    letters: tuple[Letter, ...]
    municipalities: int
    depots: int

    def things(self) -> list[dict[str, Any]]:
        """The voivodeship."""
        return [{"@type": "AdministrativeArea", "name": f"województwo {self.name}", "url": self.canonical}]

    @property
    def map_name(self) -> str:
        return f"składy opału w gminach, województwo {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MunicipalityPage(Page):
    """A municipality.

    own: its depots by name. nearest: depots near `origin_label`, asked for or, without own depots, a point inside;
    origin_label is "" when there is no such point. radius_km: how far was looked for them. further: its own depots that
    are not among the nearest, by distance where one was asked for, else by name. No depot is listed twice.
    notices: what was ignored in the address. map: both lists by their numbers.
    """

    template: ClassVar[str] = "pages/municipality"
    honours: ClassVar[tuple[str, ...]] = ("kod", "p")

    map: DepotMap | None
    municipality: Municipality
    own: tuple[DepotCard, ...]
    nearest: tuple[DepotCard, ...]
    further: tuple[DepotCard, ...]
    origin_label: str
    radius_km: int
    notices: tuple[str, ...]

    def things(self) -> list[dict[str, Any]]:
        """The list of the municipality's own depots, unless they are invented."""
        if self.demonstration or not self.own:
            return []
        items = [
            {"@type": "ListItem", "position": number, "name": depot.name, "url": site_url(depot.path)}
            for number, depot in enumerate(self.own, start=1)
        ]
        return [{"@type": "ItemList", "name": self.title, "numberOfItems": len(items), "itemListElement": items}]

    @property
    def map_name(self) -> str:
        return f"gmina {self.municipality.name} i okolica"

    @property
    def own_count(self) -> str:
        return counted(len(self.own), *FORMS)

    @property
    def further_title(self) -> str:
        """What stands above the depots that are not among the nearest."""
        where = "W tej gminie" if len(self.further) == len(self.own) else "Dalej w tej gminie"
        return f"{where}: {counted(len(self.further), *FORMS)}"

    @property
    def regulation_path(self) -> str:
        """The page with what may be burnt there."""
        return route_path("regulation", self.municipality.voivodeship.slug)


def depots_as_of(*days: date | None) -> date | None:
    """The day to which lists of depots are current: of the data set's last change, else the newest of these days."""
    return snapshot.changed_on(Dataset.Slug.DEPOTS) or max(filter(None, days), default=None)


def voivodeships_by_name() -> tuple[Voivodeship, ...]:
    """The voivodeships in Polish order."""
    return tuple(sorted(territory.get().voivodeships.values(), key=lambda unit: sort_key(unit.name)))


def voivodeship_page(slug: str) -> VoivodeshipPage:
    """The page of a voivodeship. Raises Http404."""
    units, known = territory.get(), depots.get()
    unit = next((unit for unit in units.voivodeships.values() if unit.slug == slug), None)
    if unit is None:
        raise Http404
    municipalities = sorted(units.municipalities_in(unit.teryt), key=lambda m: (sort_key(m.name), m.kind, m.teryt))
    rows = [
        Row(
            name=m.name,
            description=f"{Municipality.Kind(m.kind).label}, {m.county.title}",
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
        description=f"Województwo {unit.name}: {counted(total, 'skład', 'składy', 'składów')} opału według gmin.",
        path=route_path("voivodeship", unit.slug),
        crumbs=(Crumb.home(),),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=f"{route_path('v1:stores')}?teryt={unit.teryt}&limit={LIMIT_RANGE[1]}",
        as_of=depots_as_of(*(row.updated_at for row in own)),
        data_status=DEMONSTRATION_STATUS if demonstration else MIXED_STATUS,
        licence=licence_of_list(demonstration=demonstration),
        map=pictures.voivodeship_map(
            unit.slug,
            {
                m.teryt: Unit(row.path, f"{m.name} ({row.description}): {counted(row.depots, *FORMS)}", row.depots)
                for m, row in zip(municipalities, rows, strict=True)
            },
        ),
        name=unit.name,
        letters=tuple(Letter(key, tuple(group)) for key, group in groupby(rows, key=lambda row: row.name[0])),
        municipalities=len(rows),
        depots=total,
    )


def find_municipality(teryt: str) -> Municipality:
    """Return a municipality by its code, the successor for a former code. Raises Http404."""
    if not TERYT_FORM.fullmatch(teryt):
        raise Http404
    units = territory.get()
    former = units.formers.get(teryt)
    found = units.municipalities.get(teryt) or units.municipalities.get(former.successor if former else "")
    if found is None:
        raise Http404
    return found


def municipality_page(unit: Municipality, asked: RequestedPoint) -> MunicipalityPage:
    """The page of a municipality, with distances from the point that its query string names."""
    known = depots.get()
    listed = known.in_unit(unit.teryt).rows
    origin = asked.origin or (None if listed else inner_point(unit))
    near = known.near(origin.point, radius_km=NEAREST_KM, limit=NEAREST_LIMIT).measured() if origin else []
    near_rows = [row for row, _ in near]
    further = farther(listed, asked.origin.point, near_rows) if asked.origin else [(row, None) for row in listed]
    shown = [*near_rows, *(row for row, _ in further)]
    numbers = {row.id: number for number, row in enumerate(shown, start=1)}
    own = tuple(depot_card(row, numbers[row.id]) for row in listed)
    demonstration = any(row.source == Depot.Source.DEMO for row in (*near_rows, *listed))
    count = f"{counted(len(listed), 'skład', 'składy', 'składów')} opału" if listed else "najbliższe składy opału"
    return MunicipalityPage(
        title=f"Składy opału: {unit.name} ({Municipality.Kind(unit.kind).label}, {unit.county.title})",
        description=f"{unit.name} ({unit.description}): {count}. Adresy, paliwa, godziny i telefony.",
        path=municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt),
        crumbs=(Crumb.home(), Crumb.voivodeship(unit.voivodeship)),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=f"{route_path('v1:stores')}?teryt={unit.teryt}&limit={LIMIT_RANGE[1]}",
        as_of=depots_as_of(*(row.updated_at for row in (*listed, *near_rows))),
        data_status=DEMONSTRATION_STATUS if demonstration else MIXED_STATUS,
        licence=licence_of_list(demonstration=demonstration),
        map=pictures.depot_map(
            unit.teryt,
            [pictures.Numbered(numbers[row.id], row.lat, row.lon, row.source == Depot.Source.OSM) for row in shown],
            (asked.origin.point.lat, asked.origin.point.lon) if asked.origin else None,
        ),
        municipality=unit,
        own=own,
        nearest=tuple(depot_card(row, numbers[row.id], metres) for row, metres in near),
        further=tuple(depot_card(row, numbers[row.id], metres) for row, metres in further),
        origin_label=origin.label if origin else "",
        radius_km=NEAREST_KM,
        notices=asked.notices,
    )


def farther(listed: Iterable[DepotRow], point: Point, near: Iterable[DepotRow]) -> list[tuple[DepotRow, float | None]]:
    """Depots that are not among the near ones, with their distance from a point, nearest first, then by id."""
    nearer = {row.id for row in near}
    rest = [(distance_m(point.lat, point.lon, row.lat, row.lon), row.id, row) for row in listed if row.id not in nearer]
    return [(row, metres) for metres, _, row in sorted(rest)]


def inner_point(unit: Municipality) -> Origin | None:
    """A point inside a municipality; None where its boundary is not known."""
    middle = territory.get().boundaries.middle_of(unit.teryt)
    return None if middle is None else Origin(Point(*middle), "punktu leżącego w tej gminie")
