"""Writing of localities."""

import pytest

from catalog.importers.records import Extract, PlaceRecord
from catalog.importers.sync.places import sync_places
from catalog.models import Place
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
