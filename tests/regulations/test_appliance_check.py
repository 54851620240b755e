"""Check of an appliance: cases that the starter data do not cover."""

from datetime import date

import pytest

from regulations.appliance_check import ApplianceStatus, divide_municipality
from regulations.codes import Appliance
from regulations.models import Deadline
from tests import factories
from tests.regulations.factories import DeadlineFactory, ResolutionFactory
from tests.regulations.loading import check

pytestmark = pytest.mark.django_db

KRAKOW = "1261011"
BELOW_3, CLASS_3, FIREPLACE = Appliance.BOILER_BELOW_CLASS_3, Appliance.BOILER_CLASS_3, Appliance.FIREPLACE


@pytest.fixture
def law():
    """An act of the voivodeship of Kraków."""
    factories.krakow()
    ResolutionFactory()


def test_of_a_state_that_was_never_imported_nothing_is_known():
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
    DeadlineFactory(
        date=date(2030, 1, 1), appliances=[FIREPLACE], area="listed", partly=["1261011"], scope="uzdrowisko"
    )
    found = check(KRAKOW, FIREPLACE)
    assert [one.open_fact for one in found.limited] == ["coal", "part"]
    assert found.undecided == found.limited[1]


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
