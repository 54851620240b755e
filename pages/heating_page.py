"""The page of the comparison of heating costs. A GET form without personal data."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

from django.urls import reverse
from pydantic import create_model

from catalog.api.params import Voivodeship
from catalog.models import Municipality
from catalog.models import Voivodeship as VoivodeshipUnit
from catalog.territory.snapshot import VoivodeshipNotFound, territory
from catalog.text import round_half_up, short_amount, short_zloty, whole
from fueldepot.http.params import exact, line
from fueldepot.http.query import Query, field
from pages.fuel_prices import prices_crumb
from pages.heating_api import (
    AREA_RANGE,
    DEMAND_RANGE,
    HOUSE,
    NEED_RANGE,
    OWN,
    PAGE_PARAMETERS,
    SOURCES,
    demand_of,
    own_fields,
    own_inputs,
    page_parameters,
)
from pages.heating_comparison import NOTES, HeatingRow, bag_kg, heating_rows, is_demonstration, published_cost
from pages.page import Crumb, Page, dataset_if_indexed
from pages.polish import area_name, day, quantity
from pages.stove_check import find_place, place_notices
from prices.api.series_answers import POLAND
from prices.heating_costs import Estimate, Quantity, group_overlapping, rounded_year
from prices.medians import rounded
from prices.price_list_cells import bare_number

OF_HOUSE = {"powierzchnia": "powierzchnia", "potrzeba": "zapotrzebowanie", "kwh": "ciepło, kWh rocznie"}
NUMBERS = OF_HOUSE | {
    f"{name}_{source.slug}": f"{words} ({source.name})"
    for name, words in zip(OWN.values(), ("cena", "cena worka", "sprawność"), strict=True)
    for source in SOURCES
}
"""What the numbers of the form are, in the words of a notice, by parameter."""

QUANTITY_UNITS = {"MJ/kg": " MJ/kg", "kWh/kg": " kWh/kg", "kWh/mp": " kWh z metra przestrzennego"}
AXIS_STEP, MOST_STEPS = Decimal("0.25"), 6
"""Distance of the lines of the axis, in zł per kilowatt-hour, doubled until no more are needed than fit on a phone."""

TITLE = "Ile kosztuje ciepło"

STATUS = "orientacyjne: mediany składów i średnie GUS razem z założonymi wartościami opałowymi i sprawnościami"


SQUARE_METRES, BY_AREA, KWH = (
    partial(bare_number, unit=unit, per=per) for unit, per in (("m[2²]", ""), ("kWh", "m2"), ("kWh", ""))
)
"""Functions that take the unit away behind a number of the house."""


class HeatingPlaceQuery(Query):
    empty_is_absent = True

    miejsce: Annotated[str, line(1), field("A place.")] = ""
    teryt: Annotated[str, line(1), field("A TERYT code.")] = ""
    wojewodztwo: Annotated[Voivodeship | None, field("A voivodeship.")] = None
    powierzchnia: Annotated[Decimal | None, exact(*AREA_RANGE, "decimals", SQUARE_METRES), field("An area.")] = None
    potrzeba: Annotated[Decimal | None, exact(*NEED_RANGE, "decimals", BY_AREA), field("A need of heat.")] = None
    kwh: Annotated[Decimal | None, exact(*DEMAND_RANGE, "thousands", KWH), field("Useful heat.")] = None


HeatingPageQuery = create_model("HeatingPageQuery", __base__=HeatingPlaceQuery, **own_fields(*OWN.values(), typed=True))


def heating_costs_page(query_string: str, today: date) -> Page:
    """Return the page for a query string; what is invalid in it is named and left out.

    In the content, place: the typed text or the found name. options: candidates while the place is ambiguous. axis:
    labels of its lines, from 0. house: typed fields of the house, for the form. usual: what counts without them. rows:
    see `cost_row`, as the API orders them. sections: see `sections_of`.
    """
    query, wrong = HeatingPageQuery.read(query_string)
    unit, suggestions, village = find_place(query.miejsce, query.teryt)
    options, voivodeship = [] if unit else suggestions, read_voivodeship(query, unit)
    notices = place_notices(query.miejsce, wrong, unit, suggestions)
    if "wojewodztwo" in wrong or (query.wojewodztwo and voivodeship is None):
        notices.append("Nie znamy takiego województwa, więc pokazujemy ceny z całej Polski.")
    if ignored := [NUMBERS[name] for name in wrong if name in NUMBERS]:
        notices.append(f"Pomijamy to, co nie jest liczbą w dopuszczalnym zakresie: {'; '.join(ignored)}.")
    demand = demand_of(query.kwh, query.powierzchnia, query.potrzeba)
    own = own_inputs(query, *OWN.values())
    rows = heating_rows(today, demand=demand, voivodeship=voivodeship, municipality=unit, own=own)
    most = max((row.cost.per_kwh.high for row in rows if row.cost.per_kwh), default=AXIS_STEP)
    step = AXIS_STEP
    while most > MOST_STEPS * step:
        step *= 2
    steps = max(math.ceil(most / step), 1)
    teryt = unit.teryt if unit else ""
    slug = voivodeship.slug if voivodeship and not unit else ""
    numbers = query.model_dump(include={*NUMBERS}, exclude_none=True)
    cited = page_parameters(unit, voivodeship, numbers)
    csv_path = reverse("heating-costs-csv", query=cited)
    where = (village or unit.name) if unit else area_name(voivodeship)
    demonstration = is_demonstration(rows)
    cost_rows = [cost_row(row, steps * step) for row in rows]
    return Page(
        template="pages/heating_costs",
        query_params=HeatingPageQuery.names(),
        title=title_of(where),
        description="Złotych za kilowatogodzinę ciepła: węgiel, pellet, drewno, prąd, pompa ciepła. Zakresy, ceny z "
        "Twojego województwa i to, co w gminie wolno.",
        path=reverse("heating-costs"),
        breadcrumbs=(Crumb.home(), prices_crumb()),
        demonstration=demonstration,
        demonstration_notice="Mediany składów na tej stronie są zmyślone i służą tylko do wypróbowania serwisu. "
        "Średnie GUS są prawdziwe.",
        indexed=not query_string and not demonstration and any(row.cost.per_kwh for row in rows),
        data_path=reverse("v1:heating-costs", query=api_parameters(teryt, slug, numbers)),
        as_of=today,
        data_status=STATUS,
        cited_path=reverse("heating-costs", query=cited),
        schema_org=partial(dataset_if_indexed, csv=csv_path, variableMeasured=["koszt kilowatogodziny ciepła (zł)"]),
        content={
            "csv_path": csv_path,
            "place": where if unit else query.miejsce,
            "teryt": teryt,
            "voivodeship": slug,
            "where": where,
            "notice": " ".join(notices),
            "options": options,
            "demand": f"{whole(int(round_half_up(demand)))} kWh",
            "house": {name: quantity(getattr(query, name)) for name in OF_HOUSE},
            "rows": cost_rows,
            "sections": sections_of(cost_rows),
            "usual": HOUSE,
            "notes": (*NOTES, HOUSE.origin),
            "axis": ("0", *(decimal_comma(step * number) for number in range(1, steps + 1))),
        },
    )


def title_of(area: str) -> str:
    return TITLE if area == POLAND else f"{TITLE}: {area}"


def read_voivodeship(query: HeatingPlaceQuery, unit: Municipality | None) -> VoivodeshipUnit | None:
    """Return the voivodeship whose medians count, None for Poland."""
    if unit:
        return unit.voivodeship
    try:
        return territory.get().voivodeship(query.wojewodztwo) if query.wojewodztwo else None
    except VoivodeshipNotFound:
        return None


def api_parameters(teryt: str, voivodeship: str, numbers: Mapping[str, Decimal]) -> dict[str, object]:
    """Return the parameters of the API's response with the same data. numbers: by the names of the page."""
    place = {name: value for name, value in (("teryt", teryt), ("voivodeship", voivodeship)) if value}
    return place | {name: numbers[own] for name, own in PAGE_PARAMETERS.items() if own in numbers}


def sections_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put rows of `cost_row` into the order of the page, where what is forbidden at the place comes last.

    kind: "priced" for sources whose ranges overlap, cheapest first; then "unpriced" and "forbidden", each at most once.
    open: whether the reader has typed something for one of them.
    """
    forbidden = [source for source in rows if source["row"].rule.allowed is False]
    permitted = [source for source in rows if source["row"].rule.allowed is not False]
    unpriced = [source for source in permitted if not source["cost"]]
    priced = [source for source in permitted if source["cost"]]
    numbers = group_overlapping([published_cost(source["row"].cost.per_kwh) for source in priced])
    groups = [
        [source for source, own in zip(priced, numbers, strict=True) if own == number] for number in sorted({*numbers})
    ]
    sections = [*(("priced", group) for group in groups), ("unpriced", unpriced), ("forbidden", forbidden)]
    return [
        {"kind": kind, "rows": members, "open": any(any(source["row"].own) for source in members)}
        for kind, members in sections
        if members
    ]


def cost_row(row: HeatingRow, axis: Decimal) -> dict[str, Any]:
    """Return a source as it is shown. axis: its end, in zł per kilowatt-hour.

    cost, year: "0,37–0,45 zł", "" without a price. bar: in hundredths of its width, None without a price. amount: fuel
    of a year. price: with its day, number and area. …_field: names of fields with their values as typed. figures:
    (what, value, origin).
    """
    source, cost, mine = row.source, row.cost, row.own
    price, bag, efficiency = (f"{name}_{source.slug}" for name in OWN.values())
    kg = bag_kg(source)
    amount = decimal_comma(rounded(cost.amount)) if source.unit != "kWh" else whole(int(round_half_up(cost.amount)))
    return {
        "row": row,
        "cost": f"{joined(published_cost(cost.per_kwh), decimal_comma)}\N{NO-BREAK SPACE}zł" if cost.per_kwh else "",
        "year": year_range(cost.per_year) if cost.per_year else "",
        "bar": bar(cost.per_kwh, axis) if cost.per_kwh else None,
        "amount": f"{amount} {source.unit}",
        "price": describe_price(row),
        "price_field": (price, quantity(mine.price)),
        "bag_field": (bag, quantity(mine.bag), kg) if kg else None,
        "efficiency_field": (efficiency, quantity(mine.efficiency)),
        "placeholder": price_amount(row.price.amount) if row.price and row.price.kind != "own" else "",
        "figures": list(figures_of(row)),
    }


def bar(span: Estimate, axis: Decimal) -> dict[str, float]:
    left, right = float(span.low / axis * 100), float(span.high / axis * 100)
    # A range of one number is still to be seen.
    return {"left": round(left, 1), "width": round(max(right - left, 0.8), 1)}


def year_range(span: Estimate) -> str:
    """ "7 800–9 400 zł"."""
    return joined(span, lambda end: short_zloty(rounded_year(end))).replace("\N{NO-BREAK SPACE}zł–", "–")


def price_amount(amount: Decimal) -> str:
    """ "1 640", "302,50", "0,3812": in złoty."""
    return short_amount(amount) if amount == rounded(amount) else quantity(amount)


def describe_price(row: HeatingRow) -> str:
    """Return the price in words, with its day or year, number and area."""
    price = row.price
    if price is None:
        return "za mało cen; podaj własną" if row.source.fuel else "podaj własną cenę"
    amount = f"{price_amount(price.amount)}\N{NO-BREAK SPACE}zł/{row.source.unit}"
    if price.kind == "own":
        return f"{amount}, Twoja cena"
    if price.year:
        return f"{amount}, średnia GUS za {price.year} r. ({price.area})"
    window = f"{day(price.first)} – {day(price.last)}" if price.first and price.last else ""
    return f"{amount}, mediana {price.n} cen z okresu {window} ({price.area})"


def figures_of(row: HeatingRow) -> Iterator[tuple[str, str, str]]:
    """Yield energy content and efficiency with their origins."""
    source = row.source
    if source.energy:
        yield "Wartość opałowa", range_of(source.energy) + QUANTITY_UNITS[source.energy.unit], source.energy.origin
    pump = source.efficiency.unit == "kWh/kWh"
    label = "Ciepło z 1 kWh prądu" if pump else "Sprawność"
    if (own := row.own.efficiency) is None:
        usual = range_of(source.efficiency) + " kWh" if pump else percent_range(source.efficiency.span)
        yield label, usual, source.efficiency.origin
    else:
        stated = f"{decimal_comma(own)} kWh" if pump else percent_range(Estimate(own, own, own))
        yield label, stated, "Podana przez Ciebie."
    co2 = row.cost.co2
    emission = "nie liczymy" if co2 is None else f"{decimal_comma(rounded(co2))} kg na kWh ciepła"
    yield "Dwutlenek węgla", emission, source.emission_origin


def range_of(default: Quantity) -> str:
    ends = joined(default.span, decimal_comma)
    return f"{ends}, zwykle {decimal_comma(default.span.middle)}" if "–" in ends else ends


def percent_range(span: Estimate) -> str:
    return joined(span, lambda end: quantity(end * 100)) + "%"


def joined(span: Estimate, write: Callable[[Decimal], str]) -> str:
    """Return the ends of a range, equal ones once."""
    return "–".join(dict.fromkeys(map(write, (span.low, span.high))))


def decimal_comma(number: Decimal) -> str:
    return f"{number}".replace(".", ",")
