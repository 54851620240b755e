"""What edits a depot refuses names that it does not know, instead of dropping them."""

from datetime import UTC, date, datetime

import pytest

from catalog.models import Depot, Submission
from catalog.services import editing, merging
from catalog.submissions import intake
from tests import factories, texts

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize("name", ["websit", "hours", "data_status"])
def test_an_unknown_field_is_refused_and_nothing_is_saved(name):
    depot, editor = factories.DepotFactory(), factories.UserFactory()
    values = {"phone": "+48 601 234 567", name: "x"}
    with pytest.raises(ValueError, match=f"unknown fields: {name};"):
        editing.edit_depot(depot=depot, values=values, by=editor, on=TODAY)
    with pytest.raises(ValueError, match=f"unknown fields: {name};"):
        editing.add_depot(values=values, by=editor, on=TODAY)
    assert Depot.objects.get().phone == ""


def test_a_text_longer_than_its_column_is_refused_and_nothing_is_saved():
    depot, editor = factories.DepotFactory(), factories.UserFactory()
    for name in texts.LIMITS:
        values = {"house_number": "7", name: texts.too_long(name)}
        with pytest.raises(editing.ValueRefused):
            editing.edit_depot(depot=depot, values=values, by=editor, on=TODAY)
        with pytest.raises(editing.ValueRefused):
            editing.add_depot(values=values, by=editor, on=TODAY)
        assert Depot.objects.get().house_number == ""
    longest = {name: texts.longest(name) for name in texts.LIMITS}
    editing.edit_depot(depot=depot, values=longest, by=editor, on=TODAY)
    assert Depot.objects.values(*longest).get() == longest


def test_an_unknown_field_to_take_is_refused():
    one, other = factories.DepotFactory(), factories.DepotFactory()
    with pytest.raises(ValueError, match="unknown fields: phon;"):
        merging.merge_depots(survivor=one, loser=other, take=["phon"], by=factories.UserFactory(), on=TODAY)
    assert not Depot.objects.filter(publication="removed").exists()


def test_an_unknown_field_of_a_correction_is_refused():
    author = intake.Author(email="a@example.pl", role="", client="192.0.2.1")
    with pytest.raises(ValueError, match="unknown fields: websit;"):
        intake.create_submission(
            parts=[
                intake.SubmissionPart(
                    Submission.Kind.CORRECT, {"phone": "+48 601 234 567", "websit": "https://opal.pl/"}
                )
            ],
            depot=factories.DepotFactory(),
            author=author,
            on=datetime(2026, 11, 21, tzinfo=UTC),
        )
    assert not Submission.objects.exists()
