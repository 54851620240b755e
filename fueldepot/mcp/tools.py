"""The tools by name.

    call_tool("price", {"fuel": "pellet", "voivodeship": "małopolskie"})

The functions of the tools are in `place_tools`, `price_tools`, `rule_tools` and `use_tools`.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from django.utils import timezone

from fueldepot.data import snapshot
from fueldepot.http.params import InvalidParameters, NumberLiteral, ParameterError, quote
from fueldepot.http.query import Query
from fueldepot.mcp import place_tools, price_tools, rule_tools, use_tools  # noqa: F401 - fill TOOLS
from fueldepot.mcp.answers import TOOLS, CitedAnswer, Tool, answer

Arguments = Mapping[str, Any]


class ToolNotFound(Exception):
    """No tool has this name."""


def call_tool(name: str, arguments: Arguments) -> CitedAnswer:
    """Return the answer of a tool from one snapshot state. Raises ToolNotFound, and the errors of the API's views."""
    if name not in TOOLS:
        raise ToolNotFound(name)
    query = parse_arguments(TOOLS[name], arguments)
    with snapshot.consistent():
        return answer(TOOLS[name].run(query))


def parse_arguments(tool: Tool, arguments: Arguments) -> Query:
    """Return arguments as parameters of the API, numbers as such; null counts as missing.

    Raises InvalidParameters also for unknown arguments, with the closest parameter.
    """
    parameters, pairs, errors = tool.parameters(), [], []
    for name, value in arguments.items():
        if name not in parameters:
            nearest = get_close_matches(name, parameters, n=1, cutoff=0.6)
            advice = f"did you mean {nearest[0]}?" if nearest else f"give some of {', '.join(parameters)}"
            errors.append(ParameterError(name, "unknown", f"{quote(name)} is no parameter of {tool.name}; {advice}"))
        elif value is not None:
            text = (str(value).lower() if isinstance(value, bool) else str(value)).encode()
            pairs.append((name.encode(), text if isinstance(value, str) else NumberLiteral(text)))
    try:
        query = tool.query.parse(pairs, today=timezone.localdate())
    except InvalidParameters as error:
        errors += error.errors
    if errors:
        raise InvalidParameters(errors)
    return query


@cache
def describe_tools() -> list[dict[str, Any]]:
    """Return all tools for `tools/list`."""
    return [tool.describe() for tool in TOOLS.values()]
