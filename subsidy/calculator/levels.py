"""The level of funding: by income or benefit, then by project type."""

from decimal import Decimal

from subsidy.application import Application, Household, IncomeType, Level, ProjectType
from subsidy.calculator.money import format_amount
from subsidy.calculator.result import LevelDecision
from subsidy.rules import RulesAt

UPPER = (Level.HIGHEST, Level.ELEVATED)
"""Levels with a threshold of monthly income, the higher first."""


def decide(application: Application, project_type: ProjectType, rules: RulesAt) -> LevelDecision:
    """Return the level for one project type with its reason and condition.

    Without a stated type the condition also names the types with another level.
    """
    if rules.contracts_ended:
        day = f"{rules.edition.contracts_until:%d.%m.%Y}"
        return LevelDecision(Level.NONE, rules.text("reason_contracts_ended", day=day), None)
    by_income = level_of_income(application, rules)
    if by_income is None:
        return decide_basic(application, rules)
    edge = format_amount(rules.number("project_types/heating_demand", "type_2_to"))
    open_type = application.project_type is None
    if by_income is Level.HIGHEST and project_type is not ProjectType.HIGH:
        reason = rules.text("reason_only_above", eu=edge, type=int(project_type))
        condition = rules.text("condition_higher_above", eu=edge) if open_type else None
        return LevelDecision(Level.ELEVATED, reason, condition)
    if application.benefit:
        reason = rules.text("reason_benefit")
    else:
        reason = rules.text(
            "reason_income",
            threshold=format_amount(threshold(by_income, application.household, rules)),
            level=locative(by_income),
            household=rules.text(f"household_{application.household}"),
        )
    condition = rules.text("condition_only_above", eu=edge) if by_income is Level.HIGHEST and open_type else None
    return LevelDecision(by_income, reason, condition)


def level_of_income(application: Application, rules: RulesAt) -> Level | None:
    """Return the level that monthly income or a benefit allows; None without either, or above both thresholds.

    Thresholds are inclusive.
    """
    if application.benefit:
        return Level.HIGHEST
    if application.income is None:
        return None
    for level in UPPER:
        # The threshold is multiplied: income / 3 has no exact decimal.
        bound = threshold(level, application.household, rules) * sharers(application)
        if application.income <= bound:
            return level
    return None


def sharers(application: Application) -> int:
    """Return the number of persons that the stated income covers."""
    return (application.people or 1) if application.income_type is IncomeType.HOUSEHOLD else 1


def threshold(level: Level, household: Household, rules: RulesAt) -> Decimal:
    """Return the highest monthly income per person."""
    return rules.number("levels/monthly_income", f"{level}/{household}")


def decide_basic(application: Application, rules: RulesAt) -> LevelDecision:
    """Return basic or none, by yearly income; basic with a condition where it is not stated."""
    limit = rules.number("levels/annual_income", Level.BASIC)
    if application.annual_income is not None:
        if application.annual_income <= limit:
            return LevelDecision(Level.BASIC, rules.text("reason_annual", limit=format_amount(limit)), None)
        return LevelDecision(Level.NONE, rules.text("reason_none", limit=format_amount(limit)), None)
    if application.income is None:
        reason = rules.text("reason_unstated")
    else:
        bound = threshold(Level.ELEVATED, application.household, rules)
        reason = rules.text("reason_too_high", threshold=format_amount(bound))
    return LevelDecision(Level.BASIC, reason, rules.text("condition_annual", limit=format_amount(limit)))


def locative(level: Level) -> str:
    """The level as in "na poziomie …"."""
    return {Level.HIGHEST: "najwyższym", Level.ELEVATED: "podwyższonym"}[level]
