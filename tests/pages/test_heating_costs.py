"""The page of heating costs, its twin and its CSV."""

import re
from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.search import entries
from tests import factories
from tests.pages.reading import NOINDEX, csv_rows, expect, html_of, missing, text_of
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

PATH = "/ceny/porownanie/"


@pytest.fixture
def pellet():
    factories.price_depots(1540, 1640, 1740)


def read(client, query=""):
    return text_of(client.get(f"{PATH}{query}"))


def test_a_row_has_its_range_and_where_the_numbers_come_from(client, pellet):
    shown = "0,37–0,45 zł", "rocznie 7 800–9 400 zł", "1 640 zł/t, mediana 3 cen", "4,6–4,9, zwykle 4,8 kWh/kg"
    expect(client.get(PATH), *shown)
    expect(client.get(f"{PATH}?powierzchnia=100,5&potrzeba=87,5"), "8794 kWh ciepła rocznie")


def test_ones_own_prices_are_counted_and_stay_in_their_fields(client):
    own = "?cena_pellet=1.640&worek_ekogroszek_class_5=38&cena_gas=0,38"
    html = client.get(f"{PATH}{own}&sprawnosc_gas=0,95").content.decode()
    fields = (f'name="{name}"' for name in ("cena_pellet", "worek_ekogroszek_class_5", "sprawnosc_gas"))
    assert not missing(html, *fields, 'value="1640"', NOINDEX)
    expect(client.get(f"{PATH}{own}"), "1 640 zł/t, Twoja cena", "1 900 zł/t, Twoja cena", "0,40–0,44 zł")


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


def test_sources_without_a_price_are_folded(client, pellet):
    priced, _, others = client.get(PATH).content.decode().partition('<h2 id="grupa-2">Bez ceny</h2>')
    assert 'name="cena_pellet"' in priced
    folded = others.partition('<summary class="act">Pokaż ')[2].partition("</section>")[0]
    assert re.match(r"\d+ źródeł ciepła bez ceny</summary>", folded)
    assert folded.count('name="cena_') == int(folded.split(" ")[0])
    assert re.search(r"</ul>\s*</details>\s*$", folded)


def test_one_source_without_a_price_is_shown_unfolded(client):
    fields = set(re.findall(r'name="(cena_\w+)"', client.get(PATH).content.decode()))
    html = client.get(PATH, dict.fromkeys(fields - {"cena_pellet"}, "1")).content.decode()
    alone = html.partition(">Bez ceny</h2>")[2].partition("</section>")[0]
    assert re.findall(r'name="(cena_\w+)"', alone) == ["cena_pellet"]
    assert "bez ceny</summary>" not in html
    assert html.count("<details") == html.count("</details>")


def test_what_is_wrong_is_named_and_left_out(client, pellet):
    text = read(client, "?powierzchnia=5&cena_pellet=abc&wojewodztwo=nibylandia")
    named = "Pomijamy, bo nie jest liczbą w dopuszczalnym zakresie: powierzchnia; cena (Pellet, kocioł na pellet)."
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


def test_a_source_without_a_price_says_why(client):
    rows = client.get(f"{PATH[:-1]}.md").content.decode().splitlines()
    too_few, none = "| za mało cen; podaj własną |", "| podaj własną cenę |"
    for source, reason in (("Pellet", too_few), ("Pompa ciepła", none), ("Gaz", none)):
        assert any(f"| {source}" in row and reason in row for row in rows), source


def test_the_twin_asks_which_of_several_places_is_meant(client):
    for unit in (factories.krakow(), factories.zakopane()):
        factories.PlaceFactory(name="Dąbrowa", municipality=unit)
    entries.rebuild_index()
    refusal = client.get("/ceny/porownanie.csv?miejsce=Dąbrowa")
    assert (refusal.status_code, refusal.content.decode()) == (400, "Jest kilka miejsc o tej nazwie.\n")
    assert 'href="/ceny/porownanie.csv"' in client.get(f"{PATH}?miejsce=Dąbrowa").content.decode()
    text = client.get(f"{PATH[:-1]}.md?miejsce=Dąbrowa").content.decode()
    assert not missing(text, "Które miejsce masz na myśli?", "/ceny/porownanie.md?miejsce=1217011)")


def test_a_source_that_may_not_be_used_for_ever_says_so_in_its_row(client):
    LegalStateFactory(as_of=timezone.localdate())
    ResolutionFactory()
    DeadlineFactory(outside_krakow=True, date=date(2100, 1, 1), appliances=["boiler_class_3", "boiler_class_4"])
    factories.zakopane()
    text = read(client, "?miejsce=1217011&cena_ekogroszek_feeder=1500")
    row = text[text.index("Ekogroszek, podajnik poniżej klasy 5") :]
    assert "Zakopane: do 31 grudnia 2099 r." in row[: row.index("Skąd te liczby")]


def test_what_is_forbidden_comes_last_and_is_marked(client):
    LegalStateFactory(as_of=timezone.localdate())
    ResolutionFactory()
    DeadlineFactory(date=date(2019, 9, 1), appliances=["boiler_class_3", "boiler_class_4"])
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
    assert "Na końcu, bez grupy, są te, którymi nie wolno tu ogrzewać." in twin
    assert "nie wolno tu ogrzewać" not in client.get(f"{PATH[:-1]}.md").content.decode()


def test_overlapping_sources_are_not_ranked(client):
    text = read(client, "?cena_pellet=1600&cena_ekogroszek_class_5=2400&cena_electric=1,10")
    assert text.index("Podobnie") < text.index("Ekogroszek, kocioł") < text.index("Pellet, kocioł")
    assert text.index("Pellet, kocioł") < text.index("Wyraźnie drożej") < text.index("Grzejniki na prąd")
    groups = read(client, "?cena_heat_pump_ground=0,50&cena_heat_pump_air=1&cena_electric=2")
    assert groups.index("Najtaniej") < groups.index("Wyraźnie drożej") < groups.index("Jeszcze drożej")
    assert groups.count("Wyraźnie drożej") == 1


def test_the_twin_and_the_csv_have_the_same_numbers(client, pellet):
    twin = html_of(client.get("/ceny/porownanie.md"))
    assert "| 1 | Pellet, kocioł na pellet | 0,37–0,45 zł | 7 800–9 400 zł | 5,15 t | 1 640 zł/t, mediana 3 cen" in twin
    rows = {row["zrodlo_ciepla"]: row for row in csv_rows(client.get("/ceny/porownanie.csv"))}
    row = rows["pellet"]
    assert (row["cena_zl"], row["kwh_od_zl"], row["rocznie_do_zl"], row["liczba_cen"]) == ("1640", "0.37", "9400", "3")
    assert rows["gas"]["kwh_od_zl"] == ""


def test_the_csv_refuses_what_the_page_names_and_leaves_out(client, pellet):
    for query, reason in [
        ("miejsce=qqqq", "Nie znaleźliśmy takiego miejsca"),
        ("kwh=x", "kWh rocznie"),
        ("wojewodztwo=xx", "województw"),
    ]:
        refusal = client.get(f"/ceny/porownanie.csv?{query}")
        assert (refusal.status_code, refusal["Cache-Control"]) == (400, "no-store")
        assert reason in refusal.content.decode()
        page = client.get(f"{PATH}?{query}").content.decode()
        assert reason in page
        assert 'href="/ceny/porownanie.csv"' in page


def test_invented_prices_are_not_for_search_engines(client):
    for amount in (1540, 1640, 1740):
        depot = factories.DepotFactory(demonstration=True, source_id=f"demo/{amount}")
        factories.DepotPriceFactory(depot=depot, price=Decimal(amount), day=timezone.localdate())
    answer = client.get(PATH)
    assert NOINDEX in answer.content.decode()
    assert "Mediany składów na tej stronie są zmyślone" in text_of(answer)
