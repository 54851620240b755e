"""Tables of the catalog: territory, depots, submissions, bulk decisions and drafts, and what is known of data sets."""

from catalog.models.batches import DepotBatch
from catalog.models.claims import VoivodeshipClaim
from catalog.models.datasets import Dataset
from catalog.models.depots import Depot, DepotMerge, DepotQuerySet, NotDuplicate
from catalog.models.drafts import Draft, DraftQuerySet
from catalog.models.owners import OwnerChange, OwnerLink, OwnerLinkQuerySet
from catalog.models.questions import SubmissionQuestion
from catalog.models.runs import ImportRun
from catalog.models.submissions import Submission, SubmissionQuerySet
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
from catalog.models.viewers import DepotViewer

__all__ = [
    "Boundary",
    "County",
    "Dataset",
    "Depot",
    "DepotBatch",
    "DepotMerge",
    "DepotQuerySet",
    "DepotViewer",
    "Draft",
    "DraftQuerySet",
    "FormerMunicipality",
    "ImportRun",
    "Municipality",
    "NotDuplicate",
    "OwnerChange",
    "OwnerLink",
    "OwnerLinkQuerySet",
    "Place",
    "Postcode",
    "PostcodeMunicipality",
    "SearchEntry",
    "Submission",
    "SubmissionQuerySet",
    "SubmissionQuestion",
    "Voivodeship",
    "VoivodeshipClaim",
]
