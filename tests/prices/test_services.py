from datetime import date, timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from catalog.depots.fuels import FUELS, UNIT_NAMES
from catalog.models import Dataset, Depot
from prices import services, validation
from prices.models import DepotPrice
from tests import factories
from tests.factories import NOW, TODAY
from tests.prices.helpers import ask

pytestmark = pytest.mark.django_db

PRICE_LIST, SUBMISSION = DepotPrice.Origin.PRICE_LIST, DepotPrice.Origin.SUBMISSION


def quote(**changes):
    return validation.PriceInput(**{"fuel": "pellet", "day": TODAY, "unit": "t", "price": Decimal(1500), **changes})


def approve(editor, *prices):
    return services.approve_prices(prices=prices, by=editor, on=NOW)


def reject(editor, *prices, reason="Nie."):
    return services.reject_prices(prices=prices, reason=reason, by=editor, on=NOW)


def submit(depot=None, origin=SUBMISSION, by=None, **changes):
    depot = depot or factories.DepotFactory()
    return services.submit_price(depot=depot, quote=quote(**changes), origin=origin, by=by, on=NOW)


def pellets():
    answer = ask("pellet", TODAY, values=True)
    return answer["n"], answer["values"]


def test_several_at_once_and_those_that_cannot_be_are_named(editor):
    done = approve(editor, *(submit(price=Decimal(amount)) for amount in (1400, 1500, 1600))).changed
    before = Dataset.objects.get(slug="prices")
    waiting = submit(price=Decimal(1700))
    decided = approve(editor, done[0], waiting)
    after = Dataset.objects.get(slug="prices")
    assert (after.version, after.row_count) == (before.version + 1, 4)
    assert [price.pk for price in decided.changed] == [waiting.pk]
    assert [reason for _, reason in decided.unchanged] == ["zatwierdzone już wcześniej"]
    assert pellets()[0] == 4
    assert len(reject(editor, *done).changed) == 3
    again = reject(editor, *done)
    assert again.changed == ()
    assert {reason for _, reason in again.unchanged} == {"odrzucone już wcześniej"}
    assert pellets() == (1, [])


def test_hundreds_are_decided_with_a_fixed_number_of_statements(editor, django_assert_max_num_queries):
    build = factories.DepotPriceFactory.build
    DepotPrice.objects.bulk_create(
        build(depot=depot, pending=True, day=TODAY - timedelta(days=number))
        for depot in factories.DepotFactory.create_batch(3)
        for number in range(100)
    )
    # Lock, choice, rows, update, history; the rest is the figures of each fuel, whatever the number of prices.
    for act in (approve, partial(reject, reason="spam")):
        prices = list(DepotPrice.objects.all())
        with django_assert_max_num_queries(70):
            assert len(act(editor, *prices).changed) == 300
    assert set(DepotPrice.objects.values_list("status", "reason", "decided_by")) == {("rejected", "spam", editor.pk)}
    lines = DepotPrice.history.filter(history_user=editor)
    told = {("approved", "zatwierdzona"), ("rejected", "odrzucona: spam")}
    assert set(lines.values_list("status", "history_change_reason")) == told
    assert lines.count() == 600


def test_a_duplicate_of_depot_fuel_day_and_origin_is_refused_and_no_other_price(editor):
    depot = factories.DepotFactory()
    price = submit(depot)
    for changes in ({"fuel": "brykiet"}, {"day": date(2026, 11, 20)}, {"origin": PRICE_LIST}):
        submit(depot, **changes)
    submit()
    with pytest.raises(services.DuplicatePrice):
        submit(depot, price=Decimal(1600))
    approve(editor, price)
    with pytest.raises(services.DuplicatePrice):
        submit(depot, price=Decimal(1600))
    assert DepotPrice.objects.count() == 5


def test_a_rejected_price_bars_no_other_until_it_is_wanted_back_and_of_two_such_one_is_approved(editor):
    depot = factories.DepotFactory()
    first = submit(depot)
    reject(editor, first)
    second = submit(depot, price=Decimal(1600))
    ((_, reason),) = approve(editor, first).unchanged
    assert reason == "skład ma już cenę tego paliwa z dnia 21.11.2026 albo taka cena czeka na decyzję"
    reject(editor, second)
    decided = approve(editor, first, second)
    assert (decided.changed, decided.unchanged) == ((first,), ((second, reason),))
    assert (factories.fresh(first).status, first.reason) == ("approved", "")


def test_a_price_that_breaks_a_rule_or_of_a_depot_that_is_not_public_is_refused():
    bag = {"price": None, "bag_price": Decimal(30), "bag_kg": Decimal(15)}
    submit(**bag)
    for changes in (
        {"fuel": "uran"},
        {"unit": "mp"},
        {"fuel": "drewno-kominkowe", "unit": "t"},
        {"day": date(2026, 11, 22)},
        {"price": None},
        *({"price": Decimal(amount)} for amount in ("0", "-1", "1500.005", "100000", "NaN")),
        bag | {"price": Decimal(1500)},
        *(bag | {"bag_kg": weight} for weight in (None, Decimal(0), Decimal("14.999"))),
        *(bag | {"bag_price": amount} for amount in (None, Decimal(-30), Decimal("30.005"))),
        bag | {"fuel": "drewno-kominkowe", "unit": "mp"},
    ):
        with pytest.raises(validation.InvalidPrice):
            submit(**changes)
    for trait in ("removed", "held"):
        with pytest.raises(validation.InvalidPrice):
            submit(factories.DepotFactory(**{trait: True}))


def test_the_database_holds_what_must_never_be_false():
    broken = {"price": Decimal(0), "unit": "mp", "bag_price": Decimal(30), "reason": "x", "decided_at": None}
    for name, value in (*broken.items(), ("status", "pending"), ("status", "rejected")):
        with pytest.raises(IntegrityError), transaction.atomic():
            factories.DepotPriceFactory(**{name: value})


def test_the_database_takes_each_fuel_in_its_own_unit_only():
    depot = factories.DepotFactory()
    for fuel in FUELS:
        factories.DepotPriceFactory(depot=depot, fuel=fuel.slug, unit=fuel.unit)
        for unit in UNIT_NAMES.keys() - {fuel.unit}:
            with pytest.raises(IntegrityError, match="depotprice_unit_of_the_fuel"), transaction.atomic():
                factories.DepotPriceFactory(depot=depot, fuel=fuel.slug, unit=unit, day=date(2026, 10, 1))
    with pytest.raises(IntegrityError, match="depotprice_unit_of_the_fuel"):  # it is no duplicate
        services.save(factories.DepotPriceFactory.build(depot=depot, unit="mp"), None)


def test_a_price_list_of_an_entry_that_was_erased_since_its_preview_is_refused(editor):
    depot = factories.DepotFactory()
    Depot.objects.filter(pk=depot.pk).delete()
    with pytest.raises(validation.InvalidPrice, match="już nie ma"):
        services.publish_price_list(quotes=[(depot, quote())], by=editor, on=NOW)
