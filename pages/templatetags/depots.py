"""What stands many times on a page of depots, written at once: a loop in a template takes several times as long."""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from pages.depots import Phone
from pages.pictures.dots import RADIUS, Dot
from pages.pictures.maps import Name

register = template.Library()

ROUND = f'<circle r="{RADIUS}"/>'
SQUARE = f'<rect x="-{RADIUS}" y="-{RADIUS}" width="{2 * RADIUS:g}" height="{2 * RADIUS:g}"/>'


@register.filter
@lru_cache(maxsize=1000)
def tags(names: tuple[str, ...]) -> SafeString:
    """Names as items of a list. Most depots have theirs in common with others."""
    return format_html_join("", "<li>{}</li>", ((name,) for name in names))


@register.filter
def dialled(phones: Iterable[Phone]) -> SafeString:
    """Telephone numbers as links that dial them."""
    return format_html_join(", ", '<a class="phone" href="{}">{}</a>', ((phone.link, phone.number) for phone in phones))


@register.filter
def captions(names: Iterable[Name]) -> SafeString:
    """The names of neighbours on a map, in SVG."""
    text = '<text class="name" x="{}" y="{}" dy="3.4">{}</text>'
    return format_html_join("", text, ((name.x, name.y, name.text) for name in names))


@register.filter
def leaders(dots: Iterable[Dot]) -> SafeString:
    """Lines from dots that moved aside to their true places, in SVG."""
    return mark_safe("".join(_leader(dot) for dot in dots if dot.moved))  # noqa: S308 - numbers only


def _leader(dot: Dot) -> str:
    line = f'<path class="leader" d="M{dot.x} {dot.y}L{dot.at_x} {dot.at_y}"/>'
    return f'{line}<circle class="place" cx="{dot.at_x}" cy="{dot.at_y}" r="2"/>'


@register.filter
def marks(dots: Iterable[Dot]) -> SafeString:
    """Dots with their numbers in SVG; squares with a letter for groups."""
    return mark_safe("".join(_mark(dot) for dot in dots))  # noqa: S308 - numbers, and letters of our own


def _mark(dot: Dot) -> str:
    kind, shape = ("dot group", SQUARE) if dot.is_group else ("dot", ROUND)
    long = ' class="long"' if len(dot.label) > 2 else ""
    return f'<g class="{kind}" transform="translate({dot.x} {dot.y})">{shape}<text{long} y="3.6">{dot.label}</text></g>'
