import xml.etree.ElementTree as ET
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils.html import escape

from catalog.models import Depot
from prices.medians import months_before
from tests import factories
from tests.pages.reading import SCRIPT
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, LegalStateFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

ON = date(2026, 11, 22)
ATOM = "{http://www.w3.org/2005/Atom}"
SUMMARY = ("title", "updated", "summary")


@pytest.fixture(autouse=True)
def _the_day(monkeypatch):
    monkeypatch.setattr("pages.feed.timezone.localdate", lambda: ON)


def entries(client):
    answer = client.get("/zmiany.atom")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/atom+xml; charset=utf-8")
    return list(ET.fromstring(answer.content).iter(f"{ATOM}entry"))  # noqa: S314 - our own answer


def read(client, *names):
    """Return parts of each entry, title and day unless others are named."""
    parts = [
        [" ".join(entry.findtext(f"{ATOM}{name}").split()) for name in names or ("title", "updated")]
        for entry in entries(client)
    ]
    return [(title, on[:10], *rest) for title, on, *rest in parts]


def test_legal_states_and_their_deadlines_with_what_is_uncertain(client):
    LegalStateFactory(as_of=date(2026, 10, 1))
    AmendmentFactory(resolution=ResolutionFactory(), adopted=date(2026, 11, 2))
    for days in (-1, 0, 90, 91):
        about = {"applies_to": f"po {days} dniach", "scope": "powiat", "caveat": "Źródła są sprzeczne."}
        DeadlineFactory(date=ON + timedelta(days=days), description="Nie wolno.", **about)
    assert read(client) == [
        ("Województwo małopolskie: od 20 lutego 2027 r. po 90 dniach", "2026-11-22"),
        ("Województwo małopolskie: zmiana uchwały z 2 listopada 2026 r.", "2026-11-02"),
        ("Województwo małopolskie: stan prawny na 1 października 2026 r.", "2026-10-01"),
        ("Województwo małopolskie: od 22 listopada 2026 r. po 0 dniach", "2026-08-24"),
    ]
    texts = [entry.findtext(f"{ATOM}summary") for entry in entries(client)]
    assert texts.count("Nie wolno. Gdzie: powiat. Źródła są sprzeczne.") == 2
    links = {entry.find(f"{ATOM}link").get("href") for entry in entries(client)}
    assert links == {"http://127.0.0.1:8000/przepisy/malopolskie/"}
    once, again = ([entry.findtext(f"{ATOM}id") for entry in entries(client)] for _ in range(2))
    assert (len(once), once) == (len({*once}), again)


def test_the_feed_does_not_grow_older_when_its_newest_entry_leaves(client, monkeypatch):
    LegalStateFactory(as_of=ON - timedelta(days=200))
    DeadlineFactory(date=ON)
    for later in (0, 1):
        monkeypatch.setattr("pages.feed.timezone.localdate", lambda later=later: ON + timedelta(days=later))
        feed = ET.fromstring(client.get("/zmiany.atom").content)  # noqa: S314 - our own answer
        assert (len(entries(client)), feed.findtext(f"{ATOM}updated")[:10]) == (2 - later, "2026-08-24")


def test_medians_of_the_months_that_are_over(client):
    for months in (0, 1, 12):
        factories.price_depots(1400 + months, 1500 + months, 1600 + months, day=months_before(ON, months))
    medians = [row for row in read(client, *SUMMARY) if "mediany" in row[0]]
    months = ("październik 2026", "2026-11-01"), ("listopad 2025", "2025-12-01")
    assert [row[:2] for row in medians] == [(f"Ceny opału: mediany, {month}", day) for month, day in months]
    assert "Pellet: 1 501 zł za tonę (3 ceny)." in medians[0][2]
    Depot.objects.update(source=Depot.Source.DEMO)
    assert not [title for title, _ in read(client) if "mediany" in title], "invented prices are no news"


def test_what_editors_type_is_no_html_and_valid_xml(client):
    # A word processor puts a vertical tab where a line is broken by hand.
    LegalStateFactory(summary=f"Do końca 2026 r.\vw całym\ufffe województwie.{SCRIPT}")
    (entry,) = entries(client)
    assert entry.findtext(f"{ATOM}summary") == f"Do końca 2026 r. w całym  województwie.{escape(SCRIPT)}"


def test_pages_name_it_and_it_is_not_sent_twice(client):
    LegalStateFactory()
    answer = client.get("/zmiany.atom")
    assert client.get("/zmiany.atom", headers={"if-none-match": answer["ETag"]}).status_code == 304
    for path in ("/przepisy/", "/ceny/"):
        assert 'type="application/atom+xml" title="Zmiany" href="/zmiany.atom"' in client.get(path).content.decode()


def price_entries(client):
    return [row for row in read(client, *SUMMARY) if "mediany" not in row[0]]


STATUS = "Status wpisu: nieweryfikowane."


def test_the_lowest_price_of_a_voivodeship(client):
    for number, (amount, days) in enumerate(((1400, 3), (1500, 1), (1600, 0))):
        assert price_entries(client) == []
        factories.price_depots(amount, day=ON - timedelta(days=days), depot__name=f"Skład {number}")
    text = f"Najniższa z 3 cen z 6 miesięcy, województwo małopolskie. {STATUS}"
    assert price_entries(client) == [("Pellet: 1 400 zł za tonę, Skład 0", "2026-11-19", text)]


def test_an_outlier_that_no_median_counts_is_not_the_lowest_price(client):
    for number, amount in enumerate((700, 1500, 1510, 1520, 1530, 1540, 1550, 1560, 1570)):
        factories.price_depots(amount, day=ON, depot__name=f"Skład {number}")
    assert client.get("/api/v1/prices/pellet", {"on": ON}).json()["min"] == 1500
    assert [row[::2] for row in price_entries(client)] == [
        ("Pellet: 1 500 zł za tonę, Skład 1", f"Najniższa z 8 cen z 6 miesięcy, województwo małopolskie. {STATUS}")
    ]


def test_the_lowest_price_of_coal_is_that_of_its_assortments_too(client):
    factories.price_depots(1300, day=ON, fuel="wegiel-orzech")
    factories.price_depots(1400, 1500, 1600, day=ON, fuel="wegiel")
    (row,) = client.get("/api/v1/prices/wegiel", {"on": ON}).json()["voivodeships"]
    assert row["n"] == 4
    assert price_entries(client) == []


@pytest.mark.parametrize(("after", "moved"), [(1100, "+10,0%"), (900, "−10,0%"), (1099, None), (901, None)])
def test_a_price_that_moved_by_a_tenth(client, after, moved):
    depot = factories.DepotFactory(name="Skład")
    factories.DepotPriceFactory(depot=depot, price=Decimal(1000), day=ON - timedelta(days=40))
    factories.DepotPriceFactory(depot=depot, price=Decimal(after), day=ON - timedelta(days=29))
    text = f"Zmiana o {moved}, poprzednio 1 000 zł, 13 października 2026 r. {STATUS}"
    assert [row[1:] for row in price_entries(client)] == ([("2026-10-24", text)] if moved else [])


def test_another_price_of_the_same_day_is_another_entry(client):
    depot, seen = factories.DepotFactory(), set()
    factories.DepotPriceFactory(depot=depot, price=Decimal(1000), day=ON - timedelta(days=40))
    for amount, origin in ((1200, "submission"), (1250, "price_list")):
        factories.DepotPriceFactory(depot=depot, price=Decimal(amount), day=ON, origin=origin)
        (entry,) = entries(client)
        seen.add(entry.findtext(f"{ATOM}id"))
    assert len(seen) == 2


def test_an_old_price_is_no_news_and_the_newest_twenty_are(client):
    for number, depot in enumerate(factories.DepotFactory.create_batch(22)):
        for price, days in ((1000, 60), (1200, 9 + number)):
            factories.DepotPriceFactory(depot=depot, price=Decimal(price), day=ON - timedelta(days=days))
    assert [row[1] for row in price_entries(client)] == [f"{ON - timedelta(days=days)}" for days in range(9, 29)]


def test_an_invented_price_is_said_to_be_one(client):
    depot = factories.DepotFactory(demonstration=True, source_id="demo/1")
    for amount, days in ((1000, 20), (1200, 10)):
        factories.DepotPriceFactory(depot=depot, price=Decimal(amount), day=ON - timedelta(days=days))
    ((_, _, text),) = price_entries(client)
    assert text.endswith("Cena i skład są zmyślone, służą tylko do wypróbowania serwisu.")
