"""Cleaning of tax numbers, telephone numbers and web addresses.

Each function returns (value, reason). value is None if there is nothing to publish; reason states on one line what was
refused and why, else "". No function raises.
"""

import re
from urllib.parse import quote, urlsplit

from stdnum.pl import nip as nip_check

from catalog.text import plain

MAX_TEXT = 300
"""Maximum length of input, and of a web address returned, in characters."""

_POLAND = 48

# A label before a number. Other letters are refused: the library maps letters to digits of a telephone keypad.
_LABEL = re.compile(r"^\s*(?:telefon|tel|komorka|kom|mobile|mob)\b[\s.:]*")
_EXTENSION = re.compile(r"\b(?:wewnetrzny|wewn|wew|w)\b[\s.:]*(?=[0-9]+\s*$)")

_SCHEME = re.compile(r"[a-z][a-z0-9+-]*:(?![0-9])", re.IGNORECASE)
_HOST_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_TOP_LABEL = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,59}")
# Domains that are never public: RFC 6761, RFC 6762 and ICANN's reserved "internal".
_PRIVATE_TOPS = frozenset({"internal", "invalid", "local", "localhost"})
# Python's IDNA tables (2003) change or drop these, while browsers keep them: the result would be another site.
_IDNA_DEVIATIONS = frozenset("ßẞς\u200c\u200d")


def clean_nip(text: str | None) -> tuple[str | None, str]:
    """Clean a tax number: ten digits, without blanks, dashes or a leading "PL".

    Refused: other than ten ASCII digits, a wrong check digit, and ten equal digits, which are typed into required
    fields; 0000000000 has a valid check digit.
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
    """Clean telephone numbers: international form, "+48 55 278 46 86", joined by ", ".

    Several numbers in one text are separated by `;`, `,`, `/`, "lub" or a line break; each is returned once, in order.
    A number without a country code is Polish; the trunk 0 of before 2010 and "wew. 12" are understood. If only some
    numbers are valid, both value and reason are filled.

    Only valid numbers are published, not possible ones: the Polish plan is closed at nine digits, so "possible" only
    counts digits, and hardly any real number is in a range that the library does not know.
    """
    if text is None or not text.strip():
        return None, ""
    if len(text) > MAX_TEXT:
        return None, f"telephone {_shown(text)} is longer than {MAX_TEXT} characters"
    good: list[str] = []
    bad: list[str] = []
    for part in re.split(r"[;,\n\r]|\blub\b", text):
        whole = _phone(part)
        # A slash may also separate an area code, so a part is split only if it is no number as a whole.
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
    """Clean a web address: absolute http or https in ASCII, at most `MAX_TEXT` characters.

    A missing scheme becomes https. Characters beyond ASCII become punycode in the host and are percent-encoded
    elsewhere, which also exposes look-alike letters.

    Refused: other schemes, credentials, inner blanks and control characters, hosts without a dot, IP addresses, private
    domains.
    """
    if text is None or not text.strip():
        return None, ""
    address = text.strip()
    if len(address) > MAX_TEXT:
        return None, f"web site {_shown(address)} is longer than {MAX_TEXT} characters"
    # Browsers treat a backslash as a slash, urlsplit does not: the checked host and the opened one would differ.
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
        # Not quoted: it may contain a password.
        return None, "web site contains credentials or is an e-mail address"
    host = _ascii_host(parts.hostname or "")
    if host is None or port == 0:
        return None, f"web site {_shown(address)} has no valid public host name"
    # Keep "%", so that encoded text is not encoded twice.
    clean = f"{parts.scheme}://{host}"
    clean += f":{port}" if port is not None else ""
    clean += quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    clean += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?") if parts.query else ""
    clean += "#" + quote(parts.fragment, safe="/%:@!$&'()*+,;=~-._?") if parts.fragment else ""
    if len(clean) > MAX_TEXT:
        return None, f"web site {_shown(address)} is longer than {MAX_TEXT} characters when encoded"
    return clean, ""


def _phone(text: str) -> str | None:
    """Return one number in international form, or None."""
    digits = _EXTENSION.sub(" ext. ", _LABEL.sub("", plain(text)))
    if re.search(r"[^\W\d_]", digits.replace(" ext. ", " ")):
        return None
    # The library takes two megabytes, and only imports, forms and editors bring new numbers.
    import phonenumbers
    from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat

    try:
        number = phonenumbers.parse(digits, "PL")
    except NumberParseException:
        return None
    if number.country_code == _POLAND and number.italian_leading_zero:
        # No Polish number starts with 0: it is the trunk prefix abolished in 2009.
        number = PhoneNumber(country_code=_POLAND, national_number=number.national_number, extension=number.extension)
    if not phonenumbers.is_valid_number(number):
        return None
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def _ascii_host(host: str) -> str | None:
    """Return a public host name in lower-case ASCII, or None."""
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
    """Quote a text for a report: on one line, escaped and cut."""
    return repr(text if len(text) <= 60 else text[:60] + "…")
