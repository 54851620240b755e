"""GET /stores/{id}."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.utils import timezone

from tests import factories

pytestmark = pytest.mark.django_db

URL = "/api/v1/stores"


def test_store_golden(client, golden):
    factories.DepotFactory(pk=7, source_id="node/7")
    golden("store", client.get(f"{URL}/7").json())


@pytest.mark.parametrize("trait", ["removed", "held"])
def test_what_is_not_published_is_not_found(client, trait):
    depot = factories.DepotFactory(**{trait: True})
    assert client.get(f"{URL}/{depot.pk}").status_code == 404


BEHIND_CACHE = {"Surrogate-Capability": 'nginx="Surrogate/1.0"'}


@pytest.mark.parametrize("path", [f"{URL}/{{}}", "/sklad/{}-x/", "/sklad/{}-x.md"])
def test_an_answer_about_a_removed_depot_replaces_the_depot_in_caches(client, path):
    address = path.format(factories.DepotFactory(removed=True).pk)
    assert client.get(address)["Cache-Control"] == "public, max-age=60"
    assert client.get(address, headers=BEHIND_CACHE)["Cache-Control"].startswith("public, max-age=60, s-maxage=1, ")


def test_no_other_error_of_a_depot_is_kept(client):
    held = factories.DepotFactory(held=True)
    for pk in (held.pk, held.pk + 1):
        for path in (f"{URL}/{pk}", f"/sklad/{pk}-x/"):
            answer = client.get(path, headers=BEHIND_CACHE)
            assert (answer.status_code, answer["Cache-Control"]) == (404, "no-store")


def test_an_outage_shows_lists_for_an_hour_and_no_depot_of_its_own(client):
    depot = factories.DepotFactory(name="Skład", municipality=factories.krakow())
    for path in (f"{URL}/{depot.pk}", f"/sklad/{depot.pk}-sklad/", f"/sklad/{depot.pk}-sklad.md"):
        assert "stale-if-error" not in client.get(path, headers=BEHIND_CACHE)["Cache-Control"]
    for path in (f"{URL}?teryt=1261011", "/sklady/malopolskie/krakow-1261011/", "/ceny/"):
        assert client.get(path, headers=BEHIND_CACHE)["Cache-Control"].endswith(", stale-if-error=3600")


def test_an_unknown_depot_is_not_found(client):
    for pk in ("8", "999999999999999999", str(2**63 - 1), str(2**63), "9" * 30):
        answer = client.get(f"{URL}/{pk}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), pk


def test_what_is_no_id_is_refused(client):
    for pk in ("0", "-1", "1.5", "abc", "1e3", "%00", "9" * 101, "%D9%A1", "1%0A"):
        answer = client.get(f"{URL}/{pk}")
        assert (answer.status_code, answer.json()["errors"][0]["parameter"]) == (400, "id"), pk


# The price list


@pytest.fixture
def _today(monkeypatch):
    monkeypatch.setattr(timezone, "localdate", lambda value=None: date(2026, 11, 21))


def price(depot, fuel="pellet", amount="1500", day=date(2026, 11, 1), **extra):
    return factories.DepotPriceFactory(depot=depot, fuel=fuel, price=Decimal(amount), day=day, **extra)


def price_list(client, depot):
    return client.get(f"{URL}/{depot.pk}").json()["price_list"]


@pytest.mark.usefixtures("_today")
def test_store_with_price_list_golden(client, golden):
    depot = factories.DepotFactory(pk=7, source_id="node/7")
    price(depot, "drewno-kominkowe", "480.50")
    price(depot, "pellet", "1400", date(2026, 10, 1))
    price(depot, "pellet", "1450.99", date(2026, 10, 2))
    price(depot, "ekogroszek", "1500", from_reader=True)
    price(depot, "brykiet", "1400", pending=True)
    price(depot, "wegiel", "1400", rejected=True)
    price(factories.DepotFactory(), "wegiel", "1300")
    golden("store_with_price_list", client.get(f"{URL}/7").json())


@pytest.mark.usefixtures("_today")
@pytest.mark.parametrize(("day", "listed"), [(date(2025, 11, 21), 1), (date(2025, 11, 20), 0), (date(2026, 11, 22), 0)])
def test_a_price_list_goes_back_twelve_months(client, day, listed):
    depot = factories.DepotFactory()
    price(depot, day=day)
    assert len(price_list(client, depot)) == listed


@pytest.mark.usefixtures("_today")
def test_on_one_day_a_price_list_beats_a_reader(client):
    depot = factories.DepotFactory()
    price(depot, amount="1500")
    price(depot, amount="1400", from_reader=True, decided_at=datetime(2026, 11, 20, tzinfo=UTC))
    assert [row["price"] for row in price_list(client, depot)] == [1500.0]
