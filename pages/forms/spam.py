"""Protection of the forms against bots and typing errors, without captchas.

`catalog.submissions.letters` limits submissions by sender and entry.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.core.exceptions import ValidationError

MIN_FILL = timedelta(seconds=3)
"""Shortest time in which a person reads and fills in a form."""

MAX_AGE = timedelta(hours=12)
"""A form left open for longer is shown again, with the entered values."""

MALFORMED_EMAIL = "Wpisz zwykły adres e-mail, na przykład jan@example.pl."
DISPOSABLE_EMAIL = (
    "Na adresy jednorazowe nie wysyłamy wiadomości. Podaj adres, pod którym odbierzesz odpowiedź redakcji."
)

HONEYPOT = "firma_adres"
"""Name of the invisible field; bots fill in any address."""

_SALT = "pages.forms.stamp"
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.)+(?:[A-Za-z]{{2,63}}|xn--[A-Za-z0-9-]{{1,59}})")
_PRIVATE_TOPS = frozenset({"internal", "invalid", "local", "localhost", "test", "arpa", "onion"})

# Categories of control and invisible characters; letters of every script are allowed.
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class SubmittedTooFast(Exception):
    """The form was submitted within MIN_FILL."""


class InvalidFormToken(Exception):
    """The token is forged, of another form, or too old."""


def make_form_token(form: str, on: datetime) -> str:
    """Return a signed token with the path of a form and the time of its display."""
    return signing.dumps([form, int(on.timestamp())], salt=_SALT)


def check_form_token(token: str, form: str, on: datetime) -> None:
    """Raise InvalidFormToken or SubmittedTooFast for a token that does not fit a form and a time."""
    try:
        path, opened = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise InvalidFormToken from None
    age = on - datetime.fromtimestamp(opened, UTC)
    if path != form or age > MAX_AGE:
        raise InvalidFormToken
    if age < MIN_FILL:
        raise SubmittedTooFast


def clean_email(text: str) -> str:
    """Return an address with a lower-case domain. Raises ValidationError for malformed and disposable ones.

    Stricter than RFC 5322: no quotes, comments, IP addresses or non-ASCII letters. The domain is not looked up.
    """
    text = text.strip()
    local, _, domain = text.rpartition("@")
    domain = domain.lower()
    labels = domain.split(".")
    if (
        len(text) > 254
        or len(local) > 64
        or not _LOCAL.fullmatch(local)
        or not _DOMAIN.fullmatch(domain)
        or labels[-1] in _PRIVATE_TOPS
    ):
        raise ValidationError(MALFORMED_EMAIL)
    # The list takes two megabytes, and most workers serve pages alone.
    from disposable_email_domains import blocklist

    # Disposable services also use subdomains.
    if any(".".join(labels[at:]) in blocklist for at in range(len(labels) - 1)):
        raise ValidationError(DISPOSABLE_EMAIL)
    return f"{local}@{domain}"


def has_forbidden(text: str, *, lines: bool = False) -> bool:
    """Whether a text has control or invisible characters. lines: allow line breaks and tabs."""
    return any(
        unicodedata.category(character) in _FORBIDDEN and not (lines and character in "\n\r\t") for character in text
    )
