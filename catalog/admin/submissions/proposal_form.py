"""Form to replace proposed values while accepting a submission."""

from collections.abc import Mapping
from typing import Any

from django import forms

from catalog.admin.depots.form import MISTAKES
from catalog.depots import fuels
from catalog.depots.field_cleaning import READERS, TYPED_LENGTHS, clean_field
from catalog.models import Depot, Submission
from catalog.parsing.opening_hours import weekly_hours
from catalog.submissions import field_groups
from catalog.territory.point import LAT_RANGE, LON_RANGE
from catalog.territory.snapshot import territory

POSITION = {"lat": LAT_RANGE, "lon": LON_RANGE}
"""Coordinates that can be replaced, with their limits."""

OUTSIDE = "To miejsce nie leży w żadnej gminie."


def names_in(group: str) -> tuple[str, ...]:
    """Return the names of the form fields of a field group."""
    if group == "lat":
        return tuple(POSITION)
    return ("opening_hours",) if group == "hours" else (group,)


class FuelsField(forms.MultipleChoiceField):
    """Fuels in the order of the catalog. The form also sends a blank one, so that no fuel differs from no field."""

    def to_python(self, value: Any) -> list[str]:
        chosen = set(super().to_python(value)) - {""}
        return [fuel.slug for fuel in fuels.FUELS if fuel.slug in chosen] + sorted(chosen - fuels.BY_SLUG.keys())


class ProposalForm(forms.Form):
    """The proposed values of a submission as form fields.

    suffix: of the names of its fields, where a page has several. groups_name: of the checkboxes of field groups.
    ticked: names of the groups that the POST accepts, None without a POST.
    """

    def __init__(self, submission: Submission, data: Any = None, suffix: str = "") -> None:
        super().__init__(data, prefix=f"value{suffix}")
        self.proposed = submission.proposed
        self.groups_name = f"groups{suffix}"
        self.ticked: list[str] | None = None if data is None else data.getlist(self.groups_name)
        self.may_choose = submission.kind == Submission.Kind.CORRECT
        for group in field_groups.groups_in(self.proposed):
            names = names_in(group.name)
            # A field missing from the POST keeps the proposed value.
            if data is None or all(self.add_prefix(name) in data for name in names):
                self.fields |= {name: self._field(name, group.label) for name in names}

    def _field(self, name: str, label: str) -> forms.Field:
        """Return the form field of a value."""
        if name in POSITION:
            low, high = POSITION[name]
            label = "szerokość" if name == "lat" else "długość"
            return forms.FloatField(label=label, min_value=low, max_value=high, initial=self.proposed[name])
        if name == "fuels":
            return FuelsField(
                label=label,
                choices=fuels.CHOICES,
                required=False,
                initial=self.proposed["fuels"],
                widget=forms.CheckboxSelectMultiple,
            )
        return forms.CharField(
            label=label,
            required=name == "name",
            max_length=TYPED_LENGTHS["nip"] if name == "nip" else Depot.max_length(name),
            initial=self.proposed.get(name) or "",
            widget=forms.TextInput(attrs={"aria-label": label}),
        )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        for name in [name for name in READERS if name in data]:
            # Proposed values were cleaned at submission.
            if data[name] == (self.proposed.get(name) or ""):
                data[name] = self.proposed.get(name)
                continue
            try:
                data[name] = clean_field(name, data[name], MISTAKES)
                Depot.validate_value(name, data[name])
            except forms.ValidationError as error:
                self.add_error(name, error)
        if self._is_moved(data):
            self.located = territory.get().boundaries.find(data["lat"], data["lon"])
            if self.located is None:
                self.add_error("lat", OUTSIDE)
        # What is not accepted need not be valid: a value may have been proposed before its limit was checked.
        for group in field_groups.groups_in(self.proposed):
            if self.may_choose and group.name not in (self.ticked or ()):
                for name in names_in(group.name):
                    self.errors.pop(name, None)
        return data

    def _is_moved(self, data: Mapping[str, Any]) -> bool:
        """Whether both coordinates were sent and one differs from the proposal."""
        return data.keys() >= POSITION.keys() and any(data[name] != self.proposed[name] for name in POSITION)

    def values(self) -> dict[str, Any]:
        """Return the values that differ from the proposal; with hours their week, with a position its municipality."""
        changed = {name: value for name, value in self.cleaned_data.items() if value != self.proposed.get(name)}
        if "opening_hours" in changed:
            changed["hours"] = weekly_hours(changed["opening_hours"])
        if self._is_moved(self.cleaned_data) and self.located is not None:
            position = {name: self.cleaned_data[name] for name in POSITION}
            changed |= position | {"location_approximate": False, "municipality": self.located.teryt}
        return changed

    def fields_of(self, group: str) -> list[Any]:
        """Return the bound fields of a group, none if its value cannot be changed here."""
        return [self[name] for name in names_in(group) if name in self.fields]
