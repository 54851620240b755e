"""Write operations on prices, and the next response."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.depots.fuels import FUELS, UNIT_NAMES
from catalog.models import Dataset
from catalog.submissions.decisions import ReasonMissing
from fueldepot.data import snapshot
from prices import services, validation
from prices.models import DepotPrice
from tests import factories
from tests.prices.helpers import ask

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()
PRICE_LIST, SUBMISSION = DepotPrice.Origin.PRICE_LIST, DepotPrice.Origin.SUBMISSION


@pytest.fixture
def editor():
    return factories.UserFactory()


def quote(**changes):
    return validation.PriceInput(**{"fuel": "pellet", "day": TODAY, "unit": "t", "price": Decimal(1500), **changes})


def submit(depot=None, origin=SUBMISSION, by=None, **changes):
    depot = depot or factories.DepotFactory()
    return services.submit_price(depot=depot, quote=quote(**changes), origin=origin, by=by, on=NOW)


def pellets():
    answer = ask("pellet", TODAY, values=True)
    return answer["n"], answer["values"]


def three(editor):
    prices = [submit(price=Decimal(amount)) for amount in (1400, 1500, 1600)]
    return services.approve_prices(prices=prices, by=editor, on=NOW).changed


def test_a_submitted_price_waits_and_counts_for_nothing(editor):
    three(editor)
    before = ask("pellet", TODAY, values=True)
    assert submit(price=Decimal(900)).status == "pending"
    assert ask("pellet", TODAY, values=True) == before


def test_approving_and_rejecting_change_the_next_answer_and_history_shows_both(editor, django_assert_num_queries):
    three(editor)
    price = submit(price=Decimal(1700))
    services.approve_prices(prices=[price], by=editor, on=NOW)
    assert pellets() == (4, [1400, 1500, 1600, 1700])
    services.reject_prices(prices=[price], reason="literówka", by=editor, on=NOW)
    assert pellets() == (3, [1400, 1500, 1600])
    lines = price.history.order_by("history_id")
    assert [(line.status, line.reason, line.history_user) for line in lines] == [
        ("pending", "", None),
        ("approved", "", editor),
        ("rejected", "literówka", editor),
    ]
    stored = DepotPrice.objects.get(pk=price.pk)
    assert (stored.decided_by, stored.decided_at) == (editor, NOW)


def test_a_rejected_price_may_be_approved_after_all(editor):
    price = submit()
    services.reject_prices(prices=[price], reason="pomyłka", by=editor, on=NOW)
    services.approve_prices(prices=[price], by=editor, on=NOW)
    assert (factories.fresh(price).status, price.reason) == ("approved", "")


def test_a_rejection_says_why(editor):
    for reason in ("", "  "):
        with pytest.raises(ReasonMissing):
            services.reject_prices(prices=[submit()], reason=reason, by=editor, on=NOW)


def test_several_at_once_and_those_that_cannot_be_are_named(editor):
    done = three(editor)
    waiting = submit(price=Decimal(1700))
    decided = services.approve_prices(prices=[done[0], waiting], by=editor, on=NOW)
    assert [price.pk for price in decided.changed] == [waiting.pk]
    assert [reason for _, reason in decided.unchanged] == ["zatwierdzone już wcześniej"]
    assert pellets()[0] == 4
    assert len(services.reject_prices(prices=done, reason="x", by=editor, on=NOW).changed) == 3
    snapshot.invalidate()
    again = services.reject_prices(prices=done, reason="x", by=editor, on=NOW)
    assert again.changed == ()
    assert {reason for _, reason in again.unchanged} == {"odrzucone już wcześniej"}
    assert pellets() == (1, [])


def test_hundreds_are_decided_with_a_fixed_number_of_statements(editor, django_assert_max_num_queries):
    prices = [factories.DepotPriceFactory.build(depot=factories.DepotFactory(), pending=True) for _ in range(3)]
    days = [TODAY - timedelta(days=number) for number in range(30, 130)]
    more = [
        factories.DepotPriceFactory.build(depot=price.depot, pending=True, day=day) for price in prices for day in days
    ]
    DepotPrice.objects.bulk_create([*prices, *more])
    everything = DepotPrice.objects.all()
    # Lock, choice, rows, update, history; the rest is the figures of each fuel, whatever the number of prices.
    with django_assert_max_num_queries(70):
        assert len(services.approve_prices(prices=everything, by=editor, on=NOW).changed) == 303
    with django_assert_max_num_queries(70):
        assert len(services.reject_prices(prices=everything, reason="spam", by=editor, on=NOW).changed) == 303
    assert set(DepotPrice.objects.values_list("status", "reason", "decided_by")) == {("rejected", "spam", editor.pk)}
    lines = DepotPrice.history.filter(history_user=editor)
    assert set(lines.values_list("status", "history_change_reason")) == {
        ("approved", "zatwierdzona"),
        ("rejected", "odrzucona: spam"),
    }
    assert lines.count() == 606


# Duplicates


def test_a_duplicate_of_depot_fuel_day_and_origin_is_refused(editor):
    depot = factories.DepotFactory()
    price = submit(depot)
    with pytest.raises(services.DuplicatePrice):
        submit(depot, price=Decimal(1600))
    services.approve_prices(prices=[price], by=editor, on=NOW)
    with pytest.raises(services.DuplicatePrice):
        submit(depot, price=Decimal(1600))


def test_another_fuel_day_depot_or_origin_is_no_duplicate():
    depot = factories.DepotFactory()
    submit(depot)
    submit(depot, fuel="brykiet")
    submit(depot, day=date(2026, 11, 20))
    submit(depot, origin=PRICE_LIST)
    submit()
    assert DepotPrice.objects.count() == 5


def test_a_rejected_price_bars_no_other_until_it_is_wanted_back(editor):
    depot = factories.DepotFactory()
    first = submit(depot)
    services.reject_prices(prices=[first], reason="x", by=editor, on=NOW)
    submit(depot, price=Decimal(1600))
    decided = services.approve_prices(prices=[first], by=editor, on=NOW)
    (reason,) = (reason for _, reason in decided.unchanged)
    assert reason == "skład ma już cenę tego paliwa z dnia 21.11.2026 albo taka cena czeka na decyzję"


def test_of_two_rejected_prices_of_one_place_one_is_approved(editor):
    depot = factories.DepotFactory()
    rejected = []
    for amount in (1500, 1600):
        price = submit(depot, price=Decimal(amount))
        services.reject_prices(prices=[price], reason="x", by=editor, on=NOW)
        rejected.append(price)
    decided = services.approve_prices(prices=rejected, by=editor, on=NOW)
    assert decided.changed == (rejected[0],)
    assert [price for price, _ in decided.unchanged] == [rejected[1]]


# What is refused


def test_refused():
    for changes in (
        {"fuel": "uran"},
        {"unit": "mp"},
        {"fuel": "drewno-kominkowe", "unit": "t"},
        {"day": date(2026, 11, 22)},
        {"price": None},
        {"price": Decimal(0)},
        {"price": Decimal(-1)},
        {"price": Decimal("1500.005")},
        {"price": Decimal(100_000)},
        {"price": Decimal("NaN")},
        {"bag_price": Decimal(30), "bag_kg": Decimal(15)},
        {"price": None, "bag_price": Decimal(30)},
        {"price": None, "bag_kg": Decimal(15)},
        {"price": None, "bag_price": Decimal(30), "bag_kg": Decimal(0)},
        {"price": None, "bag_price": Decimal(-30), "bag_kg": Decimal(15)},
        {"price": None, "bag_price": Decimal(30), "bag_kg": Decimal("14.999")},
        {"price": None, "bag_price": Decimal("30.005"), "bag_kg": Decimal(15)},
        {"fuel": "drewno-kominkowe", "unit": "mp", "price": None, "bag_price": Decimal(30), "bag_kg": Decimal(15)},
    ):
        with pytest.raises(validation.InvalidPrice):
            submit(**changes)


@pytest.mark.parametrize("trait", ["removed", "held"])
def test_depots_that_are_not_public_take_no_prices(trait):
    with pytest.raises(validation.InvalidPrice):
        submit(factories.DepotFactory(**{trait: True}))


def test_a_bag_is_converted_and_kept():
    price = submit(price=None, bag_price=Decimal("24.99"), bag_kg=Decimal(15))
    assert (price.price, price.bag_price, price.bag_kg, price.unit) == (1666, Decimal("24.99"), 15, "t")


def test_the_database_holds_what_must_never_be_false():
    for broken in (
        {"price": Decimal(0)},
        {"unit": "mp"},
        {"bag_price": Decimal(30)},
        {"status": "pending"},
        {"status": "rejected"},
        {"reason": "x"},
        {"decided_at": None},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            factories.DepotPriceFactory(**broken)


def test_the_database_takes_each_fuel_in_its_own_unit_only():
    depot = factories.DepotFactory()
    for fuel in FUELS:
        factories.DepotPriceFactory(depot=depot, fuel=fuel.slug, unit=fuel.unit)
        for unit in UNIT_NAMES.keys() - {fuel.unit}:
            with pytest.raises(IntegrityError, match="depotprice_unit_of_the_fuel"), transaction.atomic():
                factories.DepotPriceFactory(depot=depot, fuel=fuel.slug, unit=unit, day=date(2026, 10, 1))


def test_prices_go_with_their_depot():
    factories.DepotPriceFactory().depot.delete()
    assert not DepotPrice.objects.exists()


def test_the_version_of_the_data_set_grows(editor):
    three(editor)
    before = Dataset.objects.get(slug="prices")
    services.approve_prices(prices=[submit()], by=editor, on=NOW)
    after = Dataset.objects.get(slug="prices")
    assert (after.version, after.row_count) == (before.version + 1, 4)


@given(st.lists(st.tuples(st.integers(600, 4000), st.sampled_from(["pending", "rejected"])), max_size=8))
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pending_and_rejected_prices_never_count(editor, others):
    with transaction.atomic():
        three(editor)
        before = ask("pellet", TODAY, values=True)
        for amount, state in others:
            price = submit(price=Decimal(amount))
            if state == "rejected":
                services.reject_prices(prices=[price], reason="x", by=editor, on=NOW)
        assert ask("pellet", TODAY, values=True) == before
        transaction.set_rollback(True)


def test_a_price_that_breaks_another_rule_is_no_duplicate():
    price = factories.DepotPriceFactory.build(depot=factories.DepotFactory(), unit="mp")
    with pytest.raises(IntegrityError, match="depotprice_unit_of_the_fuel"):
        services.save(price, None)
