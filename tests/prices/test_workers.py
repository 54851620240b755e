"""Several workers: each connection of its own sees what another has committed, and nothing half done."""

import threading
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection, transaction

from prices import actions, figures
from prices.models import DepotPrice
from tests import factories
from tests.prices.helpers import ask

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()


def in_worker(act):
    """Run something as another worker would: with a connection and a memory of its own. Returns what it returned."""
    result = []

    def work():
        try:
            result.append(act())
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert result, "the worker failed"
    return result[0]


def waiting(amount):
    return factories.DepotPriceFactory(
        depot=factories.DepotFactory(), price=Decimal(amount), pending=True, submission=True
    )


def number():
    return ask("pellet", TODAY)["n"]


def test_an_approval_is_seen_by_every_worker_once_it_is_committed():
    editor = factories.UserFactory()
    price = waiting(1500)
    figures.refresh(today=TODAY)
    assert (number(), in_worker(number)) == (0, 0)
    with transaction.atomic():
        actions.approve_price(price=price, by=editor, on=NOW)
        assert number() == 1
        assert in_worker(number) == 0
    assert (number(), in_worker(number)) == (1, 1)
    in_worker(lambda: actions.reject_price(price=price, reason="x", by=editor, on=NOW))
    assert (number(), in_worker(number)) == (0, 0)


def test_what_a_worker_remembers_is_dropped_with_the_next_approval():
    editor = factories.UserFactory()
    assert number() == 0  # nothing kept: computed and remembered
    in_worker(lambda: actions.approve_price(price=waiting(1500), by=editor, on=NOW))
    assert number() == 1


def test_approvals_at_once_lose_none():
    editor = factories.UserFactory()
    prices = [waiting(1500 + n) for n in range(6)]
    barrier = threading.Barrier(len(prices))
    failed = []

    def approve(price):
        try:
            barrier.wait(30)
            actions.approve_price(price=price, by=editor, on=NOW)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=approve, args=[price]) for price in prices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert number() == 6
    assert figures.refresh(today=TODAY) == []  # what the last one kept holds


def test_one_of_two_equal_submissions_wins():
    depot = factories.DepotFactory()
    barrier = threading.Barrier(2)
    outcomes = []

    def submit():
        quote = actions.Quote("pellet", TODAY, "t", Decimal(1500))
        barrier.wait(30)
        try:
            actions.submit_price(depot=depot, quote=quote, origin=DepotPrice.Origin.SUBMISSION, by=None, on=NOW)
            outcomes.append("taken")
        except actions.DuplicatePrice:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=submit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["refused", "taken"]
