"""Tables of the catalog: territory, depots, submissions, decisions and drafts, and what is known of data sets."""

from catalog.models.decisions import Decision, DecisionLine, DepotViewer, Draft, DraftQuerySet, VoivodeshipClaim
from catalog.models.depots import Depot, DepotQuerySet, NotDuplicate
from catalog.models.letters import (
    OwnerChange,
    OwnerLink,
    OwnerLinkQuerySet,
    PendingLetter,
    Subscription,
    SubscriptionQuerySet,
)
from catalog.models.submissions import (
    GoneReport,
    GoneReportQuerySet,
    Submission,
    SubmissionQuerySet,
    SubmissionQuestion,
)
from catalog.models.territory import (
    Boundary,
    County,
    Dataset,
    FormerMunicipality,
    ImportRun,
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
