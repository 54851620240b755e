"""Arguments and answers of the tools: an answer with the data for a citation, in less than MOST_BYTES."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

import orjson

from fueldepot.http.links import route_path, site_url
from fueldepot.http.params import NumberLiteral, ParamReader
from pages.page import NOT_TO_BE_QUOTED, cite

MOST_BYTES = 1_500
"""Maximum size of an answer as it is sent: clients pay by the token."""

ENVELOPE_BYTES = 200
"""Allowance for the protocol's envelope and the field `left_out`."""

Arguments = Mapping[str, Any]


def read_arguments(arguments: Arguments) -> ParamReader:
    """Return arguments as parameters of the API, numbers as such; null counts as missing."""
    values = {name: value for name, value in arguments.items() if value is not None}
    plain = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
    return ParamReader.of_pairs(
        (name.encode(), text.encode() if isinstance(arguments[name], str) else NumberLiteral(text.encode()))
        for name, text in plain.items()
    )


def answer(
    found: Any, *, title: str, url: str, as_of: date | None, source: str, demonstration: bool = False
) -> dict[str, Any]:
    """Return an answer with the data for a citation. title, url: of the page with the same content."""
    return {
        "answer": found,
        "as_of": as_of,
        "source": source,
        "demonstration": demonstration,
        "cite": NOT_TO_BE_QUOTED if demonstration else cite(title, url, as_of),
        "page": url,
    }


def fits(body: dict[str, Any]) -> bool:
    """Whether an answer is within the limit."""
    return len(orjson.dumps(orjson.dumps(body).decode())) <= MOST_BYTES - ENVELOPE_BYTES


def shorten(body: dict[str, Any]) -> dict[str, Any]:
    """Return an answer within the limit: the ends of its longest lists are dropped.

    `left_out` counts them by the names of the lists; `answer` is the list of the answer itself.
    """
    found = body["answer"]
    parts = found if isinstance(found, list) else [found]
    left_out: Counter[str] = Counter()
    while not fits(body):
        lists = [(name, value) for part in parts for name, value in part.items() if isinstance(value, list)]
        whole = [("answer", found)] if isinstance(found, list) else []
        name, longest = max([*lists, *whole], key=lambda one: len(one[1]), default=("", []))
        if not longest:
            break
        longest.pop()
        left_out[name] += 1
    return body | {"left_out": left_out} if left_out else body


def shorten_page(body: dict[str, Any], name: str, offset: int) -> dict[str, Any]:
    """Return a page of a list within the limit, at least one row, with `next_offset`: null at the end of the list.

    name: of the list, beside its `total`. offset: of its first row.
    """
    found = body["answer"]
    rows = found[name]
    while True:
        following = offset + len(rows)
        found["next_offset"] = following if following < found["total"] else None
        if len(rows) <= 1 or fits(body):
            return body
        rows.pop()


def route_url(name: str) -> str:
    """Return the absolute URL of a page without arguments."""
    return site_url(route_path(name))
