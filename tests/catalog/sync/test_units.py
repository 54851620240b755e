"""An update of the register of units keeps everything that hangs on a municipality."""

from dataclasses import replace

import pytest

from catalog import models
from catalog.importers.records import Extract, UnitRecord
from catalog.importers.sync import ImportRefused, TooManyRemovals
from catalog.importers.sync_units import sync_units
from tests import factories

pytestmark = pytest.mark.django_db

REGISTER = (
    UnitRecord("12", "małopolskie"),
    UnitRecord("1207", "limanowski"),
    UnitRecord("1207052", "Kamienica", 2),
    UnitRecord("1207062", "Laskowa", 2),
    *(UnitRecord(f"1207{n:02}2", f"Gmina {n}", 2) for n in range(20, 40)),
)


def load(*units, options):
    return sync_units(Extract(units), options)


def without(teryt):
    return tuple(unit for unit in REGISTER if unit.teryt != teryt)


@pytest.fixture
def register(options):
    load(*REGISTER, options=options)


def test_first_load_and_a_second_that_finds_nothing(options):
    first = load(*REGISTER, options=options)
    assert (first.added, first.changed, first.removed) == (24, 0, 0)
    municipality = models.Municipality.objects.get(pk="1207052")
    assert (municipality.slug, municipality.kind, municipality.county_id) == ("kamienica", 2, "1207")
    second = load(*REGISTER, options=options)
    assert (second.changes, second.unchanged) == (0, 24)


def test_without_write_nothing_changes(options):
    report = load(*REGISTER, options=replace(options, write=False))
    assert report.added == 24
    assert not models.Municipality.objects.exists()


def test_a_new_name_is_reported_and_taken(options, register):
    report = load(*without("1207062"), UnitRecord("1207062", "Laskowa Nowa", 2), options=options)
    assert report.lines == ["renamed: 1207062 Laskowa → Laskowa Nowa"]
    assert models.Municipality.objects.get(pk="1207062").slug == "laskowa-nowa"


def test_a_change_of_kind_takes_everything_along(options, register):
    old = models.Municipality.objects.get(pk="1207052")
    depot = factories.DepotFactory(municipality=old)
    place = factories.PlaceFactory(municipality=old)
    factories.PostcodeFactory(code="34-608", shares=[(old, 50)])
    factories.BoundaryFactory(municipality=old)
    report = load(*without("1207052"), UnitRecord("1207053", "Kamienica", 3), options=options)
    assert report.lines == [
        "kind: 1207052 Kamienica → 1207053 (gmina wiejska → gmina miejsko-wiejska); 1 depots follow"
    ]
    depot.refresh_from_db()
    place.refresh_from_db()
    assert depot.municipality_id == place.municipality_id == "1207053"
    assert models.PostcodeMunicipality.objects.get(postcode="34-608").municipality_id == "1207053"
    assert models.Boundary.objects.get().municipality_id == "1207053"
    former = models.FormerMunicipality.objects.get(pk="1207052")
    assert (former.successor_id, former.left_on) == ("1207053", options.today)


def test_depots_of_a_split_municipality_follow_their_position(options, register):
    old = models.Municipality.objects.get(pk="1207052")
    factories.BoundaryFactory(municipality=old, lat=49.55, lon=20.40, side_km=6)
    west = models.Municipality.objects.get(pk="1207062")
    factories.BoundaryFactory(municipality=west, lat=49.55, lon=20.30, side_km=6)
    east = models.Municipality.objects.get(pk="1207202")
    factories.BoundaryFactory(municipality=east, lat=49.55, lon=20.50, side_km=6)
    to_west = factories.DepotFactory(municipality=old, lat=49.55, lon=20.36)
    to_east = factories.DepotFactory(municipality=old, lat=49.55, lon=20.45)
    load(*without("1207052"), options=options)
    to_west.refresh_from_db()
    to_east.refresh_from_db()
    assert (to_west.municipality_id, to_east.municipality_id) == ("1207062", "1207202")
    assert not models.Municipality.objects.filter(pk="1207052").exists()


def test_a_municipality_without_any_heir_is_refused(options, register):
    factories.DepotFactory(municipality_id="1207052", municipality=models.Municipality.objects.get(pk="1207052"))
    with pytest.raises(ImportRefused, match="1207052 Kamienica"):
        load(*without("1207052"), options=options)
    assert models.Municipality.objects.filter(pk="1207052").exists()


def test_a_code_that_comes_back_is_no_longer_former(options, register):
    load(*without("1207052"), UnitRecord("1207053", "Kamienica", 3), options=options)
    load(*REGISTER, options=options)
    assert models.FormerMunicipality.objects.get().pk == "1207053"


def test_a_chain_of_successors_stays_short(options, register):
    load(*without("1207052"), UnitRecord("1207053", "Kamienica", 3), options=options)
    load(*without("1207052"), UnitRecord("1207051", "Kamienica", 1), options=options)
    former = dict(models.FormerMunicipality.objects.values_list("pk", "successor_id"))
    assert former == {"1207052": "1207051", "1207053": "1207051"}


def test_a_tenth_of_the_register_does_not_vanish_unasked(options, register):
    short = REGISTER[:-5]
    with pytest.raises(TooManyRemovals, match="5 of 24"):
        load(*short, options=options)
    assert models.Municipality.objects.count() == 22
