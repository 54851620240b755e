"""The calculator: pure functions of an application and the rules of a day, in exact decimals, without Django.

    result = calculate(application, rules.on(day))

Order of the arithmetic: the limit of an item is its unit limit × quantity; its subsidy is the lesser of the limit and
intensity × net cost (the limit where no cost is known); the limit of table 3 caps the sum of its subsidies. Costs,
limits and subsidies are truncated to the grosz, so that no subsidy exceeds its bound; the own contribution is rounded
to the grosz, half up.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from catalog.text import round_half_up, short_amount
from subsidy.household_and_plan import (
    DOCUMENTS,
    SOURCES,
    Application,
    Heating,
    Household,
    IncomeType,
    Item,
    Level,
    ProjectType,
)
from subsidy.items_and_eligibility import (
    ENVELOPE_TABLE,
    ZERO,
    ItemRow,
    Result,
    Variant,
    make_rows,
    truncate_to_grosz,
)
from subsidy.rules import RuleCondition, RulesAt, RuleSource

MINIMUM_WAGE = ("levels/minimum_wage", "monthly")

LevelDecision = tuple[Level, str, str | None]
"""A level, its reason, and a requirement that the application does not state, None without one."""

UPPER = (Level.HIGHEST, Level.ELEVATED)
"""Levels with a threshold of monthly income, the higher first."""

LOCATIVE = {Level.HIGHEST: "najwyższym", Level.ELEVATED: "podwyższonym"}
"""As in "na poziomie …"."""


def situations(application: Application, variant: Variant) -> Iterator[str]:
    """Yield the situations (`applies` in `conditions.yaml`) of an application with a level."""
    yield "always"
    if variant.level in UPPER:
        yield "upper"
    if variant.level is Level.HIGHEST:
        yield "highest"
    replaced = any(row.eligible and row.item in SOURCES for row in variant.rows)
    if replaced:
        yield "source_replaced"
    elif application.heating is Heating.SOLID_FUEL:
        # Includes a planned new source that the programme does not pay for.
        yield "old_source_stays"
    if replaced or application.heating is Heating.SOLID_FUEL:
        yield "old_source_goes"
    if variant.project_type is ProjectType.MIDDLE:
        if application.has_thermal_works:
            yield "type_2_with_envelope"
        elif application.replaces_source:
            yield "type_2_without_envelope"
    else:
        yield f"type_{int(variant.project_type)}"
    if application.business:
        yield "business"
        yield "business_limited" if variant.level in UPPER else "business_unlimited"


def requirements(
    application: Application, variant: Variant, revenue_limit: Decimal | None, rules: RulesAt
) -> tuple[RuleCondition, ...]:
    """Return the conditions of a result in the order of the rule file; none at no level."""
    if variant.level is Level.NONE:
        return ()
    kinds = set(situations(application, variant))
    filled = {
        "type_2_from": short_amount(rules.number("project_types/heating_demand", "type_2_from")),
        "type_2_to": short_amount(rules.number("project_types/heating_demand", "type_2_to")),
        "advance_percent": short_amount(rules.number("levels/prefinancing", "costs_percent")),
        "advance_days": short_amount(rules.number("levels/prefinancing", "days_for_works")),
    }
    if "business_limited" in kinds:
        filled["multiple"] = short_amount(rules.number("levels/business_revenue", variant.level))
        filled["amount"] = f", czyli {short_amount(revenue_limit)} zł" if revenue_limit is not None else ""
    return tuple(
        condition.model_copy(update={"text": condition.text.format(**filled)})
        for condition in rules.conditions
        if condition.applies in kinds
    )


def business_revenue_limit(application: Application, level: Level, rules: RulesAt) -> Decimal | None:
    """Return the yearly limit in zł; None without a business, at a level without one, or if the wage is unknown."""
    wage = rules.values.get(MINIMUM_WAGE)
    if not application.business or level not in UPPER or wage is None:
        return None
    return truncate_to_grosz(rules.number("levels/business_revenue", level) * wage.number)


def make_notes(application: Application, variant: Variant, rules: RulesAt) -> tuple[str, ...]:
    """Return the sentences without repetitions, the most important first."""
    notes = (
        *about_level(application, variant, rules),
        *about_rows(application, variant, rules),
        *about_sums(variant, rules),
        *about_values(application, variant, rules),
    )
    return tuple(dict.fromkeys(notes))


def about_level(application: Application, variant: Variant, rules: RulesAt) -> Iterator[str]:
    yield variant.reason
    if application.project_type is None:
        yield rules.text("note_variants", type=int(variant.project_type))
        yield rules.text("note_type_of_variant")
    if application.business and variant.level in UPPER:
        yield rules.text("note_business_spouse")
    if application.benefit and variant.level is Level.ELEVATED:
        edge = rules.number("project_types/heating_demand", "type_2_to")
        yield rules.text("note_benefit_inferred", eu=short_amount(edge))


def about_rows(application: Application, variant: Variant, rules: RulesAt) -> Iterator[str]:
    yield from (
        rules.text("note_not_eligible", name=row.name, reason=row.reason) for row in variant.rows if not row.eligible
    )
    refused = {row.item for row in variant.rows if not row.eligible}
    granted = variant.level is not Level.NONE
    if granted and not variant.rows:
        yield rules.text("note_no_works")
    if granted and Item.CENTRAL_HEATING_DHW in refused:
        yield rules.text("note_installation_inferred")
    if granted and application.heating is not Heating.SOLID_FUEL:
        if application.heating is Heating.OTHER:
            yield rules.text("note_heating_inferred")
        if variant.project_type is ProjectType.LOW:
            yield rules.text("note_type_1_efficient")
    paid = {row.item for row in variant.rows if row.eligible}
    if Item.VENTILATION in paid and not application.has_envelope:
        yield rules.text("note_ventilation_inferred")
    if granted and refused.intersection(DOCUMENTS):
        yield rules.text("note_documents_inferred")
    if variant.rows and all(row.item in DOCUMENTS for row in variant.rows):
        yield rules.text("note_documents_alone")
    if ignored := [item for item in Item if item in application.costs and item not in application.quantities]:
        yield rules.text("note_cost_ignored", items=", ".join(rules.items[item].name for item in ignored))


def about_sums(variant: Variant, rules: RulesAt) -> Iterator[str]:
    if variant.table_3_sum_pln > variant.table_3_limit_pln:
        yield rules.text(
            "note_table_3_cut",
            sum=short_amount(variant.table_3_sum_pln),
            limit=short_amount(variant.table_3_limit_pln),
        )
    if any(row.eligible and row.net_cost_pln is None for row in variant.rows):
        yield rules.text("note_without_costs")
    if any(row.eligible for row in variant.rows):
        yield rules.text("note_vat")
        yield rules.text("note_rounding")


def about_values(application: Application, variant: Variant, rules: RulesAt) -> Iterator[str]:
    """Yield the notes of the rule file entries used: what is inferred or unconfirmed."""
    names = list(rules.edition.notes)
    for row in variant.rows:
        if row.limit is not None:
            names += row.limit.notes
        elif variant.level is not Level.NONE:
            names += rules.ended[f"items/{row.item}", variant.level].notes
    if limit := variant.used_table_3_limit:
        names += limit.notes
    if application.business and variant.level in UPPER:
        names += (rules.values.get(MINIMUM_WAGE) or rules.ended[MINIMUM_WAGE]).notes
    yield from (rules.text(name) for name in dict.fromkeys(names))


def calculate(application: Application, rules: RulesAt) -> Result:
    """Return the result of an application. Without a project type all three are calculated, the likely one shown."""
    if application.project_type is None:
        variants = tuple(make_variant(application, kind, rules) for kind in ProjectType)
        likely = ProjectType.HIGH if application.has_envelope else ProjectType.MIDDLE
        variant = variants[likely - 1]
    else:
        variants = ()
        variant = make_variant(application, application.project_type, rules)
    revenue_limit = business_revenue_limit(application, variant.level, rules)
    return Result(
        shown=variant,
        variants=variants,
        notes=make_notes(application, variant, rules),
        conditions=requirements(application, variant, revenue_limit, rules),
        disclaimer=rules.text("disclaimer"),
        business_revenue_limit_pln=revenue_limit,
        edition=rules.edition,
        sources=tuple(dict.fromkeys(name_sources(variant, revenue_limit, rules))),
    )


def decide(application: Application, project_type: ProjectType, rules: RulesAt) -> LevelDecision:
    """Return level, reason and condition for one project type, naming the types of another level if none is stated."""
    if rules.contracts_ended:
        day = f"{rules.edition.contracts_until:%d.%m.%Y}"
        return Level.NONE, rules.text("reason_contracts_ended", day=day), None
    by_income = level_of_income(application, rules)
    if by_income is None:
        return decide_basic(application, rules)
    edge = short_amount(rules.number("project_types/heating_demand", "type_2_to"))
    open_type = application.project_type is None
    if by_income is Level.HIGHEST and project_type is not ProjectType.HIGH:
        reason = rules.text("reason_only_above", eu=edge, type=int(project_type))
        condition = rules.text("condition_higher_above", eu=edge) if open_type else None
        return Level.ELEVATED, reason, condition
    if application.benefit:
        reason = rules.text("reason_benefit")
    else:
        reason = rules.text(
            "reason_income",
            threshold=short_amount(threshold(by_income, application.household, rules)),
            level=LOCATIVE[by_income],
            household=rules.text(f"household_{application.household}"),
        )
    condition = rules.text("condition_only_above", eu=edge) if by_income is Level.HIGHEST and open_type else None
    return by_income, reason, condition


def level_of_income(application: Application, rules: RulesAt) -> Level | None:
    """Return the level that income (thresholds inclusive) or a benefit allows; None without either, or above both."""
    if application.benefit:
        return Level.HIGHEST
    if application.income is None:
        return None
    sharers = (application.people or 1) if application.income_type is IncomeType.HOUSEHOLD else 1
    for level in UPPER:
        # The threshold is multiplied: income / 3 has no exact decimal.
        if application.income <= threshold(level, application.household, rules) * sharers:
            return level
    return None


def threshold(level: Level, household: Household, rules: RulesAt) -> Decimal:
    return rules.number("levels/monthly_income", f"{level}/{household}")


def decide_basic(application: Application, rules: RulesAt) -> LevelDecision:
    """Return basic or none, by yearly income; basic with a condition where it is not stated."""
    limit = rules.number("levels/annual_income", Level.BASIC)
    if application.annual_income is not None:
        if application.annual_income <= limit:
            return Level.BASIC, rules.text("reason_annual", limit=short_amount(limit)), None
        return Level.NONE, rules.text("reason_none", limit=short_amount(limit)), None
    if application.income is None:
        reason = rules.text("reason_unstated")
    else:
        bound = threshold(Level.ELEVATED, application.household, rules)
        reason = rules.text("reason_too_high", threshold=short_amount(bound))
    return Level.BASIC, reason, rules.text("condition_annual", limit=short_amount(limit))


def make_variant(application: Application, project_type: ProjectType, rules: RulesAt) -> Variant:
    level, reason, condition = decide(application, project_type, rules)
    intensity = ZERO if level is Level.NONE else rules.number("levels/intensity", level)
    rows = make_rows(application, level, project_type, intensity, rules)
    table_3_sum = sum((row.subsidy_pln for row in rows if row.table == ENVELOPE_TABLE), ZERO)
    sum_limit = f"{int(project_type)}/{level}"
    table_3_limit = None if level is Level.NONE else rules.values["project_types/table_3_limit", sum_limit]
    table_3_limit_pln = ZERO if table_3_limit is None else table_3_limit.number
    others = sum((row.subsidy_pln for row in rows if row.table != ENVELOPE_TABLE), ZERO)
    return Variant(
        level=level,
        level_name=rules.text(f"level_{level}"),
        reason=reason,
        condition=condition,
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


def own_contribution(rows: Sequence[ItemRow], table_3_sum: Decimal, table_3_limit: Decimal) -> Decimal | None:
    """Return the own share of stated costs; None without any. A sum over the limit shrinks in proportion."""
    with_cost = [row for row in rows if row.net_cost_pln is not None]
    if not with_cost:
        return None
    costs = sum((row.net_cost_pln for row in with_cost if row.net_cost_pln is not None), ZERO)
    others = sum((row.subsidy_pln for row in with_cost if row.table != ENVELOPE_TABLE), ZERO)
    envelope = sum((row.subsidy_pln for row in with_cost if row.table == ENVELOPE_TABLE), ZERO)
    if table_3_sum > table_3_limit:
        envelope = envelope * table_3_limit / table_3_sum
    return round_half_up(costs - others - envelope, 2)


def name_sources(variant: Variant, revenue_limit: Decimal | None, rules: RulesAt) -> Iterator[RuleSource]:
    """Yield the sources of the programme, then those of the limits and of the wage used that have a URL."""
    yield from rules.edition.sources
    used = [row.limit for row in variant.rows if row.limit is not None]
    if limit := variant.used_table_3_limit:
        used.append(limit)
    if revenue_limit is not None:
        used.append(rules.values[MINIMUM_WAGE])
    yield from (value.source for value in used if value.source.url)
