"""Rows of a result, and which items are eligible; amounts in złoty, truncated to the grosz."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from enum import StrEnum

from catalog.text import short_amount
from subsidy.household_and_plan import (
    DOCUMENTS,
    SOURCES,
    Application,
    Heating,
    Household,
    Item,
    Level,
    ProjectType,
)
from subsidy.rules import Dated, Edition, RuleCondition, RulesAt, RuleSource

GROSZ = Decimal("0.01")
ZERO = Decimal("0.00")


def truncate_to_grosz(amount: Decimal) -> Decimal:
    return amount.quantize(GROSZ, ROUND_DOWN)


class Binding(StrEnum):
    LIMIT = "limit"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item. limit: the dated unit limit, None without one. binding: None where nothing is paid.

    reason: why the item is not eligible, "" when it is. subsidy_pln: before the limit of table 3.
    """

    item: Item
    name: str
    clause: str
    table: int
    quantity: Decimal
    unit: str
    limit_pln: Decimal
    net_cost_pln: Decimal | None
    subsidy_pln: Decimal
    eligible: bool
    binding: Binding | None
    reason: str
    limit: Dated | None


@dataclass(frozen=True, slots=True)
class Variant:
    """The result for one project type. own_contribution_pln: None without any cost."""

    level: Level
    level_name: str
    reason: str
    condition: str | None
    intensity: Decimal
    household: Household
    project_type: ProjectType
    rows: tuple[ItemRow, ...]
    table_3_sum_pln: Decimal
    table_3_limit: Dated | None
    table_3_limit_pln: Decimal
    max_subsidy_pln: Decimal
    own_contribution_pln: Decimal | None

    @property
    def used_table_3_limit(self) -> Dated | None:
        """The limit of table 3 if one of its items is planned."""
        return self.table_3_limit if any(row.table == ENVELOPE_TABLE for row in self.rows) else None

    @property
    def confirmed(self) -> bool:
        used = [row.limit for row in self.rows if row.eligible]
        if self.table_3_sum_pln:
            used.append(self.table_3_limit)
        return all(limit.verified for limit in used if limit is not None)


@dataclass(frozen=True, slots=True)
class Result:
    """The whole result. variants: project types 1, 2, 3 when the type is unknown, else empty; shown is one of them."""

    shown: Variant
    variants: tuple[Variant, ...]
    notes: tuple[str, ...]
    conditions: tuple[RuleCondition, ...]
    disclaimer: str
    business_revenue_limit_pln: Decimal | None
    edition: Edition
    sources: tuple[RuleSource, ...]

    @property
    def amounts_pln(self) -> tuple[Decimal, Decimal]:
        """The lowest and the highest maximum subsidy of the variants; the same amount twice without variants."""
        amounts = [variant.max_subsidy_pln for variant in self.variants or (self.shown,)]
        return min(amounts), max(amounts)

    @property
    def confirmed(self) -> bool:
        return all(variant.confirmed for variant in self.variants or (self.shown,))


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
        chosen = [source for source in SOURCES if source in application.scope]
        replaced = any(not refusal(source, application, level, project_type, rules) for source in chosen)
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
        return "note_type_1_efficient" if project_type is ProjectType.LOW else "row_source_efficient"
    if project_type is ProjectType.HIGH and not application.has_thermal_works:
        return "row_source_alone"
    return ""


def unit_limit(item: Item, level: Level, rules: RulesAt) -> Dated | None:
    """Return the limit per piece or square metre; None at no level, and where none is in force."""
    return rules.values.get((f"items/{item}", level))


def make_row(
    item: Item, quantity: Decimal, cost: Decimal | None, refused: str, level: Level, intensity: Decimal, rules: RulesAt
) -> ItemRow:
    """Return one row. refused: the name of the text with the reason, "" when eligible."""
    rule = rules.items[item]
    limit = unit_limit(item, level, rules)
    limit_pln = truncate_to_grosz(limit.number * quantity) if limit else ZERO
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
        unit=rule.counted_in,
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
        return rules.text(refused, eu=short_amount(rules.number("project_types/heating_demand", edges[refused])))
    return rules.text(refused)
