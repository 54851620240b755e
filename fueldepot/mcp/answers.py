"""Tools, and their answers with the data for a citation, in less than MOST_BYTES.

    @tool("The Polish municipality in which a point lies, with its TERYT code.", LocatedMunicipalityJson)
    def locate(query: LocateQuery) -> Findings:

An answer is shortened first and cited afterwards, so a citation rests on what is shown.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from types import GenericAlias
from typing import Any, NamedTuple, NotRequired, get_type_hints

import orjson
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from fueldepot.http.api_description import plain
from fueldepot.http.query import Query
from pages.page import NOT_TO_BE_QUOTED, cite
from pages.polish import days

MOST_BYTES = 1_500
"""Maximum size of an answer as a client reads it, as text or structured: clients pay by the token."""

ENVELOPE_BYTES = 200
"""Allowance for the protocol's envelope and the field `left_out`."""

MOST_SOURCES = 2
"""Most sources that an answer names; "i inne" stands for the rest."""


class CitedAnswer(TypedDict):
    """An answer with the data for its citation, as it is sent. left_out: numbers of items by the name of a list."""

    answer: Any
    as_of: date | None
    source: str
    demonstration: bool
    cite: str
    page: str
    stale: NotRequired[str]
    left_out: NotRequired[dict[str, int]]


class Citation(NamedTuple):
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


class Findings(NamedTuple):
    """What a tool has found, before it is shortened.

    citation: a citation, or a function of the number of `rows` that are left. rows: a list in the content, which keeps
    one. most: the most of them. offset: of the first of them where they are a page, beside its `total` and
    `next_offset`. details: items whose `description` goes first, the last at first.
    """

    content: Any
    citation: Citation | Callable[[int], Citation]
    rows: list[Any] | None = None
    most: int | None = None
    offset: int | None = None
    details: Sequence[Any] = ()

    def lists(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield the lists of the content by name; `answer` is the content itself."""
        if isinstance(self.content, list):
            yield "answer", self.content
        for part in self.content if isinstance(self.content, list) else [self.content]:
            yield from ((name, value) for name, value in part.items() if isinstance(value, list))


class Tool(NamedTuple):
    """A tool. query: the parameters that it takes, except hidden ones. content: type of the field `answer`."""

    name: str
    description: str
    query: type[Query]
    content: Any
    run: Callable[[Any], Findings]

    def parameters(self) -> dict[str, dict[str, Any]]:
        """Return the schema of each parameter without examples, which clients would pay for."""
        kept = ("type", "enum", "pattern", "minimum", "maximum", "default", "description")
        return {
            name: {key: schema[key] for key in kept if key in schema}
            for name, schema in self.query.schemas().items()
            if name not in self.query.hidden
        }

    def describe(self) -> dict[str, Any]:
        envelope = describe_type(CitedAnswer)
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": self.parameters(),
                "required": sorted(self.query.required()),
                "additionalProperties": False,
            },
            "outputSchema": {
                **envelope,
                "properties": {**envelope["properties"], "answer": describe_type(self.content)},
            },
            "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
        }


make_typed_dict: Callable[[str, dict[str, Any]], Any] = TypedDict  # type: ignore[assignment]

TOOLS: dict[str, Tool] = {}


def tool(description: str, content: Any = None, **fields: Any) -> Callable[[Callable[[Any], Findings]], None]:
    """Return a decorator that makes a tool of a function from a query, and takes its name.

    content: type of the field `answer`; without it the answer has `fields`, types by their names.
    """

    def register(run: Callable[[Any], Findings]) -> None:
        kind = content or make_typed_dict("Content", fields)
        TOOLS[run.__name__] = Tool(run.__name__, description, get_type_hints(run)["query"], kind, run)

    return register


def part(answer: Any, names: str, **more: Any) -> Any:
    """Return a TypedDict of some fields of an answer of the API, named with blanks between, and of more fields."""
    hints = get_type_hints(answer, include_extras=True)
    return make_typed_dict("Part", {name: hints[name] for name in names.split()} | more)


def each(kind: Any) -> Any:
    return GenericAlias(list, (kind,))


def pick(kind: Any, answer: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {name: answer[name] for name in kind.__annotations__ if name in answer and name not in more} | more


def describe_type(kind: Any) -> dict[str, Any]:
    """Return the schema of a type with those of its parts in their places.

    Without descriptions and examples: clients pay for the list of tools too.
    """
    document = TypeAdapter(kind).json_schema(mode="serialization", ref_template="{model}")
    parts = document.pop("$defs", {})

    def inline(schema: Any) -> Any:
        if isinstance(schema, list):
            return [inline(row) for row in schema]
        if not isinstance(schema, dict):
            return schema
        schema = parts.get(schema.get("$ref"), schema)
        documentation = ("examples", "description")  # a property of that name has a dict
        return {key: inline(row) for key, row in schema.items() if key not in documentation or isinstance(row, dict)}

    return dict(plain(inline(document)))


def answer(findings: Findings) -> CitedAnswer:
    """Return the answer within the limit, with the data for a citation of what is left.

    Descriptions go before items, and items from the end of the longest list; a part of a content that is a list goes
    once its lists are empty. `left_out` counts the items by the names of their lists; of a page `next_offset` leads to
    the rest instead, null at its end.
    """
    complete = {id(items): [*items] for _, items in findings.lists()}
    if findings.most is not None and findings.rows:
        del findings.rows[findings.most :]
    details = [*findings.details]
    while not fits(body := cited(findings)):
        if details:
            del details.pop()["description"]
            continue
        lists = [items for _, items in findings.lists() if len(items) > (items is findings.rows)]
        if not lists:
            break
        longest = max(lists, key=lambda items: (items is not findings.content, len(items)))
        longest.pop()
        if longest is findings.content:  # what is left of it has more room now
            for _, items in findings.lists():
                if items is not longest:
                    items[:] = complete[id(items)]
    left_out: Counter[str] = Counter()
    for name, items in findings.lists():
        if findings.offset is None or items is not findings.rows:
            left_out[name] += len(complete[id(items)]) - len(items)
    if +left_out:
        body["left_out"] = dict(+left_out)
    return body


def cited(findings: Findings) -> CitedAnswer:
    left = len(findings.rows or ())
    if findings.offset is not None:
        following = findings.offset + left
        findings.content["next_offset"] = following if following < findings.content["total"] else None
    citation = findings.citation if isinstance(findings.citation, Citation) else findings.citation(left)
    quoted = cite(citation.title, citation.url, days(citation.as_of, citation.last))
    named = [*citation.sources[:MOST_SOURCES], *(["i inne"] if len(citation.sources) > MOST_SOURCES else [])]
    body: CitedAnswer = {
        "answer": findings.content,
        "as_of": citation.as_of,
        "source": "; ".join(named),
        "demonstration": citation.demonstration,
        "cite": NOT_TO_BE_QUOTED if citation.demonstration else quoted,
        "page": citation.url,
    }
    if citation.stale:
        body["stale"] = citation.stale
    return body


def fits(body: CitedAnswer) -> bool:
    return len(orjson.dumps(orjson.dumps(body).decode())) <= MOST_BYTES - ENVELOPE_BYTES
