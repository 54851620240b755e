"""Fields of the public forms, with their cleaning and Polish error messages; opening hours, a field for each day."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from catalog.depots.field_cleaning import TYPED_LENGTHS, clean_field
from catalog.models import Depot
from catalog.parsing.opening_hours import DAYS, daily_ranges, to_osm_string, weekly_hours
from fueldepot.http.params import AmbiguousNumber, ThreeDigits, read_decimal
from pages.forms import spam

CHARACTERS = "Usuń znaki, których nie widać (na przykład wklejone z innego programu)."
MISTAKES = {
    "nip": "Ten NIP jest nieprawidłowy: 10 cyfr, ostatnia jest kontrolna. Sprawdź, czy nie ma w nim pomyłki.",
    "phone": (
        "Nie umiemy odczytać tego numeru. Wpisz go na przykład tak: 12 345 67 89. Kilka numerów oddziel przecinkami."
    ),
    "website": "Wpisz adres strony w całości, na przykład https://www.example.pl.",
    "postcode": "Wpisz kod pocztowy, na przykład 30-001.",
}
"""What the public forms say of an unreadable text, by field of a depot."""

AMOUNT = "Wpisz kwotę cyframi, na przykład 1650 albo 1650,50."
WEIGHT = "Wpisz wagę w kilogramach cyframi, na przykład 20 albo 12,5."
MOST_AMOUNT = 1_000_000
"""Exclusive upper bound of an amount or a weight; `prices.validation` knows what each may be."""
DEGREES = "Wpisz stopnie dziesiętne, na przykład {example}."


def required(text: str) -> dict[str, str]:
    """Return the error message of an empty field, for `error_messages`."""
    return {"required": text}


class Line(forms.CharField):
    """One line of text with collapsed blanks."""

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if spam.has_forbidden(text):
            raise forms.ValidationError(CHARACTERS)
        return " ".join(text.split())


class Message(forms.CharField):
    """Text of several lines."""

    widget = forms.Textarea(attrs={"rows": 4})

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if spam.has_forbidden(text, lines=True):
            raise forms.ValidationError(CHARACTERS)
        return text.replace("\r\n", "\n")


class DepotText(Line):
    """A text field of a depot by name, as long as its column unless told otherwise; also of a claimant."""

    def __init__(self, name: str, **options: Any) -> None:
        longest = TYPED_LENGTHS.get(name, Depot.max_length(name))
        super().__init__(**{"max_length": longest} | options)
        self.name = name

    def clean(self, value: Any) -> str:
        text = clean_field(self.name, super().clean(value), MISTAKES) or ""
        if self.name == "phone" and len(text) > Depot.max_length("phone"):
            raise forms.ValidationError("Podaj najwyżej pięć numerów.")
        return text


class Email(Line):
    """A deliverable e-mail address, see `spam.clean_email`."""

    widget = forms.EmailInput

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        return spam.clean_email(text) if text else ""


class Day(Line):
    """The opening hours of one day, as ranges."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return read_day(text)
        except HoursUnreadable as error:
            raise forms.ValidationError(str(error)) from None


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
    """An amount with at most two decimals, None when empty. unit: optional suffix. three_digits: see `read_decimal`."""

    unit, mistake = "zł", AMOUNT
    three_digits: ThreeDigits = "thousands"

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            amount = read_decimal(text.removesuffix(self.unit), self.three_digits)
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
    """A weight in kilograms, None when empty."""

    unit, mistake, three_digits = "kg", WEIGHT, "refused"


ALL_DAY = "całą dobę"
CLOSED_WORDS = frozenset({"", "-", "–", "nieczynne", "zamknięte", "zamkniete", "closed", "off"})
ALL_DAY_WORDS = frozenset({ALL_DAY, "cala dobe", "całodobowo", "calodobowo", "24h", "24/7", "0-24"})

HOW = "Wpisz godziny na przykład tak: 7:00-15:00, 8-12 i 13-16, „całą dobę” albo „nieczynne”."
OVERLAP = "Przedziały zachodzą na siebie albo jeden kończy się tam, gdzie zaczyna drugi. Wpisz je osobno, po kolei."

_RANGE = re.compile(r"([0-9]{1,2})(?:[:.]([0-9]{2}))?\s*[-–—]\s*([0-9]{1,2})(?:[:.]([0-9]{2}))?")


class HoursUnreadable(Exception):
    """The text of a day is invalid. The message explains the format, in Polish."""


def read_day(text: str) -> tuple[str, ...]:
    """Return the ranges of a day as `daily_ranges` does; none when closed. Raises HoursUnreadable."""
    text = " ".join(text.lower().split())
    if text in CLOSED_WORDS:
        return ()
    if text in ALL_DAY_WORDS:
        return ("0:00-24:00",)
    return tuple(_range(part.strip()) for part in re.split(r",|;|\bi\b|\boraz\b", text))


def read_week(days: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, str] | None, str]:
    """Return `hours` and `opening_hours` for the ranges of each day. Raises HoursUnreadable.

    Ranges that the catalog's parser would not read back equal are refused. A week without an open hour means unknown
    hours: None and "".
    """
    text = to_osm_string(days)
    if not text:
        return None, ""
    if daily_ranges(text) != {day: tuple(days.get(day, ())) for day in DAYS}:
        raise HoursUnreadable(OVERLAP)
    return weekly_hours(text), text


def written_days(hours: Mapping[str, str] | None, opening_hours: str) -> dict[str, str]:
    """Return the values of the fields for stored hours; empty for unknown ones."""
    if hours is None:
        return dict.fromkeys(DAYS, "")
    ranges = daily_ranges(opening_hours) or {}
    return {day: _written(hours[day], ranges.get(day, ())) for day in DAYS}


def _written(value: str, ranges: tuple[str, ...]) -> str:
    if value == "0:00-24:00":
        return ALL_DAY
    return value or ", ".join(ranges)


def _range(text: str) -> str:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise HoursUnreadable(HOW)
    opens, closes = _minutes(match[1], match[2]), _minutes(match[3], match[4])
    if opens == closes or opens >= 24 * 60 or closes == 0:
        raise HoursUnreadable(HOW)
    return f"{opens // 60}:{opens % 60:02}-{closes // 60}:{closes % 60:02}"


def _minutes(hour: str, minute: str | None) -> int:
    minutes = int(hour) * 60 + int(minute or 0)
    if int(minute or 0) > 59 or minutes > 24 * 60:
        raise HoursUnreadable(HOW)
    return minutes
