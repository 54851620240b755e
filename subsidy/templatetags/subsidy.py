"""Amounts as Polish pages write them."""

from decimal import Decimal

from django import template

from subsidy.calculator.money import NO_BREAK, nearest, written

register = template.Library()

UNITS = {"pcs": "szt.", "m2": "m²"}


@register.filter
def pln(amount: Decimal) -> str:
    """ "14 080 zł", "1 234,50 zł"."""
    return f"{written(nearest(amount))}{NO_BREAK}zł"


@register.filter
def percent(share: Decimal) -> str:
    """ "40%"."""
    return f"{(share * 100).normalize():f}%"


@register.filter
def quantity(amount: Decimal) -> str:
    """ "12,5" without needless zeros."""
    return f"{amount.normalize():f}".replace(".", ",")


@register.filter
def unit(code: str) -> str:
    """ "szt." or "m²"."""
    return UNITS[code]
