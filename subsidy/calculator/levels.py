"""The level: by income or benefit, then by the project type."""

from decimal import Decimal

from subsidy.application import Application, Household, IncomeType, Level, ProjectType
from subsidy.calculator.money import written
from subsidy.calculator.result import Decision
from subsidy.rules import RulesOn

UPPER = (Level.HIGHEST, Level.ELEVATED)


def decide(application: Application, project_type: ProjectType, rules: RulesOn) -> Decision:
    """The level of one project type, why, and under what condition.

    Without a stated type the condition also says when another level would apply.
    """
    by_income = level_of_income(application, rules)
    if by_income is None:
        return decide_basic(application, rules)
    edge = written(rules.number("project_types/heating_demand", "type_2_to"))
    open_type = application.project_type is None
    if by_income is Level.HIGHEST and project_type is not ProjectType.HIGH:
        reason = rules.text("reason_only_above", eu=edge, type=int(project_type))
        condition = rules.text("condition_higher_above", eu=edge) if open_type else None
        return Decision(Level.ELEVATED, reason, condition)
    if application.benefit:
        reason = rules.text("reason_benefit")
    else:
        reason = rules.text(
            "reason_income",
            threshold=written(threshold(by_income, application.household, rules)),
            level=locative(by_income),
            household=rules.text(f"household_{application.household}"),
        )
    condition = rules.text("condition_only_above", eu=edge) if by_income is Level.HIGHEST and open_type else None
    return Decision(by_income, reason, condition)


def level_of_income(application: Application, rules: RulesOn) -> Level | None:
    """The upper level that monthly income or a benefit allows; None where neither is stated or the income is higher.

    Thresholds are inclusive.
    """
    if application.benefit:
        return Level.HIGHEST
    if application.income is None:
        return None
    for level in UPPER:
        # Multiplied, not divided: a third of an income has no exact decimal.
        bound = threshold(level, application.household, rules) * sharers(application)
        if application.income <= bound:
            return level
    return None


def sharers(application: Application) -> int:
    """By how many the stated income is shared."""
    return (application.people or 1) if application.income_type is IncomeType.HOUSEHOLD else 1


def threshold(level: Level, household: Household, rules: RulesOn) -> Decimal:
    """Highest monthly income for each person."""
    return rules.number("levels/monthly_income", f"{level}/{household}")


def decide_basic(application: Application, rules: RulesOn) -> Decision:
    """Basic or none, by the yearly income; without it basic, on condition."""
    limit = rules.number("levels/annual_income", Level.BASIC)
    if application.annual_income is not None:
        if application.annual_income <= limit:
            return Decision(Level.BASIC, rules.text("reason_annual", limit=written(limit)), None)
        return Decision(Level.NONE, rules.text("reason_none", limit=written(limit)), None)
    if application.income is None:
        reason = rules.text("reason_unstated")
    else:
        bound = threshold(Level.ELEVATED, application.household, rules)
        reason = rules.text("reason_too_high", threshold=written(bound))
    return Decision(Level.BASIC, reason, rules.text("condition_annual", limit=written(limit)))


def locative(level: Level) -> str:
    """The level as in "na poziomie …"."""
    return {Level.HIGHEST: "najwyższym", Level.ELEVATED: "podwyższonym"}[level]
