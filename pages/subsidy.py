"""The pages of the calculator: five steps of a form, each sent by POST to the same address, then the result.

Each step carries the answers of the others in hidden fields. The server does not store, log or put them into a URL.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import ClassVar

from django.http import QueryDict
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from fueldepot.http.params import (
    BOOLEANS,
    AmbiguousNumber,
    InvalidParameters,
    NumberLiteral,
    ParameterError,
    read_decimal,
)
from fueldepot.http.query import Pairs
from pages.page import Crumb, Page
from pages.subsidy_questions import (
    AREA_UNIT,
    PEOPLE_UNIT,
    PLANNED,
    SOURCE_COST,
    ZLOTY,
    Field,
    Step,
    all_fields,
    chosen_items,
    demand,
    steps,
)
from subsidy import rules
from subsidy.api.params import AREA_RANGE, SubsidyQuery
from subsidy.application import ENVELOPE, SOURCES, Household, Item, Level, ProjectType
from subsidy.calculator import Result, Variant, calculate
from subsidy.calculator.rows import describe_refusal
from subsidy.rules import RulesAt

PAGE = "krok"
"""Hidden field: the number of the submitted step. Without it all sent answers count."""

MISSING = "missing"
AMBIGUOUS = "ambiguous"
"""Codes of errors with a text of their own: a missing answer, and a number with two readings."""


def read_values(posted: Iterable[tuple[str, list[str]]], on: RulesAt) -> dict[str, str]:
    """Return the answers by name of the field, trimmed, without empty ones; the last of repeated ones.

    Without `PAGE`, areas imply planned works, and the cost of the source may have the name of the item.
    """
    sent = {name: typed[-1].strip() for name, typed in posted if typed}
    if PAGE not in sent:
        sent |= {f"{PLANNED}{item}": "1" for item in ENVELOPE if sent.get(item)}
        sent.setdefault(SOURCE_COST, sent.get(f"cost_{sent.get('new_source')}", ""))
    return {
        name: sent[name]
        for name, field in all_fields(on).items()
        if sent.get(name) and not (field.kind == "check" and BOOLEANS.get(sent[name].lower()) is False)
    }


def parameters(posted: Iterable[tuple[str, list[str]]], on: RulesAt) -> tuple[Pairs, list[ParameterError]]:
    """Return the answers as parameters of `/subsidy`, and an error for each area with two readings.

    Numbers lose their unit, the cost of the source gets the name of its item. With `PAGE`, areas and costs of works
    that are not chosen are left out.
    """
    sent = dict(posted)
    known, values = all_fields(on), read_values(sent.items(), on)
    if PAGE in sent:
        wanted = {field.name for step in steps(values, on) for field in step}
    else:
        wanted = {*known, *(f"cost_{item}" for item in SOURCES)}
    source = sent.get("new_source", [""])[-1]
    pairs = []
    for name, typed in sent.items():
        if name not in wanted or name.startswith(PLANNED):
            continue
        target = f"cost_{source}" if name == SOURCE_COST and source in SOURCES else name
        is_number = name not in known or known[name].kind == "number"
        unit = known[name].unit if name in known else ZLOTY
        pairs += [(target.encode(), number_sent(value, unit) if is_number else as_bytes(value)) for value in typed]
    errors = [
        ParameterError(item, AMBIGUOUS, f"{item} is {readings}")
        for item in wanted.intersection(ENVELOPE)
        if (readings := readings_of_area(values.get(item, ""))) is not None
    ]
    return pairs, errors


def readings_of_area(typed: str) -> AmbiguousNumber | None:
    """Return the readings of an area that may be decimals or thousands of m², None if the programme rules one out."""
    try:
        read_decimal(typed.strip().removesuffix(AREA_UNIT))
    except AmbiguousNumber as readings:
        return readings if int(readings.thousands) <= AREA_RANGE[1] else None
    except ValueError:
        pass
    return None


def number_sent(typed: str, unit: str) -> bytes:
    """Return a number without its unit: złoty as `read_decimal` reads what a person types, others as typed.

    What is no number stays as it is, for the reader to refuse.
    """
    # A unit alone is no number, and no empty answer either.
    text = typed.strip().removesuffix(unit).rstrip() or typed.strip()
    if unit == PEOPLE_UNIT:
        return as_bytes("".join(text.split()))
    if unit != ZLOTY:
        return as_bytes(text)
    try:
        return NumberLiteral(f"{read_decimal(text, 'thousands'):f}".encode())
    except ValueError:
        return as_bytes(text)


def as_bytes(text: str) -> bytes:
    """Return a text as a request carries it; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


def missing_areas(values: Mapping[str, str]) -> list[ParameterError]:
    """Return an error for each chosen work without an area."""
    return [
        ParameterError(item, MISSING, f"{item} is missing")
        for item in chosen_items(values)
        if item in ENVELOPE and item not in values
    ]


def filled(values: Mapping[str, str], errors: Iterable[ParameterError], on: RulesAt) -> tuple[Step, ...]:
    """Return the steps with values and errors; without values the defaults are chosen."""
    codes = {error.parameter: error.code for error in errors}
    source = f"cost_{values.get('new_source', '')}"
    if source in codes:
        codes[SOURCE_COST] = codes[source]
    return tuple(
        replace(
            step,
            parts=tuple(
                replace(part, fields=tuple(fill(field, values, codes) for field in part.fields)) for part in step.parts
            ),
        )
        for step in steps(values, on)
    )


def fill(field: Field, values: Mapping[str, str], codes: Mapping[str, str]) -> Field:
    """Return a field with its value and error."""
    value = values.get(field.name, "")
    chosen = value if any(choice.value == value for choice in field.choices) else ""
    choices = tuple(
        replace(choice, chosen=choice.value == chosen if chosen else number == 0)
        for number, choice in enumerate(field.choices)
    )
    error = describe_error(field, value, codes[field.name]) if field.name in codes else ""
    return replace(field, value=value, choices=choices, error=error)


def describe_error(field: Field, value: str, code: str) -> str:
    """Return what is wrong with an answer, in Polish."""
    if code == MISSING and field.missing:
        return field.missing
    if code == AMBIGUOUS and (readings := readings_of_area(value)) is not None:
        decimal = readings.decimal.replace(".", ",")
        return f"To {decimal} czy {readings.thousands} {field.unit}? Wpisz {decimal} albo {readings.thousands}."
    return field.mistake


LEVELS = (Level.BASIC, Level.ELEVATED, Level.HIGHEST)

FIRST, RESULT = 1, 6
"""Numbers of the first step and of the result."""

WANTED = "na"
"""Name of the buttons; their values are numbers of steps."""

STATUS = "orientacyjne; przy każdej kwocie zaznaczono, czy potwierdza ją dokument programu"


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A row of the table of levels. several, alone: thresholds per person in households of several and of one.

    None where the level has no threshold.
    """

    name: str
    share: Decimal
    several: Decimal | None
    alone: Decimal | None


@dataclass(frozen=True, slots=True)
class LimitRow:
    """Limits by level: basic, elevated, highest; None where the programme pays nothing.

    unit: "pcs" or "m2", "" for a sum.
    """

    name: str
    unit: str
    limits: tuple[rules.DatedValue | None, ...]


@dataclass(frozen=True, slots=True)
class VariantCard:
    """A variant among others. demand: its index, in Polish."""

    variant: Variant
    demand: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsidyPage(Page):
    """A step of the form, or the result.

    number: of the step, RESULT for the result. steps: all steps, as filled in.
    mistakes: the invalid fields of the step.
    result: of the answers so far; None before the first, or with an invalid one.
    annual_limit: the threshold of the basic level. highest_demand: the index required by the highest level.
    edition: in force. items: with their limits. sums: limits of the sum of table 3, by project type.
    source_condition: of every limit of a heat source. limit_conditions: in words, beside the limits.
    """

    template: ClassVar[str] = "pages/subsidy"

    number: int
    steps: tuple[Step, ...]
    values: Mapping[str, str] = field(repr=False)
    mistakes: tuple[Field, ...]
    result: Result | None
    cards: tuple[VariantCard, ...]
    levels: tuple[LevelRow, ...]
    annual_limit: Decimal
    highest_demand: str
    edition: rules.Edition
    items: tuple[LimitRow, ...]
    sums: tuple[LimitRow, ...]
    source_condition: str
    limit_conditions: tuple[rules.RuleCondition, ...]
    today: date

    @property
    def step(self) -> Step | None:
        """The current step; None for the result."""
        return None if self.number == RESULT else self.steps[self.number - 1]

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The answers of the other steps, for hidden fields."""
        names = {field.name for field in self.step or ()}
        return [(name, value) for name, value in self.values.items() if name not in names]


@sensitive_variables()
def subsidy_page(posted: QueryDict | None, today: date) -> SubsidyPage:
    """Return the requested step or the result. posted: None for GET.

    Going forward stops at the first step with a mistake; going back does not. Without the number of a step the result
    is shown.
    """
    on = rules.current().on(today)
    if posted is None:
        return describe({}, [], None, FIRST, on, today)
    values = read_values(posted.lists(), on)
    asked, wanted = read_pages(posted)
    pairs, errors = parameters(posted.lists(), on)
    result = None
    try:
        query = SubsidyQuery.parse(pairs, today=today)
        result = None if errors else calculate(query.application, on)
    except InvalidParameters as error:
        errors = errors + [
            mistake for mistake in error.errors if mistake.parameter not in {e.parameter for e in errors}
        ]
    if asked < wanted == RESULT and PAGE in posted:
        errors = errors + missing_areas(values)
    steps = filled(values, errors, on)
    wrong = (number for number, step in enumerate(steps, FIRST) if any(field.error for field in step))
    stopped = next((number for number in wrong if asked < wanted and number < wanted), None)
    if stopped is None:
        return describe(values, [], result, wanted, on, today)
    return describe(values, errors, None, stopped, on, today)


def read_pages(posted: QueryDict) -> tuple[int, int]:
    """Return the numbers of the submitted step (0 without one) and of the requested one (by default RESULT)."""
    pages = {str(number): number for number in range(FIRST, RESULT)}
    return pages.get(posted.get(PAGE, ""), 0), pages.get(posted.get(WANTED, ""), RESULT)


@sensitive_variables()
def describe(
    values: Mapping[str, str],
    errors: list[ParameterError],
    result: Result | None,
    number: int,
    on: rules.RulesAt,
    today: date,
) -> SubsidyPage:
    """Return the page. number: as in `SubsidyPage`."""
    steps = filled(values, errors, on)
    title = "Kalkulator dotacji Czyste Powietrze"
    mistakes = () if number == RESULT else tuple(field for field in steps[number - 1] if field.error)
    heading = "Wynik" if number == RESULT else f"Krok {number} z {len(steps)}"
    return SubsidyPage(
        title=f"Popraw dane – {title}" if mistakes else title if number == FIRST else f"{heading} – {title}",
        description="Policz orientacyjną dotację z programu Czyste Powietrze: poziom, limity pozycji, wkład własny i "
        "warunki, ze źródłem każdej kwoty.",
        path=reverse("subsidy"),
        breadcrumbs=(Crumb.home(),),
        as_of=on.edition.as_of,
        data_status=STATUS,
        steps=steps,
        number=number,
        values=values,
        mistakes=mistakes,
        result=result,
        cards=variant_cards(result, on) if result else (),
        levels=tuple(level_row(level, on) for level in LEVELS),
        annual_limit=on.number("levels/annual_income", Level.BASIC),
        highest_demand=demand(ProjectType.HIGH, on),
        edition=on.edition,
        items=tuple(item_row(item, on) for item in Item),
        sums=tuple(sum_row(kind, on) for kind in ProjectType),
        source_condition=describe_refusal("row_source_alone", on),
        limit_conditions=tuple(condition for condition in on.conditions if condition.applies == "limits"),
        today=today,
    )


def level_row(level: Level, on: rules.RulesAt) -> LevelRow:
    name, share = on.text(f"level_{level}"), on.number("levels/intensity", level)
    if level is Level.BASIC:
        return LevelRow(name, share, None, None)
    several, alone = (
        on.number("levels/monthly_income", f"{level}/{household}") for household in (Household.MULTI, Household.SINGLE)
    )
    return LevelRow(name, share, several, alone)


def item_row(item: Item, on: rules.RulesAt) -> LimitRow:
    rule = on.items[item]
    limits = tuple(on.values.get((f"items/{item}", level)) for level in LEVELS)
    return LimitRow(rule.name, rule.unit, limits)


def sum_row(kind: ProjectType, on: rules.RulesAt) -> LimitRow:
    name = f"rodzaj przedsięwzięcia {kind.value}, wskaźnik EU {demand(kind, on)}"
    limits = tuple(on.values.get(("project_types/table_3_limit", f"{kind.value}/{level}")) for level in LEVELS)
    return LimitRow(name, "", limits)


def variant_cards(result: Result, on: rules.RulesAt) -> tuple[VariantCard, ...]:
    """Return the variants; none when the index was given."""
    return tuple(
        VariantCard(variant, demand(variant.project_type, on), variant is result.shown) for variant in result.variants
    )
