import csv
import io
import re
from datetime import timedelta
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from catalog import models
from catalog.depots.attribution import LICENCES, ORIGINS
from catalog.importers import freshness
from catalog.importers.records import Report
from catalog.importers.runner import record
from catalog.importers.sources.gugik import PLACES
from catalog.importers.sources.teryt import PLACES as SIMC
from catalog.models import Depot, ImportRun
from catalog.starter import PLACES_CREDIT
from fueldepot.http.csv_table import harmless
from pages.datasets import TERMS
from prices.models import DepotPrice
from tests import factories
from tests.pages.reading import KRAKOW, csv_rows, expect, missing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

SITE = "http://127.0.0.1:8000"
PATHS = ["/dane/gminy.csv", "/dane/ceny-mediany.csv", "/dane/srednie-gus.csv"]


def test_municipalities_with_their_numbers_of_depots_and_invented_ones_are_kept_from_search_engines(client):
    factories.zakopane()
    factories.DepotFactory.create_batch(2)
    factories.DepotFactory(publication=models.Depot.Publication.HELD)
    answer = client.get("/dane/gminy.csv")
    empty, krakow = csv_rows(answer)
    assert (empty["teryt"], empty["nazwa"], empty["sklady"]) == ("1217011", "Zakopane", "0")
    columns = "teryt nazwa rodzaj powiat_teryt powiat wojewodztwo_teryt wojewodztwo sklady w_tym_demonstracyjne strona"
    values = "1261011", "Kraków", "gmina miejska", "1261", "Kraków", "12", "małopolskie", "2", "0", f"{SITE}{KRAKOW}"
    assert krakow == dict(zip(columns.split(), values, strict=True)) | {"zrodlo": krakow["zrodlo"]}
    assert "OpenStreetMap (ODbL 1.0)" in krakow["zrodlo"]
    assert "X-Robots-Tag" not in answer
    models.Depot.objects.update(source=Depot.Source.DEMO)
    answer = client.get("/dane/gminy.csv")
    _, row = csv_rows(answer)
    assert (row["sklady"], row["w_tym_demonstracyjne"]) == ("2", "2")
    assert ("zmyślone" in row["zrodlo"], "odbl" in answer["Link"], answer["X-Robots-Tag"]) == (True, False, "noindex")


def test_medians_of_country_voivodeships_and_months_say_whether_they_are_invented(client, prices):
    answer = client.get("/dane/ceny-mediany.csv")
    rows = csv_rows(answer)
    country, voivodeship, month = (row for row in rows if row["paliwo"] == "pellet")
    today = timezone.localdate()
    names = ("obszar", "okres", "mediana_zl", "liczba_cen", "do", "jednostka", "dane_demonstracyjne")
    assert [country[name] for name in names] == ["Polska", "6 miesięcy", "1500.00", "3", f"{today}", "tona", "nie"]
    assert (voivodeship["obszar"], voivodeship["teryt"]) == ("województwo małopolskie", "12")
    assert (month["okres"], month["od"]) == (f"{today:%Y-%m}", "")
    coal = next(row for row in rows if row["paliwo"] == "wegiel")
    assert (coal["mediana_zl"], coal["liczba_cen"]) == ("", "0")
    assert "X-Robots-Tag" not in answer
    Depot.objects.update(source=Depot.Source.DEMO)
    answer = client.get("/dane/ceny-mediany.csv")
    marked = {row["paliwo"]: row["dane_demonstracyjne"] for row in csv_rows(answer)}
    assert (marked["pellet"], marked["wegiel"]) == ("tak", "nie")
    assert answer["X-Robots-Tag"] == "noindex"


def test_official_averages_each_with_its_source(client):
    krakow = factories.krakow()
    for year, area, value in [(2021, krakow.voivodeship, "996.60"), (2022, None, "2000"), (2021, None, "996.6000")]:
        factories.average(year, value, voivodeship=area, source="=M.P. 1")
    rows = csv_rows(client.get("/dane/srednie-gus.csv"))
    assert [(row["obszar"], row["teryt"], row["rok"], row["cena_zl"]) for row in rows] == [
        ("Polska", "", "2021", "996.6"),
        ("Polska", "", "2022", "2000"),
        ("województwo małopolskie", "12", "2021", "996.6"),
    ]
    assert (rows[0]["zrodlo"], rows[0]["jednostka"]) == ("'=M.P. 1", "zł/t")


@pytest.mark.parametrize("path", PATHS)
def test_every_extract_is_rfc_4180_with_its_licence_and_a_validator(client, prices, path):
    answer = client.get(path)
    assert answer["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert answer["Content-Disposition"] == f'attachment; filename="{path.rsplit("/", 1)[1]}"'
    assert not missing(answer["Link"], 'rel="license"', '<http://127.0.0.1:8000/dane/>; rel="describedby"')
    assert not answer.content.startswith(b"\xef\xbb\xbf")
    lines = answer.content.decode().split("\r\n")
    assert (lines[-1], any("\n" in line for line in lines), lines[0].isascii()) == ("", False, True)
    again = client.get(path, headers={"if-none-match": answer["ETag"]})
    assert again.status_code == 304
    assert again["Cache-Control"].startswith("public, max-age=")
    head = client.head(path)
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", answer["ETag"])


def test_no_text_becomes_a_formula():
    written = {"=1+1": "'=1+1", "+48": "'+48", "-": "'-", "@x": "'@x", "\tx": "'\tx"}
    written |= {same: same for same in ("Kraków", "", -5, None)}
    assert {value: harmless(value) for value in written} == written


def test_every_origin_of_depots_has_its_words_and_its_licence():
    assert ORIGINS.keys() == LICENCES.keys() == {*Depot.Source}


def test_places_have_the_licence_of_their_package_however_they_came(client):
    for credit, licence in (
        (PLACES.credit, PLACES.licence),
        (PLACES_CREDIT, PLACES.licence),
        (SIMC.credit, SIMC.licence),
    ):
        models.Dataset.objects.bump_version("places", source=credit)
        section = client.get("/dane.md").content.decode().partition("## miejscowości")[2].partition("##")[0]
        assert f"- Licencja: {licence}\n" in section, credit


@pytest.mark.parametrize("path", ["/ceny/pellet.csv", "/ceny/pellet/malopolskie.csv", "/ceny/gus.csv", *PATHS])
def test_the_table_for_excel_has_the_values_of_the_plain_one(client, prices, path):
    """Semicolons, decimal commas, a byte order mark; a code is a formula of text."""
    factories.average(2022, "996.60", source="=M.P. 1; 2")
    plain, excel = client.get(path), client.get(path, {"excel": "1"})
    assert excel.content.startswith(b"\xef\xbb\xbf")
    assert excel["Content-Disposition"] == plain["Content-Disposition"].replace(".csv", "-excel.csv")
    rows = csv.DictReader(io.StringIO(excel.content.decode("utf-8-sig"), newline=""), delimiter=";")
    amounts = ("mediana_zl", "roznica_do_polski_zl", "cena_zl")
    read_back = [
        {name: value.replace(",", ".") if name in amounts else value.removeprefix('="').removesuffix('"')}
        for row in rows
        for name, value in row.items()
    ]
    assert read_back == [{name: value} for row in csv_rows(plain) for name, value in row.items()]


def test_excel_reads_amounts_as_numbers_and_codes_as_text(client, prices):
    lines = client.get("/ceny/pellet.csv", {"excel": "1"}).content.decode("utf-8-sig").splitlines()
    today = f"{timezone.localdate():%Y-%m}"
    assert not missing(lines[3], ';"=""12""";6 miesięcy;', ";1500,00;tona;3;0,00;")
    assert f';"=""12""";"=""{today}""";;;1500,00;tona;3;' in lines[4]
    assert client.get("/ceny/pellet.csv", {"excel": "0"}).content == client.get("/ceny/pellet.csv").content


@pytest.mark.parametrize("path", ["/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/", "/ceny/gus/", "/dane/"])
def test_pages_link_the_table_for_excel_beside_the_plain_one(client, prices, path):
    day = timezone.localdate() - timedelta(days=1)
    html = client.get(path, {"dzien": day.isoformat()}).content.decode()
    plain = re.findall(r'href="([^"]+\.csv(?:\?dzien=[^"&]*)?)"', html)
    linked = [unescape(href) for href in re.findall(r'href="([^"]+excel=1)"', html)]
    assert linked == [f"{href}{'&' if '?' in href else '?'}excel=1" for href in plain] != []
    assert {client.get(href.removeprefix("http://127.0.0.1:8000")).status_code for href in linked} == {200}


def test_every_source_says_when_it_was_last_found_current(django_assert_num_queries):
    now = timezone.now()
    origin = {"source": "osm-depots", "dataset": "depots"}
    record(origin, ImportRun.Outcome.IMPORTED, started=now, report=Report("depots", added=7))
    ImportRun.objects.update(started=now - timedelta(days=20), finished=now - timedelta(days=20))
    record(origin, ImportRun.Outcome.FAILED, started=now, message="node/1 does not answer")
    with django_assert_num_queries(1):
        states = freshness.last_runs()
    late = [state for state in states if state.is_overdue(timezone.localdate())]
    html = render_to_string("pages/_runs.html", {"runs": states, "overdue": late})
    assert html.count("<tr>") == 1 + len(states)
    row = next(part for part in html.split("<tr>") if "OpenStreetMap, składy opału" in part)
    assert not missing(row, 'data-label="Wiersze">7</td>', "nie udało się pobrać", "<strong>zaległe</strong>")
    assert f'datetime="{timezone.localdate() - timedelta(days=20)}"' in row
    assert "does not answer" not in html
    assert html.count("jeszcze nie") == len(states) - 1
    assert html.count("zaległe") == 1


def test_large_numbers_and_periods_are_written_alike_on_the_page_and_in_its_twin(client):
    factories.DepotFactory(source=Depot.Source.OSM)
    row = client.get("/dane/").content.decode().partition('id="pochodzenie"')[2]
    # The text of a link breaks anywhere, see site.css: on a phone the table stays as wide as its window.
    assert '<a href="https://www.openstreetmap.org/copyright"' in row.partition("</tr></tbody>")[0]
    models.Dataset.objects.bump_version("postcodes", row_count=51_591)
    for path in ("/dane/", "/dane.md"):
        expect(client.get(path), "51 591", "stan starszy niż pół roku czeka na potwierdzenie")


def test_rows_of_depots_and_prices_are_the_published_ones(client):
    depot = factories.DepotFactory()
    factories.DepotFactory(removed=True)
    factories.DepotPriceFactory(depot=depot)
    factories.DepotPriceFactory(depot=depot, fuel="wegiel", pending=True)
    for dataset, model in (("depots", Depot), ("prices", DepotPrice)):
        models.Dataset.objects.bump_version(dataset, row_count=model.objects.count())
    rows = re.findall(r"^- Wiersze: (\d+)", client.get("/dane.md").content.decode(), re.M)
    counts = dict(zip([*TERMS, "subsidy"], rows, strict=True))
    assert (counts["depots"], counts["prices"]) == ("1", "1")
