"""Base class of the public forms, and the texts of each kind of submission."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.forms import BoundField

from catalog.models import Submission
from catalog.submissions.intake import Author
from pages.forms import fields, spam


@dataclass(frozen=True, slots=True)
class FormTexts:
    """Texts of the form of a kind of submission. route: name of its route."""

    route: str
    title: str
    intro: str
    button: str


KINDS = {
    Submission.Kind.CORRECT: FormTexts(
        "depot-correct",
        "Popraw dane składu",
        "Zmień to, co się nie zgadza, a resztę zostaw. Redakcja sprawdzi zmiany i wpisze je do katalogu.",
        "Wyślij poprawki",
    ),
    Submission.Kind.CLAIM: FormTexts(
        "depot-claim",
        "To mój skład",
        "Popraw dane, wpisz ceny i potwierdź wpis w imieniu firmy: wszystko w jednym formularzu i jednej wiadomości. "
        "Po decyzji redakcji wpis dostanie status „potwierdzone przez właściciela”, a automatyczna aktualizacja go nie "
        "zmieni.",
        "Wyślij",
    ),
    Submission.Kind.DELETE: FormTexts(
        "depot-delete",
        "Usuń wpis",
        "Wpis usuwamy na wniosek firmy, której dotyczy. Zniknie z katalogu, z API i z wyników wyszukiwania, a "
        "automatyczna aktualizacja go nie przywróci. Jeśli coś tylko się nie zgadza, lepiej popraw dane.",
        "Wyślij wniosek o usunięcie",
    ),
    Submission.Kind.PRICE: FormTexts(
        "depot-price",
        "Podaj ceny",
        "Napisz, ile kosztuje opał w tym składzie, na podstawie cennika, paragonu albo rozmowy. Ceny liczą się do "
        "mediany po sprawdzeniu przez redakcję.",
        "Wyślij ceny",
    ),
    Submission.Kind.ADD: FormTexts(
        "depot-add",
        "Dodaj brakujący skład",
        "Opisz skład, którego nie ma w katalogu. Publikujemy tylko firmy, nie osoby prywatne. Wpis doda redakcja.",
        "Wyślij",
    ),
}

GONE = FormTexts(
    "depot-gone",
    "Tego składu nie ma",
    "Wybierz, co się stało. Nie trzeba podawać adresu e-mail. Redakcja sprawdzi to, zanim zmieni wpis.",
    "Wyślij",
)
"""Texts of the report that a depot is gone."""

DEMONSTRATION = (
    "Ten skład jest zmyślony: możesz na nim wypróbować formularz i całą drogę zgłoszenia. Wpis demonstracyjny nie ma "
    "NIP-u, telefonu ani strony, więc tych pól tu brakuje."
)


@dataclass(frozen=True, slots=True)
class FormPart:
    """A part of a form under one heading. compact: several fields in a row."""

    legend: str
    intro: str
    fields: tuple[BoundField, ...]
    compact: bool

    @property
    def names(self) -> frozenset[str]:
        """Names of the fields, by which a template recognises a part with extra content."""
        return frozenset(field.name for field in self.fields)


class PublicForm(forms.Form):
    """Base of the public forms: an e-mail address, a honeypot, and a token with the time of display.

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
    price_names: tuple[str, ...] = ()
    """Names of the generated fields of prices, shown in the part that lists none."""

    stamp = forms.CharField(widget=forms.HiddenInput, required=False, max_length=500)

    def __init__(
        self, posted: Any = None, *, path: str, on: datetime, initial: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(posted, initial=dict(initial or {}), auto_id="pole-%s")
        self.path, self.on = path, on
        self.fields[spam.HONEYPOT] = forms.CharField(label="Nie wypełniaj tego pola", required=False)

    @property
    def parts(self) -> Iterator[FormPart]:
        """The parts of the form, without empty ones."""
        for legend, intro, names in self.PARTS:
            names = names or self.price_names
            bound = tuple(self[name] for name in names if name in self.fields)
            if bound:
                yield FormPart(legend, intro, bound, legend in self.COMPACT)

    @property
    def honeypot(self) -> BoundField:
        return self[spam.HONEYPOT]

    @property
    def mistakes(self) -> tuple[BoundField, ...]:
        """The invalid fields, in the order of the page."""
        return tuple(field for part in self.parts for field in part.fields if field.errors)

    @property
    def form_token(self) -> str:
        """The token for the form: the submitted one while it is valid, else a new one."""
        token = self.data.get("stamp", "") if self.is_bound else ""
        try:
            spam.check_form_token(token, self.path, self.on)
        except spam.SubmittedTooFast:
            return token
        except spam.InvalidFormToken:
            return spam.make_form_token(self.path, self.on)
        return token

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get(spam.HONEYPOT):
            self.add_error(None, "Pole na końcu formularza, niewidoczne na stronie, ma zostać puste.")
        try:
            spam.check_form_token(data.get("stamp", ""), self.path, self.on)
        except spam.SubmittedTooFast:
            self.add_error(None, "To było bardzo szybko. Sprawdź, czy wszystko się zgadza, i wyślij jeszcze raz.")
        except spam.InvalidFormToken:
            self.add_error(None, "Formularz czekał zbyt długo. Sprawdź dane i wyślij go jeszcze raz.")
        return data

    def author(self, client: str) -> Author:
        """Return the author. client: the network address."""
        data = self.cleaned_data
        return Author(
            email=data["email"],
            client=client,
            role=data.get("role", ""),
            nip=data.get("claimant_nip", ""),
            phone=data.get("claimant_phone", ""),
            message=data.get("message", ""),
        )
