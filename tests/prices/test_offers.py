"""A price adds its fuel to the offer of its depot, and takes it back when it is withdrawn."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Depot
from catalog.services import editing, moderation
from catalog.services.journal import undo
from prices import owners, services, validation
from tests import factories

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()


def quote(fuel="pellet", day=TODAY):
    return validation.PriceInput(fuel, day, "t", Decimal(1500))


def publish(depot, editor, **changes):
    return services.publish_price_list(quotes=[(depot, quote(**changes))], by=editor, on=NOW)


def offer(depot):
    depot.refresh_from_db()
    return depot.fuels


@pytest.fixture
def depot():
    return factories.DepotFactory(source_id="node/1")


def by_list(depot, editor):
    publish(depot, editor)


def by_owner(depot, editor):
    owners.publish_prices(quotes=[(depot, quote())], on=NOW)


def by_reader(depot, editor):
    price = factories.DepotPriceFactory(depot=depot, pending=True, from_reader=True)
    assert offer(depot) == ["wegiel"]
    services.approve_prices(prices=[price], by=editor, on=NOW)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (by_list, "cennik z pliku: paliwo z ceny"),
        (by_owner, "właściciel: paliwo z ceny"),
        (by_reader, "zatwierdzono ceny: paliwo z ceny"),
    ],
)
def test_a_published_price_adds_its_fuel_with_a_line_of_history(client, editor, depot, state, reason):
    state(depot, editor)
    assert offer(depot) == ["wegiel", "pellet"]
    assert depot.history.latest("history_id").history_change_reason == reason
    (row,) = client.get("/api/v1/stores", {"teryt": "1261011", "fuel": "pellet"}).json()
    assert (row["id"], row["fuels_source"]) == (depot.pk, "source")
    page = client.get("/sklady/malopolskie/krakow-1261011/?paliwo=pellet").content.decode()
    assert depot.name in page


def test_prices_alone_make_the_fuels_a_persons(client, editor):
    depot = factories.DepotFactory(fuels=["pellet"], fuels_in_name=["pellet"])
    publish(depot, editor)
    assert (offer(depot), depot.fuels_by_name) == (["pellet"], [])
    assert client.get(f"/api/v1/stores/{depot.pk}").json()["fuels_source"] == "person"


def test_an_import_keeps_the_fuel_of_a_price_and_updates_the_others(editor, depot):
    factories.BoundaryFactory()
    publish(depot, editor)
    record = DepotRecord("node/1", "Skład pelletu", 50.0617, 19.9373, fuels=("brykiet",))
    sync_depots(Extract([record]), Options(today=TODAY, write=True), origin=Depot.Source.OSM)
    assert (offer(depot), depot.fuels_by_name) == (["pellet", "brykiet"], [])


@pytest.mark.parametrize(("days", "then"), [(1, ["brykiet"]), (0, ["pellet", "brykiet"])])
def test_a_price_older_than_a_persons_removal_of_its_fuel_adds_nothing(editor, days, then):
    depot = factories.DepotFactory(fuels=["pellet", "brykiet"])
    editing.edit_depot(depot=depot, values={"fuels": ["brykiet"]}, by=editor, on=TODAY)
    depot.history.update(history_date=NOW)
    publish(depot, editor, day=TODAY - timedelta(days=days))
    assert offer(depot) == then


def test_a_withdrawn_list_takes_its_fuels_back_and_brings_them_when_sent_again(editor, depot):
    moderation.verify_depot(depot=depot, by=editor, on=TODAY)
    for _ in range(2):
        decision = publish(depot, editor, day=date(2026, 11, 1))
        assert offer(depot) == ["wegiel", "pellet"]
        undo(decision=decision, by=editor, on=NOW)
        assert (offer(depot), depot.fuels_priced) == (["wegiel"], [])
    assert depot.history.latest("history_id").history_change_reason.endswith("cofnięto paliwo z ceny")


def test_a_rejected_price_takes_its_fuel_back_only_where_nothing_else_states_it(editor, depot):
    named = factories.DepotFactory(fuels=["pellet"], fuels_in_name=["pellet"])
    for one in (depot, named):
        publish(one, editor)
    factories.DepotPriceFactory(depot=depot)
    for one in (depot, named):
        services.reject_prices(prices=one.prices.filter(day=TODAY), reason="Nie.", by=editor, on=NOW)
    assert offer(depot) == ["wegiel", "pellet"]
    assert (offer(named), named.fuels_by_name) == (["pellet"], ["pellet"])


def check(depot, editor):
    moderation.verify_depot(depot=depot, by=editor, on=TODAY)


def set_others(depot, editor):
    editing.edit_depot(depot=depot, values={"fuels": ["wegiel", "pellet", "brykiet"]}, by=editor, on=TODAY)


@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize("state", [check, set_others])
def test_a_fuel_that_a_person_has_stated_since_stays_without_its_price(editor, depot, confirmed, state):
    if confirmed:
        check(depot, editor)
    publish(depot, editor)
    state(depot, editor)
    services.reject_prices(prices=depot.prices.all(), reason="Nie.", by=editor, on=NOW)
    assert "pellet" in offer(depot)


def test_many_depots_cost_as_many_statements_as_two(editor):
    def count(depots):
        with CaptureQueriesContext(connection) as sent:
            decision = services.publish_price_list(quotes=[(row, quote()) for row in depots], by=editor, on=NOW)
            undo(decision=decision, by=editor, on=NOW)
        return len(sent)

    few, many = ([factories.DepotFactory(verified=True) for _ in range(size)] for size in (2, 40))
    assert count(few) >= count(many)
    assert not Depot.objects.exclude(fuels=["wegiel"]).exists()
