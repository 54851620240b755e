"""What heat costs from each source: pure functions over a price and dated defaults, without database and clock.

A kilowatt-hour costs the price divided by the heat of its unit: energy times efficiency. Both are ranges, so the cost
is one. Electricity and gas need no energy content. Defaults: `prices/data/heating_costs.yaml`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field

from fueldepot.data.yaml_reader import Mistake, Number, StrictModel, Text, check_days, read_yaml

FILE = Path(__file__).parent / "data" / "heating_costs.yaml"

Unit = Literal["t", "mp", "kWh"]
"""What a price is per: a tonne, a stacked cubic metre, a kilowatt-hour."""

Certainty = Literal["high", "medium", "low"]
Basis = Literal["net", "gross"]
EnergyUnit = Literal["MJ/kg", "kWh/kg", "kWh/mp"]
EfficiencyUnit = Literal["share", "kWh/kWh"]
EmissionUnit = Literal["kg/GJ", "kg/MWh"]

PRICED_PER: Mapping[EnergyUnit, Unit] = {"MJ/kg": "t", "kWh/kg": "t", "kWh/mp": "mp"}
CONVERSIONS: Mapping[EnergyUnit, tuple[Decimal, Decimal]] = {
    "MJ/kg": (Decimal("3.6"), Decimal(1000)),
    "kWh/kg": (Decimal(1), Decimal(1000)),
    "kWh/mp": (Decimal(1), Decimal(1)),
}
"""Units of energy in a kilowatt-hour, and kg or stacked metres in the unit of a price. The quotient is not exact."""

PER_KWH: Mapping[EmissionUnit, Decimal] = {"kg/GJ": Decimal("0.0036"), "kg/MWh": Decimal("0.001")}
"""Gigajoules and megawatt-hours in a kilowatt-hour."""


class Estimate(NamedTuple):
    low: Decimal
    middle: Decimal
    high: Decimal

    def times(self, factor: "Estimate | Decimal") -> "Estimate":
        """Return the product with a number, or end by end with another range; all are positive."""
        factors = factor if isinstance(factor, Estimate) else (factor,) * 3
        return Estimate(*(own * other for own, other in zip(self, factors, strict=True)))

    def under(self, amount: Decimal) -> "Estimate":
        """Return an amount divided by the range; the high end makes the low one."""
        return Estimate(amount / self.high, amount / self.middle, amount / self.low)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A default. basis: None where net and gross do not differ. origin: in Polish."""

    span: Estimate
    unit: str
    basis: Basis | None
    certainty: Certainty
    origin: str


@dataclass(frozen=True, slots=True)
class HeatSource:
    """A source of heat with its defaults. fuel, series: "" for none. device: key of the efficiency.

    energy: None where the price is per kilowatt-hour. emission: kg of CO₂ per kilowatt-hour of energy, or None.
    """

    slug: str
    name: str
    fuel: str
    series: str
    unit: Unit
    energy: Quantity | None
    efficiency: Quantity
    device: str
    emission: Decimal | None
    emission_origin: str


@dataclass(frozen=True, slots=True)
class HeatCost:
    """Cost of heat in zł, None without a price. amount: a year, in units of the price. co2: kg per kWh of heat."""

    per_kwh: Estimate | None
    per_year: Estimate | None
    amount: Decimal
    co2: Decimal | None


def heat_cost(
    source: HeatSource, price: Decimal | None, *, demand: Decimal, efficiency: Decimal | None = None
) -> HeatCost:
    """Return the cost of heat. price: zł per unit of the source or None. demand: kWh a year. efficiency: own."""
    share = source.efficiency.span if efficiency is None else Estimate(efficiency, efficiency, efficiency)
    heat, kwh = share, Decimal(1)
    if source.energy:
        kwh, priced = CONVERSIONS[source.energy.unit]  # type: ignore[index] # checked when read
        heat = share.times(source.energy.span.times(priced))
    # One division each: a quotient that is multiplied afterwards may fall short of the half that is rounded up.
    return HeatCost(
        per_kwh=None if price is None else heat.under(price * kwh),
        per_year=None if price is None else heat.under(price * kwh * demand),
        amount=demand * kwh / heat.middle,
        co2=None if source.emission is None else source.emission / share.middle,
    )


def rounded_year(cost: Decimal) -> Decimal:
    return (cost / 100).quantize(Decimal(1), ROUND_HALF_UP) * 100


def group_overlapping(spans: Sequence[Estimate]) -> list[int]:
    """Return the number of the group of each range, from 1 for the cheapest. Ranges that overlap form one."""
    groups = [0] * len(spans)
    number, end = 0, None
    for position in sorted(range(len(spans)), key=lambda position: spans[position].low):
        if end is None or spans[position].low > end:
            number, end = number + 1, spans[position].high
        groups[position], end = number, max(end, spans[position].high)
    return groups


class ValueEntry(StrictModel):
    valid_from: date
    low: Number
    middle: Number
    high: Number
    certainty: Certainty
    origin: Text


class QuantityEntry(StrictModel):
    basis: Basis | None
    values: Annotated[list[ValueEntry], Field(min_length=1), AfterValidator(check_days)]


class EnergyEntry(QuantityEntry):
    unit: EnergyUnit


class EfficiencyEntry(QuantityEntry):
    unit: EfficiencyUnit


class EmissionEntry(StrictModel):
    unit: EmissionUnit
    value: Number | None
    origin: Text


class HeatSourceEntry(StrictModel):
    name: Text
    unit: Unit
    fuel: Text = ""
    series: Text = ""
    energy: Text | None = None
    efficiency: Text
    emission: Text


class HouseEntry(StrictModel):
    """A usual house: area in m², needs in kWh/m² a year."""

    area: Number
    need: Number
    need_after_works: Number
    origin: Text


class DefaultsFile(StrictModel):
    notes: list[Text]
    origins: dict[str, Text]
    house: HouseEntry
    energy: dict[str, EnergyEntry]
    efficiency: dict[str, EfficiencyEntry]
    emissions: dict[str, EmissionEntry]
    sources: dict[str, HeatSourceEntry]


def check_defaults(file: DefaultsFile) -> Iterator[Mistake]:
    """Yield unordered ranges, unknown names, and a net energy beside a gross efficiency."""
    for kind, entries in (("energy", file.energy), ("efficiency", file.efficiency)):
        for name, entry in entries.items():
            for number, value in enumerate(entry.values):
                if not 0 < value.low <= value.middle <= value.high:
                    yield (kind, name, "values", number), "low, middle and high must be positive and ascend"
                if value.origin not in file.origins:
                    yield (kind, name, "values", number), f"names the origin {value.origin!r}, which is not in the file"
    for slug, source in file.sources.items():
        named: tuple[tuple[str, str | None, Mapping[str, object]], ...] = (
            ("energy", source.energy, file.energy),
            ("efficiency", source.efficiency, file.efficiency),
            ("emission", source.emission, file.emissions),
        )
        missing = [(key, name) for key, name, entries in named if name is not None and name not in entries]
        yield from ((("sources", slug, key), f"names {name!r}, which is not in the file") for key, name in missing)
        if missing:
            continue
        energy = file.energy[source.energy] if source.energy else None
        if source.unit != (PRICED_PER[energy.unit] if energy else "kWh"):
            yield ("sources", slug, "unit"), f"is {source.unit!r}, which does not fit the energy"
        if energy and energy.basis != file.efficiency[source.efficiency].basis:
            yield ("sources", slug, "efficiency"), "is of another basis than the energy"


@lru_cache(maxsize=1)
def read_defaults() -> DefaultsFile:
    """Return the defaults. Raises InvalidYaml with every mistake."""
    return read_yaml(FILE, DefaultsFile, check_defaults)


@lru_cache(maxsize=8)
def heat_sources(on: date) -> tuple[HeatSource, ...]:
    """Return the sources with the defaults of a day, in the order of the file."""
    file = read_defaults()
    return tuple(
        HeatSource(
            slug=slug,
            name=entry.name,
            fuel=entry.fuel,
            series=entry.series,
            unit=entry.unit,
            energy=quantity_on(file.energy[entry.energy], file.origins, on) if entry.energy else None,
            efficiency=quantity_on(file.efficiency[entry.efficiency], file.origins, on),
            device=entry.efficiency,
            emission=per_kwh_of(file.emissions[entry.emission]),
            emission_origin=file.emissions[entry.emission].origin,
        )
        for slug, entry in file.sources.items()
    )


def quantity_on(entry: EnergyEntry | EfficiencyEntry, origins: Mapping[str, str], on: date) -> Quantity:
    value = next((row for row in reversed(entry.values) if row.valid_from <= on), entry.values[0])
    return Quantity(
        Estimate(value.low, value.middle, value.high), entry.unit, entry.basis, value.certainty, origins[value.origin]
    )


def per_kwh_of(entry: EmissionEntry) -> Decimal | None:
    return None if entry.value is None else entry.value * PER_KWH[entry.unit]
