"""Fuels that prices add to offers, when prices are rejected, depots merged and restored, and decisions undone."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Depot
from catalog.parsing.opening_hours import weekly_hours
from catalog.services import editing, journal, merging, moderation, publishing
from catalog.services.journal import find_changed_since
from catalog.submissions import owner_links
from catalog.submissions.decisions import PartDecision
from prices import owners, services
from prices.models import DepotPrice
from prices.submissions import decide_visit
from prices.validation import PriceInput
from tests import deciding, factories
from tests.deciding import last
from tests.factories import NOW, TODAY

pytestmark = pytest.mark.django_db


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


def quote(fuel="pellet", days=0):
    return PriceInput(fuel, TODAY - timedelta(days=days), "t", Decimal(1500))


def publish(depot, by, fuel="pellet", days=0):
    return services.publish_price_list(quotes=[(depot, quote(fuel, days))], by=by, on=NOW)


def pending(depot, fuel="pellet", **values):
    price = factories.DepotPriceFactory(depot=depot, fuel=fuel, pending=True, from_reader=True, **values)
    price.save()
    return price


def approve(editor, *prices):
    return services.approve_prices(prices=prices, by=editor, on=NOW).decision


def reject(editor, *prices):
    return services.reject_prices(prices=prices, reason="Nie.", by=editor, on=NOW).decision


def undo(decision, by):
    return journal.undo(decision=decision, by=by, on=NOW)


def edit(depot, by, **values):
    editing.edit_depot(depot=factories.fresh(depot), values=values, by=by, on=TODAY)


def set_fuels(depot, fuels, by):
    """A person sets the fuels on the day of the newest prices."""
    edit(depot, by, fuels=fuels)
    depot.history.update(history_date=NOW)


def check(depot, by):
    moderation.verify_depot(depot=factories.fresh(depot), by=by, on=TODAY)


def set_others(depot, by):
    edit(depot, by, fuels=["wegiel", "pellet", "brykiet"])


def claim(depot, by):
    deciding.accept_submission(submission=factories.SubmissionFactory(depot=depot, claim=True), by=by, on=NOW)


TAKEN, TYPED = "+48 600 000 000", "+48 12 345 67 89"


def set_phone(depot, by):
    edit(depot, by, phone=TYPED)


def merge(survivor, loser, by, **options):
    options = {"take": []} | options
    merging.merge_depots(survivor=factories.fresh(survivor), loser=factories.fresh(loser), by=by, on=TODAY, **options)
    return last()


def restore(depot, by):
    publishing.publish_depot(depot=factories.fresh(depot), on=TODAY, by=by, note="to dwa składy")


def offer(depot):
    return factories.fresh(depot).fuels


def offers(*depots):
    return [Depot.objects.values_list(*Depot.FUEL_FIELDS).get(pk=depot.pk) for depot in depots]


def by_owner(depot, editor):
    owners.publish_prices(quotes=[(depot, quote())], on=NOW)


def by_reader(depot, editor):
    price = pending(depot)
    assert offer(depot) == ["wegiel"]
    approve(editor, price)


@pytest.mark.parametrize(
    ("state", "origin"), [(publish, "cennik z pliku"), (by_owner, "właściciel"), (by_reader, "zatwierdzono ceny")]
)
def test_a_published_price_adds_its_fuel_with_a_line_of_history(client, editor, one, state, origin):
    state(one, editor)
    assert offer(one) == ["wegiel", "pellet"]
    assert one.history.latest("history_id").history_change_reason == f"{origin}: paliwo z ceny"
    (row,) = client.get("/api/v1/stores", {"teryt": "1261011", "fuel": "pellet"}).json()
    assert (row["id"], row["fuels_source"]) == (one.pk, "source")
    assert one.name in client.get("/sklady/malopolskie/krakow-1261011/?paliwo=pellet").content.decode()


def test_prices_alone_make_the_fuels_a_persons(client, editor):
    depot = factories.DepotFactory(fuels=["pellet"], fuels_in_name=["pellet"])
    publish(depot, editor)
    assert (offer(depot), depot.fuels_by_name) == (["pellet"], [])
    assert client.get(f"/api/v1/stores/{depot.pk}").json()["fuels_source"] == "person"


def test_an_import_keeps_the_fuel_of_a_price_and_updates_the_others(editor):
    depot = factories.DepotFactory(source_id="node/1")
    factories.BoundaryFactory()
    publish(depot, editor)
    record = DepotRecord("node/1", "Skład pelletu", 50.0617, 19.9373, fuels=("brykiet",))
    sync_depots(Extract([record]), Options(today=TODAY, write=True), origin=Depot.Source.OSM)
    assert (offer(depot), depot.fuels_by_name) == (["pellet", "brykiet"], [])


def test_a_withdrawn_list_takes_its_fuel_back_unless_another_states_it_and_brings_it_when_sent_again(editor, one):
    check(one, editor)
    first, second = publish(one, editor), publish(one, editor, days=3)
    undo(first, editor)
    assert offer(one) == ["wegiel", "pellet"]
    undo(second, editor)
    assert offers(one) == [(["wegiel"], [], [])]
    again = publish(one, editor)
    assert offer(one) == ["wegiel", "pellet"]
    undo(again, editor)
    assert offers(one) == [(["wegiel"], [], [])]
    assert one.history.latest("history_id").history_change_reason == f"cofnięto decyzję: {again.title}"


def test_a_rejected_price_takes_its_fuel_back_only_where_nothing_else_states_it(editor, one):
    named = factories.DepotFactory(fuels=["pellet"], fuels_in_name=["pellet"])
    services.publish_price_list(quotes=[(one, quote()), (named, quote())], by=editor, on=NOW)
    before, earlier = offers(one, named), factories.DepotPriceFactory(depot=one)
    reject(editor, *DepotPrice.objects.filter(day=TODAY))
    assert offer(one) == ["wegiel", "pellet"]
    assert (offer(named), named.fuels_by_name) == (["pellet"], ["pellet"])
    undo(last(), editor)
    undo(reject(editor, earlier, *one.prices.filter(day=TODAY)), editor)
    assert offers(one, named) == before


@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize(("state", "stays"), [(check, True), (set_others, True), (set_phone, False)])
def test_a_fuel_stays_without_its_price_where_a_person_has_stated_it_since(editor, one, confirmed, state, stays):
    if confirmed:
        check(one, editor)
    publish(one, editor)
    state(one, editor)
    reject(editor, *one.prices.all())
    assert ("pellet" in offer(one)) is stays


@pytest.mark.parametrize("state", [check, set_others])
def test_what_was_undone_states_no_fuel(editor, one, state):
    check(one, editor)
    publish(one, editor)
    state(one, editor)
    undo(last(), editor)
    reject(editor, *one.prices.all())
    assert offer(one) == ["wegiel"]


@pytest.mark.parametrize("state", [check, set_others])
def test_a_fuel_stated_since_stays_where_a_decision_on_prices_is_undone_and_hinders_that_nowhere(editor, one, state):
    decision = publish(one, editor)
    state(one, editor)
    assert find_changed_since(decision) == undo(decision, editor).left == []
    assert ("pellet" in offer(one), one.fuels_priced) == (True, [])


@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize("state", [check, set_others, claim])
def test_a_fuel_goes_with_the_last_of_its_price_and_of_what_people_said_of_it(editor, one, state, another):
    published = publish(one, editor)
    if another:
        check(one, factories.UserFactory(username="adam"))
    state(one, editor)
    stated = last()
    undo(published, editor)
    undo(stated, editor)
    assert ("pellet" in offer(one)) is another


@pytest.mark.parametrize("is_undone", [True, False])
def test_a_fuel_whose_price_has_gone_does_not_come_back_with_the_change_that_removed_it(editor, one, is_undone):
    approved = approve(editor, pending(one))
    set_fuels(one, ["wegiel", "brykiet"], editor)
    changed = last()
    _ = undo(approved, editor) if is_undone else reject(editor, *one.prices.all())
    undo(changed, editor)
    assert offer(one) == ["wegiel"]


def test_many_depots_cost_as_many_statements_as_two(editor):
    def count(depots):
        with CaptureQueriesContext(connection) as sent:
            undo(services.publish_price_list(quotes=[(row, quote()) for row in depots], by=editor, on=NOW), editor)
        return len(sent)

    few, many = ([factories.DepotFactory(verified=True) for _ in range(size)] for size in (2, 8))
    assert count(few) >= count(many)
    assert not Depot.objects.exclude(fuels=["wegiel"]).exists()


def test_a_rejection_adds_no_fuel_that_a_person_has_removed(editor, one):
    publish(one, editor)
    publish(one, editor, days=3)
    set_fuels(one, ["wegiel"], editor)
    before = offers(one)
    rejected = reject(editor, *one.prices.filter(day__lt=TODAY))
    assert offers(one) == before
    undo(rejected, editor)
    assert offers(one) == before


@pytest.mark.parametrize(
    ("decide", "days"),
    [
        (lambda depot, editor: approve(editor, pending(depot, day=TODAY)), 1),
        (publish, 1),
        (lambda depot, editor: reject(editor, *depot.prices.all()), 0),
    ],
    ids=["approve", "list", "reject"],
)
def test_an_undone_decision_leaves_the_offer_that_a_person_had_set(editor, one, decide, days):
    publish(one, editor, days=days)
    set_fuels(one, ["wegiel"], editor)
    before = offers(one)
    undo(decide(one, editor), editor)
    assert offers(one) == before


def test_a_rejection_of_several_prices_gives_each_fuel_back_as_it_was(editor, one):
    publish(one, editor)
    check(one, editor)
    before = offers(one)
    rejected = reject(editor, *one.prices.all(), pending(one, "brykiet"))
    assert offers(one) != before
    undo(rejected, editor)
    assert offers(one) == before


@pytest.mark.parametrize("back", ["undone", "restored"])
def test_a_price_brings_its_fuel_to_the_survivor_and_takes_it_along_when_it_returns(client, editor, one, other, back):
    publish(other, editor)
    publish(other, editor, "brykiet")
    publish(one, editor, "brykiet", days=1)
    before = offers(one, other)
    decision = merge(one, other, editor)
    assert factories.fresh(one).fuels_priced == ["pellet", "brykiet"]
    answer = client.get("/api/v1/stores", {"teryt": "1261011", "fuel": "pellet"}).json()
    assert [row["id"] for row in answer] == [one.pk]
    if back == "undone":
        undo(decision, editor)
    else:
        restore(other, editor)
    assert offers(one, other) == before


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
    before = offers(one, other)
    merge(one, other, editor)
    decision = reject(editor, price) if approved else approve(editor, price)
    restore(other, editor)
    assert [offer(one), offer(other)] == [["wegiel"], ["wegiel"] if approved else ["wegiel", "pellet"]]
    undo(decision, editor)
    assert offers(one, other) == before


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
    Depot.objects.filter(pk=other.pk).update(phone=TAKEN)
    decision = merge(one, other, editor, take=["phone"])
    publish(one, editor, "brykiet")
    assert find_changed_since(decision) == undo(decision, editor).left == []
    assert (offer(one), one.phone) == (["wegiel", "brykiet"], "")


def test_a_price_that_was_decided_and_passed_on_since_goes_back_and_is_not_named_as_staying(editor, one, other):
    price = pending(other)
    merged = merge(one, other, editor)
    approve(editor, factories.fresh(price))
    merge(stored(name="Trzeci"), one, editor)
    assert find_changed_since(merged) == undo(merged, editor).left == []
    assert (factories.fresh(price).depot, price.status) == (other, "approved")


@pytest.mark.parametrize(("state", "phone"), [(check, TAKEN), (set_phone, TYPED)])
def test_a_survivor_that_a_person_has_checked_or_changed_since_stays_and_is_named(editor, one, other, state, phone):
    Depot.objects.filter(pk=other.pk).update(phone=TAKEN)
    merged = merge(one, other, editor, take=["phone"])
    state(one, editor)
    assert find_changed_since(merged) == [one]
    undone = undo(merged, editor)
    assert (undone.restored, undone.left, factories.fresh(one).phone) == (1, [one], phone)
    assert ("phone" in one.confirmed_fields, factories.fresh(other).publication) == (True, "published")


def test_a_withdrawn_list_takes_its_prices_back_from_a_survivor(editor, one, other):
    listed = publish(other, editor)
    merged = merge(one, other, editor)
    assert offer(one) == ["wegiel", "pellet"]
    assert find_changed_since(listed) == undo(listed, editor).left == []
    assert (DepotPrice.objects.get().status, offer(one)) == ("rejected", ["wegiel"])
    undo(merged, editor)
    assert [offer(depot) for depot in (one, other)] == [["wegiel"], ["wegiel"]]


def test_fuels_that_a_merge_united_stay_confirmed_when_the_check_before_is_undone(editor, one, other):
    checked = moderation.verify_depots(keys=[one.pk], by=editor, on=TODAY).decision
    merged = merge(one, other, editor, unite_fuels=True)
    for decision, confirmed in ((checked, ["fuels"]), (merged, [])):
        undo(decision, editor)
        assert factories.fresh(one).confirmed_fields == confirmed


def test_a_claim_that_stays_where_its_prices_are_undone_vouches_for_the_entry(editor, one, other):
    part = PartDecision(factories.SubmissionFactory(depot=one, claim=True).pk, accept=True)
    decide_visit(parts=[part], prices={pending(one).pk: True}, reason="", by=editor, on=NOW)
    decision, text = last(), "Mo-Fr 08:00-16:00"
    owner_links.change_hours(
        depot=one, values={"hours": weekly_hours(text), "opening_hours": text}, on=NOW + timedelta(days=1)
    )
    assert undo(decision, editor).left
    assert (offer(one), factories.fresh(one).data_status) == (["wegiel"], "owner")
    Depot.objects.filter(pk=other.pk).update(website="https://opal.example/")
    undo(merge(one, other, editor, take=["website"]), editor)
    assert "website" in factories.fresh(one).confirmed_fields
