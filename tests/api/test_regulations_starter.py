"""GET /regulations over the starter data and the whole register."""

import pytest

from tests import factories
from tests.client import shared_rows
from tests.pages.reading import missing
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
def ask(client, loaded):
    def get(query, on=ON):
        answer = client.get(f"{URL}?{query}&on={on}")
        assert answer.status_code == 200
        return answer.json()

    return get


@pytest.fixture
def one(ask):
    """The legal state of a question that has one."""

    def get(query, on=ON):
        (entry,) = ask(query, on)
        return entry

    return get


def rows_of(entry, **values):
    """The deadlines of a state that have these values."""
    rows = entry["resolution"]["deadlines"]
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def deadlines(entry):
    return {
        (row["date"], row["applies_to"], row["scope"]): row["binds_requested_unit"]
        for row in entry["resolution"]["deadlines"]
    }


BAN = ("2019-09-01", "kotły, piece, kominki, stacjonarne grille", "Gmina Miejska Kraków")
REST = "województwo bez Krakowa i 7 gmin z uchwałami lokalnymi"


def test_the_total_ban_binds_krakow_and_the_deadlines_of_the_rest_do_not(one):
    entry = one("postcode=30-001")
    found = deadlines(entry)
    assert found.pop(BAN) is True
    assert set(found.values()) == {False}
    assert entry["requested_unit"]["next_deadline"] is None


def test_the_centre_of_nowy_targ_is_smaller_than_a_municipality(one):
    assert {binds for row, binds in deadlines(one("teryt=1211011")).items() if row != BAN} == {None}


def test_local_acts_bind_whole_municipalities(one):
    entry = one("teryt=1206113")
    binding = {row[2][:7]: binds for row, binds in deadlines(entry).items()}
    assert binding == {"Skawina": True, "wojewód": False, "Gmina M": False}
    assert entry["requested_unit"]["next_deadline"]["date"] == "2027-01-01"


def test_towns_of_pomorskie(one):
    for teryt, towns in (("2261011", True), ("2264011", False), ("2202032", False), ("2202023", None)):
        rows = rows_of(one(f"teryt={teryt}"), scope="miasta województwa bez Sopotu")
        assert {row["binds_requested_unit"] for row in rows} == {towns}, teryt


KOSAKOWO, TRABKI_WIELKIE, BRUSY = "2211052", "2204082", "2202023"
BELOW_3 = "kotły poniżej klasy 3 lub bez tabliczki znamionowej"
CLASS_3_4, CLASS_5 = "kotły klasy 3 i 4", "kotły klasy 5"


@pytest.mark.parametrize("teryt", [KOSAKOWO, TRABKI_WIELKIE])
def test_the_country_of_pomorskie(one, teryt):
    for days, following in (
        (("2024-08-31",), ("2024-09-01", BELOW_3)),
        (("2024-09-01", "2026-08-31"), ("2026-09-01", CLASS_3_4)),
        (("2026-09-01", "2035-06-30"), ("2035-07-01", CLASS_5)),
    ):
        for on in days:
            row = one(f"teryt={teryt}", on)["requested_unit"]["next_deadline"]
            assert (row["date"], row["applies_to"], row["binds_requested_unit"]) == (*following, True)
            assert (len(row["sources"]), hosts(row)) == (2, {"gminakosakowo.pl"})
    unit = one(f"teryt={teryt}", "2035-07-01")["requested_unit"]
    assert (unit["next_deadline"], unit["note"]) == (None, "Wszystkie znane terminy minęły.")


def test_the_country_of_a_town_and_country_municipality_is_a_part_of_it(one):
    rows = rows_of(one(f"teryt={BRUSY}"), scope="obszar poza miastami")
    assert [row["binds_requested_unit"] for row in rows] == [None] * 3


def test_about_old_fireplaces_outside_the_towns_of_pomorskie_sources_conflict(one):
    for teryt, binds in ((KOSAKOWO, None), (TRABKI_WIELKIE, None), ("2261011", False)):
        entry = one(f"teryt={teryt}")
        (old,), (new,) = rows_of(entry, kind="space_heaters"), rows_of(entry, kind="new_installations")
        assert (old["date"], old["binds_requested_unit"]) == ("2024-09-01", binds), teryt
        assert "gminakosakowo.pl" in hosts(old)
        assert not missing(old["caveat"], "sprzeczne", "Kosakowo", "Bobowo", "310/XXIV/20")
        assert "Kosakowo" in new["caveat"]
        assert "nie dotyczy" not in new["description"]


def test_boilers_of_class_3_and_4_in_mazowieckie(one):
    for teryt in ("1465011", "1402011", "1405011"):
        for on, left in (("2027-12-31", True), ("2028-01-01", False)):
            entry = one(f"teryt={teryt}", on)
            (row,) = rows_of(entry, applies_to=CLASS_3_4)
            assert (row["date"], row["binds_requested_unit"]) == ("2028-01-01", True)
            assert "klasy 5 mogą działać do końca żywotności" in row["description"]
            assert hosts(row) == {"starozreby.pl", "nasielsk.pl"}
            assert ((entry["requested_unit"]["next_deadline"] or {}).get("applies_to") == CLASS_3_4) is left


def test_states_that_wait_for_confirmation(one):
    for voivodeship, overdue in (("malopolskie", {CLASS_3_4}), ("opolskie", set()), ("mazowieckie", set())):
        entry = one(f"voivodeship={voivodeship}", "2026-11-22")
        assert entry["confirmation_overdue"] is bool(overdue), voivodeship
        assert {row["applies_to"] for row in rows_of(entry, confirmation_overdue=True)} == overdue


def test_the_dates_of_gorzow_are_not_known(one):
    unit = one("teryt=0861011")["requested_unit"]
    assert (unit["next_deadline"], unit["deadline_status"]) == (None, "dates_unknown")
    assert unit["note"].startswith("Terminów tej uchwały nie znamy.")


def bans(entry):
    """Return the codes of fuels banned in a unit, with their first days."""
    rows = entry["resolution"]["banned_fuels"]
    return {(code, row["from_date"]) for row in rows if row["binds_requested_unit"] for code in row["fuels"]}


def hosts(row):
    return {source["url"].split("/")[2] for source in row["sources"]}


def test_the_worst_fuels_are_named_each_with_its_day(one):
    """Mazowieckie and Opolskie: § 4 of act XXXII/367/2017."""
    worst = {"coal_sludge", "lignite", "fine_coal", "wet_biomass"}
    for teryt, since in (("1402011", "2018-07-01"), ("1661011", "2017-11-01")):
        entry = one(f"teryt={teryt}")
        assert {(code, since) for code in worst} <= bans(entry), teryt
        rows = [row for row in entry["resolution"]["banned_fuels"] if worst & {*row["fuels"]}]
        assert all(hosts(row) & {"starozreby.pl", "pawlowiczki.pl"} for row in rows)
        (deadline,) = rows_of(entry, kind="fuel_ban")
        assert (deadline["date"], {*deadline["fuels"]}) == (since, worst)
        assert "najgorszej jakości" not in str(entry)


def test_peat_came_with_the_amendment_of_opolskie(one):
    for on, there in (("2021-11-29", False), ("2021-11-30", True)):
        banned = bans(one("teryt=1661011", on))
        assert (("peat", None) in banned, ("lignite", "2017-11-01") in banned) == (there, True), on


def test_buildings_joined_to_district_heating_in_lodzkie(one):
    stoves = ("2022-01-01", "piece i kominki", "network_connection", {"um.kutno.pl"})
    for on, following in (
        ("2019-12-31", ("2020-01-01", "kotły", "network_connection", {"um.kutno.pl"})),
        ("2020-01-01", stoves),
        ("2021-12-31", stoves),
        ("2022-01-01", ("2023-01-01", "kotły pozaklasowe", "existing_boilers", {"miasto.zgierz.pl"})),
    ):
        row = one("teryt=1002011", on)["requested_unit"]["next_deadline"]
        found = (row["date"], row["applies_to"][: len(following[1])], row["kind"], hosts(row))
        assert (found, row["binds_requested_unit"]) == (following, True), on
        assert (row["conditions"] == ["district_heating_connected"]) is (row["kind"] == "network_connection")


def test_a_spa_is_a_part_of_its_municipality_in_dolnoslaskie(one):
    whole = {"0265011": True, "0264011": False}  # Wałbrzych and Wrocław
    for teryt in ("0210021", "0208063", "0202073", *whole):
        entry = one(f"teryt={teryt}")
        outside = {row["applies_to"]: row for row in rows_of(entry, date="2028-07-01")}["instalacje klasy 3 i 4"]
        assert outside["binds_requested_unit"] is whole.get(teryt), teryt
        spas = [row for row in rows_of(entry) if teryt in row["teryt_partly"] and row["teryt"]]
        assert [row["binds_requested_unit"] for row in spas] == ([] if teryt in whole else [None])
        assert teryt in whole or "część gminy" in " ".join(f"{row['caveat']}" for row in (*spas, outside))


def test_a_caveat_of_nowy_targ_does_not_concern_rabka(one):
    for teryt, own, other in (("1211011", "Nowym Targu", "Rabce"), ("1211123", "Rabce-Zdroju", "Nowym Targu")):
        caveats = [row["caveat"] for row in rows_of(one(f"teryt={teryt}")) if row["caveat"]]
        assert len(caveats) > 5
        assert all(own in caveat and other not in caveat for caveat in caveats)


def test_the_network_ban_of_2030_in_kujawsko_pomorskie(one):
    for teryt, binds in (("0407011", None), ("0401021", None), ("0461011", True), ("0407042", False)):
        (row,) = rows_of(one(f"teryt={teryt}", "2029-12-31"), date="2030-01-01")
        assert (row["binds_requested_unit"], row["conditions"]) == (binds, ["network_available"]), teryt
        assert ("części gminy" in row["caveat"], "sieć" in row["caveat"]) == (binds is None, True)
        assert {"bip.mogilno.pl", "mojwloclawek.pl"} <= hosts(row)


def test_acts_that_were_found(one):
    (krakow,) = [act for act in one("teryt=12")["resolution"]["acts"] if act["adopted"] == "2016-01-15"]
    published = (krakow["number"], krakow["publication"])
    assert published == ("XVIII/243/16", "Dz. Urz. Woj. Małopolskiego z 2016 r. poz. 812")
    assert "studylibpl.com" in hosts(krakow)
    (rest,) = [act for act in one("teryt=30")["resolution"]["acts"] if act["area"] == "voivodeship"]
    assert (rest["number"], "docplayer.pl" in hosts(rest)) == ("XXXIX/941/17", True)


def test_fireplaces_in_wroclaw(one):
    (row,) = [row for row in rows_of(one("teryt=0264011")) if "czysteogrzewanie.pl" in hosts(row)]
    assert (row["date"], row["appliances"], row["exemptions"]) == ("2018-07-01", ["fireplace"], ["ecodesign"])
    assert (row["binds_requested_unit"], "jedno źródło" in row["caveat"]) == (True, True)


def test_the_counties_around_warsaw(one):
    for teryt, earlier, later in (("1405", False, True), ("1465011", True, False), ("1402", False, False)):
        rows = rows_of(one(f"teryt={teryt}"), applies_to="wszystkie instalacje na węgiel")
        binding = {row["date"]: row["binds_requested_unit"] for row in rows}
        assert binding == {"2023-10-01": earlier, "2028-01-01": later}, teryt


def test_what_every_voivodeship_says_of_its_resolution(ask):
    states = ask("")
    assert len(states) == 16
    for resolution in (entry["resolution"] for entry in states if entry["has_resolution"]):
        assert all(resolution[name] for name in ("title", "publication", "summary"))


def test_dates_moved_in_lodzkie(one):
    always = ["2018-05-01", "2020-01-01", "2022-01-01"]
    for on, moved in (
        ("2022-11-21", ["2023-01-01", "2025-01-01", "2027-01-01"]),
        ("2022-11-22", ["2025-01-01", "2026-01-01", "2028-01-01"]),
    ):
        assert [row["date"] for row in rows_of(one("voivodeship=lodzkie", on))] == [*always, *moved]
