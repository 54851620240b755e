"""From which day a fuel counts as removed by a person: an older price adds it no more."""

from datetime import timedelta

import pytest

from tests import factories
from tests.deciding import last
from tests.factories import NOW
from tests.prices.test_offers import check, edit, offer, publish, reject, set_fuels, stored, undo

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("days", "then"), [(1, ["brykiet"]), (0, ["pellet", "brykiet"])])
def test_a_price_older_than_a_persons_removal_of_its_fuel_adds_nothing(editor, days, then):
    depot = factories.DepotFactory(fuels=["pellet", "brykiet"])
    set_fuels(depot, ["brykiet"], editor)
    publish(depot, editor, days=days)
    assert offer(depot) == then


def test_a_removal_keeps_its_day_when_what_was_stated_since_is_undone(editor):
    depot = stored(fuels=["pellet", "brykiet"])
    set_fuels(depot, ["brykiet"], editor)
    depot.history.update(history_date=NOW - timedelta(days=2))
    edit(depot, editor, fuels=["pellet", "brykiet"])
    undo(last(), editor)
    assert offer(depot) == ["brykiet"]
    publish(depot, editor, days=1)
    assert offer(depot) == ["pellet", "brykiet"]


def test_a_fuel_that_went_with_its_price_was_removed_by_nobody(editor):
    one = stored(fuels=["wegiel"])
    check(one, editor)
    publish(one, editor)
    reject(editor, *one.prices.all())
    publish(one, editor, days=1)
    assert offer(one) == ["wegiel", "pellet"]
