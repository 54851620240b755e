"""Tables of the catalog: territory, depots, submissions, decisions and drafts, and what is known of data sets."""

from typing import cast

from django.db.models import CharField, Model

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


def max_length(model: type[Model], name: str) -> int:
    """Longest value of a text field, in characters. Forms and services take it from here."""
    return cast("int", cast("CharField[str, str]", model._meta.get_field(name)).max_length)
