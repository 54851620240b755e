import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon, shape

from catalog.territory import boundaries, coordinates
from catalog.territory.coordinates import EARTH_RADIUS_M, distance_m, medoid
from tests import factories


def number(points, weights, allowed=None):
    allowed = None if allowed is None else np.array(allowed)
    return medoid(np.array(points, float), np.array(weights), allowed)


def test_the_point_nearest_to_the_weight_of_all_the_heaviest_then_the_first():
    assert number([(3, 4)], [0]) == 0
    line = [(0, 0), (10, 0), (20, 0), (90, 0)]
    assert (number(line, [1, 1, 2, 1]), number(line, [1, 1, 1, 9])) == (2, 3)
    assert number([(0, 0), (3, 0)], [1, 1]) == 0
    assert number([(0, 0), (3, 0), (6, 0), (3, 0)], [1, 1, 1, 2]) == 3
    assert number([(0, 0), (1, 0), (2, 0), (9, 0)], [1, 1, 1, 1], [True, False, False, True]) == 0  # of those allowed


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_blocks_change_nothing(monkeypatch, block):
    monkeypatch.setattr(coordinates, "BLOCK", block)
    points = np.random.default_rng(1).normal(size=(60, 2)) * 1e4
    assert medoid(points, np.ones(60, int)) == np.hypot(*(points[:, None] - points).T).sum(axis=0).argmin()


lats = st.floats(48.8, 55.1)
lons = st.floats(13.9, 24.3)


@given(lats, lons)
def test_there_and_back(lat, lon):
    assert factories.unproject(*coordinates.project(lat, lon)) == pytest.approx((lat, lon), abs=1e-9)
    assert distance_m(lat, lon, lat, lon) == 0


@given(lats, lons, st.floats(0, 2 * math.pi), st.floats(0.0001, 0.45))
def test_plane_distance_stays_between_shrink_and_stretch(lat, lon, bearing, degrees):
    lat2 = min(55.1, max(48.8, lat + degrees * math.cos(bearing)))
    lon2 = min(24.3, max(13.9, lon + degrees * math.sin(bearing)))
    circle = distance_m(lat, lon, lat2, lon2)
    flat = math.dist(coordinates.project(lat, lon), coordinates.project(lat2, lon2))
    assert coordinates.MIN_SCALE * circle - 0.01 <= flat <= coordinates.MAX_SCALE * circle + 0.01


@given(lats, lons, lats, lons)
def test_the_chord_agrees_with_the_angle_between_vectors(lat1, lon1, lat2, lon2):
    def vector(lat, lon):
        phi, lam = math.radians(lat), math.radians(lon)
        return np.array([math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)])

    a, b = vector(lat1, lon1), vector(lat2, lon2)
    angle = math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))
    assert distance_m(lat1, lon1, lat2, lon2) == pytest.approx(angle * EARTH_RADIUS_M, abs=0.01)


def test_arrays_agree_with_single_points():
    points = [(50.0617, 19.9373), (54.5, 14.2)]
    array = coordinates.project_array(np.array([p[0] for p in points]), np.array([p[1] for p in points]))
    assert array == pytest.approx(np.array([coordinates.project(*p) for p in points]))


@pytest.mark.django_db
def test_a_point_inside_a_municipality_is_nearest_to_that_one():
    factories.BoundaryFactory()
    index = boundaries.BoundaryIndex.load()
    assert index.nearest(50.06, 19.94) == index.find(50.06, 19.94).teryt == "1261011"
    assert index.nearest(54.0, 14.0) == "1261011"


@pytest.mark.django_db
def test_an_outline_with_a_narrow_part_is_valid_when_rounded():
    x, y = coordinates.project(50.0617, 19.9373)
    # The notch from above ends 11 cm over the lower edge, while rounding moves points by half a metre.
    corners = (0, 0), (1000, 9), (1000, 1000), (550, 1000), (500, 4.61), (450, 1000), (0, 1000)
    area = Polygon([(x + across, y + along) for across, along in corners])
    assert area.is_valid
    factories.BoundaryFactory(area=shapely.to_wkb(area))
    outline = shape(boundaries.BoundaryIndex.load().outline_of("1261011").geometry)
    assert (outline.is_valid, outline.area > 0) == (True, True)
    assert all(len(repr(number).partition(".")[2]) <= boundaries.DECIMALS for number in outline.bounds)
