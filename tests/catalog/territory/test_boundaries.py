"""Municipalities of points."""

import pytest

from catalog.territory import boundaries
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_point_inside_a_municipality_is_nearest_to_that_one():
    factories.BoundaryFactory()
    index = boundaries.BoundaryIndex.load()
    assert index.nearest(50.06, 19.94) == index.find(50.06, 19.94).teryt == "1261011"
    assert index.nearest(54.0, 14.0) == "1261011"
