"""Markdown twins: routes, heads, escaping of untrusted text."""

import re
from datetime import date

import pytest
from django.template import engines
from django.utils import timezone
from jinja2 import nodes

from catalog.search.entries import rebuild_index
from fueldepot.http.views import prefers
from pages.machine_files import all_pages
from pages.page import twin_path
from pages.template_filters import MARKDOWN, address, escape_markdown, link
from tests import factories
from tests.pages.reading import KRAKOW, NOINDEX, PAGES, SCRIPT, ZAKOPANE, expect, present
from tests.regulations.factories import DeadlineFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

HOSTILE = (
    "[x](javascript:alert(1)) `code` | *a* _b_ <script>alert(1)</script> ![i](//evil) &lt;b&gt; \\[y](z)\n# H\n- l"
)


@pytest.fixture
def everything(depot):
    factories.DepotPriceFactory(depot=depot, day=timezone.localdate())
    return depot


def test_every_page_has_a_twin_and_gives_it_to_whoever_asks(client, everything):
    assert [twin_path(path) for path in ("/", "/ceny/", KRAKOW)] == ["/index.md", "/ceny.md", f"{KRAKOW[:-1]}.md"]
    for path in PAGES:
        other = client.get(f"{path}index.html.md?a=b")  # the other customary address
        assert (other.status_code, other["Location"]) == (301, f"{twin_path(path)}?a=b"), path
        html = client.get(path)
        assert f'<link rel="alternate" type="text/markdown" href="{twin_path(path)}">' in html.content.decode(), path
        assert html["Vary"].split(", ")[0] == "Accept"
        answer = client.get(twin_path(path))
        assert (answer.status_code, answer["Content-Type"]) == (200, "text/markdown; charset=utf-8")
        assert answer["Link"] == f'<http://127.0.0.1:8000{path}>; rel="canonical"'
        assert re.match(r"public, max-age=(300|[12]?\d{1,2})(,|$)", answer["Cache-Control"])
        assert "X-Robots-Tag" not in answer
        assert "Accept" not in answer.get("Vary", "")
        lines = answer.content.decode().splitlines()
        assert lines[0].startswith("# ")
        assert lines[2] == f"- Adres: http://127.0.0.1:8000{path}"
        assert re.fullmatch(r"- Stan na: (\d+ \w+ \d{4} r\. \(\d{4}-\d\d-\d\d\)|nieznany)", lines[3])
        assert re.fullmatch(r"- Status danych: \S.+", lines[4])
        assert re.fullmatch(r"- Licencja: \S.+", lines[5])
        assert lines[6].startswith(f"- Cytuj: Składy opału, „{lines[0][2:]}”, <http://127.0.0.1:8000{path}>")
        text = answer.content.decode()
        assert not present(text, "&amp;", "\n\n\n")
        assert text.endswith("\n")
        by_header = client.get(path, headers={"Accept": "text/markdown", "If-None-Match": html["ETag"]})
        assert (by_header["Content-Type"], by_header.content) == (answer["Content-Type"], answer.content), path
        assert by_header["Vary"].split(", ")[0] == "Accept"


def test_who_prefers_markdown():
    for markdown, accepts in (
        (False, ("", "*/*", "text/*", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8")),
        (False, ("text/html, text/markdown;q=0.9", "text/markdown;q=0.5, text/*;q=0.8", "text/markdown;q=0")),
        (False, ("text/markdown;q=nan", "text/markdown;q=1e3", "text/markdown;q=-1", ",;,=;q")),
        (True, ("text/markdown", "text/markdown, */*", "text/markdown, text/html, */*")),
        (True, ("TEXT/MARKDOWN ; Q=0.9, text/html;q=0.8", "text/markdown;variant=CommonMark;q=0.9, text/html;q=0.8")),
        (True, ("text/markdown;q=0.9, text/html;q=0.1, */*",)),
    ):
        for accept in accepts:
            assert prefers(accept, "text/markdown", over="text/html") == markdown, accept


def test_queries_of_pages_work_for_twins(client, depot):
    factories.PostcodeFactory(code="30-001")
    from_point = "Odległości w linii prostej od wskazanego punktu (50,0700° N, 19,9400° E).", ", 0,9 km"
    expect(client.get(twin_path(KRAKOW) + "?p=50.07,19.94"), *from_point, without=["19,9400° E) ("])
    expect(client.get(twin_path(KRAKOW) + "?kod=30001"), "środka zabudowy z kodem 30-001")
    expect(client.get("/index.md?q=k"), "Wpisz co najmniej 2 znaki.")
    html = client.get(KRAKOW, {"p": "50.07,19.94", "x": "1"}).content.decode()
    assert f'href="{twin_path(KRAKOW)}?p=50.07,19.94"' in html


def test_redirects_lead_twin_to_twin(client, depot, depot_page):
    factories.FormerMunicipalityFactory()
    for path, right in [
        (f"/sklad/{depot.pk}-inna.md?x=1", twin_path(depot_page) + "?x=1"),
        ("/sklady/malopolskie/inna-1261011.md?p=50,20", twin_path(KRAKOW) + "?p=50,20"),
        ("/sklady/malopolskie/dawna-1261999.md", twin_path(KRAKOW)),
        ("/ceny/pellet/12.md", "/ceny/pellet/malopolskie.md"),
    ]:
        answer = client.get(path)
        assert (answer.status_code, answer["Location"]) == (301, right)


def test_a_twin_that_does_not_exist(client):
    for path in ["/nie-ma.md", "/ceny/uran.md", "/sklad/1-x.md", f"/{SCRIPT}.md"]:
        answer = client.get(path)
        expect(answer, "Nie ma takiej strony", status=404, without=["script"])
        assert (answer["Content-Type"], answer["Cache-Control"]) == ("text/markdown; charset=utf-8", "no-store")
    assert client.get("/nie-ma/", headers={"Accept": "text/markdown"})["Content-Type"].startswith("text/markdown")


def test_invented_depots_and_prices_say_so(client, demonstration):
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.8, side_km=2)
    factories.DepotPriceFactory(depot=demonstration, day=timezone.localdate())
    lists, prices = (KRAKOW, ZAKOPANE, "/sklady/malopolskie/"), ("/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/")
    for path, words in (
        (f"/sklad/{demonstration.pk}-demo-sklad-opalu/", "Ten skład jest zmyślony"),
        *((path, "Składy na tej stronie są zmyślone") for path in lists),
        *((path, "są zmyślone") for path in prices),
    ):
        answer = client.get(twin_path(path))
        assert (answer.status_code, answer["X-Robots-Tag"]) == (200, "noindex"), path
        assert re.search(r"\*\*(Dane demonstracyjne|Wpis demonstracyjny)\.\*\*", answer.content.decode())
        page = client.get(path)
        expect(page, words, without=["nieweryfikowane"])
        assert NOINDEX in page.content.decode()


QUERIES = (
    "/index.md?q=Zakopane",
    f"{KRAKOW[:-1]}.md?kod=30-001&paliwo=pellet",
    "/przepisy/malopolskie.md?teryt=1217011",
    "/przepisy/sprawdz.md?miejsce=1217011&piec=boiler_class_3",
    "/przepisy/sprawdz.md?miejsce=Kraków&piec=boiler_class_3",
    "/ceny/pellet.md?dzien=2026-01-02",
)


def test_every_address_that_a_twin_names_answers(client, everything):
    """As text or link: without a backslash, without what stands behind it. Templates like `/stores/{id}` are left."""
    factories.BoundaryFactory(lat=50.06, lon=19.94)
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.3, lon=19.95)
    for code in ("30-001", "34-500"):
        factories.PostcodeFactory(code=code)
    ResolutionFactory(text_url="https://example.pl/akt_1_(2)/_a")
    DeadlineFactory(date=date(2999, 1, 1), appliances=["boiler_class_3"])
    factories.average(2022, 900, source="strona https://example.pl/rok_2022/#_tabela, plik dane_2022.xlsx")
    rebuild_index()
    pages = [twin_path(entry.path) for entry in all_pages(timezone.localdate())]
    named = set()
    for path in [*pages, *QUERIES, "/llms.txt", "/llms-full.txt"]:
        answer = client.get(path)
        assert answer.status_code == 200, path
        text = answer.content.decode()
        named |= {(path, url) for url in re.findall(r"https?://[^\s<>)`|]+", text) if "{" not in url}
        assert not re.search(r"https?://[^\s<>)`|]*\\|\w\\_\w", text), path
    site = "http://127.0.0.1:8000"
    own = {url.removeprefix(site): path for path, url in named if url.startswith(f"{site}/")}
    assert len(own) > 80
    statuses = {url: client.get(url).status_code for url in own}
    assert {(own[url], url): status for url, status in statuses.items() if status not in {200, 301}} == {
        ("/llms.txt", "/mcp"): 405  # POST only
    }
    foreign = {url for _, url in named if not url.startswith(site)}
    assert {"https://example.pl/rok_2022/#_tabela", "https://example.pl/akt_1_%282%29/_a"} <= foreign
    assert not any(url.endswith(tuple(".,;:")) for url in foreign)


def test_a_hostile_name_has_no_marks(client):
    depot = factories.DepotFactory(
        name=HOSTILE[:200], place=HOSTILE[:100], opening_hours=HOSTILE, website="https://a.pl/(b)[c]"
    )
    own = client.get(f"/sklad/{depot.pk}-x.md")["Location"]
    for path in (twin_path(KRAKOW), own):
        text = client.get(path).content.decode()
        assert "](javascript" not in text.replace("\\]", "")
        assert "&lt;" not in text.replace("\\&lt;", "")
        for mark in (r"(?<!\\)<script", r"(?<!\\)`", r"(?m)^(# H|- l)", r"(?<!\\)!\[i\]\("):
            assert not re.search(mark, text), mark
    assert "<https://a.pl/%28b%29%5Bc%5D>" in client.get(own).content.decode()


def test_escaping():
    escaped = {
        "Opał „Żar” & Syn": "Opał „Żar” & Syn",
        "a\n\n# b\r\n\tc": "a \\# b c",
        "- a": "\\- a",
        "1. a": "1\\. a",
        "12) a": "12\\) a",
        "1.5 t": "1\\.5 t",
        "500 zł": "500 zł",
        "&amp; &#60; & b": "\\&amp; &\\#60; & b",
        "a\u202eb\u200b\x00c": "a b c",
        "~~a~~ |": "\\~\\~a\\~\\~ \\|",
        "": "",
        "boiler_class_3, _a_ b_": "boiler_class_3, \\_a\\_ b\\_",
    }
    assert {text: escape_markdown(text) for text in escaped} == escaped


def test_addresses_that_are_not_followed():
    odd = ("data:text/html,x", "//evil.pl", "vbscript:x", "", "x", "http://[")
    for url in ("javascript:alert(1)", "JaVaScript:x", *odd):
        assert address(url) == "", url
        assert link("a", url) == "a"


def test_every_value_of_a_template_passes_a_filter():
    env = engines["jinja2"].env
    safe = set(MARKDOWN)
    names = [name for name in env.list_templates() if name.endswith(".md")]
    assert len(names) > 20
    bare = []
    for name in names:
        tree = env.parse(env.loader.get_source(env, name)[0])
        # A macro of a Markdown template, which is looked at in its own file, or the number of a row.
        macros = {macro for found in tree.find_all(nodes.FromImport) for macro in found.names}
        for value in (value for output in tree.find_all(nodes.Output) for value in output.nodes):
            passes = isinstance(value, nodes.Filter) and value.name in safe
            written = isinstance(value, nodes.Call) and value.node.name in macros
            counts = isinstance(value, nodes.Getattr) and (value.node.name, value.attr) == ("loop", "index")
            if not (isinstance(value, nodes.TemplateData) or passes or written or counts):
                bare.append((name, value))
        assert all(found.template.value.endswith(".md") for found in tree.find_all(nodes.FromImport))
    assert bare == []


def test_an_amount_is_rounded_as_on_the_page(client):
    factories.average(2022, "0.6150", slug="prad-g11")
    for path in ("/ceny/gus/", "/ceny/gus.md"):
        assert "0,62" in client.get(path).content.decode(), path
