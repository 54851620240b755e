"""Demonstration prices: deterministic, marked in responses, deleted with their depots."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.utils import timezone

from catalog.depots.fuels import BY_SLUG
from catalog.importers.records import Options
from catalog.importers.runner import run
from catalog.models import Dataset, Decision, Depot
from catalog.services import journal
from prices import medians, services, starter
from prices.models import DepotPrice, Observation
from prices.services import PUBLISHER
from prices.snapshot import read_prices
from tests import commands, factories
from tests.catalog.importers.parsers.helpers import DATA
from tests.client import shared_rows
from tests.factories import TODAY


def rows():
    return [
        SimpleNamespace(**row)
        for number in range(400)
        for row in starter.prices_of(number, f"demo/{number}", ["ekogroszek", "pellet"], "12", TODAY)
    ]


def test_every_fuel_has_its_levels():
    assert starter.LEVELS.keys() == BY_SLUG.keys()
    # dorzeczy.pl, 5 February 2026: 1,350 to 1,850 zł per tonne.
    assert all(1350 <= starter.level("wegiel-groszek", months) <= 1850 for months in range(10))
    # Invented prices of the future are those of today.
    assert starter.level("pellet", -1) == starter.level("pellet", 0) == starter.LEVELS["pellet"][-1][1]


def test_prices_are_always_the_same_reach_back_two_years_and_each_depot_has_one_a_day():
    found = rows()
    assert found == rows()
    assert min(row.day for row in found) < medians.months_before(TODAY, 23)
    assert max(row.day for row in found) <= TODAY
    assert len({(row.depot_id, row.fuel, row.day) for row in found}) == len(found)


def test_a_few_are_implausible_and_the_others_within_what_the_press_saw(demonstration, db):
    ranges = read_prices().ranges
    assert ranges.keys() == BY_SLUG.keys(), "migrations give every fuel one"
    amounts = [(row.price, ranges[row.fuel]) for row in rows()]
    slips = [price for price, limits in amounts if not limits.low <= price <= limits.high]
    assert 0 < len(slips) < len(amounts) / 50
    ekogroszek = sorted(row.price for row in rows() if row.fuel == "ekogroszek" and row.price > 700)
    assert ekogroszek[len(ekogroszek) // 20] >= 1100
    assert ekogroszek[-len(ekogroszek) // 20] <= 1750


@shared_rows
def demonstration():
    krakow = factories.krakow()
    depots = [
        factories.DepotFactory.build(
            demonstration=True, municipality=krakow, source_id=f"demo/{number}", fuels=["pellet", "brykiet"]
        )
        for number in range(400)
    ]
    Depot.objects.bulk_create(depots)
    run(starter.missing_steps(), Options(today=timezone.localdate(), write=True), recorded=False)


def test_the_starter_fills_what_is_empty_and_only_once(demonstration, db):
    assert DepotPrice.objects.count() > 1000
    assert DepotPrice.objects.pending().exists()
    assert Observation.objects.filter(voivodeship=None).count() == 27
    assert list(starter.missing_steps()) == []


def begin_history():
    import_module("prices.migrations.0008_first_history_of_demonstration").keep_present_state(apps, None)


@pytest.mark.parametrize("upgraded", [False, True])
def test_the_approval_of_a_demonstration_price_can_be_undone(demonstration, db, upgraded):
    if upgraded:  # from 1.2.2, which wrote no history of them
        DepotPrice.history.all().delete()
        begin_history()
    price, editor = DepotPrice.objects.pending().first(), factories.UserFactory()
    services.approve_prices(prices=[price], by=editor, on=timezone.now())
    undoing = journal.undo(decision=Decision.objects.get(), by=editor, on=timezone.now())
    assert (undoing.left, factories.fresh(price).status) == ([], DepotPrice.Status.PENDING)


def test_an_upgrade_begins_the_history_of_demonstration_prices_alone_and_once(demonstration, db):
    invented = list(DepotPrice.objects.order_by("pk").values_list("pk", flat=True))
    factories.DepotPriceFactory()
    DepotPrice.history.all().delete()
    for _ in range(2):
        begin_history()
    assert list(DepotPrice.history.order_by("id").values_list("id", flat=True)) == invented


def test_demonstration_prices_are_marked_and_removed_with_their_depots(demonstration, db, client):
    marked = client.get("/api/v1/prices/pellet").json()
    assert marked["demonstration"] is True
    assert marked["method"].startswith("Dane demonstracyjne")
    assert marked["rejected"] > 0
    assert "400 demonstration depots" in commands.run("remove_demo")
    assert not DepotPrice.objects.exists()
    assert not DepotPrice.history.exists()
    answer = client.get("/api/v1/prices/pellet").json()
    assert (answer["n"], "demonstration" in answer) == (0, False)
    assert Dataset.objects.get(slug="prices").row_count == 0
    assert list(starter.missing_steps()) == []


def test_real_depots_leave_no_invented_prices_in_the_list_of_data_sets(demonstration, db, client):
    factories.BoundaryFactory(municipality=factories.krakow())
    commands.run("import_depots", DATA / "overpass.json", "--commit", "--allow-removals")
    assert not DepotPrice.objects.exists()
    kept = Dataset.objects.get(slug="prices")
    assert (kept.row_count, kept.source) == (0, PUBLISHER)
    assert "Źródło: ceny demonstracyjne" not in client.get("/dane.md").content.decode()
