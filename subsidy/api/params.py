"""Parameters of the calculator, with every bound, and their removal from requests: no log may hold an income."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Annotated, Any

from django.http import HttpRequest
from pydantic import ValidationInfo, create_model, field_validator

from fueldepot.http.params import Day, ParameterError, Switch, choice, exact, refusal, whole, word_for
from fueldepot.http.query import Pairs, Query, field, split_query, today_unless_given
from fueldepot.http.request_body import read_pairs
from subsidy import rules
from subsidy.household_and_plan import (
    AREA_RANGE,
    DOCUMENTS,
    MONEY_RANGE,
    PEOPLE_RANGE,
    SOURCES,
    Application,
    Heating,
    IncomeType,
    Item,
    ProjectType,
)

WORKS = {
    Item.CEILING: ("roof or ceiling insulation", 90),
    Item.FLOOR: ("floor insulation", 20),
    Item.WALLS: ("wall insulation", 150),
    Item.WINDOWS: ("windows", 20),
    Item.DOORS: ("external doors", 20),
    Item.GATES: ("garage doors", 20),
}
"""Works measured in m², each with an example of its area."""

INCOME_TYPES = {kind.value: kind for kind in IncomeType} | {
    "osoba": IncomeType.PERSON,
    "gospodarstwo": IncomeType.HOUSEHOLD,
}
HEATINGS = {kind.value: kind for kind in Heating} | {
    "stale": Heating.SOLID_FUEL,
    "stale5": Heating.SOLID_FUEL_CLASS_5,
    "inne": Heating.OTHER,
}
UNKNOWN = "unknown"
# openapi-python-client names choices that are digits by their places: VALUE_1 is "1".
PROJECT_TYPES = {UNKNOWN: None} | {str(int(kind)): kind for kind in ProjectType} | {"niewiem": None}
NO_SOURCE = "none"
NEW_SOURCES = {NO_SOURCE: None} | {item.value: item for item in SOURCES}

Money = Annotated[Decimal | None, exact(*MONEY_RANGE)]
# Plans state areas to three decimals, while thousands of m² are hardly a dwelling's.
Area = Annotated[Decimal | None, exact(*AREA_RANGE, three_digits="decimals")]


def money(use: str, example: float) -> Any:
    return field(f"An amount in zł, in digits with a decimal point or comma. {use}", example, repr=False)


class RulesQuery(Query):
    """Parameters of operations whose answer is of the rules of a day."""

    on: Annotated[
        Day,
        field(
            f"A day as YYYY-MM-DD, from {rules.current().begins}, when the programme began. Its rules count. Without "
            "it today in Poland.",
            "2026-10-01",
        ),
    ] = today_unless_given()

    @field_validator("on")
    @classmethod
    def check_day(cls, on: date, info: ValidationInfo) -> date:
        """Refuse a day before the programme; the day of the request is answered in any case."""
        if on < rules.current().begins and on != (info.context or {})["today"]:
            raise refusal("out_of_range")
        return on


class PlanQuery(RulesQuery):
    """Parameters of `/subsidy` but those of items, which `SubsidyQuery` adds."""

    empty_is_absent = True
    private = ("income", "annual_income")
    synonyms = {"dochod_typ": "income_type"}

    people: Annotated[
        int | None, whole(*PEOPLE_RANGE), field("A whole number of people. Required together with `income`.", 4)
    ] = None
    income: Annotated[
        Money, money("Average monthly income; decides the elevated and highest levels. Never stored or logged.", 2000)
    ] = None
    income_type: Annotated[
        IncomeType,
        word_for(INCOME_TYPES),
        field(
            "What `income` is. `person` (synonym `osoba`): of one person on average; `household` (`gospodarstwo`): of "
            "the household, and it is divided by `people`.",
            "person",
        ),
    ] = IncomeType.PERSON
    benefit: Annotated[
        Switch,
        field(
            "Established right to a permanent, periodic, family or special care benefit; qualifies for the highest "
            "level.",
            True,
        ),
    ] = False
    annual_income: Annotated[
        Money, money("Applicant's annual income (tax base); threshold of the basic level.", 60000)
    ] = None
    business: Annotated[
        Switch, field("Applicant or spouse runs a business (including rental); the result adds a revenue limit.", True)
    ] = False
    current_heating: Annotated[
        Heating,
        word_for(HEATINGS),
        field(
            "`solid_fuel` (synonym `stale`): only solid fuel below class 5; `solid_fuel_class5` (`stale5`): class 5 "
            "boiler or eco-design; `other` (`inne`): gas, oil, electricity, heat pump, network or several sources.",
            "solid_fuel",
        ),
    ] = Heating.SOLID_FUEL
    eu: Annotated[
        ProjectType | None,
        word_for(PROJECT_TYPES),
        field(
            "Index of useful-energy demand for heating from the audit, which equals the project type: `1` below 80, "
            "`2` from 80 to 140, `3` above 140 kWh/(m²·year). With `unknown` (synonym `niewiem`) the result has three "
            "variants. JSON may also give the number.",
            "3",
            json_schema_extra={"default": UNKNOWN},
        ),
    ] = None
    new_source: Annotated[
        Item | None,
        word_for(NEW_SOURCES),
        field(
            "New heat source. With `heat_pump_ground` its ground source loop is added.",
            "pellet_boiler",
            json_schema_extra={"default": NO_SOURCE},
        ),
    ] = None
    html: Annotated[Switch, field("Adds ready HTML fragments of the result.", True)] = False
    brief: Annotated[
        Switch,
        field(
            "Only level, share, sums and notes, without `items`, `audit_variants`, `conditions` and `sources`.", True
        ),
    ] = False

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterable[ParameterError]:
        if "income" in texts and "people" not in {*texts, *errors}:
            message = f"people is missing although income is given; give {cls.accepted('people')}"
            yield ParameterError("people", "missing", message)

    @property
    def application(self) -> Application:
        """Return the input of the calculator. An area of 0 is out of scope; 0 is a cost."""
        # An area, or a switch, which counts as one piece.
        quantities = {item: Decimal(getattr(self, item, None) or 0) for item in Item}
        if self.new_source:
            quantities[self.new_source] = Decimal(1)
        costs = {item: getattr(self, f"cost_{item}") for item in Item}
        return Application(
            people=self.people,
            income=self.income,
            income_type=self.income_type,
            benefit=self.benefit,
            annual_income=self.annual_income,
            business=self.business,
            heating=self.current_heating,
            project_type=self.eu,
            scope={item: quantity for item, quantity in quantities.items() if quantity},
            costs={item: cost for item, cost in costs.items() if cost is not None},
        )


SWITCHED_ITEMS = {
    Item.CENTRAL_HEATING_DHW: "New central heating and hot water installation.",
    Item.VENTILATION: "Mechanical ventilation with heat recovery.",
    DOCUMENTS[0]: "Refund of the energy audit cost.",
    DOCUMENTS[1]: "Refund of the energy certificate cost after works.",
}

AREA_USE = "An area of {} in m², in digits with a decimal point or comma. Empty or 0 means out of scope."
COST_USE = (
    "Net cost of the item `{}`. Without it the maximum subsidy is calculated; without the item it is ignored with a "
    "note."
)

ITEM_FIELDS: dict[str, Any] = {
    **{item.value: (Annotated[Area, field(AREA_USE.format(work), m2)], None) for item, (work, m2) in WORKS.items()},
    **{item.value: (Annotated[Switch, field(use, True)], False) for item, use in SWITCHED_ITEMS.items()},
    **{f"cost_{item}": (Annotated[Money, money(COST_USE.format(item), 15000)], None) for item in Item},
}

SubsidyQuery = create_model("SubsidyQuery", __base__=PlanQuery, __doc__="Parameters of `/subsidy`.", **ITEM_FIELDS)


class LimitsQuery(RulesQuery):
    # Folders of rule files.
    about: Annotated[
        str | None,
        choice(("levels", "project_types", "items")),
        field(
            "Only thresholds and shares of the levels, limits of the project types, or limits of the items.", "levels"
        ),
    ] = None


def take_query(request: HttpRequest) -> Pairs:
    """Return names and values of the query string and remove it from the request."""
    raw = request.META.get("QUERY_STRING", "")
    forget_query(request)
    return split_query(raw)


def take_body(request: HttpRequest) -> Pairs:
    """Return names and values of the body, and empty it. Raises MalformedBody or UnsupportedBody."""
    forget_query(request)
    return read_pairs(request.META.get("CONTENT_TYPE", ""), take_bytes(request))


def forget_query(request: HttpRequest) -> None:
    """Remove the query string from every place where the server and Django keep it."""
    request.META["QUERY_STRING"] = ""
    for name in ("RAW_URI", "REQUEST_URI"):
        if name in request.META:
            request.META[name] = request.META[name].partition("?")[0]
    request.META.pop("HTTP_REFERER", None)


def take_bytes(request: HttpRequest) -> bytes:
    """Return the bytes of the body and empty the request's. `fueldepot.middleware` has read the body to its end."""
    body = request.body
    request._body = b""
    request.META["wsgi.input"] = request._stream = BytesIO()
    return body
