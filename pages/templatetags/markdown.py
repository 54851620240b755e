"""Filters of the Markdown templates. Autoescape is off there, so every value goes through one of them."""

from datetime import date

from django import template
from django.utils.formats import date_format

from pages import markdown, polish

register = template.Library()


@register.filter
def md(value: object) -> str:
    """Any value as text that has no marks in it."""
    return markdown.escape(str(value))


@register.filter
def prose(text: str) -> str:
    """Text of ours that is written in Markdown. Never for what a source wrote."""
    return text


@register.filter
def address(url: str) -> str:
    """An address for the brackets of a link."""
    return markdown.address(url)


@register.filter
def linked(label: str, url: str) -> str:
    """A link: label|linked:url."""
    return markdown.link(str(label), url)


@register.filter
def to_twin(label: str, path: str) -> str:
    """A link to the Markdown twin of a page: label|to_twin:path."""
    return markdown.link(str(label), markdown.twin_address(path))


@register.filter
def md_day(value: date | None) -> str:
    """A day in words; "nieznany" for none."""
    return date_format(value, "j E Y \\r.") if value else "nieznany"


@register.filter
def md_zloty(amount: float | None) -> str:
    """ "1520,50 zł": digits that a machine can read, with the unit; a dash for None."""
    return "–" if amount is None else f"{amount:.2f} zł".replace(".", ",")


@register.filter
def number(value: float | None) -> str:
    """A number as digits with a point, "" for none."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@register.filter
def md_counted(count: int, forms: str) -> str:
    """A number with its noun. forms: "skład,składy,składów"."""
    return polish.counted(count, *forms.split(","))
