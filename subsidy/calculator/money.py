"""Złoty: cutting, rounding, and writing them into sentences."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

GROSZ = Decimal("0.01")
ZERO = Decimal("0.00")
NO_BREAK = "\N{NO-BREAK SPACE}"


def cut(amount: Decimal) -> Decimal:
    """An amount without the part below a grosz."""
    return amount.quantize(GROSZ, ROUND_DOWN)


def nearest(amount: Decimal) -> Decimal:
    """An amount to the nearest grosz, half up."""
    return amount.quantize(GROSZ, ROUND_HALF_UP)


def written(amount: Decimal) -> str:
    """ "135 000" or "1 500,50", as Polish sentences have it; the unit is the caller's."""
    whole = amount == amount.to_integral_value()
    return f"{amount:,.{0 if whole else 2}f}".replace(",", NO_BREAK).replace(".", ",")
