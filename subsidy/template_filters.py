"""Template filters that format amounts in Polish."""

from collections.abc import Callable
from decimal import Decimal

from subsidy.calculator.rows import NO_BREAK, format_amount, round_to_grosz

UNITS = {"pcs": "szt.", "m2": "m²"}


def pln(amount: Decimal) -> str:
    """ "14 080 zł", "1 234,50 zł"."""
    return f"{format_amount(round_to_grosz(amount))}{NO_BREAK}zł"


def pln_range(amounts: tuple[Decimal, Decimal]) -> str:
    """ "od 14 350 do 43 225 zł", or "43 225 zł" where both ends are equal."""
    least, most = amounts
    return pln(most) if least == most else f"od {format_amount(round_to_grosz(least))} do {pln(most)}"


def percent(share: Decimal) -> str:
    """ "40%"."""
    return f"{(share * 100).normalize():f}%"


def quantity(amount: Decimal) -> str:
    """ "12,5", without trailing zeros."""
    return f"{amount.normalize():f}".replace(".", ",")


def unit(code: str) -> str:
    """ "szt." or "m²"."""
    return UNITS[code]


FILTERS: dict[str, Callable[..., str]] = {
    function.__name__: function for function in (pln, pln_range, percent, quantity, unit)
}
