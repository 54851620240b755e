"""The rows: what is eligible, its limit, its subsidy."""

from decimal import Decimal

from subsidy.application import DOCUMENTS, SOURCES, Application, Heating, Item, Level, ProjectType
from subsidy.calculator.money import ZERO, cut, written
from subsidy.calculator.result import Binding, Row
from subsidy.rules import InForce, NotInForce, RulesOn

SOURCE_ROWS = frozenset((*SOURCES, Item.GROUND_SOURCE_LOOP))
ENVELOPE_TABLE = 3


def make_rows(
    application: Application, level: Level, project_type: ProjectType, intensity: Decimal, rules: RulesOn
) -> tuple[Row, ...]:
    """The rows of one project type, in the order of items."""
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


def refusal(item: Item, application: Application, level: Level, project_type: ProjectType, rules: RulesOn) -> str:
    """The name of the text that says why an item is not eligible; "" when it is."""
    if level is Level.NONE:
        return "row_level_none"
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
    """Only solid fuel below class 5 is replaced, and above the upper index only together with the envelope."""
    if application.heating is not Heating.SOLID_FUEL:
        return "row_source_efficient"
    if project_type is ProjectType.HIGH and not application.has_envelope:
        return "row_source_alone"
    return ""


def unit_limit(item: Item, level: Level, rules: RulesOn) -> InForce | None:
    """The limit of one piece or square metre; None where the programme has none on the day, or at no level."""
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
    rules: RulesOn,
) -> Row:
    """One row. refused: the name of a text, or ""."""
    rule = rules.items[item]
    limit = unit_limit(item, level, rules)
    limit_pln = cut(limit.value * quantity) if limit else ZERO
    net_cost_pln = None if cost is None else cut(cost)
    subsidy_pln, binding = ZERO, None
    if not refused:
        subsidy_pln, binding = limit_pln, Binding.LIMIT
        if net_cost_pln is not None and (share := cut(net_cost_pln * intensity)) < limit_pln:
            subsidy_pln, binding = share, Binding.COST
    return Row(
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


def describe_refusal(refused: str, rules: RulesOn) -> str:
    """The sentence of a refusal."""
    if not refused:
        return ""
    edges = {"row_source_alone": "type_2_to", "row_type_1": "type_2_from"}
    if refused in edges:
        return rules.text(refused, eu=written(rules.number("project_types/heating_demand", edges[refused])))
    return rules.text(refused)
