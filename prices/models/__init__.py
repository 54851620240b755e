"""Tables of prices, in two groups: what the statistical office publishes, and what depots ask."""

from prices.models.depot_prices import DepotPrice, DepotPriceQuerySet, PlausibleRange
from prices.models.series import Observation, Series

__all__ = ["DepotPrice", "DepotPriceQuerySet", "Observation", "PlausibleRange", "Series"]
