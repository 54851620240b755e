"""What machines read: sitemap.xml, llms.txt, llms-full.txt, robots.txt, and structured data in pages."""

import re
import xml.etree.ElementTree as ET
from datetime import date
from urllib.robotparser import RobotFileParser

import pytest
from django.urls import get_resolver
from django.utils import timezone

from catalog.models import Dataset
from pages import machine_files
from pages.machine_files import all_pages
from pages.page import twin_path
from pages.template_filters import json_ld
from tests import factories
from tests.pages.reading import KRAKOW, NOINDEX, SCRIPT, ZAKOPANE, expect, linked_data, missing, present
from tests.regulations.factories import DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

SITE = "http://127.0.0.1:8000"
HEAT = "/ceny/porownanie/"
SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def site(depot):
    """Create a depot in Kraków with a price, none in Zakopane, a resolution, and medians."""
    factories.DepotPriceFactory(depot=depot, day=timezone.localdate())
    factories.zakopane()
    LegalStateFactory(as_of=date(2026, 9, 11))
    DeadlineFactory(outside_krakow=True, date=date(2999, 1, 1))
    factories.average(2018, "887.3")
    factories.average(2024, "1.01", slug="prad-g11")


def locations(answer):
    root = ET.fromstring(answer.content)  # noqa: S314 - our own answer
    return {entry.find(f"{SPACE}loc").text: entry.findtext(f"{SPACE}lastmod") for entry in root}


def test_the_sitemap_lists_every_kind_of_page(client, site, depot_page):
    answer = client.get("/sitemap.xml")
    assert answer["Content-Type"] == "application/xml; charset=utf-8"
    found = locations(answer)
    assert (found[f"{SITE}{depot_page}"], found[f"{SITE}{KRAKOW}"]) == ("2026-10-03", "2026-10-03")
    assert (found[f"{SITE}{ZAKOPANE}"], found[f"{SITE}/przepisy/malopolskie/"]) == (None, "2026-09-11")
    assert f"{SITE}/ceny/pellet/malopolskie/" in found
    assert f"{SITE}/ceny/brykiet/" not in found
    pages = [client.get(address.removeprefix(SITE)) for address in found]
    assert {(page.status_code, NOINDEX in page.content.decode()) for page in pages} == {(200, False)}
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str) and name.endswith("-md")}
    assert {f"{page.resolver_match.view_name}-md" for page in pages} == names


def test_invented_depots_stay_out(client, site, demonstration, depot_page):
    found = locations(client.get("/sitemap.xml"))
    assert f"{SITE}{depot_page}" in found
    assert not [address for address in found if "demo" in address]
    assert not present(found, f"{SITE}{KRAKOW}", f"{SITE}{ZAKOPANE}", f"{SITE}/sklady/malopolskie/")
    hidden = {entry.path for entry in all_pages(timezone.localdate()) if not entry.listed}
    assert {KRAKOW, ZAKOPANE, "/sklady/malopolskie/"} < hidden


def test_invented_prices_stay_out(client, demonstration):
    factories.DepotPriceFactory(fuel="brykiet", day=timezone.localdate())
    factories.DepotPriceFactory(depot=demonstration, day=timezone.localdate())
    for file in ("/sitemap.xml", "/llms.txt"):
        text = client.get(file).content.decode()
        assert not present(text, "/ceny/pellet", f"{SITE}/ceny/<")
        assert "/ceny/brykiet" in text
    full = client.get("/llms-full.txt").content.decode()
    assert "# Ceny opału" not in full
    assert "zmyślone (demonstracyjne) są tu pominięte" in full


def test_the_comparison_of_heat_is_listed_while_it_has_prices_and_none_is_invented(client, demonstration):
    def is_listed():
        indexed = NOINDEX not in client.get(HEAT).content.decode()
        assert (f"{SITE}{HEAT}" in locations(client.get("/sitemap.xml"))) is indexed
        assert (twin_path(HEAT) in client.get("/llms.txt").content.decode().partition("## Ceny")[2]) is indexed
        return indexed

    assert not is_listed(), "without any price"
    factories.average(2024, "1.01", slug="prad-g11")
    factories.DepotPriceFactory(depot=demonstration, fuel="mial-weglowy", price=1080, day=timezone.localdate())
    Dataset.objects.bump_version(Dataset.Slug.SERIES)
    Dataset.objects.bump_version(Dataset.Slug.PRICES)
    assert is_listed(), "it does not show fine coal"
    factories.price_depots(1540, 1640)
    factories.DepotPriceFactory(depot=demonstration, price=1740, day=timezone.localdate())
    Dataset.objects.bump_version(Dataset.Slug.PRICES)
    assert not is_listed(), "the median of pellet rests on an invented price"


def test_a_long_list_has_parts(client, site, monkeypatch):
    whole = locations(client.get("/sitemap.xml"))
    assert client.get("/sitemap-1.xml").status_code == 404
    monkeypatch.setattr(machine_files, "MOST_ENTRIES", 7)
    machine_files.written.cache_clear()
    index = locations(client.get("/sitemap.xml"))
    assert len(index) == -(-len(whole) // 7) > 1
    parts = [locations(client.get(address.removeprefix(SITE))) for address in index]
    assert {address for part in parts for address in part} == set(whole)
    assert all(len(part) <= 7 for part in parts)
    for number in (0, len(index) + 1):
        assert client.get(f"/sitemap-{number}.xml").status_code == 404
    monkeypatch.setattr(machine_files, "url_set", None)
    assert client.get("/sitemap-01.xml").status_code == 200, "the same part is not written and kept again"


def test_years_of_a_series_leave_out_what_is_missing():
    years = (2003, 2010, 2015, 2016, 2018, 2017, 2022, 2018)
    assert machine_files.describe_years(years) == "2003, 2010, 2015–2018, 2022"
    assert machine_files.describe_years(()) == ""


def test_llms_txt_keeps_to_the_convention(client, site):
    """llmstxt.org: title, quotation, prose without headings, then lists of links under second-level headings."""
    answer = client.get("/llms.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    lines = answer.content.decode().splitlines()
    assert lines[0] == "# Składy opału"
    assert lines[2].startswith("> ")
    headings = [line for line in lines if line.startswith("#")]
    assert headings[1:] == ["## O serwisie", "## Ceny", "## Uchwały antysmogowe", "## Dotacja", "## API", "## Optional"]
    listed = lines[lines.index("## O serwisie") :]
    assert all(re.fullmatch(r"(## .+|- \[[^\]]+\]\(http\S+\)(: .+)?|)", line) for line in listed)
    assert len(re.findall(rf"\]\({SITE}[^)]+\)", "\n".join(listed))) > 20
    assert present(answer.content.decode(), f"({SITE}/zmiany.atom)", "Nie cytuj ich.") == [f"({SITE}/zmiany.atom)"]


def test_the_whole_context(client, site):
    answer = client.get("/llms-full.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    text = answer.content.decode()
    assert "&amp;" not in text
    for heading in (
        *("# API i zasady korzystania z danych", "# Dane: zbiory, źródła i licencje", "# Ceny opału"),
        *("# Średnie ceny GUS: węgiel i prąd", "# Uchwały antysmogowe: terminy w województwach"),
        "# Kalkulator dotacji Czyste Powietrze",
    ):
        assert f"\n{heading}\n" in text
        path = re.search(rf"{re.escape(heading)}\n\n- Adres: {SITE}(\S+)", text)[1]
        assert client.get(twin_path(path)).content.decode() in text


def allowed(lines, path):
    """RFC 9309, section 2.2.2: the longest matching rule decides; `*` matches anything."""
    rules = [line.partition(": ") for line in lines if line.startswith(("Allow: ", "Disallow: "))]
    fits = [(len(rule), kind) for kind, _, rule in rules if re.match(".*".join(map(re.escape, rule.split("*"))), path)]
    return max(fits, default=(0, "Allow"))[1] == "Allow"


READABLE = [
    *("/", "/llms.txt", "/llms-full.txt", "/sitemap.xml", "/api/v1/openapi.json", "/api/v1/locations?q=zakopane"),
    *("/api/v1/stores?teryt=1217011&fuel=pellet", "/api/v1/regulations?postcode=34-500"),
    *("/sklady/malopolskie/zakopane-1217011/?kod=34-500", "/sklad/7-sklad/"),
    *(address for _, address in machine_files.QUESTIONS),
]
KEPT_OUT = ["/?q=zakopane", "/admin/", "/sklady/dodaj/?teryt=1217011", "/sklad/7/popraw/", "/sklad/7/cena/"]


def test_robots_read_what_we_recommend_and_no_forms(client):
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    lines = answer.content.decode().splitlines()
    assert f"Sitemap: {SITE}/sitemap.xml" in lines
    assert [path for path in READABLE if not allowed(lines, path)] == []
    assert [path for path in KEPT_OUT if allowed(lines, path)] == []
    simple = RobotFileParser()  # which takes `*` for a letter
    simple.parse(lines)
    assert [path for path in READABLE if not simple.can_fetch("GPTBot", SITE + path)] == []
    assert [path for path in KEPT_OUT[:3] if simple.can_fetch("GPTBot", SITE + path)] == []


def test_a_list_is_walked_again_only_after_a_change(client, site, monkeypatch):
    first = client.get("/sitemap.xml")
    with monkeypatch.context() as patch:
        patch.setattr(machine_files, "listed_pages", lambda today: 1 / 0)
        assert client.get("/sitemap.xml").content == first.content
    new = factories.DepotFactory(name="Nowy skład")
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    assert f"{SITE}/sklad/{new.pk}-nowy-sklad/" in locations(client.get("/sitemap.xml"))


def things(answer, kind):
    data = linked_data(answer)
    assert data["@context"] == "https://schema.org"
    return [thing for thing in data["@graph"] if thing["@type"] == kind]


def test_a_depot_is_a_store_with_what_is_known_the_way_to_it_and_social_tags(client, depot, depot_page):
    page = client.get(depot_page)
    tags = {"url": f"{SITE}{depot_page}", "title": "Opał „Żar” &amp; Syn, gmina Kraków", "locale": "pl_PL"}
    social = (f'<meta property="og:{name}" content="{text}">' for name, text in tags.items())
    assert not missing(page.content.decode(), *social)
    crumbs = things(page, "BreadcrumbList")[0]["itemListElement"]
    assert [crumb["position"] for crumb in crumbs] == [1, 2, 3, 4]
    paths = "/", "/sklady/malopolskie/", KRAKOW, depot_page
    assert [crumb["item"] for crumb in crumbs] == [f"{SITE}{path}" for path in paths]
    store = things(page, "Store")[0]
    assert store["name"] == "Opał „Żar” & Syn"
    assert store["address"] == {
        "@type": "PostalAddress",
        "streetAddress": "ul. Długa 5",
        "postalCode": "30-001",
        "addressLocality": "Kraków",
        "addressRegion": "małopolskie",
        "addressCountry": "PL",
    }
    assert store["telephone"] == ["+48 12 345 67 89", "+48 601 234 567"]
    assert store["geo"] == {"@type": "GeoCoordinates", "latitude": 50.0617, "longitude": 19.9373}
    rows = store["openingHoursSpecification"]
    hours = [f"{row['dayOfWeek'].rpartition('/')[2]} {row['opens']} {row['closes']}" for row in rows]
    assert hours[:3] == ["Monday 07:00 15:00", "Tuesday 07:00 10:00", "Tuesday 12:00 15:00"]
    assert hours[-2:] == ["Saturday 00:00 23:59", "Sunday 00:00 00:00"]
    bare = factories.DepotFactory(name="Skład", fuels=[])
    store = things(client.get(f"/sklad/{bare.pk}-sklad/"), "Store")[0]
    assert not {"telephone", "taxID", "sameAs", "openingHoursSpecification", "makesOffer"} & set(store)
    assert set(store["address"]) == {"@type", "addressLocality", "addressRegion", "addressCountry"}


def test_an_act_is_legislation(client):
    LegalStateFactory(as_of=timezone.localdate())
    act = ResolutionFactory()
    found = things(client.get("/przepisy/malopolskie/"), "Legislation")[0]
    assert (found["name"], found["legislationDate"]) == (act.title, act.adopted.isoformat())
    assert found["legislationJurisdiction"] == "województwo małopolskie"


def test_prices_are_a_data_set(client, depot):
    factories.DepotPriceFactory(depot=depot, day=timezone.localdate())
    for path in ("/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/"):
        found = things(client.get(path), "Dataset")[0]
        assert (found["url"], found["dateModified"]) == (f"{SITE}{path}", timezone.localdate().isoformat())
        assert client.get(found["distribution"][0]["contentUrl"].removeprefix(SITE)).status_code == 200


def test_home_is_a_site_that_can_be_searched_and_data_sets_are_a_catalog_without_invented_depots(client, demonstration):
    home = client.get("/")
    expect(home, "Wszystkie składy w katalogu są na razie zmyślone")
    site = things(home, "WebSite")[0]
    assert site["potentialAction"]["target"]["urlTemplate"] == f"{SITE}/?q={{search_term_string}}"
    assert not things(client.get(f"/sklad/{demonstration.pk}-demo-sklad-opalu/"), "Store")
    assert not things(client.get(KRAKOW), "ItemList")
    names = {entry["name"] for entry in things(client.get("/dane/"), "DataCatalog")[0]["dataset"]}
    assert "uchwały antysmogowe" in names
    assert "składy opału" not in names  # invented here


def test_a_hostile_name_stays_in_its_block(client):
    name = f"{SCRIPT}</script><!--]]>&lt;"
    depot = factories.DepotFactory(name=name)
    assert things(client.get(client.get(f"/sklad/{depot.pk}-x/")["Location"]), "Store")[0]["name"] == name
    assert not set(json_ld({"a": "<>&\u2028\u2029"})) & set("<>&\u2028\u2029")
