"""What templates of the site may do with a value, by the names they use; `fueldepot/templating.py` registers them.

In HTML whatever comes out of a filter is escaped, unless it is Markup. In Markdown and in letters nothing is escaped by
itself, so every value of a Markdown template goes through one of `MARKDOWN`.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import orjson
from django.template.defaultfilters import linebreaksbr
from django.utils.formats import date_format
from django.utils.html import urlize
from django.utils.text import capfirst
from markupsafe import Markup, escape

from catalog.links import route_path
from pages import markdown, polish, typography

Filter = Callable[..., Any]

POSTCODE = re.compile(r"\b\d{2}-\d{3}\b")
CODE = re.compile(r"`([^`]+)`")

# Nothing that could end the block or begin a tag or an entity; in JSON these are the same characters.
HARMLESS = {"<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def whole(number: int | None) -> str:
    """A whole number with its thousands apart, "" for none."""
    return "" if number is None else polish.whole(number)


def iso(value: date) -> str:
    """A day for machines: "2026-10-03"."""
    return f"{value:%Y-%m-%d}"


def tied(text: object) -> str:
    """Text whose words of one letter do not end a line."""
    together = typography.tie(str(text))
    return Markup(together) if hasattr(text, "__html__") else together  # noqa: S704 - as safe as it was


def tied_html(html: Markup) -> Markup:
    """The same for a part of a page that is HTML already."""
    return Markup(typography.tie_html(str(html)))  # noqa: S704 - as safe as it was


def postcodes(text: str) -> Markup:
    """Text, escaped, whose postcodes do not break in two at the end of a line."""
    return Markup(POSTCODE.sub(r'<span class="code">\g<0></span>', str(escape(text))))  # noqa: S704 - escaped before


def coded(text: str) -> Markup:
    """Text of ours with what stands between backticks as code; the rest is escaped."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(typography.tie(text)))))  # noqa: S704 - escaped before


def linked_addresses(text: str) -> Markup:
    """Text, escaped, whose addresses are links that search engines do not follow."""
    return Markup(urlize(text, nofollow=True, autoescape=True))  # noqa: S704 - escaped there


def json_ld(data: dict[str, Any]) -> Markup:
    """Data for search engines as JSON that can stand inside a script element: a block of data, never run."""
    block = orjson.dumps(data).decode()
    for mark, code in HARMLESS.items():
        block = block.replace(mark, code)
    return Markup(block)  # noqa: S704 - see HARMLESS


def md(value: object) -> str:
    """Any value as text that has no marks in it."""
    return markdown.escape(str(value))


def prose(text: str) -> str:
    """Text of ours that is written in Markdown. Never for what a source wrote."""
    return text


def to_twin(label: str, path: str) -> str:
    """A link to the Markdown twin of a page: label|to_twin(path)."""
    return markdown.link(label, markdown.twin_address(path))


def md_day(value: date | None) -> str:
    """A day in words; "nieznany" for none."""
    return date_format(value, "j E Y \\r.") if value else "nieznany"


def md_zloty(amount: float | None) -> str:
    """ "1520,50 zł": digits that a machine can read, with the unit; a dash for None."""
    return "–" if amount is None else f"{amount:.2f} zł".replace(".", ",")


def number(value: float | None) -> str:
    """A number as digits with a point, "" for none."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


MARKDOWN: dict[str, Filter] = {
    "md": md,
    "prose": prose,
    "address": markdown.address,
    "linked": markdown.link,
    "to_twin": to_twin,
    "md_day": md_day,
    "md_zloty": md_zloty,
    "number": number,
    "iso": iso,
    "counted": polish.counted,
}
"""Those that leave no mark of Markdown to a value, or none that is not ours."""

FILTERS: dict[str, Filter] = {
    **MARKDOWN,
    "capfirst": capfirst,
    "coded": coded,
    "day": polish.day,
    "json_ld": json_ld,
    "linebreaksbr": linebreaksbr,
    "postcodes": postcodes,
    "route": route_path,
    "tenths": polish.tenths,
    "tied": tied,
    "tied_html": tied_html,
    "urlize": linked_addresses,
    "whole": whole,
    "zloty": polish.zloty,
}
