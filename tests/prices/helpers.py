"""What tests of prices share."""

from typing import Any

import orjson

from catalog import fuels
from prices import figures


def ask(fuel: str, today: Any, *, voivodeship: str | None = None, values: bool = False) -> dict[str, Any]:
    """The answer of `/prices/{fuel}` on a day."""
    body = figures.read(fuels.BY_SLUG[fuel], voivodeship=voivodeship, values=values, today=today)
    answer: dict[str, Any] = orjson.loads(body)
    return answer
