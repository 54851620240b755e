"""Rows of a result: eligibility, limit and subsidy of each item."""

from decimal import Decimal

from subsidy.application import DOCUMENTS, SOURCES, Application, Heating, Item, Level, ProjectType
from subsidy.calculator.money import ZERO, format_amount, truncate_to_grosz
from subsidy.calculator.result import Binding, ItemRow
from subsidy.rules import DatedValue, NotInForce, RulesAt

SOURCE_ROWS = frozenset((*SOURCES, Item.GROUND_SOURCE_LOOP))
ENVELOPE_TABLE = 3


def make_rows(
    application: Application, level: Level, project_type: ProjectType, intensity: Decimal, rules: RulesAt
) -> tuple[ItemRow, ...]:
    """Return the rows of one project type, in the order of items."""
    quantities = application.quantities
    refused = {item: refusal(item, application, level, project_type, rules) for item in quantities}
    works = [item for item in quantities if item not in DOCUMENTS]
    no_works = bool(works) and all(refused[item] for item in works)
    if no_works:
        refused |= {item: "row_no_project" for item in DOCUMENTS if item in quantities and not refused[item]}
    return tuple(
        make_row(item, quantity, application.costs.get(item), refused[item], level, intensity, rules)
        for item, quantity in quantities.items()
    )


def refusal(item: Item, application: Application, level: Level, project_type: ProjectType, rules: RulesAt) -> str:
    """Return the name of the text that explains why an item is not eligible; "" when it is."""
    if level is Level.NONE:
        return "row_contracts_ended" if rules.contracts_ended else "row_level_none"
    if unit_limit(item, level, rules) is None:
        return "row_ended"
    if item in SOURCE_ROWS:
        return refuse_source(application, project_type)
    if item is Item.CENTRAL_HEATING_DHW:
        chosen = [one for one in SOURCES if one in application.scope]
        replaced = any(not refusal(one, application, level, project_type, rules) for one in chosen)
        return "" if replaced else "row_installation_alone"
    if project_type is ProjectType.LOW:
        if rules.items[item].table == ENVELOPE_TABLE:
            return "row_type_1"
        if application.heating is not Heating.SOLID_FUEL:
            return "row_no_project"
    return ""


def refuse_source(application: Application, project_type: ProjectType) -> str:
    """Refuse to replace anything but solid fuel below class 5; above the upper index require thermo-modernisation."""
    if application.heating is not Heating.SOLID_FUEL:
        return "row_source_efficient"
    if project_type is ProjectType.HIGH and not application.has_thermal_works:
        return "row_source_alone"
    return ""


def unit_limit(item: Item, level: Level, rules: RulesAt) -> DatedValue | None:
    """Return the limit per piece or square metre; None at no level, and where none is in force."""
    if level is Level.NONE:
        return None
    try:
        return rules.value(f"items/{item}", level)
    except NotInForce:
        return None


def make_row(
    item: Item,
    quantity: Decimal,
    cost: Decimal | None,
    refused: str,
    level: Level,
    intensity: Decimal,
    rules: RulesAt,
) -> ItemRow:
    """Return one row. refused: the name of the text with the reason, "" when eligible."""
    rule = rules.items[item]
    limit = unit_limit(item, level, rules)
    limit_pln = truncate_to_grosz(limit.value * quantity) if limit else ZERO
    net_cost_pln = None if cost is None else truncate_to_grosz(cost)
    subsidy_pln, binding = ZERO, None
    if not refused:
        subsidy_pln, binding = limit_pln, Binding.LIMIT
        if net_cost_pln is not None and (share := truncate_to_grosz(net_cost_pln * intensity)) < limit_pln:
            subsidy_pln, binding = share, Binding.COST
    return ItemRow(
        item=item,
        name=rule.name,
        clause=limit.clause if limit else rule.clause,
        table=rule.table,
        quantity=quantity,
        unit=rule.unit,
        limit_pln=limit_pln,
        net_cost_pln=net_cost_pln,
        subsidy_pln=subsidy_pln,
        eligible=not refused,
        binding=binding,
        reason=describe_refusal(refused, rules),
        limit=limit,
    )


def describe_refusal(refused: str, rules: RulesAt) -> str:
    """Return the sentence of a refusal, "" for none."""
    if not refused:
        return ""
    edges = {"row_source_alone": "type_2_to", "row_type_1": "type_2_from"}
    if refused in edges:
        return rules.text(refused, eu=format_amount(rules.number("project_types/heating_demand", edges[refused])))
    return rules.text(refused)
