"""Polish typography: non-breaking spaces where a line must not end.

A word of one letter ("z", "w", "i") stays with the next word, a number with its unit ("31 grudnia 2026 r.", "40 zł") or
with the word before it ("poz. 787"), and a dash with the word before it.

The template loaders insert them into the texts of templates, once per process. Data pass the filter `tied`.
"""

import re
from collections.abc import Callable
from functools import lru_cache

import jinja2
from django.template import Origin
from django.template.loaders import filesystem

from pages.polish import NO_BREAK

# After a blank, a bracket, a quotation mark or a tag.
LONE = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+(?=\S)")
LONE_AT_END = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+\Z")

UNITS = r"(?:r\.|zł|km|m|m²|cm|mm|kg|mg|t|mp|kW|kWh|MB|kB|godz\.|mies\.|mln|tys\.)"
NUMBER_AND_UNIT = re.compile(rf"(?<=\d) (?={UNITS}(?![\w²³]))")
NUMBERED = r"(?:[Nn]r|poz\.|art\.|ust\.|pkt|ul\.|klas[aąęy]|tabel[aęi]|[Rr]odzaj[ua]?|Krok)"
WORD_AND_NUMBER = re.compile(rf"(?<!\w)({NUMBERED}) (?=\d)")
BEFORE_DASH = re.compile(r"(?<=\S) (?=– )")
AFTER_MARK = re.compile(rf"\A (?=– |{UNITS}(?![\w²³]))")

# Tags of the template and of HTML, whose attributes may hold tags of the template.
MARKS = re.compile(r"(\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<(?:\{%.*?%\}|\{\{.*?\}\}|[^>{]|\{(?![%{]))*>)", re.DOTALL)


@lru_cache(maxsize=1000)
def tie(text: str) -> str:
    """Insert non-breaking spaces into plain text."""
    text = LONE.sub(rf"\1{NO_BREAK}", text)
    text = WORD_AND_NUMBER.sub(rf"\1{NO_BREAK}", text)
    return BEFORE_DASH.sub(NO_BREAK, NUMBER_AND_UNIT.sub(NO_BREAK, text))


def tie_html(source: str) -> str:
    """Insert non-breaking spaces into the texts of HTML or an HTML template; tags stay unchanged."""
    parts = MARKS.split(source)
    # Texts and tags alternate. A text before a tag may end in such a word, and one after a value begin with a unit:
    # "z {{ count }} zł".
    parts[::2] = [LONE_AT_END.sub(rf"\1{NO_BREAK}", tie(text)) for text in parts[::2]]
    for number in range(2, len(parts), 2):
        if not parts[number - 1].startswith("{%"):
            parts[number] = AFTER_MARK.sub(NO_BREAK, parts[number])
    return "".join(parts)


class DeskLoader(filesystem.Loader):
    """Django's loader for templates of the admin, with non-breaking spaces."""

    def get_contents(self, origin: Origin) -> str:
        return tie_html(super().get_contents(origin))


class SiteLoader(jinja2.FileSystemLoader):
    """Jinja2's loader for templates of the site, with non-breaking spaces in HTML except fragments of the API."""

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, filename, is_current = super().get_source(environment, template)
        tied = template.endswith(".html") and not template.startswith("subsidy/")
        return tie_html(source) if tied else source, filename, is_current
