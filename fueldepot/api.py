"""Routes of version 1 of the API, and for each the data sets its answers depend on and how long caches may keep them.

The validator goes around the whole of DRF: who has the answer already hears so before any of it runs.
"""

from typing import Any

from django.urls import path, re_path

from catalog.models import Dataset
from catalog.viewsets import LocateViewSet, LocationViewSet, StoreViewSet
from fueldepot.errors import unknown_path
from fueldepot.http import cache_control
from fueldepot.http.conditional import conditional
from fueldepot.openapi.views import description, docs
from prices.viewsets import FuelPriceViewSet, FullStoreViewSet, SeriesViewSet
from regulations.viewsets import RegulationViewSet
from subsidy.viewsets import SubsidyViewSet

Data = Dataset.Slug


def get(viewset: Any, action: str) -> Any:
    """A viewset as a view that answers GET (and so HEAD) by one action."""
    return viewset.as_view({"get": action})


names = conditional(Data.UNITS, Data.PLACES, Data.POSTCODES, cache_control=cache_control.REGISTER)
borders = conditional(Data.UNITS, Data.BOUNDARIES, cache_control=cache_control.REGISTER)
depots = conditional(Data.UNITS, Data.POSTCODES, Data.DEPOTS, cache_control=cache_control.CATALOG, vary="Accept")
price_lists = conditional(Data.UNITS, Data.DEPOTS, Data.PRICES, cache_control=cache_control.CATALOG, changes_daily=True)
averages = conditional(Data.UNITS, Data.SERIES, cache_control=cache_control.REGISTER)
medians = conditional(
    Data.UNITS, Data.DEPOTS, Data.PRICES, Data.SERIES, cache_control=cache_control.CATALOG, changes_daily=True
)
laws = conditional(
    Data.UNITS, Data.POSTCODES, Data.REGULATIONS, cache_control=cache_control.CATALOG, changes_daily=True
)

v1 = [
    path("locations", names(get(LocationViewSet, "list")), name="locations"),
    path("locate", borders(get(LocateViewSet, "list")), name="locate"),
    path("stores", depots(get(StoreViewSet, "list")), name="stores"),
    path("stores/<str:pk>", price_lists(get(FullStoreViewSet, "retrieve")), name="store"),
    path("regulations", laws(get(RegulationViewSet, "list")), name="regulations"),
    path("regulations/<str:voivodeship>.ics", laws(get(RegulationViewSet, "calendar")), name="regulations-calendar"),
    # Depends on no data set, and no cache may keep the answer.
    path("subsidy", SubsidyViewSet.as_view({"get": "retrieve", "post": "create"}), name="subsidy"),
    path("prices", averages(get(SeriesViewSet, "list")), name="prices"),
    path("prices/<str:fuel>", medians(get(FuelPriceViewSet, "retrieve")), name="fuel-prices"),
    path("openapi.json", description, name="openapi"),
    path("docs", docs, name="docs"),
    re_path("", unknown_path),
]
