"""GET /regulations/{voivodeship}.ics."""

from datetime import date

import icalendar
import pytest

from fueldepot.http import cache_control
from regulations.models import Deadline
from tests import factories
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

URL = "/api/v1/regulations/malopolskie.ics"


def events_of(answer):
    assert answer.status_code == 200, answer.content
    return icalendar.Calendar.from_ical(answer.content).walk("VEVENT")


@pytest.fixture
def deadlines():
    ResolutionFactory()
    DeadlineFactory(krakow=True, date=date(2019, 9, 1), applies_to="wszystko", description="Linia; z, znakami\\")
    DeadlineFactory(outside_krakow=True, applies_to="kotły klasy 3 i 4", caveat="Tylko w części.")


def test_events_are_whole_days_with_what_the_json_says(client, deadlines):
    answer = client.get(URL)
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("text/calendar; charset=utf-8", cache_control.CATALOG)
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


def test_an_event_keeps_its_identity_when_its_day_moves(client, deadlines):
    before = {str(e["summary"]): str(e["uid"]) for e in events_of(client.get(URL))}
    assert len({*before.values()}) == 2
    Deadline.objects.update(date=date(2030, 1, 1))
    assert {str(e["summary"]): str(e["uid"]) for e in events_of(client.get(URL))} == before


def test_of_a_municipality_only_what_binds_it_and_of_all_what_binds_in_part_says_so(client, deadlines):
    factories.zakopane()
    krakow, zakopane, whole = (client.get(URL, {"teryt": teryt}) for teryt in ("1261011", "1217011", "12"))
    assert [str(event["summary"]) for event in events_of(krakow)] == ["Kraków: koniec używania: wszystko"]
    assert [str(event["summary"]) for event in events_of(zakopane)] == ["Zakopane: koniec używania: kotły klasy 3 i 4"]
    assert b"X-WR-CALNAME:Terminy antysmogowe: Krak\xc3\xb3w\\, wojew" in krakow.content  # escaped as every text
    assert ["tylko część obszaru" in str(event["description"]) for event in events_of(whole)] == [True, True]
    assert client.get("/api/v1/regulations/12.ics").content == client.get(URL).content


def test_a_character_that_no_calendar_may_have_becomes_a_blank(client, deadlines):
    Deadline.objects.update(description="Do końca\v2026 r.", scope="miasto\x7fi gmina", applies_to="kotły\fi piece")
    body = client.get(URL).content.decode()
    assert "koniec używania: kotły i piece" in body.replace("\r\n ", "")
    assert not {"\v", "\f", "\x7f"} & {*body}


def test_without_a_deadline_or_a_state_there_is_no_calendar(client, deadlines):
    """RFC 5545, section 3.6: a calendar has at least one event."""
    factories.zakopane(), factories.VoivodeshipFactory(teryt="14")
    LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="20", name="podlaskie"))
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
    ResolutionFactory()
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
        assert [str(event["summary"]) for event in events_of(client.get(URL))] == [title]
