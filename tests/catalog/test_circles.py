"""Counting depots in a circle from positions that the process holds."""

import random
from datetime import date

import numpy as np
import pytest
from catalog.queries import find_stores_near

from catalog import circles, plane, versions
from catalog.actions import remove_depot
from catalog.models import Depot
from catalog.params import Point
from tests import factories

TODAY = date(2026, 11, 21)
NOTHING = circles.arranged("", np.array([], dtype=np.int64), np.array([]), np.array([]))


@pytest.mark.parametrize("radius_m", [1_000.0, 7_300.0, 25_000.0, 50_000.0])
def test_counts_what_the_great_circle_counts(radius_m):
    draw = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    places = [(draw.uniform(49.5, 51.0), draw.uniform(19.0, 21.5)) for _ in range(3000)]
    x, y = plane.to_plane_array(*(np.array(values) for values in zip(*places, strict=True))).T
    positions = circles.arranged("", np.arange(len(x)), x, y)
    for _ in range(40):
        lat, lon = draw.uniform(49.4, 51.1), draw.uniform(18.8, 21.7)
        near = sum(plane.great_circle_m(lat, lon, *place) <= radius_m for place in places)
        assert positions.count(lat, lon, radius_m) == near


def test_the_edges_of_bands_belong_to_one_of_them():
    y = plane.to_plane(50.0, 19.0)[1]
    edge = np.floor(y / circles.BAND_M) * circles.BAND_M
    positions = circles.arranged("", np.arange(3), np.zeros(3), np.array([edge, edge + circles.BAND_M, edge - 1e-9]))
    lat, lon = plane.from_plane(0.0, float(edge))
    assert positions.count(lat, lon, 1_000.0) == 2
    assert positions.count(lat, lon, 5_000.0) == 3


def test_counts_none_where_there_are_none():
    assert NOTHING.count(50.0, 19.0, 25_000.0) == 0
    assert NOTHING.nearest(50.0, 19.0, 25_000.0, 20) == []


@pytest.mark.parametrize("limit", [1, 20, 100])
@pytest.mark.parametrize("radius_m", [1_000.0, 7_300.0, 50_000.0])
def test_the_nearest_are_among_those_found(radius_m, limit):
    draw = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    places = [(draw.uniform(49.5, 51.0), draw.uniform(19.0, 21.5)) for _ in range(3000)]
    x, y = plane.to_plane_array(*(np.array(values) for values in zip(*places, strict=True))).T
    positions = circles.arranged("", np.arange(3000), x, y)
    for _ in range(20):
        lat, lon = draw.uniform(49.4, 51.1), draw.uniform(18.8, 21.7)
        far = sorted((plane.great_circle_m(lat, lon, *place), number) for number, place in enumerate(places))
        nearest = {number for metres, number in far[:limit] if metres <= radius_m}
        found = positions.nearest(lat, lon, radius_m, limit)
        assert nearest <= set(found)
        assert len(found) <= len(nearest) + 10


@pytest.mark.django_db
def test_a_depot_that_has_gone_is_never_counted(django_assert_num_queries):
    """The process may look at the versions too late; the statement itself tells that the state is another."""
    depots = [factories.DepotFactory(lat=50.06 + step / 1000, lon=19.94) for step in range(4)]
    for slug in circles.RESTS_ON:
        versions.raise_version(slug)
    versions.forget()
    ask = {"radius_km": 5, "limit": 2}
    point = Point(50.06, 19.94)
    assert find_stores_near(point, **ask).total == 4
    with django_assert_num_queries(1):
        assert find_stores_near(point, **ask).total == 4
    assert circles.positions.current().count(50.06, 19.94, 5000.0) == 4
    remove_depot(depot=depots[3], reason=Depot.RemovalReason.CLOSED, on=TODAY)
    with django_assert_num_queries(1):
        assert find_stores_near(point, **ask).total == 3
    versions.forget()
    assert find_stores_near(point, **ask).total == 3
    assert circles.positions.current().count(50.06, 19.94, 5000.0) == 3


@pytest.mark.django_db
def test_a_list_that_is_not_cut_counts_itself(monkeypatch):
    factories.DepotFactory(lat=50.06, lon=19.94)
    for slug in circles.RESTS_ON:
        versions.raise_version(slug)
    versions.forget()
    monkeypatch.setattr(circles.Positions, "count", lambda *_: pytest.fail("counted"))
    assert find_stores_near(Point(50.06, 19.94), radius_km=5, limit=2).total == 1
