"""Tools about resolutions and their deadlines."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from catalog.starter import read_units
from catalog.text import slug
from pages.regulations import regulation_page
from regulations.models import LegalState
from tests import factories
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory, state_of

pytestmark = pytest.mark.django_db

NO_BREAK = "\N{NO-BREAK SPACE}"

RULES = ("rules_at", {"teryt": "1217011", "on": "2026-11-22"})

# First those without the country, which stays until the end of the module.


def test_the_states_of_all_voivodeships_fit_in_one_answer(call):
    names = {unit.teryt: unit.name for unit in read_units() if len(unit.teryt) == 2}
    for teryt, name in names.items():
        state = state_of(teryt, name)
        if name != "łódzkie":
            ResolutionFactory(state=state, publication=f"Dz. Urz. Woj. {name} z 2017 r. poz. 787")
            DeadlineFactory(state=state, date=date(2027, 1, 1))
    for as_of, stale in ((date(2026, 10, 1), ""), (date(2020, 1, 1), "16 voivodeships:")):
        LegalState.objects.update(as_of=as_of)
        body = call(("states", {"on": "2026-11-22"}))
        assert "left_out" not in body
        rows = body["answer"]["states"]
        assert [row.partition(",")[0] for row in rows] == [slug(name) for name in names.values()]
        assert {f"malopolskie,true,2027-01-01,{as_of}", f"lodzkie,false,null,{as_of}"} < {*rows}
        assert body.get("stale", "").partition(" not")[0] == stale


def test_a_deadline_says_what_it_means_and_what_is_uncertain(call, country):
    text = "Nie wolno palić węglem po 1 stycznia 2028 r. w kotłach. Wolno używać gazu."
    caveat = "Źródła różnią się co do drewna."
    for year in (2028, 2029):
        DeadlineFactory(date=date(year, 1, 1), applies_to="wszystkie instalacje", description=text, caveat=caveat)
    plain, first, second = call(RULES)["answer"][0]["deadlines"]
    assert (plain["description"], "caveat" in plain) == ("Nie wolno ich używać.", False)
    assert first["description"] == "Nie wolno palić węglem po 1 stycznia 2028 r. w kotłach. […]"
    assert (first["caveat"], "caveat" in second) == (caveat, False)


def test_descriptions_give_way_before_deadlines(call, country):
    for year in (2028, 2029, 2030):
        DeadlineFactory(date=date(year, 1, 1), description="Nie wolno używać kotłów, które nie mają klasy 5. " * 5)
    for year in (2031, 2032):
        DeadlineFactory(date=date(year, 1, 1), description="Nie wolno używać kotłów" + " i pieców" * 20)
    rows = call(RULES)["answer"][0]["deadlines"]
    assert len(rows) == 6
    assert "description" in rows[0]
    assert "description" not in rows[-1]


def test_deadlines_of_the_requested_appliance_come_first(call, country):
    for year in (2028, 2029, 2030):
        DeadlineFactory(date=date(year, 1, 1), applies_to="kotły klasy 5", appliances=["boiler_class_5"])
    about = {"date": date(2024, 5, 1), "applies_to": "kominki", "appliances": ["fireplace"]}
    DeadlineFactory(**about, exemptions=["ecodesign"], description="Nie wolno używać kominków. " + "Wyjątki. " * 90)
    name, arguments = RULES
    answer = call((name, arguments | {"appliance": "fireplace"}))["answer"][0]
    assert answer["status"] == "ended"
    assert [row["what"] for row in answer["deadlines"]] == ["kominki", "kotły klasy 3 i 4", *["kotły klasy 5"] * 3]


def test_a_citation_of_a_former_state_has_its_day(call, country):
    (name, arguments), on = RULES, date(2016, 1, 1)
    LegalState.objects.update(as_of=date(2024, 4, 30))
    former, present = call((name, arguments | {"on": on.isoformat()}), RULES)
    assert former["answer"][0]["has_resolution"] is False
    assert "Zakopane, województwo małopolskie, w dniu 1 stycznia 2016" in former["cite"].replace(NO_BREAK, " ")
    assert "w dniu" not in present["cite"]


def test_deadlines_of_the_country_are_cut_to_the_limit_and_counted(call, country):
    for year in range(2028, 2038):
        DeadlineFactory(date=date(year, 1, 1), applies_to="kotły bezklasowe", caveat="Źródła różnią się co do drewna.")
    country_wide, later = call(
        ("deadlines", {"from": "2026-11-22"}),
        ("deadlines", {"from": "2030-01-01", "to": "2030-12-31", "voivodeship": "małopolskie"}),
    )
    rows = country_wide["answer"]["deadlines"]
    assert (country_wide["answer"]["total"], country_wide["answer"]["next_offset"]) == (11, len(rows))
    assert [row["from"] for row in rows] == sorted(row["from"] for row in rows)
    assert 3 <= len(rows) <= 6
    (row,) = later["answer"]["deadlines"]
    assert (row["from"], row["voivodeship"]) == ("2030-01-01", "malopolskie")
    assert row["caveat"] == "Źródła różnią się co do drewna."


def test_every_deadline_is_on_one_page(call, country):
    for number in range(10):
        what = f"kotły {number} " + "bezklasowe " * 15
        DeadlineFactory(date=date(2028, 1, 1), applies_to=what, caveat="Źródła różnią się. " * 20)
    offset, names = 0, []
    while offset is not None:
        body = call(("deadlines", {"from": "2028-01-01", "to": "2028-01-01", "offset": offset}))
        assert "left_out" not in body
        names += [row["what"] for row in body["answer"]["deadlines"]]
        offset = body["answer"]["next_offset"]
    assert len(names) == len(set(names)) == 10


@pytest.mark.parametrize(("age_days", "stale"), [(180, False), (181, True)])
def test_an_old_legal_state_is_marked(call, country, age_days, stale):
    LegalState.objects.update(as_of=timezone.localdate() - timedelta(age_days))
    bodies = call(("rules_at", {"teryt": "1217011"}), ("deadlines", {"from": "2026-11-22"}))
    warning = "malopolskie: not confirmed for over 180" if stale else ""
    assert {body.get("stale", "").partition(" days")[0] for body in bodies} == {warning}


@pytest.mark.usefixtures("the_day")
def test_a_citation_rests_on_the_rows_that_are_shown(call, country):
    """Rows of the second voivodeship, confirmed long ago, do not fit."""
    slaskie = LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="24"), as_of=date(2020, 1, 1))
    ResolutionFactory(state=slaskie, publication="Dz. Urz. Woj. Śląskiego")
    for _ in range(5):
        DeadlineFactory(date=date(2028, 1, 1), applies_to="kotły bezklasowe " * 10)
    DeadlineFactory(state=slaskie, date=date(2029, 1, 1), applies_to="kotły")
    first, both = call(("deadlines", {"from": "2028-01-01"}), ("deadlines", {"from": "2028-01-01", "offset": 4}))
    assert {row["voivodeship"] for row in first["answer"]["deadlines"]} == {"malopolskie"}
    assert (first["as_of"], "2020" in first["cite"], "stale" in first) == ("2026-10-01", False, False)
    assert ("Śląskiego" in first["source"], first["page"][-22:]) == (False, "/przepisy/malopolskie/")
    assert {row["voivodeship"] for row in both["answer"]["deadlines"]} == {"malopolskie", "slaskie"}
    assert (both["as_of"], both["stale"].partition(":")[0]) == ("2020-01-01", "slaskie")
    assert "stan na dni od 1 stycznia 2020 r. do 1 października 2026 r." in both["cite"].replace(NO_BREAK, " ")
    assert both["page"] == "http://127.0.0.1:8000/przepisy/"


@pytest.mark.usefixtures("the_day")
def test_rules_are_cited_as_their_page_cites_them(call, country):
    codes = ("1217011", "1217", "12")
    *bodies, country_wide = call(*(("rules_at", {"teryt": code}) for code in codes), ("deadlines", {}))
    for body, query in zip([*bodies, country_wide], (*(f"teryt={code}" for code in codes), ""), strict=True):
        page = regulation_page("malopolskie", query, timezone.localdate())
        assert body["cite"] == page.citation.removesuffix(f", {page.quoted_status}")
    units = [body["answer"][0]["unit"] for body in bodies]
    assert units == ["Zakopane (1217011)", "powiat tatrzański (1217)", "województwo małopolskie (12)"]
    assert "Uchwała antysmogowa: powiat tatrzański, województwo małopolskie" in bodies[1]["cite"]
