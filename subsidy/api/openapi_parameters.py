"""Parameters of the calculator as the OpenAPI description publishes them; `params` reads them.

The query, a form and a JSON body take the same parameters. Bodies declare no defaults: client generators make a field
with a default required. Numbers and switches have plain types; other accepted spellings (a decimal comma, `tak`) are
described in words, because generators cannot express both in one type.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework.serializers import (
    BooleanField,
    ChoiceField,
    DateField,
    FloatField,
    IntegerField,
    Serializer,
    empty,
)

from subsidy import rules
from subsidy.api import params
from subsidy.application import DOCUMENTS, ENVELOPE, Heating, IncomeType, Item

REQUIRED_TOGETHER = {"income": ["people"]}
"""Parameters that require others: JSON Schema's `dependentRequired`."""

WORKS = {
    Item.CEILING: "roof or ceiling insulation",
    Item.FLOOR: "floor insulation",
    Item.WALLS: "wall insulation",
    Item.WINDOWS: "windows",
    Item.DOORS: "external doors",
    Item.GATES: "garage doors",
}
AREA_EXAMPLES = {Item.WALLS: 150, Item.CEILING: 90}

INCOME_TYPE = (
    "`person` (synonym `osoba`): of one person on average; `household` (`gospodarstwo`): of the household, and it is "
    "divided by `people`."
)


def amount(words: str, example: float) -> FloatField:
    """Return a field for an amount of money."""
    low, high = params.MONEY_RANGE
    return FloatField(
        required=False,
        min_value=low,
        max_value=high,
        help_text=f"{words} In zł, with a decimal point or comma.",
        style={"example": example},
    )


def flag(words: str) -> BooleanField:
    """Return a field for a switch."""
    return BooleanField(default=False, help_text=words, style={"example": True})


def rules_day() -> DateField:
    """Return a field for the day of the rules."""
    return DateField(
        required=False,
        help_text=f"Day whose rules count, YYYY-MM-DD, from {rules.current().begins}. Without it today in Poland.",
        style={"example": "2026-10-01"},
    )


@extend_schema_serializer(deprecate_fields=list(params.SYNONYMS))
class SubsidyParameters(Serializer[Any]):
    """Parameters of `/subsidy`."""

    people = IntegerField(
        required=False,
        min_value=params.PEOPLE_RANGE[0],
        max_value=params.PEOPLE_RANGE[1],
        help_text="Household size. Required together with `income`.",
        style={"example": 4},
    )
    income = amount(
        "Average monthly income; decides the elevated and highest levels. Never stored or logged.", example=2000
    )
    income_type = ChoiceField(
        list(params.INCOME_TYPES),
        default=IncomeType.PERSON.value,
        help_text=f"What `income` is. {INCOME_TYPE}",
        style={"example": "person"},
    )
    dochod_typ = ChoiceField(
        list(params.INCOME_TYPES),
        required=False,
        help_text="Synonym of `income_type`; give only one of them.",
        style={"example": "osoba"},
    )
    benefit = flag(
        "Established right to a permanent, periodic, family or special care benefit; qualifies for the highest level."
    )
    annual_income = amount("Applicant's annual income (tax base); threshold of the basic level.", example=60000)
    business = flag("Applicant or spouse runs a business (including rental); the result adds a revenue limit.")
    current_heating = ChoiceField(
        list(params.HEATINGS),
        default=Heating.SOLID_FUEL.value,
        help_text="`solid_fuel` (synonym `stale`): only solid fuel below class 5; `solid_fuel_class5` (`stale5`): "
        "class 5 boiler or eco-design; `other` (`inne`): gas, oil, electricity, heat pump, network or several sources.",
        style={"example": "solid_fuel"},
    )
    eu = ChoiceField(
        list(params.PROJECT_TYPES),
        default=params.UNKNOWN,
        help_text="Index of useful-energy demand for heating from the audit, which equals the project type: `1` below "
        "80, `2` from 80 to 140, `3` above 140 kWh/(m²·year). With `unknown` (synonym `niewiem`) the result has three "
        "variants. JSON may also give the number.",
        style={"example": "3"},
    )
    new_source = ChoiceField(
        list(params.NEW_SOURCES),
        default=params.NO_SOURCE,
        help_text="New heat source. With `heat_pump_ground` its ground source loop is added.",
        style={"example": "pellet_boiler"},
    )
    central_heating_dhw = flag("New central heating and hot water installation.")
    ventilation = flag("Mechanical ventilation with heat recovery.")
    html = flag("Adds ready HTML fragments of the result.")
    brief = flag("Only level, share, sums and notes, without `items`, `audit_variants`, `conditions` and `sources`.")
    on = rules_day()

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields and those generated for each item: areas, documents and costs."""
        low, high = params.AREA_RANGE
        areas = {
            item.value: FloatField(
                required=False,
                min_value=low,
                max_value=high,
                help_text=f"Area of {WORKS[item]} in m², with a decimal point or comma. Empty or 0 means out of scope.",
                style={"example": AREA_EXAMPLES.get(item, 20)},
            )
            for item in ENVELOPE
        }
        audit, certificate = DOCUMENTS
        documents = {
            audit.value: flag("Refund of the energy audit cost."),
            certificate.value: flag("Refund of the energy certificate cost after works."),
        }
        costs = {
            f"cost_{item}": amount(
                f"Net cost of the item `{item}`. Without it the maximum subsidy is calculated; without the item it is "
                "ignored with a note.",
                example=15000,
            )
            for item in Item
        }
        return {**super().get_fields(), **areas, **documents, **costs}


class LimitsParameters(Serializer[Any]):
    """Parameters of `/subsidy/limits`."""

    about = ChoiceField(
        params.ABOUT,
        required=False,
        help_text="Only thresholds and shares of the levels, limits of the project types, or limits of the items.",
        style={"example": "levels"},
    )
    on = rules_day()


class SubsidyFormSerializer(SubsidyParameters):
    """The parameters of GET, in every spelling of GET, as a form; those of the address are not read."""

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, all optional and without defaults."""
        fields = super().get_fields()
        for field in fields.values():
            field.default, field.required = empty, False
        return fields


class SubsidyJsonSerializer(SubsidyFormSerializer):
    """The parameters of GET as JSON; those of the address are not read.

    Null counts as not given. Numbers and switches may also stand in strings, written as in a form, and 1 and 0 are
    switches too.
    """

    def get_fields(self) -> dict[str, Any]:
        """Return the fields of the form; each may be null."""
        fields = super().get_fields()
        for field in fields.values():
            field.allow_null = True
        return fields
