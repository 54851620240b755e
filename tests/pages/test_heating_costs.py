"""The comparison of heating costs: its endpoint, its page, the twin of that and its CSV."""

import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from catalog.search import entries
from regulations.codes import Appliance
from tests import factories
from tests.pages.reading import NOINDEX, csv_rows, data_of, expect, html_of, missing, text_of
from tests.regulations.factories import DeadlineFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

URL, PATH = "/api/v1/heating-costs", "/ceny/porownanie/"
BOILERS = ["boiler_class_5", "boiler_ecodesign"]


@pytest.fixture
def pellet():
    factories.price_depots(1540, 1640, 1740)


def rows_of(client, **query):
    return {row["source"]: row for row in client.get(URL, query).json()["rows"]}


def read(client, query=""):
    return text_of(client.get(f"{PATH}{query}"))


def test_the_median_of_the_voivodeship_else_of_poland_with_rounded_ranges_is_the_same_everywhere(client, pellet):
    factories.price_depots(1940, 2040, 2140, depot__municipality=factories.warszawa())
    row = rows_of(client, teryt="1261011")["pellet"]
    price = row["price"]
    assert (price["amount"], price["kind"], price["n"], price["area"]) == (1640, "median", 3, "województwo małopolskie")
    assert price["window_to"] == timezone.localdate().isoformat()
    # To the grosz and to a hundred złoty.
    assert row["cost_per_kwh"] == {"low": 0.37, "middle": 0.4, "high": 0.45}
    assert (row["cost_per_year"], row["amount_per_year"]) == ({"low": 7800, "middle": 8400, "high": 9400}, 5.15)
    assert rows_of(client, teryt="12")["pellet"]["cost_per_year"] == row["cost_per_year"]
    shown = "0,37–0,45 zł", "rocznie 7 800–9 400 zł", "1 640 zł/t, mediana 3 cen", "4,6–4,9, zwykle 4,8 kWh/kg"
    expect(client.get(f"{PATH}?miejsce=1261011"), *shown, "Sprawność 80–90%")
    twin = html_of(client.get("/ceny/porownanie.md?miejsce=1261011&powierzchnia=150"))
    assert "w JSON: http://127.0.0.1:8000/api/v1/heating-costs?teryt=1261011&area=150\n" in twin
    assert "| 1 | Pellet, kocioł na pellet | 0,37–0,45 zł | 7 800–9 400 zł | 5,15 t | 1 640 zł/t, mediana 3 cen" in twin
    rows = {row["zrodlo_ciepla"]: row for row in csv_rows(client.get("/ceny/porownanie.csv?miejsce=1261011"))}
    row = rows["pellet"]
    assert (row["cena_zl"], row["kwh_od_zl"], row["rocznie_do_zl"], row["liczba_cen"]) == ("1640", "0.37", "9400", "3")
    assert rows["gas"]["kwh_od_zl"] == ""
    factories.bielsko_biala()
    price = rows_of(client, voivodeship="slaskie")["pellet"]["price"]
    assert (price["amount"], price["n"], price["area"]) == (1840, 6, "Polska")


def test_the_field_of_an_own_price_shows_the_usual_one_to_the_grosz(client):
    factories.price_depots(1540, 1641, 1640, 1740)
    assert 'placeholder="1 640,50"' in html_of(client.get(PATH))


def test_an_invented_price_within_the_window_makes_a_demonstration_not_for_search_engines(client, pellet):
    factories.price_depots(1940, 2040, 2140, depot__municipality=factories.warszawa())
    today = timezone.localdate()
    for is_invented, day in ((False, today - timedelta(days=300)), (True, today)):
        factories.price_depots(1500, day=day, depot__demonstration=True)
        answer = client.get(URL, {"teryt": "1261011"}).json()
        (row,) = [row for row in answer["rows"] if row["source"] == "pellet"]
        assert (answer["demonstration"], row["price"]["demonstration"]) == (is_invented, is_invented)
        assert client.get(URL, {"voivodeship": "mazowieckie"}).json()["demonstration"] is False
        page = client.get(f"{PATH}?wojewodztwo=malopolskie")
        assert ("Mediany składów na tej stronie są zmyślone" in text_of(page)) is is_invented
    assert NOINDEX in client.get(PATH).content.decode()


def test_the_heat_of_a_year(client):
    for query, demand in (({}, 21_000), ({"area": 100, "need": 80}, 8_000), ({"kwh": "18000", "area": 100}, 18_000)):
        assert client.get(URL, query).json()["demand_kwh"] == demand
    expect(client.get(f"{PATH}?powierzchnia=100,5&potrzeba=87,5"), "8794 kWh ciepła rocznie")
    for path in (PATH, f"{PATH[:-1]}.md"):
        text = client.get(f"{path}?kwh=20250,5").content.decode().replace("\N{NO-BREAK SPACE}", " ")
        assert text.count("20 251 kWh") == 2, "the demand and what the heater takes"
    together = "20 251 kWh".replace(" ", "\N{NO-BREAK SPACE}")
    assert client.get(f"{PATH}?kwh=20250,5").content.decode().count(together) == 2


def test_ones_own_price_and_efficiency_come_first_and_stay_in_their_fields(client, pellet):
    row = rows_of(client, teryt="1261011", price_pellet="1500,50")["pellet"]
    assert (row["price"]["amount"], row["price"]["kind"], row["price"]["area"]) == (1500.5, "own", None)
    for bag, tonne in (("36", 2400), ("38", 2533.33), ("25.55", 1703.33)):
        assert rows_of(client, bag_pellet=bag)["pellet"]["price"]["amount"] == tonne
    assert rows_of(client, bag_pellet="36", price_pellet="1600")["pellet"]["price"]["amount"] == 1600
    assert str(rows_of(client, price_beech_fireplace="-0")["beech_fireplace"]["price"]["amount"]) == "0.0"
    value = rows_of(client, efficiency_heat_pump_air="3.5", price_heat_pump_air="1.05")["heat_pump_air"]
    assert value["cost_per_kwh"] == {"low": 0.3, "middle": 0.3, "high": 0.3}
    stated = value["efficiency"]
    assert (stated["default"], stated["certainty"]) == (3.5, "own")
    assert stated["origin"] == "Wartość podana w zapytaniu."
    own = "?cena_pellet=1.640&worek_ekogroszek_class_5=38&cena_gas=0,38"
    html = client.get(f"{PATH}{own}&sprawnosc_gas=0,95").content.decode()
    fields = (f'name="{name}"' for name in ("cena_pellet", "worek_ekogroszek_class_5", "sprawnosc_gas"))
    assert not missing(html, *fields, 'value="1640"', NOINDEX)
    expect(client.get(f"{PATH}{own}"), "1 640 zł/t, Twoja cena", "1 900 zł/t, Twoja cena", "0,40–0,44 zł")
    # Bills state more than grosze.
    expect(client.get(f"{PATH}?cena_gas=0,2385&cena_electric=1,1"), "0,2385 zł/kWh, Twoja", "1,10 zł/kWh, Twoja")


def test_without_a_price_there_is_no_cost_and_no_rank_and_the_twin_says_why(client):
    rows = rows_of(client).values()
    assert len(rows) == 20
    for row in rows:
        assert [row[name] for name in ("price", "cost_per_kwh", "cost_per_year", "group")] == [None] * 4
        assert row["amount_per_year"] > 0
    lines = client.get(f"{PATH[:-1]}.md").content.decode().splitlines()
    too_few, none = "| za mało cen; podaj własną |", "| podaj własną cenę |"
    for source, reason in (("Pellet", too_few), ("Pompa ciepła", none), ("Gaz", none)):
        assert any(f"| {source}" in line and reason in line for line in lines), source
    notes = " ".join(client.get(URL).json()["notes"])
    assert not missing(notes, "zakupu i montażu", "zachodzą na siebie", "W-1.1", "Ciepła z sieci, miału")


def test_the_newest_average_of_electricity_with_its_year_and_none_of_gas(client):
    malopolskie = factories.krakow().voivodeship
    for slug, area, year, value in (
        ("prad-g11", None, 2023, "0.93"),
        ("prad-g11", None, 2024, "1.01"),
        ("prad-g11", malopolskie, 2024, "0.97"),
        ("gaz-w11", None, 2025, "0.36"),
    ):
        factories.average(year, value, slug, voivodeship=area)
    rows = rows_of(client)
    price = rows["electric"]["price"]
    assert (price["amount"], price["kind"], price["year"], price["area"]) == (1.01, "official", 2024, "Polska")
    assert rows_of(client, teryt="1261011")["heat_pump_ground"]["price"]["amount"] == 0.97
    assert rows["gas"]["price"] is None
    assert rows_of(client, price_gas="0.38")["gas"]["cost_per_kwh"] == {"low": 0.4, "middle": 0.42, "high": 0.44}


def test_ranges_that_overlap_are_one_group_in_polish_order(client):
    prices = {"price_pellet": 1600, "price_ekogroszek_class_5": 2400, "price_electric": "1.10", "price_gas": "1.00"}
    priced = [(row["source"], row["group"]) for row in client.get(URL, prices).json()["rows"] if row["group"]]
    assert priced == [("ekogroszek_class_5", 1), ("pellet", 1), ("gas", 2), ("electric", 2)]
    for query, ordered in (
        (
            "?cena_pellet=1600&cena_ekogroszek_class_5=2400&cena_electric=1,10",
            ("Podobnie", "Ekogroszek, kocioł", "Pellet, kocioł", "Wyraźnie drożej", "Grzejniki na prąd"),
        ),
        (
            "?cena_heat_pump_ground=0,50&cena_heat_pump_air=1&cena_electric=2",
            ("Najtaniej", "Wyraźnie drożej", "Jeszcze drożej"),
        ),
    ):
        text = read(client, query)
        assert [*map(text.index, ordered)] == sorted(map(text.index, ordered)), query
        assert text.count("Wyraźnie drożej") == 1


def test_the_axis_fits_on_a_phone_whatever_the_price(client):
    for price, labels in (
        ("0", ["0 zł", "0,25"]),
        ("1,50", ["0 zł", "0,25", "0,50", "0,75", "1,00", "1,25", "1,50"]),
        ("1,51", ["0 zł", "0,50", "1,00", "1,50", "2,00"]),
        ("98", ["0 zł", "32,00", "64,00", "96,00", "128,00"]),
    ):
        html = html_of(client.get(PATH, {"cena_electric": price}))
        scale = html.partition('<p class="scale"')[2].partition("</p>")[0]
        assert re.findall("<span>([^<]+)</span>", scale) == labels


def test_sources_without_a_price_are_folded_unless_it_is_one(client, pellet):
    page = client.get(PATH).content.decode()
    priced, _, others = page.partition('<h2 id="grupa-2">Bez ceny</h2>')
    assert 'name="cena_pellet"' in priced
    folded = others.partition('<summary class="act">Pokaż ')[2].partition("</section>")[0]
    assert re.match(r"\d+ źródeł ciepła bez ceny</summary>", folded)
    assert folded.count('name="cena_') == int(folded.split(" ")[0])
    assert re.search(r"</ul>\s*</details>\s*$", folded)
    fields = set(re.findall(r'name="(cena_\w+)"', page))
    html = client.get(PATH, dict.fromkeys(fields - {"cena_gas"}, "1")).content.decode()
    alone = html.partition(">Bez ceny</h2>")[2].partition("</section>")[0]
    assert re.findall(r'name="(cena_\w+)"', alone) == ["cena_gas"]
    assert "bez ceny</summary>" not in html
    assert html.count("<details") == html.count("</details>")


def test_what_is_wrong_is_named_and_left_out(client, pellet):
    text = read(client, "?powierzchnia=5&cena_pellet=abc&wojewodztwo=nibylandia")
    named = "Pomijamy to, co nie jest liczbą w dopuszczalnym zakresie: powierzchnia; cena (Pellet, kocioł na pellet)."
    assert not missing(text, named, "Nie znamy takiego województwa", "21 000 kWh", "mediana 3 cen")
    assert "Nie znamy takiego województwa" in read(client, "?wojewodztwo=%00")
    twin = client.get(f"{PATH[:-1]}.md?powierzchnia=5&miejsce=Nibylandia").content.decode()
    assert not missing(twin, "powierzchnia.", "Nie znaleźliśmy takiego miejsca")


def test_pages_and_a_citation_lead_to_the_same_comparison(client, pellet):
    factories.zakopane()
    for path in ("/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/", "/sklady/malopolskie/krakow-1261011/"):
        assert PATH in client.get(path).content.decode(), "it leads there"
    cited = "http://127.0.0.1:8000/ceny/porownanie/"
    assert f"{cited}, stan na" in read(client)
    assert "Ile kosztuje ciepło: Zakopane" in read(client, "?miejsce=1217011")
    query = "?miejsce=1217011&teryt=&powierzchnia=&kwh=12.000&cena_pellet=1.640,00&cena_gas=abc"
    assert f"{cited}?miejsce=1217011&kwh=12000&cena_pellet=1640, stan na" in read(client, query)
    assert f"{cited}?wojewodztwo=malopolskie, stan na" in read(client, "?wojewodztwo=małopolskie")


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"teryt": "1261011", "area": "120.5", "need": "80"},
        {"teryt": "12", "kwh": "18000", "bag_pellet": "38.5"},
        {"voivodeship": "mazowieckie", "price_gas": "0.385", "price_pellet": "1640", "efficiency_pellet": "0.8"},
        {"area": "120", "kwh": "9000", "price_pellet": "1640", "bag_pellet": "30"},
    ],
)
def test_the_page_of_an_answer_is_of_the_same_place_and_numbers(client, pellet, query):
    factories.warszawa()
    answer = client.get(URL, query).json()
    assert data_of(client, answer["page"]) == answer


def test_the_twin_asks_which_of_several_places_is_meant(client):
    for unit in (factories.krakow(), factories.zakopane()):
        factories.PlaceFactory(name="Dąbrowa", municipality=unit)
    entries.rebuild_index()
    refusal = client.get("/ceny/porownanie.csv?miejsce=Dąbrowa")
    assert (refusal.status_code, refusal.content.decode()) == (400, "Jest kilka miejsc o tej nazwie.\n")
    assert 'href="/ceny/porownanie.csv"' in client.get(f"{PATH}?miejsce=Dąbrowa").content.decode()
    text = client.get(f"{PATH[:-1]}.md?miejsce=Dąbrowa").content.decode()
    assert not missing(text, "Które miejsce masz na myśli?", "/ceny/porownanie.md?miejsce=1217011)")


def test_the_csv_refuses_what_the_page_names_and_leaves_out(client):
    for query, reason in [
        ("miejsce=qqqq", "Nie znaleźliśmy takiego miejsca"),
        ("kwh=x", "kWh rocznie"),
        ("wojewodztwo=xx", "województw"),
    ]:
        refusal = client.get(f"/ceny/porownanie.csv?{query}")
        assert (refusal.status_code, refusal["Cache-Control"]) == (400, "no-store")
        assert reason in refusal.content.decode()
        assert not missing(client.get(f"{PATH}?{query}").content.decode(), reason, 'href="/ceny/porownanie.csv"')


def test_the_csv_of_a_page_that_leaves_a_number_out_is_of_the_same_place_and_numbers(client):
    factories.krakow()
    entries.rebuild_index()
    page = client.get(f"{PATH}?miejsce=1261011&cena_pellet=17+tys&cena_gas=0,42").content.decode()
    assert 'href="/ceny/porownanie.csv?miejsce=1261011&amp;cena_gas=0,42"' in page.replace("%2C", ",")


def test_a_unit_may_stand_behind_a_number(client):
    typed = {
        "powierzchnia": ("120", "120 m²"),
        "potrzeba": ("90,5", "90,5kWh/m2"),
        "kwh": ("18000", "18\N{NO-BREAK SPACE}000 kWh"),
        "cena_pellet": ("1500", "1.500,- zł/tonę"),
        "cena_electric": ("1,10", "1,10 zl/kWh"),
        "worek_pellet": ("24,99", "24,99 ZŁ za worek"),
        "sprawnosc_pellet": ("0,88", "88%"),
        "sprawnosc_gas": ("1,025", "102,5 %"),
    }
    bare, full = ({name: spellings[number] for name, spellings in typed.items()} for number in (0, 1))
    twins = [client.get(f"{PATH[:-1]}.md", query).content.decode() for query in (bare, full)]
    assert twins[0] == twins[1]
    for query in ("?kwh=18000+m²", "?cena_pellet=1500+zł/mp", "?sprawnosc_pellet=85+zł", "?sprawnosc_pellet=126%25"):
        assert "Pomijamy" in read(client, query), query
    for query in ({"efficiency_pellet": "88%"}, {"price_pellet": "1500 zł"}, {"price_pellet": "1.640"}):
        assert client.get(URL, query).status_code == 400, query


@pytest.fixture
def ban():
    """Forbid every appliance for solid fuel in Kraków, fireplaces with an exemption."""
    boilers = [code.value for code in Appliance if code != Appliance.FIREPLACE]
    every = {"kind": "solid_fuel_ban", "date": "2019-09-01"}
    DeadlineFactory(**every, appliances=boilers)
    DeadlineFactory(**every, appliances=["fireplace"], exemptions=["ecodesign"])


def test_what_the_place_forbids_says_so_in_its_row_and_comes_last(client, ban):
    rows = rows_of(client, teryt="1261011")
    assert rows["pellet"]["allowed"] is False
    assert "nie wolno już używać od 1" in rows["pellet"]["rule"]
    assert rows["pellet"]["rule_url"].endswith("/przepisy/sprawdz/?miejsce=1261011&piec=boiler_class_5")
    assert rows["beech_fireplace"]["allowed"] is None
    assert "chyba że spełnia ekoprojekt" in rows["beech_fireplace"]["rule"]
    assert (rows["heat_pump_air"]["allowed"], rows["gas"]["allowed"]) == (True, None)
    query = "?miejsce=1261011&cena_ekogroszek_feeder=1000&cena_heat_pump_ground=1&cena_heat_pump_air=1,80"
    html = client.get(f"{PATH}{query}").content.decode()
    permitted, _, forbidden = html.partition(">Kraków: tym nie wolno ogrzewać</h2>")
    assert 'name="cena_ekogroszek_feeder"' not in permitted
    assert not missing(forbidden, 'name="cena_ekogroszek_feeder"', ">nie wolno</a>", "<details open>")
    # The ranges of the heat pumps overlap that of the coal alone.
    assert permitted.index(">Najtaniej</h2>") < permitted.index("gruntowa") < permitted.index(">Wyraźnie drożej</h2>")
    assert ">nie wolno</a>" not in permitted
    twin = client.get(f"{PATH[:-1]}.md{query}").content.decode()
    assert re.search(r"\| 1 \| Pompa ciepła g.*\| 2 \| Pompa ciepła p.*\|  \| Ekogroszek, podajnik", twin, re.DOTALL)
    assert "Na końcu, bez grupy, są te, którymi nie wolno tu ogrzewać; JSON i CSV grupują razem z nimi." in twin
    assert "nie wolno tu ogrzewać" not in client.get(f"{PATH[:-1]}.md").content.decode()


def test_a_ban_of_coal_is_none_of_pellet(client):
    DeadlineFactory(date="2019-09-01", appliances=BOILERS, fuels=["hard_coal"])
    rows = rows_of(client, teryt="1261011")
    assert (rows["ekogroszek_class_5"]["allowed"], rows["pellet"]["allowed"]) == (False, None)


def test_a_limit_counts_from_its_own_day_on_and_a_source_that_may_not_be_used_for_ever_says_so(client):
    DeadlineFactory(date=date(2100, 1, 1), appliances=BOILERS)
    text = read(client, "?miejsce=1261011&cena_ekogroszek_class_5=1500")
    row = text[text.index("Ekogroszek, kocioł klasy 5") :]
    assert "wolno do 31 grudnia 2099 r." in row[: row.index("Skąd te liczby")]
    for days, allowed in ((1, True), (0, None)):
        day = timezone.localdate() + timedelta(days=days)
        DeadlineFactory(date=day, appliances=BOILERS, conditions=["network_available"])
        assert rows_of(client, teryt="1261011")["pellet"]["allowed"] is allowed


OLD = "fireplace | 2017-07-01"


@pytest.mark.parametrize(("spared", "allowed"), [([OLD], None), (["fireplace"], True), ([OLD, "fireplace"], True)])
def test_what_is_spared_by_its_age_alone_depends_on_it(client, spared, allowed):
    for line in spared:
        DeadlineFactory(appliances=["stove"], spared=line)
    assert rows_of(client, teryt="1261011")["beech_fireplace"]["allowed"] is allowed


def test_without_a_municipality_nothing_is_judged_and_a_postcode_stands_for_that_of_most_addresses(client, ban):
    for query in ({}, {"voivodeship": "malopolskie"}, {"teryt": "1261"}):
        assert rows_of(client, **query)["pellet"]["allowed"] is None
    factories.PostcodeFactory()
    answer = client.get(URL, {"postcode": "30-001"}).json()
    assert (answer["municipality"], answer["voivodeship"]) == ("1261011", "malopolskie")
