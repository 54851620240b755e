"""Filters of the templates of the site; `pages/templating.py` registers them.

HTML templates escape the result of a filter, unless it is Markup. Templates of Markdown and e-mails do not escape, so
every value in a Markdown template passes one of `MARKDOWN`.
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

from catalog.text import full_sentence, short_zloty, zloty
from fueldepot.http.links import route_path, site_url
from pages import dates, markdown, non_breaking, polish

Filter = Callable[..., Any]

POSTCODE = re.compile(r"\b\d{2}-\d{3}\b")
CODE = re.compile(r"`([^`]+)`")
FRAME = (320, 420)
"""Width and height of an embed, in pixels."""

# JSON escapes of the characters that could end a script element or begin a tag or an entity.
HARMLESS = {"<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def whole(number: int | None) -> str:
    """Format a whole number with grouped thousands, "" for None."""
    return "" if number is None else polish.whole(number)


def difference(amount: float) -> str:
    """ "+90 zł", "−90 zł", "równo": whole złoty."""
    rounded = round(amount)
    return f"{'+' if rounded > 0 else '−'}{zloty(abs(rounded), 0)}" if rounded else "równo"


def iso(value: date) -> str:
    """ "2026-10-03"."""
    return f"{value:%Y-%m-%d}"


def tied(text: object) -> str:
    """Insert non-breaking spaces after words of one letter."""
    together = non_breaking.tie(str(text))
    return Markup(together) if hasattr(text, "__html__") else together  # noqa: S704 - as safe as it was


def tied_html(html: Markup) -> Markup:
    """Insert non-breaking spaces into the texts of HTML."""
    return Markup(non_breaking.tie_html(str(html)))  # noqa: S704 - as safe as it was


def postcodes(text: str) -> Markup:
    """Escape text and wrap postcodes in elements that do not break at the end of a line."""
    return Markup(POSTCODE.sub(r'<span class="code">\g<0></span>', str(escape(text))))  # noqa: S704 - escaped before


def unbroken(sentence: str) -> Markup:
    """Escape a sentence; each of its parts up to a comma stays on one line where it fits."""
    parts = re.split(r"(?<=,) ", sentence)
    return Markup(" ".join(f'<span class="together">{escape(part)}</span>' for part in parts))  # noqa: S704 - escaped before


def coded(text: str) -> Markup:
    """Escape text and turn backticks into code elements."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(non_breaking.tie(text)))))  # noqa: S704 - escaped before


def for_excel(path: str) -> str:
    """Return the path of a CSV export in the format of Excel."""
    return f"{path}{'&' if '?' in path else '?'}excel=1"


def framed(path: str, title: str) -> str:
    """Return the line of HTML that frames an embed. title: of the frame, for screen readers."""
    return (
        f'<iframe src="{site_url(path)}" title="{title.replace(chr(34), "")}" width="{FRAME[0]}" height="{FRAME[1]}" '
        'loading="lazy" style="border:0;max-width:100%"></iframe>'
    )


def linked_addresses(text: str) -> Markup:
    """Escape text and turn URLs into nofollow links."""
    return Markup(urlize(text, nofollow=True, autoescape=True))  # noqa: S704 - escaped there


def json_ld(data: dict[str, Any]) -> Markup:
    """Serialise JSON-LD so that it is safe inside a script element."""
    block = orjson.dumps(data).decode()
    for mark, code in HARMLESS.items():
        block = block.replace(mark, code)
    return Markup(block)  # noqa: S704 - see HARMLESS


def md(value: object) -> str:
    """Escape any value for Markdown."""
    return markdown.escape(str(value))


def citing(citation: str, url: str) -> str:
    """Escape a citation for Markdown, with its URL as an autolink."""
    return markdown.escape_around(citation, [url])


def md_urlize(text: str) -> str:
    """Escape text of a source for Markdown, with the URLs in it as autolinks."""
    return markdown.escape_around(text, markdown.ADDRESS_IN_TEXT.findall(text))


def prose(text: str) -> str:
    """Mark the project's own text, which is Markdown. Not for untrusted text."""
    return text


def to_twin(label: str, path: str) -> str:
    """Return a link to the Markdown twin of a page: label|to_twin(path)."""
    return markdown.link(label, markdown.twin_address(path))


def md_day(value: date | None) -> str:
    """ "3 października 2026 r."; "nieznany" for None."""
    return date_format(value, "j E Y \\r.") if value else "nieznany"


def md_zloty(amount: float | None) -> str:
    """ "1520,50 zł": without grouped thousands; a dash for None."""
    return "–" if amount is None else f"{amount:.2f} zł".replace(".", ",")


def number(value: float | None) -> str:
    """Format a number with a decimal point, "" for None."""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


MARKDOWN: dict[str, Filter] = {
    "md": md,
    "prose": prose,
    "address": markdown.address,
    "autolink": markdown.autolink,
    "citing": citing,
    "code": markdown.code,
    "md_urlize": md_urlize,
    "linked": markdown.link,
    "to_twin": to_twin,
    "md_day": md_day,
    "md_zloty": md_zloty,
    "number": number,
    "iso": iso,
    "change": polish.change,
    "signed_zloty": polish.signed_zloty,
    "tenths": polish.tenths,
    "counted": polish.counted,
    "span": dates.span,
}
"""Filters whose results are safe in Markdown."""

FILTERS: dict[str, Filter] = {
    **MARKDOWN,
    "capfirst": capfirst,
    "coded": coded,
    "date_digits": polish.date_digits,
    "day": dates.day,
    "difference": difference,
    "for_excel": for_excel,
    "framed": framed,
    "full_sentence": full_sentence,
    "json_ld": json_ld,
    "linebreaksbr": linebreaksbr,
    "postcodes": postcodes,
    "route": route_path,
    "short_zloty": short_zloty,
    "tied": tied,
    "tied_html": tied_html,
    "unbroken": unbroken,
    "urlize": linked_addresses,
    "whole": whole,
    "zloty": zloty,
}
