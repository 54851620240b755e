"""Serializers of the series of the statistical office."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework.serializers import (
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
from fueldepot.http.links import route_path, site_url
from prices import descriptions, medians, series
from prices.series import FIRST_YEAR
from prices.snapshot import ObservedPrice, OfficialPrice, SeriesRows


def number(amount: Decimal | None) -> float | None:
    """Return an amount in zł, rounded to the grosz, as a JSON number or null."""
    return None if amount is None else float(medians.rounded(amount))


class SeriesSourceSerializer(Serializer[Any]):
    """The published series."""

    name = CharField(
        help_text="Publisher and number of the statistical variable, or that the number is not known yet.",
        style={"example": series.describe_source(5088)["name"]},
    )
    url = URLField(help_text="Address of the series.", style={"example": series.describe_source(5088)["url"]})


@extend_schema_field(
    {
        "type": "object",
        "description": "Prices by year, as published.",
        "propertyNames": {"type": "string", "pattern": "^[0-9]{4}$", "description": f"A year, from {FIRST_YEAR}."},
        "additionalProperties": {
            "type": "number",
            "description": "Price in the unit of the series.",
            "examples": [887.3],
        },
        "examples": [{"2006": 491.54, "2018": 887.3}],
    },
    component_name="YearlyPrices",
)
class YearlyPricesField(DictField):
    """Prices by year, as published."""


class ObservedValueSerializer(Serializer[ObservedPrice]):
    """One number of a series, with where it was read. context: `as_of`."""

    area = CharField(help_text="What it covers: `Polska` or a voivodeship.", style={"example": "Polska"})
    teryt = RegexField(
        "^([0-9]{2})?$", help_text="Empty for Poland, 2 digits for a voivodeship.", style={"example": ""}
    )
    year = IntegerField(help_text="The year.", style={"example": 2018})
    price = FloatField(min_value=0, help_text="Price in the unit of the series.", style={"example": 887.3})
    origin = CharField(help_text="Where it was read.", style={"example": "Monitor Polski, M.P.2019.49"})
    as_of = DateField(
        allow_null=True,
        help_text="Day on which the numbers of this service last changed; null when not known.",
        style={"example": "2026-11-20"},
    )

    def to_representation(self, instance: ObservedPrice) -> dict[str, Any]:
        """Return the fields of a number."""
        return {
            "area": instance.voivodeship or descriptions.POLAND,
            "teryt": instance.teryt,
            "year": instance.year,
            "price": float(instance.price),
            "origin": instance.source,
            "as_of": self.context["as_of"],
        }


class SeriesSerializer(Serializer[tuple[str, SeriesRows]]):
    """Yearly averages of the statistical office. They are separate data: never merge them with the medians."""

    name = CharField(help_text="Name of the series.", style={"example": series.SERIES[0].name})
    unit = ChoiceField(
        list(dict.fromkeys(one.unit for one in series.SERIES)),
        help_text="What the numbers are in.",
        style={"example": series.SERIES[0].unit},
    )
    period = CharField(help_text="What a number covers.", style={"example": series.PERIOD})
    poland = YearlyPricesField()
    voivodeships = DictField(
        child=YearlyPricesField(),
        help_text="Prices of the voivodeships that the office has published, by slug.",
        style={"example": {"malopolskie": {"2006": 487.1, "2018": 880.2}}},
    )
    source = SeriesSourceSerializer()  # type: ignore[assignment] # a field of the answer
    origins = ListField(
        child=CharField(
            help_text="Where numbers of this series were read.", style={"example": "GUS, Bank Danych Lokalnych"}
        ),
        help_text="Where the numbers themselves were read, in alphabetical order.",
    )
    page = URLField(help_text="Page of the official averages.", style={"example": f"{SITE}/ceny/gus/"})
    values = ObservedValueSerializer(
        many=True,
        required=False,
        help_text="The numbers one by one, Poland first; only with `series`, `year` or `voivodeship`.",
    )

    def to_representation(self, instance: tuple[str, SeriesRows]) -> dict[str, Any]:
        """Return the fields of a series. instance: slug and numbers. context: `values` of all series, optional."""
        slug, rows = instance
        body: dict[str, Any] = {
            "name": series.BY_SLUG[slug].name,
            "unit": series.BY_SLUG[slug].unit,
            "period": series.PERIOD,
            "poland": years(rows.poland),
            "voivodeships": {area: years(prices) for area, prices in rows.voivodeships.items()},
            "source": series.describe_source(rows.variable_id),
            "origins": rows.sources,
            "page": site_url(route_path("official-prices")),
        }
        if "values" in self.context:
            value = ObservedValueSerializer(context=self.context)
            body["values"] = [value.to_representation(row) for row in self.context["values"] if row.series == slug]
        return body


def years(prices: Mapping[int, Decimal]) -> dict[str, float]:
    """Return prices by year, not rounded: a kilowatt-hour costs fractions of a grosz."""
    return {str(year): float(price) for year, price in prices.items()}


class AllSeriesSerializer(Serializer[Mapping[str, SeriesRows]]):
    """Series of the statistical office by identifier."""

    def get_fields(self) -> dict[str, Any]:
        """Return a field for each series."""
        return {kind.slug: SeriesSerializer() for kind in series.SERIES}

    def to_representation(self, instance: Mapping[str, SeriesRows]) -> dict[str, Any]:
        """Return every series by its slug."""
        one = SeriesSerializer(context=self.context)
        return {slug: one.to_representation((slug, rows)) for slug, rows in instance.items()}


class AverageSourceSerializer(Serializer[Any]):
    """Where one figure was read."""

    name = CharField(
        help_text="Publisher, and who quotes it if it was read elsewhere.",
        style={"example": "Monitor Polski, M.P.2019.49"},
    )
    url = URLField(help_text="Where it was read.", style={"example": series.describe_source(5088)["url"]})


class OfficialAverageSerializer(Serializer[OfficialPrice]):
    """The newest yearly average of the statistical office beside the median.

    Only for Poland and coal fuels; null while none is known. It never enters the median.
    """

    description = CharField(
        help_text="What the number is and of which year, in Polish.",
        style={"example": "Średnia roczna cena detaliczna węgla kamiennego w Polsce w 2022 r. według GUS."},
    )
    year = IntegerField(help_text="Year of the average.", style={"example": 2018})
    price = FloatField(min_value=0, help_text="Average price of a tonne. In zł.", style={"example": 887.3})
    area = CharField(help_text="What the average covers.", style={"example": "Polska"})
    source = AverageSourceSerializer()  # type: ignore[assignment] # a field of the answer
    origin = CharField(help_text="Where the number itself was read.", style={"example": "GUS, Bank Danych Lokalnych"})

    def to_representation(self, instance: OfficialPrice) -> dict[str, Any]:
        """Return the fields of an average."""
        return {
            "description": descriptions.official_average(instance.year),
            "year": instance.year,
            "price": number(instance.price),
            "area": descriptions.POLAND,
            "source": series.describe_origin(instance.source, instance.variable_id),
            "origin": instance.source,
        }
