"""Arguments and answers of the tools: an answer with the data for a citation, in less than MOST_BYTES.

An answer is shortened first and cited afterwards, so a citation rests on what is shown.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import orjson

from fueldepot.http.links import route_path, site_url
from fueldepot.http.params import NumberLiteral, ParamReader
from pages.dates import days
from pages.page import NOT_TO_BE_QUOTED, cite

MOST_BYTES = 1_500
"""Maximum size of an answer as it is sent: clients pay by the token."""

ENVELOPE_BYTES = 200
"""Allowance for the protocol's envelope and the field `left_out`."""

MOST_SOURCES = 2
"""Most sources that an answer names; "i inne" stands for the rest."""

Arguments = Mapping[str, Any]


class Row(dict[str, Any]):
    """An item of an answer, as it is sent. about: what it was made from."""

    def __init__(self, about: Any, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.about = about


@dataclass(frozen=True, slots=True)
class Citation:
    """What is cited. title, url: of the page with the same content. as_of, last: its day, or the first and last day.

    sources: at least one. stale: warning about content that was not confirmed for long, "" for none.
    """

    title: str
    url: str
    as_of: date | None
    sources: Sequence[str]
    demonstration: bool = False
    last: date | None = None
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a tool has found, before it is shortened.

    content: an object, or a list of them. citation: of the rows that are left, called with their `about`.
    most: the most items of a list, by its name. details: items whose `description` goes first, the last at first.
    page: name of the list that is a page, beside its `total`; keeps an item. offset: of the first item of the page.
    """

    content: Any
    citation: Callable[[list[Any]], Citation]
    most: Mapping[str, int] = field(default_factory=dict)
    details: Sequence[dict[str, Any]] = ()
    page: str = ""
    offset: int = 0

    def lists(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield the lists of the content by name; `answer` is the content itself."""
        if isinstance(self.content, list):
            yield "answer", self.content
        for part in self.content if isinstance(self.content, list) else [self.content]:
            yield from ((name, value) for name, value in part.items() if isinstance(value, list))

    def rows(self) -> list[Any]:
        """Return what the rows that are left were made from."""
        return [item.about for _, items in self.lists() for item in items if isinstance(item, Row)]


def read_arguments(arguments: Arguments) -> ParamReader:
    """Return arguments as parameters of the API, numbers as such; null counts as missing."""
    values = {name: value for name, value in arguments.items() if value is not None}
    plain = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
    return ParamReader.of_pairs(
        (name.encode(), text.encode() if isinstance(arguments[name], str) else NumberLiteral(text.encode()))
        for name, text in plain.items()
    )


def answer(findings: Findings) -> dict[str, Any]:
    """Return the answer within the limit, with the data for a citation of what is left.

    Descriptions go before items, and items from the end of the longest list. `left_out` counts the items by the names
    of their lists; of a page `next_offset` leads to the rest instead, null at its end.
    """
    lengths = {id(items): len(items) for _, items in findings.lists()}
    for name, items in findings.lists():
        del items[findings.most.get(name, len(items)) :]
    details = [*findings.details]
    while not fits(body := cited(findings)):
        if details:
            del details.pop()["description"]
            continue
        lists = [items for name, items in findings.lists() if len(items) > (name == findings.page)]
        if not lists:
            break
        max(lists, key=len).pop()
    left_out: Counter[str] = Counter()
    for name, items in findings.lists():
        if name != findings.page:
            left_out[name] += lengths[id(items)] - len(items)
    return body | ({"left_out": +left_out} if +left_out else {})


def cited(findings: Findings) -> dict[str, Any]:
    """Return the content as it is now, with the data for its citation."""
    if findings.page:
        following = findings.offset + len(findings.content[findings.page])
        findings.content["next_offset"] = following if following < findings.content["total"] else None
    citation = findings.citation(findings.rows())
    quoted = cite(citation.title, citation.url, days(citation.as_of, citation.last))
    named = [*citation.sources[:MOST_SOURCES], *(["i inne"] if len(citation.sources) > MOST_SOURCES else [])]
    return {
        "answer": findings.content,
        "as_of": citation.as_of,
        "source": "; ".join(named),
        "demonstration": citation.demonstration,
        "cite": NOT_TO_BE_QUOTED if citation.demonstration else quoted,
        "page": citation.url,
        **({"stale": citation.stale} if citation.stale else {}),
    }


def fits(body: dict[str, Any]) -> bool:
    """Whether an answer is within the limit."""
    return len(orjson.dumps(orjson.dumps(body).decode())) <= MOST_BYTES - ENVELOPE_BYTES


def route_url(name: str) -> str:
    """Return the absolute URL of a page without arguments."""
    return site_url(route_path(name))
