"""Numbers of JSON, HTML and Markdown agree."""

import re
from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.importers.runner import record_change
from catalog.models import Dataset
from fueldepot.http.rate_limit import RateLimit
from pages.page import twin_path
from pages.polish import day
from prices.models import Observation, Series
from subsidy import rules
from tests import factories
from tests.pages.reading import KRAKOW, text_of
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, LegalStateFactory, ResolutionFactory

pytestmark = pytest.mark.django_db

API = "/api/v1"


def plain(text):
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").replace("\\", "").split())


def numbers_in(text):
    """Return the numbers of a text; "1 640,00" equals "1640.00"."""
    joined = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text)
    return {Decimal(found.replace(",", ".")).normalize() for found in re.findall(r"\d+(?:[.,]\d+)?", joined)}


@pytest.fixture
def renderings(client):
    """Return a page as HTML text and as Markdown, by path."""

    def read(path):
        page, mark, query = path.partition("?")
        html, markdown = client.get(path), client.get(twin_path(page) + mark + query)
        assert (html.status_code, markdown.status_code) == (200, 200)
        return {"html": plain(text_of(html)), "markdown": plain(markdown.content.decode())}

    return read


@pytest.fixture
def ask(client):
    return lambda path: client.get(f"{API}{path}").json()


def check(renderings, path, *, numbers=(), days=(), texts=()):
    for form, text in renderings(path).items():
        wanted = {Decimal(str(number)).normalize() for number in numbers if number is not None}
        assert wanted <= numbers_in(text), (form, path)
        for value in days:
            assert plain(day(date.fromisoformat(value))) in text, (form, path)
        for value in texts:
            assert plain(value) in text, (form, path)


@pytest.fixture
def priced(depot):
    """Create prices of pellet at eight depots with an outlier, and a price list at the first."""
    today = timezone.localdate()
    for amount in ("1400.50", "1450", "1475.25", "1500", "1525", "1550", "1600", "3900"):
        factories.DepotPriceFactory(depot=factories.DepotFactory(), price=Decimal(amount), day=today)
    factories.DepotPriceFactory(depot=depot, price=Decimal("1234.56"), day=today)
    return depot


def test_home(renderings, priced):
    check(renderings, "/", days=["2026-10-03"], texts=["małopolskie"])
    said = renderings("/")
    assert "Katalog obejmuje 9 składów w 1 gminie." in said["html"]
    assert "- Składy: 9 - Gminy ze składem: 1 " in said["markdown"]


def test_voivodeship(renderings, ask, priced):
    rows = ask("/stores?teryt=12&limit=100")
    said = f"{len(rows)} składów, 1 gmina."
    check(renderings, "/sklady/malopolskie/", texts=[said, "Kraków", "gmina miejska"])


def test_municipality(renderings, ask, priced):
    rows = ask("/stores?teryt=1261011&limit=100")
    check(
        renderings,
        KRAKOW,
        numbers=[len(rows)],
        texts=[text for row in rows for text in (row["name"], row["address"], *row["fuels"])],
    )


def test_depot(renderings, ask, priced):
    row = ask(f"/stores/{priced.pk}")
    assert row["price_list"]
    check(
        renderings,
        f"/sklad/{priced.pk}-opal-zar-syn/",
        numbers=[*(item["price"] for item in row["price_list"]), row["nip"]],
        days=[row["source"]["verified_at"], row["source"]["updated_at"], row["price_list"][0]["date"]],
        texts=[row["name"], row["address"], row["website"], row["opening_hours"], *row["fuels"]],
    )


def test_prices(renderings, ask, priced):
    coal = Series.objects.create(slug="wegiel-kamienny", variable_id=5)
    Observation.objects.create(series=coal, year=2022, value=Decimal("2329.03"), source="Monitor Polski")
    pellet, official = ask("/prices/pellet"), ask("/prices")["wegiel-kamienny"]
    check(renderings, "/ceny/", numbers=[pellet["median"], pellet["n"], pellet["bag_price"]])
    check(
        renderings,
        "/ceny/gus/",
        numbers=[official["poland"]["2022"], 2022],
        texts=[official["name"], official["source"]["name"]],
    )


def test_prices_of_a_fuel(renderings, ask, priced):
    answer = ask("/prices/pellet")
    steps = answer["arithmetic"]
    names = (
        *("median", "n", "quartile_1", "quartile_3", "min", "max", "bag_price", "bag_kg", "price_lists"),
        "submissions",
    )
    check(
        renderings,
        "/ceny/pellet/",
        numbers=[
            *(answer[name] for name in names),
            *(steps[name] for name in ("considered", "implausible", "superseded", "outliers")),
            *steps["fences"].values(),
            *(number for month in answer["months"] for number in (month["median"], month["n"])),
            *(number for area in answer["voivodeships"] for number in (area["median"], area["n"])),
        ],
        days=[answer["from"], answer["to"]],
        texts=[answer["method"], answer["source"]],
    )


def test_prices_of_a_fuel_in_a_voivodeship(renderings, ask, priced):
    answer, country = ask("/prices/pellet?voivodeship=12"), ask("/prices/pellet")
    check(
        renderings,
        "/ceny/pellet/malopolskie/",
        numbers=[answer["median"], answer["n"], country["median"], country["n"], answer["window_months"]],
        texts=[answer["method"]],
    )


@pytest.mark.parametrize("query", ["", "?teryt=1261011"])
def test_regulations(renderings, ask, query):
    LegalStateFactory(as_of=timezone.localdate())
    ResolutionFactory()
    DeadlineFactory(krakow=True, date=date(2019, 9, 1), applies_to="wszystkie paliwa")
    DeadlineFactory(outside_krakow=True, date=date(2999, 1, 1))
    FuelBanFactory()
    factories.krakow()
    state = ask(f"/regulations{query or '?teryt=12'}")[0]["resolution"]
    check(
        renderings,
        f"/przepisy/malopolskie/{query}",
        days=[state["as_of"], *(row["date"] for row in state["deadlines"])],
        texts=[state["summary"], state["title"]]
        + [text for row in state["deadlines"] for text in (row["applies_to"], row["description"], row["scope"])],
    )
    check(renderings, "/przepisy/", days=[state["as_of"], state["next_deadline"]["date"]])


def test_subsidy(renderings, ask):
    result = ask("/subsidy?people=2&income=1000&eu=3&walls=1&windows=1&new_source=pellet_boiler")
    today = rules.current().on(timezone.localdate())
    check(
        renderings,
        "/dotacja/",
        numbers=[
            *(row["limit_pln"] for row in result["items"]),
            result["table_3_limit_pln"],
            result["intensity"] * 100,
            today.number("levels/annual_income", "basic"),
            *(today.number("levels/monthly_income", key) for key in ("highest/multi_person", "elevated/single_person")),
        ],
        days=[result["program"]["version_from"]],
        texts=[row["name"] for row in result["items"]],
    )


def test_datasets(renderings, depot):
    record_change(Dataset.Slug.DEPOTS, {"OpenStreetMap, ODbL 1.0": date(2026, 10, 3)})
    row = Dataset.objects.get(slug="depots")
    check(
        renderings,
        "/dane/",
        numbers=[row.row_count],
        days=["2026-10-03", timezone.localdate().isoformat()],
        texts=["OpenStreetMap, ODbL 1.0", "© autorzy OpenStreetMap", "jeszcze nie wczytano"],
    )


def test_rules_and_privacy(renderings, depot, settings):
    settings.RATE_LIMIT = RateLimit(90, 60)
    check(renderings, "/api/", numbers=[6, 90], texts=["Wskazuj GUS.", "X-Total-Count", "/stores/{id}"])
    check(
        renderings,
        "/prywatnosc/",
        numbers=[48, 90, 365, 30, 730],
        texts=["adres e-mail jest dobrowolny", "kopię zapasową", "jeden pamięta zalogowanie"],
    )
