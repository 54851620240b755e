from datetime import date

from django import template

from pages import polish

register = template.Library()


@register.filter
def counted(number: int, forms: str) -> str:
    """A number with its noun. forms: "skład,składy,składów"."""
    return polish.counted(number, *forms.split(","))


@register.filter
def day(value: date) -> str:
    """A day in words, with "r." at its end."""
    return polish.day(value)


@register.filter
def zloty(amount: float | None) -> str:
    """ "1 520,50 zł", or a dash where there is no number."""
    return polish.zloty(amount)
