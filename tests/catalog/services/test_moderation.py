"""What people do to depots."""

from datetime import date

import pytest

from catalog.models import Depot
from catalog.services import moderation, publishing
from tests import factories

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 21)


def test_verifying_records_who_when_and_every_field():
    editor = factories.UserFactory()
    depot = moderation.verify_depot(depot=factories.DepotFactory(review="bez nazwy"), by=editor, on=TODAY)
    assert (depot.data_status, depot.verified_at, depot.verified_by) == ("verified", TODAY, editor)
    assert set(depot.confirmed_fields) == set(Depot.PUBLIC_FIELDS)
    assert depot.review == ""


def test_an_owners_confirmation_stays_the_owners():
    editor = factories.UserFactory()
    depot = factories.DepotFactory(data_status="owner", verified_at=date(2026, 1, 1), verified_by=editor)
    assert moderation.verify_depot(depot=depot, by=editor, on=TODAY).data_status == "owner"


def test_verifying_a_held_depot_publishes_it():
    depot = moderation.verify_depot(depot=factories.DepotFactory(held=True), by=factories.UserFactory(), on=TODAY)
    assert depot.publication == "published"


def test_a_removed_depot_can_neither_be_verified_nor_removed_again():
    depot = factories.DepotFactory(removed=True)
    with pytest.raises(moderation.DepotIsRemoved):
        moderation.verify_depot(depot=depot, by=factories.UserFactory(), on=TODAY)
    with pytest.raises(moderation.DepotIsRemoved):
        moderation.remove_depot(depot=depot, reason=Depot.RemovalReason.CLOSED, on=TODAY)


def test_taking_the_status_back_frees_the_fields():
    depot = moderation.revoke_verification(depot=factories.DepotFactory(verified=True))
    assert (depot.data_status, depot.verified_at, depot.verified_by, depot.confirmed_fields) == (
        "unverified",
        None,
        None,
        [],
    )
    with pytest.raises(moderation.DepotIsUnverified):
        moderation.revoke_verification(depot=depot)


def test_removing_and_restoring():
    depot = moderation.remove_depot(depot=factories.DepotFactory(), reason=Depot.RemovalReason.CLOSED, on=TODAY)
    assert (depot.publication, depot.removed_at, depot.removal_reason) == ("removed", TODAY, "closed")
    depot = publishing.publish_depot(depot=depot, on=TODAY, note="działa dalej")
    assert (depot.publication, depot.removed_at, depot.removal_reason) == ("published", None, "")
    with pytest.raises(moderation.DepotIsPublished):
        publishing.publish_depot(depot=depot, on=TODAY)
