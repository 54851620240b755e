"""Boundaries: official ones replace guesses, and depots follow."""

import pytest

from catalog import models
from catalog.importers.records import BoundaryRecord, Extract
from catalog.importers.sync_places import sync_boundaries
from tests import factories

pytestmark = pytest.mark.django_db


def record(municipality, lat, lon, side_km=10.0):
    return BoundaryRecord(municipality.teryt, municipality.name, factories.square(lat, lon, side_km))


def test_second_run_finds_nothing(options):
    rows = (record(factories.krakow(), 50.06, 19.94),)
    assert sync_boundaries(Extract(rows), options).added == 1
    assert sync_boundaries(Extract(rows), options).changes == 0


def test_official_boundaries_replace_the_guessed_ones(options):
    krakow, zakopane = factories.krakow(), factories.zakopane()
    for municipality in (krakow, zakopane):
        factories.BoundaryFactory(municipality=municipality, approximate=True)
    report = sync_boundaries(Extract((record(krakow, 50.06, 19.94),)), options)
    assert (report.changed, report.removed) == (1, 1)
    assert "without a boundary: 1217011" in report.lines
    assert [b.approximate for b in models.Boundary.objects.all()] == [False]


def test_a_file_of_one_voivodeship_leaves_the_others(options):
    krakow, bielsko = factories.krakow(), factories.bielsko_biala()
    sync_boundaries(Extract((record(krakow, 50.06, 19.94),)), options)
    report = sync_boundaries(Extract((record(bielsko, 49.82, 19.05),)), options)
    assert (report.added, report.removed) == (1, 0)
    assert models.Boundary.objects.count() == 2


def test_unknown_codes_are_rejected(options):
    rows = (BoundaryRecord("9999999", "Nigdzie", factories.square(50, 20, 1)),)
    assert sync_boundaries(Extract(rows), options).rejected[0].key == "9999999 Nigdzie"


def test_depots_move_into_the_municipality_they_lie_in(options):
    krakow, zakopane = factories.krakow(), factories.zakopane()
    moved = factories.DepotFactory(municipality=zakopane)
    kept = factories.DepotFactory(municipality=zakopane, verified=True)
    report = sync_boundaries(Extract((record(krakow, 50.0617, 19.9373),)), options)
    moved.refresh_from_db()
    kept.refresh_from_db()
    assert (moved.municipality_id, moved.updated_at) == ("1261011", options.today)
    assert kept.municipality_id == "1217011"
    assert any(str(moved.pk) in line for line in report.lines)
    assert models.Dataset.objects.get(slug="depots").version == 1
