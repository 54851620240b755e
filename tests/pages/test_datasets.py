"""The table of sources on /dane/."""

from datetime import timedelta

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from catalog.importers import freshness
from catalog.importers.records import Report
from catalog.importers.runner import record
from catalog.models import Depot, ImportRun
from tests import factories
from tests.pages.reading import missing

pytestmark = pytest.mark.django_db


def test_every_source_says_when_it_was_last_found_current(django_assert_num_queries):
    now = timezone.now()
    origin = {"source": "osm-depots", "dataset": "depots"}
    record(origin, ImportRun.Outcome.IMPORTED, started=now, report=Report("depots", added=7))
    ImportRun.objects.update(started=now - timedelta(days=20), finished=now - timedelta(days=20))
    record(origin, ImportRun.Outcome.FAILED, started=now, message="node/1 does not answer")
    with django_assert_num_queries(1):
        states = freshness.last_runs()
    late = [state for state in states if state.is_overdue(timezone.localdate())]
    html = render_to_string("pages/_runs.html", {"runs": states, "overdue": late})
    assert html.count("<tr>") == 1 + len(states)
    row = next(part for part in html.split("<tr>") if "OpenStreetMap, składy opału" in part)
    assert not missing(row, 'data-label="Wiersze">7</td>', "nie udało się pobrać", "<strong>zaległe</strong>")
    assert f'datetime="{timezone.localdate() - timedelta(days=20)}"' in row
    assert "does not answer" not in html
    assert html.count("jeszcze nie") == len(states) - 1
    assert html.count("zaległe") == 1


def test_an_address_among_the_origins_may_break(client):
    """The text of a link breaks anywhere, see site.css: on a phone the table stays as wide as its window."""
    factories.DepotFactory(source=Depot.Source.OSM)
    row = client.get("/dane/").content.decode().partition('id="pochodzenie"')[2]
    assert '<a href="https://www.openstreetmap.org/copyright"' in row.partition("</tr></tbody>")[0]
