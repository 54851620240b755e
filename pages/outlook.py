"""What follows the verdict on an appliance: what may replace it, what the programme pays, and the calendar."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar
from urllib.parse import urlencode

from django.urls import reverse

from fueldepot.http.links import route_path
from pages.regulations import ProvisionRow, provision_row
from regulations.appliance_check import IN_PART, Facts, is_about_part
from regulations.appliance_descriptions import WITHOUT_FIRE
from regulations.fields import Appliance
from regulations.models import Deadline
from regulations.queries import DeadlineStatus, Regulation
from subsidy import rules
from subsidy.application import SOURCES, Heating, Level
from subsidy.calculator.rows import describe_refusal

NEW_APPLIANCES = frozenset(
    {Deadline.Kind.NEW_INSTALLATIONS, Deadline.Kind.SOLID_FUEL_BAN, Deadline.Kind.COAL_BAN, Deadline.Kind.FUEL_BAN}
)
"""Kinds of deadlines that say what a new appliance may be or burn."""

NOT_FUNDED = frozenset({Appliance.BOILER_CLASS_5, Appliance.BOILER_ECODESIGN})
"""Appliances whose replacement the programme does not pay: it wants a source below class 5."""

HEATING = {
    **dict.fromkeys(NOT_FUNDED, Heating.SOLID_FUEL_CLASS_5),
    Appliance.BOILER_BELOW_CLASS_3: Heating.SOLID_FUEL,
    Appliance.BOILER_CLASS_3: Heating.SOLID_FUEL,
    Appliance.BOILER_CLASS_4: Heating.SOLID_FUEL,
    Appliance.STOVE: Heating.SOLID_FUEL,
}
"""The answer of the calculator that an appliance implies; a fireplace may stand beside another source."""


@dataclass(frozen=True, slots=True)
class SourceLimit:
    """The highest subsidy for a new source, from the basic to the highest level, in złoty.

    verified: whether a document of the programme confirms both.
    """

    name: str
    low: Decimal
    high: Decimal
    verified: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """What follows. rules: of new appliances, that bind the municipality or a part of it, the latest first.

    has_known_rules: whether those of the place are known. solid_fuel_banned: everywhere in it, today.
    funded: None without an appliance. limits: of new sources. condition: of all limits. calculator: its path, with what
    is known. calendar: the path of the deadlines to come, "" without any.
    """

    fireless: ClassVar[str] = WITHOUT_FIRE

    rules: tuple[ProvisionRow, ...]
    has_known_rules: bool
    solid_fuel_banned: bool
    funded: bool | None
    limits: tuple[SourceLimit, ...]
    condition: str
    calculator: str
    calendar: str


def outlook(entry: Regulation, appliance: Appliance | None, facts: Facts) -> Outlook:
    """Return what follows in the municipality of a legal state. appliance: None for an unknown one."""
    assert entry.unit is not None  # noqa: S101 - the page asks for a municipality
    on = rules.current().on(entry.on)
    rows = [
        row
        for row in reversed(entry.deadlines_of_unit)
        if row.kind in NEW_APPLIANCES
        and (entry.binds(row) or IN_PART not in facts or is_about_part(row) is facts[IN_PART])
    ]
    answers = {"teryt": entry.unit.teryt}
    if appliance in HEATING:
        answers["current_heating"] = HEATING[appliance]
    calendar = route_path("v1:regulations-calendar", entry.voivodeship.slug) + f"?teryt={entry.unit.teryt}"
    return Outlook(
        rules=tuple(provision_row(entry, row, row.date) for row in rows),
        has_known_rules=entry.deadline_status_of_unit
        not in {DeadlineStatus.STATE_UNKNOWN, DeadlineStatus.DATES_UNKNOWN},
        solid_fuel_banned=any(
            row.kind == Deadline.Kind.SOLID_FUEL_BAN and row.date <= entry.on and entry.binds(row) for row in rows
        ),
        funded=None if appliance is None else appliance not in NOT_FUNDED,
        limits=tuple(source_limits(on)),
        condition=describe_refusal("row_source_alone", on),
        calculator=f"{reverse('subsidy')}?{urlencode(answers)}",
        calendar=calendar if entry.next_deadline_of_unit else "",
    )


def source_limits(on: rules.RulesAt) -> Iterator[SourceLimit]:
    """Yield the limits of the sources that the programme pays at some level."""
    for item in SOURCES:
        limits = [on.values.get((f"items/{item}", level)) for level in (Level.BASIC, Level.HIGHEST)]
        paid = [limit for limit in limits if limit is not None]
        if paid:
            name, verified = on.items[item].name, all(limit.verified for limit in paid)
            yield SourceLimit(name, paid[0].value, paid[-1].value, verified)
