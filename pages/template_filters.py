"""Filters of the templates of the site; `pages/rendering.py` registers them.

HTML templates escape the result of a filter, unless it is Markup. Templates of Markdown and e-mails do not escape, so
every value in a Markdown template passes one of `MARKDOWN`: CommonMark 0.31, section 2.4 (backslash escapes), and
GitHub's tables and strikethrough.
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import orjson
from django.template.defaultfilters import linebreaksbr, urlize
from django.utils.formats import date_format
from django.utils.text import capfirst
from markupsafe import Markup, escape

from catalog.text import counted, full_sentence, out_of, round_half_up, short_amount, short_zloty, whole, zloty
from fueldepot.http.links import route_path, site_url
from pages import polish
from pages.page import twin_path
from pages.polish import tie, tie_html

MARKS = re.compile(r"([\\`*\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
"""Characters to escape. An underscore between letters or digits is none: `boiler_class_3` (section 6.2)."""

ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{1,32};)")
BLOCK = re.compile(r"^([-+=]|[0-9]{1,9}(?=[.)]))")
INVISIBLE = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

SCHEMES = {"http", "https", "mailto", "tel"}
ADDRESS_IN_TEXT = re.compile(r"https?://[^\s<>\"'„”()]*[^\s<>\"'„”().,;:!?]")
UNSAFE_IN_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>()\[\]\\\"'`|]")


def escape_markdown(value: object) -> str:
    r"""Escape text for one line of Markdown.

    Line breaks and invisible characters become blanks, `*` becomes `\*`. A number or dash that would begin a list and
    the ampersand of an entity are escaped too: `&lt;` becomes `\&lt;`.
    """
    line = " ".join(INVISIBLE.sub(" ", str(value)).split())
    line = ENTITY.sub(r"\\&", MARKS.sub(r"\\\1", line))
    return BLOCK.sub(lambda match: _literal(match[1]), line)


def _literal(start: str) -> str:
    # A number is escaped at the dot behind it, which the pattern only looks ahead at.
    return f"\\{start}" if start in {"-", "+", "="} else f"{start}\\"


def address(url: str) -> str:
    """Return a URL for the target of a link; "" for an invalid one or an unsafe scheme.

    A path of this site becomes absolute.
    """
    if url.startswith("/") and not url.startswith("//"):
        url = site_url(url)
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        return ""
    if scheme not in SCHEMES:
        return ""
    return UNSAFE_IN_ADDRESS.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)


def autolink(url: str) -> str:
    """Return a URL between angle brackets, so that nothing behind it joins it; escaped text for an unsafe one."""
    target = address(url)
    return f"<{target}>" if target else escape_markdown(url)


def escape_around(text: str, *urls: str) -> str:
    """Escape text for one line of Markdown, with the URLs in it as autolinks."""
    autolinks = {escape_markdown(url): autolink(url) for url in sorted(urls, key=len, reverse=True)}
    line = escape_markdown(text)
    return re.sub("|".join(map(re.escape, autolinks)), lambda match: autolinks[match[0]], line) if autolinks else line


def code(text: str) -> str:
    return f"`{text}`"


def link(label: str, url: str) -> str:
    """Return a link, or only its label for an unsafe URL."""
    target = address(url)
    return f"[{escape_markdown(label)}]({target})" if target else escape_markdown(label)


Filter = Callable[..., Any]

POSTCODE = re.compile(r"\b\d{2}-\d{3}\b")
CODE = re.compile(r"`([^`]+)`")

# JSON escapes of the characters that could end a script element or begin a tag or an entity.
HARMLESS = {"<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def difference(amount: float | Decimal) -> str:
    """ "+90 zł", "−90 zł", "równo": whole złoty."""
    rounded = round_half_up(amount)
    return f"{'+' if rounded > 0 else '−'}{zloty(abs(rounded), 0)}" if rounded else "równo"


def tied(text: object) -> str:
    """Insert non-breaking spaces after words of one letter."""
    together = tie(str(text))
    return Markup(together) if hasattr(text, "__html__") else together  # noqa: S704 - as safe as it was


def tied_html(html: Markup) -> Markup:
    return Markup(tie_html(str(html)))  # noqa: S704 - as safe as it was


def postcodes(text: str) -> Markup:
    """Escape text and wrap postcodes in elements that do not break at the end of a line."""
    return Markup(POSTCODE.sub(r'<span class="code">\g<0></span>', str(escape(text))))  # noqa: S704 - escaped before


@lru_cache(maxsize=1000)
def unbroken(sentence: str) -> Markup:
    """Escape a sentence; each of its parts up to a comma stays on one line where it fits."""
    parts = re.split(r"(?<=,) ", sentence)
    return Markup(" ".join(f'<span class="together">{escape(part)}</span>' for part in parts))  # noqa: S704 - escaped before


def coded(text: str) -> Markup:
    """Escape text and turn backticks into code elements."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(tie(text)))))  # noqa: S704 - escaped before


def for_excel(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}excel=1"


def json_ld(data: dict[str, Any]) -> Markup:
    """Serialise JSON-LD so that it is safe inside a script element."""
    text = orjson.dumps(data).decode()
    for character, harmless in HARMLESS.items():
        text = text.replace(character, harmless)  # several times as fast as `translate`
    return Markup(text)  # noqa: S704 - see HARMLESS


def md_urlize(text: str) -> str:
    """Escape text of a source for Markdown, with the URLs in it as autolinks."""
    return escape_around(text, *ADDRESS_IN_TEXT.findall(text))


def prose(text: str) -> str:
    """Mark the project's own text, which is Markdown. Not for untrusted text."""
    return text


def to_twin(label: str, path: str) -> str:
    """Return a link to the Markdown twin of a page, with the query: label|to_twin(path)."""
    page, mark, query = path.partition("?")
    return link(label, twin_path(page) + mark + query)


def md_day(value: date | None) -> str:
    """ "3 października 2026 r."; "nieznany" for None."""
    return date_format(value) if value else "nieznany"


def md_zloty(amount: float | None) -> str:
    """ "1520,50 zł": without grouped thousands; a dash for None."""
    return "–" if amount is None else f"{round_half_up(amount, 2)} zł".replace(".", ",")


def number(value: float | None) -> str:
    """Format a whole number as on the pages, another one with a decimal point, "" for None."""
    return f"{value:g}" if isinstance(value, float) else whole(value)


UNITS = {"pcs": "szt.", "m2": "m²"}


def pln_range(amounts: tuple[Decimal, Decimal]) -> str:
    """ "od 14 350 do 43 225 zł", or "43 225 zł" where both ends are equal."""
    least, most = amounts
    return short_zloty(most) if least == most else f"od {short_amount(least)} do {short_zloty(most)}"


def percent(share: Decimal) -> str:
    return f"{(share * 100).normalize():f}%"


def by_name(*filters: Filter) -> dict[str, Filter]:
    return {function.__name__: function for function in filters}


MARKDOWN = {
    **by_name(prose, address, autolink, code, md_urlize, to_twin, md_day, md_zloty, number, pln_range, percent),
    **by_name(polish.change, polish.signed_zloty, polish.tenths, polish.quantity, counted, polish.days),
    **by_name(polish.span, out_of, short_zloty),
    "md": escape_markdown,
    "citing": escape_around,
    "iso": date.isoformat,
    "unit": UNITS.__getitem__,
    "linked": link,
}
"""Filters whose results are safe in Markdown."""

FILTERS = {
    **MARKDOWN,
    **by_name(capfirst, coded, difference, for_excel, full_sentence, json_ld, linebreaksbr, postcodes),
    **by_name(tied, tied_html, unbroken, urlize, zloty),
    **by_name(polish.date_digits, polish.day, polish.moment, whole),
    "route": route_path,
}
