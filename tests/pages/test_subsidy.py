"""The calculator's page."""

import re
from datetime import date
from html import unescape

import pytest
from django.test import Client

from tests.pages.reading import NOINDEX, SCRIPT, canonical_of, runnable, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _the_day(monkeypatch):
    """The view reads the clock; the tests stand still."""
    monkeypatch.setattr("pages.views.timezone.localdate", lambda: date(2026, 11, 21))


PATH = "/dotacja/"
PLAN = {
    "people": "4",
    "income": "4 000",
    "income_type": "household",
    "eu": "unknown",
    "current_heating": "solid_fuel",
    "new_source": "heat_pump_ground",
    "cost_source": "50 000,50",
    "walls": "150",
    "audit": "1",
}


def test_the_empty_form(client):
    answer = client.get(PATH)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "public, max-age=300"
    assert not answer.cookies
    assert "Cookie" not in answer["Vary"]
    html = answer.content.decode()
    assert canonical_of(answer) == f"http://127.0.0.1:8000{PATH}"
    assert NOINDEX not in html
    assert html.count("<h1>") == 1
    assert not runnable(answer)
    assert 'method="post"' in html
    assert "Krok 1 z 5" in text_of(answer)
    assert "do 1 300 zł, a gdy mieszkasz sam: do 1 800 zł" in text_of(answer)


def test_the_address_is_never_read(client):
    answer = client.get(f"{PATH}?income=1234.56&people=2")
    assert b"1234.56" not in answer.content


def test_every_question_has_a_label_and_every_id_is_one(client):
    html = client.get(PATH).content.decode()
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    labelled = re.findall(r'<label[^>]* for="([^"]+)"', html)
    asked = re.findall(r'<(?:input|select)[^>]*type="(?!hidden)[^"]*"[^>]* id="([^"]+)"|<select id="([^"]+)"', html)
    assert {first or second for first, second in asked} == set(labelled)
    for described in re.findall(r'aria-describedby="([^"]+)"', html):
        assert set(described.split()) <= set(ids)
    assert html.count("<fieldset") == html.count("<legend")


def test_every_parameter_of_the_endpoint_can_be_asked(client):
    from subsidy.application import ENVELOPE, SOURCES, Item

    html = client.get(PATH).content.decode()
    names = set(re.findall(r'\bname="([^"]+)"', html))
    assert {"people", "income", "income_type", "benefit", "annual_income", "business"} <= names
    assert {"current_heating", "eu", "new_source", "cost_source", *ENVELOPE} <= names
    assert {f"cost_{item}" for item in Item if item not in SOURCES} <= names
    assert all(f'value="{item}"' in html for item in SOURCES)


def test_the_result(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.post(PATH, PLAN)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    text = text_of(answer)
    assert "Dotacja wyniesie najwyżej od 46 340 do 107 450 zł, zależnie od audytu · kwoty niepotwierdzone" in text
    assert "Trzy warianty" in text
    assert text.count("rodzaj przedsięwzięcia") >= 3
    assert "50 000,50 zł" in text
    assert "O przyznaniu i wysokości dotacji decyduje wojewódzki fundusz" in text
    assert "Zmiany od 20 lipca 2026 r." in text
    html = answer.content.decode()
    assert 'id="wynik"' in html
    assert "<caption>" in html
    assert html.count('class="chosen"') == 1
    assert re.search(r'<option value="heat_pump_ground" selected>', html)
    assert re.search(r'id="income_type-household"[^>]*checked', html)
    assert 'value="4 000"' in html


def test_a_given_index_has_no_variants(client):
    text = text_of(client.post(PATH, PLAN | {"eu": "3"}))
    assert "Trzy warianty" not in text
    assert "Dotacja wyniesie najwyżej 107 450 zł" in text


def test_the_headline_is_a_range_over_the_audit_and_says_how_sure_the_amounts_are(client):
    plan = {"people": "2", "income": "4 000", "income_type": "household", "current_heating": "solid_fuel"}
    plan |= {"new_source": "pellet_boiler", "walls": "150"}
    sure = "kwoty niepotwierdzone urzędowo"
    text = text_of(client.post(PATH, plan | {"eu": "unknown"}))
    assert f"Dotacja wyniesie najwyżej od 14 350 do 43 225 zł, zależnie od audytu · {sure}" in text
    text = text_of(client.post(PATH, plan | {"eu": "1"}))
    assert f"Dotacja wyniesie najwyżej 14 350 zł · {sure}" in text
    # The same in every variant.
    text = text_of(client.post(PATH, plan | {"eu": "unknown", "new_source": "none", "walls": "", "audit": "1"}))
    assert "zależnie od audytu Poziom" not in text


def test_an_empty_form_is_a_basic_result_without_works(client):
    text = text_of(client.post(PATH, {}))
    assert "Nie wybrano żadnych prac." in text


def test_no_funding_says_why(client):
    text = text_of(client.post(PATH, {"annual_income": "200 000", "walls": "10"}))
    assert "Dofinansowanie nie przysługuje." in text
    assert "przekracza 135 000 zł" in text
    assert "Co dalej" not in text


@pytest.mark.parametrize(
    ("typed", "field", "message"),
    [
        ({"people": "x"}, "people", "Wpisz liczbę osób cyframi"),
        ({"income": "1000"}, "people", "Podaj liczbę osób"),
        ({"people": "2", "income": "dużo"}, "income", "Wpisz kwotę cyframi"),
        ({"walls": "5001"}, "walls", "Wpisz powierzchnię cyframi"),
        ({"new_source": "pellet_boiler", "cost_source": "-1"}, "cost_source", "Wpisz kwotę cyframi"),
        ({"eu": "7"}, "eu", "Wybierz jedną z odpowiedzi"),
        ({"new_source": "gas"}, "new_source", "Wybierz jedną z odpowiedzi"),
    ],
)
def test_mistakes_are_linked_to_their_questions(client, typed, field, message):
    answer = client.post(PATH, typed)
    assert answer.status_code == 400
    assert answer["Cache-Control"] == "no-store"
    html = answer.content.decode()
    assert f'<a href="#{field}">' in html
    assert f'id="{field}"' in html
    assert f'id="{field}-error"' in html
    assert message in text_of(answer)
    assert "<title>Popraw dane" in html


def test_what_was_typed_is_shown_as_text(client):
    answer = client.post(PATH, {"people": SCRIPT, "walls": '"><b>', "eu": SCRIPT})
    html = answer.content.decode()
    assert not runnable(answer)
    assert '"><b>' not in html
    assert SCRIPT in unescape(html)


@pytest.mark.parametrize("typed", [{"people": "\x00"}, {"people": ["2", "3"]}, {"income": "9" * 500}])
def test_rubbish_is_400(client, typed):
    assert client.post(PATH, typed).status_code == 400


def test_a_multipart_form_and_unknown_names(client):
    answer = client.post(PATH, {"nothing": "1", "csrf": "2"})
    assert answer.status_code == 200
    assert "Nieznany parametr" not in answer.content.decode()


def test_the_form_needs_no_cookie():
    """It changes nothing, so nothing is gained by sending it from elsewhere."""
    client = Client(enforce_csrf_checks=True)
    assert client.post(PATH, PLAN).status_code == 200
    assert not client.cookies


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_other_methods(client, method):
    assert getattr(client, method)(PATH).status_code == 405
