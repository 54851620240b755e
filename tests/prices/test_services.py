"""Prices are submitted and decided; bulk decisions are taken back as a whole, price by price as it was."""

from datetime import date, timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.db import IntegrityError, transaction
from django.urls import reverse

from catalog.depots.fuels import FUELS, UNIT_NAMES
from catalog.models import Dataset, Decision, Depot
from catalog.services import moderation
from catalog.services.editors import EDITOR
from catalog.services.journal import NothingToRestore, find_changed_since, undo
from prices import owners, services, validation
from prices.models import DepotPrice
from tests import bulk, factories
from tests.beside import before_locking
from tests.client import message_of
from tests.deciding import undo_at_the_desk
from tests.factories import NOW, TODAY
from tests.mail import outcomes
from tests.pages.reading import html_of, missing
from tests.prices.helpers import LIST, ask

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
    assert (decided.changed, decided.unchanged) == ([first], [(second, reason)])
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


def test_a_price_list_of_an_entry_that_is_removed_while_it_is_confirmed_is_refused(editor):
    depot = factories.DepotFactory()
    remove = partial(moderation.remove_depot, depot=depot, reason=Depot.RemovalReason.CLOSED, by=editor, on=TODAY)
    with before_locking(remove), pytest.raises(validation.InvalidPrice, match=services.UNPUBLISHED):
        services.publish_price_list(quotes=[(depot, quote())], by=editor, on=NOW)
    assert not DepotPrice.objects.exists()


def stored(*prices):
    return list(DepotPrice.objects.filter(pk__in=[price.pk for price in prices]).order_by("pk").values())


def with_history(*prices):
    """Prices whose present state stands in their history, as every one that people made has it."""
    for price in prices:
        price.save()
    return list(prices)


def various():
    return with_history(
        factories.DepotPriceFactory(pending=True),
        factories.DepotPriceFactory(pending=True, fuel="ekogroszek"),
        factories.DepotPriceFactory(rejected=True),
    )


def counted():
    return Dataset.objects.get(slug=Dataset.Slug.PRICES).row_count


@pytest.mark.usefixtures("the_day")
@pytest.mark.parametrize(("action", "changes"), [("approve", 3), ("reject", 2)])
def test_one_click_takes_a_bulk_decision_back(client, editor, action, changes):
    prices = various()
    with_history(factories.DepotPriceFactory())
    services.record_prices(NOW.date())
    before, number = stored(*prices), counted()
    said = message_of(bulk.act(client, f"{LIST}?status=all", action, *prices, reason="Kontrola."))
    assert not missing(said, f"Zmieniono: {changes}.", "Cofnij całość")
    decision = Decision.objects.get()
    assert (decision.kind, decision.lines.filter(model="prices.depotprice").count()) == ("prices", changes)
    page = html_of(client.get(reverse("admin:catalog_decision_change", args=[decision.pk])))
    assert str(prices[0]).replace("\xa0", " ") in page
    assert f"Ceny w składach: {changes}." in message_of(undo_at_the_desk(client, decision))
    assert stored(*prices) == before
    assert counted() == number
    lines = DepotPrice.history.filter(history_change_reason__startswith="cofnięto decyzję", history_user=editor)
    assert lines.count() == changes
    assert "cofnięto już wcześniej" in message_of(undo_at_the_desk(client, decision))


def test_what_somebody_has_decided_since_stays(editor):
    first, second, third = various()
    decided = approve(editor, first, second, third)
    reject(editor, first, reason="Za tanio.")
    later = stored(first)
    undone = undo(decision=decided.decision, by=editor, on=NOW)
    assert (undone.restored, undone.left) == (2, [first])
    assert stored(first) == later
    assert [row["status"] for row in stored(second, third)] == ["pending", "rejected"]


def test_a_rejected_price_does_not_come_back_beside_the_one_in_its_place(editor):
    (price, *_) = various()
    decided = reject(editor, price)
    twin = factories.DepotPriceFactory(depot=price.depot, pending=True)
    assert find_changed_since(decided.decision) == [price]
    with pytest.raises(NothingToRestore):
        undo(decision=decided.decision, by=editor, on=NOW)
    assert [row["status"] for row in stored(price, twin)] == ["rejected", "pending"]


def test_a_price_list_is_withdrawn_as_a_file_and_can_be_sent_again(client, editor):
    quotes = [(factories.DepotFactory(), quote()) for _ in range(2)]
    decision = services.publish_price_list(quotes=quotes, by=editor, on=NOW)
    assert (decision.kind, counted()) == ("price_list", 2)
    assert "Wycofaj ceny" in html_of(client.get(reverse("admin:catalog_decision_change", args=[decision.pk])))
    assert "Cofnięto. Wycofane ceny: 2." in message_of(undo_at_the_desk(client, decision))
    assert set(DepotPrice.objects.values_list("status", "reason")) == {("rejected", "wycofano cennik z pliku")}
    assert counted() == 0
    services.publish_price_list(quotes=quotes, by=editor, on=NOW)
    assert DepotPrice.objects.approved().count() == 2


def test_a_withdrawn_file_leaves_the_prices_that_somebody_has_changed_since(editor):
    depots = [factories.DepotFactory() for _ in range(3)]
    decision = services.publish_price_list(quotes=[(depot, quote()) for depot in depots], by=editor, on=NOW)
    later = NOW + timedelta(minutes=1)
    owners.publish_prices(quotes=[(depots[0], quote(price=Decimal(1600)))], on=later)
    services.reject_prices(prices=depots[1].prices.all(), reason="Nie.", by=editor, on=later)
    undone = undo(decision=decision, by=editor, on=later)
    assert (undone.restored, len(undone.left)) == (1, 2)
    assert depots[0].prices.get().status == "approved"
    assert [depot.prices.get().reason for depot in depots[1:]] == ["Nie.", "wycofano cennik z pliku"]


def test_an_author_who_was_told_is_told_anew(editor, commit):
    submission = factories.SubmissionFactory(passed_on=True)
    prices = [
        factories.DepotPriceFactory(pending=True, fuel=fuel, submission=submission) for fuel in ("pellet", "brykiet")
    ]
    with_history(*prices)
    decided = commit(approve, editor, *prices)
    assert decided.decision.lines.filter(model="catalog.submission", key=submission.pk).exists()
    assert commit(undo, decision=decided.decision, by=editor, on=NOW).reopened == 1
    assert (factories.fresh(submission).answered_at, submission.proposed) == (None, {"prices": [{}]})
    commit(reject, editor, *prices, reason="Pomyłka.")
    assert outcomes() == ["ceny przyjęte", "decyzja cofnięta", "ceny odrzucone"]


def test_the_author_of_a_price_that_is_rejected_again_hears_of_that(editor, commit):
    price = factories.DepotPriceFactory(pending=True, submission=factories.SubmissionFactory(passed_on=True))
    with_history(price)
    commit(reject, editor, price, reason="Za tanio.")
    decided = commit(approve, editor, price)
    undone = commit(undo, decision=decided.decision, by=editor, on=NOW)
    assert (undone.reopened, len(undone.letters)) == (0, 1)
    assert outcomes() == ["ceny odrzucone", "ceny przyjęte", "ceny odrzucone"]
    assert "Za tanio." in mail.outbox[-1].body


def test_who_may_not_decide_about_prices_takes_nothing_back(client, editor):
    (price, *_) = various()
    decision = approve(editor, price).decision
    rights = Group.objects.get(name=EDITOR).permissions
    rights.remove(*rights.filter(codename="change_depotprice"))
    assert undo_at_the_desk(client, decision).status_code == 403


def test_many_are_taken_back_in_as_many_statements_as_one(editor, django_assert_max_num_queries):
    depot = factories.DepotFactory()
    quotes = [(depot, quote(day=date(2026, 1, 1) + timedelta(days=number))) for number in range(100)]
    decision = services.publish_price_list(quotes=quotes, by=editor, on=NOW)
    with django_assert_max_num_queries(29):
        assert undo(decision=decision, by=editor, on=NOW).restored == len(quotes)
