"""Tables of the catalog: territory, depots, what strangers ask about them, and what is known of each data set."""

from catalog.models.datasets import Dataset
from catalog.models.depots import Depot, DepotMerge, DepotQuerySet, DistinctPair
from catalog.models.requests import DepotRequest, DepotRequestQuerySet
from catalog.models.runs import ImportRun
from catalog.models.territory import (
    Boundary,
    County,
    FormerMunicipality,
    Municipality,
    Place,
    Postcode,
    PostcodeMunicipality,
    SearchEntry,
    Voivodeship,
)

__all__ = [
    "Boundary",
    "County",
    "Dataset",
    "Depot",
    "DepotMerge",
    "DepotQuerySet",
    "DepotRequest",
    "DepotRequestQuerySet",
    "DistinctPair",
    "FormerMunicipality",
    "ImportRun",
    "Municipality",
    "Place",
    "Postcode",
    "PostcodeMunicipality",
    "SearchEntry",
    "Voivodeship",
]
