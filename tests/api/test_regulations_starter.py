"""GET /regulations and its calendar over the state that comes with the project and the whole register."""

import icalendar
import pytest

from regulations.importers.records import DATA, find_files, parse
from tests import factories
from tests.regulations.loading import load_files

URL = "/api/v1/regulations"
ON = "2026-11-21"


@pytest.fixture(scope="module")
def loaded(django_db_setup, django_db_blocker):
    """The files, loaded once and undone after the module."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        load_files()
        factories.PostcodeFactory(code="30-001")
        factories.PostcodeFactory(code="34-500", shares=[(factories.zakopane(), 3)])
        yield
        transaction.set_rollback(True)


@pytest.fixture
def ask(client, loaded, django_db_blocker):
    def get(query):
        with django_db_blocker.unblock():
            answer = client.get(f"{URL}?{query}&on={ON}")
        assert answer.status_code == 200
        return answer.json()

    return get


def deadlines(entry):
    return {
        (row["date"], row["applies_to"], row["scope"]): row["binds_requested_unit"]
        for row in entry["resolution"]["deadlines"]
    }


BAN = ("2019-09-01", "kotły, piece, kominki, stacjonarne grille", "Gmina Miejska Kraków")
REST = "województwo bez Krakowa i 7 gmin z uchwałami lokalnymi"


def test_the_total_ban_binds_krakow_and_the_deadlines_of_the_rest_do_not(ask):
    (entry,) = ask("postcode=30-001")
    found = deadlines(entry)
    assert found[BAN] is True
    assert {row[2]: binds for row, binds in found.items() if row != BAN} == dict.fromkeys(
        [row[2] for row in found if row != BAN], False
    )
    assert entry["requested_unit"]["next_deadline"] is None


def test_zakopane_the_other_way_round(ask):
    (entry,) = ask("postcode=34-500")
    found = deadlines(entry)
    assert found[BAN] is False
    assert {binds for row, binds in found.items() if row[2] == REST} == {True}
    assert entry["requested_unit"]["next_deadline"]["date"] == "2027-01-01"


def test_the_centre_of_nowy_targ_is_smaller_than_a_municipality(ask):
    (entry,) = ask("teryt=1211011")
    assert {binds for row, binds in deadlines(entry).items() if row != BAN} == {None}


def test_local_acts_bind_whole_municipalities(ask):
    (entry,) = ask("teryt=1206113")
    assert {row[2][:7]: binds for row, binds in deadlines(entry).items()} == {
        "Skawina": True,
        "wojewód": False,
        "Gmina M": False,
    }
    assert entry["requested_unit"]["next_deadline"]["date"] == "2027-01-01"


@pytest.mark.parametrize(
    ("teryt", "towns"),
    [("2261011", True), ("2264011", False), ("2202032", False), ("2202023", None)],
)
def test_towns_of_pomorskie(ask, teryt, towns):
    (entry,) = ask(f"teryt={teryt}")
    found = {binds for row, binds in deadlines(entry).items() if row[2] == "miasta województwa bez Sopotu"}
    assert found == {towns}


def test_the_counties_around_warsaw(ask):
    coal = "wszystkie instalacje na węgiel"

    def coal_of(query):
        (entry,) = ask(query)
        return {row[0]: binds for row, binds in deadlines(entry).items() if row[1] == coal}

    assert coal_of("teryt=1405") == {"2023-10-01": False, "2028-01-01": True}
    assert coal_of("teryt=1465011") == {"2023-10-01": True, "2028-01-01": False}
    assert coal_of("teryt=1402") == {"2023-10-01": False, "2028-01-01": False}


def test_all_voivodeships(ask):
    found = {entry["teryt"]: entry for entry in ask("")}
    records = {record.teryt: record for record in map(parse, find_files([DATA]))}
    assert found.keys() == records.keys()
    for teryt, entry in found.items():
        record, resolution = records[teryt], entry["resolution"]
        assert entry["has_resolution"] is bool(record.resolutions) is (resolution is not None)
        if resolution is None:
            continue
        assert all(resolution[key] for key in ("title", "publication", "summary"))
        assert len(resolution["acts"]) == len(record.resolutions)
        if len(record.resolutions) == 1:
            (act,) = record.resolutions.values()
            assert resolution["text"] == (act["text_url"] or None)
        coming = [row["date"] for row in resolution["deadlines"] if row["date"] >= ON]
        following = resolution["next_deadline"]
        assert following["date"] == min(coming) if coming else following is None


def test_dates_moved_in_lodzkie(client, loaded, django_db_blocker):
    def boilers(on):
        with django_db_blocker.unblock():
            (entry,) = client.get(f"{URL}?voivodeship=lodzkie&on={on}").json()
        return [row["date"] for row in entry["resolution"]["deadlines"]]

    assert boilers("2022-11-21") == ["2018-05-01", "2023-01-01", "2025-01-01", "2027-01-01"]
    assert boilers("2022-11-22") == ["2018-05-01", "2025-01-01", "2026-01-01", "2028-01-01"]


@pytest.mark.parametrize("slug", ["malopolskie", "mazowieckie", "swietokrzyskie", "podlaskie"])
def test_calendars_equal_the_json(client, ask, django_db_blocker, slug):
    (entry,) = ask(f"voivodeship={slug}")
    with django_db_blocker.unblock():
        answer = client.get(f"{URL}/{slug}.ics?on={ON}")
    events = icalendar.Calendar.from_ical(answer.content).walk("VEVENT")
    expected = entry["resolution"]["deadlines"] if entry["resolution"] else []
    assert [(e.decoded("dtstart").isoformat(), str(e["summary"]), str(e["location"])) for e in events] == [
        (row["date"], row["applies_to"], row["scope"]) for row in expected
    ]
    assert len({str(event["uid"]) for event in events}) == len(events)
