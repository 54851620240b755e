"""Writing of localities and postcodes: former codes of municipalities, and two sources with different ranks."""

from dataclasses import replace

import pytest

from catalog import models
from catalog.importers.records import Extract, Note, Options, PlaceRecord, PostcodeRecord
from catalog.importers.sync_places import MunicipalityCodes, sync_places, sync_postcodes
from tests import factories

OPTIONS = Options(today=factories.TODAY, write=True)

pytestmark = pytest.mark.django_db


def test_a_place_of_a_city_keeps_the_code_of_its_district():
    factories.krakow()
    models.Place.objects.create(id="simc:1", name="Lubocza", kind="część", main=False, municipality_id="1261011")
    rows = [PlaceRecord(f"simc:{n}", name, "część", "1261039", False) for n, name in ((1, "Lubocza"), (2, "Łęg"))]
    report = sync_places(Extract(tuple(rows)), OPTIONS)
    assert (report.added, report.changed) == (1, 1)
    assert set(models.Place.objects.values_list("municipality", "district")) == {("1261011", "1261039")}
    assert sync_places(Extract(tuple(rows)), OPTIONS).changes == 0


PRG = PostcodeRecord("30-001", (("1261011", 8),), ("Kraków",), 50.07, 19.94, "prg")
GEONAMES = PostcodeRecord("30-001", (("126101", 1),), ("Krakow",), 50.0, 19.9, "geonames")


def test_shares_are_summed_by_municipality_unknown_ones_left_out_and_changed_ones_replaced():
    factories.krakow()
    factories.zakopane()
    shares = (("1261029", 3), ("1217011", 5), ("1261011", 4), ("9999999", 9))
    sync_postcodes(Extract((replace(PRG, municipalities=shares),)), OPTIONS)
    assert stored("30-001")[1] == [("1261011", 7), ("1217011", 5)]
    assert sync_postcodes(Extract((replace(PRG, municipalities=(("1217011", 5),)),)), OPTIONS).changed == 1
    assert stored("30-001")[1] == [("1217011", 5)]


def test_a_code_of_unknown_municipalities_only_is_rejected():
    assert [note.key for note in sync_postcodes(Extract((PRG,)), OPTIONS).rejected] == ["30-001"]
    assert not models.Postcode.objects.exists()
    factories.FormerMunicipalityFactory(teryt="1206952")
    codes = MunicipalityCodes()  # by successors, too
    located = [codes.find(code) for code in ("1206952", "1206955", "120695", "1206962")]
    assert located == ["1261011", "1261011", "1261011", None]


POINTS = PostcodeRecord("30-001", (("1261011", 9),), ("Kraków",), 50.08, 19.95, "points")


@pytest.mark.parametrize("order", ["12", "21", "012", "210", "102"])
def test_address_points_win_and_the_address_register_before_another_in_any_order(order):
    factories.krakow()
    ranked = (POINTS, PRG, GEONAMES)
    for rank in order:
        sync_postcodes(Extract((ranked[int(rank)],)), OPTIONS)
    best = ranked[int(min(order))]
    postcode, ((_, addresses),) = stored("30-001")
    assert (postcode.source, addresses) == (best.source, best.municipalities[0][1])
    assert sync_postcodes(Extract((best,)), OPTIONS).changes == 0


def points(code, *shares, places=("Wieś",), lat=50.0):
    return PostcodeRecord(code, shares, places, lat, 20.0, "points")


def stored(code):
    shares = models.PostcodeMunicipality.objects.filter(postcode=code).order_by("-addresses")
    return models.Postcode.objects.get(pk=code), list(shares.values_list("municipality_id", "addresses"))


def test_the_points_of_one_voivodeship_leave_the_others_alone_and_a_code_that_left_it_is_removed():
    factories.krakow()
    factories.bielsko_biala()
    shares = ("1261011", 5), ("2461011", 3)
    records = points("30-001", ("1261011", 8)), points("43-300", ("2461011", 8))
    records += points("34-120", *shares, lat=50.1), points("34-121", *shares)
    assert sync_postcodes(Extract(records), OPTIONS).added == 4
    part = Extract((points("30-001", ("1261011", 9)), points("34-120", ("1261011", 2), places=("Nowa",), lat=50.2)))
    report = sync_postcodes(part, OPTIONS)
    assert (report.added, report.changed, report.removed) == (0, 3, 0)
    assert (stored("43-300")[1], stored("34-121")[1]) == ([("2461011", 8)], [("2461011", 3)])
    postcode, shares = stored("34-120")
    assert (shares, postcode.lat, postcode.places) == ([("2461011", 3), ("1261011", 2)], 50.1, ["Wieś", "Nowa"])
    assert sync_postcodes(part, OPTIONS).changes == 0
    part = Extract((points("34-120", ("1261011", 5)), points("34-121", ("1261011", 5))))
    assert sync_postcodes(part, replace(OPTIONS, allow_removals=True)).removed == 1
    assert set(models.Postcode.objects.values_list("pk", flat=True)) == {"34-120", "34-121", "43-300"}


def test_a_rejected_row_keeps_what_is_stored():
    factories.krakow()
    lubocza = PlaceRecord("simc:1", "Lubocza", "część miasta", "1261011", False)
    sync_places(Extract((lubocza, replace(lubocza, id="simc:2"))), OPTIONS)
    report = sync_places(Extract((lubocza, replace(lubocza, id="simc:2", unit="9999999"))), OPTIONS)
    assert (report.removed, report.unchanged, [note.key for note in report.rejected]) == (0, 2, ["simc:2 Lubocza"])

    sync_postcodes(Extract((PRG, replace(PRG, code="30-002"))), OPTIONS)
    report = sync_postcodes(Extract((PRG,), rejected=(Note("30-002", "the centre is outside Poland"),)), OPTIONS)
    assert (report.removed, report.unchanged, stored("30-002")[1]) == (0, 2, [("1261011", 8)])
