"""Admin of prices: moderation queue, price lists, plausible ranges. `prices.services` writes all changes."""

from prices.admin.prices import DepotPriceAdmin, ObservationAdmin, SeriesAdmin
from prices.admin.visits import PlausibleRangeAdmin, VisitAdmin

__all__ = ["DepotPriceAdmin", "ObservationAdmin", "PlausibleRangeAdmin", "SeriesAdmin", "VisitAdmin"]
