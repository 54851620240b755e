from datetime import date

import pytest

from regulations.models import Deadline
from tests import factories
from tests.api.test_regulations import URL, one
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


# First those without the acts, which stays until the end of the module.


def test_links_lead_to_the_other_pages_of_the_same_question(client):
    ResolutionFactory()
    for year in (2997, 2998, 2999):
        DeadlineFactory(date=date(year, 1, 1))
    asked = "from=2024-05-01&limit=1&offset={}&voivodeship=Ma%C5%82opolskie"
    answer = client.get("/api/v1/deadlines?" + asked.format(1))
    offsets = {"first": 0, "prev": 0, "next": 2, "last": 2}
    address = "http://127.0.0.1:8000/api/v1/deadlines?" + asked
    assert answer["Link"] == ", ".join(f'<{address.format(at)}>; rel="{name}"' for name, at in offsets.items())
    assert [row["date"] for row in client.get(address.format(2)).json()] == ["2999-01-01"]


def test_deadlines_of_a_voivodeship_and_an_appliance(client):
    slaskie = LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="24"))
    ResolutionFactory(), ResolutionFactory(state=slaskie)
    DeadlineFactory(date=date(2997, 1, 1), applies_to="jedna", appliances=["stove"])
    both = {"applies_to": "obie", "appliances": ["stove"], "unclear_appliances": ["fireplace"]}
    DeadlineFactory(state=slaskie, date=date(2998, 1, 1), **both)
    for query, found in (
        ("voivodeship=slaskie", ["obie"]),
        ("voivodeship=Śląskie&appliance=boiler_class_3", []),
        ("appliance=stove", ["jedna", "obie"]),
        ("appliance=fireplace", ["obie"]),
    ):
        assert [row["applies_to"] for row in client.get(f"/api/v1/deadlines?{query}").json()] == found


def test_a_deadline_in_short_is_that_of_its_voivodeship(client):
    ResolutionFactory()
    DeadlineFactory(
        date=date(2999, 1, 1), appliances=["stove"], unclear_appliances=["fireplace"], caveat="Źródła różnią się."
    )
    (short,), (whole,) = client.get("/api/v1/deadlines").json(), one(client)["resolution"]["deadlines"]
    same = ("caveat", "appliances", "unclear_appliances", "confirmation_overdue", "uncertain", "scope", "date")
    assert {name: short[name] for name in same} == {name: whole[name] for name in same}


def test_deadlines_ascend_and_the_widest_comes_first_on_one_day(client):
    ResolutionFactory()
    DeadlineFactory(date=date(2028, 1, 1), applies_to="później")
    DeadlineFactory(krakow=True, applies_to="lokalnie")
    DeadlineFactory(applies_to="wszędzie")
    resolution = one(client)["resolution"]
    assert [row["applies_to"] for row in resolution["deadlines"]] == ["wszędzie", "lokalnie", "później"]
    assert resolution["next_deadline"]["applies_to"] == "wszędzie"


def test_the_next_deadline_is_asked_with_the_day_today_by_default(client):
    ResolutionFactory()
    for year in (2000, 2027, 2028, 2999):
        DeadlineFactory(date=date(year, 1, 1))
    days = {"2026-12-31": "2027-01-01", "2027-01-01": "2028-01-01"}
    for on, expected in days.items():
        assert one(client, on=on)["resolution"]["next_deadline"]["date"] == expected, on
    assert one(client, on="2999-01-01")["resolution"]["next_deadline"] is None
    Deadline.objects.filter(date__year__in=(2027, 2028)).delete()
    (entry,) = client.get(URL).json()
    assert entry["resolution"]["next_deadline"]["date"] == "2999-01-01"


def test_a_next_deadline_and_its_status_agree(client):
    ResolutionFactory()
    DeadlineFactory(date=date(2027, 1, 1))
    for on, status in (("2026-12-31", "upcoming"), ("2027-01-01", "passed"), ("2016-01-01", "no_resolution")):
        for short in ({}, {"binding": "1"}, {"binding": "1", "appliance": "stove"}):
            entry = one(client, teryt="1261011", on=on, **short)
            if status == "upcoming":  # there is nothing to explain
                assert entry["requested_unit"]["note"] is None
            for part in filter(None, (entry["resolution"], entry["requested_unit"])):
                assert (part["next_deadline"] is not None, part["deadline_status"]) == (status == "upcoming", status)


def test_deadlines_of_all_voivodeships_come_by_day(client, acts):
    slaskie = LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="24"))
    ResolutionFactory(state=slaskie)
    DeadlineFactory(state=slaskie, date=date(2026, 12, 1))
    DeadlineFactory(state=slaskie, date=date(2027, 1, 1))
    answer = client.get("/api/v1/deadlines", {"from": "2024-05-01", "limit": "3"})
    assert [(row["date"], row["voivodeship"]) for row in answer.json()] == [
        ("2024-05-01", "malopolskie"),
        ("2026-12-01", "slaskie"),
        ("2027-01-01", "malopolskie"),
    ]
    assert answer["X-Total-Count"] == "4"
    (rest,) = client.get("/api/v1/deadlines", {"from": "2024-05-01", "limit": "3", "offset": "3"}).json()
    assert rest not in answer.json()
    assert answer.json()[0]["page"] == "http://127.0.0.1:8000/przepisy/malopolskie/"
    until = client.get("/api/v1/deadlines", {"from": "2024-05-01", "to": "2024-05-01"}).json()
    assert [row["applies_to"] for row in until] == ["kotły bezklasowe"]
