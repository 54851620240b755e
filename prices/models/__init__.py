"""Tables of prices, in two groups: what the statistical office publishes, and what depots ask."""

from prices.models.depot_prices import DepotPrice, DepotPriceQuerySet, Figure, PlausibleRange
from prices.models.series import Observation, Series

__all__ = ["DepotPrice", "DepotPriceQuerySet", "Figure", "Observation", "PlausibleRange", "Series"]
