"""The result of an application: level, rows, sums, notes and conditions."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from subsidy.application import Application, Level, ProjectType
from subsidy.calculator.levels import decide
from subsidy.calculator.money import ZERO, round_to_grosz
from subsidy.calculator.notes import business_revenue_limit, make_notes, requirements
from subsidy.calculator.result import ItemRow, Result, Variant
from subsidy.calculator.rows import ENVELOPE_TABLE, make_rows
from subsidy.rules import DatedValue, RulesAt, RuleSource


def calculate(application: Application, rules: RulesAt) -> Result:
    """Return the result of an application under the rules of a day.

    Without a project type all three are calculated; the likely one is shown.
    """
    if application.project_type is None:
        variants = tuple(make_variant(application, kind, rules) for kind in ProjectType)
        likely = ProjectType.HIGH if application.has_envelope else ProjectType.MIDDLE
        shown = variants[likely - 1]
    else:
        variants = ()
        shown = make_variant(application, application.project_type, rules)
    revenue_limit = business_revenue_limit(application, shown.level, rules)
    return Result(
        shown=shown,
        variants=variants,
        notes=make_notes(application, shown, rules),
        conditions=requirements(application, shown, revenue_limit, rules),
        disclaimer=rules.text("disclaimer"),
        business_revenue_limit_pln=revenue_limit,
        edition=rules.edition,
        sources=tuple(dict.fromkeys(name_sources(shown, rules))),
    )


def make_variant(application: Application, project_type: ProjectType, rules: RulesAt) -> Variant:
    """Return the result for one project type."""
    decision = decide(application, project_type, rules)
    level = decision.level
    intensity = ZERO if level is Level.NONE else rules.number("levels/intensity", level)
    rows = make_rows(application, level, project_type, intensity, rules)
    table_3_sum = sum((row.subsidy_pln for row in rows if row.table == ENVELOPE_TABLE), ZERO)
    table_3_limit = sum_limit(level, project_type, rules)
    table_3_limit_pln = ZERO if table_3_limit is None else table_3_limit.value
    others = sum((row.subsidy_pln for row in rows if row.table != ENVELOPE_TABLE), ZERO)
    return Variant(
        level=level,
        level_name=rules.text(f"level_{level}"),
        reason=decision.reason,
        condition=decision.condition,
        intensity=intensity,
        household=application.household,
        project_type=project_type,
        rows=rows,
        table_3_sum_pln=table_3_sum,
        table_3_limit=table_3_limit,
        table_3_limit_pln=table_3_limit_pln,
        max_subsidy_pln=others + min(table_3_sum, table_3_limit_pln),
        own_contribution_pln=own_contribution(rows, table_3_sum, table_3_limit_pln),
    )


def sum_limit(level: Level, project_type: ProjectType, rules: RulesAt) -> DatedValue | None:
    """Return the limit of the sum of table 3; None at no level."""
    if level is Level.NONE:
        return None
    return rules.value("project_types/table_3_limit", f"{int(project_type)}/{level}")


def own_contribution(rows: Sequence[ItemRow], table_3_sum: Decimal, table_3_limit: Decimal) -> Decimal | None:
    """Return the household's own share of the stated costs; None without any cost.

    Where the limit of table 3 caps the sum, the subsidies of its rows shrink in proportion.
    """
    with_cost = [row for row in rows if row.net_cost_pln is not None]
    if not with_cost:
        return None
    costs = sum((row.net_cost_pln for row in with_cost if row.net_cost_pln is not None), ZERO)
    others = sum((row.subsidy_pln for row in with_cost if row.table != ENVELOPE_TABLE), ZERO)
    envelope = sum((row.subsidy_pln for row in with_cost if row.table == ENVELOPE_TABLE), ZERO)
    if table_3_sum > table_3_limit:
        envelope = envelope * table_3_limit / table_3_sum
    return round_to_grosz(costs - others - envelope)


def name_sources(shown: Variant, rules: RulesAt) -> Iterator[RuleSource]:
    """Yield the sources of the programme, then those of the limits used that have a URL."""
    yield from rules.edition.sources
    used = [row.limit for row in shown.rows if row.limit is not None]
    if shown.table_3_limit is not None and any(row.table == ENVELOPE_TABLE for row in shown.rows):
        used.append(shown.table_3_limit)
    yield from (value.source for value in used if value.source.url)
