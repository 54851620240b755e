"""Tables of the catalog: territory, depots, submissions, decisions and drafts, and what is known of data sets."""

from catalog.models.datasets import Dataset, ImportRun
from catalog.models.decisions import Decision, DecisionLine
from catalog.models.depots import Depot, DepotQuerySet, NotDuplicate
from catalog.models.drafts import Draft, DraftQuerySet
from catalog.models.editing import DepotViewer, VoivodeshipClaim
from catalog.models.letters import PendingLetter
from catalog.models.owners import OwnerChange, OwnerLink, OwnerLinkQuerySet
from catalog.models.reports import GoneReport, GoneReportQuerySet
from catalog.models.submissions import Submission, SubmissionQuerySet, SubmissionQuestion
from catalog.models.subscriptions import Subscription, SubscriptionQuerySet
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
    "Decision",
    "DecisionLine",
    "Depot",
    "DepotQuerySet",
    "DepotViewer",
    "Draft",
    "DraftQuerySet",
    "FormerMunicipality",
    "GoneReport",
    "GoneReportQuerySet",
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
    "Subscription",
    "SubscriptionQuerySet",
    "Voivodeship",
    "VoivodeshipClaim",
]
