"""What people do to depots. Admin, forms and commands all call these; each is one transaction."""

from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from catalog import versions
from catalog.models import Dataset, Depot


class DepotIsRemoved(Exception):
    """A removed depot cannot be verified or removed again; restore it first."""


class DepotIsPublished(Exception):
    """The depot is public already."""


class DepotIsUnverified(Exception):
    """There is no status to take back."""


def _locked(depot: Depot) -> Depot:
    """The depot as it is now; nobody else changes it before this transaction ends."""
    return Depot.objects.select_for_update(of=("self",)).get(pk=depot.pk)


def _saved(depot: Depot) -> Depot:
    """The depot after saving it and telling caches that the catalog has changed."""
    depot.save()
    versions.raise_version(Dataset.Slug.DEPOTS)
    return depot


@transaction.atomic
def verify_depot(*, depot: Depot, by: AbstractBaseUser, on: date) -> Depot:
    """Record that an editor has checked every public field of a depot.

    An owner's confirmation stays the owner's. Imports leave verified fields alone. Raises DepotIsRemoved.
    """
    stored = _locked(depot)
    if stored.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(stored.pk)
    if stored.data_status != Depot.DataStatus.OWNER:
        stored.data_status = Depot.DataStatus.VERIFIED
    stored.publication = Depot.Publication.PUBLISHED
    stored.verified_at = on
    stored.verified_by_id = by.pk
    stored.confirmed_fields = list(Depot.PUBLIC_FIELDS)
    stored.review = ""
    return _saved(stored)


@transaction.atomic
def remove_depot(*, depot: Depot, reason: Depot.RemovalReason, on: date) -> Depot:
    """Take a depot off the catalog for good: imports do not bring it back. Raises DepotIsRemoved."""
    stored = _locked(depot)
    if stored.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(stored.pk)
    stored.publication = Depot.Publication.REMOVED
    stored.removed_at = stored.updated_at = on
    stored.removal_reason = reason
    return _saved(stored)


@transaction.atomic
def publish_depot(*, depot: Depot, on: date) -> Depot:
    """Publish a depot that was held back, or restore a removed one. Raises DepotIsPublished.

    Its name counts as confirmed from then on, so that the next import does not hold it back again.
    """
    stored = _locked(depot)
    if stored.publication == Depot.Publication.PUBLISHED:
        raise DepotIsPublished(stored.pk)
    stored.publication = Depot.Publication.PUBLISHED
    stored.removed_at, stored.removal_reason = None, ""
    stored.updated_at = on
    stored.review = ""
    stored.confirmed_fields = sorted({*stored.confirmed_fields, "name"})
    return _saved(stored)


@transaction.atomic
def reset_depot(*, depot: Depot) -> Depot:
    """Take back the status of a depot: nobody vouches for it, and imports may change it. Raises DepotIsUnverified."""
    stored = _locked(depot)
    if stored.data_status == Depot.DataStatus.UNVERIFIED:
        raise DepotIsUnverified(stored.pk)
    stored.data_status = Depot.DataStatus.UNVERIFIED
    stored.verified_at = stored.verified_by = None
    stored.confirmed_fields = []
    return _saved(stored)
