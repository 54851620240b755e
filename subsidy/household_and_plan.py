"""Input of the calculator as plain data, independent of requests, days and rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum, StrEnum

PEOPLE_RANGE = (1, 20)
MONEY_RANGE = (0, 10_000_000)
"""Zł, of incomes and costs."""
AREA_RANGE = (0, 5000)
"""M² of works."""


class Level(StrEnum):
    NONE = "none"
    BASIC = "basic"
    ELEVATED = "elevated"
    HIGHEST = "highest"


LEVELS = (Level.BASIC, Level.ELEVATED, Level.HIGHEST)


class Household(StrEnum):
    SINGLE = "single_person"
    MULTI = "multi_person"
    UNKNOWN = "unknown"


class IncomeType(StrEnum):
    PERSON = "person"
    HOUSEHOLD = "household"


class Heating(StrEnum):
    SOLID_FUEL = "solid_fuel"
    SOLID_FUEL_CLASS_5 = "solid_fuel_class5"
    OTHER = "other"


class ProjectType(IntEnum):
    LOW = 1
    MIDDLE = 2
    HIGH = 3


class Item(StrEnum):
    """Items that can be funded, in the order of result rows."""

    DISTRICT_HEATING = "district_heating"
    HEAT_PUMP_AIR_WATER = "heat_pump_air_water"
    HEAT_PUMP_AIR_AIR = "heat_pump_air_air"
    HEAT_PUMP_GROUND = "heat_pump_ground"
    GROUND_SOURCE_LOOP = "ground_source_loop"
    GASIFICATION_BOILER = "gasification_boiler"
    PELLET_BOILER = "pellet_boiler"
    ELECTRIC = "electric"
    CENTRAL_HEATING_DHW = "central_heating_dhw"
    CEILING = "ceiling"
    FLOOR = "floor"
    WALLS = "walls"
    WINDOWS = "windows"
    DOORS = "doors"
    GATES = "gates"
    VENTILATION = "ventilation"
    AUDIT = "audit"
    ENERGY_CERTIFICATE = "energy_certificate"


SOURCES = (
    Item.DISTRICT_HEATING,
    Item.HEAT_PUMP_AIR_WATER,
    Item.HEAT_PUMP_AIR_AIR,
    Item.HEAT_PUMP_GROUND,
    Item.GASIFICATION_BOILER,
    Item.PELLET_BOILER,
    Item.ELECTRIC,
)

SOLID_FUEL_SOURCES = frozenset({Item.GASIFICATION_BOILER, Item.PELLET_BOILER})
"""New sources that a ban of solid fuels forbids."""

ENVELOPE = (Item.CEILING, Item.FLOOR, Item.WALLS, Item.WINDOWS, Item.DOORS, Item.GATES)
"""Works that are measured in m² and change the heat demand of the house."""

DOCUMENTS = (Item.AUDIT, Item.ENERGY_CERTIFICATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """One household and its plan. `repr` leaves the incomes out, so that error reports never hold them.

    people: required with income. project_type: None before the audit.
    scope: item → quantity above 0 (m² for the envelope, 1 for the rest); includes the new source, not its ground loop.
    costs: item → net cost; items without a cost are absent. Costs of items outside the scope are ignored.
    """

    people: int | None = None
    income: Decimal | None = field(default=None, repr=False)
    income_type: IncomeType = IncomeType.PERSON
    benefit: bool = False
    annual_income: Decimal | None = field(default=None, repr=False)
    business: bool = False
    heating: Heating = Heating.SOLID_FUEL
    project_type: ProjectType | None = None
    scope: Mapping[Item, Decimal] = field(default_factory=dict)
    costs: Mapping[Item, Decimal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.income is not None and self.people is None:
            raise ValueError("income is stated without people; the threshold depends on the household")

    @property
    def household(self) -> Household:
        if self.people is None:
            return Household.UNKNOWN
        return Household.SINGLE if self.people == 1 else Household.MULTI

    @property
    def quantities(self) -> dict[Item, Decimal]:
        """The scope in the order of rows; a ground heat pump adds its ground loop."""
        scope = dict(self.scope)
        if Item.HEAT_PUMP_GROUND in scope:
            scope[Item.GROUND_SOURCE_LOOP] = scope[Item.HEAT_PUMP_GROUND]
        return {item: scope[item] for item in Item if item in scope}

    @property
    def replaces_source(self) -> bool:
        return any(item in self.scope for item in SOURCES)

    @property
    def has_envelope(self) -> bool:
        return any(item in self.scope for item in ENVELOPE)

    @property
    def has_thermal_works(self) -> bool:
        """Whether envelope or ventilation is in scope; the latter by inference from the questions and answers."""
        return self.has_envelope or Item.VENTILATION in self.scope
