"""Prices of demonstration depots, which are deleted with their depots."""

from catalog.importers.runner import record_change
from catalog.models import Dataset
from prices.models import DepotPrice
from prices.services import PUBLISHER


def recount_prices() -> None:
    """Record the number of remaining prices, after demonstration depots were deleted. A query and a count."""
    record_change(Dataset.Slug.PRICES, {PUBLISHER: None}, model=DepotPrice)
