"""Municipalities of points."""

import pytest
import shapely
from shapely.geometry import Polygon, shape

from catalog.territory import boundaries, coordinates
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_point_inside_a_municipality_is_nearest_to_that_one():
    factories.BoundaryFactory()
    index = boundaries.BoundaryIndex.load()
    assert index.nearest(50.06, 19.94) == index.find(50.06, 19.94).teryt == "1261011"
    assert index.nearest(54.0, 14.0) == "1261011"


def test_an_outline_with_a_narrow_part_is_valid_when_rounded():
    x, y = coordinates.project(50.0617, 19.9373)
    # The notch from above ends 11 cm over the lower edge, while rounding moves points by half a metre.
    corners = (0, 0), (1000, 9), (1000, 1000), (550, 1000), (500, 4.61), (450, 1000), (0, 1000)
    area = Polygon([(x + across, y + along) for across, along in corners])
    assert area.is_valid
    factories.BoundaryFactory(area=shapely.to_wkb(area))
    outline = shape(boundaries.BoundaryIndex.load().outline_of("1261011").geometry)
    assert outline.is_valid
    assert all(len(repr(number).partition(".")[2]) <= boundaries.DECIMALS for number in outline.bounds)
