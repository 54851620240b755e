"""The short form of `/regulations` (`binding`): rules that bind, or may bind, the requested unit."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

ALWAYS = {"binds_requested_unit", "from_date"}
"""Fields of rules that stay when empty."""

ELSEWHERE = {"sources", "area", "teryt", "teryt_partly", "teryt_excluded"}
"""Fields that are left out: sources stand once in the entry, the others distinguish units."""

OF_RESOLUTION = {"title", "publication", "text"}
"""Fields of an act that the resolution repeats where the act is the only one."""

OF_NEXT_DEADLINE = ("date", "applies_to", "description", "kind", "binds_requested_unit")
"""Fields of the unit's next deadline, which stands in full among the deadlines."""


def only_binding(body: dict[str, Any]) -> dict[str, Any]:
    """Return the short form of an entry. body: of `Regulation.of_unit`, with only the rules that bind, or may bind.

    Each source stands once, in the entry; each caveat once, with the first rule of its scope. Rules and acts leave out
    empty fields and ELSEWHERE. With a single act, rules leave out a scope and caveat equal to those of the act, and the
    act leaves out OF_RESOLUTION. The nearest deadline is that of the unit, as OF_NEXT_DEADLINE.
    """
    resolution, unit = body["resolution"], body["requested_unit"]
    if resolution is None:
        return body
    rules, acts = {name: resolution[name] for name in ("deadlines", "banned_fuels")}, resolution["acts"]
    is_single = len(acts) == 1
    shared = {name: acts[0][name] for name in ("scope", "caveat")} if is_single else {}
    changes = [change for act in acts for change in act["amendments"]]
    sources = {one["url"]: one for rows in (*rules.values(), acts, changes) for row in rows for one in row["sources"]}
    following = unit["next_deadline"] and {name: unit["next_deadline"][name] for name in OF_NEXT_DEADLINE}
    return {
        **body,
        "resolution": {
            **resolution,
            "next_deadline": following,
            "deadline_status": unit["deadline_status"],
            **{name: shorten_rules(rows, shared) for name, rows in rules.items()},
            "acts": [
                {
                    **shorten(act, elsewhere=ELSEWHERE | OF_RESOLUTION if is_single else ELSEWHERE),
                    "amendments": [shorten(one) for one in act["amendments"]],
                }
                for act in acts
            ],
        },
        "requested_unit": {**unit, "next_deadline": following},
        "sources": [*sources.values()],
    }


def shorten_rules(rows: list[dict[str, Any]], shared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return rules in short: without a caveat that an earlier rule of the same scope has."""
    said: set[tuple[str, str]] = set()
    short = []
    for row in rows:
        key = row["scope"], row["caveat"]
        short.append(shorten({**row, "caveat": None} if key in said else row, shared))
        said.add(key)
    return short


def shorten(
    row: dict[str, Any], shared: Mapping[str, Any] = MappingProxyType({}), *, elsewhere: Collection[str] = ELSEWHERE
) -> dict[str, Any]:
    """Return a rule or an act without empty fields, `elsewhere`, and values equal to `shared`."""
    return {
        name: value
        for name, value in row.items()
        if name in ALWAYS
        or not (name in elsewhere or value in (None, False, []) or (name in shared and shared[name] == value))
    }
