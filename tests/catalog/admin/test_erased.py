"""Entries that are erased between the reading of a page's row and its writing."""

import pytest
from django.urls import reverse

from catalog.models import Depot
from tests import factories
from tests.bulk import before_locking

pytestmark = pytest.mark.django_db

GONE = "Nie ma takiego wpisu"


def erased_meanwhile():
    """A context in which the depots vanish before the first lock, as `remove_demo` takes them away."""
    return before_locking(lambda: Depot.objects.all()._raw_delete("default"))


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
