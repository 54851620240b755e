"""Tables of the catalog: territory, depots, submissions, decisions and drafts, and what is known of data sets."""

from catalog.models.decisions_and_drafts import (
    CaseComment,
    DailyLetter,
    Decision,
    DecisionLine,
    DepotViewer,
    Draft,
    VoivodeshipClaim,
)
from catalog.models.depots import Depot, DepotQuerySet, NotDuplicate
from catalog.models.letters_and_links import OwnerChange, OwnerLink, PendingLetter, Subscription, SubscriptionQuerySet
from catalog.models.submissions import GoneReport, Submission, SubmissionQuerySet, SubmissionQuestion
from catalog.models.territory_and_datasets import (
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
