"""Tables of the catalog, in three groups: territory, depots, and what is known of each data set."""

from catalog.models.datasets import Dataset
from catalog.models.depots import Depot, DepotQuerySet
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
    ShortFragment,
    Voivodeship,
)

__all__ = [
    "Boundary",
    "County",
    "Dataset",
    "Depot",
    "DepotQuerySet",
    "FormerMunicipality",
    "ImportRun",
    "Municipality",
    "Place",
    "Postcode",
    "PostcodeMunicipality",
    "SearchEntry",
    "ShortFragment",
    "Voivodeship",
]
