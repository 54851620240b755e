"""`/heating-costs`: its parameters, its published fields, and the view that answers."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, get_args

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from pydantic import create_model
from rest_framework.request import Request
from typing_extensions import TypedDict

from catalog.api import params as place_params
from catalog.api.params import POSTCODE, TERYT, Postcode, Teryt
from catalog.models import Municipality, Voivodeship
from catalog.territory.snapshot import territory
from catalog.text import one_line
from fueldepot.http.links import site_url
from fueldepot.http.params import ThreeDigits, exact
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Query, Url, example, field
from fueldepot.http.views import JsonViewSet, answers, json_response, samples
from pages.heating_comparison import (
    NOTES,
    HeatingRow,
    OwnInput,
    SourcePrice,
    bag_kg,
    heating_rows,
    is_demonstration,
    published_cost,
)
from pages.polish import quantity
from prices.heating_costs import (
    EfficiencyUnit,
    EnergyUnit,
    Estimate,
    Quantity,
    Unit,
    heat_sources,
    read_defaults,
    rounded_year,
)
from prices.medians import rounded
from prices.price_list_cells import BAG, bare_number

HEATING = "heating"

AREA_RANGE, NEED_RANGE, DEMAND_RANGE = (20, 1_000), (15, 400), (1_000, 200_000)
PRICE_RANGES = {"t": (0, 100_000), "mp": (0, 100_000), "kWh": (0, 100)}
"""In zł per unit. Wood of one's own may cost nothing."""

EFFICIENCY_RANGES = {"share": (0.25, 1.25), "kWh/kWh": (1, 8)}
PER = {"t": "tonne", "mp": "stacked cubic metre", "kWh": "kilowatt-hour"}
HOUSE = read_defaults().house
SOURCES = heat_sources(date.max)
"""The sources, which no day changes."""

OWN = {"price": "cena", "bag": "worek", "efficiency": "sprawnosc"}
"""Prefixes of the parameters for one's own prices and efficiencies, with those of the page."""

PAGE_PARAMETERS = {"area": "powierzchnia", "need": "potrzeba", "kwh": "kwh"} | {
    f"{name}_{source.slug}": f"{page_name}_{source.slug}" for source in SOURCES for name, page_name in OWN.items()
}
"""Parameters of the page for the numbers of the API, by the API's names."""


def own_fields(price: str, bag: str, efficiency: str, *, typed: bool = False) -> dict[str, Any]:
    """Return the fields of a query for what the reader knows of each source. The names are prefixes.

    typed: by a person, so three digits behind a mark are thousands of złoty, and a unit may follow an amount, or a
    sign an efficiency.
    """
    fields: dict[str, Any] = {}

    def add(name: str, ends: tuple[float, float], digits: ThreeDigits, text: str, value: float, per: str = "") -> None:
        bare = partial(bare_number, unit="zł", per=per) if per else share_of
        number = exact(*ends, digits, bare if typed else str)
        fields[name] = Annotated[Decimal | None, number, field(text, value)], None

    for source in SOURCES:
        slug, by_kwh = source.slug, source.unit == "kWh"
        text = f"A price of your own in zł per {PER[source.unit]}, with a decimal point or comma."
        digits: ThreeDigits = "decimals" if by_kwh else "thousands" if typed else "refused"
        add(f"{price}_{slug}", PRICE_RANGES[source.unit], digits, text, 1.1 if by_kwh else 1640, source.unit)
        if kg := bag_kg(source):
            text = f"A price of your own in zł for a bag of {kg} kg. One by the tonne comes first."
            add(f"{bag}_{slug}", (0, 1_000), "decimals", text, 38, BAG)
        ends = EFFICIENCY_RANGES[source.efficiency.unit]
        pump = ends[1] > 2
        text = "An efficiency of your own, with a decimal point or comma. "
        text += "Heat from one kilowatt-hour of electricity." if pump else "0.85 is 85 %."
        add(f"{efficiency}_{slug}", ends, "decimals", text, 3.2 if pump else 0.85)
    return fields


def share_of(text: str) -> str:
    """Return a share that a person has typed in per cent, "0.88" for "88 %"; any other text as it is."""
    percent = re.fullmatch(r"([0-9]{1,3}(?:[,.][0-9]{1,2})?) ?%", one_line(text))
    return str(Decimal(percent[1].replace(",", ".")) / 100) if percent else text


def own_inputs(query: Query, price: str, bag: str, efficiency: str) -> dict[str, OwnInput]:
    """Return what a query with `own_fields` states, by source."""
    inputs = {
        source.slug: OwnInput(*(getattr(query, f"{name}_{source.slug}", None) for name in (price, bag, efficiency)))
        for source in SOURCES
    }
    return {slug: own for slug, own in inputs.items() if own != OwnInput()}


class HouseQuery(Query):
    """The place and the house. Of teryt, postcode and voivodeship the first given counts, in this order."""

    teryt: Annotated[
        Teryt | None, field(f"{TERYT} Medians of its voivodeship, and the rules of a municipality.", "1261011")
    ] = None
    postcode: Annotated[
        Postcode | None, field(f"{POSTCODE} The municipality with most of its addresses counts.", "30-001")
    ] = None
    voivodeship: place_params.Voivodeship | None = None
    area: Annotated[
        Decimal | None,
        exact(*AREA_RANGE, three_digits="decimals"),
        field(f"A heated area in m². Without it {HOUSE.area}.", 120),
    ] = None
    need: Annotated[
        Decimal | None,
        exact(*NEED_RANGE, three_digits="decimals"),
        field(
            f"A need of heat in kWh/m² a year. Without it {HOUSE.need}; {HOUSE.need_after_works} after insulation.", 80
        ),
    ] = None
    kwh: Annotated[
        Decimal | None,
        exact(*DEMAND_RANGE),
        field("An amount of useful heat in kWh a year. It counts instead of `area` and `need`.", 18000),
    ] = None

    @property
    def demand(self) -> Decimal:
        """Useful heat in kWh a year."""
        return demand_of(self.kwh, self.area, self.need)

    @property
    def own(self) -> dict[str, OwnInput]:
        return own_inputs(self, *OWN)


def demand_of(kwh: Decimal | None, area: Decimal | None, need: Decimal | None) -> Decimal:
    """Return the useful heat in kWh a year, from defaults where nothing is given."""
    return kwh or (area or HOUSE.area) * (need or HOUSE.need)


HeatingCostsQuery = create_model(
    "HeatingCostsQuery",
    __base__=HouseQuery,
    __doc__="Parameters of `/heating-costs`.",
    **own_fields(*OWN),
)


class CostJson(TypedDict):
    """A range in zł."""

    low: Annotated[float, example(0.37)]
    """With the best energy content and efficiency."""
    middle: Annotated[float, example(0.4)]
    """With the defaults."""
    high: Annotated[float, example(0.45)]
    """With the worst energy content and efficiency."""


class DefaultJson(TypedDict):
    """An assumed value with its range."""

    default: Annotated[float, example(4.8)]
    """The value behind `middle`: the default, or `efficiency_<source>` as it was given."""
    low: Annotated[float, example(4.6)]
    """Low end."""
    high: Annotated[float, example(4.9)]
    """High end."""
    unit: Annotated[str, OneOf(*get_args(EnergyUnit), *get_args(EfficiencyUnit)), example("kWh/kg")]
    """Unit; `share` is a share of one, `mp` a stacked cubic metre."""
    basis: Annotated[str | None, OneOf("net", "gross", None), example("net")]
    """Of the net or gross calorific value; null where they do not differ."""
    certainty: Annotated[str, OneOf("high", "medium", "low", "own"), example("high")]
    """How sure the default is; `own` for a value of the request."""
    origin: Annotated[str, example("ENplus A1, co najmniej 4,6 kWh/kg")]
    """Where it comes from, in Polish."""


class HeatPriceJson(TypedDict):
    """The price behind a cost."""

    amount: Annotated[float, example(1640.0, ge=0)]
    """Price in zł."""
    unit: Annotated[str, OneOf(*get_args(Unit)), example("t")]
    """What it is per: a tonne, a stacked cubic metre, a kilowatt-hour."""
    kind: Annotated[str, OneOf("median", "official", "own"), example("median")]
    """Median of depots, yearly average of the statistical office, or your own."""
    area: Annotated[str | None, example("województwo małopolskie")]
    """What it covers; null for your own."""
    window_from: Annotated[Day | None, example("2026-05-24")]
    """First day of the prices behind a median; else null."""
    window_to: Annotated[Day | None, example("2026-11-24")]
    """Last day of the prices behind a median; else null."""
    year: Annotated[int | None, example(2024)]
    """Year of an official average; else null."""
    n: Annotated[int | None, example(28, ge=1)]
    """Number of prices behind a median; else null."""
    origin: Annotated[str | None, example("GUS, Bank Danych Lokalnych")]
    """Where an official average was read; else null."""
    demonstration: Annotated[bool, example(False)]
    """Whether invented prices are among those behind a median."""


class HeatSourceJson(TypedDict):
    """A source of heat."""

    source: Annotated[str, OneOf(*(source.slug for source in SOURCES)), example("pellet")]
    """Identifier of the source, as in `price_<source>` and `efficiency_<source>`."""
    name: Annotated[str, example("Pellet, kocioł na pellet")]
    """Name, in Polish."""
    fuel: Annotated[str | None, example("pellet")]
    """Slug of the fuel of depots; null for electricity and gas."""
    unit: Annotated[str, OneOf(*get_args(Unit)), example("t")]
    """Unit of its price and of `amount_per_year`."""
    price: HeatPriceJson | None
    """Your own price, else the median or the official average; null where none is known."""
    calorific_value: DefaultJson | None
    """Energy content; null where the price is per kilowatt-hour."""
    efficiency: DefaultJson
    """Efficiency of the appliance, of a heat pump its seasonal performance."""
    cost_per_kwh: CostJson | None
    """A kilowatt-hour of heat, to the grosz; null without a price."""
    cost_per_year: CostJson | None
    """A year, to 100 zł; null without a price."""
    amount_per_year: Annotated[float, example(5.15, ge=0)]
    """Fuel or electricity for a year, in `unit`."""
    co2_kg_per_kwh: Annotated[float | None, example(0.43)]
    """Carbon dioxide in kg per kilowatt-hour of heat; null where it is not counted, see `co2_note`."""
    co2_note: Annotated[str, example("Węgiel kamienny: rozporządzenie (UE) 2018/2066, załącznik VI.")]
    """Origin of the factor, or why there is none, in Polish."""
    group: Annotated[int | None, example(1, ge=1)]
    """1 for the cheapest. Ranges of one group overlap and are in alphabetical order; null without a price."""
    allowed: Annotated[bool | None, example(True)]
    """Whether it may be used at the place today; null where it depends on more, is not known, or no place is given."""
    rule: Annotated[str, example("Kraków, kocioł z ekoprojektem: nie wolno już używać od 1 września 2019 r.")]
    """The rule in a sentence, in Polish."""
    rule_url: Annotated[Url | None, example(f"{EXAMPLE_SITE}/przepisy/sprawdz/?miejsce=1261011&piec=fireplace")]
    """Where the rule stands with its sources; null without one."""


class HeatingCostsJson(TypedDict):
    """What heat costs from each source."""

    municipality: Annotated[str | None, example("1261011")]
    """TERYT code of the municipality whose rules count; null without one."""
    voivodeship: Annotated[str | None, example("malopolskie")]
    """Slug of the voivodeship whose medians count where it has them; null for Poland."""
    demand_kwh: Annotated[float, example(21000.0)]
    """Useful heat in kWh a year."""
    as_of: Annotated[Day, example("2026-11-24")]
    """Day of the answer."""
    rows: list[HeatSourceJson]
    """Sources: by group, then in Polish order; those without a price last."""
    notes: list[Annotated[str, example(NOTES[0], "What is assumed or left out, in Polish.")]]
    """What is assumed, and what is left out."""
    page: Annotated[Url, example(f"{EXAMPLE_SITE}/ceny/porownanie/")]
    """Page of the comparison."""
    demonstration: Annotated[bool, example(False)]
    """Whether any price rests on invented ones."""


def describe_range(span: Estimate | None, *, year: bool = False) -> CostJson | None:
    """Return a cost as published. year: of a year, not of a kilowatt-hour."""
    if span is None:
        return None
    low, middle, high = map(float, map(rounded_year, span) if year else published_cost(span))
    return {"low": low, "middle": middle, "high": high}


def describe_default(quantity: Quantity, own: Decimal | None = None) -> DefaultJson:
    """Return a default. own: the value given in its place."""
    low, middle, high = map(float, quantity.span if own is None else (own, own, own))
    return {
        "default": middle,
        "low": low,
        "high": high,
        "unit": quantity.unit,
        "basis": quantity.basis,
        "certainty": quantity.certainty if own is None else "own",
        "origin": quantity.origin if own is None else "Wartość podana w zapytaniu.",
    }


def describe_price(price: SourcePrice, unit: Unit) -> HeatPriceJson:
    return {
        "amount": float(price.amount),
        "unit": unit,
        "kind": price.kind,
        "area": price.area or None,
        "window_from": price.first,
        "window_to": price.last,
        "year": price.year,
        "n": price.n,
        "origin": price.origin or None,
        "demonstration": price.demonstration,
    }


def describe_row(row: HeatingRow) -> HeatSourceJson:
    source, cost = row.source, row.cost
    return {
        "source": source.slug,
        "name": source.name,
        "fuel": source.fuel or None,
        "unit": source.unit,
        "price": describe_price(row.price, source.unit) if row.price else None,
        "calorific_value": describe_default(source.energy) if source.energy else None,
        "efficiency": describe_default(source.efficiency, row.own.efficiency),
        "cost_per_kwh": describe_range(cost.per_kwh),
        "cost_per_year": describe_range(cost.per_year, year=True),
        "amount_per_year": float(rounded(cost.amount)),
        "co2_kg_per_kwh": None if cost.co2 is None else float(rounded(cost.co2)),
        "co2_note": source.emission_origin,
        "group": row.group,
        "allowed": row.rule.allowed,
        "rule": row.rule.sentence,
        "rule_url": row.rule.url or None,
    }


def heating_costs(query: HouseQuery, on: date) -> HeatingCostsJson:
    """Return the answer. Raises UnitNotFound, PostcodeNotFound and VoivodeshipNotFound."""
    municipality, voivodeship = find_area(query)
    rows = heating_rows(on, demand=query.demand, voivodeship=voivodeship, municipality=municipality, own=query.own)
    numbers = {
        PAGE_PARAMETERS[name]: number for name, number in query if name in PAGE_PARAMETERS and number is not None
    }
    return {
        "municipality": municipality.teryt if municipality else None,
        "voivodeship": voivodeship.slug if voivodeship else None,
        "demand_kwh": float(query.demand),
        "as_of": on,
        "rows": [describe_row(row) for row in rows],
        "notes": [*NOTES],
        "page": site_url(reverse("heating-costs", query=page_parameters(municipality, voivodeship, numbers))),
        "demonstration": is_demonstration(rows),
    }


def page_parameters(
    municipality: Municipality | None, voivodeship: Voivodeship | None, numbers: Mapping[str, Decimal]
) -> dict[str, str]:
    """Return the parameters of the page for a place and numbers. numbers: by the names of the page."""
    place = {"wojewodztwo": voivodeship.slug} if voivodeship else {}
    if municipality:
        place = {"miejsce": municipality.teryt}
    return place | {name: quantity(number) for name, number in numbers.items()}


def find_area(query: HouseQuery) -> tuple[Municipality | None, Voivodeship | None]:
    """Return the municipality whose rules count, and the voivodeship whose medians do; None for none."""
    units = territory.get()
    if query.teryt is None and query.postcode is None:
        return None, units.voivodeship(query.voivodeship) if query.voivodeship else None
    unit = units.unit(query.teryt) if query.teryt else units.municipalities_of_postcode(query.postcode or "")[0]
    if isinstance(unit, Municipality):
        return unit, unit.voivodeship
    return None, units.voivodeships[unit.teryt[:2]]


class HeatingCostsViewSet(JsonViewSet):
    @extend_schema(
        operation_id="compareHeatingCosts",
        tags=[HEATING],
        summary="What a kilowatt-hour of heat costs by source",
        description=(
            "Price, energy content and efficiency put together, as ranges: of coal, pellet, briquettes, firewood, "
            "electricity and heat pumps, and of gas with a price of your own. Prices are medians of the voivodeship, "
            "else of Poland, and the newest official average of electricity; your own price comes first. With a "
            "municipality each row says whether the source is permitted there. Ranges that overlap are not ranked."
        ),
        parameters=HeatingCostsQuery.parameters(),
        responses=answers(HeatingCostsJson, "The sources."),
        extensions=samples(
            ("Heat in a municipality", '"/api/v1/heating-costs?teryt=1261011"'),
            ("With prices of one's own", '"/api/v1/heating-costs?kwh=18000&price_pellet=1640&price_gas=0.38"'),
            polish="Ile kosztuje kilowatogodzina ciepła z węgla, pelletu, drewna, prądu i pompy ciepła, z zakresem; z "
            "gazu po podaniu własnej ceny. W gminie także to, czy źródło jest tam dozwolone.",
        ),
    )
    def retrieve(self, request: Request) -> HttpResponse:
        return json_response(heating_costs(self.read(HeatingCostsQuery, request), timezone.localdate()))
