"""Serializers of `/prices/{fuel}`; drf-spectacular publishes their declared fields.

Amounts are złoty to two decimals. `catalog.api.serializers` explains why `to_representation` is written out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.urls import reverse
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    RegexField,
    Serializer,
    URLField,
)

from catalog.api.serializers import SITE
from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.models import Voivodeship
from fueldepot.http.links import site_url
from prices import descriptions, medians
from prices.api.depot_serializers import UNIT_HELP
from prices.api.series_serializers import OfficialAverageSerializer, number
from prices.medians import Month, PriceStatistics, Range, Summary, zloty
from prices.snapshot import OfficialPrice

FEWEST = medians.FEWEST_FOR_MEDIAN
ONLY_COUNTRY = "null in answers about a voivodeship"


def optional_amount(words: str, example: float) -> FloatField:
    """Return a field for an amount in zł or null."""
    return FloatField(allow_null=True, min_value=0, help_text=words, style={"example": example})


class AreaSerializer(Serializer[Any]):
    """What the numbers cover."""

    level = ChoiceField(["poland", "voivodeship"], help_text="Level of the area.", style={"example": "poland"})
    name = CharField(help_text="Name of the area.", style={"example": "Polska"})
    teryt = RegexField(
        "^([0-9]{2})?$", help_text="Empty for Poland, 2 digits for a voivodeship.", style={"example": ""}
    )


class VoivodeshipMedianSerializer(Serializer[Any]):
    """Median of a voivodeship."""

    voivodeship = CharField(
        help_text="Slug of the voivodeship: its name in lower case without diacritics.",
        style={"example": "malopolskie"},
    )
    teryt = RegexField("^[0-9]{2}$", help_text="TERYT code of the voivodeship, 2 digits.", style={"example": "12"})
    median = FloatField(min_value=0, help_text="Median. In zł.", style={"example": 1640.0})
    n = IntegerField(
        min_value=FEWEST, help_text="Number of prices behind the median, one for each depot.", style={"example": 12}
    )
    name = CharField(help_text="Name of the voivodeship.", style={"example": "małopolskie"})


class MonthMedianSerializer(Serializer[Any]):
    """Median of a calendar month."""

    month = RegexField("^[0-9]{4}-(0[1-9]|1[0-2])$", help_text="Month, YYYY-MM.", style={"example": "2026-10"})
    median = FloatField(min_value=0, help_text="Median. In zł.", style={"example": 1640.0})
    n = IntegerField(
        min_value=FEWEST, help_text="Number of prices behind the median, one for each depot.", style={"example": 12}
    )
    complete = BooleanField(
        help_text="False for the month that the day of the answer lies in: its median may still change.",
        style={"example": True},
    )


class PriceRangeSerializer(Serializer[Range]):
    __doc__ = (
        "A range of prices, both ends included. As `fences`: Tukey's outer fences, null below "
        f"{medians.FEWEST_FOR_FENCES} prices."
    )

    low = FloatField(help_text="Lowest price, in zł.", style={"example": 1050.0})
    high = FloatField(help_text="Highest price, in zł.", style={"example": 2240.0})

    def to_representation(self, instance: Range) -> dict[str, Any]:
        """Return both ends of a range."""
        return {"low": number(instance.low), "high": number(instance.high)}


class ArithmeticSerializer(Serializer[tuple[PriceStatistics, Mapping[str, Range]]]):
    """The steps to the median in numbers: considered - implausible - superseded - outliers = n. Only for Poland."""

    considered = IntegerField(min_value=0, help_text="Approved prices in the window.", style={"example": 722})
    plausible_range = DictField(
        child=PriceRangeSerializer(),
        help_text="Plausible range by slug of the fuel and its assortments.",
        style={"example": {"pellet": {"low": 600.0, "high": 4000.0}}},
    )
    implausible = IntegerField(min_value=0, help_text="Prices outside the plausible range.", style={"example": 5})
    superseded = IntegerField(
        min_value=0, help_text="Prices that a newer one of the same depot replaces.", style={"example": 31}
    )
    fences = PriceRangeSerializer(allow_null=True)
    outliers = IntegerField(min_value=0, help_text="Prices beyond the fences.", style={"example": 7})

    def to_representation(self, instance: tuple[PriceStatistics, Mapping[str, Range]]) -> dict[str, Any]:
        """Return the steps. instance: statistics, and the ranges of the fuel and its assortments."""
        figures, ranges = instance
        ends = PriceRangeSerializer()
        return {
            "considered": figures.considered,
            "plausible_range": {slug: ends.to_representation(limits) for slug, limits in ranges.items()},
            "implausible": figures.rejected_as(medians.IMPLAUSIBLE),
            "superseded": figures.superseded,
            "fences": figures.fences and ends.to_representation(figures.fences),
            "outliers": figures.rejected_as(medians.OUTLIER),
        }


@dataclass(frozen=True, slots=True)
class PricedFuel:
    """Prices of a fuel on a day.

    ranges: of the fuel and its assortments. voivodeships: by 2 digits. official: the newest average of a coal fuel,
    None without one. voivodeship: of the response, None for Poland. values: include the prices behind the country's
    median. months: of the voivodeship.
    """

    fuel: Fuel
    figures: PriceStatistics
    ranges: Mapping[str, Range]
    voivodeships: Mapping[str, Voivodeship]
    official: OfficialPrice | None = None
    voivodeship: Voivodeship | None = None
    months: Sequence[Month] = ()
    values: bool = False


class FuelPricesSerializer(Serializer[PricedFuel]):
    """What a fuel costs now: medians of approved prices. Quote them with the address in `page` and the day in `to`."""

    fuel = ChoiceField(list(fuels.BY_SLUG), help_text="Slug of the fuel.", style={"example": "pellet"})
    name = ChoiceField(
        [fuel.name for fuel in fuels.FUELS], help_text="Display name of the fuel.", style={"example": "Pellet"}
    )
    area = AreaSerializer()
    unit = ChoiceField(list(fuels.UNIT_NAMES), help_text=UNIT_HELP, style={"example": "t"})
    unit_name = ChoiceField(
        list(fuels.UNIT_NAMES.values()), help_text="Polish name of the unit.", style={"example": "tona"}
    )
    window_months = ChoiceField(
        [medians.WINDOW_MONTHS],
        help_text="Length of the price window in calendar months.",
        style={"example": medians.WINDOW_MONTHS},
    )

    to = DateField(
        allow_null=True, help_text=f"Last day of the price window; {ONLY_COUNTRY}.", style={"example": "2026-11-21"}
    )
    n = IntegerField(min_value=0, help_text="Number of prices that count, one for each depot.", style={"example": 679})
    median = optional_amount(f"Median in zł per unit; null below {FEWEST} prices.", 1640.0)
    quartile_1 = optional_amount(
        f"First quartile in zł, by linear interpolation; null below {FEWEST} prices, and {ONLY_COUNTRY}.", 1560.0
    )
    quartile_3 = optional_amount(
        f"Third quartile in zł, by linear interpolation; null below {FEWEST} prices, and {ONLY_COUNTRY}.", 1730.0
    )
    min = optional_amount(f"Lowest price that counts, in zł; null below {FEWEST} prices, and {ONLY_COUNTRY}.", 1390.0)
    max = optional_amount(f"Highest price that counts, in zł; null below {FEWEST} prices, and {ONLY_COUNTRY}.", 1950.0)
    price_lists = IntegerField(
        allow_null=True,
        min_value=0,
        help_text=f"How many of the prices come from depot price lists; {ONLY_COUNTRY}.",
        style={"example": 478},
    )
    submissions = IntegerField(
        allow_null=True,
        min_value=0,
        help_text=f"How many of the prices come from readers; {ONLY_COUNTRY}.",
        style={"example": 201},
    )
    source = CharField(  # type: ignore[assignment] # a field of the answer
        allow_null=True,
        help_text=f"Origin of the prices, in Polish; {ONLY_COUNTRY}.",
        style={"example": "Zatwierdzone ceny ze składów"},
    )
    method = CharField(
        help_text="How the median came about, in Polish.",
        style={"example": f"Mediana zatwierdzonych cen z ostatnich {medians.WINDOW_MONTHS} miesięcy"},
    )
    page = URLField(help_text="Page with the prices of the fuel.", style={"example": f"{SITE}/ceny/pellet/"})
    rejected = IntegerField(
        required=False,
        min_value=0,
        help_text="Number of prices rejected: outside the plausible range, or outliers. Only for Poland.",
        style={"example": 12},
    )
    bag_kg = FloatField(
        required=False,
        help_text="Usual weight of a bag in kg. Only for Poland and for "
        + ", ".join(f"`{fuel.slug}`" for fuel in fuels.FUELS if fuel.bag_kg)
        + ".",
        style={"example": 15},
    )
    bag_price = FloatField(
        required=False,
        allow_null=True,
        help_text=f"Price of one bag in zł: median × `bag_kg` / 1000. Comes with `bag_kg`; null below {FEWEST} prices.",
        style={"example": 24.6},
    )
    voivodeships = VoivodeshipMedianSerializer(
        many=True,
        required=False,
        help_text=f"Voivodeships with at least {FEWEST} prices, by TERYT code. Only for Poland.",
    )
    months = MonthMedianSerializer(
        many=True,
        required=False,
        help_text=f"Of the last {medians.MONTHS_SHOWN} calendar months those with at least {FEWEST} prices, oldest "
        "first. Of a voivodeship, those with as many of its own.",
    )
    gus = OfficialAverageSerializer(required=False, allow_null=True)
    arithmetic = ArithmeticSerializer(required=False)
    values = ListField(
        child=FloatField(min_value=0, help_text="A price that counts. In zł.", style={"example": 1640.0}),
        required=False,
        help_text=f"Prices that the country's median is computed from, ascending, without depots; empty below {FEWEST}."
        " Only with `values` true, and only for Poland.",
    )
    window_from = DateField(help_text="First day of the price window.", style={"example": "2026-05-21"})
    window_to = DateField(help_text="Last day of the price window.", style={"example": "2026-11-21"})
    demonstration = BooleanField(
        required=False,
        help_text="True while an invented price counts; absent otherwise.",
        style={"example": True},
    )

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields and `from`, which is a keyword of Python."""
        return {
            **super().get_fields(),
            "from": DateField(
                allow_null=True,
                help_text=f"First day of the price window; {ONLY_COUNTRY}.",
                style={"example": "2026-05-21"},
            ),
        }

    def to_representation(self, instance: PricedFuel) -> dict[str, Any]:
        """Return the response for Poland or for a voivodeship."""
        answer = describe_country(instance) if instance.voivodeship is None else describe_voivodeship(instance)
        answer |= {"window_from": instance.figures.start, "window_to": instance.figures.end}
        return answer | {"demonstration": True} if instance.figures.demonstration else answer


def describe_fuel(fuel: Fuel, area: dict[str, str]) -> dict[str, Any]:
    """Return the fields that open every response."""
    return {
        "fuel": fuel.slug,
        "name": fuel.name,
        "area": area,
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "window_months": medians.WINDOW_MONTHS,
    }


def describe_country(asked: PricedFuel) -> dict[str, Any]:
    """Return the fields of a response for Poland. `gus` is null for a coal fuel without a known average."""
    fuel, figures, summary = asked.fuel, asked.figures, asked.figures.country
    answer = {
        **describe_fuel(fuel, {"level": "poland", "name": descriptions.POLAND, "teryt": ""}),
        "from": figures.start.isoformat(),
        "to": figures.end.isoformat(),
        "n": summary.n,
        "median": number(summary.median),
        "quartile_1": number(summary.quartile_1),
        "quartile_3": number(summary.quartile_3),
        "min": number(summary.min),
        "max": number(summary.max),
        "price_lists": figures.price_lists,
        "submissions": summary.n - figures.price_lists,
        "source": descriptions.INVENTED_ORIGIN if figures.demonstration else descriptions.ORIGIN,
        "method": descriptions.method(fuel, asked.ranges, demonstration=figures.demonstration),
        "page": site_url(reverse("fuel-prices", args=[fuel.slug])),
        "rejected": len(figures.rejected),
    }
    if fuel.bag_kg is not None:
        median = None if summary.median is None else medians.rounded(summary.median)
        answer["bag_kg"] = fuel.bag_kg
        answer["bag_price"] = None if median is None else number(medians.bag_price(median, fuel.bag_kg))
    answer["voivodeships"] = [
        {
            "voivodeship": asked.voivodeships[area].slug,
            "teryt": area,
            "median": number(found.median),
            "n": found.n,
            "name": asked.voivodeships[area].name,
        }
        for area, found in figures.voivodeships.items()
        if found.median is not None
    ]
    answer["months"] = describe_months(figures.months, figures.end)
    if fuel.slug in fuels.COALS:
        answer["gus"] = asked.official and OfficialAverageSerializer().to_representation(asked.official)
    answer["arithmetic"] = ArithmeticSerializer().to_representation((figures, asked.ranges))
    if asked.values:
        answer["values"] = accepted_prices(figures)
    return answer


def describe_voivodeship(asked: PricedFuel) -> dict[str, Any]:
    """Return the fields of a response for a voivodeship. Its median is of those prices that are accepted for Poland."""
    assert asked.voivodeship is not None  # noqa: S101 - checked by the caller
    fuel, figures, unit = asked.fuel, asked.figures, asked.voivodeship
    summary = figures.voivodeships.get(unit.teryt, Summary(0))
    return {
        **describe_fuel(fuel, {"level": "voivodeship", "name": unit.name, "teryt": unit.teryt}),
        "from": None,
        "to": None,
        "n": summary.n,
        "median": number(summary.median),
        **dict.fromkeys(("quartile_1", "quartile_3", "min", "max", "price_lists", "submissions", "source")),
        "method": descriptions.voivodeship_method(fuel, asked.ranges, demonstration=figures.demonstration),
        "page": site_url(reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug])),
        "months": describe_months(asked.months, figures.end),
    }


def describe_months(months: Sequence[Month], day: date) -> list[dict[str, Any]]:
    """Return the medians of months. day: of the response; its month is incomplete."""
    return [
        {"month": one.month, "median": number(one.median), "n": one.n, "complete": one.month < f"{day:%Y-%m}"}
        for one in months
    ]


def accepted_prices(figures: PriceStatistics) -> list[float | None]:
    """Return the prices behind the country's median, ascending; none without a median."""
    if figures.country.median is None:
        return []
    return [number(zloty(grosze)) for grosze in figures.accepted]
