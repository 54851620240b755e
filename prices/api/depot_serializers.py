"""Serializers of a depot with its price list."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rest_framework.serializers import ChoiceField, DateField, FloatField, Serializer

from catalog.api.serializers import StoreSerializer
from catalog.depots import fuels
from catalog.depots.snapshot import DepotRow
from prices.api.series_serializers import number
from prices.snapshot import PRICE_LIST_MONTHS, ListedPrice

UNIT_HELP = "What a price is per: `t` a tonne, `mp` a stacked cubic metre."


class PriceListItemSerializer(Serializer[ListedPrice]):
    """The newest price of a fuel at a depot. Confirm it at the depot."""

    fuel = ChoiceField(list(fuels.BY_SLUG), help_text="Slug of the fuel.", style={"example": "pellet"})
    name = ChoiceField(
        [fuel.name for fuel in fuels.FUELS], help_text="Display name of the fuel.", style={"example": "Pellet"}
    )
    price = FloatField(min_value=0, help_text="Price per unit. In zł.", style={"example": 1650.0})
    unit = ChoiceField(list(fuels.UNIT_NAMES), help_text=UNIT_HELP, style={"example": "t"})
    unit_name = ChoiceField(
        list(fuels.UNIT_NAMES.values()), help_text="Polish name of the unit.", style={"example": "tona"}
    )
    date = DateField(help_text="Day of the price.", style={"example": "2026-10-03"})

    def to_representation(self, instance: ListedPrice) -> dict[str, Any]:
        """Return the fields of a price."""
        return price_list_item(instance)


def price_list_item(listed: ListedPrice) -> dict[str, Any]:
    """Return the fields of `PriceListItemSerializer`; MCP tools use them too."""
    fuel = fuels.BY_SLUG[listed.fuel]
    return {
        "fuel": fuel.slug,
        "name": fuel.name,
        "price": number(listed.price),
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "date": listed.day,
    }


class PricedDepot(NamedTuple):
    """A depot and its newest prices."""

    depot: DepotRow
    prices: Sequence[ListedPrice]


class FullStoreSerializer(StoreSerializer):
    """A fuel depot with its price list."""

    price_list = PriceListItemSerializer(
        many=True,
        help_text=f"The newest approved price of each fuel from the last {PRICE_LIST_MONTHS} months; empty without "
        "any.",
    )

    def to_representation(self, instance: PricedDepot) -> dict[str, Any]:  # type: ignore[override]
        """Return the fields of a depot and its price list."""
        return {
            **super().to_representation((instance.depot, None)),
            "price_list": [price_list_item(price) for price in instance.prices],
        }
