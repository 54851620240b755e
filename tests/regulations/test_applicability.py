"""Whether a rule binds a unit, and what it says of an appliance where the starter data have no such case."""

from datetime import date

import pytest

from regulations import snapshot
from regulations.appliance_check import AGES, ApplianceStatus, divide_municipality
from regulations.codes import Appliance
from regulations.models import Deadline
from regulations.snapshot import binds_municipality, kinds_of_places, reach_of_units
from tests import factories
from tests.regulations.factories import DeadlineFactory, ResolutionFactory
from tests.regulations.loading import check

TOWN, RURAL, MIXED = "1211011", "1211092", "1211033"


def scope(area, **codes):
    return Deadline(area=area, **codes)


def test_towns_and_country_listed_excluded_partly_bound_and_uncertain_units():
    for rule, expected in (
        (scope("voivodeship"), {TOWN: True, MIXED: True}),
        (scope("towns"), {TOWN: True, RURAL: False, MIXED: None}),
        (scope("outside_towns"), {TOWN: False, RURAL: True, MIXED: None}),
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
    divided = ([TOWN, RURAL], [MIXED], [TOWN, MIXED], [])
    for municipalities, expected in (([TOWN], True), ([RURAL], False), *((codes, None) for codes in divided)):
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


KRAKOW = "1261011"
BELOW_3, CLASS_3, FIREPLACE = Appliance.BOILER_BELOW_CLASS_3, Appliance.BOILER_CLASS_3, Appliance.FIREPLACE


@pytest.fixture
def law(db):
    """An act of the voivodeship of Kraków."""
    factories.krakow()
    ResolutionFactory()


def test_of_a_state_that_was_never_imported_nothing_is_known(db):
    factories.krakow()
    assert check(KRAKOW, CLASS_3).status == ApplianceStatus.STATE_UNKNOWN


def test_a_deadline_for_new_installations_ends_nothing_in_use(law):
    DeadlineFactory(kind="new_installations", appliances=[CLASS_3])
    DeadlineFactory(appliances=[BELOW_3])
    assert check(KRAKOW, CLASS_3).status == ApplianceStatus.NOT_NAMED


@pytest.mark.parametrize("later", ["exemptions", "started_before"])
def test_a_later_deadline_counts_where_the_deciding_one_leaves_something(law, later):
    values = {"exemptions": ["ecodesign"]} if later == "exemptions" else {"started_before": date(2018, 1, 1)}
    DeadlineFactory(date=date(2024, 1, 1), appliances=[FIREPLACE], **values)
    DeadlineFactory(date=date(2030, 1, 1), appliances=[FIREPLACE], fuels=["hard_coal"])
    assert [(one.deadline.date, one.binds) for one in check(KRAKOW, FIREPLACE).limited] == [(date(2030, 1, 1), True)]


def test_the_part_of_the_municipality_is_asked_before_the_fuel(law):
    DeadlineFactory(date=date(2024, 1, 1), appliances=[FIREPLACE], fuels=["hard_coal"])
    DeadlineFactory(date=date(2030, 1, 1), appliances=[FIREPLACE], area="listed", partly=["1261011"], scope="centrum")
    DeadlineFactory(date=date(2031, 1, 1), appliances=[FIREPLACE], uncertain=True)
    found = check(KRAKOW, FIREPLACE)
    assert [one.open_fact for one in found.limited] == ["coal", "part", None]
    assert (found.status, found.undecided) == (ApplianceStatus.LIMITED, found.limited[1])


def test_of_the_deadlines_of_all_ages_the_latest_of_an_age_that_is_possible_decides(law):
    for year, age in zip((2022, 2024, 2028), AGES, strict=True):
        DeadlineFactory(date=date(year, 1, 1), appliances=[BELOW_3], conditions=[age])
    for facts, status, year in (
        ({}, ApplianceStatus.ENDS, 2028),
        ({AGES[0]: False}, ApplianceStatus.ENDS, 2028),
        ({AGES[2]: False}, ApplianceStatus.ENDED, 2024),
        ({AGES[0]: False, AGES[1]: False}, ApplianceStatus.ENDS, 2028),
        ({AGES[1]: True}, ApplianceStatus.ENDED, 2024),
    ):
        answer = check(KRAKOW, BELOW_3, **facts)
        assert (answer.status, answer.deciding.deadline.date.year) == (status, year), facts


@pytest.mark.parametrize(
    ("scope", "in_part", "in_the_rest"),
    [
        ({"area": "listed", "partly": ["1261011"]}, ApplianceStatus.STAYS, ApplianceStatus.NOT_NAMED),
        ({"area": "voivodeship", "partly": ["1261011"]}, ApplianceStatus.NOT_NAMED, ApplianceStatus.STAYS),
        ({"uncertain": True}, ApplianceStatus.NOT_NAMED, ApplianceStatus.NOT_NAMED),
    ],
)
def test_what_may_stay_in_a_part_or_perhaps_does_not_stay_everywhere(law, scope, in_part, in_the_rest):
    DeadlineFactory(appliances=[BELOW_3], spared=CLASS_3, **scope)
    assert check(KRAKOW, CLASS_3).status == ApplianceStatus.NOT_NAMED
    assert [check(KRAKOW, CLASS_3, part=part).status for part in (True, False)] == [in_part, in_the_rest]


def test_what_may_stay_by_two_acts_that_divide_the_municipality_stays(law):
    for area in ("voivodeship", "listed"):
        DeadlineFactory(appliances=[BELOW_3], spared=CLASS_3, area=area, partly=["1261011"])
    assert check(KRAKOW, CLASS_3).status == ApplianceStatus.STAYS


def test_two_scopes_are_a_municipality_together_where_each_is_its_part():
    for area, partly, other, partly_too, together in (
        ("towns", [], "outside_towns", ["1211052"], True),
        ("towns", ["1206024"], "outside_towns", [], False),
        ("voivodeship", ["1206023"], "listed", ["1206024"], True),
        ("voivodeship", ["1206023"], "listed", ["1211052"], False),
        ("listed", ["1206023"], "listed", ["1206023"], False),
    ):
        scopes = Deadline(area=area, partly=partly), Deadline(area=other, partly=partly_too)
        assert divide_municipality(*scopes, "1206023") is together
