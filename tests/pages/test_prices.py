"""Pages of prices."""

from decimal import Decimal

import pytest
from django.utils import timezone

from prices.models import PlausibleRange
from tests import factories
from tests.pages.reading import NOINDEX, canonical_of, runnable, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def prices():
    """Three prices of pellet in Kraków, today."""
    for amount in (1400, 1500, 1600):
        factories.DepotPriceFactory(depot=factories.DepotFactory(), price=Decimal(amount), day=timezone.localdate())


@pytest.mark.parametrize("path", ["/ceny/", "/ceny/pellet/", "/ceny/wegiel/", "/ceny/pellet/malopolskie/"])
def test_every_page_says_what_it_is(client, prices, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert canonical_of(answer) == f"http://127.0.0.1:8000{path}"
    html = answer.content.decode()
    assert html.count("<h1>") == 1
    assert NOINDEX not in html
    assert "demonstracyjne" not in html
    assert not runnable(answer)


def test_all_fuels(client, prices):
    text = text_of(client.get("/ceny/"))
    assert "Pellet 1 500,00 zł" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "za mało cen" in text


def test_the_arithmetic_can_be_followed(client, prices):
    text = text_of(client.get("/ceny/pellet/")).replace("\N{NO-BREAK SPACE}", " ")
    for shown in ["1 500,00 zł za tonę", "Mediana z 3 cen", "3 − 0 − 0 − 0 = 3", "worek 15 kg", "małopolskie"]:
        assert shown.lower() in text.lower()


@pytest.mark.parametrize("path", ["/ceny/pellet/", "/ceny/pellet.md"])
def test_without_a_range_the_arithmetic_says_so(client, path):
    PlausibleRange.objects.filter(fuel="pellet").delete()
    text = client.get(path).content.decode()
    assert "Wiarygodnego przedziału cen nie ustalono" in text
    assert "Spoza wiarygodnego przedziału" not in text


def test_too_few_prices(client):
    assert "Za mało cen" in text_of(client.get("/ceny/brykiet/"))


def test_a_code_leads_to_the_name(client, prices):
    answer = client.get("/ceny/pellet/12/")
    assert (answer.status_code, answer["Location"]) == (301, "/ceny/pellet/malopolskie/")


@pytest.mark.parametrize("path", ["/ceny/uran/", "/ceny/pellet/atlantyda/", "/ceny/uran/malopolskie/"])
def test_unknown(client, prices, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/"])
def test_demonstration_prices_say_so(client, path):
    depot = factories.DepotFactory(demonstration=True)
    factories.DepotPriceFactory(depot=depot, day=timezone.localdate())
    answer = client.get(path)
    assert "są zmyślone" in text_of(answer)
    assert NOINDEX in answer.content.decode()


def test_the_page_of_the_answer_is_there(client, prices):
    for query in ("", "?voivodeship=12"):
        page = client.get(f"/api/v1/prices/pellet{query}").json()["page"]
        assert client.get(page.removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_the_rules_name_the_addresses(client):
    html = client.get("/api/").content.decode()
    assert "<code>/prices</code>" in html
    assert "<code>/prices/{fuel}</code>" in html
