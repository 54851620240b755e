"""The law of the starter data over the whole register: what GET /regulations answers, and which appliances it ends."""

from datetime import date

import pytest
from django.core.management import CommandError

from regulations.appliance_check import ApplianceStatus, is_about_part
from regulations.codes import Appliance, Condition, Exemption
from regulations.snapshot import states
from regulations.state_files import DATA, find_files
from tests import factories
from tests.client import build_snapshots, shared_rows
from tests.pages.reading import missing
from tests.regulations.importers.test_sync import counts, counts_in, run
from tests.regulations.loading import check, load_files

pytestmark = pytest.mark.django_db

URL = "/api/v1/regulations"
ON = "2026-11-21"


@shared_rows
def loaded():
    load_files()
    factories.PostcodeFactory(code="30-001")
    factories.PostcodeFactory(code="34-500", shares=[(factories.zakopane(), 3)])


@pytest.fixture
def one(client, loaded):
    """The legal state of a question that has one."""

    def get(query, on=ON):
        (entry,) = client.get(f"{URL}?{query}&on={on}").json()
        return entry

    return get


def rows_of(entry, **values):
    rows = entry["resolution"]["deadlines"]
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def deadlines(entry):
    return {
        (row["date"], row["applies_to"], row["scope"]): row["binds_requested_unit"]
        for row in entry["resolution"]["deadlines"]
    }


def test_the_files_of_the_project_come_in_whole_and_only_once(loaded, tmp_path):
    whole = counts_in(*find_files([DATA]))
    assert counts() == whole
    assert f"0 added, 0 changed, 0 removed, {sum(whole)} unchanged, 0 skipped, 0 rejected" in run(DATA, "--commit")
    # A file that broke off is little beside the whole country, and refused all the same.
    file = (DATA / "kujawsko-pomorskie.yaml").read_text(encoding="utf-8")
    cut = tmp_path / "kujawsko-pomorskie.yaml"
    cut.write_text(file[: file.index("\ndeadlines:") + 1], encoding="utf-8")
    with pytest.raises(CommandError, match=r"kujawsko-pomorskie\.yaml: .*--allow-removals"):
        run(cut, "--commit")
    assert counts() == whole


BAN = ("2019-09-01", "kotły, piece, kominki, stacjonarne grille", "Gmina Miejska Kraków")


def test_the_total_ban_binds_krakow_and_the_deadlines_of_the_rest_do_not_and_local_acts_whole_municipalities(one):
    entry = one("postcode=30-001")
    found = deadlines(entry)
    assert found.pop(BAN) is True
    assert set(found.values()) == {False}
    assert entry["requested_unit"]["next_deadline"] is None
    entry = one("teryt=1206113")
    binding = {row[2][:7]: binds for row, binds in deadlines(entry).items()}
    assert binding == {"Skawina": True, "wojewód": False, "Gmina M": False}
    assert entry["requested_unit"]["next_deadline"]["date"] == "2027-01-01"
    # The centre of Nowy Targ is smaller than a municipality.
    assert {binds for row, binds in deadlines(one("teryt=1211011")).items() if row != BAN} == {None}


def test_towns_of_pomorskie(one):
    for teryt, towns in (("2261011", True), ("2264011", False), ("2202032", False), ("2202023", None)):
        rows = rows_of(one(f"teryt={teryt}"), scope="miasta województwa bez Sopotu")
        assert {row["binds_requested_unit"] for row in rows} == {towns}, teryt


KOSAKOWO, TRABKI_WIELKIE = "2211052", "2204082"
ROW_BELOW_3 = "kotły poniżej klasy 3 lub bez tabliczki znamionowej"
ROW_3_4, ROW_5 = "kotły klasy 3 i 4", "kotły klasy 5"


@pytest.mark.parametrize("teryt", [KOSAKOWO, TRABKI_WIELKIE])
def test_the_country_of_pomorskie(one, teryt):
    for days, following in (
        (("2024-08-31",), ("2024-09-01", ROW_BELOW_3)),
        (("2024-09-01", "2026-08-31"), ("2026-09-01", ROW_3_4)),
        (("2026-09-01", "2035-06-30"), ("2035-07-01", ROW_5)),
    ):
        for on in days:
            row = one(f"teryt={teryt}", on)["requested_unit"]["next_deadline"]
            assert (row["date"], row["applies_to"], row["binds_requested_unit"]) == (*following, True)
            assert (len(row["sources"]), hosts(row)) == (2, {"gminakosakowo.pl"})
    unit = one(f"teryt={teryt}", "2035-07-01")["requested_unit"]
    assert (unit["next_deadline"], unit["note"]) == (None, "Wszystkie znane terminy minęły.")


def test_about_old_fireplaces_outside_the_towns_of_pomorskie_sources_conflict(one):
    for teryt, binds in ((KOSAKOWO, None), (TRABKI_WIELKIE, None), ("2261011", False)):
        entry = one(f"teryt={teryt}")
        (old,), (new,) = rows_of(entry, kind="space_heaters"), rows_of(entry, kind="new_installations")
        assert (old["date"], old["binds_requested_unit"]) == ("2024-09-01", binds), teryt
        assert "gminakosakowo.pl" in hosts(old)
        assert not missing(old["caveat"], "sprzeczne", "Kosakowo", "Bobowo", "310/XXIV/20")
        assert "Kosakowo" in new["caveat"]
        assert "nie dotyczy" not in new["description"]
    (limit,) = one(f"teryt={KOSAKOWO}&appliance=fireplace")["requested_appliance"]["limits"]
    freed = "chyba że spełnia ekoprojekt albo uruchomiono go 30 października 2020 r. lub później"
    assert f"{freed}, ale źródła nie mówią o tym jednoznacznie. Co do" in " ".join(limit["sentence"].split())


def test_boilers_of_class_3_and_4_in_mazowieckie(one):
    for teryt in ("1465011", "1402011", "1405011"):
        for on, left in (("2027-12-31", True), ("2028-01-01", False)):
            entry = one(f"teryt={teryt}", on)
            (row,) = rows_of(entry, applies_to=ROW_3_4)
            assert (row["date"], row["binds_requested_unit"]) == ("2028-01-01", True)
            assert "klasy 5 mogą działać do końca żywotności" in row["description"]
            assert hosts(row) == {"starozreby.pl", "nasielsk.pl"}
            assert ((entry["requested_unit"]["next_deadline"] or {}).get("applies_to") == ROW_3_4) is left


def test_states_that_wait_for_confirmation(one):
    for voivodeship, overdue in (("malopolskie", {ROW_3_4}), ("opolskie", set()), ("mazowieckie", set())):
        entry = one(f"voivodeship={voivodeship}", "2026-11-22")
        assert entry["confirmation_overdue"] is bool(overdue), voivodeship
        assert {row["applies_to"] for row in rows_of(entry, confirmation_overdue=True)} == overdue


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
    assert (row["date"], row["unclear_appliances"], row["exemptions"]) == ("2018-07-01", ["fireplace"], ["ecodesign"])
    assert (row["binds_requested_unit"], "jedno źródło" in row["caveat"]) == (True, True)


def test_the_counties_around_warsaw(one):
    for teryt, earlier, later in (("1405", False, True), ("1465011", True, False), ("1402", False, False)):
        rows = rows_of(one(f"teryt={teryt}"), applies_to="wszystkie instalacje na węgiel")
        binding = {row["date"]: row["binds_requested_unit"] for row in rows}
        assert binding == {"2023-10-01": earlier, "2028-01-01": later}, teryt


def test_what_every_voivodeship_says_of_its_resolution(client, loaded):
    states = client.get(f"{URL}?on={ON}").json()
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


BELOW_3, CLASS_3, CLASS_5 = Appliance.BOILER_BELOW_CLASS_3, Appliance.BOILER_CLASS_3, Appliance.BOILER_CLASS_5
ECODESIGN, FIREPLACE, STOVE = Appliance.BOILER_ECODESIGN, Appliance.FIREPLACE, Appliance.STOVE
NOW = "2026-11-22"


def decided(found):
    return found.deciding and found.deciding.deadline.date.isoformat()


@pytest.fixture
def starter(loaded, db):
    build_snapshots()


def test_status_and_day(starter):
    for teryt, appliance, on, status, day in (
        # Zakopane: both sides of the day
        ("1217011", CLASS_3, "2026-12-31", ApplianceStatus.ENDS, "2027-01-01"),
        ("1217011", CLASS_3, "2027-01-01", ApplianceStatus.ENDED, "2027-01-01"),
        ("1217011", BELOW_3, NOW, ApplianceStatus.ENDED, "2024-05-01"),
        ("1217011", CLASS_5, NOW, ApplianceStatus.STAYS, None),
        ("1217011", ECODESIGN, NOW, ApplianceStatus.NOT_NAMED, None),
        # Kraków: everything has ended
        ("1261011", ECODESIGN, NOW, ApplianceStatus.ENDED, "2019-09-01"),
        # Śląskie: by age, the youngest last
        ("2469011", BELOW_3, "2025-12-31", ApplianceStatus.ENDS, "2026-01-01"),
        ("2469011", BELOW_3, "2026-01-01", ApplianceStatus.ENDED, "2026-01-01"),
        ("2469011", CLASS_5, NOW, ApplianceStatus.STAYS, None),
        # Gorzów: the act is known, its dates are not
        ("0861011", CLASS_3, NOW, ApplianceStatus.DATES_UNKNOWN, None),
        # Lubuskie outside: sources contradict each other about class 5
        ("0804011", CLASS_5, NOW, ApplianceStatus.CONTRADICTED, None),
        ("0804011", CLASS_3, NOW, ApplianceStatus.ENDS, "2027-01-01"),
        # Podlaskie has no act
        ("2061011", CLASS_3, NOW, ApplianceStatus.NO_RESOLUTION, None),
        # Mazowieckie
        ("1402011", CLASS_3, NOW, ApplianceStatus.ENDS, "2028-01-01"),
        ("1402011", CLASS_5, NOW, ApplianceStatus.STAYS, None),
        # Zachodniopomorskie: nothing is known of fireplaces
        ("3262011", FIREPLACE, NOW, ApplianceStatus.NOT_NAMED, None),
        # Nowy Targ and Brusy: two acts divide the municipality, both on the same day
        ("1211011", CLASS_3, NOW, ApplianceStatus.ENDS, "2027-01-01"),
        ("2202023", CLASS_3, "2026-08-31", ApplianceStatus.ENDS, "2026-09-01"),
        # Skawina: on that day the act of the voivodeship bound it, which leaves it out for one of 2021
        ("1206113", BELOW_3, "2019-01-01", ApplianceStatus.DATES_UNKNOWN, None),
        # Kosakowo: sources contradict each other about old fireplaces
        ("2211052", FIREPLACE, NOW, ApplianceStatus.CONTRADICTED, None),
    ):
        found = check(teryt, appliance, on)
        assert (found.status, decided(found)) == (status, day), (teryt, appliance)


def test_what_ends_everywhere_on_one_day_by_two_acts_names_both_and_asks_nothing(starter):
    """Nowy Targ, Brusy and Niemcza: one rule alone would leave a part of the municipality out."""
    for teryt, day in (("1211011", "2027-01-01"), ("2202023", "2026-09-01"), ("0202073", "2028-07-01")):
        for on in (NOW, "2026-08-31", "2029-01-01"):
            found = check(teryt, CLASS_3, on)
            assert (decided(found), found.limited, found.undecided) == (day, (found.counterpart,), None), teryt
            assert is_about_part(found.counterpart.deadline) is not is_about_part(found.deciding.deadline)
    # Boilers without a class ended in the centre of Nowy Targ before they did elsewhere, and that is told.
    found = check("1211011", BELOW_3)
    (part,) = found.limited
    assert (decided(found), found.counterpart) == ("2024-05-01", None)
    assert (part.deadline.date, part.binds) == (date(2023, 1, 1), None)


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


def test_a_fireplace_in_wroclaw_may_need_ecodesign_already(starter):
    (earlier,) = check("0264011", FIREPLACE).limited
    assert (earlier.deadline.date, earlier.contradicted) == (date(2018, 7, 1), True)
    assert not check("0264011", STOVE).limited


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
    """Whatever is answered, the questions stop, and none is asked again, in a municipality of each kind."""
    kinds = {id(reach): teryt for state in states.get().values() for teryt, reach in state.reach.items() if teryt[6:]}
    asked = 0
    for teryt in kinds.values():
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
