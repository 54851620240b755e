"""Pages of prices, each also as of a past day: all fuels, one fuel in Poland, one fuel in a voivodeship.

Median, number and arithmetic come from the API's responses, changes and series from the same snapshot.
"""

from pages.prices.country import FuelPricesPage, fuel_prices_page
from pages.prices.index import PricesPage, index_page
from pages.prices.official import OfficialPricesPage, official_page
from pages.prices.shared import PER_UNIT
from pages.prices.voivodeship import VoivodeshipPricesPage, voivodeship_prices_page

__all__ = [
    "PER_UNIT",
    "FuelPricesPage",
    "OfficialPricesPage",
    "PricesPage",
    "VoivodeshipPricesPage",
    "fuel_prices_page",
    "index_page",
    "official_page",
    "voivodeship_prices_page",
]
