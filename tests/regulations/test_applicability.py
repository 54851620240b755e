"""Whether a rule binds a unit."""

from regulations import snapshot
from regulations.models import Deadline
from regulations.snapshot import binds_municipality, kinds_of_places, reach_of_units

TOWN, RURAL, MIXED = "1211011", "1211092", "1211033"


def scope(area, **codes):
    return Deadline(area=area, **codes)


def test_towns_and_country():
    for area, teryt, expected in (
        ("voivodeship", TOWN, True),
        ("voivodeship", MIXED, True),
        ("towns", TOWN, True),
        ("towns", RURAL, False),
        ("towns", MIXED, None),
        ("outside_towns", TOWN, False),
        ("outside_towns", RURAL, True),
        ("outside_towns", MIXED, None),
    ):
        assert binds_municipality(scope(area), teryt) is expected


def test_listed_excluded_partly_bound_and_uncertain_units():
    for rule, expected in (
        (scope("listed", units=["1261011", "1217"]), {"1261011": True, "1217011": True, TOWN: False}),
        (scope("listed", units=["1211033"]), {"1211032": True}),  # a change of kind changes nothing
        (scope("towns", excluded=[TOWN]), {TOWN: False}),
        (scope("voivodeship", excluded=["1211"]), {RURAL: False}),
        *((scope(area, partly=[TOWN]), {TOWN: None}) for area in ("voivodeship", "listed", "towns")),
        # An uncertain rule is unknown only where its area is.
        (scope("outside_towns", uncertain=True), {TOWN: False, RURAL: None, MIXED: None}),
    ):
        assert {teryt: binds_municipality(rule, teryt) for teryt in expected} == expected


def test_units_of_several_municipalities():
    for municipalities, expected in (
        ([TOWN], True),
        ([RURAL], False),
        ([TOWN, RURAL], None),
        ([MIXED], None),
        ([TOWN, MIXED], None),
        ([], None),
    ):
        rule = scope("towns", pk=1)
        assert reach_of_units([rule], {"1211": municipalities})["1211"].binds[rule] is expected, municipalities


def test_the_reach_of_a_unit_is_that_of_its_municipalities_one_by_one():
    areas = ("towns", "outside_towns", "voivodeship", "listed")
    named = {"partly": [MIXED], "units": ["1261", RURAL]}
    rules = [scope(area, pk=pk, **named if area == "listed" else {"excluded": [TOWN]}) for pk, area in enumerate(areas)]
    codes = (TOWN, RURAL, MIXED, "1261011", "1211042", "1217011", "1217023", "1211032", "1217042")
    reach = reach_of_units(rules, {"": codes} | {teryt: [teryt] for teryt in codes})
    for teryt in codes:
        answers = {rule: binds_municipality(rule, teryt) for rule in rules}
        assert reach[teryt].binds == answers
        assert answers in reach[""].kinds
    # No rule tells 1217042 from 1211042.
    assert len(reach[""].kinds) == len(codes) - 1


def test_municipalities_that_no_rule_names_are_worked_out_once_for_each_kind(monkeypatch):
    worked_out = []
    monkeypatch.setattr(snapshot, "binds_municipality", lambda rule, teryt: worked_out.append(teryt))
    reach_of_units([scope("towns", pk=1)], {"": [f"12{number:04}{kind}" for number in range(50) for kind in (1, 2)]})
    assert len(worked_out) == 2


def test_every_case_that_scopes_tell_apart_is_represented():
    scopes = [scope("listed", units=["1261011", "1217"]), scope("voivodeship", partly=[RURAL], excluded=["1262011"])]
    elsewhere, county = {"1200001", "1200002", "1200003"}, {"1217001", "1217002", "1217003"}
    assert kinds_of_places("12", scopes) == {*elsewhere, *county, "1261011", RURAL, "1262011"}
