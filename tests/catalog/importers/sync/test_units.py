"""An update of the register of units keeps everything that hangs on a municipality."""

from dataclasses import replace

import pytest

from catalog import models
from catalog.importers.parsers.osm_tags import PERSON
from catalog.importers.records import BoundaryRecord, Extract, ImportRefused, Options, UnitRecord
from catalog.importers.runner import ImportStep, run
from catalog.importers.sync_places import sync_boundaries
from catalog.importers.sync_units import sync_units
from catalog.services.moderation import REDRAWN
from catalog.territory import boundaries
from catalog.territory.snapshot import read_territory
from catalog.text import slug
from tests import factories
from tests.catalog.importers.sync.test_successions import units

pytestmark = pytest.mark.django_db

OPTIONS = Options(today=factories.TODAY, write=True)

REGISTER = tuple(units("1207052 Kamienica", "1207062 Laskowa", *(f"1207{n}2 Wieś {n}" for n in range(20, 40))).values())


OTHER_KIND = "kind: 1207052 Kamienica → 1207053 (gmina wiejska → gmina miejsko-wiejska)"


def load(*units, **options):
    return sync_units(Extract(units), replace(OPTIONS, **options))


def bounded(code, lon, lat=49.55):
    return factories.BoundaryFactory(municipality=municipality(code), lat=lat, lon=lon, side_km=6)


def depot_of(code, **values):
    return factories.DepotFactory(municipality=municipality(code), **values)


def follow(code, *rows):
    """Rows that are of a municipality after an update."""
    return {factories.fresh(row).municipality_id for row in rows} == {code}


@pytest.fixture
def register(db):
    load(*REGISTER)


def test_first_load_and_a_second_that_finds_nothing():
    first = load(*REGISTER)
    assert (first.added, first.changed, first.removed) == (24, 0, 0)
    kamienica = municipality("1207052")
    assert (kamienica.slug, kamienica.kind, kamienica.county_id) == ("kamienica", 2, "1207")
    second = load(*REGISTER)
    assert (second.changes, second.unchanged) == (0, 24)


def test_depots_of_a_split_municipality_follow_their_position(register):
    for code, lon in (("1207052", 20.40), ("1207062", 20.30), ("1207202", 20.50)):
        bounded(code, lon)
    to_west, to_east = (depot_of("1207052", lat=49.55, lon=lon) for lon in (20.36, 20.45))
    changed(gone=["1207052"])
    assert follow("1207062", to_west)
    assert follow("1207202", to_east)
    assert not models.Municipality.objects.filter(pk="1207052").exists()


def test_a_merger_stays_in_the_voivodeship_and_finds_what_is_newly_coded(register):
    """The longest border is that with another voivodeship, then that with one whose kind changes the same day."""
    load(*REGISTER, *units("1401012 X").values())
    bounded("1207052", 20.40)
    factories.BoundaryFactory(municipality=municipality("1401012"), lat=49.55, lon=20.55, side_km=16)
    bounded("1207062", 20.317)
    factories.BoundaryFactory(municipality=municipality("1207202"), lat=49.604, lon=20.45, side_km=6)
    depot = depot_of("1207052", lat=49.55, lon=20.41)
    changed("1207063 Laskowa", "1401012 X", gone=["1207052", "1207062"])
    assert formers()["1207052"][0] == "1207063"
    assert factories.fresh(depot).municipality_id[:2] == "12"


def test_one_of_two_that_become_one_in_another_county_finds_it(register):
    """The new one has no boundary yet: its area is that of the other, which lies in its county."""
    load(*REGISTER, *units("1208012 X", "1208022 Y").values())
    for code, lon in (("1208012", 20.40), ("1207052", 20.484), ("1207202", 20.64)):
        bounded(code, lon)
    changed("1208022 Y", "1207993 Z", gone=["1207052"])
    assert {code: heirs[0] for code, heirs in formers().items()} == {"1207052": "1207993", "1208012": "1207993"}


def test_neither_a_municipality_without_any_heir_nor_a_tenth_of_the_register_vanishes_unasked(register):
    depot_of("1207052")
    others = [unit for unit in REGISTER if unit.teryt != "1207052"]
    for left, message in ((others, "1207052 Kamienica"), (REGISTER[:-5], "5 of 24")):
        with pytest.raises(ImportRefused, match=message):
            load(*left)
        assert models.Municipality.objects.count() == 22


def test_a_chain_of_successors_stays_short_whoever_comes_last_and_a_code_that_comes_back_is_no_longer_former(register):
    for code in ("1207053", "1207051"):
        changed(f"{code} Kamienica", gone=["1207052"])
    assert formers() == {code: ("1207051", [], True) for code in ("1207052", "1207053")}
    load(*REGISTER)
    assert set(formers()) == {"1207051", "1207053"}
    bounded("1207052", 20.40)
    bounded("1207062", 20.483)
    changed(gone=["1207052"])
    assert formers() == {code: ("1207062", [], False) for code in ("1207051", "1207052", "1207053")}


def changed(*rows, gone=()):
    """Bring the register to one without some units and with others, such as "1207053 Kamienica"."""
    new = units(*rows)
    return load(*(unit for unit in REGISTER if unit.teryt not in {*gone, *new}), *new.values())


def formers():
    return {row.pk: (row.successor_id, row.others, row.whole) for row in models.FormerMunicipality.objects.all()}


def municipality(code):
    return models.Municipality.objects.get(pk=code)


@pytest.mark.parametrize(
    ("unit", "above", "line"),
    [
        ("1207053 Kamienica", [], OTHER_KIND),
        ("1262011 Kamienica", ["new: 1262 Nowy Sącz"], "new code: 1207052 Kamienica → 1262011"),
    ],
)
def test_another_kind_or_county_takes_everything_along(register, unit, above, line):
    old, code = municipality("1207052"), unit[:7]
    checked = {"data_status": "verified", "verified_by": factories.UserFactory(), "verified_at": OPTIONS.today}
    depot = depot_of("1207052", confirmed_fields=["municipality"], **checked)
    gone, place = depot_of("1207052", removed=True), factories.PlaceFactory(municipality=old)
    price = factories.DepotPriceFactory(depot=depot)
    factories.PostcodeFactory(code="34-608", shares=[(old, 50)])
    factories.BoundaryFactory(municipality=old)
    assert changed(unit, gone=["1207052"]).lines == [*above, f"{line}; 2 depots follow"]
    (share,), (boundary,) = models.PostcodeMunicipality.objects.all(), models.Boundary.objects.all()
    assert follow(code, depot, gone, place, share, boundary)
    assert (depot.confirmed_fields, depot.review, depot.data_status) == (["municipality"], "", "verified")
    assert (factories.fresh(price).depot_id, boundary.approximate) == (depot.pk, False)
    former = models.FormerMunicipality.objects.get()
    assert (former.pk, former.successor_id, former.left_on) == ("1207052", code, OPTIONS.today)


def test_a_merger_ends_the_confirmation_and_asks_editors(register):
    bounded("1207052", 20.40)
    bounded("1207062", 20.483)
    depot, other = depot_of("1207052", confirmed_fields=["municipality", "name"]), depot_of("1207052")
    remarks = (f"{REDRAWN} 7", PERSON)
    held = [depot_of("1207052", held=True, confirmed_fields=["municipality"], review=remark) for remark in remarks]
    place = factories.PlaceFactory(municipality=municipality("1207052"))
    factories.PostcodeFactory(code="34-608", shares=[(municipality("1207052"), 50), (municipality("1207062"), 7)])
    assert changed(gone=["1207052"]).lines == ["gone: 1207052 Kamienica → 1207062 Laskowa; 4 depots follow"]
    assert follow("1207062", depot, other, place, *held)
    assert [row.confirmed_fields for row in (depot, *held)] == [["name"], [], []]
    assert "zniknęła z rejestru" in depot.review
    assert [row.review for row in held] == [*remarks]
    assert (other.review, models.PostcodeMunicipality.objects.get().addresses) == ("", 57)
    boundary = models.Boundary.objects.get()
    assert (boundary.pk, boundary.approximate) == ("1207062", True)
    assert boundaries.BoundaryIndex.load().find(49.55, 20.40).teryt == "1207062"
    assert formers() == {"1207052": ("1207062", [], False)}


@pytest.mark.parametrize(
    ("unit", "gone", "line"),
    [
        ("1207062 Laskowa Nowa", [], "renamed: 1207062 Laskowa → Laskowa Nowa"),
        # Another code and another name.
        ("1207053 Kamienica Górna", ["1207052"], f"{OTHER_KIND}, renamed Kamienica Górna"),
        # A single new one swallows it.
        ("1207092 Laskowa Dolna", ["1207062"], "gone: 1207062 Laskowa → 1207092 Laskowa Dolna"),
    ],
)
def test_what_a_municipality_becomes_is_reported_and_where_it_leads_remembered(register, unit, gone, line):
    assert line in changed(unit, gone=gone).lines
    code, _, name = unit.partition(" ")
    assert municipality(code).slug == slug(name)
    assert [(old, successor) for old, (successor, *_) in formers().items()] == [(old, code) for old in gone]


def test_parts_that_are_new_get_the_depots_next_to_their_seats_and_are_all_named_without(register):
    depot, others = depot_of("1207062"), ("1207432 X", "1207442 Y")
    missing = "; without a boundary of its own{} until import_boundaries brings one"
    new = [f"new: {others[0]}{missing.format('')}", f"new: {others[1]}{missing.format(', and its depots elsewhere,')}"]
    assert changed(*others, gone=["1207062"]).lines[:2] == new
    assert follow("1207432", depot)
    for name, lon in (("Zachodnia", 20.30), ("Wschodnia", 20.50)):
        factories.PlaceFactory(municipality=municipality("1207052"), name=name, lat=49.55, lon=lon)
    west, *east = (depot_of("1207052", lat=49.55, lon=lon) for lon in (20.36, 20.45, 20.45))
    parts = ["1207412 Zachodnia", "1207422 Wschodnia"]
    report = changed(*parts, *others, gone=["1207052", "1207062"])
    line = "gone: 1207052 Kamienica → 1207422 Wschodnia, 1207412 Zachodnia; 3 depots follow: 1 to 1207412, 2 to 1207422"
    assert report.lines[:2] == [f"new: {part}{missing.format('')}" for part in parts]
    assert line in report.lines
    assert follow("1207412", west)
    assert follow("1207422", *east)
    assert formers() == {"1207052": ("1207422", ["1207412"], False), "1207062": ("1207432", ["1207442"], False)}


def test_a_code_in_use_again_sends_what_it_had_to_its_owner(register):
    depot = factories.DepotFactory(municipality=municipality("1207052"))
    factories.BoundaryFactory(municipality=municipality("1207052"))
    factories.FormerMunicipalityFactory(teryt="1207992", successor=municipality("1207052"))
    letters = factories.SubscriptionFactory(teryt="1207052")
    report = changed("1207052 Szczawa", "1207412 Kamienica")
    assert report.lines == ["new: 1207052 Szczawa", "code reused: 1207052 Kamienica → 1207412; 1 depot follows"]
    depot.refresh_from_db()
    assert {depot.municipality_id, models.Boundary.objects.get().pk, factories.fresh(letters).teryt} == {"1207412"}
    assert formers() == {"1207992": ("1207412", [], True)}
    assert changed("1207052 Szczawa", "1207412 Kamienica").changes == 0


def test_who_asked_for_letters_about_two_that_become_one_gets_them_once(register):
    for code, lon in (("1207052", 20.40), ("1207062", 20.32)):
        bounded(code, lon)
    both = [factories.SubscriptionFactory(email="ewa@example.pl", teryt=code) for code in ("1207052", "1207062")]
    other = factories.SubscriptionFactory(teryt="1207062")
    changed(gone=["1207062"])
    left = models.Subscription.objects.order_by("pk").values_list("pk", "teryt")
    assert list(left) == [(both[0].pk, "1207052"), (other.pk, "1207052")]


def test_a_county_moves_as_a_whole(register):
    moved = units(*(f"1401{unit.teryt[4:]} {unit.name}" for unit in REGISTER[2:])).values()
    depots = [factories.DepotFactory(municipality=unit) for unit in models.Municipality.objects.order_by("pk")]
    report = load(*moved, allow_removals=True)
    assert {"gone: 1207 limanowski → 1401 limanowski", "gone: 12 małopolskie → 14 mazowieckie"} <= {*report.lines}
    assert all(follow(f"1401{depot.municipality_id[4:]}", depot) for depot in depots)
    assert not models.Voivodeship.objects.filter(pk="12").exists()
    assert [read_territory().unknown_unit(code).successor for code in ("1207", "12")] == ["1401", "14"]


def test_an_update_takes_as_many_queries_however_much_moves(register, django_assert_max_num_queries):
    for unit in models.Municipality.objects.all():
        factories.DepotFactory.create_batch(3, municipality=unit)
        factories.PlaceFactory(municipality=unit)
    with django_assert_max_num_queries(60):
        load(*units(*(f"{unit.teryt[:6]}3 {unit.name}" for unit in REGISTER[2:])).values())
    assert models.Depot.objects.filter(municipality__kind=3).count() == 66


def test_voivodeships_and_counties_may_exchange_their_names():
    for first, second in ("ab", "ba"):
        pairs = ("12", first), ("14", second)
        above = [UnitRecord(code + more, name) for code, name in pairs for more in ("", "01")]
        load(*above, *(UnitRecord(f"{code}01012", "Y", 2) for code, _ in pairs))
    assert dict(models.Voivodeship.objects.values_list("pk", "slug")) == {"12": "b", "14": "a"}
    assert dict(models.County.objects.values_list("pk", "name")) == {"1201": "b", "1401": "a"}


def record(municipality, lat, lon, side_km=10.0):
    return BoundaryRecord(municipality.teryt, municipality.name, factories.square(lat, lon, side_km))


def test_official_boundaries_replace_the_guessed_ones():
    krakow, zakopane = factories.krakow(), factories.zakopane()
    for municipality in (krakow, zakopane):
        factories.BoundaryFactory(municipality=municipality, approximate=True)
    report = sync_boundaries(Extract((record(krakow, 50.06, 19.94),)), OPTIONS)
    assert (report.changed, report.removed) == (1, 1)
    assert "without a boundary: 1217011" in report.lines
    assert [b.approximate for b in models.Boundary.objects.all()] == [False]


def test_a_file_of_one_voivodeship_leaves_the_others_a_second_run_all_and_unknown_codes_are_rejected():
    krakow, bielsko = factories.krakow(), factories.bielsko_biala()
    report = sync_boundaries(Extract((record(krakow, 50.06, 19.94),)), OPTIONS)
    assert (report.added, report.removed) == (1, 0)
    unknown = BoundaryRecord("9999999", "Nigdzie", factories.square(50, 20, 1))
    for added in (1, 0):
        report = sync_boundaries(Extract((record(bielsko, 49.82, 19.05), unknown)), OPTIONS)
        assert (report.added, report.changed, report.removed) == (added, 0, 0)
        assert report.rejected[0].key == "9999999 Nigdzie"
    assert models.Boundary.objects.count() == 2


def test_in_a_file_older_than_the_register_a_former_area_is_that_of_the_successor():
    krakow, zakopane = factories.krakow(), factories.zakopane()
    for code, successor, whole in (("1261991", krakow, False), ("1217991", zakopane, True)):
        factories.FormerMunicipalityFactory(teryt=code, successor=successor, whole=whole)
    places = ((krakow.pk, 19.94), ("1261991", 20.05), ("1217991", 20.30))
    rows = [BoundaryRecord(code, "", factories.square(50.06, lon, 10)) for code, lon in places]
    for added in (2, 0):
        report = sync_boundaries(Extract(tuple(rows)), OPTIONS)
        assert (report.added, report.changed, report.rejected) == (added, 0, [])
    found = [boundaries.BoundaryIndex.load().find(50.06, lon) for _, lon in places]
    assert [row.teryt for row in found] == [krakow.pk, krakow.pk, zakopane.pk]
    approximate = dict(models.Boundary.objects.values_list("municipality", "approximate"))
    assert approximate == {krakow.pk: True, zakopane.pk: False}
    # A file that has the new code, too, means another area by the old one.
    report = sync_boundaries(Extract((*rows, replace(rows[2], teryt=zakopane.pk))), OPTIONS)
    assert [note.key.split()[0] for note in report.rejected] == ["1217991"]


def test_depots_move_into_the_municipality_they_lie_in():
    krakow, zakopane = factories.krakow(), factories.zakopane()
    moved = factories.DepotFactory(municipality=zakopane)
    kept = factories.DepotFactory(municipality=zakopane, verified=True)
    area = Extract((record(krakow, 50.0617, 19.9373),))
    step = ImportStep(models.Dataset.Slug.BOUNDARIES, "", lambda options: sync_boundaries(area, options))
    (dry,) = run([step], replace(OPTIONS, write=False))
    assert factories.fresh(moved).municipality_id == "1217011"
    report = sync_boundaries(area, OPTIONS)
    assert dry.lines == report.lines
    assert (factories.fresh(moved).municipality_id, moved.updated_at) == ("1261011", OPTIONS.today)
    assert factories.fresh(kept).municipality_id == "1217011"
    assert any(str(moved.pk) in line for line in report.lines)
    assert models.Dataset.objects.get(slug="depots").version == 1
