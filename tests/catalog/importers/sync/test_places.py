"""Localities, postcodes and municipalities in an update: former codes, ranks of sources, and who succeeds whom."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import models
from catalog.importers.records import Extract, Note, Options, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.importers.successions import Heirs, county_heirs, find_successions
from catalog.importers.sync_places import MunicipalityCodes, sync_places, sync_postcodes
from catalog.models import Place
from tests import factories
from tests.factories import TODAY

OPTIONS = Options(today=TODAY, write=True)

pytestmark = pytest.mark.django_db


def test_a_place_of_a_city_keeps_the_code_of_its_district():
    factories.krakow()
    Place.objects.create(id="simc:1", name="Lubocza", kind="część miasta", main=False, municipality_id="1261011")
    rows = [
        PlaceRecord(f"simc:{n}", name, "część miasta", "1261039", False) for n, name in ((1, "Lubocza"), (2, "Łęg"))
    ]
    report = sync_places(Extract(tuple(rows)), OPTIONS)
    assert (report.added, report.changed) == (1, 1)
    assert set(Place.objects.values_list("municipality", "district")) == {("1261011", "1261039")}
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
    report = sync_postcodes(Extract((PRG,)), OPTIONS)
    assert [note.key for note in report.rejected] == ["30-001"]
    assert not models.Postcode.objects.exists()
    factories.FormerMunicipalityFactory(teryt="1206952")
    codes = MunicipalityCodes()  # by successors, too
    assert (codes.find("1206952"), codes.find("1206962")) == ("1261011", None)


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


@pytest.fixture
def two_voivodeships():
    factories.krakow()
    factories.bielsko_biala()
    records = (
        points("30-001", ("1261011", 8)),
        points("43-300", ("2461011", 8)),
        points("34-120", ("1261011", 5), ("2461011", 3), lat=50.1),
        points("34-121", ("1261011", 5), ("2461011", 3)),
    )
    assert sync_postcodes(Extract(records), OPTIONS).added == 4


def test_the_points_of_one_voivodeship_leave_the_others_alone(two_voivodeships):
    part = Extract((points("30-001", ("1261011", 9)), points("34-120", ("1261011", 2), places=("Nowa",), lat=50.2)))
    report = sync_postcodes(part, OPTIONS)
    assert (report.added, report.changed, report.removed) == (0, 3, 0)
    assert stored("43-300")[1] == [("2461011", 8)]
    assert stored("34-121")[1] == [("2461011", 3)]
    postcode, shares = stored("34-120")
    assert shares == [("2461011", 3), ("1261011", 2)]
    assert (postcode.lat, postcode.places) == (50.1, ["Wieś", "Nowa"])
    assert sync_postcodes(part, OPTIONS).changes == 0


def test_a_code_that_left_the_covered_voivodeships_is_removed(two_voivodeships):
    part = Extract((points("34-120", ("1261011", 5)), points("34-121", ("1261011", 5))))
    report = sync_postcodes(part, replace(OPTIONS, allow_removals=True))
    assert not models.Postcode.objects.filter(pk="30-001").exists()
    assert models.Postcode.objects.filter(pk="43-300").exists()
    assert report.removed == 1


def test_a_rejected_row_keeps_what_is_stored():
    factories.krakow()
    lubocza = PlaceRecord("simc:1", "Lubocza", "część miasta", "1261011", False)
    sync_places(Extract((lubocza, replace(lubocza, id="simc:2"))), OPTIONS)
    report = sync_places(Extract((lubocza, replace(lubocza, id="simc:2", unit="9999999"))), OPTIONS)
    assert (report.removed, report.unchanged, [note.key for note in report.rejected]) == (0, 2, ["simc:2 Lubocza"])

    sync_postcodes(Extract((PRG, replace(PRG, code="30-002"))), OPTIONS)
    report = sync_postcodes(Extract((PRG,), rejected=(Note("30-002", "the centre is outside Poland"),)), OPTIONS)
    assert (report.removed, report.unchanged) == (0, 2)
    assert stored("30-002")[1] == [("1261011", 8)]


WHERE = {"12": "małopolskie", "14": "mazowieckie", "02": "dolnośląskie"}
COUNTIES = {
    "1207": "limanowski",
    "1208": "miechowski",
    "1261": "Kraków",
    "1262": "Nowy Sącz",
    "1401": "limanowski",
    "0221": "wałbrzyski",
    "0265": "Wałbrzych",
}


def units(*rows):
    """A register of municipalities such as "1207052 Kamienica", with the units above them."""
    found = {}
    for code, _, name in (row.partition(" ") for row in rows):
        found[code[:2]] = UnitRecord(code[:2], WHERE[code[:2]])
        found[code[:4]] = UnitRecord(code[:4], COUNTIES[code[:4]])
        found[code] = UnitRecord(code, name, int(code[6]))
    return found


def told(before, after):
    """What an update is taken for: old code → heir, "heir again" for a code in use again, or the candidates."""
    found = {}
    recoded, dissolved = find_successions(units(*before), units(*after))
    for departure in recoded:
        found[departure.unit.teryt] = departure.heirs.successor + " again" * departure.reused
    return found | {unit.teryt: list(candidates) for unit, candidates in dissolved.items()}


def test_what_became_of_a_unit_is_told_from_both_registers():
    for before, after, expected in (
        (["1207052 A"], ["1207052 A"], {}),  # nothing
        (["1207052 A"], ["1207052 B"], {}),  # a new name
        (["1207052 A"], ["1207052 A", "1207132 B"], {}),  # a part becomes a municipality of its own
        (["1207052 A"], ["1207053 A"], {"1207052": "1207053"}),  # a village becomes a town
        (["1207052 A"], ["1207053 B"], {"1207052": "1207053"}),  # another kind and another name
        (["1207052 A"], ["1207053 B", "1208112 A"], {"1207052": "1208112"}),  # and its number goes on
        (["1207052 A"], ["1208112 A"], {"1207052": "1208112"}),  # another county
        (["1207011 A"], ["1262011 A"], {"1207011": "1262011"}),  # a town gets the rights of a county
        (["0221091 W"], ["0265011 W"], {"0221091": "0265011"}),  # as Wałbrzych did in 2013
        (["1207052 A"], ["1208113 A"], {"1207052": "1208113"}),  # another county and another kind
        # a town and the country around it move together
        (["1207011 A", "1207022 A"], ["1208011 A", "1208022 A"], {"1207011": "1208011", "1207022": "1208022"}),
        # a whole county moves to another voivodeship
        (
            ["1207012 A", "1207022 B", "1207032 C"],
            ["1401012 A", "1401022 B", "1401032 C"],
            {"1207012": "1401012", "1207022": "1401022", "1207032": "1401032"},
        ),
        (["1207012 A", "1208012 A"], ["1261012 A", "1262012 A"], {"1207012": [], "1208012": []}),  # two of one name
        (["1207011 A", "1207022 A"], ["1207011 A"], {"1207022": ["1207011"]}),  # a town takes its country
        (["1207022 A", "1262011 A"], ["1262011 A"], {"1207022": ["1262011"]}),  # as Zielona Góra in 2015
        (["1207022 A", "1208012 A"], ["1208012 A"], {"1207022": []}),  # a namesake elsewhere is none
        (["1207012 A", "1207022 B"], ["1207012 A"], {"1207022": []}),  # only the map can tell
        (["1207012 A", "1207022 B"], ["1207032 C"], {"1207012": ["1207032"], "1207022": ["1207032"]}),  # two in one
        (["1207012 A"], ["1207022 B", "1207032 C"], {"1207012": ["1207022", "1207032"]}),  # one becomes two
        (["1207012 A"], ["1207012 B", "1207022 A"], {"1207012": "1207022 again"}),  # a code is in use again
        (["1207012 A", "1207022 B"], ["1207013 A"], {"1207012": "1207013", "1207022": []}),  # a mixture
    ):
        assert told(before, after) == expected


NAMES = st.sampled_from("ABCD")
NUMBERS = st.sampled_from([f"{county}{number:02}" for county in COUNTIES for number in (1, 2, 3)])
REGISTERS = st.dictionaries(NUMBERS, st.tuples(st.sampled_from("123"), NAMES), min_size=1, max_size=8)


def register(numbers):
    return units(*(f"{number}{kind} {name}" for number, (kind, name) in numbers.items()))


@given(REGISTERS, REGISTERS)
def test_after_any_update_every_unit_that_is_gone_is_told_once(before, after):
    old, new = register(before), register(after)
    recoded, dissolved = find_successions(old, new)
    gone = {code for code in old if len(code) == 7 and code not in new}
    moved = [departure.unit.teryt for departure in recoded if not departure.reused]
    assert sorted([*moved, *(unit.teryt for unit in dissolved)]) == sorted(gone)
    followers = [departure.heirs.successor for departure in recoded]
    assert len(followers) == len(set(followers))
    assert {*followers, *(code for candidates in dissolved.values() for code in candidates)} <= new.keys()
    assert not any(departure.reused and departure.unit.teryt not in new for departure in recoded)
    assert find_successions(new, new) == ([], {})


def test_heirs_of_heirs():
    first = Heirs("A", ("B",))
    assert first.followed_by({"A": Heirs("C")}) == Heirs("C", ("B",))
    assert first.followed_by({"B": Heirs("A")}) == Heirs("A")
    assert first.followed_by({"A": Heirs("D", ("E",), whole=False)}) == Heirs("D", ("B", "E"), whole=False)


def test_counties_go_where_most_of_their_municipalities_went():
    heirs = {"1207012": "1208052", "1207022": "1208062", "1207032": "1401012"}
    assert county_heirs(["1207", "1299"], heirs) == {"1207": "1208"}
    assert county_heirs(["12"], heirs) == {"12": "12"}
