"""The correction form over real depots: an unchanged form is valid and proposes nothing."""

from datetime import timedelta
from unittest.mock import Mock

import pytest

from catalog.importers.parsers import osm_tags
from catalog.importers.sync_depots import plain_values
from catalog.models import Depot
from catalog.submissions import field_groups
from pages.forms.base_and_prices import InvalidFormToken
from pages.forms.depot import CorrectForm
from tests.factories import NOW

pytestmark = [pytest.mark.full_scale, pytest.mark.slow]


def test_a_form_that_is_sent_back_as_it_was_shown(shared_data, monkeypatch):
    monkeypatch.setattr("time.time", NOW.timestamp)
    # These depots have no history to look up what the page showed.
    monkeypatch.setattr("pages.forms.depot.read_form_token", Mock(side_effect=InvalidFormToken))
    records = list(osm_tags.parse_overpass(shared_data / "depots.overpass.json").rows)
    assert len(records) > 5000
    for record in records:
        depot = Depot(pk=1, source="osm", municipality_id="1261011", **plain_values(record))
        shown = CorrectForm(depot=depot, path="/x/", on=NOW - timedelta(minutes=1))
        typed = {field.name: field.value() for field in shown if field.value() is not None}
        sent = CorrectForm(typed | {"stamp": shown.form_token, "email": "jan@opal.pl"}, depot=depot, path="/x/", on=NOW)
        assert sent.is_valid(), (record.source_id, sent.errors)
        assert field_groups.changes(field_groups.values_of(depot), sent.wanted()) == {}, record.source_id
        if record.hours is not None:
            assert sent.cleaned_data["hours"] == record.hours, record.source_id
