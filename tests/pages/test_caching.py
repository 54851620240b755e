"""Validators of pages: 304 for unchanged pages, 200 right after a change."""

import re
from datetime import UTC, date, datetime

import pytest
from django.test import Client
from django.utils import timezone

from catalog.importers.records import Report
from catalog.importers.runner import record
from catalog.models import Dataset, Depot, ImportRun, Municipality, Postcode
from catalog.search import entries
from catalog.services import moderation
from fueldepot.data import snapshot
from pages import machine_files
from prices.models import DepotPrice
from regulations.models import LegalState
from tests import factories
from tests.pages.reading import KRAKOW, PAGES, text_of
from tests.regulations.factories import DeadlineFactory, LegalStateFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

ADDRESSES = (
    *(*PAGES, "/?q=krakow", f"{KRAKOW}?p=50.07,19.94", "/ceny.md", f"{KRAKOW[:-1]}.md"),
    *("/sitemap.xml", "/llms.txt", "/llms-full.txt"),
)


def test_an_unchanged_page_is_not_sent_again(client, depot):
    for path in ADDRESSES:
        first = client.get(path)
        assert first.status_code == 200
        assert not first.cookies
        again = client.get(path, headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304
        # Five minutes, and less shortly before a depot opens or closes.
        assert re.fullmatch(r"public, max-age=(300|[12]?\d{1,2})", again["Cache-Control"])
        assert not again.content
        # The proxy that keeps answers asks sooner than browsers do.
        kept = client.get(path, headers={"Surrogate-Capability": 'nginx="Surrogate/1.0"'})
        of_proxy = r"(, s-maxage=1, stale-while-revalidate=4, stale-if-error=3600)?"
        assert re.fullmatch(r"public, max-age=\d+" + of_proxy, kept["Cache-Control"])
        assert kept["ETag"] == first["ETag"]


@pytest.fixture
def reader():
    """A client of a process that keeps its snapshots, unlike `client`."""
    return Client()


def test_an_editors_change_shows_when_a_process_next_compares_the_versions(reader):
    depot = factories.DepotFactory()
    shown = (KRAKOW, f"/sklad/{depot.pk}-sklad-opalu-nowak/")
    paths = (*shown, "/", "/dane/", "/sklady/malopolskie/", "/ceny/", "/sitemap.xml")
    known = {path: reader.get(path)["ETag"] for path in paths}

    def statuses():
        return {reader.get(path, headers={"If-None-Match": tag}).status_code for path, tag in known.items()}

    moderation.verify_depot(depot=depot, by=factories.UserFactory(), on=date(2026, 11, 21))
    assert statuses() == {304}
    assert not any(" zweryfikowane " in text_of(reader.get(path)) for path in shown)
    snapshot.refresh()
    assert statuses() == {200}
    assert all(" zweryfikowane " in text_of(reader.get(path)) for path in shown)


def add_place():
    factories.PlaceFactory(name="Krakowiec", municipality=factories.krakow())
    entries.rebuild_index()


def add_run():
    origin = {"source": "osm-depots", "dataset": "depots"}
    record(origin, ImportRun.Outcome.IMPORTED, started=timezone.now(), report=Report("depots"))


CHANGES = {
    Dataset.Slug.UNITS: lambda: Municipality.objects.update(name="Krakówek"),
    Dataset.Slug.PLACES: add_place,
    Dataset.Slug.POSTCODES: lambda: Postcode.objects.update(lat=50.2),
    Dataset.Slug.BOUNDARIES: factories.BoundaryFactory,
    Dataset.Slug.DEPOTS: lambda: Depot.objects.update(name="Pod nową nazwą", phone="+48 12 345 67 80"),
    Dataset.Slug.PRICES: lambda: DepotPrice.objects.update(price=1700),
    Dataset.Slug.SERIES: lambda: factories.average(2022, "2329.03", source="Monitor Polski"),
    Dataset.Slug.REGULATIONS: lambda: LegalState.objects.update(as_of=date(2026, 11, 1), summary="Inaczej."),
    Dataset.RUNS: add_run,
}


def test_a_validator_follows_whatever_the_page_shows(reader, depot, depot_page):
    """A page that changes with a data set must declare it. One change after another is made to the same rows."""
    for other in (depot, *factories.DepotFactory.create_batch(2)):
        factories.DepotPriceFactory(depot=other, day=timezone.localdate())
    LegalStateFactory(as_of=date(2026, 9, 11))
    DeadlineFactory(outside_krakow=True, date=date(2999, 1, 1))
    factories.PostcodeFactory(code="30-001")
    entries.rebuild_index()
    paths = [
        *(*ADDRESSES, depot_page, f"{KRAKOW}?kod=30-001", "/przepisy/malopolskie/?teryt=1261011"),
        *("/dane/gminy.csv", "/dane/ceny-mediany.csv", "/dane/srednie-gus.csv"),
    ]
    before = {path: reader.get(path) for path in paths}
    for slug, change in CHANGES.items():
        change()
        if slug != Dataset.RUNS:
            Dataset.objects.bump_version(slug)
        snapshot.refresh()
        machine_files.written.cache_clear()
        after = {path: reader.get(path) for path in paths}
        changed = {path for path in paths if before[path].content != after[path].content}
        assert "/dane/" in changed, slug
        assert not {path for path in changed if before[path].get("ETag") == after[path].get("ETag")}, slug
        before = after


def test_a_validator_follows_the_boundaries_that_a_postcode_lies_in(reader):
    """Where no number of addresses is known, they decide which municipality comes first."""
    factories.PostcodeFactory(code="30-001", shares=[(factories.zakopane(), 0), (factories.krakow(), 0)])
    entries.rebuild_index()
    of_api = (
        f"/api/v1/{address}30-001" for address in ("postcodes/", "regulations?postcode=", "heating-costs?postcode=")
    )
    paths = [*of_api, *(f"{page}?miejsce=30-001" for page in ("/ceny/porownanie/", "/przepisy/sprawdz/"))]
    before = {path: reader.get(path) for path in paths}
    factories.BoundaryFactory()
    entries.rebuild_index()
    Dataset.objects.bump_version(Dataset.Slug.BOUNDARIES)
    snapshot.refresh()
    for path in paths:
        after = reader.get(path)
        assert (after.content != before[path].content, after["ETag"] != before[path]["ETag"]) == (True, True), path


def test_midnight_makes_dated_pages_new(client, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 31, 22, 59, tzinfo=UTC))
    known = {path: client.get(path)["ETag"] for path in ("/ceny/", "/przepisy/", "/dotacja/")}
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 31, 23, 0, tzinfo=UTC))
    for path, tag in known.items():
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200, path
