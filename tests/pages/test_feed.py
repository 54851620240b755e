"""`/zmiany.atom`."""

import xml.etree.ElementTree as ET
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils.html import escape

from prices.medians import months_before
from tests import factories
from tests.pages.reading import SCRIPT
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = pytest.mark.django_db

ON = date(2026, 11, 22)
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(autouse=True)
def _the_day(monkeypatch):
    """Set the date of the view."""
    monkeypatch.setattr("pages.syndication.timezone.localdate", lambda: ON)


def read(client):
    """Return titles and days of the entries, and the feed."""
    answer = client.get("/zmiany.atom")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = ET.fromstring(answer.content)  # noqa: S314 - our own answer
    found = [
        (" ".join(entry.findtext(f"{ATOM}title").split()), entry.findtext(f"{ATOM}updated")[:10])
        for entry in root.iter(f"{ATOM}entry")
    ]
    return found, root


def test_legal_states_and_their_deadlines(client):
    LegalStateFactory(as_of=date(2026, 10, 1))
    AmendmentFactory(resolution=ResolutionFactory(), adopted=date(2026, 11, 2))
    for days in (-1, 0, 90, 91):
        DeadlineFactory(date=ON + timedelta(days=days), applies_to=f"po {days} dniach")
    found, root = read(client)
    assert found == [
        ("Województwo małopolskie: od 20 lutego 2027 r. po 90 dniach", "2026-11-22"),
        ("Województwo małopolskie: zmiana uchwały z 2 listopada 2026 r.", "2026-11-02"),
        ("Województwo małopolskie: stan prawny na 1 października 2026 r.", "2026-10-01"),
        ("Województwo małopolskie: od 22 listopada 2026 r. po 0 dniach", "2026-08-24"),
    ]
    links = {entry.find(f"{ATOM}link").get("href") for entry in root.iter(f"{ATOM}entry")}
    assert links == {"http://127.0.0.1:8000/przepisy/malopolskie/"}
    ids = [entry.findtext(f"{ATOM}id") for entry in root.iter(f"{ATOM}entry")]
    assert len(ids) == len(set(ids))
    assert ids == [entry.findtext(f"{ATOM}id") for entry in read(client)[1].iter(f"{ATOM}entry")]


def test_medians_of_the_months_that_are_over(client):
    for months in (0, 1, 12):
        for amount in (1400, 1500, 1600):
            depot = factories.DepotFactory()
            factories.DepotPriceFactory(depot=depot, price=Decimal(amount + months), day=months_before(ON, months))
    found, root = read(client)
    assert found == [
        ("Ceny opału: mediany, październik 2026", "2026-11-01"),
        ("Ceny opału: mediany, listopad 2025", "2025-12-01"),
    ]
    assert "Pellet: 1 501,00 zł za tonę (3 ceny)." in " ".join(root.find(f".//{ATOM}summary").text.split())


def test_invented_prices_are_no_news(client):
    for number, amount in enumerate((1400, 1500, 1600)):
        depot = factories.DepotFactory(demonstration=True, source_id=f"demo/{number}")
        factories.DepotPriceFactory(depot=depot, price=Decimal(amount), day=months_before(ON, 1))
    assert read(client)[0] == []


def test_what_editors_type_is_no_html(client):
    LegalStateFactory(summary=SCRIPT)
    (entry,) = read(client)[1].iter(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}summary") == escape(SCRIPT)


def test_pages_name_it_and_it_is_not_sent_twice(client):
    LegalStateFactory()
    answer = client.get("/zmiany.atom")
    assert client.get("/zmiany.atom", headers={"if-none-match": answer["ETag"]}).status_code == 304
    for path in ("/przepisy/", "/ceny/"):
        assert 'type="application/atom+xml" title="Zmiany" href="/zmiany.atom"' in client.get(path).content.decode()
