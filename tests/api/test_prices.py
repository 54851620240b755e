"""GET /prices, official averages, and GET /prices/{fuel}."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from catalog.models import Depot
from catalog.services import moderation, publishing
from fueldepot.http import cache_control
from prices import medians
from prices.api.price_answers import all_fuel_prices
from prices.models import Observation, PlausibleRange, Series
from tests import factories
from tests.factories import TODAY
from tests.pages.reading import csv_rows, data_of, missing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays", "the_day")]

URL = "/api/v1/prices"


def test_series_golden(client, golden):
    Series.objects.create(slug="wegiel-kamienny", variable_id=5088, variable_name="węgiel kamienny - za 1 t")
    factories.average(2018, "887.30")
    factories.average(2006, "491.54")
    malopolskie, mazowieckie = factories.krakow().voivodeship, factories.warszawa().voivodeship
    for area, year, value in (
        (mazowieckie, 2024, "1.02"),
        (malopolskie, 2024, "0.97"),
        (malopolskie, 2004, "0.40"),
        (None, 2024, "1.0123"),
    ):
        factories.average(year, value, "prad-g11", voivodeship=area)
    answer = client.get(URL, {"anything": "ignored"})
    assert answer["Cache-Control"] == cache_control.REGISTER
    golden("prices", answer.json())


def test_one_number_with_where_it_was_read(client):
    factories.average(2018, "0.6", source="Monitor Polski")
    malopolskie = factories.krakow().voivodeship
    for year, area, source in ((2018, None, "GUS"), (2019, None, "GUS za X"), (2019, malopolskie, "GUS")):
        factories.average(year, "0.6", "prad-g11", voivodeship=area, source=source)

    def ask(**query):
        return client.get(URL, query).json()

    found = ask(series="prad-g11", year="2019")
    values = [(row["area"], row["teryt"], row["origin"]) for row in found["prad-g11"]["values"]]
    assert values == [("Polska", "", "GUS za X"), ("małopolskie", "12", "GUS")]
    assert found["prad-g11"]["poland"] == {"2019": 0.6}
    assert found["prad-g11"]["voivodeships"] == {"malopolskie": {"2019": 0.6}}
    assert (found["wegiel-kamienny"]["poland"], found["wegiel-kamienny"]["values"]) == ({}, [])
    assert "as_of" in found["prad-g11"]["values"][0]
    assert [len(row["values"]) for row in ask(year="2018", voivodeship="polska").values()] == [1, 1, 0]
    assert [row["teryt"] for row in ask(voivodeship="Małopolskie")["prad-g11"]["values"]] == ["12"]
    assert "values" not in ask()["prad-g11"]


def fill(fuel, *amounts, municipality=factories.krakow, day=date(2026, 11, 1), **extra):
    factories.price_depots(*map(str, amounts), fuel=fuel, day=day, depot__municipality=municipality(), **extra)


@pytest.fixture
def coal():
    """Create ten prices of two assortments in two voivodeships, one implausible, one outlier."""
    fill("ekogroszek", 1450, 1500, 1550, 1600)
    fill("ekogroszek", 1500, 1520, 1540, municipality=factories.warszawa, origin="submission")
    fill("ekogroszek", 1480, municipality=factories.bielsko_biala)
    fill("ekogroszek", 15, 3400)
    fill("ekogroszek", 1300, 1310, 1320, day=date(2026, 3, 15))
    Series.objects.create(slug="wegiel-kamienny", variable_id=123456)
    for year, value in ((2021, "996.60"), (2022, "2329.03")):
        factories.average(year, value, source="M.P. 2023 poz. 1")


@pytest.mark.parametrize(("window", "start", "n"), [(3, "2026-08-21", 1), (6, "2026-05-21", 2), (12, "2025-11-21", 3)])
def test_every_figure_is_of_the_window_asked_for(client, window, start, n):
    for months in (1, 5, 11):
        fill("pellet", 1500 + months, day=medians.months_before(TODAY, months))
    answer = client.get(f"{URL}/pellet?window={window}").json()
    assert (answer["window_months"], answer["window_from"], answer["from"]) == (window, start, start)
    assert (answer["n"], answer["price_lists"], answer["arithmetic"]["considered"]) == (n, n, n)
    assert f"z ostatnich {window} miesięcy" in answer["method"]
    assert client.get(f"{URL}/pellet?window={window}&voivodeship=12").json()["n"] == n


def test_other_windows_are_refused(client):
    for window in ("0", "4", "6.5", "x"):
        answer = client.get(f"{URL}/pellet?window={window}")
        assert answer.json()["errors"][0]["message"] == f"window is '{window}'; give one of 3, 6, 12", window


def test_coal_golden(client, golden, coal):
    answer = client.get(f"{URL}/ekogroszek")
    assert answer["Content-Type"] == "application/json"
    golden("prices_ekogroszek", answer.json())
    golden("prices_ekogroszek_values", client.get(f"{URL}/ekogroszek", {"values": "tak"}).json())
    there = client.get(f"{URL}/ekogroszek", {"voivodeship": "malopolskie"}).json()
    golden("prices_ekogroszek_malopolskie", there)
    for query in ("12", "MAŁOPOLSKIE", "województwo małopolskie", "12&values=1"):
        assert client.get(f"{URL}/ekogroszek?voivodeship={query}").json() == there, query


def test_fences_are_the_lowest_and_the_highest_grosz_that_count(client):
    fill("pellet", 1400, "1450.02", 1475, 1500, 1525, 1550, "1600.02", 1700)
    # Quartiles 1468.755 and 1562.505, fences 1187.505 and 1843.755.
    assert client.get(f"{URL}/pellet").json()["arithmetic"]["fences"] == {"low": 1187.51, "high": 1843.75}


def test_few_prices_golden(client, golden):
    fill("drewno-kominkowe", 350, 400)
    golden("prices_firewood_two", client.get(f"{URL}/drewno-kominkowe?values=1").json())
    golden("prices_pellet_none", client.get(f"{URL}/pellet?values=1").json())


def test_demonstration_golden(client, golden):
    fill("pellet", 1400, 1500, 1600, depot__demonstration=True)
    golden("prices_pellet_demonstration", client.get(f"{URL}/pellet").json())
    there = client.get(f"{URL}/pellet?voivodeship=12").json()
    assert (there["demonstration"], there["method"][:19]) == (True, "Dane demonstracyjne")
    assert "demonstration" not in client.get(f"{URL}/brykiet").json()


@pytest.mark.parametrize("query", ["", "?voivodeship=12"])
def test_without_a_range_nothing_is_said_of_one(client, query):
    PlausibleRange.objects.filter(fuel="pellet").delete()
    fill("pellet", 1, 1500, 90_000)
    answer = client.get(f"{URL}/pellet{query}").json()
    assert (answer["n"], answer["median"]) == (3, 1500)
    assert "przedział" not in answer["method"]
    assert "Kroki: 1) każdy skład liczy się raz" in answer["method"]
    assert "; 3) medianę podajemy od 3 cen. " in answer["method"]
    assert answer.get("arithmetic", {}).get("plausible_range", {}) == {}


def test_coal_takes_its_assortments_in_with_the_official_average_no_bag_and_ranges_of_some(client, coal):
    assert client.get(f"{URL}/wegiel").json()["n"] == 8
    for fuel in ("wegiel", "ekogroszek", "wegiel-kostka", "wegiel-orzech", "wegiel-groszek", "mial-weglowy"):
        assert client.get(f"{URL}/{fuel}").json()["gus"]["year"] == 2022
    for fuel in ("pellet", "brykiet", "drewno-kominkowe"):
        assert "gus" not in client.get(f"{URL}/{fuel}").json()
    for fuel in ("wegiel", "wegiel-kostka", "brykiet", "drewno-kominkowe"):
        assert not {"bag_kg", "bag_price"} & client.get(f"{URL}/{fuel}").json().keys()
    Observation.objects.all().delete()
    PlausibleRange.objects.filter(fuel="ekogroszek").delete()
    answer = client.get(f"{URL}/wegiel").json()
    assert answer["gus"] is None
    some = "1) odrzucamy ceny spoza wiarygodnego przedziału dla danego paliwa, o ile go ustalono; 2) każdy"
    assert some in answer["method"]


def test_an_official_average_names_its_year_and_where_it_was_read(client, coal):
    gazette, bank = "Monitor Polski, M.P.2019.49", "GUS, Bank Danych Lokalnych, zmienna 5001"
    for origin, source in (
        ("GUS, za: https://biznesalert.pl/polska/", ("GUS, za: biznesalert.pl", "https://biznesalert.pl/polska/")),
        (f"{gazette}, https://sip.lex.pl/a-18806213", (gazette, "https://sip.lex.pl/a-18806213")),
        (bank, (bank, "https://bdl.stat.gov.pl/api/v1/data/by-variable/5001?unit-level=2&format=json")),
    ):
        Series.objects.filter(slug="wegiel-kamienny").update(variable_id=5001)
        Observation.objects.filter(year=2022).update(source=origin)
        gus = client.get(f"{URL}/ekogroszek").json()["gus"]
        assert (gus["source"]["name"], gus["source"]["url"]) == source, origin
        assert "w 2022 r." in gus["description"]
        assert not missing(client.get("/ceny/ekogroszek/").content.decode(), "Rok 2022", source[0])
        assert "Rok 2022" in client.get("/ceny/ekogroszek.md").content.decode()


def test_what_is_not_approved_does_not_count_nor_what_is_of_a_removed_depot(client):
    fill("pellet", 1400, 1500, 1600)
    for status in ("pending", "rejected"):
        fill("pellet", 1200, **{status: True})
    assert client.get(f"{URL}/pellet").json()["n"] == 3
    depot = Depot.objects.get(prices__price=1600)
    moderation.remove_depot(depot=depot, reason=Depot.RemovalReason.CLOSED, on=TODAY)
    assert client.get(f"{URL}/pellet").json()["n"] == 2
    publishing.publish_depot(depot=depot, on=TODAY, note="działa dalej")
    assert client.get(f"{URL}/pellet").json()["n"] == 3


def test_any_day_of_the_last_two_years_can_be_asked_for_and_after_midnight_the_window_moves_on(client, monkeypatch):
    fill("pellet", 1400, 1500, 1600, day=date(2026, 5, 21))
    fill("pellet", 2000, day=date(2026, 11, 20))
    for day, n in (("2026-11-21", 4), ("2026-11-19", 3), ("2026-05-21", 3), ("2026-05-20", 0), ("2024-11-21", 0)):
        answer = client.get(f"{URL}/pellet", {"on": day}).json()
        assert (answer["n"], answer["to"]) == (n, day)
        assert client.get(f"{URL}/pellet", {"on": day, "voivodeship": "malopolskie"}).json()["n"] == n
    tomorrow = TODAY + timedelta(days=1)
    monkeypatch.setattr(timezone, "localdate", lambda value=None: tomorrow)
    answer = client.get(f"{URL}/pellet").json()
    assert (answer["n"], answer["from"], answer["to"]) == (1, "2026-05-22", "2026-11-22")
    assert [all_fuel_prices(day)["pellet"]["n"] for day in (TODAY, tomorrow)] == [4, 1]


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ({}, ""),
        ({"on": "2026-11-21", "window": "6"}, ""),
        ({"window": "12"}, "?okres=12"),
        ({"on": "2026-11-19"}, "?dzien=2026-11-19"),
        ({"on": "2026-10-01", "window": "3"}, "?dzien=2026-10-01&okres=3"),
    ],
)
@pytest.mark.parametrize(("area", "path"), [({}, "pellet"), ({"voivodeship": "12"}, "pellet/malopolskie")])
def test_the_page_of_an_answer_is_of_the_same_area_day_and_window(client, query, parameters, area, path):
    fill("pellet", 1400, 1500, 1600, day=date(2026, 9, 1))
    answer = client.get(f"{URL}/pellet", query | area).json()
    assert answer["page"] == f"http://127.0.0.1:8000/ceny/{path}/{parameters}"
    assert data_of(client, answer["page"]) == answer
    table = csv_rows(client.get(f"/ceny/{path}.csv{parameters}"))
    assert table[0]["strona"] == answer["page"]


def test_an_unknown_fuel_is_not_found_and_other_parameters_are_ignored(client):
    for fuel in ("uran", "Pellet", "pellet%00", "%FF", "pellet%20", "w" * 300):
        answer = client.get(f"{URL}/{fuel}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), fuel
    assert client.get(f"{URL}/pellet?x=%FF&fuel=uran").status_code == 200
