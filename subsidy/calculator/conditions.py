"""Conditions of the programme that the arithmetic does not cover."""

from collections.abc import Iterator
from decimal import Decimal

from subsidy.application import SOURCES, Application, Heating, Level, ProjectType
from subsidy.calculator.levels import UPPER
from subsidy.calculator.money import format_amount, truncate_to_grosz
from subsidy.calculator.result import Requirement, Variant
from subsidy.rules import NotInForce, RulesAt


def situations(application: Application, shown: Variant) -> Iterator[str]:
    """Yield the situations (`applies` in `conditions.yaml`) of an application with a level."""
    yield "always"
    if shown.level in UPPER:
        yield "upper"
    if shown.level is Level.HIGHEST:
        yield "highest"
    replaced = any(row.eligible and row.item in SOURCES for row in shown.rows)
    if replaced:
        yield "source_replaced"
    elif application.heating is Heating.SOLID_FUEL:
        # Includes a planned new source that the programme does not pay for.
        yield "old_source_stays"
    if replaced or application.heating is Heating.SOLID_FUEL:
        yield "old_source_goes"
    if shown.project_type is ProjectType.MIDDLE:
        if application.has_thermal_works:
            yield "type_2_with_envelope"
        elif application.replaces_source:
            yield "type_2_without_envelope"
    else:
        yield f"type_{int(shown.project_type)}"
    if application.business:
        yield "business"
        yield "business_limited" if shown.level in UPPER else "business_unlimited"


def requirements(
    application: Application, shown: Variant, revenue_limit: Decimal | None, rules: RulesAt
) -> tuple[Requirement, ...]:
    """Return the conditions of a result in the order of the rule file; none at no level."""
    if shown.level is Level.NONE:
        return ()
    kinds = set(situations(application, shown))
    filled = {
        key: format_amount(rules.number("project_types/heating_demand", key)) for key in ("type_2_from", "type_2_to")
    }
    if "business_limited" in kinds:
        filled["multiple"] = format_amount(rules.number("levels/business_revenue", shown.level))
        filled["amount"] = f", czyli {format_amount(revenue_limit)} zł" if revenue_limit is not None else ""
    return tuple(
        Requirement(condition.text.format(**filled), condition.clause, condition.source, condition.verified)
        for condition in rules.conditions
        if condition.applies in kinds
    )


def business_revenue_limit(application: Application, level: Level, rules: RulesAt) -> Decimal | None:
    """Return the highest yearly revenue in zł.

    None without a business, at a level without a bound, and while the minimum wage is unknown.
    """
    if not application.business or level not in UPPER:
        return None
    try:
        wage = rules.number("levels/minimum_wage", "monthly")
    except NotInForce:
        return None
    return truncate_to_grosz(rules.number("levels/business_revenue", level) * wage)
