"""Tables of prices: averages of the statistical office, and prices of depots."""

from prices.models.depot_prices import DepotPrice, DepotPriceQuerySet, PlausibleRange
from prices.models.series import Observation, Series

__all__ = ["DepotPrice", "DepotPriceQuerySet", "Observation", "PlausibleRange", "Series"]
