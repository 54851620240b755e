"""What the applicant must meet besides the arithmetic."""

from collections.abc import Iterator
from decimal import Decimal

from subsidy.application import SOURCES, Application, Heating, Level, ProjectType
from subsidy.calculator.money import cut, written
from subsidy.calculator.result import Requirement, Variant
from subsidy.rules import NotInForce, RulesOn

UPPER = (Level.ELEVATED, Level.HIGHEST)


def situations(application: Application, shown: Variant) -> Iterator[str]:
    """Which kinds of conditions of the rule file stand in the answer, where something is granted."""
    yield "always"
    if shown.level in UPPER:
        yield "upper"
    if shown.level is Level.HIGHEST:
        yield "highest"
    if application.heating is Heating.SOLID_FUEL and not application.replaces_source:
        yield "old_source_stays"
    if any(row.eligible and row.item in SOURCES for row in shown.rows):
        yield "source_replaced"
    if shown.project_type is ProjectType.MIDDLE:
        if application.has_envelope:
            yield "type_2_with_envelope"
        elif application.replaces_source:
            yield "type_2_without_envelope"
    else:
        yield f"type_{int(shown.project_type)}"
    if application.business:
        yield "business"
        yield "business_limited" if shown.level in UPPER else "business_unlimited"


def requirements(
    application: Application, shown: Variant, revenue_limit: Decimal | None, rules: RulesOn
) -> tuple[Requirement, ...]:
    """The conditions of an answer, in the order of the rule file; none where nothing is granted."""
    if shown.level is Level.NONE:
        return ()
    kinds = set(situations(application, shown))
    demand = {key: written(rules.number("project_types/heating_demand", key)) for key in ("type_2_from", "type_2_to")}
    filled = dict(demand)
    if "business_limited" in kinds:
        filled["multiple"] = written(rules.number("levels/business_revenue", shown.level))
        filled["amount"] = f", czyli {written(revenue_limit)} zł" if revenue_limit is not None else ""
    return tuple(
        Requirement(condition.text.format(**filled), condition.clause, condition.source, condition.verified)
        for condition in rules.conditions
        if condition.applies in kinds
    )


def business_revenue_limit(application: Application, level: Level, rules: RulesOn) -> Decimal | None:
    """Most revenue in a year; None without a business, at a level without a bound, or in a year of unknown wage."""
    if not application.business or level not in UPPER:
        return None
    try:
        wage = rules.number("levels/minimum_wage", "monthly")
    except NotInForce:
        return None
    return cut(rules.number("levels/business_revenue", level) * wage)
