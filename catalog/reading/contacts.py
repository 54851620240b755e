"""Tax numbers, telephone numbers and web addresses as sources write them, cleaned for publication.

Each function returns (value, reason). value is None when there is nothing to publish; reason says in one line what
was refused and why, and is "" when nothing was. No function raises.
"""

import re
from urllib.parse import quote, urlsplit

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat
from stdnum.pl import nip as nip_check

from catalog.text import plain

MAX_TEXT = 300
"""Longest input taken, and longest web address given back, in characters."""

_POLAND = 48

# A label before a number. Other letters are refused: the library reads letters as keys of a telephone keypad.
_LABEL = re.compile(r"^\s*(?:telefon|tel|komorka|kom|mobile|mob)\b[\s.:]*")
_EXTENSION = re.compile(r"\b(?:wewnetrzny|wewn|wew|w)\b[\s.:]*(?=[0-9]+\s*$)")

_SCHEME = re.compile(r"[a-z][a-z0-9+-]*:(?![0-9])", re.IGNORECASE)
_HOST_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_TOP_LABEL = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,59}")
# Names that never belong to a public site: RFC 6761, RFC 6762 and ICANN's reserved "internal".
_PRIVATE_TOPS = frozenset({"internal", "invalid", "local", "localhost"})
# Python's IDNA table (2003) rewrites or drops these, while browsers keep them: another site would be named.
_IDNA_DEVIATIONS = frozenset("ßẞς\u200c\u200d")


def clean_nip(text: str | None) -> tuple[str | None, str]:
    """A tax number as ten digits. Blanks, dashes and a leading "PL" are taken off.

    Refused: other than ten ASCII digits, a wrong check digit, and one digit ten times over. Those all have a
    right check digit (0000000000 included) and are what people type into a field that must not stay empty.
    """
    if text is None or not text.strip():
        return None, ""
    digits = re.sub(r"[\s‐‑‒–—-]", "", text).upper().removeprefix("PL")
    if re.fullmatch(r"[0-9]{10}", digits) is None:
        return None, f"NIP {_shown(text)} is not ten digits"
    if len(set(digits)) == 1:
        return None, f"NIP {_shown(text)} is a placeholder"
    if not nip_check.is_valid(digits):
        return None, f"NIP {_shown(text)} has a wrong check digit"
    return digits, ""


def clean_phone(text: str | None) -> tuple[str | None, str]:
    """Telephone numbers in international form, "+48 55 278 46 86", several joined by ", ".

    Several in one text are separated by `;`, `,`, `/`, "lub" or a line break; each is taken once, in the order
    given. A number without a country code is Polish; the trunk 0 of before 2010 and "wew. 12" are understood. When some
    numbers are good and some are not, both value and reason are filled.

    Only valid numbers are published, possible ones are not enough: the Polish plan is closed at nine digits, so
    "possible" only counts digits, while hardly a real number is in a range that the library does not know.
    """
    if text is None or not text.strip():
        return None, ""
    if len(text) > MAX_TEXT:
        return None, f"telephone {_shown(text)} is longer than {MAX_TEXT} characters"
    good: list[str] = []
    bad: list[str] = []
    for part in re.split(r"[;,\n\r]|\blub\b", text):
        whole = _phone(part)
        # The slash also stands between an area code and a number, so a part is split only if it fails as one.
        for piece in [part] if whole else part.split("/"):
            number = whole or _phone(piece)
            if number:
                good.append(number)
            elif piece.strip():
                bad.append(_shown(piece.strip()))
    value = ", ".join(dict.fromkeys(good)) or None
    if bad:
        return value, f"not a valid telephone number: {', '.join(bad)}"
    return (value, "") if value else (None, f"not a valid telephone number: {_shown(text)}")


def clean_website(text: str | None) -> tuple[str | None, str]:
    """An absolute http or https address in ASCII, at most `MAX_TEXT` characters.

    https is put in front where the scheme is missing. Letters beyond ASCII become punycode in the host and are
    percent-encoded elsewhere: the field is a URL for machines, and look-alike letters show that way.
    Refused: other schemes, user or password, inner blanks and control characters, hosts without a dot, IP
    addresses, names of private networks.
    """
    if text is None or not text.strip():
        return None, ""
    address = text.strip()
    if len(address) > MAX_TEXT:
        return None, f"web site {_shown(address)} is longer than {MAX_TEXT} characters"
    # Browsers read a backslash as a slash, urlsplit does not: the host checked and the host opened would differ.
    if not address.isprintable() or " " in address or "\\" in address:
        return None, f"web site {_shown(address)} contains blanks, control characters or backslashes"
    if re.match(r"https?://", address, re.IGNORECASE) is None:
        if _SCHEME.match(address) or "://" in address:
            return None, f"web site {_shown(address)} is neither http nor https"
        address = "https://" + address.removeprefix("//")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None, f"web site {_shown(address)} is malformed"
    if "@" in parts.netloc:
        # Not quoted: a report is no place for somebody's password.
        return None, "web site contains credentials or is an e-mail address"
    host = _ascii_host(parts.hostname or "")
    if host is None or port == 0:
        return None, f"web site {_shown(address)} has no valid public host name"
    # "%" stays, so that what is encoded already is not encoded twice.
    clean = f"{parts.scheme}://{host}"
    clean += f":{port}" if port is not None else ""
    clean += quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    clean += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?") if parts.query else ""
    clean += "#" + quote(parts.fragment, safe="/%:@!$&'()*+,;=~-._?") if parts.fragment else ""
    if len(clean) > MAX_TEXT:
        return None, f"web site {_shown(address)} is longer than {MAX_TEXT} characters when encoded"
    return clean, ""


def _phone(text: str) -> str | None:
    """One number in international form, or None."""
    digits = _EXTENSION.sub(" ext. ", _LABEL.sub("", plain(text)))
    if re.search(r"[^\W\d_]", digits.replace(" ext. ", " ")):
        return None
    try:
        number = phonenumbers.parse(digits, "PL")
    except NumberParseException:
        return None
    if number.country_code == _POLAND and number.italian_leading_zero:
        # No Polish number begins with 0: it is the trunk prefix that ended with 2009.
        number = PhoneNumber(country_code=_POLAND, national_number=number.national_number, extension=number.extension)
    if not phonenumbers.is_valid_number(number):
        return None
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def _ascii_host(host: str) -> str | None:
    """A public host name in lower-case ASCII, or None."""
    host = host.removesuffix(".")
    if _IDNA_DEVIATIONS & set(host):
        return None
    try:
        name = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    labels = name.split(".")
    if len(labels) < 2 or len(name) > 253 or labels[-1] in _PRIVATE_TOPS:
        return None
    if not all(_HOST_LABEL.fullmatch(label) for label in labels) or not _TOP_LABEL.fullmatch(labels[-1]):
        return None
    return name


def _shown(text: str) -> str:
    """The text as a report may quote it: on one line, escaped and cut."""
    return repr(text if len(text) <= 60 else text[:60] + "…")
