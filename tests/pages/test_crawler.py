"""All pages of a small country, and the crawler that checks them."""

import sys

import pytest
from django.http import HttpResponse
from django.utils import timezone

from pages.machine_files import SiteMapEntry, SiteMapSection
from tests import factories
from tests.client import build_snapshots
from tests.pages.crawler import Crawler, check_pages, chosen
from tests.regulations.factories import DeadlineFactory

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_pages_are_in_order(depot, demonstration):
    for make in (factories.BoundaryFactory, factories.nowy_targ_town, factories.nowy_targ_rural, DeadlineFactory):
        make()
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.2992, lon=19.9496)
    for code in ("30-001", "34-500"):
        factories.PostcodeFactory(code=code)
    factories.DepotFactory.create_batch(2, name="Skład opału")
    factories.DepotPriceFactory(depot=demonstration, day=timezone.localdate())
    build_snapshots()
    count, findings = check_pages(everything=True, most_links=sys.maxsize)
    assert (count > 30, findings) == (True, [])


def found(fetch, *paths, **options):
    entries = [SiteMapEntry(path, SiteMapSection.SERVICE) for path in paths or ("/a/",)]
    return list(Crawler(fetch, **options).findings(entries))


HEAD = "# T\n\n- Adres: x\n- Stan na: x\n- Status danych: x\n- Licencja: x\n- Cytuj: x\n"


class Site:
    def __init__(self, kind="text/markdown; charset=utf-8", **pages):
        self.kind, self.pages = kind, {"/a/": "<title>A</title>", "/a.md": HEAD} | pages

    def __call__(self, path):
        body = self.pages.get(path)
        kind = self.kind if path.endswith(".md") else "text/html"
        return HttpResponse(body or "", status=200 if body else 404, content_type=kind)


NOISE = "".join(f"{number * 7919:x}" for number in range(60_000))


def test_what_is_found():
    for pages, told in (
        ({}, []),
        ({"/a/": ""}, ["/a/: answers 404"]),
        ({"/a.md": ""}, ["/a.md: answers 404"]),
        ({"/a/": f"<title>A</title><svg><path d='{NOISE}'/></svg>"}, []),
        ({"/a/": '<title>A</title><a href="/b/?x=1">'}, ["/a/: the link /b/?x=1 answers 404"]),
        ({"/a/": '<title>A</title><a href="http://127.0.0.1:8000/b/">'}, ["/a/: the link /b/ answers 404"]),
        ({"/a/": '<title>A</title><a href="/a/?x"><a href="https://b.pl/"><a href="tel:1"><a href="/static/x">'}, []),
        ({"/a/": '<title>A</title><a href="#b">'}, ["/a/: the link #b leads nowhere in the page"]),
        ({"/a/": '<title>A</title><a href="#b"><p id="b">'}, []),
        ({"/a/": "<p>x"}, ["/a/: has the title '' of /a/"]),
        ({"/a.md": f"{HEAD}[b](http://127.0.0.1:8000/b.md)"}, ["/a.md: the link /b.md answers 404"]),
        ({"/a.md": f"{HEAD}\\[b\\](/b.md)"}, []),
        ({"/a.md": f"{HEAD}a &amp; b"}, ["/a.md: holds HTML entities"]),
        ({"/a.md": HEAD.replace("# T", "T")}, ["/a.md: does not begin with a title"]),
        ({"/a.md": HEAD.replace("- Cytuj: x", "")}, ["/a.md: its head lacks - Cytuj: "]),
    ):
        assert found(Site(**pages)) == told
    equal = Site(**{"/b/": "<title>A</title>", "/b.md": HEAD})
    assert found(equal, "/a/", "/b/") == ["/b/: has the title 'A' of /a/"]
    assert found(Site("text/html")) == ["/a.md: has the type text/html"]
    (heavy,) = found(Site(**{"/a/": f"<title>A</title>{NOISE}"}))
    assert "more than 60000" in heavy


def test_of_links_of_one_kind_some_are_tried_and_of_no_kind_all():
    forms = [f"/sklad/{number}/popraw/" for number in range(1, 11)]
    odd = [f"/odd/{number}/" for number in range(1, 11)]
    body = "".join(f'<a href="{link}">' for link in forms + odd)
    tried = []
    site = Site(**{"/a/": f"<title>A</title>{body}"})

    def fetch(path):
        tried.append(path)
        return site(path)

    found(fetch, most_links=4)
    assert [path for path in tried if path in odd] == odd
    assert [path for path in tried if path in forms] == forms[::3]


def test_every_nth_page_of_each_kind(depot):
    entries = [SiteMapEntry(f"/sklad/{number}-x/", SiteMapSection.DEPOTS) for number in range(1, 8)]
    entries.append(SiteMapEntry("/", SiteMapSection.SERVICE))
    hidden = [SiteMapEntry(f"/ceny/pellet/a{number}/", SiteMapSection.PRICES, listed=False) for number in range(3)]
    paths = [entry.path for entry in chosen(entries + hidden, everything=False, one_in=3)]
    assert paths == ["/sklad/1-x/", "/sklad/4-x/", "/sklad/7-x/", "/", "/ceny/pellet/a0/"]
    assert len(chosen(entries + hidden, everything=True)) == 11
