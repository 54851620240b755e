"""Agreement of API, pages, Markdown, llms.txt, OpenAPI and /mcp."""

import random
import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.models import Dataset
from catalog.search.entries import rebuild_index
from catalog.text import short_zloty
from pages import api_and_text_pages
from pages.machine_files import QUESTIONS
from pages.page import twin_path
from pages.regulations import regulation_page
from pages.template_filters import pln_range
from subsidy.household_and_plan import ENVELOPE, SOURCES, Heating
from tests import factories
from tests.client import shared_rows
from tests.fueldepot.mcp.conftest import post
from tests.pages.reading import missing, read, text_of
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, state_of

pytestmark = pytest.mark.django_db

KILOBYTE = 1000


@shared_rows
def country():
    """Create a depot, demonstration depots, a resolution, an average and a median."""
    town = factories.zakopane()
    factories.BoundaryFactory(municipality=town)
    factories.PostcodeFactory(code="34-500", shares=[(town, 3)])
    depot = factories.DepotFactory(municipality=town, name="Opał Próba", fuels=["pellet"], hours=None)
    factories.price_depots(1500, 1600, 1700, depot__municipality=town, depot__fuels=["pellet"])
    DeadlineFactory(date=date(2999, 1, 1), appliances=["boiler_class_3"])
    FuelBanFactory()
    factories.average(2019, "0.6", "prad-g11", source="GUS za X")
    return depot


def call(client, tool, **arguments):
    return post(client, tool, arguments)[1]


def numbers(text):
    """Return text without blanks inside numbers."""
    return re.sub(r"(?<=\d)[\s\N{NO-BREAK SPACE}](?=\d)", "", text)


# First those without the country, which stays until the end of the module.


def test_distances_are_from_one_point_and_the_same_everywhere(client):
    """The point of a municipality is amid its postcodes, wherever its place or the middle of its area is."""
    town = factories.zakopane()
    factories.BoundaryFactory(municipality=town, lat=49.35, lon=19.95)
    factories.PlaceFactory(name="Zakopane", municipality=town, lat=49.3, lon=19.96)
    factories.PostcodeFactory(code="34-500", shares=[(town, 3)], lat=49.2969, lon=19.95)
    for number, lat in enumerate((49.2969, 49.3051, 49.4)):
        factories.DepotFactory(municipality=town, name=f"Opał {number}", lat=lat, lon=19.95)
    rebuild_index()
    (hit,) = [row for row in client.get("/api/v1/locations?q=zakopane").json() if row["type"] == "municipality"]
    unit = client.get("/api/v1/municipalities/1217011").json()
    assert (hit["lat"], hit["lon"]) == (unit["lat"], unit["lon"]) == (49.2969, 19.95)
    near = client.get(f"/api/v1/stores?lat={unit['lat']}&lon={unit['lon']}").json()
    distances = {row["name"]: row["distance_km"] for row in near}
    twin, html = (read(client, f"/sklady/malopolskie/zakopane-1217011{end}") for end in (".md", "/"))
    assert "(49,2969° N, 19,9500° E)" in twin
    shown = dict(re.findall(r"^- \[(.*?)\]\(.*\), (\S+) km$", twin, re.MULTILINE))
    assert {name: float(km.replace(",", ".")) for name, km in shown.items()} == distances
    assert re.findall(r'class="distance">(\S+)\skm', html) == [*shown.values()]


def test_the_day_of_the_list_of_voivodeships_is_said_alike(client):
    """The list has the days of its rows; the site map says when it last changed."""
    for teryt, as_of in (("12", date(2026, 9, 11)), ("24", date(2022, 1, 31))):
        state_of(teryt, as_of=as_of)
    Dataset.objects.bump_version(Dataset.Slug.REGULATIONS, row_count=2)
    twin, page = read(client, "/przepisy.md"), plain(read(client, "/przepisy/"))
    days = "dni od 31 stycznia 2022 r. do 11 września 2026 r."
    assert f"- Stan na: {days} (2022-01-31/2026-09-11)\n" in twin
    assert f"Stan na {days} Licencja" in page
    assert f"stan na {days}" in plain(re.search(r"- Cytuj: (.*)", twin)[1])
    assert "/przepisy.md): stan na 2022-01-31/2026-09-11" in read(client, "/llms.txt")
    assert "/przepisy/</loc><lastmod>2026-09-11</lastmod>" in read(client, "/sitemap.xml")
    assert f"stan na {days}" in plain(read(client, "/dane/"))
    assert not missing(set_of(client, "uchwały"), f"- Stan na: {days}\n", "- Źródło: dane startowe serwisu\n")


def test_the_page_of_the_api_names_every_parameter(client):
    described = client.get("/api/v1/openapi.json").json()["paths"]
    page, twin = client.get("/api/").content.decode(), client.get("/api.md").content.decode()
    rows = {row.partition("</code></th>")[0]: row for row in re.split(r'<th scope="row">', page)[1:]}
    sections = {section.partition("\n")[0]: section for section in twin.split("\n### ")[1:]}
    described_as: set[str] = set()
    for path, methods in described.items():
        for method, operation in methods.items():
            row, section = rows[f"{method.upper()} <code>{path}"], sections[f"{method.upper()} `{path}`"]
            assert operation["x-summary-pl"].partition(" ")[0] in row
            assert operation["x-summary-pl"] in section
            published = [one["name"] for one in operation.get("parameters", []) if not one.get("deprecated")]
            names = {re.sub(f"^({'|'.join(api_and_text_pages.GROUPS)}).*", r"\1…", name) for name in published}
            described_as |= names
            if re.search(r"Parametry jak w\s<code>/stores</code>", row):
                row, section = rows["GET <code>/stores"], sections["GET `/stores`"]
            assert names == {
                name for names in re.findall(r"<li><code>(.*?)</code>\s–", row) for name in names.split(", ")
            }
            assert names == {name for names in re.findall("\n- `(.*?)`: ", section) for name in names.split(", ")}
            english = [one["description"].partition(".")[0] for one in operation.get("parameters", [])]
            assert not [text for text in english if text in row or text in section]
            assert "Link" in operation["responses"]["200"]["headers"] or "`Link`" not in section, path
    assert {name for names in api_and_text_pages.MEANINGS for name in names.split(", ")} <= described_as


@pytest.mark.slow
def test_the_calculator_and_the_endpoint_agree_on_two_hundred_households(client, the_day):
    dice = random.Random(20261121)  # noqa: S311 - the same households each time
    for _ in range(200):
        asked = {"eu": dice.choice(["unknown", "1", "2", "3"]), "current_heating": dice.choice([*Heating])}
        asked["new_source"] = dice.choice(["none", *SOURCES])
        asked["income_type"] = dice.choice(["person", "household"])
        if dice.random() < 0.8:
            asked |= {"people": str(dice.randint(1, 6)), "income": f"{dice.randint(0, 9000)},{dice.randint(0, 99):02}"}
        if dice.random() < 0.3:
            asked["annual_income"] = str(dice.choice([90_000, 135_000, 135_001]))
        switches = ("benefit", "business", "central_heating_dhw", "ventilation", "audit", "energy_certificate")
        asked |= {name: "1" for name in switches if dice.random() < 0.3}
        asked |= {item: f"{dice.uniform(1, 300):.1f}" for item in ENVELOPE if dice.random() < 0.4}
        costs = [name for name in asked if name in {*ENVELOPE, "ventilation", "audit"}]
        asked |= {f"cost_{name}": str(dice.randint(0, 90_000)) for name in costs if dice.random() < 0.5}
        ticks = {f"plan_{item}": "1" for item in ENVELOPE if item in asked}
        if asked["new_source"] != "none" and dice.random() < 0.5:
            cost = str(dice.randint(0, 90_000))
            ticks["cost_source"] = cost
            answer = ask_api(client, asked | {f"cost_{asked['new_source']}": cost})
        else:
            answer = ask_api(client, asked)
        text = plain(text_of(client.post("/dotacja/", asked | ticks | {"krok": "5", "na": "wynik"})))
        assert not missing(text, plain(f"Poziom {answer['level_name']}"), plain(f"Dlaczego {answer['level_reason']}"))
        for row in answer["items"]:
            assert plain(short_zloty(Decimal(str(row["subsidy_pln"])))) in text, asked
        if answer["own_contribution_net_pln"] is not None:
            own = short_zloty(Decimal(str(answer["own_contribution_net_pln"])))
            assert plain(f"Wkład własny netto {own}") in text, asked
        amounts = [Decimal(str(one["max_subsidy_pln"])) for one in answer["audit_variants"] or [answer]]
        if answer["level"] != "none" and answer["items"]:
            assert plain(f"Najwyższa możliwa dotacja: {pln_range((min(amounts), max(amounts)))}") in text, asked


def test_a_median_is_the_same_everywhere(client, country):
    found = client.get("/api/v1/prices/pellet?voivodeship=Małopolskie").json()
    assert found["median"] == 1600
    window = client.get("/api/v1/prices/pellet").json()
    assert (found["window_from"], found["window_to"]) == (window["from"], window["to"])
    assert [row["complete"] for row in window["months"]] == [False]
    for path in ("/ceny/pellet/malopolskie/", "/ceny/pellet/malopolskie.md", "/ceny/pellet.md"):
        assert not missing(numbers(read(client, path)), "1600", "(niepełny)")
    told = call(client, "price", fuel="pellet", voivodeship="malopolskie")
    assert (told["answer"]["median"], told["demonstration"], told["as_of"]) == (1600, False, window["to"])
    assert "1600,00" in numbers(read(client, "/llms-full.txt"))


def test_a_median_of_half_a_grosz_is_rounded_alike_everywhere(client, country):
    _, cheaper, _ = factories.price_depots(1400, "1593.17", "1593.18", depot__municipality=country.municipality)
    site = "http://127.0.0.1:8000"
    assert client.get("/api/v1/prices/pellet?voivodeship=12").json()["median"] == 1593.18
    town, depot = (
        client.get(f"/api/v1/{path}").json()["url"].removeprefix(site)
        for path in ("municipalities/1217011", f"stores/{cheaper.depot_id}")
    )
    for path in ("/", "/sklady/malopolskie/", "/ceny/pellet/malopolskie/"):
        for address in (path, twin_path(path)):
            assert "1593,18" in numbers(read(client, address))
    for path in (town, twin_path(town)):
        assert "1593,18" in numbers(read(client, f"{path}?paliwo=pellet"))
    assert "| −0,01\N{NO-BREAK SPACE}zł |" in read(client, twin_path(depot))


def test_a_deadline_is_the_same_everywhere(client, country):
    (coming,) = client.get("/api/v1/deadlines").json()
    (entry,) = client.get("/api/v1/regulations?teryt=1217011&binding=1").json()
    assert coming["date"] == entry["requested_unit"]["next_deadline"]["date"] == "2999-01-01"
    assert coming["page"] == entry["page"]
    for path in ("/przepisy/malopolskie/", "/przepisy/malopolskie.md", "/przepisy.md", "/llms-full.txt"):
        assert "2999" in read(client, path)
    told = call(client, "rules_at", teryt="1217011", appliance="boiler_class_3")
    assert told["answer"][0]["deadlines"][0]["from"] == "2999-01-01"
    assert told["as_of"] == entry["as_of"] == coming["as_of"]
    check = read(client, "/przepisy/sprawdz.md?miejsce=1217011&piec=boiler_class_3")
    assert plain(told["answer"][0]["sentence"]) in plain(check)


@pytest.mark.parametrize(("on", "holds"), [(date(2998, 12, 31), False), (date(2999, 1, 1), True)])
def test_a_deadline_holds_from_its_day_on_everywhere(client, country, on, holds):
    asked = {"teryt": "1217011", "appliance": "boiler_class_3", "on": f"{on}"}
    (entry,) = client.get("/api/v1/regulations", asked).json()
    (told,) = call(client, "rules_at", **asked)["answer"]
    page = regulation_page("malopolskie", "teryt=1217011", on).content
    statuses = {row["deadline_status"] for row in (entry["resolution"], entry["requested_unit"], told)}
    assert statuses == {"passed" if holds else "upcoming"}
    assert {entry["requested_appliance"]["status"], told["status"]} == {"ended" if holds else "ends"}
    assert (not page["next_deadlines"], page["deadlines"][0]["passed"]) == (holds, holds)
    assert [drawn.state for drawn in page["draw_timeline"]().entries] == ["past" if holds else "next"]


def test_an_official_average_is_the_same_everywhere_and_never_among_invented_numbers(client, country):
    factories.DepotPriceFactory(depot=factories.DepotFactory(demonstration=True), day=timezone.localdate())
    found = client.get("/api/v1/prices?series=prad-g11&year=2019&voivodeship=polska").json()["prad-g11"]
    assert found["values"][0]["price"] == found["poland"]["2019"] == 0.6
    told = call(client, "official_average", series="prad-g11", year=2019)
    assert (told["answer"]["values"][0]["price"], told["page"]) == (0.6, found["page"])
    for path in ("/ceny/gus/", "/ceny/gus.md", "/llms-full.txt", "/ceny/gus.csv"):
        assert "GUS za X" in read(client, path)
    for path in ("/ceny/gus/", "/ceny/gus.md"):
        assert "demonstracyjne" not in read(client, path)
    assert "| 2019 | 0,60 zł |" in read(client, "/ceny/gus.md")
    assert "GUS za X" not in read(client, "/ceny.md")


def test_invented_entries_are_flagged_everywhere_and_quoted_nowhere(client, country):
    depot = factories.DepotFactory(demonstration=True, municipality=country.municipality)
    invented = {row["id"]: row["demonstration"] for row in client.get("/api/v1/stores?teryt=1217011").json()}
    assert (invented[depot.pk], invented[country.pk]) == (True, False)
    features = client.get("/api/v1/stores?teryt=1217011&format=geojson").json()["features"]
    assert {row["id"]: row["properties"]["demonstration"] for row in features}[depot.pk] is True
    one = client.get(f"/api/v1/stores/{depot.pk}").json()
    assert (one["demonstration"], one["source"]["data_status"]) == (True, "unverified")
    told = call(client, "depot", id=depot.pk)
    assert told["demonstration"] is True
    twin = read(client, one["url"].removeprefix("http://127.0.0.1:8000").rstrip("/") + ".md")
    assert f"- Cytuj: {told['cite']}" in twin
    index = read(client, "/llms.txt")
    assert "Nie cytuj ich." in index
    listed = re.findall(r"\]\(http://127\.0\.0\.1:8000(/[^)?]*\.md)\)", index)
    assert "/przepisy.md" in listed
    for path in listed:
        assert told["cite"] not in read(client, path)


def test_a_depot_says_where_to_correct_it_and_a_list_its_total_and_its_reference_point(client, country):
    twin, correct = read(client, f"/sklad/{country.pk}-opal-proba.md"), f"/sklad/{country.pk}/popraw/"
    assert not missing(twin, "## Cennik\n\nNie znamy żadnej ceny tego składu", f"http://127.0.0.1:8000{correct}")
    assert call(client, "depot", id=country.pk)["answer"]["correct_at"] in twin
    answer = client.get("/api/v1/stores?teryt=1217011&limit=1")
    twin = read(client, "/sklady/malopolskie/zakopane-1217011.md")
    assert f"- Składy w tej gminie: {answer['X-Total-Count']}\n" in twin
    assert re.search(r"- Odległości: w linii prostej od punktu leżącego w tej gminie \(\d+,\d{4}° N", twin)
    assert call(client, "depots_near", teryt="1217011")["answer"]["total"] == int(answer["X-Total-Count"])


def set_of(client, name):
    return read(client, "/dane.md").partition(f"## {name}")[2].partition("\n## ")[0]


def test_the_data_sets_give_the_day_of_the_official_averages(client, country):
    Dataset.objects.bump_version(Dataset.Slug.SERIES, row_count=1, source="GUS")
    day = re.search(r"- Stan na: (.*) \(", read(client, "/ceny/gus.md"))[1]
    assert f"- Stan na: {day}\n" in set_of(client, "średnie ceny GUS")
    assert all("dane startowe serwisu" in read(client, path) for path in ("/dane.md", "/dane/"))


def test_llms_txt_says_of_every_page_the_day_that_it_says_itself(client, country):
    """The site map says when it changed; no page is older than that."""
    index, site = read(client, "/llms.txt"), "http://127.0.0.1:8000"
    entries = re.findall(r"<loc>(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?", read(client, "/sitemap.xml"))
    assert len(entries) > 10
    for address, day in entries:
        path = twin_path(address.removeprefix(site))
        line = re.search(r"^- (?:As of: (.*)|Stan na: .*?(?:\((.*)\))?)$", read(client, path), re.MULTILINE)
        stated = line[1] or line[2] or ""
        assert day <= stated, path
        if f"{site}{path})" in index:
            assert (f"{site}{path}): stan na {stated}" in index) is bool(stated), path


def test_prices_that_count_are_those_that_depots_list(client, country):
    factories.DepotPriceFactory(depot=country, fuel="pellet", price=Decimal(1650), day=date(2020, 1, 1))
    found = client.get("/api/v1/prices/pellet").json()
    ids = [row["id"] for row in client.get("/api/v1/stores?teryt=12").json()]
    lists = [client.get(f"/api/v1/stores/{number}").json()["price_list"] for number in ids]
    counted = [item["price"] for listed in lists for item in listed if item["date"] >= found["from"]]
    assert len(counted) == found["n"] == found["price_lists"] + found["submissions"] == 3
    for path in ("/ceny/pellet.md", "/ceny/pellet/malopolskie.md"):
        assert "- Liczba cen: 3" in read(client, path)
    assert call(client, "price", fuel="pellet")["answer"]["n"] == 3


def test_the_questions_of_llms_txt_are_answered_in_years_to_come(client, country, monkeypatch):
    later = timezone.now() + timedelta(days=5 * 365)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert {address: client.get(address).status_code for _, address in QUESTIONS} == {
        address: 200 for _, address in QUESTIONS
    }


def test_what_llms_txt_promises_holds(client, country):
    index = read(client, "/llms.txt")
    described = client.get("/api/v1/openapi.json").json()["paths"]
    for _, address in QUESTIONS:
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert f"http://127.0.0.1:8000{address} | {-(-len(answer.content) // KILOBYTE)} kB |" in index
        if not address.startswith("/api/v1"):
            continue
        path, _, query = address.removeprefix("/api/v1").partition("?")
        known = {**described, "/prices/pellet": described["/prices/{fuel}"]}
        known["/municipalities/1217011"] = described["/municipalities/{teryt}"]
        names = {one["name"] for one in known[path]["get"]["parameters"]}
        assert {pair.partition("=")[0] for pair in query.split("&") if pair} <= names
    assert not missing(index, "`prad-g11` (2019)", "boiler_class_5, boiler_ecodesign, fireplace, stove.")
    assert not missing(index, "`gaz-w11` (brak liczb)", "http://127.0.0.1:8000/api/v1/stores/{id}")
    assert "http://127.0.0.1:8000/zmiany.atom" in index
    (of_lists,) = (part for part in re.split(r"[;\n]", index) if "`Link`" in part)
    assert not missing(of_lists, "`/stores`", "`/deadlines`", "`X-Total-Count`")
    assert len(index.encode()) < 7 * KILOBYTE
    for path, size in re.findall(r"\]\(http://127\.0\.0\.1:8000(/[^)]*)\): (?:stan na \S+, )?(\d+) kB", index):
        assert (int(size) - 1) * KILOBYTE < len(client.get(path).content) <= int(size) * KILOBYTE, path
    assert len(client.get("/llms-full.txt").content) < 60 * KILOBYTE


def test_where_boundaries_come_from_is_said_alike(client, country):
    assert client.get(f"/api/v1/locate?lat={country.lat}&lon={country.lon}").json()["approximate"] is False
    described = client.get("/api/v1/openapi.json").json()["info"]["description"]
    for text in (described, *(read(client, path) for path in ("/api/", "/api.md", "/llms.txt"))):
        assert "approximate" in text


def ask_api(client, asked):
    # A day of its own: the endpoint reads another clock than the page.
    return client.post("/api/v1/subsidy", asked | {"on": "2026-11-21"}).json()


def plain(text):
    return " ".join(text.split())
