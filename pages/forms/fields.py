"""Fields of the public forms, with their cleaning and Polish error messages; opening hours, a field for each day."""

import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from django import forms
from django.utils.text import capfirst

from catalog.models import Depot, Submission, max_length
from catalog.models.depots import TYPED_LENGTHS, clean_field
from catalog.parsing.contacts_and_names import FREE_MAIL, public_host
from catalog.parsing.opening_hours import DAYS, daily_ranges, texts_of_week, to_osm_string, weekly_hours
from catalog.parsing.opening_hours_text import DAY_MINUTES, UnreadableError, read_ranges
from catalog.text import one_line
from fueldepot.http.params import AmbiguousNumber, ThreeDigits, read_decimal
from prices.price_list_cells import bare_number

MALFORMED_EMAIL = "Wpisz zwykły adres e-mail, na przykład jan@example.pl."
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")

# Categories of control and invisible characters; letters of every script are allowed.
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


ALIKE = 0.85
"""How alike a misspelt domain is (`difflib`): one letter of eight missing, added, changed or swapped."""


def is_disposable(email: str) -> bool:
    # The list takes two megabytes, and most workers serve pages alone.
    from disposable_email_domains import blocklist

    labels = email.rpartition("@")[2].split(".")
    # Disposable services also use subdomains.
    return any(".".join(labels[at:]) in blocklist for at in range(len(labels) - 1))


def likely_domain(email: str) -> str:
    """Return the domain of `FREE_MAIL` that an address probably means, "" if its own is no misspelling of one."""
    domain = email.rpartition("@")[2]
    if domain in FREE_MAIL:
        return ""
    if domain.startswith("gmail."):
        return "gmail.com"
    return next(iter(get_close_matches(domain, FREE_MAIL, n=1, cutoff=ALIKE)), "")


def has_forbidden(text: str, *, lines: bool = False) -> bool:
    """Whether a text has control or invisible characters. lines: allow line breaks and tabs."""
    return any(
        unicodedata.category(character) in _FORBIDDEN and not (lines and character in "\n\r\t") for character in text
    )


CHARACTERS = "Usuń znaki, których nie widać (na przykład wklejone z innego programu)."
MISTAKES = {
    "nip": "Ten NIP jest nieprawidłowy: 10 cyfr, ostatnia jest kontrolna. Sprawdź, czy nie ma w nim pomyłki.",
    "phone": (
        "Nie umiemy odczytać tego numeru. Wpisz go na przykład tak: 12 345 67 89. Kilka numerów oddziel przecinkami."
    ),
    "website": "Wpisz jeden adres strony, w całości, na przykład https://www.example.pl.",
    "postcode": "Wpisz kod pocztowy, na przykład 30-001.",
}
"""What the public forms say of an unreadable text, by field of a depot."""

AMOUNT = "Wpisz kwotę cyframi, na przykład 1650 albo 1650,50."
WEIGHT = "Wpisz wagę w kilogramach cyframi, na przykład 20 albo 12,5."
MOST_AMOUNT = 1_000_000
"""Exclusive upper bound of an amount or a weight; `prices.validation` knows what each may be."""

DEGREES = "Wpisz stopnie dziesiętne, na przykład {example}."


def required(text: str) -> dict[str, str]:
    return {"required": text}


class Line(forms.CharField):
    """One line of text with collapsed blanks."""

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if has_forbidden(text):
            raise forms.ValidationError(CHARACTERS)
        return one_line(text)


LONGEST_MESSAGE = max_length(Submission, "message")


class Message(forms.CharField):
    """Text of any lines. A line break counts once, as browsers count it, which send two characters."""

    widget = forms.Textarea(attrs={"rows": 4})

    def __init__(self, *, max_length: int = LONGEST_MESSAGE, required: bool = False, **options: Any) -> None:
        super().__init__(max_length=max_length, required=required, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if has_forbidden(text, lines=True):
            raise forms.ValidationError(CHARACTERS)
        return text


class DepotText(Line):
    """A text field of a depot by name; label, length and whether it is required are those of its column by default."""

    def __init__(self, name: str, **options: Any) -> None:
        column: Any = Depot._meta.get_field(name)
        options = {"label": capfirst(column.verbose_name), "required": not column.blank} | options
        super().__init__(max_length=TYPED_LENGTHS.get(name, column.max_length), **options)
        self.name = name

    def clean(self, value: Any) -> str:
        text = clean_field(self.name, super().clean(value), MISTAKES) or ""
        if self.name == "phone" and len(text) > max_length(Depot, "phone"):
            raise forms.ValidationError("Podaj najwyżej pięć numerów.")
        Depot.validate_value(self.name, text)
        return text


class Email(Line):
    """An e-mail address, whose domain is put in lower case; the form asks a likely misspelling back.

    Stricter than RFC 5322: no quotes, comments, IP addresses or non-ASCII letters. The domain is not looked up.
    """

    widget = forms.EmailInput(attrs={"autocomplete": "email"})

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=max_length(Submission, "email"), **options)

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        if not text:
            return ""
        local, _, domain = text.rpartition("@")
        domain = domain.lower()
        if len(local) > 64 or not _LOCAL.fullmatch(local) or public_host(domain) != domain:
            raise forms.ValidationError(MALFORMED_EMAIL)
        return f"{local}@{domain}"


class Day(Line):
    def clean(self, value: Any) -> Any:
        return read_day(super().clean(value))


class Degrees(Line):
    """A coordinate in degrees with a decimal comma or point; None when empty."""

    def __init__(self, limits: tuple[float, float], *, example: str, **options: Any) -> None:
        super().__init__(required=False, max_length=30, **options)
        self.low, self.high = limits
        self.example = example

    def clean(self, value: Any) -> Any:
        text = super().clean(value).replace(",", ".").removesuffix("°")
        if not text:
            return None
        if not re.fullmatch(r"[0-9]{1,2}(?:\.[0-9]{1,15})?", text):
            raise forms.ValidationError(DEGREES.format(example=self.example))
        degrees = round(float(text), 7)
        if not self.low <= degrees <= self.high:
            raise forms.ValidationError("Ten punkt leży poza Polską. " + DEGREES.format(example=self.example))
        return degrees


class Amount(Line):
    """An amount with at most two decimals, None when empty. unit: optional suffix. three_digits: see `read_decimal`.

    per: what may stand behind the unit, "t" for "1640 zł/t".
    """

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    unit, mistake = "zł", AMOUNT
    three_digits: ThreeDigits = "thousands"

    def __init__(self, *, per: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.per = per

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            amount = read_decimal(bare_number(text, self.unit, self.per), self.three_digits)
        except AmbiguousNumber as error:
            raise forms.ValidationError(
                f"To {error.decimal.replace('.', ',')} czy {error.thousands} {self.unit}? {self.mistake}"
            ) from None
        except ValueError:
            raise forms.ValidationError(self.mistake) from None
        if not 0 < amount < MOST_AMOUNT or amount != round(amount, 2):
            raise forms.ValidationError(self.mistake)
        return amount


class Weight(Amount):
    unit, mistake, three_digits = "kg", WEIGHT, "refused"

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        # The only visible label of its row is that of the price.
        return {"aria-label": self.label} | super().widget_attrs(widget)


ALL_DAY = "całą dobę"


def read_day(text: str) -> tuple[str, ...]:
    """Return the ranges of a day as `daily_ranges` does; none when closed. Raises ValidationError."""
    if text in {"", "-", "–", "—"}:
        return ()
    try:
        ranges = read_ranges(text)
    except UnreadableError:
        example = "Wpisz godziny na przykład tak: 7:00-15:00, 8-12 i 13-16, „całą dobę” albo „nieczynne”."
        raise forms.ValidationError(example) from None
    return tuple(f"{_clock(opens)}-{_clock(closes)}" for opens, closes in ranges)


def read_week(days: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, str] | None, str]:
    """Return `hours` and `opening_hours` for the ranges of each day. Raises ValidationError.

    Ranges that the catalog's parser would not read back equal are refused. A week without an open hour means unknown
    hours: None and "".
    """
    text = to_osm_string(days)
    if not text:
        return None, ""
    if daily_ranges(text) != {day: tuple(days.get(day, ())) for day in DAYS}:
        overlap = "Przedziały zachodzą na siebie albo jeden kończy się tam, gdzie zaczyna drugi."
        raise forms.ValidationError(f"{overlap} Wpisz je osobno, po kolei.")
    return weekly_hours(text), text


def written_days(hours: Mapping[str, str] | None, opening_hours: str) -> dict[str, str]:
    """Return the values of the fields for stored hours; empty for unknown ones."""
    if hours is None:
        return dict.fromkeys(DAYS, "")
    texts = texts_of_week(hours, opening_hours)
    return {day: ALL_DAY if text == "0:00-24:00" else text for day, text in texts.items()}


def _clock(minutes: int) -> str:
    """Return a time of day; 24:00 stays, later times are of the next day."""
    minutes -= DAY_MINUTES if minutes > DAY_MINUTES else 0
    return f"{minutes // 60}:{minutes % 60:02}"
