"""The public fields of a depot in a submission: as JSON, in groups that are accepted as a whole, and in titles."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst

from catalog.depots import fuels
from catalog.depots.opening_times import DAY_ABBREVIATIONS
from catalog.models import Depot, Municipality, Submission
from catalog.parsing.opening_hours import CLOSED, DAYS, texts_of_week
from catalog.services import journal
from catalog.services.editing import set_values

Values = Mapping[str, Any]
"""Fields by name of `Depot.PUBLIC_FIELDS`, in JSON; a municipality is its TERYT code."""

DAY_NAMES = dict(zip(DAYS, DAY_ABBREVIATIONS, strict=True))
NONE = "(brak)"


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields that belong together. name: its first field, used as its key. label: begins in lower case."""

    label: str
    fields: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.fields[0]


def all_groups(*joined: FieldGroup) -> tuple[FieldGroup, ...]:
    """Return the groups of all public fields, in their order: the given ones, and each other field alone."""
    group_of = {name: group for group in joined for name in group.fields}
    fields = Depot.PUBLIC_FIELDS
    return tuple(dict.fromkeys(group_of.get(name) or FieldGroup(Depot.label(name), (name,)) for name in fields))


GROUPS = all_groups(
    FieldGroup("położenie", Depot.POSITION),
    FieldGroup("godziny otwarcia", ("hours", "opening_hours")),
)
"""Fields that a decision about a submission accepts or rejects together."""

MERGED_GROUPS = all_groups(
    FieldGroup("ulica i numer domu", ("street", "house_number")),
    FieldGroup("kod pocztowy i miejscowość", ("postcode", "place")),
    FieldGroup("położenie i gmina", Depot.POSITION),
    FieldGroup("godziny otwarcia", ("opening_hours", "hours")),
)
"""Fields that an editor takes from one of two merged depots together."""


def values_of(depot: Depot) -> dict[str, Any]:
    return {name: getattr(depot, Depot.column(name)) for name in Depot.PUBLIC_FIELDS}


def changes(stored: Values, wanted: Values) -> dict[str, Any]:
    """Return the wanted values that differ, in whole groups. Groups without wanted values are omitted."""
    changed: dict[str, Any] = {}
    for group in GROUPS:
        if wanted.keys() >= {*group.fields} and any(wanted[name] != stored.get(name) for name in group.fields):
            changed |= {name: wanted[name] for name in group.fields}
    return changed


def groups_in(values: Values) -> tuple[FieldGroup, ...]:
    return tuple(group for group in GROUPS if group.name in values)


def labels(values: Values) -> str:
    return ", ".join(group.label for group in groups_in(values))


def apply(depot: Depot, values: Values, groups: Collection[str] | None = None) -> list[str]:
    """Set groups of fields, None for all, on a depot without saving it. Returns the names of the fields.

    Raises ValueRefused with nothing set.
    """
    chosen = (group for group in groups_in(values) if groups is None or group.name in groups)
    names = [name for group in chosen for name in group.fields]
    set_values(depot, values, names)
    return names


def differences(before: Values, after: Values) -> list[dict[str, Any]]:
    """Return stored and proposed values in words, for the groups of `after`: `name`, `label`, `before`, `after`.

    At most one query.
    """
    names = municipalities(before, after) if "municipality" in after else {}
    return [
        {
            "name": group.name,
            "label": capfirst(group.label),
            "before": group_in_words(group, before, names),
            "after": group_in_words(group, after, names),
        }
        for group in groups_in(after)
    ]


def accepted_changes(submission: Submission) -> list[dict[str, Any]]:
    """Return the values of a submission with `is_accepted`; omitted ones with the reason of the editor.

    Accepted values that an editor altered are as the depot has them now, with the author's as `proposed`. The
    municipality follows from the position, and the week from its text, so they are not compared.
    """
    changes = differences(submission.stored, submission.proposed)
    now = values_of(submission.depot) if submission.depot is not None else {}
    for group, change in zip(groups_in(submission.proposed), changes, strict=True):
        change["is_accepted"] = group.name in submission.accepted_fields
        compared = [name for name in group.fields if name not in {"municipality", "hours"}]
        if not change["is_accepted"]:
            change["reason"] = submission.reason
        elif now and any(now[name] != submission.proposed.get(name) for name in compared):
            present = group_in_words(group, now, municipalities(now))
            change |= {"after": present, "proposed": change["after"]}
    return changes


def municipalities(*values: Values) -> dict[str, str]:
    """Return the names of municipalities in values, by code. At most one query."""
    codes = {code for fields in values if (code := fields.get("municipality"))}
    return dict(Municipality.objects.filter(pk__in=codes).values_list("pk", "name"))


def group_in_words(group: FieldGroup, values: Values, names: Mapping[str, str]) -> str:
    """Return a group in words; several lines for hours."""
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
    return "\n".join(f"{DAY_NAMES[day]} {hours or CLOSED}" for day, hours in texts_of_week(week, text).items())


def describe_decided(submissions: Sequence[Submission]) -> str:
    """Return the title of a decision, such as "Przyjęto nr 14: Skład Zieliński – telefon". Depots are loaded."""
    done = {Submission.State.ACCEPTED.value: "Przyjęto", Submission.State.REJECTED.value: "Odrzucono"}
    verbs = " i ".join(dict.fromkeys(done[row.state] for row in submissions)).capitalize()
    first = submissions[0]
    if len(submissions) > 1:
        numbers = ", ".join(str(row.pk) for row in submissions[:3]) + (", …" if len(submissions) > 3 else "")
        names = {row.depot_id: row.depot.name if row.depot else "brakujące składy" for row in submissions}
        return journal.titled(f"{verbs} zgłoszenia nr {numbers}", names.values())
    if first.depot is None:  # the name may be a private person's, and is erased with the submission
        return f"{verbs} nr {first.pk}: {Submission.Kind(first.kind).label}"
    name, what = first.depot.name, Submission.Kind(first.kind).label
    if first.kind == Submission.Kind.CORRECT:
        taken = first.accepted_fields or first.proposed
        what = labels({field: value for field, value in first.proposed.items() if field in taken})
    return f"{verbs} nr {first.pk}: {name} – {what}"


def omits(submission: Submission, groups: Collection[str] | None) -> bool:
    """Whether some of the proposed field groups of a correction are not among the accepted ones."""
    if submission.kind != Submission.Kind.CORRECT or groups is None:
        return False
    return any(group.name not in groups for group in groups_in(submission.proposed))
