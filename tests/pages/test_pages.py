"""Shared parts of pages; the home page, voivodeships, rules of use and errors."""

import re
from html import unescape

import pytest
from django.test import Client

from catalog.depots import fuels
from catalog.search import entries
from catalog.submissions.limits import LINK_HOURS
from catalog.submissions.owner_links import UNUSED
from fueldepot.http.api_description import document
from pages.api_and_text_pages import NUMBER_OF_RULES
from tests import ROOT, factories
from tests.pages.reading import KRAKOW, NOINDEX, PAGES, SCRIPT, canonical_of, expect, missing, present, runnable
from tests.regulations.factories import DeadlineFactory

pytestmark = pytest.mark.django_db


def test_every_page_says_what_it_is_and_may_be_cached(client, depot, prices):
    DeadlineFactory()
    for path in (*PAGES, "/ceny/porownanie/"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert re.match(r"public, max-age=(300|[12]?\d{1,2})(,|$)", answer["Cache-Control"])
        assert "Cookie" not in answer.get("Vary", "")
        assert not answer.cookies
        html = answer.content.decode()
        assert '<html lang="pl">' in html
        assert re.search(r"<title>\S.* – Składy opału</title>", html)
        assert re.search(r'<meta name="description" content="[^"]{20,}">', html)
        assert canonical_of(answer) == f"http://127.0.0.1:8000{path}"
        assert html.count("<h1>") == 1
        assert not present(html, NOINDEX, "demonstracyjne")
        assert not runnable(answer)


def test_pages_are_for_reading_only():
    files = ("/healthz", "/llms.txt", "/sitemap.xml", "/zmiany.atom", "/robots.txt", "/dane/gminy.csv")
    for path in (*PAGES, "/ceny/porownanie/", *files, "/sklad/1-x/"):
        if path == "/dotacja/":  # which answers a form
            continue
        answer = Client(enforce_csrf_checks=True).post(path)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD"), path
        assert answer.get("Cache-Control") == "no-store", path


def test_home_finds_places_and_postcodes(client):
    for code in ("30-001", "30-002"):
        factories.PostcodeFactory(code=code, places=["Kraków"])
    entries.rebuild_index()
    answer = client.get("/", {"q": "30-0"})
    expect(answer, "kod pocztowy, gmina miejska Kraków")
    assert not missing(answer.content.decode(), NOINDEX, f'href="{KRAKOW}?kod=30-001"')
    assert canonical_of(answer) == "http://127.0.0.1:8000/"


def test_one_clear_answer_is_led_to_at_once(client):
    village = factories.PlaceFactory(name="Ludźmierz", municipality=factories.nowy_targ_rural(), lat=49.4686, lon=19.98)
    factories.krakow()
    factories.PostcodeFactory(code="30-001", places=["Kraków"])
    entries.rebuild_index()
    rural = "/sklady/malopolskie/nowy-targ-1211092/?p=49.4686,19.98"
    for text, path in (
        ("krakow", KRAKOW),
        ("30001", f"{KRAKOW}?kod=30-001"),
        (village.name, rural),
        ("pellet Ludźmierz, pow. nowotarski", f"{rural}&paliwo=pellet"),
    ):
        answer = client.get("/", {"q": text})
        assert (answer.status_code, answer["Location"]) == (302, path)
    assert client.get("/index.md?q=krakow").status_code == 200


def test_names_alike_and_a_misspelt_one_are_no_clear_answer_and_nothing_found_says_what_to_try(client):
    for unit in (factories.krakow, factories.nowy_targ_town, factories.nowy_targ_rural):
        unit()
    entries.rebuild_index()
    expect(client.get("/", {"q": "Nowy Targ"}), "Wyniki dla „Nowy Targ”", "Nie ma tu Twojego miejsca? Dopisz gminę")
    answer = client.get("/", {"q": "krakw"})
    expect(answer, "Niczego nie znaleźliśmy dla „krakw” Czy chodziło o to miejsce?")
    assert f'href="{KRAKOW}"' in answer.content.decode()
    expect(client.get("/", {"q": "karkyw"}), "Czy chodziło o to miejsce? Kraków", "Wpisz samą nazwę miejscowości")
    expect(client.get("/", {"q": "xqzv"}), without=["Czy chodziło"])
    expect(client.get("/", {"q": "pellet"}), "na przykład „pellet Nowy Targ”")


def test_home_says_what_the_catalog_holds(client):
    expect(client.get("/"), "Katalog jest jeszcze pusty.")
    factories.DepotFactory()
    factories.DepotFactory(held=True)
    expect(client.get("/"), "Katalog obejmuje 1 skład w 1 gminie. Ostatnia zmiana wpisu: 3 października 2026 r.")


def test_home_takes_any_question(client):
    for notice, queries in (
        (None, ("q=", "q=%20")),
        ("Wpisz co najmniej 2 znaki.", ("q=k",)),
        ("Nie umiemy odczytać", ("q=%00ab", "q=%ff%fe", "q=ab&q=cd", "q=" + "a" * 5000)),
        ("Niczego nie znaleźliśmy", ("q=%25_%5C",)),
    ):
        for query in queries:
            text = expect(client.get(f"/?{query}"))
            assert notice in text if notice else "Nie umiemy" not in text and "Wyniki" not in text
    html = client.get("/", {"q": SCRIPT}).content.decode()
    assert (SCRIPT in html, SCRIPT in unescape(html)) == (False, True)


def test_voivodeship_lists_counties_and_municipalities_in_polish_order_and_cities_together(client):
    for number, name in enumerate(["Łapsze", "Zator", "Lanckorona", "Żabno", "Świątniki"], start=1):
        factories.MunicipalityFactory(teryt=f"1211{number:02}2", name=name)
    for teryt, name in (("1261011", "Kraków"), ("1263011", "Tarnów")):
        factories.municipality(teryt, name)
    factories.DepotFactory.create_batch(2, municipality=factories.nowy_targ_rural())
    factories.DepotFactory(municipality=factories.nowy_targ_rural(), removed=True)
    answer = client.get("/sklady/malopolskie/")
    html = answer.content.decode()
    names = re.findall(r'<a href="/sklady/malopolskie/[^"]+">([^<]+)</a>', html)
    assert names == ["Kraków", "Tarnów", "Lanckorona", "Łapsze", "Nowy Targ", "Świątniki", "Zator", "Żabno"]
    expect(answer, "2 składy, 8 gmin.", "powiat nowotarski 2 składy", "Nowy Targ gmina wiejska 2 składy")
    (cities, county) = re.findall(r"<summary><h2>([^<]+)</h2>", html)
    assert cities == "miasta na prawach powiatu"
    assert county.startswith("powiat ")


def test_the_rules_are_as_many_as_in_the_description_and_their_examples_answer(client, depot):
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.2992, lon=19.9496)
    factories.PostcodeFactory(code="30-001")
    factories.PostcodeFactory(code="34-500")
    DeadlineFactory()
    html = client.get("/api/").content.decode()
    (rules,) = re.findall(r'aria-labelledby="zasady".*?</ol>', html, re.DOTALL)
    assert rules.count("<li>") == NUMBER_OF_RULES == len(re.findall(r"(?m)^\d+\. ", document()["info"]["description"]))
    examples = re.findall(r'Przykład: <a href="http://127\.0\.0\.1:8000([^"]+)">', html)
    assert len(examples) == len(document()["paths"])
    for example in examples:
        assert client.get(unescape(example)).status_code == 200


def test_the_look_of_the_site_is_thirty_kilobytes_at_most():
    sheets = (ROOT / "pages/static/pages").glob("*.css")
    # Embedded pages have a sheet of their own, so that they stay small.
    assert 10_000 < sum(len(sheet.read_bytes()) for sheet in sheets if sheet.name != "embed.css") <= 30_000


def test_what_nobody_knows_has_no_page(client, prices):
    answer = client.get(f"/nie-ma/{SCRIPT}")
    expect(answer, "Nie ma takiej strony", status=404)
    assert present(answer.content.decode(), NOINDEX, SCRIPT) == [NOINDEX]
    areas = "/sklady/nigdzie/", "/przepisy/nigdzie/", "/przepisy/12/", "/ceny/pellet/atlantyda/", "/ceny/uran/"
    fuels_of_areas = "/ceny/uran/malopolskie/", "/ceny/uran.csv", "/ceny/pellet/atlantyda.csv"
    numbers = ("987654", "0", "9" * 30, "9" * 5000)
    for path in (*areas, *fuels_of_areas, *(f"/sklad/{number}-x/" for number in numbers)):
        assert client.get(path).status_code == 404, path


def test_the_site_has_its_name_and_a_citation_that_of_the_operator_where_it_is_another(client, settings):
    settings.SITE_NAME = "Opał w okolicy"
    for operator, cited in (("Fundacja Próbna", "Opał w okolicy (Fundacja Próbna), „"), ("Opał w okolicy",) * 2):
        settings.OPERATOR_NAME = operator
        page = client.get("/dane/")
        expect(page, cited)
        assert "– Opał w okolicy</title>" in page.content.decode()


def test_every_page_leads_owners_to_what_they_can_do_by_buttons_of_the_page_of_a_depot(client, depot_page):
    assert 'href="/dla-wlascicieli/"' in client.get("/").content.decode()
    answer = client.get("/dla-wlascicieli/")
    said = "z pliku", f"{LINK_HOURS} godzin", f"{UNUSED.days} dni"
    expect(answer, *said, "dołącz je do tego odnośnika")
    expect(client.get("/dla-wlascicieli.md"), *said, "dołączysz do tego samego odnośnika")
    assert 'href="/sklady/dodaj/"' in answer.content.decode()
    expect(client.get(depot_page), "To mój skład", "Usuń wpis", "Pokaż to na swojej stronie", "Zmień godziny i ceny")


def test_the_page_about_privacy_names_the_host_of_maps(client, settings):
    for tiles, host in (("", ""), ("https://{s}.tiles.example.pl/{z}/{x}/{y}.png", "z serwera tiles.example.pl.")):
        settings.MAP_TILES_URL = tiles
        for path in ("/prywatnosc/", "/prywatnosc.md"):
            text = client.get(path).content.decode()
            assert ("reklam ani usług innych firm." in text) is not bool(tiles)
            assert ("Obrazy map pobiera Twoja przeglądarka" in text) is bool(tiles)
            assert host in text


def test_the_page_is_in_english_and_its_frame_in_polish_and_both_home_pages_name_the_languages(client):
    html = client.get("/en/").content.decode()
    assert not missing(html, '<html lang="en">', 'locale" content="en_GB">', '<body lang="pl">\n  <a class="skip"')
    content = html.partition("<main")[2].partition("</main>")[0]
    assert content.startswith(' id="tresc" tabindex="-1" lang="en">')
    assert not missing(content, 'aria-label="Breadcrumbs"', "This page in Markdown")
    assert "Licencja" not in content
    head, address, _, status, licence, quote, *rest = filter(None, client.get("/en.md").content.decode().split("\n"))
    assert (head, address) == ("# Fuel depots in Poland", "- Address: http://127.0.0.1:8000/en/")
    assert (status, licence) == ("- Data status: in force", "- Licence: may be quoted with attribution")
    assert quote.startswith("- Cite: Składy opału, “Fuel depots in Poland”, <http://127.0.0.1:8000/en/>, as of 2026-")
    assert rest[-1] == "Path: [Home (Polish)](http://127.0.0.1:8000/index.md)"
    for path in ("/", "/en/"):
        html = client.get(path).content.decode()
        for language, other in (("pl", "/"), ("en", "/en/")):
            assert f'<link rel="alternate" hreflang="{language}" href="http://127.0.0.1:8000{other}">' in html
    other = client.get("/ceny/").content.decode()
    assert '<link rel="alternate" hreflang' not in other
    assert '<a href="/en/" lang="en" hreflang="en">English</a>' in other


def test_it_says_in_english_that_depots_are_invented_and_every_fuel_has_its_word(client, demonstration):
    text, twin = expect(client.get("/en/")), client.get("/en.md").content.decode()
    said = "all invented to try the site out"
    assert f"1 depot in the catalog, {said}." in text
    assert f"(1 depot, {said})" in twin
    for fuel in fuels.FUELS:
        assert fuel.english
        assert f"{fuel.name} {fuel.english}" in text
        assert f"| {fuel.name} | {fuel.english} |" in twin
