import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.utils import timezone

from catalog.search import entries
from regulations.appliance_sentences import WITHOUT_FIRE
from regulations.codes import BOILERS
from regulations.models import Deadline, LegalState
from subsidy import rules
from tests import factories
from tests.client import shared_rows
from tests.pages.reading import NOINDEX, canonical_of, html_of, missing, present, runnable, text_of
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, LegalStateFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_day")]

URL = "/przepisy/sprawdz/"
TWIN = "/przepisy/sprawdz.md"
ON = factories.TODAY
CLASS_3 = "boiler_class_3"


def outside(year, *appliances, **values):
    return DeadlineFactory(outside_krakow=True, date=date(year, 1, 1), appliances=[*appliances], **values)


def inside(day, *appliances, **values):
    return DeadlineFactory(krakow=True, date=day, appliances=[*appliances], **values)


@shared_rows
def acts():
    """Create deadlines: of class 3 boilers outside Kraków at the end of the year, of everything in Kraków in 2019."""
    LegalStateFactory(as_of=ON)
    outside(2027, CLASS_3, sources="Dziennik | https://example.pl/dz")
    inside(date(2019, 9, 1), CLASS_3, "fireplace", exemptions=["ecodesign"])
    FuelBanFactory()
    factories.krakow()
    factories.zakopane()


@pytest.fixture
def searchable(acts):
    entries.rebuild_index()


def said(answer):
    """Return the visible text, without blanks before commas."""
    return text_of(answer).replace(" ,", ",").replace(" .", ".")


def ask(client, place, appliance=CLASS_3, path=URL):
    answer = client.get(path, {"miejsce": place, "piec": appliance})
    assert answer.status_code == 200
    return answer


def sentence_of(client, place, appliance=CLASS_3):
    return said(ask(client, place, appliance))


def checked_of(client, teryt, appliance, **query):
    query |= {"teryt": teryt, "appliance": appliance}
    (entry,) = client.get("/api/v1/regulations", query).json()
    return entry["requested_appliance"]


# First those without the acts, which stay until the end of the module.


def test_without_an_act_and_without_a_state(client):
    podlaskie = factories.VoivodeshipFactory(teryt="20", name="podlaskie")
    county = factories.CountyFactory(teryt="2061", name="Białystok", voivodeship=podlaskie)
    factories.MunicipalityFactory(teryt="2061011", name="Białystok", county=county)
    unknown = "Białystok, kocioł klasy 3: nie wiadomo. Stanu prawnego tego województwa jeszcze nie wczytano."
    assert unknown in sentence_of(client, "2061011")
    LegalStateFactory(voivodeship=podlaskie, as_of=ON, note="Projekt konsultowano.")
    text, free = sentence_of(client, "2061011"), "wolno używać. W tym województwie nie ma uchwały antysmogowej."
    assert (free in text, "kalendarza" in text) == (True, False)
    assert f"Białystok, kocioł każdej klasy: {free}" in sentence_of(client, "2061011", "boiler")
    for path in (URL, TWIN):
        assert "Projekt konsultowano." in said(ask(client, "2061011", path=path))


def test_one_sentence_with_the_day_with_which_the_rule_begins_too_looks_unlike_a_ban_and_tells_its_age(client, acts):
    answer = ask(client, "1217011")
    html, verdict = html_of(answer), "Zakopane, kocioł klasy 3: wolno używać do 31 grudnia 2026 r. – jeszcze 41 dni."
    rows = "kocioł klasy 3 do 31 grudnia 2026 r.", "kocioł klasy 4 nie znamy zakazu"
    assert not missing(said(answer), verdict, *rows)
    calendar = 'href="/api/v1/regulations/malopolskie.ics?teryt=1217011"'
    assert not missing(html, "https://example.pl/dz", calendar, NOINDEX)
    assert canonical_of(answer) == f"http://127.0.0.1:8000{URL}"
    assert not runnable(answer)
    assert html.count("<h1>") == 1
    for appliance in (CLASS_3, "stove"):
        assert 'class="answer warning"' in html_of(ask(client, "1261011", appliance)), appliance
    assert 'class="answer"' in html
    for path in (URL, TWIN):
        text = said(ask(client, "1217011", path=path))
        assert "Od 1 stycznia 2027 r.: Nie wolno ich używać." in text.replace("\\", ""), path
    LegalState.objects.update(as_of=ON - timedelta(days=181))
    assert "ponad pół roku temu" in sentence_of(client, "1217011")


@pytest.mark.parametrize(
    ("limits", "short"),
    [
        ({"fuels": ["hard_coal", "lignite"]}, "węgiel kamienny i węgiel brunatny)"),
        ({"fuels": ["hard_coal", "lignite", "peat"]}, "niektóre paliwa)"),
        ({"fuels": ["peat"], "conditions": ["district_heating_connected"]}, "torf; budynki w sieci ciepłowniczej)"),
        ({"conditions": ["over_10_years"], "exemptions": ["ecodesign"]}, "urządzenia w pewnym wieku), z wyjątkami"),
        ({"partly": ["1217011"]}, "część gminy)"),
    ],
)
def test_the_table_names_what_a_deadline_is_limited_to(client, acts, limits, short):
    outside(2020, "stove", **limits)
    assert f"piec lub koza nie wolno od 1 stycznia 2020 r. (tylko {short}" in sentence_of(client, "1217011")


def test_what_has_passed_and_what_is_not_known(client, acts):
    for appliance, sentence in (
        (CLASS_3, "Kraków, kocioł klasy 3: nie wolno już używać od 1 września 2019 r."),
        ("fireplace", "Kraków, kominek: nie wolno już używać od 1 września 2019 r., chyba że spełnia ekoprojekt."),
        ("stove", "Kraków, piec lub koza: nie znamy terminu, który dotyczyłby tego urządzenia."),
    ):
        text = sentence_of(client, "1261011", appliance)
        assert sentence in text, appliance
        for words, cause in (
            ("nie wolno w nim palić", "nie wolno"),
            ("Jeśli nie spełnia tego warunku: dziś", "chyba że"),
            ("Nie znaczy to, że go nie ma.", "nie znamy"),
        ):
            assert (words in text) == (cause in sentence)


def test_the_answer_of_the_endpoint_is_that_of_the_page(client, acts):
    for teryt in ("1217011", "1261011"):
        for appliance in ("boiler_below_class_3", CLASS_3, "fireplace", "boiler_ecodesign"):
            path = f"/api/v1/regulations?teryt={teryt}&binding=1&appliance={appliance}"
            answer = ask(client, teryt, appliance)
            assert f'href="{path.replace("&", "&amp;")}"' in answer.content.decode()
            checked = checked_of(client, teryt, appliance, binding=1, on=f"{ON}")
            assert " ".join(checked["sentence"].split()) in said(answer)
            assert checked["page"] == f"http://127.0.0.1:8000{URL}?miejsce={teryt}&piec={appliance}"
            first_word = checked["sentence"].partition(":")[2].split()[0]
            twin = ask(client, teryt, appliance, TWIN).content.decode()
            assert not missing(twin, first_word, f", <{checked['page']}>, stan na")


def test_the_endpoint_says_it_as_data(client, acts):
    checked = checked_of(client, "1217011", CLASS_3, on="2026-12-31")
    assert (checked["status"], checked["last_day"]) == ("ends", "2026-12-31")
    assert checked["deadline"]["appliances"] == [CLASS_3]
    assert checked_of(client, "1217011", CLASS_3, on="2027-01-01")["status"] == "ended"
    assert "requested_appliance" not in client.get("/api/v1/regulations?teryt=1217011").json()[0]


@pytest.mark.parametrize(("spared", "bound"), [("boiler_class_5 | 2017-07-01", "2017-07-01"), ("boiler_class_5", None)])
def test_the_day_of_the_start_on_which_staying_depends_is_data_too(client, acts, spared, bound):
    outside(2027, "stove", spared=spared)
    checked = checked_of(client, "1217011", "boiler_class_5")
    assert (checked["status"], checked["stays_if_started_before"]) == ("stays", bound)
    clause = ", jeśli uruchomiono go przed 1 lipca 2017 r."
    assert checked["sentence"].replace("\N{NO-BREAK SPACE}", " ").endswith(clause) is bool(bound)
    outside(2028, "boiler_class_5", spared="boiler_class_5 | 2017-07-01")
    checked = checked_of(client, "1217011", "boiler_class_5")
    assert (checked["status"], checked["stays_if_started_before"]) == ("ends", "2017-07-01")


def test_limits_are_sentences(client, acts):
    limits = {"fuels": ["hard_coal", "lignite"], "conditions": ["network_available"], "kind": "coal_ban"}
    outside(2030, "boiler_class_5", **limits)
    coal = "jeśli paliwo to węgiel kamienny lub węgiel brunatny, a budynek można przyłączyć do sieci"
    sentence = sentence_of(client, "1217011", "boiler_class_5")
    assert f"od 1 stycznia 2030 r. nie będzie wolno używać, {coal}" in sentence
    outside(2028, "boiler_class_5", fuels=["peat"])
    text, depends = sentence_of(client, "1217011", "boiler_class_5"), "paliwa i budynku albo wieku urządzenia."
    days = "Do 31 grudnia 2027 r., jeśli paliwo to torf.", f"Do 31 grudnia 2029 r., {coal}"
    assert not missing(text, f"kocioł klasy 5: termin zależy od {depends}", *days)


def test_a_comma_ends_the_clause_of_an_exemption_and_that_of_the_fuel_before_the_part(client, acts):
    freed = {"exemptions": ["ecodesign", "dust_filter"], "started_before": date(2018, 5, 1)}
    inside(date(2026, 1, 1), "stove", **freed)
    clause = "chyba że spełnia ekoprojekt, ma urządzenie, które ogranicza pył, albo uruchomiono go 1 maja 2018 r."
    text = sentence_of(client, "1261011", "stove")
    assert not missing(text, clause, "Jeśli nie spełnia żadnego z tych warunków: dziś")
    part = {"area": "listed", "partly": ["1217011"], "scope": "centrum"}
    DeadlineFactory(date=date(2030, 1, 1), appliances=["stove"], fuels=["peat"], **part)
    DeadlineFactory(date=date(2030, 1, 1), appliances=["fireplace"], **part)
    where = "w części gminy (zakres przepisu to centrum)."
    assert f"wolno używać, jeśli paliwo to torf, {where}" in sentence_of(client, "1217011", "stove")
    assert f"wolno używać {where}" in sentence_of(client, "1217011", "fireplace")


def test_what_ends_earlier_on_a_condition_is_not_told_as_permitted(client, acts):
    until = "do 31 grudnia 2026 r."
    for day, sentence, short in (
        (date(2026, 12, 1), "a krócej, jeśli paliwo to węgiel kamienny.", "krócej: węgiel kamienny"),
        (date(2024, 1, 1), "ale już nie wolno, jeśli paliwo to węgiel kamienny.", "już nie: węgiel kamienny"),
        (date(2025, 1, 1), "ale już nie wolno w niektórych przypadkach.", "już nie: niektóre przypadki"),
    ):
        DeadlineFactory(outside_krakow=True, date=day, appliances=[CLASS_3], fuels=["hard_coal"], kind="coal_ban")
        text, use = sentence_of(client, "1217011"), f"wolno używać {until} – jeszcze 41 dni, {sentence}"
        assert not missing(text, use, f"kocioł klasy 3 {until} ({short})"), day
        Deadline.objects.filter(date__gt=ON, kind="coal_ban").delete()


def test_an_exemption_does_not_free_from_another_ban(client, acts):
    inside(date(2026, 1, 1), "stove", exemptions=["ecodesign"])
    inside(date(2022, 1, 1), "stove", conditions=["district_heating_connected"])
    inside(date(2030, 1, 1), "stove", fuels=["lignite"])  # not in force yet
    verdict = "nie wolno już używać od 1 stycznia 2026 r., chyba że spełnia ekoprojekt, ale i wtedy nie wolno"
    building = ", jeśli budynek jest przyłączony do sieci ciepłowniczej."
    assert f"{verdict}{building}" in sentence_of(client, "1261011", "stove")
    inside(date(2020, 1, 1), "stove", fuels=["peat"])
    assert f"{verdict} w niektórych przypadkach." in sentence_of(client, "1261011", "stove")


def test_two_acts_that_end_it_on_one_day_do_not_leave_a_part_out(client, acts):
    part = {"date": date(2026, 1, 1), "appliances": ["stove"], "partly": ["1217011"]}
    DeadlineFactory(area="listed", scope="centrum", part_caveat="Tylko centrum.", **part)
    DeadlineFactory(scope="reszta", part_caveat="Tylko poza centrum.", **part)
    DeadlineFactory(area="listed", scope="rynek", uncertain=True, **part)
    for path in (URL, TWIN):
        text = said(ask(client, "1217011", "stove", path)).replace("\\", "")
        assert "W pozostałej części gminy ten sam dzień wyznacza inny przepis." in text, path
        assert "stoi w części gminy" not in text, path
    (limit,) = checked_of(client, "1217011", "stove")["limits"]
    assert limit["sentence"].endswith("r. w części gminy (zakres przepisu to centrum). Tylko centrum.")


def test_an_exemption_from_a_day_to_come_prolongs_the_use(client, acts):
    inside(date(2028, 7, 1), "boiler_ecodesign", "stove", exemptions=["ecodesign_without_network"])
    use, network = "wolno używać do 30 czerwca 2028 r., a dłużej, jeśli", "budynku nie da się przyłączyć do sieci."
    for appliance, sentence in (
        ("stove", f"piec lub koza: {use} spełnia ekoprojekt, a {network}"),
        ("boiler_ecodesign", f"kocioł z ekoprojektem: {use} {network}"),  # which meets the first part by definition
    ):
        assert sentence in sentence_of(client, "1261011", appliance)


def test_a_limited_deadline_says_what_is_uncertain(client, acts):
    description, caveat = "Tylko z ekoprojektem.", "Co do drewna źródła różnią się."
    inside(date(2024, 1, 1), "stove", fuels=["hard_coal"], description=description, caveat=caveat)
    for path in (URL, TWIN):
        assert f"{description} {caveat}" in said(ask(client, "1261011", "stove", path)).replace("*", "")
        wood = client.get(path, {"miejsce": "1261011", "piec": "stove", "nie": "coal"})
        assert not missing(said(wood), "nie znamy terminu", caveat, "Skąd to wiemy")
        assert f"{description} {caveat}" not in said(wood).partition("Czym wolno")[0]


def test_the_caveat_of_a_scope_that_does_not_divide_the_municipality_is_left_out(client, acts):
    limited = {"date": date(2024, 1, 1), "appliances": ["stove"], "fuels": ["peat"]}
    DeadlineFactory(partly=["1217011"], part_caveat="Tylko centrum.", **limited)
    told = [sentence_of(client, teryt, "stove").count("Tylko centrum.") for teryt in ("1261011", "1217011")]
    assert told == [0, 1]


def test_a_fuel_that_is_banned_in_a_part_says_in_which(client, acts):
    caveat = "1217011 | Tylko w uzdrowisku.\n1261011 | Tylko w centrum."
    FuelBanFactory(fuel="torf", partly=["1217011", "1261011"], part_caveat=caveat)
    html, twin = ask(client, "1217011", "stove"), client.get(f"{TWIN}?miejsce=1217011&piec=stove")
    for text in (text_of(html), twin.content.decode()):
        assert "Tylko w uzdrowisku." in text.partition("torf")[2]
        assert "Tylko w centrum." not in text
    assert "). Tylko w uzdrowisku." in twin.content.decode()


def test_one_question_decides_and_its_answers_are_links(client, acts):
    outside(2030, "stove", fuels=["hard_coal"], description="Bez węgla.")
    answer = ask(client, "1217011", "stove")
    html, text = answer.content.decode(), said(answer)
    assert "Czy palisz w nim węglem?" in text
    yes, no = (f"{URL}?miejsce=1217011&amp;piec=stove&amp;{word}=coal" for word in ("tak", "nie"))
    assert not missing(html, f'href="{yes}"', f'href="{no}"')
    coal = client.get(unescape(yes))
    verdict = "piec lub koza: wolno używać do 31 grudnia 2029 r."
    assert not missing(said(coal), verdict, "Czy palisz w nim węglem? tak ( zmień )")
    assert "?miejsce=1217011&piec=stove&tak=coal, stan na" in text_of(coal)
    assert "nie znamy terminu" in said(client.get(unescape(no)))
    assert said(client.get(f"{URL}?miejsce=1217011&piec=stove&tak=nonsense")) == text
    assert "Czy palisz w nim węglem?" in client.get(f"{TWIN}?miejsce=1217011&piec=stove").content.decode()


def test_who_does_not_know_the_class_sees_every_class(client, acts):
    answer = ask(client, "1217011", "boiler")
    rows = "kocioł klasy 3 do 31 grudnia 2026 r. kocioł klasy 4 nie znamy zakazu"
    assert not missing(said(answer), "Zakopane, kocioł: termin zależy od klasy.", "Tabliczka na kotle", rows)
    assert "1\N{NO-BREAK SPACE}października 2017" in answer.content.decode()
    assert "nie wiem jakiej klasy" in said(client.get(URL))
    assert "kocioł: termin zależy od klasy.**\n\n- [kocioł" in ask(client, "1217011", "boiler", TWIN).content.decode()


def test_an_unknown_class_does_not_matter_where_all_end_alike(client, acts):
    inside(date(2019, 9, 1), *(code.value for code in BOILERS))
    text, verdict = sentence_of(client, "1261011", "boiler"), "każdej klasy: nie wolno już używać od 1 września 2019 r."
    assert present(text, verdict, "termin zależy od klasy", "Jak poznać klasę") == [verdict]
    assert "Dziś nie wolno w nim palić." in said(ask(client, "1261011", "boiler"))
    twin = ask(client, "1261011", "boiler", TWIN).content.decode()
    assert "**Kraków, kocioł każdej klasy: nie wolno już używać od" in twin


def test_after_the_verdict_it_says_what_may_replace_the_appliance_with_limits_of_the_programme(client, acts):
    feeder = "Nowy kocioł tylko z podajnikiem."
    outside(2020, CLASS_3, kind="new_installations", description=feeder)
    text = sentence_of(client, "1217011")
    assert text.index("Czym go zastąpić i ile da dotacja") < text.index("Podstawa:") < text.index("Co potem")
    assert not missing(text.partition("Co potem")[2], feeder, "pompy ciepła")
    assert f"- {WITHOUT_FIRE}" in ask(client, "1217011", path=TWIN).content.decode()
    assert feeder not in sentence_of(client, "1261011")
    inside(date(2019, 9, 1), kind="solid_fuel_ban", description="Bez paliw stałych.")
    banned = sentence_of(client, "1261011")
    assert not missing(banned.partition("Co potem")[2], "Bez paliw stałych.", "Pompa ciepła powietrze/powietrze")
    ecodesign = "nowy kocioł na węgiel, drewno lub pellet musi spełniać ekoprojekt"
    assert not present(banned, ecodesign, "Kocioł na pellet", "Kocioł zgazowujący")  # not paid where it may not burn
    low, high = (rules.current().on(ON).number("items/pellet_boiler", level) for level in ("basic", "highest"))
    assert re.search(rf"Kocioł na pellet[^\d]* od {low:,.0f} do {high:,.0f} zł".replace(",", " "), text)


def test_no_subsidy_is_promised_once_agreements_have_ended(client, acts, monkeypatch):
    day_after = rules.current().periods[-1].edition.contracts_until + timedelta(days=1)
    monkeypatch.setattr(timezone, "localdate", lambda value=None: day_after)
    for appliance in (CLASS_3, "boiler_class_5"):
        for path in (URL, TWIN):
            text = said(ask(client, "1217011", appliance, path)).partition("Ile da dotacja")[2]
            assert "Umów w programie już się nie podpisuje." in text
            assert not present(text, "najwyżej", "Najwyższa dotacja", "Pompa ciepła", "Dopłaca", "wymienia tylko")


def test_the_calculator_begins_with_what_is_known(client, acts):
    known = {CLASS_3: "solid_fuel", "stove": "solid_fuel", "boiler_class_5": "solid_fuel_class5", "fireplace": None}
    for appliance, heating in known.items():
        answer = ask(client, "1217011", appliance)
        path = unescape(re.search(r'href="(/dotacja/\?[^"]*)"', answer.content.decode())[1])
        assert path == "/dotacja/?teryt=1217011" + (f"&current_heating={heating}" if heating else ""), appliance
        assert ("za wymianę tego kotła nie płaci" in said(answer)) is (heating == "solid_fuel_class5")
        first = client.get(path).content.decode()
        assert 'name="teryt" value="1217011"' in first
        assert (f'name="current_heating" value="{heating}"' in first) is bool(heating)


def test_only_deadlines_to_come_go_into_a_calendar_and_without_any_there_is_none(client, acts):
    assert "Dodaj terminy do kalendarza : tylko te" in sentence_of(client, "1217011")
    assert not present(sentence_of(client, "1261011"), "Plik .ics działa", "Dodaj terminy do kalendarza")
    Deadline.objects.all().delete()
    assert client.get("/api/v1/regulations/malopolskie.ics?teryt=1261011").status_code == 404
