"""Polish typography: a word of one letter ("z", "w", "i") does not stand at the end of a line.

Fixed texts of templates are tied when a template is read, once for each process, so that pages cost no more and the
files can be written with ordinary spaces. What comes out of the data passes the filter `tied`.
"""

import re
from collections.abc import Callable
from functools import lru_cache

import jinja2
from django.template import Origin
from django.template.loaders import filesystem

NO_BREAK = "\N{NO-BREAK SPACE}"

# After a blank, a bracket, a quotation mark or a tag.
LONE = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+(?=\S)")
LONE_AT_END = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+\Z")

# What is no text: tags of the template and of HTML. An attribute may hold tags of the template.
MARKS = re.compile(r"(\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<(?:\{%.*?%\}|\{\{.*?\}\}|[^>{]|\{(?![%{]))*>)", re.DOTALL)


@lru_cache(maxsize=1000)
def tie(text: str) -> str:
    """Text whose words of one letter stay on the line of the next word."""
    return LONE.sub(rf"\1{NO_BREAK}", text)


def tie_html(source: str) -> str:
    """HTML, or the source of a template of it, with its texts tied and everything between brackets as it was."""
    parts = MARKS.split(source)
    # Texts and marks take turns. A text before a mark may end in such a word: "z {{ count }} gmin".
    parts[::2] = [LONE_AT_END.sub(rf"\1{NO_BREAK}", tie(text)) for text in parts[::2]]
    return "".join(parts)


class DeskLoader(filesystem.Loader):
    """Reads templates of the desk as Django does, and ties their texts."""

    def get_contents(self, origin: Origin) -> str:
        return tie_html(super().get_contents(origin))


class SiteLoader(jinja2.FileSystemLoader):
    """Reads templates of the site as Jinja2 does, and ties the texts of those in HTML, but not what the API answers."""

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, filename, is_current = super().get_source(environment, template)
        tied = template.endswith(".html") and not template.startswith("subsidy/")
        return tie_html(source) if tied else source, filename, is_current
