"""What tests of prices share."""

from typing import Any

import orjson

from catalog import fuels
from fueldepot.data import snapshot
from prices.queries import fuel_prices


def ask(fuel: str, today: Any, *, voivodeship: str | None = None, values: bool = False) -> dict[str, Any]:
    """The answer of `/prices/{fuel}` on a day, of the rows that there are now."""
    snapshot.invalidate()
    answer = fuel_prices(fuels.BY_SLUG[fuel], on=today, voivodeship=voivodeship, values=values)
    read: dict[str, Any] = orjson.loads(orjson.dumps(answer))
    return read
