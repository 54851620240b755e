"""Escaping of untrusted text for Markdown.

Covers CommonMark 0.31, section 2.4 (backslash escapes), and GitHub's tables and strikethrough.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from fueldepot.http.links import site_url
from pages.page import twin_path

MARKS = re.compile(r"([\\`*\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
"""Characters to escape. An underscore between letters or digits is none: `boiler_class_3` (section 6.2)."""

ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{1,32};)")
BLOCK = re.compile(r"^([-+=]|[0-9]{1,9}(?=[.)]))")
INVISIBLE = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

SCHEMES = {"http", "https", "mailto", "tel"}
ADDRESS_IN_TEXT = re.compile(r"https?://[^\s<>\"'„”()]*[^\s<>\"'„”().,;:!?]")
UNSAFE_IN_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>()\[\]\\\"'`|]")


def escape(text: str) -> str:
    r"""Escape text for one line of Markdown.

    Line breaks and invisible characters become blanks, `*` becomes `\*`. A number or dash that would begin a list and
    the ampersand of an entity are escaped too: `&lt;` becomes `\&lt;`.
    """
    line = " ".join(INVISIBLE.sub(" ", text).split())
    line = ENTITY.sub(r"\\&", MARKS.sub(r"\\\1", line))
    return BLOCK.sub(lambda found: _literal(found[1]), line)


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
    return UNSAFE_IN_ADDRESS.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url)


def autolink(url: str) -> str:
    """Return a URL between angle brackets, so that nothing behind it joins it; escaped text for an unsafe one."""
    target = address(url)
    return f"<{target}>" if target else escape(url)


def escape_around(text: str, urls: Iterable[str]) -> str:
    """Escape text for one line of Markdown, with the URLs in it as autolinks."""
    autolinks = {escape(url): autolink(url) for url in sorted(urls, key=len, reverse=True)}
    line = escape(text)
    return re.sub("|".join(map(re.escape, autolinks)), lambda match: autolinks[match[0]], line) if autolinks else line


def code(text: str) -> str:
    """Return a code span of a text without backticks."""
    return f"`{text}`"


def link(label: str, url: str) -> str:
    """Return a link, or only its label for an unsafe URL."""
    target = address(url)
    return f"[{escape(label)}]({target})" if target else escape(label)


def twin_address(path: str) -> str:
    """Return the absolute URL of the Markdown twin of a page, with the query."""
    page, mark, query = path.partition("?")
    return address(twin_path(page) + mark + query)
