"""The form of a depot: every field that an editor sets, validated before anything is written; and its history."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

from django import forms
from django.contrib.admin.widgets import AdminTextInputWidget
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from catalog.admin.desk import page_url
from catalog.admin.evidence import find_same_contact
from catalog.admin.registers_and_history import FieldChange, in_words
from catalog.depots import fuels
from catalog.models import Depot, Municipality
from catalog.models.depots import READERS, TYPED_LENGTHS, clean_field
from catalog.services import editing, moderation
from catalog.starter import DEMONSTRATION_MARK
from catalog.submissions.field_groups import DAY_NAMES
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE
from catalog.territory.snapshot import territory
from catalog.text import one_line
from fueldepot.data import history

STATE = ("featured", "data_status", "publication", "removal_reason", "merged_into", "review")
FOLLOWED = (*Depot.PUBLIC_FIELDS, *Depot.FUEL_FIELDS[1:], *STATE)

COLUMNS = {name: Depot.column(name) for name in FOLLOWED}

MOST_LINES = 500
"""Newest history rows that a page reads."""


def read_history(depot: Depot) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the changes of a depot, newest first, and by field a sentence on its source. One query.

    Of a change: who, see `history.author`, and the changed fields, none for the first row.
    """
    columns = ("history_date", "history_user__username", "history_change_reason", "confirmed_fields")
    rows = Depot.history.filter(id=depot.pk).order_by("-history_id").values(*columns, *COLUMNS.values())
    oldest_first = list(rows[:MOST_LINES])[::-1]
    lines: list[dict[str, Any]] = []
    last: dict[str, dict[str, Any]] = {}
    # The first row has none before it, and so no changes.
    for before, row in pairwise([*oldest_first[:1], *oldest_first]):
        changed = [name for name, column in COLUMNS.items() if before[column] != row[column]]
        reason = row["history_change_reason"] or ""
        who = history.author(row["history_user__username"], reason)
        at = timezone.localtime(row["history_date"])
        line = {"at": at, "who": who, "reason": reason, "changes": changes_of(before, row)}
        last |= dict.fromkeys(changed if lines else COLUMNS, line)
        lines.append(line)
    sources = {name: source_of(name, line, depot) for name, line in last.items() if name in Depot.PUBLIC_FIELDS}
    return lines[::-1], sources


def changes_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(Depot.label(name), field_in_words(name, before[column]), field_in_words(name, after[column]))
        for name, column in COLUMNS.items()
        if before[column] != after[column]
    )


def source_of(name: str, line: Mapping[str, Any], depot: Depot) -> str:
    """A sentence on the source of a field's present value. line: the change that set it."""
    who = line["who"]
    if line["reason"].startswith((history.SUBMITTED, history.SUBMITTED_BEFORE)):
        source = f"zgłoszenie; przyjęła redakcja ({who})"
    else:
        source = who if who in {history.IMPORTED, history.BY_OWNER} else f"redakcja ({who})"
    text = f"Źródło: {source}, {line['at']:%d.%m.%Y}"
    if name == "fuels" and depot.fuels_by_name:
        text += f"; według nazwy, bez potwierdzenia: {', '.join(fuels.labels(depot.fuels_by_name))}"
    if name == "fuels" and (priced := [fuel for fuel in depot.fuels_priced if fuel in depot.fuels]):
        text += f"; z cen: {', '.join(fuels.labels(priced))}"
    if name not in depot.confirmed_fields:
        return f"{text}; import może je zmienić."
    owner = depot.data_status == Depot.DataStatus.OWNER
    return f"{text}; {'potwierdzone przez właściciela' if owner else 'ustalone przez człowieka'}, import go nie zmieni."


def field_in_words(name: str, value: Any) -> str:
    if name in Depot.FUEL_FIELDS and value:
        return ", ".join(fuels.labels(value))
    if name == "hours" and value is not None:
        # A day with several ranges has no value in the week; the line of `opening_hours` lists them.
        return "; ".join(
            f"{label} {value[day] or 'kilka przedziałów'}" for day, label in DAY_NAMES.items() if day in value
        )
    return in_words(Depot._meta.get_field(name), value)


VERIFYING = {"_verify", "_verify_next"}
"""Submit buttons that verify the whole depot."""

MISTAKES = {
    "postcode": "Kod pocztowy ma postać 30-001.",
    "nip": "To nie jest poprawny NIP: ma mieć 10 cyfr i zgodną cyfrę kontrolną.",
    "phone": "To nie jest poprawny numer telefonu. Kilka numerów rozdziel przecinkami.",
    "website": "To nie jest adres publicznej strony, na przykład https://www.example.pl.",
    "opening_hours": (
        "Z tego zapisu nie wynika zwykły tydzień. Napisz na przykład „pn.-pt. 8:00-16:00; sob. 8:00-13:00”."
    ),
}
"""What the desk says of an unreadable text, by field."""


def same(name: str, value: Any, other: Any) -> bool:
    """Whether a cleaned value of a field equals a stored one; the order of fuels does not count."""
    if name == "fuels":
        return set(value) == set(other)
    return bool((value.pk if isinstance(value, Municipality) else value) == other)


class FuelsField(forms.MultipleChoiceField):
    """Fuels in the order of the catalog. A form may also send a blank one, so that no fuel differs from no field."""

    def to_python(self, value: Any) -> list[str]:
        chosen = set(super().to_python(value)) - {""}
        return [*fuels.in_order(chosen), *sorted(chosen - fuels.BY_SLUG.keys())]


class DepotAdminForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Cleans the values; `catalog.services` writes them, so the model's own validation is off.

    opened: see `editing.edit_version`. merged: fields that keep values saved by somebody else meanwhile. editor: the
    user. sources: by field, where its value comes from, for the help text. The admin sets both.
    """

    editor: User
    sources: Mapping[str, str]
    opened = forms.IntegerField(widget=forms.HiddenInput, required=False)
    fuels = FuelsField(label="Paliwa", required=False, choices=fuels.choices, widget=forms.CheckboxSelectMultiple)
    nip = forms.CharField(
        label="NIP", max_length=TYPED_LENGTHS["nip"], required=False, help_text="10 cyfr; myślniki i odstępy można."
    )
    lat = forms.FloatField(label="Szerokość geograficzna", min_value=LAT_RANGE[0], max_value=LAT_RANGE[1])
    lon = forms.FloatField(label="Długość geograficzna", min_value=LON_RANGE[0], max_value=LON_RANGE[1])
    # Rendered by the error of `_warn_of_same_contact`.
    another_depot = forms.BooleanField(required=False)
    other_municipality = forms.BooleanField(
        label="Inna gmina niż z położenia", required=False, help_text="Bez tego zaznaczenia gmina wynika z położenia."
    )

    class Meta:
        model = Depot
        fields = editing.EDITABLE
        labels = {"opening_hours": "Godziny otwarcia"}
        help_texts = {
            "opening_hours": "Na przykład „pn.-pt. 7:00-15:00; sob. 8:00-13:00”. Tydzień w API powstaje z tego zapisu."
        }
        # An address may be typed without its scheme.
        field_classes = {"website": forms.CharField}
        widgets = {"website": AdminTextInputWidget}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.merged: list[str] = []
        # Read-only pages have no form fields.
        if "municipality" not in self.fields:
            return
        self.fields["municipality"].required = False
        for name in self.sources.keys() & self.fields.keys():
            self.fields[name].help_text = f"{self.fields[name].help_text} {self.sources[name]}".strip()
        if self.instance.pk:
            self.initial["opened"] = getattr(self.instance, "opened", 0)
            located = territory.get().boundaries.find(self.instance.lat, self.instance.lon)
            self.initial["other_municipality"] = located is None or located.teryt != self.instance.municipality_id

    def _cleaned(self, name: str, value: Any) -> Any:
        """Return the value of a field as the depot stores it. Raises ValidationError."""
        # Text of a source that is no weekly hours is kept; editors cannot enter such text.
        if name not in READERS or (name == "opening_hours" and one_line(value) == self.instance.opening_hours):
            return one_line(value) if name in READERS else value
        value = clean_field(name, value, MISTAKES)
        demo = name == "name" and self.instance.source == Depot.Source.DEMO
        if demo and not value.startswith(DEMONSTRATION_MARK):
            raise forms.ValidationError(f"Nazwa wpisu demonstracyjnego zaczyna się od „{DEMONSTRATION_MARK}”.")
        return value

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        for name in [name for name in editing.EDITABLE if name in data]:
            try:
                data[name] = self._cleaned(name, data[name])
                Depot.validate_value(name, data[name])
            except forms.ValidationError as error:
                self.add_error(name, error)
        if self.instance.pk:
            self._merge_changes(data)
        else:
            self._warn_of_same_contact(data)
        if not self.errors:
            self._choose_municipality(data)
        if self.instance.source == Depot.Source.DEMO:
            for name in editing.CONTACT:
                if data.get(name):
                    self.add_error(name, "Wpis demonstracyjny jest zmyślony i nie może mieć danych kontaktowych.")
        return data

    def _warn_of_same_contact(self, data: dict[str, Any]) -> None:
        """Refuse a new depot that shares a tax number, telephone or website, until the editor confirms it."""
        if data.get("another_depot") or self.errors:
            return
        # A repeated click would report the depot that the first click added.
        values = {name: data[name] for name in editing.EDITABLE if name != "municipality"}
        repeated = editing.find_repeated(values, self.editor)
        others = find_same_contact(data, besides=repeated.pk if repeated else None)
        if not others:
            return
        rows = (
            (page_url(row._meta, "change", row.pk), row, row.municipality, row.get_publication_display(), shared)
            for row, shared in others
        )
        raise forms.ValidationError(
            format_html(
                "Te same dane ma już inny wpis, więc jeszcze nic nie dodano.<ul>{}</ul>"
                '<label><input type="checkbox" name="another_depot"> To inny skład niż wymienione: dodaj go.</label>',
                format_html_join("", '<li><a href="{}">{}</a>, {}, {}: {}</li>', rows),
            )
        )

    def _merge_changes(self, data: dict[str, Any]) -> None:
        """Merge changes saved by others since the form was opened; refuse if both changed the same field.

        The typed values stay in the form, whose edit version becomes the present one. Verifying is refused too: the
        editor has not seen the new values. Raises DepotIsErased.
        """
        stored = moderation.locked(self.instance)
        try:
            editing.check_edit_version(stored, data.get("opened") or 0)
            return
        except editing.DepotEditConflict as error:
            clashes = error.clashes
        data["opened"] = editing.edit_version(stored)
        self.data = sent = cast("QueryDict", self.data).copy()
        sent["opened"] = str(data["opened"])
        if clashes is None:
            text = "Nie wiadomo, jaki stan wpisu pokazał formularz, więc nic nie zapisano. Sprawdź wartości i zapisz."
            raise forms.ValidationError(text)
        for name, (before, now) in clashes.items():
            if name not in data or same(name, data[name], now):
                continue
            if same(name, data[name], before):
                self._take_stored(name, now, data, stored)
                continue
            change = f"z „{field_in_words(name, before)}” na „{field_in_words(name, now)}”"
            text = "W formularzu jest Twoja wartość: zapisz ją jeszcze raz albo wpisz tamtą."
            self.add_error(name, f"W tym czasie ktoś zmienił to pole {change}. {text}")
        if VERIFYING & set(self.data):
            merged = ", ".join(Depot.label(name) for name in self.merged) or "stan wpisu"
            raise forms.ValidationError(
                f"W tym czasie ktoś zmienił: {merged}. Obejrzyj wpis i oznacz go jako sprawdzony jeszcze raz."
            )

    def _take_stored(self, name: str, value: Any, data: dict[str, Any], stored: Depot) -> None:
        """Take the stored value into the data to be saved and into the redisplayed form."""
        sent = cast("QueryDict", self.data)
        data[name] = stored.municipality if name == "municipality" else value
        if isinstance(value, list):
            sent.setlist(name, value)
        elif value is False:
            sent.pop(name, None)
        else:
            sent[name] = "on" if value is True else "" if value is None else str(value)
        if name == "municipality":
            data["other_municipality"] = True
        self.merged.append(name)

    def _choose_municipality(self, data: dict[str, Any]) -> None:
        """Set the municipality of the position, unless the editor asked for another one."""
        if data["other_municipality"]:
            if data.get("municipality") is None:
                self.add_error("municipality", "Wybierz gminę albo odznacz „inna gmina niż z położenia”.")
            return
        located = territory.get().boundaries.find(data["lat"], data["lon"])
        if located is None:
            text = "To miejsce nie leży w żadnej gminie. Popraw położenie albo zaznacz inną gminę i wybierz ją."
            self.add_error("lat", text)
        else:
            data["municipality"] = Municipality.objects.get(pk=located.teryt)

    def _post_clean(self) -> None:
        """Nothing: the services change the row, and `clean` has checked all that they could refuse."""

    def values(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        return {name: data[name] for name in editing.EDITABLE} | {"municipality": data["municipality"].pk}
