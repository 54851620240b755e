"""GET /regulations and its calendar over the starter data and the whole register."""

import icalendar
import pytest

from regulations.state_files import DATA, find_files, parse
from tests import factories
from tests.client import shared_rows
from tests.regulations.loading import load_files

pytestmark = pytest.mark.django_db

URL = "/api/v1/regulations"
ON = "2026-11-21"


@shared_rows
def loaded():
    load_files()
    factories.PostcodeFactory(code="30-001")
    factories.PostcodeFactory(code="34-500", shares=[(factories.zakopane(), 3)])


@pytest.fixture
def ask(client, loaded, django_db_blocker):
    def get(query, on=ON):
        with django_db_blocker.unblock():
            answer = client.get(f"{URL}?{query}&on={on}")
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


def test_towns_of_pomorskie(ask):
    for teryt, towns in (("2261011", True), ("2264011", False), ("2202032", False), ("2202023", None)):
        (entry,) = ask(f"teryt={teryt}")
        found = {binds for row, binds in deadlines(entry).items() if row[2] == "miasta województwa bez Sopotu"}
        assert found == {towns}, teryt


KOSAKOWO, TRABKI_WIELKIE, BRUSY = "2211052", "2204082", "2202023"
BELOW_3 = "kotły poniżej klasy 3 lub bez tabliczki znamionowej"
CLASS_3_4, CLASS_5 = "kotły klasy 3 i 4", "kotły klasy 5"


@pytest.mark.parametrize("teryt", [KOSAKOWO, TRABKI_WIELKIE])
def test_the_country_of_pomorskie(ask, teryt):
    for days, following in (
        (("2024-08-31",), ("2024-09-01", BELOW_3)),
        (("2024-09-01", "2026-08-31"), ("2026-09-01", CLASS_3_4)),
        (("2026-09-01", "2035-06-30"), ("2035-07-01", CLASS_5)),
    ):
        for on in days:
            (entry,) = ask(f"teryt={teryt}", on)
            found = entry["requested_unit"]["next_deadline"]
            assert (found["date"], found["applies_to"], found["binds_requested_unit"]) == (*following, True)
            assert all("gminakosakowo.pl" in source["url"] for source in found["sources"])
            assert len(found["sources"]) == 2
    (entry,) = ask(f"teryt={teryt}", "2035-07-01")
    assert entry["requested_unit"]["next_deadline"] is None
    assert entry["requested_unit"]["note"] == "Wszystkie znane terminy minęły."


def test_the_country_of_a_town_and_country_municipality_is_a_part_of_it(ask):
    (entry,) = ask(f"teryt={BRUSY}")
    boilers = [row for row in entry["resolution"]["deadlines"] if row["scope"] == "obszar poza miastami"]
    assert [row["binds_requested_unit"] for row in boilers] == [None] * 3


def test_about_old_fireplaces_outside_the_towns_of_pomorskie_sources_conflict(ask):
    for teryt, binds in ((KOSAKOWO, None), (TRABKI_WIELKIE, None), ("2261011", False)):
        (entry,) = ask(f"teryt={teryt}")
        (old,) = [row for row in entry["resolution"]["deadlines"] if row["kind"] == "space_heaters"]
        assert (old["date"], old["binds_requested_unit"]) == ("2024-09-01", binds), teryt
        assert "gminakosakowo.pl" in hosts(old)
        assert all(words in old["caveat"] for words in ("sprzeczne", "Kosakowo", "Bobowo", "310/XXIV/20"))
        (new,) = [row for row in entry["resolution"]["deadlines"] if row["kind"] == "new_installations"]
        assert "Kosakowo" in new["caveat"]
        assert "nie dotyczy" not in new["description"]


def test_boilers_of_class_3_and_4_in_mazowieckie(ask):
    for teryt in ("1465011", "1402011", "1405011"):
        for on, left in (("2027-12-31", True), ("2028-01-01", False)):
            (entry,) = ask(f"teryt={teryt}", on)
            (row,) = [row for row in entry["resolution"]["deadlines"] if row["applies_to"] == CLASS_3_4]
            assert (row["date"], row["binds_requested_unit"]) == ("2028-01-01", True)
            assert "klasy 5 mogą działać do końca żywotności" in row["description"]
            assert {source["url"].split("/")[2] for source in row["sources"]} == {"starozreby.pl", "nasielsk.pl"}
            assert ((entry["requested_unit"]["next_deadline"] or {}).get("applies_to") == CLASS_3_4) is left


def test_states_that_wait_for_confirmation(ask):
    for query, overdue in (
        ("voivodeship=malopolskie", ["klasy 3 i 4"]),
        ("voivodeship=opolskie", []),
        ("voivodeship=mazowieckie", []),
    ):
        (entry,) = ask(query, "2026-11-22")
        assert entry["confirmation_overdue"] is bool(overdue), query
        named = {row["applies_to"] for row in entry["resolution"]["deadlines"] if row["confirmation_overdue"]}
        assert named == {f"kotły {words}" for words in overdue}


def test_the_dates_of_gorzow_are_not_known(ask):
    (entry,) = ask("teryt=0861011")
    unit = entry["requested_unit"]
    assert (unit["next_deadline"], unit["deadline_status"]) == (None, "dates_unknown")
    assert unit["note"].startswith("Terminów tej uchwały nie znamy.")


def bans(entry):
    """Return the codes of fuels banned in a unit, with their first days."""
    rows = entry["resolution"]["banned_fuels"]
    return {(code, row["from_date"]) for row in rows if row["binds_requested_unit"] for code in row["fuels"]}


def hosts(row):
    return {source["url"].split("/")[2] for source in row["sources"]}


def test_the_worst_fuels_are_named_each_with_its_day(ask):
    """Mazowieckie and Opolskie: § 4 of act XXXII/367/2017."""
    for teryt, since in (("1402011", "2018-07-01"), ("1661011", "2017-11-01")):
        (entry,) = ask(f"teryt={teryt}")
        worst = {"coal_sludge", "lignite", "fine_coal", "wet_biomass"}
        assert {(code, since) for code in worst} <= bans(entry), teryt
        rows = [row for row in entry["resolution"]["banned_fuels"] if worst & {*row["fuels"]}]
        assert all(hosts(row) & {"starozreby.pl", "pawlowiczki.pl"} for row in rows)
        (deadline,) = [row for row in entry["resolution"]["deadlines"] if row["kind"] == "fuel_ban"]
        assert (deadline["date"], {*deadline["fuels"]}) == (since, worst)
        assert "najgorszej jakości" not in str(entry)


def test_peat_came_with_the_amendment_of_opolskie(ask):
    for on, there in (("2021-11-29", False), ("2021-11-30", True)):
        (entry,) = ask("teryt=1661011", on)
        assert (("peat", None) in bans(entry)) is there, on
        assert ("lignite", "2017-11-01") in bans(entry)


def test_buildings_joined_to_district_heating_in_lodzkie(ask):
    for on, following in (
        ("2019-12-31", ("2020-01-01", "kotły", "network_connection", {"um.kutno.pl"})),
        ("2020-01-01", ("2022-01-01", "piece i kominki", "network_connection", {"um.kutno.pl"})),
        ("2021-12-31", ("2022-01-01", "piece i kominki", "network_connection", {"um.kutno.pl"})),
        ("2022-01-01", ("2023-01-01", "kotły pozaklasowe", "existing_boilers", {"miasto.zgierz.pl"})),
    ):
        (entry,) = ask("teryt=1002011", on)
        row = entry["requested_unit"]["next_deadline"]
        found = (row["date"], row["applies_to"][: len(following[1])], row["kind"], hosts(row))
        assert (found, row["binds_requested_unit"]) == (following, True), on
        assert (row["conditions"] == ["district_heating_connected"]) is (row["kind"] == "network_connection")


WALBRZYCH = "0265011"


def test_a_spa_is_a_part_of_its_municipality_in_dolnoslaskie(ask):
    for teryt, binds in (
        ("0210021", None),
        ("0208063", None),
        ("0202073", None),
        (WALBRZYCH, True),
        ("0264011", False),
    ):
        (entry,) = ask(f"teryt={teryt}")
        rows = {row["applies_to"]: row for row in entry["resolution"]["deadlines"] if row["date"] == "2028-07-01"}
        outside = rows["instalacje klasy 3 i 4"]
        assert outside["binds_requested_unit"] is binds, teryt
        (spas,) = [
            row for row in entry["resolution"]["deadlines"] if teryt in row["teryt_partly"] and row["teryt"]
        ] or [None]
        if binds is None:
            assert spas["binds_requested_unit"] is None
            assert "część gminy" in " ".join(f"{row['caveat']}" for row in (spas, outside))
        else:
            assert spas is None


def test_a_caveat_of_nowy_targ_does_not_concern_rabka(ask):
    for teryt, own, other in (("1211011", "Nowym Targu", "Rabce"), ("1211123", "Rabce-Zdroju", "Nowym Targu")):
        rows = [row for row in ask(f"teryt={teryt}")[0]["resolution"]["deadlines"] if row["caveat"]]
        assert len(rows) > 5
        assert all(own in row["caveat"] and other not in row["caveat"] for row in rows)


def test_the_network_ban_of_2030_in_kujawsko_pomorskie(ask):
    for teryt, binds in (("0407011", None), ("0401021", None), ("0461011", True), ("0407042", False)):
        (entry,) = ask(f"teryt={teryt}", "2029-12-31")
        (row,) = [row for row in entry["resolution"]["deadlines"] if row["date"] == "2030-01-01"]
        assert row["binds_requested_unit"] is binds, teryt
        assert row["conditions"] == ["network_available"]
        assert ("części gminy" in row["caveat"], "sieć" in row["caveat"]) == (binds is None, True)
        assert {"bip.mogilno.pl", "mojwloclawek.pl"} <= hosts(row)


def test_acts_that_were_found(ask):
    (krakow,) = [act for act in ask("teryt=12")[0]["resolution"]["acts"] if act["adopted"] == "2016-01-15"]
    assert (krakow["number"], krakow["publication"]) == (
        "XVIII/243/16",
        "Dz. Urz. Woj. Małopolskiego z 2016 r. poz. 812",
    )
    assert "studylibpl.com" in hosts(krakow)
    (rest,) = [act for act in ask("teryt=30")[0]["resolution"]["acts"] if act["area"] == "voivodeship"]
    assert (rest["number"], "docplayer.pl" in hosts(rest)) == ("XXXIX/941/17", True)


def test_fireplaces_in_wroclaw(ask):
    (entry,) = ask("teryt=0264011")
    (row,) = [row for row in entry["resolution"]["deadlines"] if "czysteogrzewanie.pl" in hosts(row)]
    assert (row["date"], row["appliances"], row["exemptions"]) == ("2018-07-01", ["fireplace"], ["ecodesign"])
    assert (row["binds_requested_unit"], "jedno źródło" in row["caveat"]) == (True, True)


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
        assert entry["has_resolution"] is bool(record.parts["resolutions"]) is (resolution is not None)
        if resolution is None:
            continue
        assert all(resolution[key] for key in ("title", "publication", "summary"))
        assert len(resolution["acts"]) == len(record.parts["resolutions"])
        if len(record.parts["resolutions"]) == 1:
            (act,) = record.parts["resolutions"].values()
            assert resolution["text"] == (act["text_url"] or None)
        coming = [row["date"] for row in resolution["deadlines"] if row["date"] >= ON]
        following = resolution["next_deadline"]
        assert following["date"] == min(coming) if coming else following is None


def test_dates_moved_in_lodzkie(client, loaded, django_db_blocker):
    def boilers(on):
        with django_db_blocker.unblock():
            (entry,) = client.get(f"{URL}?voivodeship=lodzkie&on={on}").json()
        return [row["date"] for row in entry["resolution"]["deadlines"]]

    always = ["2018-05-01", "2020-01-01", "2022-01-01"]
    assert boilers("2022-11-21") == [*always, "2023-01-01", "2025-01-01", "2027-01-01"]
    assert boilers("2022-11-22") == [*always, "2025-01-01", "2026-01-01", "2028-01-01"]


@pytest.mark.parametrize("slug", ["malopolskie", "mazowieckie", "swietokrzyskie", "podlaskie"])
def test_calendars_equal_the_json(client, ask, django_db_blocker, slug):
    (entry,) = ask(f"voivodeship={slug}")
    with django_db_blocker.unblock():
        answer = client.get(f"{URL}/{slug}.ics?on={ON}")
    if not entry["resolution"]:
        assert answer.status_code == 404
        return
    events = icalendar.Calendar.from_ical(answer.content).walk("VEVENT")
    expected = entry["resolution"]["deadlines"]
    assert [(e.decoded("dtstart").isoformat(), str(e["location"])) for e in events] == [
        (row["date"], row["scope"]) for row in expected
    ]
    for event, row in zip(events, expected, strict=True):
        place, change, what = str(event["summary"]).removesuffix(" (niepewne)").split(": ", 2)
        assert (bool(place), bool(change), what) == (True, True, row["applies_to"])
    assert len({str(event["uid"]) for event in events}) == len(events)
