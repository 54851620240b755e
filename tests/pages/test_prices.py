import re
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from unicodedata import normalize

import pytest
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Municipality
from pages.fuel_prices import changes_in_words, fuel_prices_page, price_map
from pages.polish import change
from prices.medians import months_before
from prices.models import PlausibleRange
from tests import factories
from tests.client import shared_rows
from tests.pages.reading import NOINDEX, canonical_of, csv_rows, expect, html_of, linked_data, missing, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

OF_PELLET = ("/ceny/pellet/", "/ceny/pellet/malopolskie/")
FILES = [f"{path[:-1]}.{kind}" for path in OF_PELLET for kind in ("csv", "svg")]


def test_all_fuels_and_the_arithmetic_of_one_which_says_that_it_has_no_range(client, prices):
    expect(client.get("/ceny/"), "Pellet 1 500 zł", "za mało cen")
    shown = ["1 500 zł za tonę", "mediana z 3 cen", "3 − 0 − 0 − 0 = 3", "worek 15 kg", "małopolskie"]
    assert not missing(text_of(client.get("/ceny/pellet/")).lower(), *shown)
    PlausibleRange.objects.filter(fuel="pellet").delete()
    for path in ("/ceny/pellet/", "/ceny/pellet.md"):
        said = "Wiarygodnego przedziału cen nie ustalono"
        expect(client.get(path), said, without=["spoza wiarygodnego przedziału"])


def test_a_page_without_a_price_is_no_data_set_and_not_kept(client, prices):
    factories.VoivodeshipFactory(teryt="14", name="mazowieckie")
    for path in ("/ceny/brykiet/", "/ceny/pellet/mazowieckie/", "/ceny/brykiet/malopolskie/"):
        answer = client.get(path)
        expect(answer, "Za mało cen", without=["0 − 0"])
        assert NOINDEX in answer.content.decode()
        assert not [thing for thing in linked_data(answer)["@graph"] if thing["@type"] == "Dataset"]
    assert client.get("/ceny/pellet/").content.decode().count('"Dataset"') == 1


@shared_rows
def history():
    """Create prices of pellet: three in Kraków in each of three months, a higher one in Mazowieckie."""
    today = timezone.localdate()
    for depot in factories.DepotFactory.create_batch(3):
        for months, amount in ((0, 1500), (1, 1400), (12, 1000)):
            factories.DepotPriceFactory(depot=depot, price=Decimal(amount), day=months_before(today, months))
    lodz = factories.MunicipalityFactory(teryt="1061011", name="Łódź")
    factories.price_depots(1300, 1300, 1300, depot__municipality=lodz)
    return today


def rows_of(answer):
    body = re.search(r'<table class="areas">.*?<tbody>(.*?)</tbody>', answer.content.decode(), re.DOTALL)[1]
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in re.findall(r"<tr>.*?</tr>", body)]


def test_a_fence_below_zero_is_no_limit(client):
    factories.price_depots(900, 900, 1000, 1200, 1800, 1900, 2000, 2000)
    for path in ("/ceny/pellet/", "/ceny/pellet.md"):
        expect(client.get(path), "Liczą się ceny do ")


# First those without the history, which stays until the end of the module.


def test_the_months_of_changes_are_named(client):
    for day, amount in ((date(2026, 3, 10), 1500), (date(2026, 2, 10), 1000), (date(2025, 3, 10), 1200)):
        factories.price_depots(amount, amount, amount, day=day)
    fuel = fuels.BY_SLUG["pellet"]
    page = fuel_prices_page("pellet", "", date(2026, 3, 12))
    assert page.content["changes_in_words"].replace("\N{NO-BREAK SPACE}", " ") == (
        "marzec 2026, niepełny, wobec lutego 2026 i marca 2025"
    )
    country = page.content["country"]
    assert (country.month, country.year) == (Decimal("0.5"), Decimal("0.25"))
    # In April the newest month with a median is over.
    assert changes_in_words(fuel, date(2026, 4, 2)).startswith("marzec\N{NO-BREAK SPACE}2026 wobec")


def test_a_median_without_an_earlier_one_says_nothing_of_changes(client, prices):
    for path in OF_PELLET:
        for address in (path, f"{path[:-1]}.md"):
            expect(client.get(address), "500", without=["Mediany miesięczne:", "Zmiana przez miesiąc"])


def test_a_day_or_a_window_that_cannot_be_answered_says_so_above_the_numbers(client, prices):
    day = "Dzień w adresie nie jest datą z ostatnich 24 miesięcy: podaj dzień od "
    window = "Okres mediany w adresie może mieć 3, 6 albo 12 miesięcy."
    days = [{"dzien": text} for text in ("2999-01-01", "2001-01-01", "wczoraj", "2026-02-30")]
    for query, refusal, instead, paths in (
        *((query, day, "Pokazujemy ceny na dziś.", ("/ceny/", *OF_PELLET)) for query in days),
        ({"okres": 5}, window, "Pokazujemy medianę z 6 miesięcy.", OF_PELLET),
    ):
        for path in paths:
            html = html_of(client.get(path, query))
            places = [html.index(part) for part in ("<main", refusal, instead, "<h1")]
            assert places == sorted(places)
            assert refusal in client.get(f"{path[:-1]}.md", query).content.decode()
        for path in FILES:
            answer = client.get(path, query)
            assert (answer.status_code, answer["Cache-Control"]) == (400, "no-store")
            assert answer.content.decode().startswith(refusal)


def test_a_change_below_a_tenth_of_a_per_cent_is_zero_in_csv_too(client):
    today = timezone.localdate()
    factories.price_depots(1640, 1640, 1640, day=months_before(today.replace(day=1), 1))
    factories.price_depots("1639.50", "1639.50", "1639.50", day=today)
    assert "Zmiana przez miesiąc: 0,0%" in client.get("/ceny/pellet.md").content.decode()
    assert csv_rows(client.get("/ceny/pellet.csv"))[0]["zmiana_przez_miesiac_proc"] == "0.0"


def test_halves_are_rounded_up_and_not_to_the_even_digit(client):
    today = timezone.localdate()
    factories.price_depots(2000, 2000, 2000, day=months_before(today.replace(day=1), 1))
    factories.price_depots(2005, 2005, 2005, day=today, depot__municipality=factories.warszawa())
    expect(client.get("/ceny/pellet/"), "Przez miesiąc +0,3%", "mazowieckie 2 005 zł +3 zł")
    expect(client.get("/ceny/pellet/mazowieckie/"), "różnica: +3 zł")
    assert csv_rows(client.get("/ceny/pellet.csv"))[0]["zmiana_przez_miesiac_proc"] == "0.3"


def test_official_averages_have_their_year_and_their_origin(client):
    for year, origin in ((2021, "raport A"), (2022, "https://example.pl/b")):
        factories.average(year, 900, source=origin)
    # The day is that of the data set in the API; the averages are older.
    newest = "najnowsze średnie za rok 2022"
    origins = "Liczbę za rok 2022 odczytaliśmy z: https://example.pl/b", "2021 900,00 zł raport A"
    shown = "900,00 zł/t rok 2022", f"Średnie roczne dla Polski, {newest}."
    expect(client.get("/ceny/gus/"), *origins, *shown, without=["demonstracyjne"])
    assert f"średnie urzędowe; {newest};" in client.get("/ceny/gus.md").content.decode()
    assert newest in client.get("/dane.md").content.decode()
    expect(client.get("/dane/"), newest, without=["gazu"])
    expect(client.get("/ceny/"), without=["gazu"])


def test_a_name_as_it_is_written_leads_to_the_address(client, prices):
    factories.VoivodeshipFactory(teryt="24")
    for path in ("/ceny/pellet/{}/", "/przepisy/{}/", "/sklady/{}/"):
        answer = client.get(path.format("Małopolskie"))
        assert (answer.status_code, answer["Location"]) == (301, path.format("malopolskie")), path
        twin = client.get(path.format("MAŁOPOLSKIE").rstrip("/") + ".md")
        assert (twin.status_code, twin["Location"]) == (301, path.format("malopolskie").rstrip("/") + ".md")
        assert client.get(path.format("Mało_polskie")).status_code == 404
        decomposed = client.get(path.format(normalize("NFD", "Śląskie")))
        assert (decomposed.status_code, decomposed["Location"]) == (301, path.format("slaskie"))
    assert client.get("/ceny/pellet/12/")["Location"] == "/ceny/pellet/malopolskie/"


def test_a_voivodeship_with_too_few_prices_is_hatched(client):
    factories.BoundaryFactory()
    drawn = str(price_map(fuels.BY_SLUG["pellet"], [{"voivodeship": "mazowieckie", "median": 1500.0}]))
    assert "województwo małopolskie: za mało cen" in drawn


@pytest.mark.parametrize("path", OF_PELLET)
def test_a_median_covers_the_window_that_is_asked_for(client, prices, path):
    factories.price_depots(2000, 2100, 2200, day=months_before(timezone.localdate(), 9))
    usual, year = client.get(path), client.get(f"{path}?okres=12")
    assert "1 500,00" in html_of(usual)
    html, six = html_of(year), f'href="{path}" rel="nofollow">6</a>'
    twelve = f'href="{path}?okres=12" rel="nofollow" aria-current="true">12</a>'
    assert not missing(html, "1 800 zł", NOINDEX, six, twelve)
    assert "1800,00 zł" in client.get(f"{path[:-1]}.md?okres=12").content.decode()
    assert ",3 miesiące," in client.get(f"{path[:-1]}.csv?okres=3").content.decode()
    assert not missing(client.get(f"{path[:-1]}.csv?okres=12").content.decode(), ",12 miesięcy,", ",1800.00,")
    links = re.findall(r'href="(/api/v1/prices/pellet[^"]*)"', html)
    assert {client.get(unescape(link)).json()["median"] for link in links} == {1800}


def test_a_citation_of_another_day_or_window_leads_to_its_figures(client, prices):
    day = timezone.localdate() - timedelta(days=1)
    for query, page in (("", "/ceny/pellet/"), ("?voivodeship=12", "/ceny/pellet/malopolskie/")):
        assert client.get(f"/api/v1/prices/pellet{query}").json()["page"] == f"http://127.0.0.1:8000{page}"
    for path in ("/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/"):
        query = f"?dzien={day}" if path == "/ceny/" else f"?dzien={day}&okres=12"
        expect(client.get(f"{path}{query}&kolejnosc=-nazwa"), f"http://127.0.0.1:8000{path}{query}, stan na")
        assert f"<http://127.0.0.1:8000{path}{query}>" in client.get(f"{path[:-1]}.md{query}").content.decode(), path


def test_the_table_can_be_ordered_by_links(client, history):
    for order, first, sort in (
        ("mediana", "łódzkie", "ascending"),
        ("-mediana", "małopolskie", "descending"),
        ("-nazwa", "małopolskie", "descending"),
        ("rok", "małopolskie", "ascending"),
        ("-rok", "małopolskie", "descending"),
        ("bzdura", "łódzkie", "ascending"),
    ):
        answer = client.get("/ceny/pellet/", {"kolejnosc": order})
        assert rows_of(answer)[0].startswith(first), order
        assert f'aria-sort="{sort}"' in answer.content.decode()
        assert canonical_of(answer).endswith("/ceny/pellet/")


@pytest.mark.parametrize("area", ["", "malopolskie"])
def test_changes_are_between_the_months_drawn(client, history, area):
    """Older prices move the median of six months, but no month that is compared."""
    factories.price_depots(2000, 2100, 2200, 2300, day=months_before(history, 5))
    query = {"voivodeship": area} if area else {}
    months = client.get("/api/v1/prices/pellet", query).json()["months"]
    medians = {row["month"]: Decimal(row["median"]) for row in months}
    newest, *before = (medians[f"{months_before(history, back):%Y-%m}"] for back in (0, 1, 12))
    month, year = (change(newest / earlier - 1) for earlier in before)
    path = f"/ceny/pellet/{area}".rstrip("/")
    expect(client.get(f"{path}.md"), f"- Zmiana przez miesiąc: {month}, przez rok: {year} (mediany miesięczne: ")
    text = expect(client.get(f"{path}/"), f"Przez miesiąc {month} , przez rok {year} . Mediany miesięczne: ")
    assert len(re.findall(r" wobec \w+ \d{4}", text)) == 1
    file = csv_rows(client.get(f"{path}.csv"))[0]
    assert [change(Decimal(file[f"zmiana_przez_{name}_proc"]) / 100) for name in ("miesiac", "rok")] == [month, year]


def test_a_past_day(client, history):
    day = months_before(history, 1).isoformat()
    answer = client.get("/ceny/pellet/", {"dzien": day})
    expect(answer, "Pellet: 1 400 zł za tonę")
    assert not missing(answer.content.decode(), NOINDEX, f'href="/ceny/pellet/malopolskie/?dzien={day}"')
    data = re.search(r'type="application/json" href="([^"]+)"', answer.content.decode())[1]
    assert client.get(data).json()["median"] == 1400
    expect(client.get("/ceny/pellet/malopolskie/", {"dzien": day}), "1 400,00 zł")
    expect(client.get("/ceny/", {"dzien": day}), "1 400 zł")
    assert "Mediana: 1400,00 zł" in client.get("/ceny/pellet.md", {"dzien": day}).content.decode()
    usual, past = client.get("/ceny/pellet.svg"), client.get("/ceny/pellet.svg", {"dzien": day})
    assert ("X-Robots-Tag" in usual, past["X-Robots-Tag"]) == (False, "noindex")
    assert f"/ceny/pellet/?dzien={day}<" in past.content.decode()


def test_the_first_and_the_last_day_can_be_asked_for(client, history):
    for day in (history, months_before(history, 24)):
        assert "podaj dzień od" not in text_of(client.get("/ceny/pellet/", {"dzien": day.isoformat()}))
        assert client.get("/ceny/pellet.csv", {"dzien": day.isoformat()}).status_code == 200


def test_the_table_and_the_series_of_voivodeships(client, history):
    rows = ["łódzkie 1 300 zł −100 zł – – 3", "małopolskie 1 500 zł +100 zł +7,1% +50,0% 3"]
    assert rows_of(client.get("/ceny/pellet/")) == rows
    answer = client.get("/ceny/pellet/malopolskie/")
    month = f"{months_before(history, 12):%Y-%m} 1 000,00 zł 3 1 000,00 zł 3"
    expect(answer, month, "województwo małopolskie: mediany miesięczne", "różnica: +100 zł")
    assert "<polyline" in answer.content.decode()


def test_the_tables_of_a_fuel_have_the_numbers_of_its_pages(client, history):
    rows = csv_rows(client.get("/ceny/pellet.csv"))
    areas = [row for row in rows if row["od"]]
    assert [row["obszar"] for row in areas] == ["Polska", "województwo łódzkie", "województwo małopolskie"]
    own = areas[2]
    assert (own["mediana_zl"], own["liczba_cen"], own["roznica_do_polski_zl"]) == ("1500.00", "3", "100.00")
    assert (own["zmiana_przez_miesiac_proc"], own["zmiana_przez_rok_proc"]) == ("7.1", "50.0")
    assert areas[1]["roznica_do_polski_zl"] == "-100.00"
    months = [row for row in rows if not row["od"] and row["teryt"] == "12"]
    expected = {12: "1000.00", 1: "1400.00", 0: "1500.00"}
    assert [(row["okres"], row["mediana_zl"]) for row in months] == [
        (months_before(history, back).isoformat()[:7], median) for back, median in expected.items()
    ]
    assert csv_rows(client.get("/ceny/pellet/malopolskie.csv")) == [row for row in rows if row["teryt"] == "12"]
    day = months_before(history, 1).isoformat()
    assert csv_rows(client.get(f"/ceny/pellet.csv?dzien={day}"))[0]["mediana_zl"] == "1400.00"
    assert client.get("/ceny/gus.csv").content == client.get("/dane/srednie-gus.csv").content


def test_the_dearer_the_stronger_the_colour(client, history):
    factories.BoundaryFactory()
    factories.BoundaryFactory(municipality=Municipality.objects.get(teryt="1061011"), lat=51.8)
    html = client.get("/ceny/pellet/").content.decode()
    drawn = dict(re.findall(r'<title>województwo (\w+): [^<]*</title><path class="shade-(\d)"', html))
    assert drawn["łódzkie"] < drawn["małopolskie"]
    assert html.count("Im mocniejszy kolor pola, tym drożej") == 2
