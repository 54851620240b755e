"""From which day a fuel counts as removed by a person, and which fuels go with the last price that states them."""

from datetime import timedelta

import pytest

from catalog.services import moderation
from tests import factories
from tests.deciding import last
from tests.factories import NOW
from tests.prices.test_offers import check, edit, offer, pending, publish, reject, set_fuels, stored, undo

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


@pytest.mark.parametrize("price", [publish, lambda depot, editor: pending(depot)], ids=["published", "pending"])
def test_a_fuel_that_no_price_has_added_stays_where_one_is_rejected(editor, price):
    depot = stored(fuels=["wegiel", "pellet"])
    price(depot, editor)
    reject(editor, *depot.prices.all())
    assert (offer(depot), depot.fuels_priced) == (["wegiel", "pellet"], [])


def test_fuels_that_the_name_states_count_as_such_again_one_by_one(editor):
    named = stored(fuels=["pellet", "brykiet"], fuels_in_name=["pellet", "brykiet"])
    for fuel in ("pellet", "brykiet", "wegiel"):
        publish(named, editor, fuel)
    for some, then, by_name in (
        (["pellet"], ["wegiel", "pellet", "brykiet"], ["pellet"]),
        (["brykiet", "wegiel"], ["pellet", "brykiet"], ["pellet", "brykiet"]),
    ):
        reject(editor, *named.prices.filter(fuel__in=some))
        assert (offer(named), named.fuels_by_name) == (then, by_name)


@pytest.mark.parametrize("is_rejected", [True, False])
def test_what_a_person_said_before_a_price_added_the_fuel_again_does_not_keep_it(editor, is_rejected):
    depot = stored(fuels=["wegiel"])
    publish(depot, editor, days=1)
    if is_rejected:
        reject(editor, *depot.prices.all())
        check(depot, editor)
    else:
        set_fuels(depot, ["wegiel"], editor)
    publish(depot, editor)
    assert offer(depot) == ["wegiel", "pellet"]
    reject(editor, *depot.prices.all())
    assert offer(depot) == ["wegiel"]


def test_a_fuel_that_a_source_states_after_its_price_has_gone_stays_when_another_change_is_undone(editor):
    depot = stored(fuels=["wegiel"])
    publish(depot, editor)
    reject(editor, *depot.prices.all())
    factories.fresh(depot).fuels = ["wegiel", "pellet"]
    depot.save()  # as an import does
    edit(depot, editor, phone="+48 600 000 000")
    undo(last(), editor)
    assert offer(depot) == ["wegiel", "pellet"]


def test_a_removal_counts_until_the_check_is_revoked(editor):
    depot = stored(fuels=["pellet", "brykiet"])
    set_fuels(depot, ["brykiet"], editor)
    check(depot, editor)
    moderation.reset_depots(keys=[depot.pk], by=editor)
    publish(depot, editor, days=1)
    assert offer(depot) == ["pellet", "brykiet"]


def test_a_fuel_goes_with_its_price_also_where_no_line_says_what_was_before(editor):
    depot = stored(fuels=["wegiel", "pellet"], fuels_priced=["pellet"])
    reject(editor, pending(depot))
    assert offer(depot) == ["wegiel"]
