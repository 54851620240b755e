"""Amounts in złoty: truncation, rounding, Polish notation."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

GROSZ = Decimal("0.01")
ZERO = Decimal("0.00")
NO_BREAK = "\N{NO-BREAK SPACE}"


def truncate_to_grosz(amount: Decimal) -> Decimal:
    return amount.quantize(GROSZ, ROUND_DOWN)


def round_to_grosz(amount: Decimal) -> Decimal:
    """Round to the grosz, half up."""
    return amount.quantize(GROSZ, ROUND_HALF_UP)


def format_amount(amount: Decimal) -> str:
    """ "135 000" or "1 500,50", without the unit."""
    whole = amount == amount.to_integral_value()
    return f"{amount:,.{0 if whole else 2}f}".replace(",", NO_BREAK).replace(".", ",")
