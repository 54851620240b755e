"""Parameters of the regulation endpoints as the OpenAPI description publishes them; `params` reads them."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.serializers import BooleanField, ChoiceField, DateField, IntegerField, Serializer

from catalog.api.openapi_parameters import PostcodeField, TerytField, VoivodeshipField
from catalog.api.params import LIMIT_DEFAULT, LIMIT_RANGE, OFFSET_RANGE, VOIVODESHIP_PATTERN
from fueldepot.http.params import MAX_VALUE_LENGTH
from regulations.codes import Appliance

VOIVODESHIP = OpenApiParameter(
    "voivodeship",
    {"type": "string", "pattern": VOIVODESHIP_PATTERN.pattern, "maxLength": MAX_VALUE_LENGTH},
    OpenApiParameter.PATH,
    description="Name or slug of a voivodeship, or its 2-digit TERYT code.",
    examples=[OpenApiExample("example", "malopolskie")],
)

ON = "Day of the answer, YYYY-MM-DD. Without it today in Poland."


class RegulationsParameters(Serializer[Any]):
    """Parameters of `/regulations`."""

    teryt = TerytField("Any unit: the answer is the state of its voivodeship.", required=False)
    postcode = PostcodeField("The voivodeship that contains it.", required=False)
    voivodeship = VoivodeshipField(required=False)
    on = DateField(required=False, help_text=ON, style={"example": "2027-01-01"})
    appliance = ChoiceField(
        Appliance.values,
        required=False,
        help_text="Code of an appliance to check in the municipality of `teryt` (7 digits) or `postcode`: the answer "
        "gains `requested_appliance`.",
        style={"example": Appliance.BOILER_CLASS_3.value},
    )
    binding = BooleanField(
        default=False,
        help_text="Only what binds or may bind the unit of `teryt` or `postcode`: of `deadlines`, `banned_fuels` and "
        "`acts` the others are left out, and so is what is empty, repeated or tells other units apart; every source "
        "stands once, in `sources` of the entry.",
        style={"example": True},
    )


class DeadlinesParameters(Serializer[Any]):
    """Parameters of `/deadlines`."""

    to = DateField(
        required=False, help_text="Last day, YYYY-MM-DD. Without it there is no end.", style={"example": "2027-12-31"}
    )
    limit = IntegerField(
        default=LIMIT_DEFAULT,
        min_value=LIMIT_RANGE[0],
        max_value=LIMIT_RANGE[1],
        help_text="Most deadlines in the answer. How many there are in all stands in `X-Total-Count`.",
        style={"example": 3},
    )
    offset = IntegerField(
        default=0,
        min_value=OFFSET_RANGE[0],
        max_value=OFFSET_RANGE[1],
        help_text="How many of the first deadlines are left out.",
        style={"example": 3},
    )
    voivodeship = VoivodeshipField(required=False)
    appliance = ChoiceField(
        Appliance.values,
        required=False,
        help_text="Only deadlines that name this appliance in `appliances` or `unclear_appliances`.",
        style={"example": Appliance.BOILER_CLASS_3.value},
    )

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields and `from`, which is a keyword of Python."""
        first = DateField(
            required=False,
            help_text="First day, YYYY-MM-DD. Without it today in Poland.",
            style={"example": "2026-11-22"},
        )
        return {"from": first, **super().get_fields()}


class CalendarParameters(Serializer[Any]):
    """Query of `/regulations/{voivodeship}.ics`."""

    teryt = TerytField(
        "Only deadlines that bind this unit or a part of it; it must lie in the voivodeship.", required=False
    )
    on = DateField(required=False, help_text=ON, style={"example": "2027-01-01"})
