"""The public fields of a depot as a request carries them: as JSON, in groups that are accepted whole."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from catalog import fuels
from catalog.actions.editing import refuse_unknown
from catalog.models import Depot, Municipality
from catalog.reading.hours import CLOSED, DAYS, daily_ranges

Values = Mapping[str, Any]
"""Fields by name of `Depot.PUBLIC_FIELDS`, in JSON; a municipality is its TERYT code."""

DAY_NAMES = dict(zip(DAYS, ("pn.", "wt.", "śr.", "czw.", "pt.", "sob.", "niedz."), strict=True))
NONE = "(brak)"


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that make sense together only. name: that of its first field, by which it is accepted."""

    label: str
    fields: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.fields[0]


@dataclass(frozen=True, slots=True)
class Difference:
    """A group whose values differ, in words."""

    group: Group
    before: str
    after: str


GROUPS = (
    Group("Nazwa", ("name",)),
    Group("Ulica", ("street",)),
    Group("Numer domu", ("house_number",)),
    Group("Kod pocztowy", ("postcode",)),
    Group("Miejscowość", ("place",)),
    Group("NIP", ("nip",)),
    Group("Telefon", ("phone",)),
    Group("Strona internetowa", ("website",)),
    Group("Paliwa", ("fuels",)),
    Group("Położenie", ("lat", "lon", "location_approximate", "municipality")),
    Group("Godziny otwarcia", ("hours", "opening_hours")),
)

CONTACT = ("nip", "phone", "website")
"""What an invented depot may not have."""


def values_of(depot: Depot) -> dict[str, Any]:
    """The public fields of a depot."""
    columns = {name: "municipality_id" if name == "municipality" else name for name in Depot.PUBLIC_FIELDS}
    return {name: getattr(depot, column) for name, column in columns.items()}


def changes(stored: Values, wanted: Values) -> dict[str, Any]:
    """What of the wanted values differs, whole groups of it. Groups that `wanted` does not fill are left out.

    Raises ValueError for names that are not in `Depot.PUBLIC_FIELDS`.
    """
    refuse_unknown(wanted, Depot.PUBLIC_FIELDS)
    changed: dict[str, Any] = {}
    for group in GROUPS:
        if all(name in wanted for name in group.fields) and any(
            wanted[name] != stored.get(name) for name in group.fields
        ):
            changed |= {name: wanted[name] for name in group.fields}
    return changed


def groups_in(values: Values) -> tuple[Group, ...]:
    """The groups that some values fill."""
    return tuple(group for group in GROUPS if group.name in values)


def apply(depot: Depot, values: Values, groups: Collection[str]) -> list[str]:
    """Set the groups of these names on a depot; it is not saved. Returns the names of the fields."""
    names = [name for group in groups_in(values) if group.name in groups for name in group.fields]
    for name in names:
        setattr(depot, "municipality_id" if name == "municipality" else name, values[name])
    return names


def differences(before: Values, after: Values, municipalities: Mapping[str, str]) -> tuple[Difference, ...]:
    """Stored and proposed in words, for the groups of `after`. municipalities: names by code, see `municipalities`."""
    return tuple(
        Difference(group, shown(group, before, municipalities), shown(group, after, municipalities))
        for group in groups_in(after)
    )


def municipalities(*values: Values) -> dict[str, str]:
    """Names of the municipalities that values mention, by code. One query, none without any."""
    codes = {code for one in values if (code := one.get("municipality"))}
    if not codes:
        return {}
    return dict(Municipality.objects.filter(pk__in=codes).values_list("pk", "name"))


def shown(group: Group, values: Values, names: Mapping[str, str]) -> str:
    """A group in words; several lines for hours."""
    value = values.get(group.name)
    if group.name == "lat":
        if value is None:
            return NONE
        code = values.get("municipality") or ""
        approximate = ", w przybliżeniu" if values.get("location_approximate") else ""
        position = f"{value:.5f}° N, {values['lon']:.5f}° E".replace(".", ",")
        return f"{position}{approximate}; gmina {names.get(code, code)}"
    if group.name == "hours":
        return _shown_hours(value, values.get("opening_hours") or "")
    if group.name == "fuels":
        return ", ".join(fuels.BY_SLUG[slug].name for slug in value or ()) or NONE
    return str(value) if value else NONE


def _shown_hours(week: Mapping[str, str] | None, text: str) -> str:
    if week is None:
        return text or NONE
    ranges = daily_ranges(text) or {}
    return "\n".join(
        f"{name} {week.get(day) or ', '.join(ranges.get(day, ())) or CLOSED}" for day, name in DAY_NAMES.items()
    )
