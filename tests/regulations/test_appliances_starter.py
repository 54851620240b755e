"""Check of an appliance over the starter data."""

from datetime import date

import pytest

from catalog.territory.snapshot import territory
from regulations.appliance_check import ApplianceStatus, is_about_part
from regulations.codes import Appliance, Condition, Exemption
from tests.client import build_snapshots, shared_rows
from tests.regulations.loading import check, load_files

pytestmark = pytest.mark.django_db

BELOW_3, CLASS_3, CLASS_5 = Appliance.BOILER_BELOW_CLASS_3, Appliance.BOILER_CLASS_3, Appliance.BOILER_CLASS_5
ECODESIGN, FIREPLACE, STOVE = Appliance.BOILER_ECODESIGN, Appliance.FIREPLACE, Appliance.STOVE
ON = "2026-11-22"


def decided(found):
    return found.deciding and found.deciding.deadline.date.isoformat()


@shared_rows
def loaded():
    load_files()


@pytest.fixture
def starter(loaded, django_db_blocker):
    with django_db_blocker.unblock():
        build_snapshots()
        yield


def test_status_and_day(starter):
    for teryt, appliance, on, status, day in (
        # Zakopane: both sides of the day
        ("1217011", CLASS_3, "2026-12-31", ApplianceStatus.ENDS, "2027-01-01"),
        ("1217011", CLASS_3, "2027-01-01", ApplianceStatus.ENDED, "2027-01-01"),
        ("1217011", BELOW_3, ON, ApplianceStatus.ENDED, "2024-05-01"),
        ("1217011", CLASS_5, ON, ApplianceStatus.STAYS, None),
        ("1217011", ECODESIGN, ON, ApplianceStatus.NOT_NAMED, None),
        # Kraków: everything has ended
        ("1261011", ECODESIGN, ON, ApplianceStatus.ENDED, "2019-09-01"),
        # Śląskie: by age, the youngest last
        ("2469011", BELOW_3, "2025-12-31", ApplianceStatus.ENDS, "2026-01-01"),
        ("2469011", BELOW_3, "2026-01-01", ApplianceStatus.ENDED, "2026-01-01"),
        ("2469011", CLASS_5, ON, ApplianceStatus.STAYS, None),
        # Gorzów: the act is known, its dates are not
        ("0861011", CLASS_3, ON, ApplianceStatus.DATES_UNKNOWN, None),
        # Lubuskie outside: sources contradict each other about class 5
        ("0804011", CLASS_5, ON, ApplianceStatus.CONTRADICTED, None),
        ("0804011", CLASS_3, ON, ApplianceStatus.ENDS, "2027-01-01"),
        # Podlaskie has no act
        ("2061011", CLASS_3, ON, ApplianceStatus.NO_RESOLUTION, None),
        # Mazowieckie
        ("1402011", CLASS_3, ON, ApplianceStatus.ENDS, "2028-01-01"),
        ("1402011", CLASS_5, ON, ApplianceStatus.STAYS, None),
        # Zachodniopomorskie: nothing is known of fireplaces
        ("3262011", FIREPLACE, ON, ApplianceStatus.NOT_NAMED, None),
        # Nowy Targ and Brusy: two acts divide the municipality, both on the same day
        ("1211011", CLASS_3, ON, ApplianceStatus.ENDS, "2027-01-01"),
        ("2202023", CLASS_3, "2026-08-31", ApplianceStatus.ENDS, "2026-09-01"),
        # Skawina: on that day the act of the voivodeship bound it, which leaves it out for one of 2021
        ("1206113", BELOW_3, "2019-01-01", ApplianceStatus.DATES_UNKNOWN, None),
        # Kosakowo: sources contradict each other about old fireplaces
        ("2211052", FIREPLACE, ON, ApplianceStatus.CONTRADICTED, None),
    ):
        found = check(teryt, appliance, on)
        assert (found.status, decided(found)) == (status, day), (teryt, appliance)


def test_a_part_that_ended_earlier_is_told(starter):
    """Boilers without a class in Nowy Targ: the deadline of the local act stays in 2023."""
    found = check("1211011", BELOW_3)
    (part,) = found.limited
    assert (decided(found), part.deadline.date, part.binds) == ("2024-05-01", date(2023, 1, 1), None)


def test_what_ends_everywhere_on_one_day_by_two_acts_names_both_and_asks_nothing(starter):
    """Nowy Targ, Brusy and Niemcza: one rule alone would leave a part of the municipality out."""
    for teryt, day in (("1211011", "2027-01-01"), ("2202023", "2026-09-01"), ("0202073", "2028-07-01")):
        for on in (ON, "2026-08-31", "2029-01-01"):
            found = check(teryt, CLASS_3, on)
            assert (decided(found), found.limited, found.undecided) == (day, (found.counterpart,), None), teryt
            assert is_about_part(found.counterpart.deadline) is not is_about_part(found.deciding.deadline)
    # Boilers without a class end in the centre of Nowy Targ before they do elsewhere.
    assert check("1211011", BELOW_3).counterpart is None


def test_an_old_boiler_of_class_5_stays_and_the_source_says_so(starter):
    (sparing,) = check("1217011", CLASS_5).spared_by
    assert (sparing.deadline.key, sparing.started_before) == ("klasa-3-4", date(2017, 7, 1))


def test_coal_ends_in_warsaw_and_the_boiler_goes_on_with_wood(starter):
    found = check("1465011", CLASS_3)
    assert (found.status, decided(found)) == (ApplianceStatus.ENDS, "2028-01-01")
    (coal,) = found.limited
    assert (coal.deadline.date, coal.deadline.fuels, coal.binds) == (date(2023, 10, 1), ["hard_coal"], True)
    ecodesign = check("1465011", ECODESIGN)
    assert ecodesign.status == ApplianceStatus.LIMITED
    assert ecodesign.limited[0].stays_if_started_before == date(2022, 6, 2)


def test_exemptions_are_those_that_can_free_the_appliance(starter):
    fireplace = check("1217011", FIREPLACE).deciding
    assert fireplace.exemptions == (Exemption.ECODESIGN, Exemption.EFFICIENCY_80, Exemption.DUST_FILTER)
    assert check("0264011", CLASS_3).deciding.exemptions == ()
    wroclaw = check("0264011", FIREPLACE).deciding
    assert wroclaw.exemptions == (Exemption.ECODESIGN_WITHOUT_NETWORK, Exemption.ADDITIONAL_FIREPLACE)


def test_a_building_at_the_network_is_a_limit(starter):
    found = check("0461011", STOVE)
    assert decided(found) == "2024-01-01"
    (network,) = found.limited
    assert (network.deadline.conditions, network.binds) == ([Condition.NETWORK_AVAILABLE], True)


def test_known_facts_decide_and_the_open_one_is_asked(starter):
    for teryt, appliance, facts, status, day, fact in (
        # Nowy Targ: first the part of the town, then the fuel
        ("1211011", FIREPLACE, {}, ApplianceStatus.LIMITED, None, "part"),
        ("1211011", FIREPLACE, {"part": False}, ApplianceStatus.ENDED, "2024-05-01", None),
        ("1211011", FIREPLACE, {"part": True}, ApplianceStatus.LIMITED, None, "coal"),
        ("1211011", FIREPLACE, {"part": True, "coal": True}, ApplianceStatus.ENDS, "2030-01-01", None),
        ("1211011", FIREPLACE, {"part": True, "coal": False}, ApplianceStatus.NOT_NAMED, None, None),
        # Warszawa: coal has ended, wood ends with the class
        ("1465011", CLASS_3, {}, ApplianceStatus.ENDS, "2028-01-01", "coal"),
        ("1465011", CLASS_3, {"coal": True}, ApplianceStatus.ENDED, "2023-10-01", None),
        ("1465011", CLASS_3, {"coal": False}, ApplianceStatus.ENDS, "2028-01-01", None),
        # Bełchatów: buildings connected to district heating
        ("1001011", CLASS_5, {}, ApplianceStatus.LIMITED, None, "district_heating_connected"),
        ("1001011", CLASS_5, {"district_heating_connected": True}, ApplianceStatus.ENDED, "2020-01-01", None),
        ("1001011", CLASS_5, {"district_heating_connected": False}, ApplianceStatus.STAYS, None, None),
        # Zakopane: nothing to ask
        ("1217011", CLASS_3, {}, ApplianceStatus.ENDS, "2027-01-01", None),
        # Sources that contradict each other are not settled by a question.
        ("0801011", CLASS_5, {}, ApplianceStatus.CONTRADICTED, None, None),
    ):
        found = check(teryt, appliance, **facts)
        assert (found.status, decided(found)) == (status, day), (teryt, appliance)
        assert (found.undecided and found.undecided.open_fact) == fact
    # The question of the part is asked by the rule that names it.
    assert is_about_part(check("1211011", FIREPLACE).undecided.deadline)


def test_answers_to_every_question_lead_to_an_end(starter):
    """Whatever is answered, the questions stop, and none is asked again."""
    asked = 0
    for teryt in territory.get().municipalities:
        for appliance in Appliance:
            open_facts = [{}]
            while open_facts:
                facts = open_facts.pop()
                row = check(teryt, appliance, **facts).undecided
                if row is not None:
                    asked += 1
                    assert row.open_fact not in facts
                    open_facts += [{**facts, row.open_fact: value} for value in (True, False)]
    assert asked > 100
