"""Entries that are erased between the reading of a page's row and its writing."""

import pytest
from django.urls import reverse

from catalog.models import Depot, Submission
from catalog.submissions.decisions import SubmissionIsErased
from tests import bulk, factories
from tests.bulk import before_locking
from tests.deciding import page
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db

GONE = "Nie ma takiego wpisu"


def erased_meanwhile():
    """A context in which the depots vanish before the first lock, as `remove_demo` takes them away."""
    return before_locking(lambda: Depot.objects.all()._raw_delete("default"))


def submissions_erased_meanwhile():
    return before_locking(lambda: Submission.objects.all()._raw_delete("default"))


def url_of(page, depot):
    return reverse(f"admin:catalog_{page}", args=[depot.pk])


def test_the_form_of_an_entry_that_vanishes_leads_where_one_that_is_gone_does(client, editor):
    depot = factories.DepotFactory()
    data = {"name": "Nowa nazwa", "lat": "50.0617", "lon": "19.9373", "opened": "1"}
    with erased_meanwhile():
        answer = client.post(url_of("depot_change", depot), data, follow=True)
    assert GONE in answer.content.decode()


def test_the_mark_of_an_entry_that_vanishes_is_not_found(client, editor):
    depot = factories.DepotFactory()
    with erased_meanwhile():
        assert client.post(url_of("depot_viewing", depot)).status_code == 404


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_of_a_submission_that_vanishes_with_its_entry_the_editor_learns_why_nothing_was_decided(
    client, editor, decision
):
    submission = factories.SubmissionFactory()
    with submissions_erased_meanwhile():
        typed = {"decision": decision, "groups": ["phone"], "reason": "Nieaktualne." if decision == "reject" else ""}
        answer = client.post(page(submission), typed, follow=True)
    text = text_of(answer)
    assert f"Nic nie zmieniono. Zgłoszenie nr {submission.pk}: {SubmissionIsErased.reason}." in text
    assert "Zdecydowano" not in text


def test_of_several_that_vanish_each_is_named(client, editor):
    listing = reverse("admin:catalog_submission_changelist")
    rows = [factories.SubmissionFactory() for _ in range(2)]
    with submissions_erased_meanwhile():
        text = text_of(bulk.act(client, listing, "reject", *rows))
    gone = "; ".join(f"nr {row.pk}: {SubmissionIsErased.reason}" for row in rows)
    assert f"Bez zmian: {gone}" in text
