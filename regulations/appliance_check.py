"""How long an appliance may be used in a municipality: pure functions over the legal state of a day.

    check = check_appliance(entry, Appliance.BOILER_CLASS_3)
    check.status, check.deciding.deadline.date, check.limited

Missing data are never a permission: an appliance without a known deadline is NOT_NAMED, or DATES_UNKNOWN where an act
of unknown dates binds. STAYS requires a source that says so.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from regulations.codes import BOILERS, COAL, SPACE_HEATERS, WOOD, Appliance, Condition, Exemption, FuelCode, read_spared
from regulations.models import Deadline, Scope
from regulations.queries import Regulation

AGES = (Condition.OVER_10_YEARS, Condition.FROM_5_TO_10_YEARS, Condition.UNDER_5_YEARS)
"""Age conditions that together cover every boiler; the latest of their deadlines is that of the youngest."""

Facts = Mapping[str, bool]
"""What is known beyond place and appliance: codes of conditions, `BURNS_COAL` and `IN_PART`, each true or false."""

BURNS_COAL = "coal"
"""Fact: the appliance burns coal. Otherwise it burns wood."""

IN_PART = "part"
"""Fact: it stands in the part of the municipality that an act names, such as a town or a health resort."""

EXEMPTED = {
    Exemption.ECODESIGN: SPACE_HEATERS | {Appliance.BOILER_ECODESIGN},
    Exemption.EFFICIENCY_80: SPACE_HEATERS,
    Exemption.DUST_FILTER: SPACE_HEATERS,
    Exemption.WITHOUT_NETWORK: BOILERS | SPACE_HEATERS,
    Exemption.EFFICIENCY_80_WITHOUT_NETWORK: SPACE_HEATERS,
    Exemption.ECODESIGN_WITHOUT_NETWORK: SPACE_HEATERS | {Appliance.BOILER_ECODESIGN},
    Exemption.BEST_STANDARD_WITHOUT_NETWORK: SPACE_HEATERS | {Appliance.BOILER_ECODESIGN},
    Exemption.ADDITIONAL_FIREPLACE: frozenset({Appliance.FIREPLACE}),
}
"""Appliances that can meet an exemption; a class 3 boiler, for example, cannot meet ecodesign."""


class ApplianceStatus(StrEnum):
    """STATE_UNKNOWN: no legal state was imported. NO_RESOLUTION: no act binds in the municipality.

    DATES_UNKNOWN: an act of unknown deadlines binds. NOT_NAMED: no known deadline covers the appliance. STAYS: a source
    permits use without an end. ENDS, ENDED: the deciding deadline is ahead, or has passed. LIMITED: for some fuels,
    buildings or places. CONTRADICTED: by sources, about all deadlines.
    """

    STATE_UNKNOWN = "state_unknown"
    NO_RESOLUTION = "no_resolution"
    DATES_UNKNOWN = "dates_unknown"
    NOT_NAMED = "not_named"
    STAYS = "stays"
    ENDS = "ends"
    ENDED = "ended"
    LIMITED = "limited"
    CONTRADICTED = "contradicted"


class ApplianceDeadline(NamedTuple):
    """A deadline of one appliance in one municipality. fuels, conditions: without those that known facts settle.

    binds: None in a part of it, or where sources contradict each other. exemptions: one suffices. caveat: "" for none.
    stays_if_started_before: an appliance put to use before this day may stay.
    """

    appliance: Appliance
    deadline: Deadline
    fuels: tuple[str, ...]
    conditions: tuple[str, ...]
    binds: bool | None
    contradicted: bool
    exemptions: tuple[Exemption, ...]
    stays_if_started_before: date | None
    caveat: str

    @property
    def is_limited(self) -> bool:
        """Whether it binds only for some fuels, some buildings or appliances, or a part of the municipality."""
        return self.binds is None or self.has_conditions

    @property
    def has_conditions(self) -> bool:
        """Whether it binds only for some fuels, or some buildings or appliances."""
        return bool(self.fuels or self.conditions)

    @property
    def open_fact(self) -> str | None:
        """The fact that says whether it binds: the part, then the fuel, then a condition; None without one."""
        if self.contradicted:
            return None
        if self.binds is None:
            return IN_PART
        return BURNS_COAL if self.fuels else next(iter(self.conditions), None)


class Sparing(NamedTuple):
    """A deadline that permits the appliance to stay. started_before: if put to use before this day; None for any."""

    deadline: Deadline
    started_before: date | None


class ApplianceCheck(NamedTuple):
    """Result of a check. deciding: the deadline that ends the use, with ENDS and ENDED; else None.

    limited: further deadlines of the appliance, the earliest first, without those that an unconditional deciding one
    precedes: of its day only `counterpart` is among them.
    spared_by: deadlines that permit the appliance to stay. elsewhere: acts bind in other municipalities only.
    """

    appliance: Appliance
    status: ApplianceStatus
    deciding: ApplianceDeadline | None = None
    limited: tuple[ApplianceDeadline, ...] = ()
    spared_by: tuple[Sparing, ...] = ()
    elsewhere: bool = False

    @property
    def stays_if_started_before(self) -> date | None:
        """The day before which an appliance must have been put to use to stay; None without such a rule."""
        if self.deciding:
            return self.deciding.stays_if_started_before
        days = [sparing.started_before for sparing in self.spared_by if sparing.started_before]
        if self.status is not ApplianceStatus.STAYS or len(days) < len(self.spared_by):
            return None
        return max(days)

    @property
    def counterpart(self) -> ApplianceDeadline | None:
        """The deadline by which the rest of the municipality has the day of the deciding one; None without one."""
        rows = (row for row in self.limited if self.deciding and repeats_elsewhere(row, self.deciding))
        return next(rows, None)

    @property
    def undecided(self) -> ApplianceDeadline | None:
        """The deadline whose `open_fact` decides the status; None where no question helps."""
        if self.status not in {ApplianceStatus.LIMITED, ApplianceStatus.ENDS}:
            return None
        counterpart = self.counterpart
        rows = [finding for finding in self.limited if finding.open_fact and finding is not counterpart]
        # The part first, asked by the rule that names it.
        rows.sort(key=lambda row: (row.open_fact != IN_PART, not is_about_part(row.deadline)))
        return rows[0] if rows else None


def check_appliance(entry: Regulation, appliance: Appliance, facts: Facts = MappingProxyType({})) -> ApplianceCheck:
    """entry: the legal state of the voivodeship on a day, with the municipality as its unit."""
    if entry.state is None:
        return ApplianceCheck(appliance, ApplianceStatus.STATE_UNKNOWN)
    if entry.precedes_own_act:
        return ApplianceCheck(appliance, ApplianceStatus.DATES_UNKNOWN)
    if not any(entry.may_bind(law.resolution) for law in entry.laws):
        return ApplianceCheck(appliance, ApplianceStatus.NO_RESOLUTION, elsewhere=bool(entry.laws))
    findings = tuple(appliance_deadlines(entry, appliance, facts))
    spared_by = tuple(find_sparings(entry, appliance))
    deciding = find_deciding(findings, entry.teryt, facts)
    if deciding:
        limited = tuple(
            finding
            for finding in findings
            if finding is not deciding
            and (
                has_exceptions(deciding)
                or finding.deadline.date < deciding.deadline.date
                or repeats_elsewhere(finding, deciding)
            )
        )
        status = ApplianceStatus.ENDED if deciding.deadline.holds_on(entry.on) else ApplianceStatus.ENDS
        return ApplianceCheck(appliance, status, deciding, limited, spared_by)
    status = status_without_deciding(entry, findings, spared_by, facts)
    return ApplianceCheck(appliance, status, None, findings, spared_by)


def status_without_deciding(
    entry: Regulation, findings: tuple[ApplianceDeadline, ...], spared_by: tuple[Sparing, ...], facts: Facts
) -> ApplianceStatus:
    if findings:
        is_disputed = all(finding.contradicted for finding in findings)
        return ApplianceStatus.CONTRADICTED if is_disputed else ApplianceStatus.LIMITED
    if is_spared(entry, [sparing.deadline for sparing in spared_by], facts):
        return ApplianceStatus.STAYS
    return ApplianceStatus.DATES_UNKNOWN if entry.has_undated_acts(entry.unit) else ApplianceStatus.NOT_NAMED


def appliance_deadlines(entry: Regulation, appliance: Appliance, facts: Facts) -> Iterable[ApplianceDeadline]:
    """Yield the deadlines that end or limit the use of an appliance in the municipality, in their order."""
    for row in binding(entry):
        unclear = appliance in row.unclear_appliances
        bounds = [sparing.started_before for sparing in read_spared(row.spared) if sparing.appliance == appliance]
        if (appliance not in row.appliances and not unclear) or None in bounds:
            continue
        contradicted = row.uncertain or unclear
        binds = None if contradicted else entry.binds(row)
        if any(facts.get(code) is False for code in row.conditions) or is_of_other_fuel(row, facts):
            continue
        if binds is None and not contradicted and IN_PART in facts:
            if is_about_part(row) is not facts[IN_PART]:
                continue
            binds = True
        yield ApplianceDeadline(
            appliance,
            row,
            () if is_of_fuel(row, facts) else tuple(row.fuels),
            tuple(code for code in row.conditions if code not in facts),
            binds,
            contradicted,
            tuple(code for code in map(Exemption, row.exemptions) if appliance in EXEMPTED[code]),
            next(iter(bounds), None),
            entry.caveat_of(row),
        )


def binding(entry: Regulation) -> Iterable[Deadline]:
    return (row for row in entry.deadlines_of_unit if row.kind != Deadline.Kind.NEW_INSTALLATIONS)


def is_about_part(scope: Scope) -> bool:
    """Whether a scope that covers a part of a municipality is that of `IN_PART`, and not the rest."""
    return scope.area in {Scope.Area.LISTED, Scope.Area.TOWNS}


def is_of_fuel(row: Deadline, facts: Facts) -> bool:
    return BURNS_COAL in facts and (FuelCode.HARD_COAL if facts[BURNS_COAL] else FuelCode.BIOMASS) in row.fuels


def is_of_other_fuel(row: Deadline, facts: Facts) -> bool:
    return BURNS_COAL in facts and bool(row.fuels) and (COAL if facts[BURNS_COAL] else WOOD).isdisjoint(row.fuels)


def find_sparings(entry: Regulation, appliance: Appliance) -> Iterable[Sparing]:
    """Yield the deadlines that permit an appliance to stay; not those that also end it, up to a start day."""
    return (
        Sparing(row, sparing.started_before)
        for row in binding(entry)
        for sparing in read_spared(row.spared)
        if sparing.appliance == appliance and (sparing.started_before is None or appliance not in row.appliances)
    )


def is_spared(entry: Regulation, rows: Iterable[Deadline], facts: Facts) -> bool:
    """Whether deadlines that let an appliance stay bind the whole municipality: one alone, or two that divide it.

    Where the facts have IN_PART, the part in which the appliance stands suffices.
    """
    binds = {row: entry.binds(row) for row in rows}
    parts = [row for row in binds if binds[row] is None and not row.uncertain]
    if IN_PART in facts:
        return any(binds.values()) or any(is_about_part(row) is facts[IN_PART] for row in parts)
    return any(binds.values()) or any(divide_municipality(row, other, entry.teryt) for row in parts for other in parts)


def find_deciding(findings: tuple[ApplianceDeadline, ...], teryt: str, facts: Facts) -> ApplianceDeadline | None:
    """Return the earliest deadline that ends all use of the appliance in the municipality, None without one.

    A deadline without limits does. So does the latest of the deadlines of all AGES that the facts leave, and the later
    one of two acts that each cover a part of the municipality and together the whole.
    """
    candidates = [finding for finding in findings if not finding.is_limited]
    by_age = {finding.conditions[0]: finding for finding in findings if finding.binds and is_by_age(finding)}
    if by_age and len(by_age) == sum(facts.get(age) is not False for age in AGES):
        candidates.append(max(by_age.values(), key=day_of))
    parts = [
        finding
        for finding in findings
        if finding.binds is None and not finding.contradicted and not finding.has_conditions
    ]
    candidates += [
        max(finding, other, key=day_of)
        for finding in parts
        for other in parts
        if divide_municipality(finding.deadline, other.deadline, teryt)
    ]
    return min(candidates, key=day_of, default=None)


def has_exceptions(finding: ApplianceDeadline) -> bool:
    return bool(finding.exemptions or finding.stays_if_started_before or finding.deadline.started_before)


def repeats_elsewhere(finding: ApplianceDeadline, deciding: ApplianceDeadline) -> bool:
    """Whether a deadline ends all use on the day of the deciding one, each of them in a part of the municipality."""
    parts = (finding, deciding)
    return (
        day_of(finding) == day_of(deciding)
        and is_about_part(finding.deadline) is not is_about_part(deciding.deadline)
        and not any(part.binds or part.contradicted or part.has_conditions or has_exceptions(part) for part in parts)
    )


def is_by_age(finding: ApplianceDeadline) -> bool:
    return len(finding.conditions) == 1 and finding.conditions[0] in AGES and not finding.fuels


def day_of(finding: ApplianceDeadline) -> date:
    return finding.deadline.date


def divide_municipality(scope: Scope, other: Scope, teryt: str) -> bool:
    """Whether two scopes that each cover a part of a municipality are together the whole.

    True for towns and the country in a town-and-country municipality, and for a local act and the rest of the
    voivodeship where both list the municipality as partly covered.
    """
    areas = {Scope.Area(scope.area), Scope.Area(other.area)}
    named = [any(code[:6] == teryt[:6] for code in part.partly) for part in (scope, other)]
    if areas == {Scope.Area.TOWNS, Scope.Area.OUTSIDE_TOWNS}:
        return not any(named)  # else neither is of a part
    return areas == {Scope.Area.VOIVODESHIP, Scope.Area.LISTED} and all(named)
