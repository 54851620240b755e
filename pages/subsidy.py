"""The page of the calculator: a form, and under its address the result of what was sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import ClassVar

from django.http import QueryDict
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from catalog.query_string import InvalidParameters, ParameterError
from pages.page import Crumb, Page
from pages.subsidy_form import Field, Step, demand, filled, read_form
from subsidy import rules
from subsidy.application import Item, Level, ProjectType
from subsidy.calculator import Result, Variant, calculate
from subsidy.params import SubsidyQuery

LEVELS = (Level.BASIC, Level.ELEVATED, Level.HIGHEST)

STATUS = "orientacyjne; przy każdej kwocie zaznaczono, czy potwierdza ją dokument programu"


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A row of the table of levels; several is the threshold for each of several people. None where none is."""

    name: str
    share: Decimal
    several: Decimal | None
    alone: Decimal | None


@dataclass(frozen=True, slots=True)
class Limit:
    """An amount in złoty that the rules name. verified: an official text confirms it."""

    amount: Decimal
    verified: bool


@dataclass(frozen=True, slots=True)
class LimitRow:
    """What the programme pays at most, by level: basic, elevated, highest; None where it pays nothing.

    unit: "pcs" or "m2", "" for a sum.
    """

    name: str
    unit: str
    clause: str
    limits: tuple[Limit | None, ...]


@dataclass(frozen=True, slots=True)
class VariantCard:
    """A variant beside the others. demand: the index it stands for."""

    variant: Variant
    demand: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsidyPage(Page):
    """steps: the form, as filled in. result: None before anything was sent, or when it cannot be read.

    mistakes: the questions that were answered wrongly. annual_limit: the threshold of the basic level.
    highest_demand: the index that the highest level needs. edition: the one in force.
    items: what can be funded, with its limits. sums: limits of the sum of table 3, by project type.
    """

    template: ClassVar[str] = "pages/subsidy"

    steps: tuple[Step, ...]
    mistakes: tuple[Field, ...]
    result: Result | None
    cards: tuple[VariantCard, ...]
    levels: tuple[LevelRow, ...]
    annual_limit: Decimal
    highest_demand: str
    edition: rules.Edition
    items: tuple[LimitRow, ...]
    sums: tuple[LimitRow, ...]
    today: date


@sensitive_variables()
def subsidy_page(posted: QueryDict | None, today: date) -> SubsidyPage:
    """The page; posted: the form that was sent, None when none was. Nothing is kept."""
    on = rules.current().on(today)
    values: dict[str, str] = {}
    errors: list[ParameterError] = []
    result = None
    if posted is not None:
        values = {name: str(posted[name]).strip() for name in posted}
        try:
            query = SubsidyQuery.parse(read_form(posted.lists(), on), today=today)
            result = calculate(query.application, on, today)
        except InvalidParameters as error:
            errors = error.errors
    return describe(values, errors, result, on, today)


def describe(
    values: Mapping[str, str], errors: list[ParameterError], result: Result | None, on: rules.RulesOn, today: date
) -> SubsidyPage:
    """The page object."""
    steps = filled(values, errors, on)
    title = "Kalkulator dotacji Czyste Powietrze"
    return SubsidyPage(
        title=f"Popraw dane – {title}" if errors else title,
        description="Policz orientacyjną dotację z programu Czyste Powietrze: poziom, limity pozycji, wkład własny i "
        "warunki, ze źródłem każdej kwoty.",
        path=reverse("subsidy"),
        crumbs=(Crumb.home(),),
        as_of=on.edition.as_of,
        data_status=STATUS,
        steps=steps,
        mistakes=tuple(field for step in steps for field in step if field.error),
        result=result,
        cards=variant_cards(result, on) if result else (),
        levels=tuple(
            LevelRow(
                on.text(f"level_{level}"),
                on.number("levels/intensity", level),
                None if level is Level.BASIC else on.number("levels/monthly_income", f"{level}/multi_person"),
                None if level is Level.BASIC else on.number("levels/monthly_income", f"{level}/single_person"),
            )
            for level in LEVELS
        ),
        annual_limit=on.number("levels/annual_income", Level.BASIC),
        highest_demand=demand(ProjectType.HIGH, on),
        edition=on.edition,
        items=tuple(
            LimitRow(rule.name, rule.unit, rule.clause, tuple(limit(on, f"items/{item}", level) for level in LEVELS))
            for item, rule in ((item, on.items[item]) for item in Item)
        ),
        sums=tuple(
            LimitRow(
                f"rodzaj przedsięwzięcia {kind.value}, wskaźnik EU {demand(kind, on)}",
                "",
                "",
                tuple(limit(on, "project_types/table_3_limit", f"{kind.value}/{level}") for level in LEVELS),
            )
            for kind in ProjectType
        ),
        today=today,
    )


def limit(on: rules.RulesOn, parameter: str, key: str) -> Limit | None:
    """A limit in force; None where the rules have none."""
    found = on.values.get((parameter, key))
    return Limit(found.value, found.verified) if found else None


def variant_cards(result: Result, on: rules.RulesOn) -> tuple[VariantCard, ...]:
    """The variants side by side; empty when the index was given."""
    return tuple(
        VariantCard(variant, demand(variant.project_type, on), variant is result.shown) for variant in result.variants
    )
