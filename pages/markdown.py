"""Text as Markdown means it literally. What sources wrote is hostile until it has passed here.

The marks are those of CommonMark 0.31, section 2.4 (backslash escapes), and of GitHub's tables and strikethrough.
"""

import re
from urllib.parse import urlsplit

from catalog.links import site_url
from pages.page import twin_path

MARKS = re.compile(r"([\\`*_\[\]<>#|~])")
ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{1,32};)")
BLOCK = re.compile(r"^([-+=]|[0-9]{1,9}(?=[.)]))")
INVISIBLE = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

SCHEMES = {"http", "https", "mailto", "tel"}
UNSAFE_IN_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f<>()\[\]\\\"'`|]")


def escape(text: str) -> str:
    r"""Text on one line in which no mark of Markdown has its meaning.

    Line breaks and characters that cannot be seen become blanks; `*` becomes `\*`, and a number or dash that would
    begin a list is escaped as well. Entities stay what they are, text: `&lt;` becomes `\&lt;`.
    """
    line = " ".join(INVISIBLE.sub(" ", text).split())
    line = ENTITY.sub(r"\\&", MARKS.sub(r"\\\1", line))
    return BLOCK.sub(lambda found: _literal(found[1]), line)


def _literal(start: str) -> str:
    # A number is escaped at the dot behind it, which the pattern only looks at; a no-break space would show.
    return f"\\{start}" if start in {"-", "+", "="} else f"{start}\\"


def address(url: str) -> str:
    """An address that can stand between the brackets of a link; "" for one that must not be followed.

    A path of this site becomes absolute. Raises nothing: what cannot be read as an address is dropped.
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


def link(label: str, url: str) -> str:
    """A link; only its label where the address must not be followed."""
    target = address(url)
    return f"[{escape(label)}]({target})" if target else escape(label)


def twin_address(path: str) -> str:
    """The absolute address of the Markdown twin of a page, query and all."""
    page, mark, query = path.partition("?")
    return address(twin_path(page) + mark + query)
