"""The form of a depot: everything that an editor may say about one, checked before anything is written."""

from typing import Any, cast

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from catalog import actions, fuels
from catalog.admin.depots.story import LABELS, shown
from catalog.models import Depot, Municipality
from catalog.params import LAT_RANGE, LON_RANGE
from catalog.reading import contacts
from catalog.reading.hours import weekly_hours
from catalog.starter.demo import MARK
from catalog.territory.snapshot import territory
from catalog.text import normalise_postcode

EXTRAS = ("other_municipality",)
"""Fields of the form that a depot does not have."""


class DepotForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """What is given is cleaned here and written by `catalog.actions`; the model's own checks are not asked.

    opened: see `actions.opened_at`. verify: whether the button "save and verify" was pressed.
    """

    opened = forms.IntegerField(widget=forms.HiddenInput, required=False)
    fuels = forms.MultipleChoiceField(
        label="Paliwa",
        required=False,
        choices=fuels.CHOICES,
        widget=forms.CheckboxSelectMultiple,
    )
    nip = forms.CharField(label="NIP", max_length=20, required=False, help_text="10 cyfr; myślniki i odstępy można.")
    website = forms.CharField(label="Strona internetowa", max_length=contacts.MAX_TEXT, required=False)
    opening_hours = forms.CharField(
        label="Godziny otwarcia",
        max_length=300,
        required=False,
        help_text="Na przykład „pn.-pt. 7:00-15:00; sob. 8:00-13:00”. Tydzień w API powstaje z tego zapisu.",
    )
    lat = forms.FloatField(label="Szerokość geograficzna", min_value=LAT_RANGE[0], max_value=LAT_RANGE[1])
    lon = forms.FloatField(label="Długość geograficzna", min_value=LON_RANGE[0], max_value=LON_RANGE[1])
    other_municipality = forms.BooleanField(
        label="Inna gmina niż z położenia",
        required=False,
        help_text="Bez tego zaznaczenia gmina wynika z położenia.",
    )

    class Meta:
        model = Depot
        fields = tuple(name for name in actions.EDITABLE)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Who may only look gets no fields at all.
        if "municipality" not in self.fields:
            return
        self.fields["municipality"].required = False
        if self.instance.pk:
            located = territory.get().boundaries.find(self.instance.lat, self.instance.lon)
            self.initial["other_municipality"] = located is None or located.teryt != self.instance.municipality_id

    def clean_name(self) -> str:
        name = " ".join(str(self.cleaned_data["name"]).split())
        if self.instance.source == Depot.Source.DEMO and not name.startswith(MARK):
            raise forms.ValidationError(f"Nazwa wpisu demonstracyjnego zaczyna się od „{MARK}”.")
        return name

    def clean_street(self) -> str:
        return self._line("street")

    def clean_house_number(self) -> str:
        return self._line("house_number")

    def clean_place(self) -> str:
        return self._line("place")

    def _line(self, name: str) -> str:
        """Text on one line, without runs of blanks."""
        return " ".join(str(self.cleaned_data[name]).split())

    def clean_postcode(self) -> str:
        given = self._line("postcode")
        if not given:
            return ""
        try:
            return normalise_postcode(given)
        except ValueError:
            raise forms.ValidationError("Kod pocztowy ma postać 30-001.") from None

    def clean_nip(self) -> str | None:
        value, problem = contacts.clean_nip(self.cleaned_data["nip"])
        if problem:
            raise forms.ValidationError("To nie jest poprawny NIP: ma mieć 10 cyfr i zgodną cyfrę kontrolną.")
        return value

    def clean_phone(self) -> str:
        value, problem = contacts.clean_phone(self.cleaned_data["phone"])
        if problem:
            raise forms.ValidationError("To nie jest poprawny numer telefonu. Kilka numerów rozdziel przecinkami.")
        return value or ""

    def clean_website(self) -> str:
        value, problem = contacts.clean_website(self.cleaned_data["website"])
        if problem:
            raise forms.ValidationError("To nie jest adres publicznej strony, na przykład https://www.example.pl.")
        return value or ""

    def clean_fuels(self) -> list[str]:
        return list(fuels.in_order(frozenset(self.cleaned_data["fuels"])))

    def clean_opening_hours(self) -> str:
        text = self._line("opening_hours")
        # A source may say what fits no week; that may stay, but nobody should type it in.
        if text and text != self.instance.opening_hours and weekly_hours(text) is None:
            raise forms.ValidationError(
                "Z tego zapisu nie wynika zwykły tydzień. Napisz na przykład „pn.-pt. 8:00-16:00; sob. 8:00-13:00”."
            )
        return text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.instance.pk:
            self._check_unchanged()
        if not self.errors:
            self._choose_municipality(data)
        if self.instance.source == Depot.Source.DEMO:
            for name in ("nip", "phone", "website"):
                if data.get(name):
                    self.add_error(name, "Wpis demonstracyjny jest zmyślony i nie może mieć danych kontaktowych.")
        return data

    def _check_unchanged(self) -> None:
        """Refuse a form that was opened before somebody else's change, showing both values."""
        stored = Depot.objects.select_for_update(of=("self",)).get(pk=self.instance.pk)
        try:
            actions.check_unchanged(stored, self.cleaned_data.get("opened") or 0)
        except actions.DepotChangedMeanwhile as error:
            raise forms.ValidationError(self._describe(error)) from error

    def _describe(self, error: actions.DepotChangedMeanwhile) -> SafeString:
        rows = format_html_join(
            "",
            "<li>{}: było „{}”, teraz jest „{}”, w tym formularzu „{}”</li>",
            (
                (
                    LABELS[clash.field],
                    shown(clash.field, clash.opened),
                    shown(clash.field, clash.stored),
                    self._typed(clash.field),
                )
                for clash in error.clashes
            ),
        )
        return format_html(
            "Ktoś zmienił ten wpis po otwarciu formularza, więc nic nie zapisano. "
            '<a href="">Otwórz stronę ponownie</a> i wprowadź zmiany jeszcze raz.<ul>{}</ul>',
            rows,
        )

    def _typed(self, name: str) -> str:
        value = self.cleaned_data.get(name)
        return shown(name, value.pk if isinstance(value, Municipality) else value)

    def _choose_municipality(self, data: dict[str, Any]) -> None:
        """The municipality of the position, unless another one was asked for."""
        if data["other_municipality"]:
            if data.get("municipality") is None:
                self.add_error("municipality", "Wybierz gminę albo odznacz „inna gmina niż z położenia”.")
            return
        located = territory.get().boundaries.find(data["lat"], data["lon"])
        if located is None:
            self.add_error(
                "lat", "To miejsce nie leży w żadnej gminie. Popraw położenie albo zaznacz inną gminę i wybierz ją."
            )
            return
        data["municipality"] = Municipality.objects.get(pk=located.teryt)

    def _post_clean(self) -> None:
        """Nothing: the actions change the row, and nothing that they could refuse is left."""

    def values(self) -> dict[str, Any]:
        """What `edit_depot` and `add_depot` take."""
        data: dict[str, Any] = self.cleaned_data
        municipality = cast("Municipality", data["municipality"])
        return {name: data[name] for name in actions.EDITABLE} | {"municipality": municipality.pk}
