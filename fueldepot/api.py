"""Routes of API version 1, with the data sets that responses depend on and their cache lifetime.

Validators wrap all of DRF: a 304 is answered before any of it runs.
"""

from functools import partial
from typing import Any

from django.urls import path, re_path
from django.views.generic import RedirectView

from catalog.api.views import LocateViewSet, LocationViewSet, MunicipalityViewSet, PostcodeViewSet, StoreViewSet
from catalog.models import Dataset
from fueldepot.domain_errors import unknown_path
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.openapi.views import IndexViewSet, description, docs
from pages.heating.api import HeatingCostsViewSet
from pages.heating.costs import RESTS_ON as HEATING_DATA
from prices.api.views import FuelPriceViewSet, FullStoreViewSet, SeriesViewSet
from regulations.api.views import DeadlineViewSet, RegulationViewSet
from subsidy.api.views import SubsidyViewSet

Data = Dataset.Slug


def get(viewset: Any, action: str) -> Any:
    """Return a viewset as a view that answers GET and HEAD by one action."""
    return viewset.as_view({"get": action})


names = conditional(Data.UNITS, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, cache_control=cache_control.REGISTER)
borders = conditional(Data.UNITS, Data.BOUNDARIES, cache_control=cache_control.REGISTER)
municipalities = partial(
    conditional,
    Data.UNITS,
    Data.PLACES,
    Data.POSTCODES,
    Data.BOUNDARIES,
    Data.DEPOTS,
    cache_control=cache_control.CATALOG,
)
postcodes = conditional(Data.UNITS, Data.POSTCODES, cache_control=cache_control.REGISTER)
depots = partial(conditional, Data.UNITS, Data.POSTCODES, Data.DEPOTS, cache_control=cache_control.CATALOG)
price_list = conditional(
    Data.UNITS, Data.DEPOTS, Data.PRICES, cache_control=cache_control.CATALOG, changes_daily=True, in_outage=False
)
averages = conditional(Data.UNITS, Data.SERIES, cache_control=cache_control.REGISTER)
medians = conditional(
    Data.UNITS, Data.DEPOTS, Data.PRICES, Data.SERIES, cache_control=cache_control.CATALOG, changes_daily=True
)
laws = conditional(
    Data.UNITS, Data.POSTCODES, Data.REGULATIONS, cache_control=cache_control.CATALOG, changes_daily=True
)
heat = conditional(*HEATING_DATA, cache_control=cache_control.CATALOG, changes_daily=True)
# The rules of the subsidy are part of the release.
programme = conditional(cache_control=cache_control.CATALOG, changes_daily=True)

everything = conditional(*Data, cache_control=cache_control.CATALOG)

v1 = [
    path("locations", names(get(LocationViewSet, "list")), name="locations"),
    path("locate", borders(get(LocateViewSet, "retrieve")), name="locate"),
    path(
        "municipalities/<str:teryt>.geojson",
        municipalities()(get(MunicipalityViewSet, "area")),
        name="municipality-geojson",
    ),
    # `Accept` chooses between JSON and GeoJSON where an address has no ending.
    path(
        "municipalities/<str:teryt>",
        municipalities(vary="Accept")(get(MunicipalityViewSet, "retrieve")),
        name="municipality",
    ),
    path("municipalities", municipalities()(get(MunicipalityViewSet, "list")), name="municipalities"),
    path("postcodes/<str:code>", postcodes(get(PostcodeViewSet, "retrieve")), name="postcode"),
    path("stores", depots(vary="Accept")(get(StoreViewSet, "list")), name="stores"),
    path("stores.geojson", depots()(get(StoreViewSet, "points")), name="stores-geojson"),
    path("stores/<str:pk>", price_list(get(FullStoreViewSet, "retrieve")), name="store"),
    path("regulations", laws(get(RegulationViewSet, "list")), name="regulations"),
    path("deadlines", laws(get(DeadlineViewSet, "list")), name="deadlines"),
    path("regulations/<str:voivodeship>.ics", laws(get(RegulationViewSet, "calendar")), name="regulations-calendar"),
    # Depends on no data set, and is never cached.
    path("subsidy", SubsidyViewSet.as_view({"get": "retrieve", "post": "create"}), name="subsidy"),
    path("subsidy/limits", programme(get(SubsidyViewSet, "limits")), name="subsidy-limits"),
    path("prices", averages(get(SeriesViewSet, "retrieve")), name="prices"),
    path("prices/<str:fuel>", medians(get(FuelPriceViewSet, "retrieve")), name="fuel-prices"),
    path("openapi.json", description, name="openapi"),
    path("docs", docs, name="docs"),
    # The table of the page of the API took the place of this page in version 1.2.
    path("reference", RedirectView.as_view(pattern_name="api-rules", permanent=True)),
    path("heating-costs", heat(get(HeatingCostsViewSet, "retrieve")), name="heating-costs"),
    re_path("", unknown_path),
]

index = everything(get(IndexViewSet, "retrieve"))
