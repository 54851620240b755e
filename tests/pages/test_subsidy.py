import re
from html import unescape

import pytest
from django.test import Client

from subsidy.household_and_plan import ENVELOPE, SOURCES, Item
from tests import factories
from tests.pages import reading
from tests.pages.reading import NOINDEX, SCRIPT, canonical_of, expect, html_of, missing, present, runnable, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_day")]


PATH = "/dotacja/"
PLAN = {"people": "4", "income": "4 000", "income_type": "household", "eu": "unknown", "walls": "150", "audit": "1"}
PLAN |= {"current_heating": "solid_fuel", "new_source": "heat_pump_ground", "cost_source": "50 000,50"}


def test_the_empty_form_has_a_label_for_every_question_and_ids_that_are_one(client):
    answer = client.get(PATH)
    assert answer.status_code == 200
    assert not answer.cookies
    assert "Cookie" not in answer["Vary"]
    html = answer.content.decode()
    assert canonical_of(answer) == f"http://127.0.0.1:8000{PATH}"
    assert NOINDEX not in html
    assert html.count("<h1>") == 1
    assert not runnable(answer)
    assert 'method="post"' in html
    assert "Krok 1 z 5" in text_of(answer)
    names = {"krok", "people", "income", "income_type", "annual_income", "audit", "energy_certificate"}
    assert set(fields_of(answer)) == names
    assert "do 1 300 zł, a gdy mieszkasz sam: do 1 800 zł" in text_of(answer)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    labelled = re.findall(r'<label[^>]* for="([^"]+)"', html)
    asked = re.findall(r'<(?:input|select)[^>]*type="(?!hidden)[^"]*"[^>]* id="([^"]+)"|<select id="([^"]+)"', html)
    assert {first or second for first, second in asked} == set(labelled) - {"q"}  # the search of the header
    described = " ".join(re.findall(r'aria-describedby="([^"]+)"', html)).split()
    assert {f"{name}-hint" for name in ("people", "income", "benefit", "annual_income")} <= {*described} <= {*ids}
    assert html.count("<fieldset") == html.count("<legend")


def test_limits_stand_with_the_conditions_of_a_heat_source(client):
    for path in (PATH, "/dotacja.md"):
        answer = client.get(path)
        text = text_of(answer) if path == PATH else html_of(answer)
        shown = text.partition("Limity kwot" if path == PATH else "## Limity pozycji")[2]
        assert not missing(
            shown.partition("Kocioł na pellet")[0],
            "nowe źródło ciepła przysługuje tylko razem z termomodernizacją",
            "Program nie dopłaca do kotłów gazowych.",
            "„Czy można dostać dofinansowanie na kocioł gazowy?”",
        )


def test_every_parameter_of_the_endpoint_can_be_asked(client):
    answer = client.get(PATH)
    ticks = {"new_source": "heat_pump_ground", "central_heating_dhw": "1", "ventilation": "1", "audit": "1"}
    ticks |= {"energy_certificate": "1", **{f"plan_{item}": "1" for item in ENVELOPE}}
    offered = html_of(answer)
    for number in range(2, 6):
        answer = client.post(PATH, fields_of(answer) | ticks | {"na": str(number)})
        offered += html_of(answer)
    names = set(re.findall(r'\bname="([^"]+)"', offered))
    assert {"people", "income", "income_type", "benefit", "annual_income", "business"} <= names
    assert {"current_heating", "eu", "new_source", "cost_source", *ENVELOPE} <= names
    assert {f"cost_{item}" for item in Item if item not in SOURCES} <= names
    assert all(f'value="{item}"' in offered for item in SOURCES)


def test_the_conditions_of_a_paid_case_are_folded(client):
    shown, _, folded = walk(client, *PAGES).content.decode().partition('<details class="fold" id="warunki">')
    assert not missing(shown, 'id="pozycje"', 'id="dalej"')
    number = re.search(r"<summary>Warunki \((\d+)\)</summary><ul", folded)[1]
    assert folded.partition("</details>")[0].count("<li>") == int(number)


def fields_of(answer):
    form = re.search(r'<form class="calculator.*?</form>', answer.content.decode(), re.DOTALL)[0]
    return {name: values[-1] for name, values in reading.fields_of(form).items()}


def walk(client, *pages, last="wynik"):
    answer = client.get(PATH)
    for number, typed in enumerate(pages, 2):
        wanted = last if number == len(pages) + 1 else str(number)
        answer = client.post(PATH, fields_of(answer) | typed | {"na": wanted})
    return answer


PAGES = (
    {"people": "2", "income": "4 000", "income_type": "household"},
    *({"eu": "unknown"}, {"new_source": "pellet_boiler"}, {"plan_walls": "1"}, {"walls": "150"}),
)


RESULT_SO_FAR = ["Dotychczasowy wynik", "Kwoty niepotwierdzone urzędowo."]


def test_five_pages_with_the_result_so_far_lead_to_the_result(client):
    expect(client.get(PATH), without=RESULT_SO_FAR[:1])
    for number, also in ((1, ["Poziom podwyższony"]), (2, []), (3, RESULT_SO_FAR), (4, [])):
        answer = walk(client, *PAGES[:number], last=str(number + 1))
        expect(answer, f"Krok {number + 1} z 5", *also)
        assert answer["Cache-Control"] == "no-store"
    # Only what was ticked is asked.
    html = html_of(answer)
    assert not missing(html, 'id="walls"', 'id="cost_source"', 'id="cost_walls"')
    assert not present(html, "cost_floor", "cost_ground_source_loop")
    expect(walk(client, *PAGES), "Najwyższa możliwa dotacja: od 15 470 do 44 345 zł, zależnie od audytu")


def test_a_mistake_stops_on_its_own_page_and_back_keeps_every_answer_also_a_wrong_one(client):
    expect(walk(client, {"people": "x"}, last="2"), "Krok 1 z 5", status=400)
    # A later page cannot be reached with it either.
    answer = client.post(PATH, {"krok": "4", "na": "wynik", "people": "x", "eu": "2"})
    expect(answer, "Krok 1 z 5", status=400)
    assert fields_of(answer)["eu"] == "2"
    answer = walk(client, *PAGES[:4], last="5")
    answer = client.post(PATH, fields_of(answer) | {"walls": "dużo", "na": "1"})
    expect(answer, "Krok 1 z 5")
    sent = fields_of(answer)
    assert (sent["people"], sent["income"], sent["walls"], sent["plan_walls"]) == ("2", "4 000", "dużo", "1")
    assert re.search(r'id="income_type-household"[^>]*checked', answer.content.decode())


def test_works_without_an_area_and_areas_without_works(client):
    expect(walk(client, *PAGES[:4], {"walls": ""}), "Podaj powierzchnię.", status=400)
    # An area that was typed before its box was cleared does not count, and is not forgotten.
    answer = walk(client, *PAGES[:4], {"walls": "150"}, last="4")
    sent = {name: value for name, value in fields_of(answer).items() if name != "plan_walls"}
    answer = client.post(PATH, sent | {"na": "wynik"})
    expect(answer, without=["Ściany"])
    assert fields_of(answer)["walls"] == "150"


def test_the_result(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.post(PATH, PLAN)
    assert answer["Cache-Control"] == "no-store"
    headline = "Najwyższa możliwa dotacja: od 46 340 do 107 450 zł, zależnie od audytu · kwoty niepotwierdzone"
    fund = "O przyznaniu i wysokości dotacji decyduje wojewódzki fundusz"
    text = expect(answer, headline, "Trzy warianty", "50 000,50 zł", fund, "Zmiany od 20 lipca 2026 r.")
    assert text.count("rodzaj przedsięwzięcia") >= 3
    html = answer.content.decode()
    assert not missing(html, 'id="wynik"', "<caption>")
    assert html.count('class="chosen"') == 1
    # All that was sent can be changed.
    kept = fields_of(answer)
    assert (kept["new_source"], kept["income_type"], kept["income"]) == ("heat_pump_ground", "household", "4 000")
    assert re.search(r'value="heat_pump_ground" checked', client.post(PATH, kept | {"na": "3"}).content.decode())


def test_the_headline_is_a_range_over_the_audit_and_says_how_sure_the_amounts_are(client):
    plan = {"people": "2", "income": "4 000", "income_type": "household", "current_heating": "solid_fuel"}
    plan |= {"new_source": "pellet_boiler", "walls": "150"}
    sure = "kwoty niepotwierdzone urzędowo"
    for changed, amounts, other in (
        ({"eu": "unknown"}, "od 14 350 do 43 225 zł, zależnie od audytu", {}),
        ({"eu": "1"}, "14 350 zł", {"without": ["Trzy warianty"]}),
    ):
        expect(client.post(PATH, plan | changed), f"Najwyższa możliwa dotacja: {amounts} · {sure}", **other)
    same_in_every_variant = plan | {"eu": "unknown", "new_source": "none", "walls": "", "audit": "1"}
    expect(client.post(PATH, same_in_every_variant), f"Najwyższa możliwa dotacja: 840 zł · {sure}", "Trzy warianty")


def test_no_funding_says_why(client):
    answer = client.post(PATH, {"annual_income": "200 000", "walls": "10"})
    expect(answer, "Dofinansowanie nie przysługuje.", "przekracza 135 000 zł", without=["Co dalej"])
    expect(client.post(PATH, {"annual_income": "200 000"}), "nie przysługuje.", without=["Trzy warianty"])


def test_works_that_are_not_paid_have_a_reason_told_once_and_no_steps_to_an_application(client):
    reason = "ale nie na nowe źródło."
    for index in ("unknown", "2"):
        answer = client.post(PATH, PLAN | {"current_heating": "other", "eu": index, "walls": ""})
        text = expect(answer, "Najwyższa możliwa dotacja: 0 zł", reason, without=["Co dalej", "Trzy warianty"])
        assert text.index(reason) < text.index("Pozycje")
    # With insulation there is something to apply for.
    expect(client.post(PATH, PLAN | {"current_heating": "other", "eu": "2"}), "Co dalej", "Warunki")
    plan = PLAN | {"current_heating": "other", "eu": "2", "income": "8 000", "new_source": "pellet_boiler"}
    text = text_of(client.post(PATH, plan))
    assert [text.count(words) for words in ("Dochód na osobę nie przekracza", reason)] == [1, 1]


def test_a_variant_and_a_step_that_pay_nothing_say_why(client):
    reason = "nowe źródło ciepła przysługuje tylko razem z termomodernizacją"
    alone = PLAN | {"walls": "", "new_source": "pellet_boiler"}
    text = expect(client.post(PATH, alone), "Najwyższa możliwa dotacja: od 0 do 15 190 zł", reason)
    assert text.index("EU powyżej 140") < text.index(reason) < text.index("Pozycje")
    # A reason that stands in the table is not repeated.
    other = alone | {"current_heating": "other", "walls": "10", "eu": "unknown"}
    assert text_of(client.post(PATH, other)).count("ale nie na nowe źródło.") == 1
    assert "nie ma czego dofinansować" in text_of(client.post(PATH, other))
    expect(client.post(PATH, alone | {"krok": "3", "na": "4", "eu": "3"}), "Dotychczasowy wynik 0 zł", reason)
    # Walls are planned now, so nothing is refused before their area is known.
    planned = alone | {"krok": "4", "na": "5", "eu": "3", "plan_walls": "1"}
    text = expect(client.post(PATH, planned), "Kwotę pokażemy, gdy podasz powierzchnie.", without=[reason])
    assert "wynik Poziom najwyższy" in text


def test_a_warm_house_with_an_efficient_source_is_promised_no_works(client):
    plan = PLAN | {"current_heating": "other", "eu": "1", "new_source": "pellet_boiler"}
    text = text_of(client.post(PATH, plan))
    counts = {words: text.count(words) for words in ("nie ma czego dofinansować", "może dostać dotację na prace")}
    # In the notice, and in the row of the source.
    assert list(counts.values()) == [2, 0]


def test_mistakes_are_linked_to_their_questions(client):
    for typed, field, message in (
        ({"people": "x"}, "people", "Wpisz liczbę osób cyframi"),
        ({"income": "1000"}, "people", "Podaj liczbę osób"),
        ({"people": "2", "income": "dużo"}, "income", "Wpisz kwotę cyframi"),
        ({"people": "2", "income": "zł"}, "income", "Wpisz kwotę cyframi"),
        *(({"walls": typed}, "walls", "Wpisz powierzchnię cyframi") for typed in ("5001", "m²", "m2m²")),
        ({"walls": "1.200"}, "walls", "To 1,2 czy 1200 m²? Wpisz 1,2 albo 1200."),
        ({"walls": "1,234 m²"}, "walls", "To 1,2340 czy 1234 m²? Wpisz 1,2340 albo 1234."),
        ({"annual_income": "14 00 00"}, "annual_income", "Wpisz kwotę cyframi"),
        ({"new_source": "pellet_boiler", "cost_source": "-1"}, "cost_source", "Wpisz kwotę cyframi"),
        ({"eu": "7"}, "eu", "Wybierz jedną z odpowiedzi"),
        ({"new_source": "pellet_boiler", "cost_source": "9000 zł brutto"}, "cost_source", "Wpisz kwotę cyframi"),
        ({"new_source": "gas"}, "new_source", "Wybierz jedną z odpowiedzi"),
    ):
        answer = client.post(PATH, typed)
        expect(answer, message, status=400)
        assert answer["Cache-Control"] == "no-store", typed
        marks = f'<a href="#{field}">', f'id="{field}"', f'id="{field}-error"', "<title>Popraw dane"
        assert not missing(answer.content.decode(), *marks)
    answer = client.post(PATH, {"krok": "5", "na": "wynik", "plan_windows": "1", "windows": "x", "cost_windows": "y"})
    assert not missing(text_of(answer), "Popraw 2 odpowiedzi Okna – Wpisz powierzchnię", "Koszt: Okna – Wpisz kwotę")


def test_a_unit_behind_a_number_is_ignored(client):
    for income in ("3 800 zł", "3800 zł", "3\u00a0800\u00a0zł", "3800zł", "3 800,00 zł"):
        answer = client.post(PATH, {"people": "4", "income_type": "household", "walls": "150 m²"} | {"income": income})
        assert answer.status_code == 200, income
        plain = client.post(PATH, {"people": "4", "income_type": "household", "walls": "150", "income": "3800"})
        shown = text_of(answer).replace(income.replace("\u00a0", " "), "3800").replace("150 m²", "150")
        assert shown == text_of(plain).replace("150 m²", "150")
    for income in ("3800,- zł", "3 800.–", "3800 złotych"):
        expect(client.post(PATH, {"people": "4", "walls": "150", "income": income}), "150 m²")
    # A keyboard hides the sign of the square and the stroke of the ł.
    for area, income in (("150 m2", "3800 zl"), ("150m2", "3800 ZŁ"), ("150,0 M2", "3.800,00 PLN"), ("150", "3.800,-")):
        expect(client.post(PATH, {"people": "4", "walls": area, "income": income}), "150 m²")


def test_rubbish_is_400_and_shown_as_text_and_what_is_not_planned_or_not_known_is_left_out(client):
    for typed in ({"people": "\x00"}, {"people": ["2", "3"]}, {"income": "9" * 500}):
        assert client.post(PATH, typed).status_code == 400
    answer = client.post(PATH, {"people": SCRIPT, "walls": '"><b>', "eu": SCRIPT})
    assert ('"><b>' in answer.content.decode(), SCRIPT in unescape(answer.content.decode())) == (False, True)
    assert not runnable(answer)
    costs = {"cost_walls": "x"}, {"cost_pellet_boiler": ["1", "2"]}, {"cost_walls": "1000"}
    for typed in (*costs, {}, {"nothing": "1", "csrf": "2"}):
        expect(client.post(PATH, typed), "Nie wybrano żadnych prac.", without=["Nieznany parametr"])


def test_the_form_is_read_and_sent_only_and_needs_no_cookie():
    client = Client(enforce_csrf_checks=True)
    assert client.post(PATH, PLAN).status_code == 200
    assert not client.cookies
    for method in (client.put, client.patch, client.delete):
        assert method(PATH).status_code == 405


def test_thousands_of_an_income_are_thousands_and_those_of_an_area_beyond_the_programme_are_none(client):
    for typed in ("140.000", "140,000", "140 000", "140\u00a0000", "140\u202f000 zł", "140.000,00", "140,000.00 zł"):
        expect(client.post(PATH, {"annual_income": typed, "walls": "10"}), "przekracza 135 000 zł")
    for typed in ("143.275", "143,275 m²"):
        expect(client.post(PATH, {"walls": typed}), "143,275 m²")
    household = {"people": "4", "walls": "10", "eu": "3"}
    level = {typed: client.post(PATH, household | {"income": typed}).content for typed in ("2.000", "2000", "2")}
    assert level["2.000"].replace(b"2.000", b"2000") == level["2000"]
    assert b"podwy\xc5\xbcszony" in level["2.000"]


def test_a_link_carries_people_heating_and_place_but_no_income(client):
    answer = client.get(f"{PATH}?people=3&current_heating=other&income=1234&annual_income=99&teryt=1261011")
    sent = fields_of(answer)
    assert (sent["people"], sent["current_heating"], sent["income"], sent["annual_income"]) == ("3", "other", "", "")
    assert "teryt" not in sent  # no such municipality here
    factories.krakow()
    assert fields_of(client.get(f"{PATH}?teryt=1261011"))["teryt"] == "1261011"
    text = text_of(client.post(PATH, {"krok": "5", "na": "wynik", "teryt": "1261011"}))
    assert "jakie terminy i wymagania obowiązują: Kraków" in text
    assert fields_of(client.get(f"{PATH}?people=x&current_heating=coal&teryt=1"))["people"] == ""


def test_obligatory_documents_are_ticked_until_somebody_clears_them(client):
    answer = walk(client, *PAGES[:3], last="4")
    ticked = (f'name="{name}" value="1" checked' for name in ("audit", "energy_certificate"))
    assert not missing(html_of(answer), *ticked)
    sent = {name: value for name, value in fields_of(answer).items() if name not in {"audit", "energy_certificate"}}
    assert not {"audit", "energy_certificate"} & set(fields_of(client.post(PATH, sent | {"na": "5"})))


def test_who_gets_nothing_learns_it_at_that_step(client):
    for pages, stopped, reason in (
        (({"annual_income": "200 000"},), "1", "Dotacja nie przysługuje"),
        (({}, {"current_heating": "other"}), "2", "Za nowe źródło ciepła program nie zapłaci"),
        (({}, {"current_heating": "solid_fuel_class5", "eu": "1"}), "2", "nie ma czego dofinansować"),
    ):
        answer = walk(client, *pages, last=str(int(stopped) + 1))
        expect(answer, f"Krok {stopped} z 5", reason)
        # Read once, it does not stop the reader again.
        for number in range(int(stopped) + 1, 6):
            answer = client.post(PATH, fields_of(answer) | {"na": str(number)})
            expect(answer, f"Krok {number} z 5")


def test_every_step_can_be_left_for_the_result_and_entered_from_any_other(client):
    answer = walk(client, *PAGES[:3], last="2")
    html = answer.content.decode()
    assert 'name="na" value="wynik">Przelicz</button>' in html
    assert set(re.findall(r'form="formularz" name="na" value="(\d)"', html)) == {"1", "3", "4", "5"}
    result = client.post(PATH, fields_of(answer) | {"na": "wynik"})
    expect(result, "Zmień odpowiedzi")
    assert re.search(r'form="formularz" name="na" value="1">Zmień odpowiedzi', result.content.decode())
    first = client.post(PATH, fields_of(result) | {"na": "1"})
    assert fields_of(first)["people"] == "2"
    changed = client.post(PATH, fields_of(first) | {"people": "3", "na": "wynik"})
    assert 'name="people" value="3"' in changed.content.decode()
