"""Routes of version 1 of the API."""

from typing import Any

from django.urls import path, re_path

from catalog.viewsets import LocateViewSet, LocationViewSet, StoreViewSet
from fueldepot.errors import unknown_path
from fueldepot.openapi.views import description, docs
from prices.viewsets import FuelPriceViewSet, FullStoreViewSet, SeriesViewSet
from regulations.viewsets import RegulationViewSet
from subsidy.viewsets import SubsidyViewSet


def get(viewset: Any, action: str) -> Any:
    """A viewset as a view that answers GET (and so HEAD) by one action."""
    return viewset.as_view({"get": action})


v1 = [
    path("locations", get(LocationViewSet, "list"), name="locations"),
    path("locate", get(LocateViewSet, "list"), name="locate"),
    path("stores", get(StoreViewSet, "list"), name="stores"),
    path("stores/<str:pk>", get(FullStoreViewSet, "retrieve"), name="store"),
    path("regulations", get(RegulationViewSet, "list"), name="regulations"),
    path("regulations/<str:voivodeship>.ics", get(RegulationViewSet, "calendar"), name="regulations-calendar"),
    path("subsidy", SubsidyViewSet.as_view({"get": "retrieve", "post": "create"}), name="subsidy"),
    path("prices", get(SeriesViewSet, "list"), name="prices"),
    path("prices/<str:fuel>", get(FuelPriceViewSet, "retrieve"), name="fuel-prices"),
    path("openapi.json", description, name="openapi"),
    path("docs", docs, name="docs"),
    re_path("", unknown_path),
]
