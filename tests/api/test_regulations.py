from datetime import date

import pytest

import regulations.snapshot
from catalog.models import Dataset, Municipality
from catalog.territory.snapshot import Territory
from fueldepot.data import snapshot
from regulations.models import Deadline, LegalState
from tests import factories
from tests.client import build_snapshots
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory, state_of

pytestmark = pytest.mark.django_db

URL = "/api/v1/regulations"


def ask(client, **query):
    answer = client.get(URL, {"on": "2026-11-21", **query})
    assert answer.status_code == 200, answer.content
    return answer.json()


def one(client, **query):
    (entry,) = ask(client, **query)
    return entry


def binding(entry):
    return {row["applies_to"]: row["binds_requested_unit"] for row in entry["resolution"]["deadlines"]}


# First those without the acts, which stays until the end of the module.


@pytest.mark.parametrize("as_of", [date(2026, 10, 1), date(2020, 1, 1)])
def test_the_summary_says_so_when_it_describes_other_rules_than_those_of_the_day(client, as_of):
    ResolutionFactory(state=state_of("12", as_of=as_of))
    DeadlineFactory(date=date(2023, 1, 1), valid_to=date(2022, 11, 22))
    DeadlineFactory(date=date(2025, 1, 1), valid_from=date(2022, 11, 22))
    FuelBanFactory(fuel="miał", valid_to=date(2022, 11, 22))
    AmendmentFactory(resolution=ResolutionFactory(state=state_of("24")), adopted=date(2027, 1, 1))  # elsewhere
    LegalState.objects.update(note="Obowiązuje jedna uchwała.")
    later = "Opis stanu późniejszego niż na 21.11.2022: "
    for on, prefix in (("2022-11-21", later), ("2022-11-22", ""), ("2026-11-21", "")):
        entry = one(client, on=on, voivodeship="12")
        assert entry["resolution"]["summary"] == f"{prefix}Co i do kiedy wolno."
        assert entry["note"] == f"{prefix}Obowiązuje jedna uchwała."
        assert entry["describes_later_state"] is bool(prefix)
        assert [ban["fuel"] for ban in entry["resolution"]["banned_fuels"]] == (["miał"] if prefix else [])


def test_the_text_is_null_when_the_address_of_the_widest_act_is_unknown(client):
    ResolutionFactory(krakow=True)
    ResolutionFactory(text_url="", excluded=["1261011"], scope="województwo bez Krakowa")
    assert one(client)["resolution"]["text"] is None


@pytest.mark.parametrize("query", [{"teryt": "20"}, {"voivodeship": "podlaskie"}, {"on": "2016-01-01"}])
def test_a_voivodeship_whose_state_was_never_imported(client, query):
    factories.VoivodeshipFactory(teryt="20", name="podlaskie")
    entry = one(client, **query)
    assert (entry["has_resolution"], entry["resolution"], entry["as_of"]) == (None, None, None)
    assert entry["note"].startswith("Stanu prawnego tego województwa jeszcze nie wczytano")
    assert entry["confirmation_overdue"] is entry["confirmed_days_ago"] is None


def test_a_deadline_within_a_year_in_a_state_that_nobody_has_confirmed(client):
    factories.krakow(), factories.zakopane()
    DeadlineFactory(outside_krakow=True, date=date(2027, 1, 1))
    DeadlineFactory(date=date(2030, 1, 1))
    for on, as_of, overdue in (
        ("2026-01-01", "2025-07-04", True),  # 181 days after, 365 before
        ("2026-01-01", "2025-07-05", False),  # 180 days after
        ("2025-12-31", "2025-07-03", False),  # 366 days before
        ("2026-12-31", "2025-07-04", True),  # the last day before
        ("2027-01-01", "2025-07-04", False),  # it holds
    ):
        LegalState.objects.update(as_of=as_of)
        entry = one(client, teryt="1217011", on=on)
        assert entry["confirmation_overdue"] is entry["requested_unit"]["confirmation_overdue"] is overdue, (on, as_of)
        assert [row["confirmation_overdue"] for row in entry["resolution"]["deadlines"]] == [overdue, False]
        assert entry["confirmed_days_ago"] == (date.fromisoformat(on) - date.fromisoformat(as_of)).days
        krakow = one(client, teryt="1261011", on=on)
        assert (krakow["confirmation_overdue"], krakow["requested_unit"]["confirmation_overdue"]) == (overdue, False)
        short = one(client, teryt="1261011", on=on, binding="1")
        assert short["confirmation_overdue"] is short["requested_unit"]["confirmation_overdue"] is False


def test_without_a_next_deadline_the_unit_says_why(client):
    factories.krakow(), ResolutionFactory(krakow=True)
    unknown = ("dates_unknown", "Terminów tej uchwały nie znamy.")
    for rows, (status, note) in (
        ([], unknown),
        ([{"krakow": True, "kind": "new_installations"}], unknown),
        ([{"outside_krakow": True}], unknown),
        ([{"krakow": True}], ("passed", "Wszystkie znane terminy minęły.")),
    ):
        Deadline.objects.all().delete()
        for row in rows:
            DeadlineFactory(date=date(2019, 9, 1), **row)
        unit = one(client, teryt="1261011", on="2019-09-02")["requested_unit"]
        assert (unit["next_deadline"], unit["deadline_status"]) == (None, status), rows
        assert unit["note"].startswith(note)


def test_of_an_uncertain_rule_nobody_knows_whether_it_binds(client):
    factories.krakow()
    DeadlineFactory(uncertain=True, caveat="Źródła są sprzeczne.")
    DeadlineFactory(uncertain=True, outside_krakow=True)
    rows = one(client, teryt="1261011")["resolution"]["deadlines"]
    assert [row["binds_requested_unit"] for row in rows] == [None, False]


def test_of_several_acts_each_keeps_its_title_and_a_caveat_stands_once(client):
    factories.krakow()
    ResolutionFactory(scope="województwo", caveat="Bez strefy A.")
    ResolutionFactory(krakow=True, title="Uchwała dla Krakowa")
    for year in (2027, 2028):
        DeadlineFactory(date=date(year, 1, 1), scope="województwo", caveat="Bez strefy A.")
    resolution = one(client, teryt="1261011", binding="1")["resolution"]
    assert [act["title"] for act in resolution["acts"]] == ["Uchwała o ograniczeniach", "Uchwała dla Krakowa"]
    caveats = [(row["scope"], row.get("caveat")) for row in resolution["deadlines"]]
    assert caveats == [("województwo", "Bez strefy A."), ("województwo", None)]


def test_a_caveat_about_a_part_or_about_one_municipality_stands_where_that_is_bound(client):
    factories.zakopane(), factories.nowy_targ_rural(), factories.krakow()
    text = "1211092 | Tylko wieś.\n\n\t1261011\N{NO-BREAK SPACE}| Tylko rynek.\nPytaj."
    scope = {"partly": ["1211092", "1261011"], "caveat": "Są różne.", "part_caveat": text}
    ResolutionFactory(**scope), DeadlineFactory(**scope)
    # The code of the last line left the scope when the municipality got another: its text stands in every part.
    FuelBanFactory(**scope | {"caveat": "", "part_caveat": "1211093 | Tylko wieś.\n1206011 | Tylko las."})
    for query, rule, ban in (
        ({"teryt": "1217011"}, "Są różne.", None),
        ({"teryt": "1211092"}, "Są różne. Tylko wieś. Pytaj.", "Tylko wieś. Tylko las."),
        ({"teryt": "1211"}, "Są różne. Tylko wieś. Pytaj.", "Tylko wieś. Tylko las."),
        ({"teryt": "1261011"}, "Są różne. Tylko rynek. Pytaj.", "Tylko las."),
        ({"teryt": "12"}, "Są różne. Tylko wieś. Tylko rynek. Pytaj.", "Tylko wieś. Tylko las."),
        ({"voivodeship": "12"}, "Są różne. Tylko wieś. Tylko rynek. Pytaj.", "Tylko wieś. Tylko las."),
    ):
        parts = one(client, **query)["resolution"]
        rows = [row["caveat"] for name in ("acts", "deadlines", "banned_fuels") for row in parts[name]]
        assert rows == [rule, rule, ban], query
    assert client.get("/api/v1/deadlines?from=2026-11-21").json()[0]["caveat"] == rule
    calendar = client.get(f"{URL}/malopolskie.ics?teryt=1211092&on=2026-11-21").content.decode()
    assert ("Tylko wieś." in calendar, "Tylko rynek." in calendar) == (True, False)


def test_where_no_act_binds_there_is_no_resolution_of_the_unit(client):
    factories.krakow(), factories.zakopane()
    ResolutionFactory(krakow=True)
    DeadlineFactory(krakow=True)
    short = one(client, teryt="1217011", binding="1", on="2019-08-31", appliance="stove")
    assert (short["has_resolution"], short["resolution"]) == (True, None)
    unit, check = short["requested_unit"], short["requested_appliance"]
    assert (unit["next_deadline"], unit["deadline_status"], check["status"]) == (None, *["no_resolution"] * 2)
    assert unit["note"] == "Żadna uchwała tego województwa tu nie obowiązuje."
    assert check["sentence"] == f"Zakopane, piec lub koza: wolno używać. {unit['note']}"
    assert one(client, on="2019-08-31")["resolution"]["deadline_status"] == "upcoming"


def test_before_the_act_of_its_own_a_unit_is_not_without_one(client):
    """The act of the voivodeship leaves it out for a later one, so that nothing is known of the time between."""
    factories.krakow()
    ResolutionFactory(excluded=["1261011"], adopted=date(2017, 1, 23))
    ResolutionFactory(krakow=True, adopted=date(2021, 9, 27))
    DeadlineFactory(krakow=True, appliances=["stove"], date=date(2023, 1, 1))
    for on, status in (("2017-01-22", "no_resolution"), ("2021-09-26", "dates_unknown"), ("2021-09-27", "upcoming")):
        entry = one(client, teryt="1261011", on=on, appliance="stove")
        assert entry["requested_unit"]["deadline_status"] == status
        assert entry["requested_appliance"]["status"] == {"upcoming": "ends"}.get(status, status)


def test_an_amendment_of_which_nothing_is_known_is_named_as_such(client):
    act = ResolutionFactory(publication="Dz. Urz. poz. 1")
    AmendmentFactory(resolution=act, number="", adopted=None, publication="")
    (entry,) = client.get("/api/v1/regulations?voivodeship=malopolskie").json()
    assert entry["resolution"]["publication"] == "Dz. Urz. poz. 1, zm. uchwałą o nieznanym numerze"


def test_country_golden(client, golden, acts):
    factories.VoivodeshipFactory(teryt="20", name="podlaskie")
    state_of("28", "warmińsko-mazurskie", note="Nie ma uchwały.")
    golden("regulations_country", ask(client))


def test_a_municipality_left_out_is_not_bound_and_its_neighbour_is(client, acts):
    zakopane, krakow = one(client, teryt="1217011"), one(client, teryt="1261011")
    here = {"wszystkie paliwa stałe": True, "kotły bezklasowe": False, "kotły klasy 3 i 4": False}
    assert (binding(krakow), binding(zakopane)) == (here, {what: not binds for what, binds in here.items()})
    assert krakow["resolution"]["next_deadline"]["date"] == "2027-01-01"
    assert krakow["requested_unit"]["next_deadline"] is None
    FuelBanFactory(fuel="węgiel", area="listed", units=["1261011"], scope="Kraków")
    bans = one(client, teryt="1217011")["resolution"]["banned_fuels"]
    assert {ban["fuel"]: ban["binds_requested_unit"] for ban in bans} == {"muły węglowe": True, "węgiel": False}


def test_a_unit_that_is_bound_in_part_a_county_that_is_like_its_municipalities_and_no_unit(client, acts):
    entry = one(client, teryt="12")
    assert set(binding(entry).values()) == {None} == set(binding(one(client, teryt="12", binding="1")).values())
    assert entry["requested_unit"]["next_deadline"]["date"] == "2027-01-01"
    assert entry["requested_unit"]["level"] == "voivodeship"
    entry = one(client, teryt="1217")
    assert binding(entry) == binding(one(client, teryt="1217011"))
    unit = entry["requested_unit"]
    assert (unit["level"], unit["name"]) == ("county", "tatrzański")
    assert unit["url"] == "http://127.0.0.1:8000/sklady/malopolskie/"
    for entry in (one(client, voivodeship="malopolskie"), *ask(client)):
        assert "requested_unit" not in entry
        assert "binds_requested_unit" not in entry["resolution"]["deadlines"][0]


def test_every_way_to_a_voivodeship_gives_the_same_state(client, acts):
    factories.PostcodeFactory(code="34-500", shares=[(factories.zakopane(), 5)])

    def state(**query):
        resolution = one(client, **query)["resolution"]
        for row in (*resolution["deadlines"], *resolution["banned_fuels"], resolution["next_deadline"]):
            row.pop("binds_requested_unit", None)
        return resolution

    expected = state(voivodeship="malopolskie")
    for query in ({"voivodeship": "12"}, {"teryt": "12"}, {"teryt": "1217"}, {"teryt": "1217011"}):
        assert state(**query) == expected
    assert state(postcode="34500") == expected


def test_acts_and_amendments_count_from_their_adoption(client, acts):
    LegalState.objects.update(note="Obowiązują dwie uchwały.")
    entry = one(client, on="2016-01-14")
    assert (entry["has_resolution"], entry["describes_later_state"]) == (False, True)
    assert entry["note"] == "Opis stanu późniejszego niż na 14.01.2016: Obowiązują dwie uchwały."
    assert one(client)["note"] == "Obowiązują dwie uchwały."
    assert [act["scope"] for act in one(client, on="2016-01-15")["resolution"]["acts"]] == ["Gmina Miejska Kraków"]
    assert one(client, on="2022-09-25")["resolution"]["acts"][0]["amendments"] == []
    assert len(one(client, on="2022-09-26")["resolution"]["acts"][0]["amendments"]) == 1


def test_a_postcode_asks_for_its_largest_municipality_in_each_voivodeship_behind_teryt(client, acts):
    shares = [(factories.nowy_targ_rural(), 2), (factories.krakow(), 7), (factories.zakopane(), 7)]
    factories.PostcodeFactory(code="34-400", shares=shares)
    unit = one(client, postcode="34-400")["requested_unit"]
    assert (unit["name"], unit["teryt"], unit["level"]) == ("Zakopane", "1217011", "municipality")
    assert unit["url"] == "http://127.0.0.1:8000/sklady/malopolskie/zakopane-1217011/"
    factories.PostcodeFactory(code="43-300", shares=[(factories.bielsko_biala(), 9), (factories.zakopane(), 1)])
    factories.VoivodeshipFactory(teryt="14")
    found = ask(client, postcode="43-300", voivodeship="14")
    named = [(entry["teryt"], entry["requested_unit"]["name"]) for entry in found]
    assert named == [("12", "Zakopane"), ("24", "Bielsko-Biała")]
    assert one(client, teryt="1261011", postcode="43-300", voivodeship="14")["teryt"] == "12"


def test_municipality_golden_whole_and_what_binds(client, golden, acts):
    answer = client.get(URL, {"teryt": "1217011", "on": "2026-11-21"})
    golden("regulations_zakopane", answer.json())
    golden("regulations_zakopane_binding", ask(client, teryt="1217011", binding="1"))


def test_a_request_tests_no_code_of_a_rule(client, acts, monkeypatch):
    DeadlineFactory(area="listed", units=["1261"], partly=["1217011"], date=date(2025, 1, 1), kind="space_heaters")
    build_snapshots()
    monkeypatch.setattr(regulations.snapshot, "binds_municipality", lambda *_: pytest.fail("worked out for a request"))
    monkeypatch.setattr(Territory, "municipalities_in", lambda *_: pytest.fail("worked out for a request"))
    for query in ({"teryt": "12"}, {"teryt": "1217"}, {"teryt": "1261011", "binding": "1", "appliance": "stove"}, {}):
        for on in ("2026-11-21", "2030-01-01"):
            assert ask(client, **query, on=on)


def test_a_change_of_the_register_is_a_change_of_what_binds(acts):
    states = snapshot.refresh()
    Municipality.objects.exclude(pk="1217011").delete()
    Dataset.objects.bump_version(Dataset.Slug.UNITS)
    reach = [state.copies[regulations.snapshot.states][1]["12"].reach for state in (states, snapshot.refresh())]
    assert [codes.keys() & {"1261011", "1217011"} for codes in reach] == [{"1261011", "1217011"}, {"1217011"}]
