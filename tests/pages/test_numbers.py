"""Numbers of JSON, HTML and Markdown agree."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.models import Dataset
from fueldepot.http.rate_limit import RateLimit
from pages.page import twin_path
from pages.polish import day, until
from tests import factories
from tests.pages.reading import KRAKOW, missing, text_of
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, LegalStateFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


def plain(text):
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").replace("\\", "").split())


def numbers_in(text):
    """Return the numbers of a text; "1 640,00" equals "1640.00"."""
    joined = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text)
    return {Decimal(found.replace(",", ".")).normalize() for found in re.findall(r"\d+(?:[.,]\d+)?", joined)}


def test_a_moment_a_day_ahead_is_tomorrow_or_the_day_after():
    """In the last minute of a day, and on the evening before the clock goes forward."""
    moments = {(2026, 12, 1, 12): "jutro po 13:00", (2026, 12, 1, 22, 59, 1): "pojutrze po 0:00"}
    moments[2027, 3, 27, 22, 30] = "pojutrze po 0:30"
    for moment, words in moments.items():
        now = datetime(*moment, tzinfo=UTC)
        assert until(now + timedelta(days=1), now) == words


@pytest.fixture
def ask(client):
    return lambda path: client.get(f"/api/v1{path}").json()


@pytest.fixture
def check(client):
    """Hold a page and its twin to what they say. Returns both as text."""

    def act(path, *, numbers=(), days=(), texts=()):
        page, mark, query = path.partition("?")
        html, markdown = client.get(path), client.get(twin_path(page) + mark + query)
        assert (html.status_code, markdown.status_code) == (200, 200)
        renderings = plain(text_of(html)), plain(markdown.content.decode())
        wanted = {Decimal(str(number)).normalize() for number in numbers if number is not None}
        texts = [*texts, *(day(date.fromisoformat(value)) for value in days)]
        for text in renderings:
            assert wanted <= numbers_in(text), (path, wanted - numbers_in(text))
            assert not missing(text, *map(plain, texts)), path
        return renderings

    return act


@pytest.fixture
def priced(depot):
    """Create prices of pellet at eight depots with an outlier, and a price list at the first."""
    factories.price_depots("1400.50", "1450", "1475.25", "1500", "1525", "1550", "1600", "3900")
    factories.price_depots("1234.56", depot=depot)
    return depot


def test_lists_and_a_depot(check, ask, priced):
    html, markdown = check("/", days=["2026-10-03"], texts=["małopolskie"])
    assert "Katalog obejmuje 9 składów w 1 gminie." in html
    assert "- Składy: 9 - Gminy ze składem: 1 " in markdown
    rows = ask("/stores?teryt=12&limit=100")
    check("/sklady/malopolskie/", texts=[f"{len(rows)} składów, 1 gmina.", "Kraków", "gmina miejska"])
    rows = ask("/stores?teryt=1261011&limit=100")
    shown = [text for row in rows for text in (row["name"], row["address"], *row["fuels"])]
    check(KRAKOW, numbers=[len(rows)], texts=shown)
    row = ask(f"/stores/{priced.pk}")
    assert row["price_list"]
    check(
        f"/sklad/{priced.pk}-opal-zar-syn/",
        numbers=[*(item["price"] for item in row["price_list"]), row["nip"]],
        days=[row["source"]["verified_at"], row["source"]["updated_at"], row["price_list"][0]["date"]],
        texts=[row["name"], row["address"], row["website"], row["opening_hours"], *row["fuels"]],
    )


def test_prices(check, ask, priced):
    factories.average(2022, "2329.03", source="Monitor Polski")
    pellet, official = ask("/prices/pellet"), ask("/prices")["wegiel-kamienny"]
    check("/ceny/", numbers=[pellet["median"], pellet["n"], pellet["bag_price"]])
    names = [official["name"], official["source"]["name"]]
    check("/ceny/gus/", numbers=[official["poland"]["2022"], 2022], texts=names)
    answer, area = ask("/prices/pellet"), ask("/prices/pellet?voivodeship=12")
    numbers = [area["median"], area["n"], answer["median"], answer["n"], area["window_months"]]
    check("/ceny/pellet/malopolskie/", numbers=numbers, texts=[area["method"]])
    steps = answer["arithmetic"]
    counts = ("n", "price_lists", "submissions")
    amounts = ("median", "quartile_1", "quartile_3", "min", "max", "bag_price", "bag_kg")
    check(
        "/ceny/pellet/",
        numbers=[
            *(answer[name] for name in (*counts, *amounts)),
            *(steps[name] for name in ("considered", "implausible", "superseded", "outliers")),
            *steps["fences"].values(),
            *(number for month in answer["months"] for number in (month["median"], month["n"])),
            *(number for area in answer["voivodeships"] for number in (area["median"], area["n"])),
        ],
        days=[answer["from"], answer["to"]],
        texts=[answer["method"], answer["source"]],
    )


@pytest.mark.parametrize("query", ["", "?teryt=1261011"])
def test_regulations(check, ask, query):
    LegalStateFactory(as_of=timezone.localdate())
    DeadlineFactory(krakow=True, date=date(2019, 9, 1), applies_to="wszystkie paliwa")
    DeadlineFactory(outside_krakow=True, date=date(2999, 1, 1))
    FuelBanFactory()
    state = ask(f"/regulations{query or '?teryt=12'}")[0]["resolution"]
    days = [state["as_of"], *(row["date"] for row in state["deadlines"])]
    texts = [row[name] for row in state["deadlines"] for name in ("applies_to", "description", "scope")]
    check(f"/przepisy/malopolskie/{query}", days=days, texts=[state["summary"], state["title"], *texts])
    check("/przepisy/", days=[state["as_of"], state["next_deadline"]["date"]])


def test_subsidy(check, ask):
    result = ask("/subsidy?people=2&income=1000&eu=3&walls=1&windows=1&new_source=pellet_boiler")
    levels = ask("/subsidy/limits?about=levels")
    thresholds = [row["value"] for row in levels["limits"] if row["parameter"].endswith("_income")]
    assert len(thresholds) == 5
    limits = [row["limit_pln"] for row in result["items"]]
    check(
        "/dotacja/",
        numbers=[*limits, *thresholds, result["table_3_limit_pln"], result["intensity"] * 100],
        days=[result["program"]["version_from"], levels["program"]["as_of"]],
        texts=[row["name"] for row in result["items"]],
    )


def test_datasets_rules_and_privacy(check, depot, settings):
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS, as_of=date(2026, 10, 3), source="OpenStreetMap, ODbL 1.0")
    number, today = Dataset.objects.get(slug="depots").row_count, timezone.localdate().isoformat()
    texts = ["OpenStreetMap, ODbL 1.0", "© autorzy OpenStreetMap", "jeszcze nie wczytano"]
    check("/dane/", numbers=[number], days=["2026-10-03", today], texts=texts)
    settings.RATE_LIMIT = RateLimit(90, 60)
    check("/api/", numbers=[6, 90], texts=["możemy odpowiedzieć 429", "Wskazuj GUS.", "X-Total-Count", "/stores/{id}"])
    texts = ["adres e-mail jest dobrowolny", "kopię zapasową", "jeden pamięta zalogowanie", "nie ma już żadnego wpisu"]
    texts += ["Przeglądarka trzyma go rok", "wpis zostaje z historią zmian"]
    check("/prywatnosc/", numbers=[48, 90, 365, 30, 730], texts=texts)
