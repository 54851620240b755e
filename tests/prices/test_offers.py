"""Fuels that prices add to offers, when prices are rejected, depots merged and restored, and decisions undone."""

from datetime import timedelta
from decimal import Decimal

import pytest

from catalog.models import Depot
from catalog.services import editing, merging, moderation, publishing
from catalog.services.journal import find_changed_since, undo
from prices import services
from prices.models import DepotPrice
from prices.validation import PriceInput
from tests import factories
from tests.deciding import last
from tests.factories import NOW, TODAY

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor():
    return factories.UserFactory()


@pytest.fixture
def one():
    return stored(name="Pierwszy", fuels=["wegiel"])


@pytest.fixture
def other():
    return stored(name="Drugi", fuels=["wegiel"])


def stored(**values):
    """A depot as an import leaves it, with a line of history."""
    depot = factories.DepotFactory(**values)
    depot.save()
    return depot


def publish(depot, by, fuel="pellet", days=0):
    quote = PriceInput(fuel, TODAY - timedelta(days=days), "t", Decimal(1500))
    return services.publish_price_list(quotes=[(depot, quote)], by=by, on=NOW)


def pending(depot, fuel="pellet", **values):
    price = factories.DepotPriceFactory(depot=depot, fuel=fuel, pending=True, from_reader=True, **values)
    price.save()
    return price


def set_fuels(depot, fuels, by):
    """A person sets the fuels on the day of the newest prices."""
    editing.edit_depot(depot=depot, values={"fuels": fuels}, by=by, on=TODAY)
    depot.history.update(history_date=NOW)


def merge(survivor, loser, by, **options):
    options = {"take": []} | options
    merging.merge_depots(survivor=factories.fresh(survivor), loser=factories.fresh(loser), by=by, on=TODAY, **options)
    return last()


def restore(depot, by):
    publishing.publish_depot(depot=factories.fresh(depot), on=TODAY, by=by, note="to dwa składy")


def offer(depot):
    return factories.fresh(depot).fuels


def offers(depot):
    return Depot.objects.values_list(*Depot.FUEL_FIELDS).get(pk=depot.pk)


def test_a_rejection_adds_no_fuel_that_a_person_has_removed(editor, one):
    publish(one, editor)
    publish(one, editor, days=3)
    set_fuels(one, ["wegiel"], editor)
    before = offers(one)
    rejected = services.reject_prices(prices=one.prices.filter(day__lt=TODAY), reason="Nie.", by=editor, on=NOW)
    assert offers(one) == before
    undo(decision=rejected.decision, by=editor, on=NOW)
    assert offers(one) == before


@pytest.mark.parametrize(("what", "days"), [("approve", 1), ("list", 1), ("reject", 0)])
def test_an_undone_decision_leaves_the_offer_that_a_person_had_set(editor, one, what, days):
    publish(one, editor, days=days)
    set_fuels(one, ["wegiel"], editor)
    before = offers(one)
    if what == "approve":
        services.approve_prices(prices=[pending(one, day=TODAY)], by=editor, on=NOW)
    elif what == "list":
        publish(one, editor)
    else:
        services.reject_prices(prices=one.prices.all(), reason="Nie.", by=editor, on=NOW)
    undo(decision=last(), by=editor, on=NOW)
    assert offers(one) == before


def test_a_rejection_of_several_prices_gives_each_fuel_back_as_it_was(editor, one):
    publish(one, editor)
    moderation.verify_depot(depot=factories.fresh(one), by=editor, on=TODAY)
    before = offers(one)
    prices = [*one.prices.all(), pending(one, "brykiet")]
    rejected = services.reject_prices(prices=prices, reason="Nie.", by=editor, on=NOW)
    assert offers(one) != before
    undo(decision=rejected.decision, by=editor, on=NOW)
    assert offers(one) == before


def test_a_fuel_goes_with_its_price_though_a_person_has_edited_something_else_since(editor, one):
    set_fuels(one, ["wegiel", "brykiet"], editor)
    publish(one, editor)
    editing.edit_depot(depot=factories.fresh(one), values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY)
    services.reject_prices(prices=one.prices.all(), reason="Nie.", by=editor, on=NOW)
    assert offer(one) == ["wegiel", "brykiet"]


def test_a_fuel_stays_while_a_price_published_since_states_it(editor, one):
    first, second = publish(one, editor), publish(one, editor, days=3)
    undo(decision=first, by=editor, on=NOW)
    assert offer(one) == ["wegiel", "pellet"]
    undo(decision=second, by=editor, on=NOW)
    assert offer(one) == ["wegiel"]


@pytest.mark.parametrize("back", ["undone", "restored"])
def test_a_price_brings_its_fuel_to_the_survivor_and_takes_it_along_when_it_returns(client, editor, one, other, back):
    publish(other, editor)
    publish(other, editor, "brykiet")
    publish(one, editor, "brykiet", days=1)
    before = [offers(depot) for depot in (one, other)]
    decision = merge(one, other, editor)
    assert factories.fresh(one).fuels_priced == ["pellet", "brykiet"]
    answer = client.get("/api/v1/stores", {"teryt": "1261011", "fuel": "pellet"}).json()
    assert [row["id"] for row in answer] == [one.pk]
    if back == "undone":
        undo(decision=decision, by=editor, on=NOW)
    else:
        restore(other, editor)
    assert [offers(depot) for depot in (one, other)] == before


def test_a_fuel_that_a_person_removed_from_the_loser_does_not_come_along(editor, one, other):
    publish(other, editor, days=3)
    set_fuels(other, ["wegiel"], editor)
    merge(one, other, editor)
    assert DepotPrice.objects.approved().get().depot_id == one.pk
    assert offer(one) == ["wegiel"]


@pytest.mark.parametrize("approved", [True, False])
def test_what_was_decided_about_a_price_at_the_survivor_counts_at_the_restored_depot(editor, one, other, approved):
    if approved:
        publish(other, editor)
    price = other.prices.get() if approved else pending(other)
    before = [offers(depot) for depot in (one, other)]
    merge(one, other, editor)
    if approved:
        decision = services.reject_prices(prices=[price], reason="Nie.", by=editor, on=NOW).decision
    else:
        decision = services.approve_prices(prices=[price], by=editor, on=NOW).decision
    restore(other, editor)
    assert [offer(one), offer(other)] == [["wegiel"], ["wegiel"] if approved else ["wegiel", "pellet"]]
    undo(decision=decision, by=editor, on=NOW)
    assert [offers(depot) for depot in (one, other)] == before


def test_an_entry_that_passed_a_price_on_does_not_keep_its_fuel(editor, one, other):
    """The price has gone back in the meantime, from the last entry of the chain."""
    third = stored(name="Trzeci", fuels=["wegiel"])
    publish(other, editor)
    merge(one, other, editor)
    merge(third, one, editor)
    restore(other, editor)
    restore(one, editor)
    assert [offer(depot) for depot in (other, one, third)] == [["wegiel", "pellet"], ["wegiel"], ["wegiel"]]


def test_a_price_decided_at_the_survivor_keeps_none_of_its_values_from_being_restored(editor, one, other):
    publish(other, editor)
    Depot.objects.filter(pk=other.pk).update(phone="+48 600 000 000")
    decision = merge(one, other, editor, take=["phone"])
    publish(one, editor, "brykiet")
    assert find_changed_since(decision) == []
    undone = undo(decision=decision, by=editor, on=NOW)
    assert (offer(one), one.phone, undone.left) == (["wegiel", "brykiet"], "", [])


def test_an_offer_that_was_changed_since_does_not_stay_where_a_decision_on_prices_is_undone(editor, one):
    price = factories.DepotPriceFactory(depot=one, pending=True)
    decision = services.approve_prices(prices=[price], by=editor, on=NOW).decision
    values = {"fuels": ["wegiel", "pellet", "brykiet"]}
    editing.edit_depot(depot=factories.fresh(one), values=values, by=editor, on=TODAY)
    assert find_changed_since(decision) == undo(decision=decision, by=editor, on=NOW).left == []


def test_a_withdrawn_list_takes_its_prices_back_from_a_survivor(editor, one, other):
    listed = publish(other, editor)
    merged = merge(one, other, editor)
    assert offer(one) == ["wegiel", "pellet"]
    assert find_changed_since(listed) == undo(decision=listed, by=editor, on=NOW).left == []
    assert (DepotPrice.objects.get().status, offer(one)) == ("rejected", ["wegiel"])
    undo(decision=merged, by=editor, on=NOW)
    assert [offer(depot) for depot in (one, other)] == [["wegiel"], ["wegiel"]]


def test_an_offer_that_was_checked_since_stays_where_a_decision_on_prices_is_undone(editor, one):
    decision = publish(one, editor)
    moderation.verify_depot(depot=factories.fresh(one), by=editor, on=TODAY)
    undo(decision=decision, by=editor, on=NOW)
    assert offers(one) == (["wegiel", "pellet"], [], [])


def test_fuels_that_a_merge_united_stay_confirmed_when_the_check_before_is_undone(editor, one, other):
    check = moderation.verify_depots(keys=[one.pk], by=editor, on=TODAY).decision
    merged = merge(one, other, editor, unite_fuels=True)
    for decision, confirmed in ((check, ["fuels"]), (merged, [])):
        undo(decision=decision, by=editor, on=NOW)
        assert factories.fresh(one).confirmed_fields == confirmed


def test_a_survivor_that_was_checked_since_keeps_what_it_took_over_and_is_named(editor, one, other):
    Depot.objects.filter(pk=other.pk).update(phone="+48 600 000 000")
    decision = merge(one, other, editor, take=["phone"])
    moderation.verify_depot(depot=factories.fresh(one), by=editor, on=TODAY)
    assert find_changed_since(decision) == [one]
    assert undo(decision=decision, by=editor, on=NOW).left == [one]
    assert (factories.fresh(one).phone, "phone" in one.confirmed_fields) == ("+48 600 000 000", True)
    assert factories.fresh(other).publication == "published"


def test_a_survivor_whose_values_were_changed_since_is_named(editor, one, other):
    Depot.objects.filter(pk=other.pk).update(phone="+48 600 000 000")
    decision = merge(one, other, editor, take=["phone"])
    editing.edit_depot(depot=factories.fresh(one), values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY)
    undone = undo(decision=decision, by=editor, on=NOW)
    assert (undone.restored, undone.left, factories.fresh(one).phone) == (1, [one], "+48 12 345 67 89")
