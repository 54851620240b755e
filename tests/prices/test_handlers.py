"""Bulk decisions about prices are taken back as a whole, price by price as it was."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.urls import reverse

from catalog.models import Dataset, Decision
from catalog.services.editors import EDITOR
from catalog.services.journal import NothingToRestore, find_changed_since, undo
from prices import owners, services, validation
from prices.models import DepotPrice
from tests import bulk, factories
from tests.client import message_of
from tests.deciding import undo_at_the_desk
from tests.factories import NOW
from tests.mail import outcomes
from tests.pages.reading import html_of, missing
from tests.prices.helpers import LIST

pytestmark = pytest.mark.django_db

PELLET = validation.PriceInput("pellet", NOW.date(), "t", Decimal(1500))


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
    decided = services.approve_prices(prices=[first, second, third], by=editor, on=NOW)
    services.reject_prices(prices=[first], reason="Za tanio.", by=editor, on=NOW)
    later = stored(first)
    undone = undo(decision=decided.decision, by=editor, on=NOW)
    assert (undone.restored, undone.left) == (2, [first])
    assert stored(first) == later
    assert [row["status"] for row in stored(second, third)] == ["pending", "rejected"]


def test_a_rejected_price_does_not_come_back_beside_the_one_in_its_place(editor):
    (price, *_) = various()
    decided = services.reject_prices(prices=[price], reason="Nie.", by=editor, on=NOW)
    twin = factories.DepotPriceFactory(depot=price.depot, pending=True)
    assert find_changed_since(decided.decision) == [price]
    with pytest.raises(NothingToRestore):
        undo(decision=decided.decision, by=editor, on=NOW)
    assert [row["status"] for row in stored(price, twin)] == ["rejected", "pending"]


def test_a_price_list_is_withdrawn_as_a_file_and_can_be_sent_again(client, editor):
    quotes = [(factories.DepotFactory(), PELLET) for _ in range(2)]
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
    decision = services.publish_price_list(quotes=[(depot, PELLET) for depot in depots], by=editor, on=NOW)
    later = NOW + timedelta(minutes=1)
    owners.publish_prices(quotes=[(depots[0], replace(PELLET, price=Decimal(1600)))], on=later)
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
    with commit():
        decided = services.approve_prices(prices=prices, by=editor, on=NOW)
    assert decided.decision.lines.filter(model="catalog.submission", key=submission.pk).exists()
    with commit():
        assert undo(decision=decided.decision, by=editor, on=NOW).reopened == 1
    assert (factories.fresh(submission).answered_at, submission.proposed) == (None, {"prices": [{}]})
    with commit():
        services.reject_prices(prices=prices, reason="Pomyłka.", by=editor, on=NOW)
    assert outcomes() == ["ceny przyjęte", "decyzja cofnięta", "ceny odrzucone"]


def test_the_author_of_a_price_that_is_rejected_again_hears_of_that(editor, commit):
    price = factories.DepotPriceFactory(pending=True, submission=factories.SubmissionFactory(passed_on=True))
    with_history(price)
    with commit():
        services.reject_prices(prices=[price], reason="Za tanio.", by=editor, on=NOW)
    with commit():
        decided = services.approve_prices(prices=[price], by=editor, on=NOW)
    with commit():
        undone = undo(decision=decided.decision, by=editor, on=NOW)
    assert (undone.reopened, len(undone.letters)) == (0, 1)
    assert outcomes() == ["ceny odrzucone", "ceny przyjęte", "ceny odrzucone"]
    assert "Za tanio." in mail.outbox[-1].body


def test_who_may_not_decide_about_prices_takes_nothing_back(client, editor):
    (price, *_) = various()
    decision = services.approve_prices(prices=[price], by=editor, on=NOW).decision
    rights = Group.objects.get(name=EDITOR).permissions
    rights.remove(*rights.filter(codename="change_depotprice"))
    assert undo_at_the_desk(client, decision).status_code == 403


def test_many_are_taken_back_in_as_many_statements_as_one(editor, django_assert_max_num_queries):
    depot = factories.DepotFactory()
    quotes = [(depot, replace(PELLET, day=date(2026, 1, 1) + timedelta(days=number))) for number in range(100)]
    decision = services.publish_price_list(quotes=quotes, by=editor, on=NOW)
    with django_assert_max_num_queries(27):
        assert undo(decision=decision, by=editor, on=NOW).restored == len(quotes)
