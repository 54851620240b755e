"""Descriptions of points in the query of a page."""

import pytest

from catalog.search import entries
from catalog.search.suggestions import suggest_locations
from pages.requested_point import read_origin
from tests import factories
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db


def test_a_point_is_called_by_what_is_known_to_lie_there():
    rural = factories.nowy_targ_rural()
    factories.PlaceFactory(name="Ludźmierz", municipality=rural, lat=49.46861, lon=19.98)
    factories.PlaceFactory(name="Gronków", municipality=rural, lat=None, lon=None)
    factories.PostcodeFactory(code="34-433", places=["Gronków"], shares=[(rural, 5)], lat=49.44, lon=20.11)
    entries.rebuild_index()

    def label(point):
        return read_origin(f"p={point}").origin.label

    assert label("49.46861,19.98") == "miejscowości Ludźmierz"
    assert label("49.44,20.11") == "środka zabudowy z kodem 34-433"
    assert label("49.5,20.2").startswith("wskazanego punktu")


def test_the_point_of_a_municipality_is_said_to_be_all_that_is_known(client):
    krakow = factories.krakow()
    factories.PlaceFactory(name="Nowa Huta", municipality=krakow, lat=None, lon=None)
    factories.PlaceFactory(name="Kraków", municipality=krakow, lat=50.06, lon=19.94)
    entries.rebuild_index()
    found = next(one for one in suggest_locations("Nowa Huta").found if one.label == "Nowa Huta")
    point = found.query["p"]
    notice = "Nie znamy położenia szukanego miejsca, więc odległości liczymy od środka gminy Kraków."
    asked = read_origin(f"p={point}")
    assert asked.origin.label == "środka gminy Kraków"
    assert asked.notices == (notice,)
    for path in ("/sklady/malopolskie/krakow-1261011/", "/sklady/malopolskie/krakow-1261011.md"):
        assert notice in text_of(client.get(path, {"p": point}))
