"""What every form for strangers asks and refuses, whatever it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.forms import BoundField

from catalog.requests import Author
from pages.forms import abuse, fields


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a form, under one heading. compact: short answers, one beside the other's label."""

    legend: str
    intro: str
    fields: tuple[BoundField, ...]
    compact: bool


class StrangerForm(forms.Form):
    """What every form has: an address for the link, a trap for machines, and the time it was shown.

    PARTS: headings, introductions and names of fields, in the order of the page. COMPACT: headings of compact parts.
    """

    PARTS: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    COMPACT: tuple[str, ...] = ()

    email = fields.Email(
        label="Twój adres e-mail",
        max_length=254,
        help_text="Wyślemy na niego odnośnik do potwierdzenia, a później odpowiedź. Nie publikujemy go.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages=fields.required("Podaj adres e-mail, na który wyślemy odnośnik do potwierdzenia."),
    )
    stamp = forms.CharField(widget=forms.HiddenInput, required=False, max_length=500)

    def __init__(
        self, posted: Any = None, *, path: str, on: datetime, initial: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(posted, initial=dict(initial or {}), auto_id="pole-%s")
        self.path, self.on = path, on
        self.fields[abuse.TRAP] = forms.CharField(label="Nie wypełniaj tego pola", required=False)

    @property
    def parts(self) -> Iterator[Part]:
        """The form as the page shows it; parts without a field are left out."""
        for legend, intro, names in self.PARTS:
            bound = tuple(self[name] for name in names if name in self.fields)
            if bound:
                yield Part(legend, intro, bound, legend in self.COMPACT)

    @property
    def trap(self) -> BoundField:
        return self[abuse.TRAP]

    @property
    def mistakes(self) -> tuple[BoundField, ...]:
        """The questions that were answered wrongly, in the order of the page."""
        return tuple(field for part in self.parts for field in part.fields if field.errors)

    @property
    def fresh_stamp(self) -> str:
        """The stamp to send with the form: the one that came, while it is good."""
        stamp = self.data.get("stamp", "") if self.is_bound else ""
        try:
            abuse.check_stamp(stamp, self.path, self.on)
        except abuse.TooFast:
            return stamp
        except abuse.StampRefused:
            return abuse.new_stamp(self.path, self.on)
        return stamp

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get(abuse.TRAP):
            self.add_error(None, "Pole na końcu formularza, niewidoczne na stronie, ma zostać puste.")
        try:
            abuse.check_stamp(data.get("stamp", ""), self.path, self.on)
        except abuse.TooFast:
            self.add_error(None, "To było bardzo szybko. Sprawdź, czy wszystko się zgadza, i wyślij jeszcze raz.")
        except abuse.StampRefused:
            self.add_error(None, "Formularz czekał zbyt długo. Sprawdź dane i wyślij go jeszcze raz.")
        return data

    def author(self, client: str) -> Author:
        """Who sent it. client: the network address."""
        data = self.cleaned_data
        return Author(
            email=data["email"],
            client=client,
            role=data.get("role", ""),
            nip=data.get("claimant_nip", ""),
            phone=data.get("claimant_phone", ""),
            message=data.get("message", ""),
        )
