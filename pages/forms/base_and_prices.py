"""Base of the public forms, with their protection against bots; the form of a depot's prices.

There are no captchas. `catalog.submissions.limits` has the limits by sender and entry. The form of prices has all fuels
on one page.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from django import forms
from django.core import signing
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Depot, Submission
from catalog.submissions.intake import Author, SubmissionPart, author_of
from catalog.submissions.limits import FORM_LIFE, MIN_FILL
from catalog.text import short_zloty
from pages.forms import fields
from prices.models import PlausibleRange
from prices.submissions import price_to_json
from prices.validation import OLDEST_PRICE, InvalidPrice, PriceInput, unit_price

_SALT = "pages.forms.stamp"


class InvalidFormToken(Exception):
    """The token is forged, of another form, or too old."""


def read_form_token(token: str, form: str, on: datetime | None) -> tuple[datetime, datetime]:
    """Return the times at which a form was displayed, now and first, in whole seconds. on: None for a token of any age.

    Raises InvalidFormToken for a token that does not fit.
    """
    try:
        path, *seconds = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise InvalidFormToken from None
    opened, first = (datetime.fromtimestamp(at, UTC) for at in (seconds[0], seconds[-1]))
    if path != form or (on and on - opened > FORM_LIFE):
        raise InvalidFormToken
    return opened, first


class FormPart(NamedTuple):
    """Fields of a form under one heading, by name. compact: several in a row. folded: shown once it is opened."""

    legend: str
    names: tuple[str, ...]
    intro: str = ""
    compact: bool = False
    folded: bool = False


class PublicForm(forms.Form):
    """Base of the public forms: a honeypot, and a token with the time of display.

    title, description: of its page, which shows the description too where it has a `button`. kind: of the submission.

    PARTS: in the order of the page.
    """

    title = description = button = kind = ""
    suggested, sure = "", "pewny_adres"
    """An address that is asked back, see `EmailForm`."""

    PARTS: tuple[FormPart, ...] = ()

    help_texts: Mapping[str, str] = {}
    """Of inherited fields, by name, instead of their own."""

    price_names: tuple[str, ...] = ()
    """Names of the generated fields of prices, shown in the part that lists none."""

    stamp = forms.CharField(widget=forms.HiddenInput, required=False, max_length=500)

    firma_adres = forms.CharField(label="Nie wypełniaj tego pola", required=False)
    """Invisible; bots fill in any address."""

    def __init__(
        self, posted: Any = None, *, path: str, on: datetime, depot: Depot | None = None, **options: Any
    ) -> None:
        super().__init__(posted, auto_id="pole-%s", **options)
        self.path, self.on, self.depot = path, on, depot
        for name, text in self.help_texts.items():
            self.fields[name].help_text = text

    @property
    def parts(self) -> Iterator[tuple[FormPart, tuple[forms.BoundField, ...]]]:
        """The parts of the form with their fields, without empty ones."""
        for part in self.PARTS:
            if bound := tuple(self[name] for name in part.names or self.price_names if name in self.fields):
                yield part, bound

    def is_open(self, bound: tuple[forms.BoundField, ...]) -> bool:
        """Whether a folded part shows its fields at once: for a mistake, or what was typed before it."""
        return self.is_bound and any(field.errors or field.name in self.changed_data for field in bound)

    def summarise(self, bound: tuple[forms.BoundField, ...]) -> str:
        texts = []
        for field in bound:
            value = field.initial
            if isinstance(value, list):
                labels = dict(self.fields[field.name].choices)  # type: ignore[attr-defined] # of a choice
                value = ", ".join(labels[key] for key in value)
            if value and field.name != "day":
                texts.append(str(value))
        return ", ".join(texts)

    @property
    def mistakes(self) -> tuple[forms.BoundField, ...]:
        """The invalid fields, in the order of the page."""
        return tuple(field for _, bound in self.parts for field in bound if field.errors)

    @property
    def form_token(self) -> str:
        """The token for the form: the submitted one while it is valid, else a new one."""
        token: str = self.data.get("stamp", "")
        first = self.on
        with suppress(InvalidFormToken):
            _, first = read_form_token(token, self.path, None)
            read_form_token(token, self.path, self.on)
            return token
        return signing.dumps([self.path, int(self.on.timestamp()), int(first.timestamp())], salt=_SALT)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("firma_adres"):
            self.add_error(None, "Pole na końcu formularza, niewidoczne na stronie, ma zostać puste.")
        try:
            opened, _ = read_form_token(data.get("stamp", ""), self.path, self.on)
            if self.on - opened < MIN_FILL:
                self.add_error(None, "To było bardzo szybko. Sprawdź, czy wszystko się zgadza, i wyślij jeszcze raz.")
        except InvalidFormToken:
            self.add_error(None, "Formularz czekał zbyt długo. Sprawdź dane i wyślij go jeszcze raz.")
        return data


class EmailForm(PublicForm):
    email = fields.Email(
        label="Twój adres e-mail",
        help_text="Wyślemy na niego odnośnik do potwierdzenia, a później odpowiedź. Nie publikujemy go.",
        error_messages=fields.required("Podaj adres e-mail, na który wyślemy odnośnik do potwierdzenia."),
    )

    def clean_email(self) -> str:
        """Return the address. A likely misspelling is asked back once: sent again, it counts."""
        email: str = self.cleaned_data["email"]
        disposable = fields.is_disposable(email)
        if email and self.data.get(self.sure) != email and (domain := fields.likely_domain(email)):
            question = f"Czy chodziło o {domain}? Popraw adres"
            if disposable:
                raise forms.ValidationError(f"{question}.")
            self.suggested = email
            raise forms.ValidationError(f"{question} albo, jeśli jest dobry, wyślij formularz jeszcze raz.")
        if disposable:
            reason = "Na adresy jednorazowe nie wysyłamy wiadomości."
            raise forms.ValidationError(f"{reason} Podaj adres, pod którym odbierzesz odpowiedź redakcji.")
        return email

    def submission_parts(self) -> list[SubmissionPart]:
        return [(Submission.Kind(self.kind), {})]

    def author(self, client: str) -> Author:
        data = self.cleaned_data
        stated = {name: data.get(name, "") for name in ("message", "claimant_nip", "claimant_phone")}
        return author_of(data["email"], client, claimant_role=data.get("role", ""), **stated)


PRICES = FormPart(
    "Ceny",
    (),
    "Podaj ceny z VAT, bez transportu, za tonę (t) albo metr przestrzenny (mp); puste pola pomiń. Jeśli cena jest za "
    "worek, wpisz obok jego wagę, a przeliczymy ją na tonę.",
)


class PriceFields(PublicForm):
    """A price for each fuel, those of the depot first, and their day.

    Fields are checked one by one, so that errors appear beside them.
    """

    day = forms.DateField(
        label="Dzień, w którym ceny obowiązywały",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d", "%d.%m.%Y"],
        error_messages=fields.required("Podaj dzień, w którym ceny obowiązywały.")
        | {"invalid": "Wpisz dzień na przykład tak: 21.11.2026."},
    )
    folds_fuels = False
    """Whether fuels that the depot does not sell are folded."""

    def __init__(self, posted: Any = None, *, depot: Depot, **options: Any) -> None:
        super().__init__(posted, depot=depot, **options)
        self.today = timezone.localdate(self.on)
        self.fields["day"].initial = self.today
        self.sold = frozenset(depot.fuels)
        self.price_fuels = sorted(fuels.FUELS, key=lambda fuel: fuel.slug not in self.sold)
        for fuel in self.price_fuels:
            self.fields[f"price-{fuel.slug}"] = fields.Amount(
                label=fuel.name, per=fuel.unit, max_length=30, required=False
            )
            if fuel.unit == "t":
                label = f"{fuel.name}: waga worka w kilogramach"
                self.fields[f"bag-{fuel.slug}"] = fields.Weight(label=label, max_length=20, required=False)
        self.price_names = (*(name for name in self.fields if name.startswith(("price-", "bag-"))), "day")

    @property
    def price_rows(self) -> Iterator[dict[str, Any]]:
        """The fields of each fuel. bag: None for one that is not sold by weight. is_sold: the depot offers it."""
        for fuel in self.price_fuels:
            name = f"bag-{fuel.slug}"
            price, bag = self[f"price-{fuel.slug}"], self[name] if name in self.fields else None
            is_typed = any(field and field.data for field in (price, bag))
            yield {"fuel": fuel, "price": price, "bag": bag, "is_sold": fuel.slug in self.sold, "is_typed": is_typed}

    @property
    def folded_rows(self) -> list[dict[str, Any]]:
        """The rows of fuels that the depot does not sell, where `folds_fuels`."""
        return [row for row in self.price_rows if not row["is_sold"]] if self.folds_fuels and self.sold else []

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > self.today:
            raise forms.ValidationError("Ten dzień jeszcze nie nadszedł.")
        if day < self.today - OLDEST_PRICE:
            raise forms.ValidationError(f"Podaj ceny z ostatnich {OLDEST_PRICE.days} dni.")
        return day

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        ranges = PlausibleRange.objects.in_bulk()
        for fuel in self.price_fuels:
            names = (f"price-{fuel.slug}", f"bag-{fuel.slug}")
            if not any(name in self.errors for name in names):
                self._check(fuel, ranges.get(fuel.slug))
        return data

    def price_parts(self) -> list[SubmissionPart]:
        """Return the prices as a part of a submission; an empty list without prices."""
        prices = [price_to_json(quote) for quote in self.quotes()]
        return [(Submission.Kind.PRICE, {"prices": prices})] if prices else []

    def quotes(self) -> list[PriceInput]:
        return [quote for fuel in self.price_fuels if (quote := self._quote(fuel)) is not None]

    def _quote(self, fuel: fuels.Fuel) -> PriceInput | None:
        data = self.cleaned_data
        price, bag_kg = data.get(f"price-{fuel.slug}"), data.get(f"bag-{fuel.slug}")
        if price is None:
            return None
        day = data.get("day", self.today)
        if bag_kg is None:
            return PriceInput(fuel.slug, day, fuel.unit, price=price)
        return PriceInput(fuel.slug, day, fuel.unit, bag_price=price, bag_kg=bag_kg)

    def _check(self, fuel: fuels.Fuel, limits: PlausibleRange | None) -> None:
        name = f"price-{fuel.slug}"
        quote = self._quote(fuel)
        if quote is None:
            if self.cleaned_data.get(f"bag-{fuel.slug}") is not None:
                self.add_error(name, "Do wagi worka podaj jego cenę.")
            return
        try:
            price = unit_price(quote, self.today)
        except InvalidPrice as error:
            self.add_error(name, f"{str(error).capitalize()}.")
            return
        if limits and not limits.low <= price <= limits.high:
            self.add_error(
                name,
                f"To daje {short_zloty(price)}/{fuel.unit}. Wiarygodne ceny tego paliwa to od "
                f"{short_zloty(limits.low)} do {short_zloty(limits.high)}. Sprawdź, czy kwota nie jest za inną ilość.",
            )


class PriceForm(PriceFields, EmailForm):
    kind = Submission.Kind.PRICE
    title = "Podaj ceny"
    description = (
        "Napisz, ile kosztuje opał w tym składzie, na podstawie cennika, paragonu albo rozmowy. Ceny liczą się do "
        "mediany po sprawdzeniu przez redakcję."
    )
    button = "Wyślij ceny"

    help_texts = {"email": "Wyślemy na niego odnośnik do potwierdzenia i decyzję. Nie publikujemy go."}

    PARTS = (PRICES, FormPart("O Tobie", ("email",)))

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not self.errors and not self.quotes():
            self.add_error(None, "Podaj cenę co najmniej jednego paliwa.")
        return data

    def submission_parts(self) -> list[SubmissionPart]:
        return self.price_parts()
