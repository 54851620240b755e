"""Tools about places, depots and prices."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

import orjson
from django.urls import reverse
from django.utils import timezone

from catalog.api import params
from catalog.api.depot_answers import describe_depot
from catalog.api.place_answers import LocatedMunicipalityJson, LocationJson, describe_located, describe_suggestion
from catalog.api.views import count_by_municipality, find_stores
from catalog.depots.attribution import ORIGINS
from catalog.depots.opening_times import opening_of
from catalog.depots.snapshot import DepotRow, depots
from catalog.links import municipality_url
from catalog.models import Dataset
from catalog.territory.coordinates import Point
from catalog.territory.snapshot import territory
from fueldepot.data import snapshot
from fueldepot.http.links import route_path, route_url, site_url
from fueldepot.http.params import choice, whole
from fueldepot.http.query import field
from fueldepot.mcp.answers import Citation, Findings, each, part, pick, tool
from pages.datasets import TITLE as DATASETS
from pages.depot_filters import card_price
from pages.heating_api import HouseQuery, find_area, heating_costs
from pages.heating_page import STATUS as HEATING_STATUS
from pages.heating_page import title_of
from pages.home_and_voivodeship import depots_as_of, title_and_path
from pages.polish import area_name
from pages.prices import official_title
from prices.api.params import COUNTRY, FuelPricesQuery, SeriesQuery
from prices.api.price_answers import TOO_FEW, ArithmeticJson, FuelPricesJson, find_prices
from prices.api.series_answers import ObservedValueJson, describe_observation, find_observations
from prices.api.views import FullStoreJson, PriceListItemJson, describe_price
from prices.official_series import BY_SLUG
from prices.snapshot import prices

MOST_PLACES, MOST_DEPOTS, USUAL_DEPOTS, MOST_UNITS, MOST_NUMBERS = 5, 4, 3, 25, 6

BEYOND_KM = 1_000
"""Radius that covers all of Poland from anywhere in it."""

REGISTER = "GUS, rejestr TERYT; położenia: PRNG i punkty adresowe"

Place = part(LocationJson, "label description teryt lat lon position", fuel=NotRequired[str], page=str)


@tool(
    "Find Polish municipalities, localities and postcodes by name; gives TERYT codes and coordinates.",
    places=each(Place),
)
def find_place(query: params.LocationsQuery) -> Findings:
    rows = []
    for match in territory.get().search.suggest(query.q).found:
        page = municipality_url(match.voivodeship_slug, match.slug, match.teryt)
        rows.append(pick(Place, describe_suggestion(match), page=page))
        if match.fuel is None:
            del rows[-1]["fuel"]
    slugs = (Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES)
    return Findings({"places": rows}, cite_register(*slugs), rows=rows, most=MOST_PLACES)


@tool("The Polish municipality in which a point lies, with its TERYT code.", LocatedMunicipalityJson)
def locate(query: params.LocateQuery) -> Findings:
    located = describe_located(territory.get().boundaries, query.point)
    return Findings(located, cite_register(Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES))


def cite_register(*slugs: str) -> Citation:
    return Citation(DATASETS, route_url("datasets"), snapshot.current().changed_on(*slugs), [REGISTER])


class DepotsQuery(params.StoreQuery):
    limit: Annotated[int, whole(1, MOST_DEPOTS), field("A number of depots.")] = USUAL_DEPOTS


Price = part(PriceListItemJson, "fuel price unit date")
NearDepot = part(
    FullStoreJson, "id name address phone url", km=float | None, now=str, status=str, price=NotRequired[Price]
)


@tool(
    "Fuel depots nearest to a postcode or point, or of a municipality by TERYT, with the price of a fuel. "
    f"At most {MOST_DEPOTS}, fewer where they are long; read on with offset from `next_offset`.",
    total=int,
    depots=each(NearDepot),
    of_unit=NotRequired[str],
    distances_from=NotRequired[str],
    radius_km=NotRequired[int],
    nearest_beyond=NotRequired[each(NearDepot)],
    why_empty=NotRequired[str],
    next_offset=int | None,
)
def depots_near(query: DepotsQuery) -> Findings:
    listed = find_stores(query)
    cited = listed.rows
    rows = [describe_near(row, metres, query.fuel) for row, metres in listed.measured()]
    content: dict[str, Any] = {"total": listed.total, "depots": rows}
    units, point, what = territory.get(), query.point, "point given"
    if query.teryt:
        content["of_unit"] = query.teryt
        middle = None if listed.total else units.centre(query.teryt)
        point, what = Point(*middle) if middle else None, "middle of the municipality"
    elif query.postcode:
        point, what = units.postcode(query.postcode).centre, f"centre of postcode {query.postcode}"
    if point:
        content["distances_from"] = f"{what}: {point.lat},{point.lon}, in a straight line"
        if not listed.total:
            beyond = depots.get().near(point, radius_km=BEYOND_KM, fuel=query.fuel, limit=1)
            content["nearest_beyond"] = [describe_near(row, metres, query.fuel) for row, metres in beyond.measured()]
            cited = beyond.rows
    if not query.teryt:
        content["radius_km"] = query.radius
    if listed.total and not rows:
        content["why_empty"] = f"offset {query.offset} is past the end; the last depot is at {listed.total - 1}"
    elif not rows:
        content["why_empty"] = f"Nie znamy tu żadnego składu{' z tym paliwem' if query.fuel else ''}."
    return Findings(content, lambda left: cite_depots(cited[: left or 1], query.teryt), rows=rows, offset=query.offset)


def cite_depots(rows: Sequence[DepotRow], teryt: str | None) -> Citation:
    """Return the citation of a list of depots, with the day of the whole catalog for an empty one.

    teryt: of the unit whose page is cited, by default the municipality of the first depot; a county is on the page of
    its voivodeship. Without unit and depots that is the page of the data sets.
    """
    catalog, units = depots.get(), territory.get()
    title, path = DATASETS, route_path("datasets")
    if code := teryt or (rows[0].teryt if rows else ""):
        title, path = title_and_path(units.municipalities.get(code) or units.voivodeships[code[:2]])
    return Citation(
        title,
        site_url(path),
        depots_as_of(*(row.updated_at for row in rows)) if rows else catalog.updated_at,
        [*dict.fromkeys(ORIGINS[row.source] for row in rows)] or ["katalog składów"],
        any(row.demonstration for row in rows) if rows else catalog.demonstration,
    )


def describe_near(row: DepotRow, metres: float | None, fuel: str | None) -> dict[str, Any]:
    now = timezone.now()
    store = describe_depot(row)
    price = card_price(row.id, timezone.localdate(now), fuel) if fuel else None
    km = None if metres is None else round(metres / 1000, 1)
    body = pick(NearDepot, store, km=km, now=opening_of(row, now).sentence, status=row.data_status)
    if price:
        body["price"] = pick(Price, describe_price(price))
    return body


OneDepot = part(
    FullStoreJson,
    "name address phone website",
    teryt=str,
    fuels=list[str],
    hours=dict[str, str] | None,
    now=str,
    status=str,
    status_means=str,
    price_list=each(Price),
    correct_at=str,
)


@tool("One fuel depot: hours, phone, fuels, price list, status.", OneDepot)
def depot(query: params.DepotQuery) -> Findings:
    row, now = depots.get().get(query.id), timezone.now()
    store = describe_depot(row)
    week = row.hours_ranges
    listed = prices.get().price_list(row.id, timezone.localdate(now))
    content = pick(
        OneDepot,
        store,
        teryt=row.teryt,
        fuels=[*row.fuels],
        hours=week and {day: ", ".join(ranges) or "closed" for day, ranges in week.items()},
        now=opening_of(row, now).sentence,
        status=row.data_status,
        status_means=store["source"]["description"],
        price_list=[pick(Price, describe_price(price)) for price in listed],
        correct_at=site_url(reverse("depot-correct", args=[row.id])),
    )
    as_of = max(filter(None, (row.updated_at, row.verified_at)))
    return Findings(content, Citation(row.name, store["url"], as_of, [ORIGINS[row.source]], store["demonstration"]))


class CountsQuery(params.MunicipalitiesQuery):
    by: Annotated[str, choice(("municipality", "county")), field("What a row counts.")] = "municipality"
    fuel: Annotated[params.FuelSlug | None, field("Only depots that offer this fuel.")] = None
    limit: Annotated[int, whole(1, MOST_UNITS), field("A number of rows.")] = MOST_UNITS
    offset: params.Offset = 0


@tool(
    "Numbers of fuel depots by municipality or county, in a voivodeship or county, the most first. "
    f"At most {MOST_UNITS} rows; read on with offset from `next_offset`.",
    total=int,
    depots=int,
    columns=tuple[str, str, str],
    units=list[tuple[str, str, int]],
    next_offset=int | None,
)
def municipalities(query: CountsQuery) -> Findings:
    counties = territory.get().counties
    names: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    for unit in count_by_municipality(query):
        code = unit["teryt"][:4] if query.by == "county" else unit["teryt"]
        names[code] = counties[code].name if query.by == "county" else unit["name"]
        numbers[code] += unit["depots_by_fuel"].get(query.fuel, 0) if query.fuel else unit["depots"]
    codes = sorted(numbers, key=lambda code: (-numbers[code], code))
    units = [(names[code], code, numbers[code]) for code in codes[query.offset : query.offset + query.limit]]
    content = {"total": len(codes), "depots": numbers.total(), "columns": ("name", "teryt", "depots"), "units": units}
    unit_of_all = query.county or territory.get().voivodeship(query.voivodeship or "").teryt
    citation = cite_depots(depots.get().in_unit(unit_of_all, fuel=query.fuel).rows, unit_of_all)
    return Findings(content, citation, rows=units, offset=query.offset)


class PriceQuery(FuelPricesQuery):
    hidden = ("values",)


class MethodQuery(FuelPricesQuery):
    hidden = ("values", "voivodeship")


PriceAnswer = part(
    FuelPricesJson,
    "fuel name median unit_name n window_from window_to quartile_1 quartile_3",
    area=str,
    bag_kg=float | None,
    bag_price=float | None,
    why_empty=NotRequired[str],
)


@tool(
    "Current median price of a fuel in Poland or a voivodeship, from depots; never an official average. "
    "median_method says how it is made.",
    PriceAnswer,
)
def price(query: PriceQuery) -> Findings:
    answer = find_prices(query)
    bag = {name: answer.get(name) for name in ("bag_kg", "bag_price")}
    content = pick(PriceAnswer, answer, area=answer["area"]["name"], **bag)
    if answer["median"] is None:
        content["why_empty"] = f"{TOO_FEW.capitalize()}."
    return Findings(content, cite_prices(answer, query))


StepsAnswer = part(ArithmeticJson, "considered implausible superseded outliers")
MethodAnswer = part(FuelPricesJson, "fuel n method", steps=StepsAnswer)


@tool(
    "How the median price of a fuel is made: the steps in Polish, and how many prices each of them leaves out.",
    MethodAnswer,
)
def median_method(query: MethodQuery) -> Findings:
    answer = find_prices(query)
    content = pick(MethodAnswer, answer, steps=pick(StepsAnswer, answer["arithmetic"]))
    return Findings(content, cite_prices(answer, query))


def cite_prices(answer: FuelPricesJson, query: FuelPricesQuery) -> Citation:
    title = f"{answer['name']}: ceny, {answer['area']['name']}"
    source = answer["source"] or answer["method"].partition(".")[0]
    return Citation(title, answer["page"], query.on, [source], answer.get("demonstration", False))


class AveragesQuery(SeriesQuery):
    voivodeship: Annotated[
        params.Voivodeship,
        field("A name, slug or 2-digit TERYT code of a voivodeship; without it Poland only."),
    ] = COUNTRY


AverageAnswer = part(ObservedValueJson, "area year price origin", series=str, unit=str)


@tool(
    "Official yearly averages of coal, electricity and gas by the statistical office GUS, the newest "
    f"{MOST_NUMBERS} at most. Of Poland only, unless voivodeship is given.",
    values=each(AverageAnswer),
    why_empty=NotRequired[str],
)
def official_average(query: AveragesQuery) -> Findings:
    rows = sorted(find_observations(query), key=lambda row: (-row.year, row.series_id))
    as_of = snapshot.current().changed_on(Dataset.Slug.SERIES)
    values = [
        pick(AverageAnswer, describe_observation(row, as_of), series=row.series_id, unit=BY_SLUG[row.series_id].unit)
        for row in rows
    ]
    content = {"values": values} | ({} if values else {"why_empty": "Tej liczby nie znamy."})
    sources = ["GUS; przy każdej liczbie `origin` mówi, skąd ją odczytano"]
    citation = Citation(official_title(), route_url("official-prices"), as_of, sources)
    return Findings(content, citation, rows=values, most=MOST_NUMBERS)


@tool(
    "What a kilowatt-hour of heat costs from coal, pellet, wood, electricity and heat pumps, in zł, as ranges, empty "
    "without a price; with a municipality also what is permitted there today, null where that depends: rules_at says "
    "on what, and until when. Ranges of one group overlap, so they are not ranked.",
    demand_kwh=float,
    columns=str,
    sources=list[str],
)
def heating(query: HouseQuery) -> Findings:
    """Return a line for each source, with empty figures where the price is not known: as objects they would not fit.

    Raises UnitNotFound and PostcodeNotFound.
    """
    body = heating_costs(query, timezone.localdate())
    lines = []
    for row in body["rows"]:
        cost = row["cost_per_kwh"]
        figures = f"{row['group']},{cost['low']},{cost['high']}" if cost else ",,"
        lines.append(f"{row['source']},{figures},{orjson.dumps(row['allowed']).decode()}")
    content = {"demand_kwh": body["demand_kwh"], "columns": "source,group,low,high,allowed", "sources": lines}
    municipality, voivodeship = find_area(query)
    title = title_of(municipality.name if municipality else area_name(voivodeship))
    citation = Citation(title, body["page"], body["as_of"], [HEATING_STATUS], body["demonstration"])
    return Findings(content, citation, rows=lines)
