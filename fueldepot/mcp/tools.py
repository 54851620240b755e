"""The tools by name, with parameters as the API publishes them.

    call_tool("price", {"fuel": "pellet", "voivodeship": "małopolskie"})

Every answer has `answer`, `as_of`, `source`, `demonstration` and `cite`. The functions of the tools are in
`place_tools`, `price_tools` and `rule_tools`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any

from fueldepot.data import snapshot
from fueldepot.http.params import InvalidParameters, ParameterError
from fueldepot.http.params import quote as quoted
from fueldepot.mcp import place_tools, price_tools, rule_tools
from fueldepot.mcp.answers import Arguments, Findings, answer
from fueldepot.openapi import served

NOT_OF_SUBSIDY = ("html", "brief", "dochod_typ", "cost_")
"""Prefixes of the parameters of `/subsidy` that its tool does not take."""


class ToolNotFound(Exception):
    """No tool has this name."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. path: API operation whose parameters it takes; names: those parameters, required ones first.

    required: number of required names. run: takes the arguments.
    changed: what the tool's parameters have instead of the published.
    """

    name: str
    description: str
    path: str
    names: tuple[str, ...]
    required: int
    run: Callable[[Arguments], Findings]
    changed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """Return the tool for `tools/list`, with the published parameters of the API."""
        published = {one["name"]: one for one in served.document()["paths"][self.path]["get"]["parameters"]}
        names = self.names or tuple(name for name in published if not name.startswith(NOT_OF_SUBSIDY))
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {
                    name: {**describe_parameter(published[name]), **self.changed.get(name, {})} for name in names
                },
                "required": [*names[: self.required]],
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
        }


def describe_parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter with the first sentence of its description."""
    kept = ("type", "enum", "pattern", "minimum", "maximum", "default")
    schema = {name: parameter["schema"][name] for name in kept if name in parameter["schema"]}
    return schema | {"description": parameter["description"].partition(". ")[0]}


def call_tool(name: str, arguments: Arguments) -> dict[str, Any]:
    """Return the answer of a tool from one snapshot state. Raises ToolNotFound, and the errors of the API's views."""
    tool = TOOLS.get(name)
    if tool is None:
        raise ToolNotFound(name)
    check_arguments(tool, arguments)
    with snapshot.consistent():
        return answer(tool.run(arguments))


def check_arguments(tool: Tool, arguments: Arguments) -> None:
    """Raise InvalidParameters for what the parameters of the API do not refuse.

    That are unknown arguments, with the closest known one, missing ones, and those above the most that the tool gives.
    """
    known = next(one for one in describe_tools() if one["name"] == tool.name)["inputSchema"]["properties"]
    errors = []
    for name in arguments:
        if name not in known:
            nearest = get_close_matches(name, known, n=1, cutoff=0.6)
            help_text = f"did you mean {nearest[0]}?" if nearest else f"give some of {', '.join(known)}"
            message = f"{quoted(name)} is no parameter of {tool.name}; {help_text}"
            errors.append(ParameterError(name, "unknown", message))
    for name, schema in tool.changed.items():
        text = str(arguments.get(name, ""))
        if text.isdecimal() and "maximum" in schema and int(text) > schema["maximum"]:
            message = f"{name} is {quoted(text)}; {tool.name} gives at most {schema['maximum']} at once"
            errors.append(ParameterError(name, "out_of_range", f"{message}, read on with offset"))
    for name in tool.names[: tool.required]:
        if arguments.get(name) is None:
            message = f"{name} is missing; {tool.name} needs it: {known[name]['description']}"
            errors.append(ParameterError(name, "missing", message))
    if errors:
        raise InvalidParameters(errors)


@cache
def describe_tools() -> list[dict[str, Any]]:
    """Return all tools for `tools/list`."""
    return [tool.describe() for tool in TOOLS.values()]


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "find_place",
            "Find Polish municipalities, localities and postcodes by name; gives TERYT codes and coordinates.",
            "/locations",
            ("q",),
            1,
            place_tools.find_place,
        ),
        Tool(
            "depots_near",
            "Fuel depots nearest to a postcode or point, or of a municipality by TERYT, with the price of a fuel. "
            f"At most {place_tools.MOST_DEPOTS}, fewer where they are long; read on with offset from `next_offset`.",
            "/stores",
            ("postcode", "lat", "lon", "teryt", "fuel", "radius", "limit", "offset"),
            0,
            place_tools.depots_near,
            {
                "limit": {
                    "maximum": place_tools.MOST_DEPOTS,
                    "default": place_tools.USUAL_DEPOTS,
                    "description": "Most depots to give.",
                }
            },
        ),
        Tool(
            "depot",
            "One fuel depot: hours, phone, fuels, price list, status.",
            "/stores/{id}",
            ("id",),
            1,
            place_tools.get_depot,
        ),
        Tool(
            "rules_at",
            "Anti-smog rules that bind in a place, and until when a stove or boiler may be used there.",
            "/regulations",
            ("teryt", "postcode", "appliance", "on"),
            0,
            rule_tools.rules_at,
        ),
        Tool(
            "deadlines",
            "Coming deadlines of the anti-smog resolutions, the earliest first, of all voivodeships or one. "
            f"At most {rule_tools.MOST_DEADLINES}, fewer where they are long; read on with offset from `next_offset`.",
            "/deadlines",
            ("from", "to", "voivodeship", "appliance", "limit", "offset"),
            0,
            rule_tools.deadlines,
            {
                "limit": {
                    "maximum": rule_tools.MOST_DEADLINES,
                    "default": rule_tools.MOST_DEADLINES,
                    "description": "Most deadlines to give.",
                }
            },
        ),
        Tool(
            "price",
            "Current median price of a fuel in Poland or a voivodeship, from depots; never an official average.",
            "/prices/{fuel}",
            ("fuel", "voivodeship", "on"),
            1,
            price_tools.get_price,
        ),
        Tool(
            "official_average",
            "Official yearly averages of coal, electricity and gas by the statistical office GUS, the newest "
            f"{price_tools.MOST_NUMBERS} at most. Of Poland only, unless voivodeship is given.",
            "/prices",
            ("series", "year", "voivodeship"),
            0,
            price_tools.official_average,
            {"voivodeship": {"description": "Name, slug or 2-digit TERYT code; without it Poland only."}},
        ),
        Tool(
            "subsidy",
            "Indicative clean-air subsidy (Czyste Powietrze) for a household and its plan. Nothing is kept.",
            "/subsidy",
            (),
            0,
            rule_tools.get_subsidy,
        ),
    )
}
"""Every tool by its name."""
