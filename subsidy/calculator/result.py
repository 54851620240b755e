"""Results of the calculator."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from subsidy.application import Household, Item, Level, ProjectType
from subsidy.rules import DatedValue, Edition, RuleSource


class Binding(StrEnum):
    """The bound that decides the subsidy of a row."""

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
    limit: DatedValue | None


@dataclass(frozen=True, slots=True)
class LevelDecision:
    """A level with its reason. condition: a requirement that the application does not state, None without one."""

    level: Level
    reason: str
    condition: str | None


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
    table_3_limit: DatedValue | None
    table_3_limit_pln: Decimal
    max_subsidy_pln: Decimal
    own_contribution_pln: Decimal | None

    @property
    def confirmed(self) -> bool:
        """Whether an official text confirms every limit behind the subsidy."""
        used = [row.limit for row in self.rows if row.eligible]
        if self.table_3_sum_pln:
            used.append(self.table_3_limit)
        return all(limit.verified for limit in used if limit is not None)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition of the programme that applies to the result."""

    text: str
    clause: str
    source: RuleSource
    verified: bool


@dataclass(frozen=True, slots=True)
class Result:
    """The whole result. variants: project types 1, 2, 3 when the type is unknown, else empty; shown is one of them."""

    shown: Variant
    variants: tuple[Variant, ...]
    notes: tuple[str, ...]
    conditions: tuple[Requirement, ...]
    disclaimer: str
    business_revenue_limit_pln: Decimal | None
    edition: Edition
    sources: tuple[RuleSource, ...]

    @property
    def amounts_pln(self) -> tuple[Decimal, Decimal]:
        """The lowest and the highest maximum subsidy of the variants; the same amount twice without variants."""
        amounts = [one.max_subsidy_pln for one in self.variants or (self.shown,)]
        return min(amounts), max(amounts)

    @property
    def confirmed(self) -> bool:
        """Whether an official text confirms the limits of every variant."""
        return all(one.confirmed for one in self.variants or (self.shown,))
