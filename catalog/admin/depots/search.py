"""Search for depots at the desk, by any part of identifying fields, with or without diacritics."""

import re
from typing import Any

from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.db.models.functions import Lower

from catalog.text import fold

ACCENTED = "ąćęłńóśźżáàâäčďéèěëíîňöôřšťúůüýž"
PLAIN = "acelnoszzaaaacdeeeeiinoorstuuuyz"

NAMED = ("name", "street", "house_number", "place", "municipality__name", "website")
"""Fields that are searched together for words."""

HELP = "nazwa, ulica, miejscowość, gmina, NIP, telefon, strona, kod pocztowy, TERYT, numer wpisu"

SIGNS_IN_NUMBERS = re.compile(r"[\s().,/‐-―+-]")


def search_depots(rows: QuerySet[Any], typed: str, prefix: str = "", besides: Q | None = None) -> QuerySet[Any]:
    """Keep rows whose depot matches every typed word, or the typed number.

    prefix: lookup from the rows to their depot, such as "depot__". A number is a tax number, postcode, TERYT code or
    its prefix, at least six digits of a telephone, or a depot id; after "#" a depot id alone. besides: further rows to
    include.
    """
    words = fold(typed).split()
    text = typed.strip()
    if not text:
        return rows
    condition = besides or Q()
    if own := re.fullmatch(r"\(?#([0-9]{1,18})\)?", text):
        return rows.filter(condition | Q(**{f"{prefix}pk": int(own[1])}))
    rows = rows.annotate(searched=searched_text(prefix))
    condition |= Q(**{f"{prefix}source_id": text})
    if words:
        with_all = Q()
        for word in words:
            with_all &= Q(searched__contains=word)
        condition |= with_all
    if digits := read_digits(text):
        rows = rows.annotate(phone_digits=only_digits(f"{prefix}phone"))
        condition |= number_condition(digits, prefix)
    return rows.filter(condition)


def number_condition(digits: str, prefix: str) -> Q:
    """Return the condition for a number."""
    condition = Q(**{f"{prefix}nip": digits})
    if len(digits) == 5:
        condition |= Q(**{f"{prefix}postcode": f"{digits[:2]}-{digits[2:]}"})
    if len(digits) in {2, 4, 6, 7}:
        condition |= Q(**{f"{prefix}municipality__teryt__startswith": digits})
    if len(digits) >= 6:
        condition |= Q(phone_digits__contains=digits.lstrip("0"))
    if len(digits) < 19:
        condition |= Q(**{f"{prefix}pk": int(digits)})
    return condition


def read_digits(typed: str) -> str:
    """Return the digits of a number without separators or the prefix of a tax number; "" for other text."""
    plain = SIGNS_IN_NUMBERS.sub("", typed).upper()
    plain = re.sub(r"^(?:NIP:?)?(?:PL)?", "", plain)
    return plain if re.fullmatch(r"[0-9]{1,40}", plain) else ""


def searched_text(prefix: str) -> Func:
    """Return the searched fields of a depot in lower case without diacritics."""
    joined = Func(Value(" "), *(F(f"{prefix}{name}") for name in NAMED), function="concat_ws", output_field=TextField())
    return Func(Lower(joined), Value(ACCENTED), Value(PLAIN), function="translate", output_field=TextField())


def only_digits(field: str) -> Func:
    """Return a column reduced to its digits."""
    return Func(F(field), Value(r"[^0-9,]"), Value(""), Value("g"), function="regexp_replace", output_field=TextField())
