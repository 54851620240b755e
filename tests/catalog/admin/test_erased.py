"""Entries that are erased between the reading of a page's row and its writing."""

import pytest
from django.urls import reverse

from catalog.models import Depot, Submission
from catalog.submissions.decisions import SubmissionIsErased
from tests import bulk, factories
from tests.bulk import before_locking
from tests.client import message_of
from tests.deciding import page

pytestmark = pytest.mark.django_db


def erased_meanwhile(model):
    """A context in which the rows vanish before the first lock, as `remove_demo` takes depots away."""
    return before_locking(lambda: model.objects.all()._raw_delete("default"))


def test_the_form_of_an_entry_that_vanishes_leads_where_one_that_is_gone_does_and_its_mark_is_not_found(client, editor):
    for name, typed in (
        ("change", {"name": "X", "lat": "50.0617", "lon": "19.9373", "opened": "1"}),
        ("viewing", {}),
    ):
        depot = factories.DepotFactory()
        with erased_meanwhile(Depot):
            answer = client.post(reverse(f"admin:catalog_depot_{name}", args=[depot.pk]), typed)
        assert answer.status_code == 404 if name == "viewing" else "Nie ma takiego wpisu" in message_of(answer)


@pytest.mark.parametrize("reason", ["", "Nieaktualne."])
def test_of_a_submission_that_vanishes_with_its_entry_the_editor_learns_why_nothing_was_decided(client, editor, reason):
    submission = factories.SubmissionFactory()
    decision = "reject" if reason else "accept"
    with erased_meanwhile(Submission):
        answer = client.post(page(submission), {"decision": decision, "groups": ["phone"], "reason": reason})
    said = message_of(answer)
    assert said == f"Nic nie zmieniono. Zgłoszenie nr {submission.pk}: {SubmissionIsErased.reason}."


def test_of_several_that_vanish_each_is_named(client, editor):
    listing = reverse("admin:catalog_submission_changelist")
    rows = [factories.SubmissionFactory() for _ in range(2)]
    with erased_meanwhile(Submission):
        text = message_of(bulk.act(client, listing, "reject", *rows))
    gone = "; ".join(f"nr {row.pk}: {SubmissionIsErased.reason}" for row in rows)
    assert f"Bez zmian: {gone}" in text
