"""Tables of the catalog: territory, depots, submissions, bulk decisions and drafts, and what is known of data sets."""

from catalog.models.batches import DepotBatch
from catalog.models.datasets import Dataset
from catalog.models.depots import Depot, DepotMerge, DepotQuerySet, NotDuplicate
from catalog.models.drafts import Draft, DraftQuerySet
from catalog.models.editing import DepotViewer, VoivodeshipClaim
from catalog.models.letters import PendingLetter
from catalog.models.owners import OwnerChange, OwnerLink, OwnerLinkQuerySet
from catalog.models.runs import ImportRun
from catalog.models.submissions import Submission, SubmissionQuerySet, SubmissionQuestion
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
    "PendingLetter",
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
