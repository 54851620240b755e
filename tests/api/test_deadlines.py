"""GET /deadlines, next deadlines, and GET /regulations/{voivodeship}.ics."""

from datetime import date, timedelta

import icalendar
import pytest
from django.db.models import F

from regulations.models import Deadline, LegalState
from tests import factories
from tests.api.test_regulations import URL, one
from tests.regulations.factories import DeadlineFactory, ResolutionFactory, state_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


# First those without the acts, which stays until the end of the module.


def test_links_lead_to_the_other_pages_of_the_same_question(client):
    for year in (2997, 2998, 2999):
        DeadlineFactory(date=date(year, 1, 1))
    asked = "from=2024-05-01&limit=1&offset={}&voivodeship=Ma%C5%82opolskie"
    answer = client.get("/api/v1/deadlines?" + asked.format(1))
    offsets = {"first": 0, "prev": 0, "next": 2, "last": 2}
    address = "http://127.0.0.1:8000/api/v1/deadlines?" + asked
    assert answer["Link"] == ", ".join(f'<{address.format(at)}>; rel="{name}"' for name, at in offsets.items())
    assert [row["date"] for row in client.get(address.format(2)).json()] == ["2999-01-01"]


def test_deadlines_of_a_voivodeship_and_an_appliance_in_short_are_those_of_the_voivodeship(client):
    slaskie = state_of("24")
    ResolutionFactory(state=slaskie)
    unclear = {"unclear_appliances": ["boiler_class_4"], "caveat": "Źródła różnią się."}
    DeadlineFactory(date=date(2997, 1, 1), applies_to="jedna", appliances=["stove"], **unclear)
    both = {"applies_to": "obie", "appliances": ["stove"], "unclear_appliances": ["fireplace"]}
    DeadlineFactory(state=slaskie, date=date(2998, 1, 1), **both)
    for query, found in (
        ("voivodeship=slaskie", ["obie"]),
        ("voivodeship=Śląskie&appliance=boiler_class_3", []),
        ("appliance=stove", ["jedna", "obie"]),
        ("appliance=fireplace", ["obie"]),
    ):
        assert [row["applies_to"] for row in client.get(f"/api/v1/deadlines?{query}").json()] == found
    (short, _), (whole,) = client.get("/api/v1/deadlines").json(), one(client, teryt="12")["resolution"]["deadlines"]
    same = ("caveat", "appliances", "unclear_appliances", "confirmation_overdue", "uncertain", "scope", "date")
    assert {name: short[name] for name in same} == {name: whole[name] for name in same}


def test_deadlines_ascend_and_the_widest_comes_first_on_one_day(client):
    DeadlineFactory(date=date(2028, 1, 1), applies_to="później")
    DeadlineFactory(krakow=True, applies_to="lokalnie")
    DeadlineFactory(applies_to="wszędzie")
    resolution = one(client)["resolution"]
    assert [row["applies_to"] for row in resolution["deadlines"]] == ["wszędzie", "lokalnie", "później"]
    assert resolution["next_deadline"]["applies_to"] == "wszędzie"


def test_the_next_deadline_is_asked_with_the_day_today_by_default_and_its_status_agrees(client):
    for year in (2000, 2027, 2999):
        DeadlineFactory(date=date(year, 1, 1))
    for on, following, status in (
        ("2016-01-01", None, "no_resolution"),
        ("2026-12-31", "2027-01-01", "upcoming"),
        ("2027-01-01", "2999-01-01", "upcoming"),
        ("2999-01-01", None, "passed"),
    ):
        for short in ({}, {"binding": "1"}, {"binding": "1", "appliance": "stove"}):
            entry = one(client, teryt="1261011", on=on, **short)
            if following:  # there is nothing to explain
                assert entry["requested_unit"]["note"] is None
            for part in filter(None, (entry["resolution"], entry["requested_unit"])):
                assert ((part["next_deadline"] or {}).get("date"), part["deadline_status"]) == (following, status)
    Deadline.objects.filter(date__year=2027).delete()
    assert client.get(URL).json()[0]["resolution"]["next_deadline"]["date"] == "2999-01-01"


ICS = "/api/v1/regulations/malopolskie.ics"


def events_of(answer):
    assert answer.status_code == 200, answer.content
    return icalendar.Calendar.from_ical(answer.content).walk("VEVENT")


@pytest.fixture
def deadlines():
    DeadlineFactory(krakow=True, date=date(2019, 9, 1), applies_to="wszystko", description="Linia; z, znakami\\")
    DeadlineFactory(outside_krakow=True, applies_to="kotły klasy 3 i 4", caveat="Tylko w części.")


def test_events_are_whole_days_with_what_the_json_says(client, deadlines):
    answer = client.get(ICS)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    (entry,) = client.get("/api/v1/regulations", {"voivodeship": "12"}).json()
    for event, row in zip(events_of(answer), entry["resolution"]["deadlines"], strict=True):
        assert event.decoded("dtstart") == date.fromisoformat(row["date"])
        assert type(event.decoded("dtstart")) is date
        assert (event.decoded("dtend") - event.decoded("dtstart")).days == 1
        assert str(event["summary"]).endswith(f": {row['applies_to']}")
        assert str(event["description"]).startswith(row["description"])
        assert row["scope"] in str(event["description"])
        assert (row["caveat"] or "") in str(event["description"])
        assert str(event["url"]) == entry["page"]


def test_an_event_keeps_its_identity_when_its_day_moves_and_has_no_forbidden_character(client, deadlines):
    before = {str(e["summary"]): str(e["uid"]) for e in events_of(client.get(ICS))}
    assert len({*before.values()}) == 2
    Deadline.objects.update(date=date(2030, 1, 1))
    assert {str(e["summary"]): str(e["uid"]) for e in events_of(client.get(ICS))} == before
    Deadline.objects.update(description="Do końca\v2026 r.", scope="miasto\x7fi gmina", applies_to="kotły\fi piece")
    body = client.get(ICS).content.decode()
    assert "koniec używania: kotły i piece" in body.replace("\r\n ", "")
    assert not {"\v", "\f", "\x7f"} & {*body}


def test_an_event_of_a_later_state_replaces_one_that_a_calendar_holds(client, deadlines):
    before = {event.decoded("sequence") for event in events_of(client.get(ICS))}
    LegalState.objects.update(as_of=F("as_of") + timedelta(days=1))
    assert min({event.decoded("sequence") for event in events_of(client.get(ICS))}) > max(before) > 0


def test_of_a_municipality_only_what_binds_it_and_of_all_what_binds_in_part_says_so(client, deadlines):
    factories.zakopane()
    krakow, zakopane, whole = (client.get(ICS, {"teryt": teryt}) for teryt in ("1261011", "1217011", "12"))
    assert [str(event["summary"]) for event in events_of(krakow)] == ["Kraków: koniec używania: wszystko"]
    assert [str(event["summary"]) for event in events_of(zakopane)] == ["Zakopane: koniec używania: kotły klasy 3 i 4"]
    assert b"X-WR-CALNAME:Terminy antysmogowe: Krak\xc3\xb3w\\, wojew" in krakow.content  # escaped as every text
    assert ["tylko część obszaru" in str(event["description"]) for event in events_of(whole)] == [True, True]
    assert client.get("/api/v1/regulations/12.ics").content == client.get(ICS).content


def test_without_a_deadline_or_a_state_there_is_no_calendar(client, deadlines):
    """RFC 5545, section 3.6: a calendar has at least one event."""
    factories.zakopane(), factories.VoivodeshipFactory(teryt="14")
    state_of("20", "podlaskie")
    Deadline.objects.exclude(applies_to="wszystko").delete()
    for path, said in (
        ("podlaskie.ics", "no deadline is known for podlaskie, so there is no calendar;"),
        ("malopolskie.ics?teryt=1217011", "no deadline is known for Zakopane (1217011),"),
        ("mazowieckie.ics", "the legal state of mazowieckie was never imported, so its deadlines are not known."),
    ):
        answer = client.get(f"/api/v1/regulations/{path}")
        assert (answer.status_code, answer["Cache-Control"]) == (404, "no-store")
        assert answer.json()["message"].startswith(said)


def test_titles_say_where_and_what(client):
    for made, title in (
        ({"kind": "existing_boilers"}, "Małopolskie: koniec używania: kotły"),
        ({"kind": "solid_fuel_ban"}, "Małopolskie: koniec paliw stałych: kotły"),
        ({"kind": "space_heaters"}, "Małopolskie: nowe wymagania: kotły"),
        ({"area": "towns"}, "Małopolskie, miasta: koniec używania: kotły"),
        ({"krakow": True}, "Gmina Miejska Kraków: koniec używania: kotły"),
        ({"krakow": True, "scope": "gminy " + "x" * 40}, "Małopolskie, wybrane gminy: koniec używania: kotły"),
        ({"uncertain": True, "caveat": "Nie wiemy."}, "Małopolskie: koniec używania: kotły (niepewne)"),
    ):
        Deadline.objects.all().delete()
        DeadlineFactory(applies_to="kotły", **made)
        assert [str(event["summary"]) for event in events_of(client.get(ICS))] == [title]


def test_deadlines_of_all_voivodeships_come_by_day(client, acts):
    slaskie = state_of("24")
    ResolutionFactory(state=slaskie)
    DeadlineFactory(state=slaskie, date=date(2026, 12, 1))
    DeadlineFactory(state=slaskie, date=date(2027, 1, 1))
    answer = client.get("/api/v1/deadlines", {"from": "2024-05-01", "limit": "3"})
    days = [(row["date"], row["voivodeship"]) for row in answer.json()]
    assert days == [("2024-05-01", "malopolskie"), ("2026-12-01", "slaskie"), ("2027-01-01", "malopolskie")]
    assert answer["X-Total-Count"] == "4"
    (rest,) = client.get("/api/v1/deadlines", {"from": "2024-05-01", "limit": "3", "offset": "3"}).json()
    assert rest not in answer.json()
    assert answer.json()[0]["page"] == "http://127.0.0.1:8000/przepisy/malopolskie/"
    until = client.get("/api/v1/deadlines", {"from": "2024-05-01", "to": "2024-05-01"}).json()
    assert [row["applies_to"] for row in until] == ["kotły bezklasowe"]
    assert client.get("/api/v1/deadlines", {"from": "9999-12-31"}).json() == []
