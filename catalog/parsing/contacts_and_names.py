"""Contacts, and names that are only a private person's, which are not published.

Functions return (value, reason), and never raise: None if there is nothing to publish; what was refused and why, else
"". A sole trader has a name too: if it contains nothing besides the person, an editor reviews it first.
"""

import re
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from stdnum.pl import nip as nip_check

from catalog.text import fold, plain

MAX_TEXT = 300
"""Maximum length of input, and of a web address returned, in characters."""

_POLAND = 48
_POLISH_DIGITS = 9

FREE_MAIL = (
    *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "hotmail.co.uk", "live.com", "msn.com"),
    *("yahoo.com", "yahoo.pl", "yahoo.co.uk", "ymail.com", "icloud.com", "me.com", "aol.com", "proton.me"),
    *("protonmail.com", "gmx.com", "gmx.net", "mail.com", "zoho.com", "tutanota.com", "wp.pl", "wp.eu", "o2.pl"),
    *("tlen.pl", "go2.pl", "onet.pl", "onet.eu", "poczta.onet.pl", "op.pl", "vp.pl", "autograf.pl", "buziaczek.pl"),
    *("amorki.pl", "interia.pl", "interia.eu", "interia.com", "poczta.fm", "intmail.pl", "gazeta.pl", "poczta.pl"),
    *("int.pl", "spoko.pl", "home.pl", "neostrada.pl"),
)
"""Domains of mailboxes that anybody gets for nothing, those that are common in Poland.

They say nothing about a firm, and are what a misspelt address probably means.
"""

# A label before a number. Other letters are refused: the library maps letters to digits of a telephone keypad.
_LABEL = re.compile(
    r"^\s*(?:(?:nr|telefonu?|tel|t|m|stacjonarny|komorkowy|komorka|kom|gsm|mobile|mob|kontakt|biuro|sekretariat|sklep|"
    r"sklad|hurtownia|magazyn|plac|waga|sprzedaz|zamowienia)\b[\s.:–-]*)+(?:/\s*fax\b[\s.:]*)?"
)
_EXTENSION = re.compile(r"\b(?:wewnetrzny|wewn|wew|w)\b[\s.:]*(?=[0-9]+\s*$)")

_NUMBER = re.compile(r"(?:nip|tel|telefon)?[.:\s]*(?:pl\s?)?([+(0-9][0-9\s()+./‐-―-]*)", re.IGNORECASE)

# A telephone number of that form has more digits.
_POSTCODE_AND_HOUSE = re.compile(r"[0-9]{2}-[0-9]{3}\s+[0-9]{1,3}(?:/[0-9]{1,3})?", re.ASCII)

_SCHEME = re.compile(r"[a-z][a-z0-9+-]*:(?![0-9])", re.IGNORECASE)
_HOST_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_TOP_LABEL = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,59}")
# Domains of no public site or mailbox: RFC 3172, 6761, 6762 and 7686, and ICANN's reserved "internal".
_PRIVATE_TOPS = frozenset({"arpa", "internal", "invalid", "local", "localhost", "onion", "test"})
# Python's IDNA tables (2003) change or drop these, while browsers keep them: the result would be another site.
_IDNA_DEVIATIONS = frozenset("ßẞς\u200c\u200d")


def clean_nip(text: str | None) -> tuple[str | None, str]:
    """Clean a tax number: ten digits, without blanks, dashes or a leading "NIP:", "VAT UE" or "PL".

    Refused: other than ten ASCII digits, a wrong check digit, and ten equal digits, which are typed into required
    fields; 0000000000 has a valid check digit.
    """
    if text is None or not text.strip():
        return None, ""
    digits = re.sub(r"[\s.:‐‑‒–—-]", "", text).upper()
    digits = re.sub(r"^(?:(?:NR|NUMER)?NIP|VAT)?(?:UE|EU)?(?:PL)?", "", digits)
    if re.fullmatch(r"[0-9]{10}", digits) is None:
        return None, f"NIP {_shown(text)} is not ten digits"
    if len(set(digits)) == 1:
        return None, f"NIP {_shown(text)} is a placeholder"
    if not nip_check.is_valid(digits):
        return None, f"NIP {_shown(text)} has a wrong check digit"
    return digits, ""


def typed_digits(text: str) -> str:
    """Return the digits of a text that is only a telephone or tax number, or part of one; "" for other text.

    A postcode with its dash before the number of a house is other text.
    """
    text = text.strip()
    match = None if _POSTCODE_AND_HOUSE.fullmatch(text) else _NUMBER.fullmatch(text)
    return re.sub(r"[^0-9]", "", match[1]).removeprefix("00") if match else ""


def clean_phone(text: str | None) -> tuple[str | None, str]:
    """Clean telephone numbers: international form, "+48 55 278 46 86", joined by ", ", each once, in order.

    Separated by `;`, `,`, `/`, "lub", "i", "oraz" or a line break. Without a country code they are Polish; the trunk 0
    of before 2010 and "wew. 12" are understood. Only valid numbers are published, not possible ones, which only counts
    digits. If only some are valid, both value and reason are filled.
    """
    if text is None or not text.strip():
        return None, ""
    if len(text) > MAX_TEXT:
        return None, f"telephone {_shown(text)} is longer than {MAX_TEXT} characters"
    good: list[str] = []
    bad: list[str] = []
    for part in re.split(r"[;,\n\r]|\b(?:lub|i|oraz)\b", text):
        pieces = part.split("/")
        while pieces:
            # A slash may also follow an area code or precede "fax": as many pieces as are one number.
            tries = ((size, _phone("/".join(pieces[:size]))) for size in (3, 2, 1))
            size, number = next((each for each in tries if each[1]), (1, None))
            if number:
                good.append(number)
            elif pieces[0].strip():
                bad.append(_shown(pieces[0].strip()))
            pieces = pieces[size:]
    value = ", ".join(dict.fromkeys(good)) or None
    if bad:
        return value, f"not a valid telephone number: {', '.join(bad)}"
    return (value, "") if value else (None, f"not a valid telephone number: {_shown(text)}")


def phone_links(stored: str) -> tuple[tuple[str, str], ...]:
    """Return the numbers that `clean_phone` has joined, with the URLs that dial them, without their extensions."""
    numbers = filter(None, map(str.strip, stored.split(",")))
    return tuple((number, "tel:" + re.sub(r"[^+0-9]", "", number.partition("ext")[0])) for number in numbers)


def clean_website(text: str | None) -> tuple[str | None, str]:
    """Clean a web address: absolute http or https in ASCII, at most `MAX_TEXT` characters.

    A missing scheme becomes https; other characters become punycode or percent-encoded, which exposes look-alikes.
    Refused: other schemes, credentials, inner blanks, hosts without a dot, IP addresses, private domains.
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
    host = public_host(parts.hostname or "")
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
    # The library's shorter Polish numbers are of services and pagers; people write local ones without their area code.
    short = number.country_code == _POLAND and len(str(number.national_number)) < _POLISH_DIGITS
    if short or not phonenumbers.is_valid_number(number):
        return None
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def public_host(host: str) -> str | None:
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


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the words of a list beside this module, folded: one a line, after comments."""
    lines = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(fold(line) for line in lines if not line.startswith("#"))


# Stems that no surname has.
_BUSINESS_STEMS = (
    *("brykiet", "budowlan", "cieplown", "ekogrosz", "hurtown", "opalow", "pellet"),
    *("produkc", "przedsieb", "spoldziel", "sprzeda", "transport", "uslug"),
)

_TITLES = frozenset({"dr", "inz", "mgr", "pan", "pani", "panstwo"})
_CONNECTORS = frozenset({"i", "oraz"})
# Jan Paweł II owns no depot.
_ROMAN = re.compile(r"[ivx]+")

# Endings of surnames that are recognised without a given name, as in "J. Kowalski".
_SURNAME_ENDINGS = (
    *("ski", "ska", "scy", "cki", "cka", "ccy", "dzki", "dzka", "dzcy"),
    *("wicz", "czyk", "arz", "ak", "ek", "ik", "uk", "ec"),
)

# Letters with inner dashes or apostrophes, or initials such as "J." and "J.M.".
_WORD = re.compile(r"[^\W\d_]+(?:['’‐‑-][^\W\d_]+)*\.?|(?:[^\W\d_]\.)+")


def is_personal_name(name: str) -> bool:
    """Whether a name is only a person's given names and surname, in either order, perhaps after "Pan" or "Pani".

    Also True for initials with a recognisable surname ("J. Kowalski") and for several persons joined by "i", "&" or a
    comma. False if it contains a trade word, a fuel or a larger town, and for a surname alone.
    """
    text = re.sub(r"[\s,&+/]+", lambda run: " i " if run[0].strip() else " ", name).strip(" .'\"„”“«»")
    words = text.split()
    if not all(_WORD.fullmatch(word) for word in words):
        return False
    while words and fold(words[0]) in _TITLES:
        words = words[1:]
    groups: list[list[str]] = [[]]
    for word in words:
        if fold(word) in _CONNECTORS:
            groups.append([])
        else:
            groups[-1].append(word)
    # "Jan i Anna Kowalscy" and "Kowalski, Jan" are persons as a whole, "Jan Kowalski i Adam Nowak" one by one.
    whole = [word for group in groups for word in group]
    return _is_person(whole) or all(_is_person(group) for group in groups)


def _is_person(words: list[str]) -> bool:
    if any(is_business_word(word) for word in words):
        return False
    initials = [word for word in words if _is_initial(word)]
    # P.H. and F.H. are abbreviations of businesses, however spaced.
    if fold("".join(initials)).replace(" ", "") in word_list("business_words"):
        return False
    rest = [word for word in words if not _is_initial(word)]
    given_names = [word for word in rest if fold(word) in word_list("given_names")]
    others = [word for word in rest if fold(word) not in word_list("given_names")]
    if len(others) > 1 or not rest:
        return False
    if not given_names:
        return bool(initials) and _looks_like_surname(others[0])
    if others:
        return _ROMAN.fullmatch(fold(others[0])) is None
    # Of two given names one is the surname (Adam Filip), or an initial stands for it (Jan K.).
    return len(given_names) + len(initials) > 1


def is_business_word(word: str) -> bool:
    parts, trades = fold(word).split(), word_list("business_words")
    if "".join(parts) in trades:
        return True
    # A place or trade word in any part of a compound: "Eko-Opał", "Jan-Bud", "Bielsko-Biała".
    return any(part in trades or part in word_list("towns") or part.startswith(_BUSINESS_STEMS) for part in parts)


def _is_initial(word: str) -> bool:
    return all(len(part) == 1 for part in fold(word).split())


def _looks_like_surname(word: str) -> bool:
    last = fold(word).split()[-1]
    return last in word_list("surnames") or (len(last) > 3 and last.endswith(_SURNAME_ENDINGS))
