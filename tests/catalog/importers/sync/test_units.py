"""An update of the register of units keeps everything that hangs on a municipality."""

from dataclasses import replace

import pytest

from catalog import models
from catalog.importers.records import BoundaryRecord, Extract, ImportRefused, TooManyRemovals, UnitRecord
from catalog.importers.sync_places import sync_boundaries
from catalog.importers.sync_units import sync_units
from catalog.territory import boundaries
from catalog.territory.snapshot import read_territory
from regulations.models import LegalState
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
    kamienica = municipality("1207052")
    assert (kamienica.slug, kamienica.kind, kamienica.county_id) == ("kamienica", 2, "1207")
    second = load(*REGISTER, options=options)
    assert (second.changes, second.unchanged) == (0, 24)


def test_a_new_name_is_reported_and_taken(options, register):
    report = load(*without("1207062"), UnitRecord("1207062", "Laskowa Nowa", 2), options=options)
    assert report.lines == ["renamed: 1207062 Laskowa → Laskowa Nowa"]
    assert municipality("1207062").slug == "laskowa-nowa"


def test_a_change_of_kind_takes_everything_along(options, register):
    old = municipality("1207052")
    depot = factories.DepotFactory(municipality=old)
    place = factories.PlaceFactory(municipality=old)
    factories.PostcodeFactory(code="34-608", shares=[(old, 50)])
    factories.BoundaryFactory(municipality=old)
    report = load(*without("1207052"), UnitRecord("1207053", "Kamienica", 3), options=options)
    assert report.lines == [
        "kind: 1207052 Kamienica → 1207053 (gmina wiejska → gmina miejsko-wiejska); 1 depots follow"
    ]
    assert factories.fresh(depot).municipality_id == factories.fresh(place).municipality_id == "1207053"
    assert models.PostcodeMunicipality.objects.get(postcode="34-608").municipality_id == "1207053"
    assert models.Boundary.objects.get().municipality_id == "1207053"
    former = models.FormerMunicipality.objects.get(pk="1207052")
    assert (former.successor_id, former.left_on) == ("1207053", options.today)


def test_depots_of_a_split_municipality_follow_their_position(options, register):
    for code, lon in (("1207052", 20.40), ("1207062", 20.30), ("1207202", 20.50)):
        factories.BoundaryFactory(municipality=municipality(code), lat=49.55, lon=lon, side_km=6)
    old = municipality("1207052")
    to_west = factories.DepotFactory(municipality=old, lat=49.55, lon=20.36)
    to_east = factories.DepotFactory(municipality=old, lat=49.55, lon=20.45)
    load(*without("1207052"), options=options)
    assert factories.fresh(to_west).municipality_id == "1207062"
    assert factories.fresh(to_east).municipality_id == "1207202"
    assert not models.Municipality.objects.filter(pk="1207052").exists()


def test_a_municipality_without_any_heir_is_refused(options, register):
    factories.DepotFactory(municipality=municipality("1207052"))
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


def changed(options, *units, gone=()):
    """Bring the register to one without some units and with others."""
    left = [unit for unit in REGISTER if unit.teryt not in gone and unit.teryt not in {u.teryt for u in units}]
    return load(*left, *units, options=options)


def formers():
    return {
        row.pk: (row.successor_id, row.others, row.whole) for row in models.FormerMunicipality.objects.order_by("pk")
    }


def municipality(code):
    return models.Municipality.objects.get(pk=code)


CITY = (UnitRecord("1262", "Nowy Sącz"), UnitRecord("1262011", "Kamienica", 1))


def test_another_county_takes_everything_along(options, register):
    user = factories.UserFactory()
    depot = factories.DepotFactory(
        municipality=municipality("1207052"),
        confirmed_fields=["municipality"],
        data_status="verified",
        verified_by=user,
        verified_at=options.today,
    )
    gone = factories.DepotFactory(
        municipality=municipality("1207052"), publication="removed", removal_reason="owner", removed_at=options.today
    )
    price = factories.DepotPriceFactory(depot=depot)
    factories.BoundaryFactory(municipality=municipality("1207052"))
    report = changed(options, *CITY, gone=["1207052"])
    assert report.lines == ["new: 1262 Nowy Sącz", "new code: 1207052 Kamienica → 1262011; 2 depots follow"]
    for row in (depot, gone):
        assert factories.fresh(row).municipality_id == "1262011"
    assert (depot.confirmed_fields, depot.review, depot.data_status) == (["municipality"], "", "verified")
    assert factories.fresh(price).depot_id == depot.pk
    assert (models.Boundary.objects.get().pk, models.Boundary.objects.get().approximate) == ("1262011", False)


def test_a_merger_ends_the_confirmation_and_asks_editors(options, register):
    factories.BoundaryFactory(municipality=municipality("1207052"), lat=49.55, lon=20.40, side_km=6)
    factories.BoundaryFactory(municipality=municipality("1207062"), lat=49.55, lon=20.483, side_km=6)
    depot = factories.DepotFactory(municipality=municipality("1207052"), confirmed_fields=["municipality", "name"])
    other = factories.DepotFactory(municipality=municipality("1207052"))
    place = factories.PlaceFactory(municipality=municipality("1207052"))
    factories.PostcodeFactory(code="34-608", shares=[(municipality("1207052"), 50), (municipality("1207062"), 7)])
    report = changed(options, gone=["1207052"])
    assert report.lines == ["gone: 1207052 Kamienica → 1207062 Laskowa; 2 depots follow"]
    for row in (depot, other, place):
        assert factories.fresh(row).municipality_id == "1207062"
    assert depot.confirmed_fields == ["name"]
    assert "zniknęła z rejestru" in depot.review
    assert (other.review, models.PostcodeMunicipality.objects.get().addresses) == ("", 57)
    boundary = models.Boundary.objects.get()
    assert (boundary.pk, boundary.approximate) == ("1207062", True)
    assert boundaries.BoundaryIndex.load().find(49.55, 20.40).teryt == "1207062"
    assert formers() == {"1207052": ("1207062", [], False)}


def test_a_municipality_that_a_single_new_one_swallows_leads_there(options, register):
    report = changed(options, UnitRecord("1207092", "Laskowa Dolna", 2), gone=["1207062"])
    assert "gone: 1207062 Laskowa → 1207092 Laskowa Dolna" in report.lines
    assert formers()["1207062"][0] == "1207092"


def test_parts_that_are_new_get_the_depots_next_to_their_seats(options, register):
    old = municipality("1207052")
    for name, lon in (("Zachodnia", 20.30), ("Wschodnia", 20.50)):
        factories.PlaceFactory(municipality=old, name=name, lat=49.55, lon=lon)
    west = factories.DepotFactory(municipality=old, lat=49.55, lon=20.36)
    east = [factories.DepotFactory(municipality=old, lat=49.55, lon=20.45) for _ in range(2)]
    parts = UnitRecord("1207412", "Zachodnia", 2), UnitRecord("1207422", "Wschodnia", 2)
    report = changed(options, *parts, gone=["1207052"])
    line = "gone: 1207052 Kamienica → 1207422 Wschodnia, 1207412 Zachodnia; 3 depots follow: 1 to 1207412, 2 to 1207422"
    assert line in report.lines
    for depot, code in ((west, "1207412"), *((depot, "1207422") for depot in east)):
        assert factories.fresh(depot).municipality_id == code
    assert formers() == {"1207052": ("1207422", ["1207412"], False)}


def test_parts_without_known_seats_are_all_named(options, register):
    depot = factories.DepotFactory(municipality=municipality("1207052"))
    changed(options, UnitRecord("1207412", "X", 2), UnitRecord("1207422", "Y", 2), gone=["1207052"])
    assert factories.fresh(depot).municipality_id == "1207412"
    assert formers() == {"1207052": ("1207412", ["1207422"], False)}


def test_a_code_in_use_again_sends_what_it_had_to_its_owner(options, register):
    depot = factories.DepotFactory(municipality=municipality("1207052"))
    factories.BoundaryFactory(municipality=municipality("1207052"))
    factories.FormerMunicipalityFactory(teryt="1207992", successor=municipality("1207052"))
    report = changed(options, UnitRecord("1207052", "Szczawa", 2), UnitRecord("1207412", "Kamienica", 2))
    assert report.lines == ["new: 1207052 Szczawa", "code reused: 1207052 Kamienica → 1207412; 1 depots follow"]
    assert factories.fresh(depot).municipality_id == "1207412"
    assert models.Boundary.objects.get().pk == "1207412"
    assert formers() == {"1207992": ("1207412", [], True)}
    assert changed(options, UnitRecord("1207052", "Szczawa", 2), UnitRecord("1207412", "Kamienica", 2)).changes == 0


def test_two_codes_that_change_places(options, register):
    """Not told from two new names: codes are what the register goes by, and the map decides later."""
    depot = factories.DepotFactory(municipality=municipality("1207052"))
    assert changed(options, UnitRecord("1207052", "Laskowa", 2), UnitRecord("1207062", "Kamienica", 2)).changed == 2
    assert factories.fresh(depot).municipality_id == "1207052"


def test_old_codes_of_an_old_code_lead_to_the_newest(options, register):
    changed(options, UnitRecord("1207053", "Kamienica", 3), gone=["1207052"])
    changed(options, UnitRecord("1207413", "Kamienica", 3), gone=["1207052"])
    factories.BoundaryFactory(municipality=municipality("1207413"), lat=49.55, lon=20.40, side_km=6)
    factories.BoundaryFactory(municipality=municipality("1207062"), lat=49.55, lon=20.483, side_km=6)
    changed(options, gone=["1207052"])
    assert formers() == {code: ("1207062", [], False) for code in ("1207052", "1207053", "1207413")}


MOVED = (
    UnitRecord("14", "mazowieckie"),
    UnitRecord("1401", "limanowski"),
    *(UnitRecord(f"1401{unit.teryt[4:]}", unit.name, unit.kind) for unit in REGISTER if len(unit.teryt) == 7),
)
"""The county of the register, in another voivodeship."""


def test_a_county_moves_as_a_whole(options, register):
    depots = [factories.DepotFactory(municipality=unit) for unit in models.Municipality.objects.order_by("pk")]
    report = load(*MOVED, options=replace(options, allow_removals=True))
    assert "gone: 1207 limanowski → 1401 limanowski" in report.lines
    assert "gone: 12 małopolskie → 14 mazowieckie" in report.lines
    for depot in depots:
        old = depot.municipality_id
        assert factories.fresh(depot).municipality_id == f"1401{old[4:]}"
    assert not models.Voivodeship.objects.filter(pk="12").exists()
    assert read_territory().unknown_unit("1207").successor == "1401"
    assert read_territory().unknown_unit("12").successor == "14"


def test_an_update_takes_as_many_queries_however_much_moves(options, register, django_assert_max_num_queries):
    for unit in models.Municipality.objects.all():
        factories.DepotFactory.create_batch(3, municipality=unit)
        factories.PlaceFactory(municipality=unit)
    kinds = [UnitRecord(f"{u.teryt[:6]}3", u.name, 3) for u in REGISTER if len(u.teryt) == 7]
    with django_assert_max_num_queries(60):
        load(*REGISTER[:2], *kinds, options=options)
    assert models.Depot.objects.filter(municipality__kind=3).count() == 66


def test_names_of_voivodeships_and_counties_follow(options, register):
    load(UnitRecord("12", "krakowskie"), UnitRecord("1207", "nowy"), *REGISTER[2:], options=options)
    assert (models.Voivodeship.objects.get().slug, models.County.objects.get().name) == ("krakowskie", "nowy")


def test_voivodeships_may_exchange_their_names(options):
    def two(first, second):
        return [
            unit
            for code, name in (("12", first), ("14", second))
            for unit in (UnitRecord(code, name), UnitRecord(f"{code}01", "x"), UnitRecord(f"{code}01012", "Y", 2))
        ]

    load(*two("a", "b"), options=options)
    load(*two("b", "a"), options=options)
    assert dict(models.Voivodeship.objects.values_list("pk", "slug")) == {"12": "b", "14": "a"}


def test_a_voivodeship_of_which_other_data_know_is_refused(options, register):
    LegalState.objects.create(voivodeship_id="12", as_of=options.today)
    with pytest.raises(ImportRefused, match="voivodeship 12 leaves the register, and stany prawne"):
        load(*MOVED, options=replace(options, allow_removals=True))


def test_a_municipality_that_takes_another_code_and_another_name(options, register):
    report = changed(options, UnitRecord("1207053", "Kamienica Górna", 3), gone=["1207052"])
    assert report.lines == [
        "kind: 1207052 Kamienica → 1207053 (gmina wiejska → gmina miejsko-wiejska), renamed Kamienica Górna"
    ]


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
    assert (factories.fresh(moved).municipality_id, moved.updated_at) == ("1261011", options.today)
    assert factories.fresh(kept).municipality_id == "1217011"
    assert any(str(moved.pk) in line for line in report.lines)
    assert models.Dataset.objects.get(slug="depots").version == 1
