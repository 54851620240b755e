"""Polish formats without Django: numbers with their nouns, amounts, coordinates. Results stay on one line."""

from datetime import date
from decimal import Decimal
from functools import lru_cache

NO_BREAK = "\N{NO-BREAK SPACE}"


def whole(number: int) -> str:
    """ "44 005", "4005": four digits are not grouped."""
    return f"{number:,}".replace(",", NO_BREAK) if abs(number) >= 10_000 else str(number)


def tenths(number: float) -> str:
    """ "0,9", "12,0": one decimal."""
    return f"{number:.1f}".replace(".", ",")


def counted(number: int, one: str, few: str, many: str) -> str:
    """ "1 skład", "2 składy", "5 składów", "22 składy": a number with the form of its noun."""
    if number == 1:
        return f"1 {one}"
    if number % 10 in {2, 3, 4} and number % 100 not in {12, 13, 14}:
        return f"{whole(number)} {few}"
    return f"{whole(number)} {many}"


def coordinates(lat: float, lon: float) -> str:
    """ "50,0614° N, 19,9366° E": four decimals, about ten metres."""
    return f"{lat:.4f}° N, {lon:.4f}° E".replace(".", ",")


def change(part: Decimal | None) -> str:
    """ "+12,3%", "−4,0%": a relative change; a dash for None."""
    return "–" if part is None else _signed(f"{part * 100:+.1f}") + "%"


def signed_zloty(amount: Decimal | None) -> str:
    """ "+20,00 zł", "−4,50 zł"; a dash for None."""
    return "–" if amount is None else f"{_signed(f'{amount:+,.2f}')}{NO_BREAK}zł"


def _signed(number: str) -> str:
    """Convert a signed number of Python to Polish; zero loses its sign."""
    text = number.replace(",", NO_BREAK).replace(".", ",").replace("-", "\N{MINUS SIGN}")
    return text.lstrip("+\N{MINUS SIGN}") if not text.strip("+\N{MINUS SIGN}0,") else text


@lru_cache(maxsize=1000)
def date_digits(value: date) -> str:
    """ "3.10.2026"."""
    return f"{value.day}.{value:%m.%Y}"
