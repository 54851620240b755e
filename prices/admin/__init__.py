"""Admin of prices: moderation queue, price lists, plausible ranges. `prices.services` writes all changes."""

from catalog.admin.batches import BATCH_TABLES, BatchTable
from catalog.models import DepotBatch
from prices.admin.price_lists import words_of_undoing
from prices.admin.prices import DepotPriceAdmin, ObservationAdmin, SeriesAdmin, find_decided
from prices.admin.ranges import PlausibleRangeAdmin
from prices.admin.visits import VisitAdmin

__all__ = ["DepotPriceAdmin", "ObservationAdmin", "PlausibleRangeAdmin", "SeriesAdmin", "VisitAdmin"]

BATCH_TABLES[DepotBatch.About.PRICES] = BatchTable(
    "prices.change_depotprice", ("Cena", "Skład", "Pochodzenie", "Stan"), find_decided, words_of_undoing
)
