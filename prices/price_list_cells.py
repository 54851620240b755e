"""Cells of price lists: fuels, units, amounts and days as merchants write them.

What could mean another quantity, or another day, is refused.
"""

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.dates import MONTHS_ALT
from openpyxl.utils.datetime import from_excel

from catalog.depots import fuels
from catalog.parsing.fuels_in_names import fuels_in_name
from catalog.text import fold, one_line, plain
from fueldepot.http.params import AmbiguousNumber, read_decimal
from prices import validation

LONGEST_CELL = 100
"""Limit of the characters of a cell that are searched for words, which takes the square of their number."""

ZLOTY = r"(?:[.,][-–—]{1,2})? ?(?:(?:zł(?:otych)?|zl|pln)\.?)?"
"""Pattern of what stands behind an amount: "1640,-", "1640 PLN", "1640,- zł"."""

BAG = "worek"
FUEL_OF = {fold(name): fuel.slug for fuel in fuels.FUELS for name in (fuel.slug, fuel.name, fuel.label)}
UNIT_OF = {fold(name): unit for unit, word in fuels.UNIT_NAMES.items() for name in (unit, word, f"zł/{unit}")}
UNIT_OF |= (
    dict.fromkeys(("tone", "tony", "1 t", "1 tone", "1 tona"), "t")
    | dict.fromkeys(("m p", "1 mp"), "mp")
    | dict.fromkeys((BAG, "worka"), BAG)
)
"""Fuels and units, a bag among them, by their spellings, folded."""

OTHER_GOODS = re.compile(r"\b(?:brunatn|antracyt)")
OTHER_QUANTITY = re.compile(
    r"\b[0-9]*m3|\b(?:mps|mpn|szesc|kubi|palet|skrzyn|big\W?bag|szt\b|wiazk|siatk|karton|paczk|przyczep)|"
    r"\b[0-9]+ ?[x×*] ?[0-9]+ ?kg|kg ?[x×*] ?[0-9]"
)
QUANTITY = re.compile(r"(?<![\w.,])([0-9]+(?:[.,][0-9]+)?) ?(kg|t|ton[ay]?|mp|work\w*)\b")
BAG_WEIGHT = re.compile(r"([0-9]+(?:[.,][0-9]+)?) ?kg\b")
HEAVIEST_BAG_KG = 50
"""No bag up to this weight costs a plausible price of a tonne: what its price is for can be told by the amount."""


def read_number(value: Any) -> int:
    """Return the id of a depot, which a spreadsheet may hold as a float, or "#7" as previews write it.

    Raises ValidationError.
    """
    if value is None or value == "":
        raise ValidationError("nie ma numeru składu; scalone komórki mają wartość tylko w pierwszym wierszu")
    try:
        number = Decimal(str(value).removeprefix("#").replace("_", "x"))  # Decimal reads "1_0" as 10
        # Compared first: an exponent such as 1e9999999 would take minutes as an int.
        is_possible = 0 < number < 10**18 and number == int(number)
    except (InvalidOperation, ValueError):
        raise ValidationError(f"„{value}” nie jest numerem składu") from None
    if not is_possible:
        raise ValidationError(f"nie ma opublikowanego składu o numerze {value}")
    return int(number)


@lru_cache(maxsize=1000)
def read_fuel(text: str) -> str:
    """Return the slug of a fuel by its name or description, "Orzech II"; an unknown one as it is.

    Raises ValidationError for one with another quantity than a unit of the fuel, whose price is not that of the unit.
    """
    if slug := FUEL_OF.get(fold(text)):
        return slug
    if len(text) > LONGEST_CELL or OTHER_GOODS.search(bare := plain(text)):
        return text
    # An assortment alone is a fuel beside coal only.
    stated = {*fuels_in_name(f"węgiel {text}")} - {"wegiel"} or {*fuels_in_name(text)}
    if len(stated) != 1:
        return text
    if OTHER_QUANTITY.search(bare) or not all(is_bag_or_unit(*quantity) for quantity in QUANTITY.findall(bare)):
        raise ValidationError(f"„{text}” to inna ilość niż tona albo metr przestrzenny; cen nie przeliczamy")
    return stated.pop()


def read_bag_weight(*texts: str) -> Decimal | None:
    """Return the only weight that the description of a fuel and the name of a column state, None for none or two."""
    weights = {weight.replace(",", ".") for text in texts for weight in BAG_WEIGHT.findall(plain(text[:LONGEST_CELL]))}
    return Decimal(weights.pop()) if len(weights) == 1 else None


def is_bag_or_unit(number: str, of: str) -> bool:
    amount = float(number.replace(",", "."))
    return amount <= HEAVIEST_BAG_KG or amount == 1000 if of == "kg" else amount == 1


def read_day(value: Any) -> date:
    """Return a day: a date of a spreadsheet or its number, 2026-11-21, 21.11.2026 or as people write it.

    Raises ValidationError, also for 12/11/2026, which some programs write for 11 December.
    """
    if isinstance(value, date):
        return value
    text = re.sub(r"(?: [0-9]{1,2}:[0-9:.]+)?(?: ?r\.?)?$", "", plain(one_line(str(value), LONGEST_CELL)))
    text = re.sub(r" ([a-z]+) ", lambda word: f".{month_number(word[1])}.", text)
    if serial := re.fullmatch(r"([45][0-9]{4})(?:\.[0-9]+)?", text):
        return from_excel(int(serial[1])).date()  # type: ignore[no-any-return] # openpyxl has no types
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%Y"):
        try:
            day = datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
        if "/" in form and day.day <= 12 and day.day != day.month:
            break
        return day
    problem = "brakuje dnia" if value in {None, ""} else f"„{value}” nie jest dniem"
    raise ValidationError(f"{problem}; podaj na przykład 2026-11-21")


def month_number(name: str) -> int | None:
    """Return the number of a month by its folded name in the genitive: 11 for "listopada"."""
    return next((number for number, month in MONTHS_ALT.items() if plain(str(month)) == name), None)


def read_amount(value: Any, unit: str = "zł", per: str = "") -> Decimal | None:
    """Return złoty or kilograms, None for an empty cell. Raises ValidationError, with both readings of `1.640` as text.

    unit, per: what may stand behind the number in a text, as in "1640 zł/t"; per is a value of `UNIT_OF`.

    A number of a spreadsheet has decimals only; text is read by `read_decimal`.
    """
    if value is None or value == "":
        return None
    try:
        # From text, since a spreadsheet holds 24.99 as a float.
        amount = read_decimal(bare_number(str(value), unit, per), "refused" if isinstance(value, str) else "decimals")
    except AmbiguousNumber as error:
        decimal = error.decimal.replace(".", ",")
        raise ValidationError(f"„{value}” to {error.thousands} albo {decimal}; wpisz jedno z nich") from None
    except ValueError:
        raise ValidationError(f"„{value}” nie jest liczbą") from None
    if abs(amount) >= validation.PRICE_LIMIT:
        raise ValidationError(f"„{value}” nie jest kwotą ani wagą poniżej {validation.PRICE_LIMIT}")
    return amount


def bare_number(text: str, unit: str, per: str) -> str:
    """Return a number without what people write behind it: "1640,-", "1640 PLN", "1640 zł/tonę brutto", "90 kWh/m²".

    unit: "zł", or a pattern, which does not take "brutto". per: what may stand behind the unit, "" for nothing.
    """
    line = one_line(text).removesuffix(" brutto" if unit == "zł" else "")
    if len(line) > LONGEST_CELL:
        return text
    number, slash, quantity = re.sub(r" ?(?:/|\bza\b) ?", "/", line).partition("/")
    if slash and (not per or UNIT_OF.get(name := fold(quantity), name) != fold(per)):
        return text
    return re.sub(f" ?(?:{ZLOTY if unit == 'zł' else unit})?$", "", number, count=1, flags=re.IGNORECASE)
