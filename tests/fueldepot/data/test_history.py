"""Histories of many rows at once."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog.models import Depot
from fueldepot.data import history
from fueldepot.data.history import Span
from tests.factories import DepotFactory, krakow

pytestmark = pytest.mark.django_db


def test_looking_for_rows_as_a_decision_left_them_does_not_compare_each_row_with_each():
    depots = Depot.objects.bulk_create(DepotFactory.build_batch(50, municipality=krakow()))
    written = history.record_bulk(Depot, [depot.pk for depot in depots], by=None, reason="import")
    Depot.objects.filter(pk=depots[0].pk).update(name="Inny")
    with CaptureQueriesContext(connection) as queries:
        untouched = history.find_untouched(Depot, [Span(number, number) for number in written])
    assert {*untouched} == {depot.pk for depot in depots[1:]}
    with connection.cursor() as cursor:
        # For few rows it may choose a loop; for many it needs another way, which not every condition leaves it.
        cursor.execute("SET LOCAL enable_nestloop = off")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {queries[-1]['sql']}")
        plan = cursor.fetchone()[0][0]["Plan"]
    assert removed_by_joins(plan) < len(depots)


def test_rows_of_bulk_changes_have_the_clock_of_saved_ones(monkeypatch):
    """The clock of the database may be behind."""
    later = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: later)
    depot = DepotFactory()
    history.record_bulk(Depot, [depot.pk], by=None, reason="import")
    assert [row.history_type for row in depot.history.all()] == [history.CHANGED, history.CREATED]
    assert {row.history_date for row in depot.history.all()} == {later}


def removed_by_joins(node):
    """How many pairs of rows a plan has formed and then dropped."""
    own = node.get("Rows Removed by Join Filter", 0) * node["Actual Loops"]
    return own + sum(map(removed_by_joins, node.get("Plans", ())))
