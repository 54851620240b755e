"""The wire shapes that join depots and prices."""

from typing import Any

from catalog import serializers
from catalog.queries import StoreRow


def store_with_prices(row: StoreRow) -> dict[str, Any]:
    """The answer of `/stores/{id}`: a depot and its price list, which is empty without prices of the last 12 months."""
    return {**serializers.store(row), "price_list": []}
