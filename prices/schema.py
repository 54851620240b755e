"""The published description of the price endpoints. Read by `make openapi` only; nothing here runs in a request."""

from drf_spectacular.utils import extend_schema

from catalog import fuels
from catalog.query_string import DAY
from catalog.schema.forms import (
    JSON,
    Schema,
    address,
    answer,
    array,
    boolean,
    choice,
    day,
    describe,
    in_path,
    in_query,
    integer,
    nullable,
    number,
    record,
    ref,
    samples,
    switch,
    table,
    text,
    whole,
)
from catalog.schema.operations import DEPOT_ID, DEPOTS, FORM_OF_FUEL, FORM_OF_VOIVODESHIP
from catalog.schema.shapes import FUEL_NAME, FUEL_SLUG, SITE, SLUG, STORE_FIELDS, TERYT_2, UNIT, UNIT_NAME
from prices import medians, series
from prices.params import MOST_MONTHS_BACK
from prices.series import FIRST_YEAR
from prices.snapshot import PRICE_LIST_MONTHS

PRICES = "prices"

FEWEST = medians.FEWEST_FOR_MEDIAN
ONLY_COUNTRY = "null in answers about a voivodeship"
YEAR: Schema = {"type": "string", "pattern": "^[0-9]{4}$", "description": f"A year, from {FIRST_YEAR}."}


def zloty(description: str, example: float) -> Schema:
    """An amount of money."""
    return number(f"{description} In zł.", example, minimum=0)


def figure(description: str, example: float) -> Schema:
    """A number that needs at least three prices, and a country."""
    return nullable(number(f"{description}; null below {FEWEST} prices, and {ONLY_COUNTRY}.", example, minimum=0))


COUNT = integer("Number of prices behind the median, one for each depot.", 12, minimum=FEWEST)
MEDIAN = zloty("Median.", 1640.0)

COMPONENTS: dict[str, Schema] = {
    "FullStore": record(
        "A fuel depot with its price list.",
        {
            **STORE_FIELDS,
            "price_list": array(
                ref("PriceListItem"),
                f"The newest approved price of each fuel from the last {PRICE_LIST_MONTHS} months; empty without any.",
            ),
        },
    ),
    "PriceListItem": record(
        "The newest price of a fuel at a depot. Confirm it at the depot.",
        {
            "fuel": FUEL_SLUG,
            "name": FUEL_NAME,
            "price": zloty("Price per unit.", 1650.0),
            "unit": UNIT,
            "unit_name": UNIT_NAME,
            "date": day("Day of the price.", "2026-10-03"),
        },
    ),
    "Series": record(
        "Yearly averages of the statistical office. They are separate data: never merge them with the medians.",
        {
            "name": text("Name of the series.", series.SERIES[0].name),
            "unit": choice("What the numbers are in.", dict.fromkeys(one.unit for one in series.SERIES)),
            "period": text("What a number covers.", series.PERIOD),
            "poland": ref("YearlyPrices"),
            "voivodeships": table(
                ref("YearlyPrices"), "Prices of the voivodeships that the office has published, by slug.", keys=SLUG
            ),
            "source": ref("SeriesSource"),
            "origins": array(
                text("Where numbers of this series were read.", "GUS, Bank Danych Lokalnych"),
                "Where the numbers themselves were read, in alphabetical order.",
            ),
        },
    ),
    "YearlyPrices": {
        **table(number("Price in the unit of the series.", 887.3), "Prices by year, as published.", keys=YEAR),
        "examples": [{"2006": 491.54, "2018": 887.3}],
    },
    "SeriesSource": record(
        "The published series.",
        {
            "name": text(
                "Publisher and number of the statistical variable, or that the number is not known yet.",
                series.describe_source(5088)["name"],
            ),
            "url": address("Address of the series.", series.describe_source(5088)["url"]),
        },
    ),
    "AllSeries": {
        **record(
            "Series of the statistical office by identifier.", {kind.slug: ref("Series") for kind in series.SERIES}
        ),
        "additionalProperties": ref("Series"),
    },
    "FuelPrices": record(
        "What a fuel costs now: medians of approved prices. Quote them with the address in `page` and the day in `to`.",
        {
            "fuel": FUEL_SLUG,
            "name": FUEL_NAME,
            "area": record(
                "What the numbers cover.",
                {
                    "level": choice("Level of the area.", ["poland", "voivodeship"]),
                    "name": text("Name of the area.", "Polska", "małopolskie"),
                    "teryt": text("Empty for Poland, 2 digits for a voivodeship.", "", "12", pattern="^([0-9]{2})?$"),
                },
            ),
            "unit": UNIT,
            "unit_name": UNIT_NAME,
            "window_months": {
                **integer("Length of the price window in calendar months.", medians.WINDOW_MONTHS),
                "const": medians.WINDOW_MONTHS,
            },
            "from": nullable(day(f"First day of the price window; {ONLY_COUNTRY}.", "2026-05-21")),
            "to": nullable(day(f"Last day of the price window; {ONLY_COUNTRY}.", "2026-11-21")),
            "n": integer("Number of prices that count, one for each depot.", 679, minimum=0),
            "median": nullable(number(f"Median in zł per unit; null below {FEWEST} prices.", 1640.0, minimum=0)),
            "quartile_1": figure("First quartile in zł, by linear interpolation", 1560.0),
            "quartile_3": figure("Third quartile in zł, by linear interpolation", 1730.0),
            "min": figure("Lowest price that counts, in zł", 1390.0),
            "max": figure("Highest price that counts, in zł", 1950.0),
            "price_lists": nullable(
                integer(f"How many of the prices come from depot price lists; {ONLY_COUNTRY}.", 478, minimum=0)
            ),
            "submissions": nullable(
                integer(f"How many of the prices come from readers; {ONLY_COUNTRY}.", 201, minimum=0)
            ),
            "source": nullable(
                text(f"Origin of the prices, in Polish; {ONLY_COUNTRY}.", "Zatwierdzone ceny ze składów")
            ),
            "method": text(
                "How the median came about, in Polish.", "Mediana zatwierdzonych cen z ostatnich 6 miesięcy"
            ),
            "page": address("Page with the prices of the fuel.", f"{SITE}/ceny/pellet/"),
            "rejected": integer(
                "Number of prices rejected: outside the plausible range, or outliers. Only for Poland.", 12, minimum=0
            ),
            "bag_kg": number(
                "Usual weight of a bag in kg. Only for Poland and for "
                + ", ".join(f"`{fuel.slug}`" for fuel in fuels.FUELS if fuel.bag_kg)
                + ".",
                15,
            ),
            "bag_price": nullable(
                number(
                    f"Price of one bag in zł: median × `bag_kg` / 1000. Comes with `bag_kg`; null below {FEWEST} "
                    "prices.",
                    24.6,
                )
            ),
            "voivodeships": array(
                ref("VoivodeshipMedian"),
                f"Voivodeships with at least {FEWEST} prices, by TERYT code. Only for Poland.",
            ),
            "months": array(
                ref("MonthMedian"),
                f"Of the last {medians.MONTHS_SHOWN} calendar months those with at least {FEWEST} prices, oldest "
                "first. Only for Poland.",
            ),
            "gus": nullable(ref("OfficialAverage")),
            "arithmetic": ref("Arithmetic"),
            "values": array(
                zloty("A price that counts.", 1640.0),
                f"Prices that the country's median is computed from, ascending, without depots; empty below {FEWEST}. "
                "Only with `values` true, and only for Poland.",
            ),
            "demonstration": {
                **boolean("True while an invented price counts; absent otherwise.", example=True),
                "const": True,
            },
        },
        optional=[
            "rejected",
            "bag_kg",
            "bag_price",
            "voivodeships",
            "months",
            "gus",
            "arithmetic",
            "values",
            "demonstration",
        ],
    ),
    "VoivodeshipMedian": record(
        "Median of a voivodeship.",
        {
            "voivodeship": SLUG,
            "teryt": TERYT_2,
            "median": MEDIAN,
            "n": COUNT,
            "name": text("Name of the voivodeship.", "małopolskie"),
        },
    ),
    "MonthMedian": record(
        "Median of a calendar month.",
        {
            "month": text("Month, YYYY-MM.", "2026-10", pattern="^[0-9]{4}-(0[1-9]|1[0-2])$"),
            "median": MEDIAN,
            "n": COUNT,
        },
    ),
    "OfficialAverage": record(
        "The newest yearly average of the statistical office beside the median. Only for Poland and coal fuels; null "
        "while none is known. It never enters the median.",
        {
            "description": text("What the number is, in Polish.", "Średnia roczna cena detaliczna węgla kamiennego"),
            "year": integer("Year of the average.", 2018),
            "price": zloty("Average price of a tonne.", 887.3),
            "area": text("What the average covers.", "Polska"),
            "source": ref("SeriesSource"),
            "origin": text("Where the number itself was read.", "GUS, Bank Danych Lokalnych"),
        },
    ),
    "Arithmetic": record(
        "The steps to the median in numbers: considered - implausible - superseded - outliers = n. Only for Poland.",
        {
            "considered": integer("Approved prices in the window.", 722, minimum=0),
            "plausible_range": {
                **table(ref("PriceRange"), "Plausible range by slug of the fuel and its assortments.", keys=FUEL_SLUG),
                "examples": [{"pellet": {"low": 600.0, "high": 4000.0}}],
            },
            "implausible": integer("Prices outside the plausible range.", 5, minimum=0),
            "superseded": integer("Prices that a newer one of the same depot replaces.", 31, minimum=0),
            "fences": nullable(ref("PriceRange")),
            "outliers": integer("Prices beyond the fences.", 7, minimum=0),
        },
    ),
    "PriceRange": record(
        "A range of prices, both ends included. As `fences`: Tukey's outer fences, null below "
        f"{medians.FEWEST_FOR_FENCES} prices.",
        {"low": number("Lowest price, in zł.", 1050.0), "high": number("Highest price, in zł.", 2240.0)},
    ),
}


describe(
    "prices.viewsets.FullStoreViewSet",
    retrieve=extend_schema(
        operation_id="getStore",
        extensions=samples(
            ("One depot", '"/api/v1/stores/1"'),
        ),
        tags=[DEPOTS],
        summary="One depot with its price list",
        description="404 also for a depot that was removed; its page then tells the reason with status 410.",
        parameters=[DEPOT_ID],
        responses={(200, JSON): answer(ref("FullStore"), "The depot.")},
    ),
)


describe(
    "prices.viewsets.SeriesViewSet",
    list=extend_schema(
        operation_id="getOfficialPrices",
        extensions=samples(
            ("All series", '"/api/v1/prices"'),
        ),
        tags=[PRICES],
        summary="Official yearly averages",
        description=(
            "Average retail prices of hard coal, electricity (tariff G11) and gas (tariff W-1.1) by the statistical "
            f"office, for Poland and the voivodeships, from {FIRST_YEAR} as far as they are known."
        ),
        responses={(200, JSON): answer(ref("AllSeries"), "The series.")},
    ),
)


describe(
    "prices.viewsets.FuelPriceViewSet",
    retrieve=extend_schema(
        operation_id="getFuelPrices",
        extensions=samples(
            ("Pellet in Poland, with every price", '"/api/v1/prices/pellet?values=true"'),
            ("Pellet in a voivodeship", '"/api/v1/prices/pellet?voivodeship=malopolskie"'),
        ),
        tags=[PRICES],
        summary="What a fuel costs now",
        description=(
            f"Median of the approved prices of the last {medians.WINDOW_MONTHS} months: depot price lists, and "
            "submissions of readers after moderation. One depot counts as one price, its newest; prices outside a "
            f"plausible range and outliers are rejected; a median is given from {FEWEST} prices. Without `voivodeship` "
            "the answer covers Poland, with a breakdown by voivodeship and month."
        ),
        parameters=[
            in_path("fuel", FORM_OF_FUEL, "Slug of the fuel. Any other is answered with 404.", "pellet"),
            in_query(
                "voivodeship",
                FORM_OF_VOIVODESHIP,
                "Slug of a voivodeship, or its 2-digit TERYT code.",
                "malopolskie",
            ),
            in_query(
                "values",
                switch(""),
                "Adds the sorted `values` of the country; ignored with `voivodeship`.",
                True,
            ),
            in_query(
                "on",
                {"type": "string", "format": "date", "pattern": whole(DAY)},
                f"The day that the answer is as of, of prices approved by now: not in the future and at most "
                f"{MOST_MONTHS_BACK} months back. Today if left out.",
                "2026-10-01",
            ),
        ],
        responses={(200, JSON): answer(ref("FuelPrices"), "The prices.")},
    ),
)
