"""Cleaning of the text fields of a depot in admin forms. Every function raises ValidationError in Polish."""

from django.core.exceptions import ValidationError

from catalog.parsing import contacts
from catalog.parsing.opening_hours import weekly_hours
from catalog.text import normalise_postcode


def clean_line(text: str) -> str:
    """Return text on one line with single blanks."""
    return " ".join(text.split())


def clean_postcode(text: str) -> str:
    """Return a postcode as 30-001, "" for none."""
    given = clean_line(text)
    if not given:
        return ""
    try:
        return normalise_postcode(given)
    except ValueError:
        raise ValidationError("Kod pocztowy ma postać 30-001.") from None


def clean_nip(text: str) -> str | None:
    """Return a tax number as ten digits, None for none."""
    value, problem = contacts.clean_nip(text)
    if problem:
        raise ValidationError("To nie jest poprawny NIP: ma mieć 10 cyfr i zgodną cyfrę kontrolną.")
    return value


def clean_phone(text: str) -> str:
    """Return telephone numbers in international form, "" for none."""
    value, problem = contacts.clean_phone(text)
    if problem:
        raise ValidationError("To nie jest poprawny numer telefonu. Kilka numerów rozdziel przecinkami.")
    return value or ""


def clean_website(text: str) -> str:
    """Return an absolute address, "" for none."""
    value, problem = contacts.clean_website(text)
    if problem:
        raise ValidationError("To nie jest adres publicznej strony, na przykład https://www.example.pl.")
    return value or ""


def clean_opening_hours(text: str, kept: str = "") -> str:
    """Return opening hours that make a week.

    kept: the stored text, accepted even if it makes no week, since a source stated it.
    """
    given = clean_line(text)
    if given and given != kept and weekly_hours(given) is None:
        raise ValidationError(
            "Z tego zapisu nie wynika zwykły tydzień. Napisz na przykład „pn.-pt. 8:00-16:00; sob. 8:00-13:00”."
        )
    return given
