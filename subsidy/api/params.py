"""Reading of the calculator's parameters, with every bound of the specification."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from typing import Self

from fueldepot.http.params import ParamReader
from subsidy import rules
from subsidy.application import DOCUMENTS, ENVELOPE, SOURCES, Application, Heating, IncomeType, Item, ProjectType

PEOPLE_RANGE = (1, 20)
MONEY_RANGE = (0, 10_000_000)
AREA_RANGE = (0, 5000)

PEOPLE = f"a whole number of people from {PEOPLE_RANGE[0]} to {PEOPLE_RANGE[1]}"
MONEY = f"an amount in zł from {MONEY_RANGE[0]} to {MONEY_RANGE[1]}, in digits with a decimal point or comma"
AREA = f"an area in m² from {AREA_RANGE[0]} to {AREA_RANGE[1]}, in digits with a decimal point or comma"

SYNONYMS = {"dochod_typ": "income_type"}
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
PROJECT_TYPES = {UNKNOWN: None, "niewiem": None} | {str(int(kind)): kind for kind in ProjectType}
NO_SOURCE = "none"
NEW_SOURCES = {NO_SOURCE: None} | {item.value: item for item in SOURCES}

PRIVATE = ("income", "annual_income")
"""Parameters whose values no message repeats."""

ABOUT = ("levels", "project_types", "items")
"""Groups of thresholds and limits: folders of rule files."""

MOST_UNKNOWN = 5
"""Unknown parameters that notes name; further ones are counted."""

LONGEST_UNKNOWN = 40
"""Characters of an unknown name that notes repeat."""

ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class UnknownParameter:
    """A name that no parameter has. nearest: the most similar known parameter, "" without one."""

    name: str
    nearest: str


@dataclass(frozen=True, slots=True)
class SubsidyQuery:
    """Parameters of `/subsidy`. on: the day of the rules. html: add HTML fragments. brief: leave out the lists.

    unknown: the first MOST_UNKNOWN ignored parameters. more_unknown: the number of further ones.
    """

    application: Application
    on: date
    html: bool
    brief: bool = False
    unknown: tuple[UnknownParameter, ...] = ()
    more_unknown: int = 0

    @classmethod
    def parse(cls, given: ParamReader, *, today: date) -> Self:
        """Read parameters of a query string or of a body; raises InvalidParameters."""
        given.empty_is_absent = True
        given.private = PRIVATE
        given.rename(SYNONYMS)
        people = given.integer("people", PEOPLE, *PEOPLE_RANGE, default=None)
        income = given.decimal("income", MONEY, *MONEY_RANGE)
        if income is not None and people is None and not given.errors:
            message = f"people is missing although income is given; give {PEOPLE}"
            given.add_error("people", "missing", message)
        annual_income = given.decimal("annual_income", MONEY, *MONEY_RANGE)
        income_type = INCOME_TYPES[read_choice(given, "income_type", INCOME_TYPES) or IncomeType.PERSON]
        heating = HEATINGS[read_choice(given, "current_heating", HEATINGS) or Heating.SOLID_FUEL]
        project_type = PROJECT_TYPES[read_choice(given, "eu", PROJECT_TYPES) or UNKNOWN]
        benefit, business, html, brief = (given.boolean(name) for name in ("benefit", "business", "html", "brief"))
        scope, costs = read_scope(given), read_costs(given)
        on = read_day(given)
        given.raise_for_errors()
        application = Application(
            people=people,
            income=income,
            income_type=income_type,
            benefit=benefit,
            annual_income=annual_income,
            business=business,
            heating=heating,
            project_type=project_type,
            scope=scope,
            costs=costs,
        )
        ignored = given.unknown()
        unknown = tuple(read_unknown(name, sorted({*given.read, *SYNONYMS})) for name in ignored[:MOST_UNKNOWN])
        return cls(application, on or today, html, brief, unknown, max(len(ignored) - MOST_UNKNOWN, 0))


@dataclass(frozen=True, slots=True)
class LimitsQuery:
    """Parameters of `/subsidy/limits`. on: the day of the rules. about: one of ABOUT, None for all."""

    on: date
    about: str | None

    @classmethod
    def parse(cls, given: ParamReader, *, today: date) -> Self:
        """Read the parameters; raises InvalidParameters."""
        about = given.choice("about", f"one of {', '.join(ABOUT)}", ABOUT)
        on = read_day(given)
        given.raise_for_errors()
        return cls(on or today, about)


def read_day(given: ParamReader) -> date | None:
    """Return the day of the rules, None for today."""
    begins = rules.current().begins
    return given.day("on", f"a day as YYYY-MM-DD, from {begins}, when the programme began", begins)


def read_unknown(name: str, known: Collection[str]) -> UnknownParameter:
    """Return a name shortened and without control characters, and the most similar known one."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[:LONGEST_UNKNOWN])
    nearest = get_close_matches(shown.strip().lower(), known, n=1, cutoff=0.7)
    return UnknownParameter(shown if len(name) <= LONGEST_UNKNOWN else f"{shown}…", nearest[0] if nearest else "")


def read_choice(given: ParamReader, name: str, choices: Mapping[str, object]) -> str | None:
    """Return one of the choices, synonyms included; None when not given."""
    return given.choice(name, f"one of {', '.join(choices)}", choices)


def read_scope(given: ParamReader) -> dict[Item, Decimal]:
    """Return the planned items with their quantities. An area of 0 is out of scope."""
    scope = {}
    source = NEW_SOURCES[read_choice(given, "new_source", NEW_SOURCES) or NO_SOURCE]
    if source is not None:
        scope[source] = ONE
    for item in ENVELOPE:
        # Plans state areas to three decimals, while thousands of m² are hardly a dwelling's.
        area = given.decimal(item, AREA, *AREA_RANGE, three_digits="decimals")
        if area:
            scope[item] = area
    for item in (Item.CENTRAL_HEATING_DHW, Item.VENTILATION, *DOCUMENTS):
        if given.boolean(item):
            scope[item] = ONE
    return scope


def read_costs(given: ParamReader) -> dict[Item, Decimal]:
    """Return net costs by item; 0 is a cost."""
    found = {item: given.decimal(f"cost_{item}", MONEY, *MONEY_RANGE) for item in Item}
    return {item: cost for item, cost in found.items() if cost is not None}
