"""What keeps machines and mistakes out of the forms, without asking people to solve riddles.

Limits by sender and entry are counted where requests are taken in: `catalog.requests.limits`.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

from disposable_email_domains import blocklist
from django.core import signing

MIN_FILL = timedelta(seconds=3)
"""Nobody reads and fills in a form faster."""

MAX_AGE = timedelta(hours=12)
"""A form left open for longer is shown anew, with what was typed."""

TRAP = "firma_adres"
"""Name of the field that people do not see. Machines fill in whatever sounds like an address."""

_STAMP_SALT = "pages.forms.stamp"
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.)+(?:[A-Za-z]{{2,63}}|xn--[A-Za-z0-9-]{{1,59}})")
_PRIVATE_TOPS = frozenset({"internal", "invalid", "local", "localhost", "test", "arpa", "onion"})

# Control characters, and the invisible ones that turn or hide text; letters of every script stay.
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class MalformedAddress(Exception):
    """Not an e-mail address that a letter could be sent to."""


class DisposableAddress(Exception):
    """An address of a service that throws letters away."""


class TooFast(Exception):
    """Filled in faster than anybody can."""


class StampRefused(Exception):
    """The stamp is not ours, of another form, or too old."""


def new_stamp(form: str, on: datetime) -> str:
    """When a form was shown, so that it cannot be changed. form: its path."""
    return signing.dumps([form, int(on.timestamp())], salt=_STAMP_SALT)


def check_stamp(stamp: str, form: str, on: datetime) -> None:
    """Raises StampRefused and TooFast."""
    try:
        path, shown = signing.loads(stamp, salt=_STAMP_SALT)
    except signing.BadSignature:
        raise StampRefused from None
    age = on - datetime.fromtimestamp(shown, UTC)
    if path != form or age > MAX_AGE:
        raise StampRefused
    if age < MIN_FILL:
        raise TooFast


def clean_email(text: str) -> str:
    """An address as a letter needs it, its domain in small letters. Raises MalformedAddress and DisposableAddress.

    Stricter than RFC 5322: no quotes, comments, IP addresses or letters beyond ASCII. Whether the domain exists is not
    asked: the letter will tell.
    """
    text = text.strip()
    local, at, domain = text.rpartition("@")
    domain = domain.lower()
    if not at or len(text) > 254 or len(local) > 64:
        raise MalformedAddress
    if not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain):
        raise MalformedAddress
    labels = domain.split(".")
    if labels[-1] in _PRIVATE_TOPS:
        raise MalformedAddress
    # Such services give away names below their own, too.
    if any(".".join(labels[at:]) in blocklist for at in range(len(labels) - 1)):
        raise DisposableAddress
    return f"{local}@{domain}"


def has_forbidden(text: str, *, lines: bool = False) -> bool:
    """Whether a text holds characters that nobody types. lines: line breaks and tabs are allowed."""
    return any(
        unicodedata.category(character) in _FORBIDDEN and not (lines and character in "\n\r\t") for character in text
    )
