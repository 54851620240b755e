"""Writing of localities, and municipalities by their codes, former ones included."""

from datetime import date

import pytest

from catalog.importers.records import Extract, PlaceRecord
from catalog.importers.sync_places import MunicipalityCodes, sync_places
from catalog.models import FormerMunicipality, Place
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_place_of_a_city_keeps_the_code_of_its_district(options):
    factories.krakow()
    Place.objects.create(id="simc:1", name="Lubocza", kind="część miasta", main=False, municipality_id="1261011")
    rows = [
        PlaceRecord(f"simc:{n}", name, "część miasta", "1261039", False) for n, name in ((1, "Lubocza"), (2, "Łęg"))
    ]
    report = sync_places(Extract(tuple(rows)), options)
    assert (report.added, report.changed) == (1, 1)
    assert set(Place.objects.values_list("municipality", "district")) == {("1261011", "1261039")}
    assert sync_places(Extract(tuple(rows)), options).changes == 0


def test_a_vanished_municipality_is_found_by_its_successor():
    FormerMunicipality.objects.create(
        teryt="1206952", name="Dawna", successor=factories.krakow(), left_on=date(2020, 1, 1)
    )
    codes = MunicipalityCodes()
    assert (codes.find("1206952"), codes.find("1206962")) == ("1261011", None)
