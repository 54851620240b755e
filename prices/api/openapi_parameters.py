"""Parameters of the price endpoints as the OpenAPI description publishes them; `params` reads them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.serializers import BooleanField, ChoiceField, DateField, IntegerField, RegexField, Serializer

from catalog.api.openapi_parameters import VoivodeshipField
from catalog.api.params import VOIVODESHIP_PATTERN
from catalog.depots import fuels
from fueldepot.http.params import MAX_VALUE_LENGTH
from prices.api.params import LAST_YEAR, MOST_MONTHS_BACK
from prices.series import BY_SLUG, FIRST_YEAR

FUEL = OpenApiParameter(
    "fuel",
    {"type": "string", "enum": list(fuels.BY_SLUG)},
    OpenApiParameter.PATH,
    description="Slug of the fuel. Any other is answered with 404.",
    examples=[OpenApiExample("example", "pellet")],
)


class SeriesParameters(Serializer[Any]):
    """Query of `/prices`."""

    series = ChoiceField(
        list(BY_SLUG),
        required=False,
        help_text="Only numbers of this series; the others are empty.",
        style={"example": "prad-g11"},
    )
    year = IntegerField(
        required=False,
        min_value=FIRST_YEAR,
        max_value=LAST_YEAR,
        help_text="Only numbers of this year.",
        style={"example": 2019},
    )
    voivodeship = RegexField(
        VOIVODESHIP_PATTERN,
        required=False,
        max_length=MAX_VALUE_LENGTH,
        help_text="Only numbers of this voivodeship, by its name, slug or 2-digit TERYT code; `polska` for Poland.",
        style={"example": "polska"},
    )


class FuelPricesParameters(Serializer[Any]):
    """Query of `/prices/{fuel}`."""

    voivodeship = VoivodeshipField(required=False)
    values = BooleanField(
        default=False,
        help_text="Adds the sorted `values` of the country; ignored with `voivodeship`.",
        style={"example": True},
    )
    on = DateField(
        required=False,
        help_text="The day that the answer is as of, of prices approved by now: not in the future and at most "
        f"{MOST_MONTHS_BACK} months back. Today if left out.",
        style={"example": "2026-10-01"},
    )
