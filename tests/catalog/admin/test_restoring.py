"""A merged entry that is published again gets back what had followed it; nothing that a person decided is undone."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse

from catalog.models import Decision, Depot, Submission
from catalog.services import journal, moderation, publishing
from catalog.submissions import owner_links
from prices import services as prices
from prices.models import DepotPrice
from tests import deciding, factories
from tests.catalog.admin.test_pairs import ask, merge
from tests.factories import NOW, TODAY

pytestmark = pytest.mark.django_db


def named(name):
    """A fixture of a depot."""
    return pytest.fixture(lambda db: factories.DepotFactory(name=name))


one, other, third = map(named, ("Pierwszy", "Drugi", "Trzeci"))


def restore(depot):
    return publishing.publish_depot(depot=depot, on=TODAY, by=factories.UserFactory(), note="to dwa składy")


def of(depot):
    """What a depot has: its submissions and prices."""
    return set(depot.submissions.all()) | set(DepotPrice.objects.filter(depot=depot))


def test_merging_and_restoring_leaves_everything_where_it_was(one, other, client):
    theirs = {
        ask(other, kind="claim"),
        ask(other),  # one's own is equal, so it stays with the loser
        ask(other, kind="correct", state="superseded", decided_at=NOW),
        factories.DepotPriceFactory(depot=other, price=Decimal(1600)),  # likewise
        factories.DepotPriceFactory(depot=other, fuel="brykiet", day=TODAY),
        factories.DepotPriceFactory(depot=other, rejected=True),
    }
    ours = {ask(one), factories.DepotPriceFactory(depot=one), factories.DepotPriceFactory(depot=one, fuel="ekogroszek")}
    merge(one, other)
    assert len(of(one)) == 7
    restored = restore(other)
    assert (of(one), of(other)) == (ours, theirs)
    assert (restored.publication, restored.merged_into) == ("published", None)
    assert Decision.objects.get(kind="merge").undone_at is not None
    moved = DepotPrice.objects.get(depot=other, fuel="brykiet")
    assert moved.history.latest().history_change_reason == f"przywrócono skład {other.pk}"
    # Prices count again where they were paid.
    lists = [client.get(f"/api/v1/stores/{depot.pk}").json()["price_list"] for depot in (one, other)]
    assert [{row["fuel"] for row in rows} for rows in lists] == [{"pellet", "ekogroszek"}, {"pellet", "brykiet"}]


def test_what_came_to_the_survivor_itself_stays_there(one, other):
    merge(one, other)
    since = {ask(one, kind="claim"), factories.DepotPriceFactory(depot=one)}
    restore(other)
    assert (of(one), of(other)) == (since, set())


def test_a_submission_that_was_decided_at_the_survivor_stays_there_and_a_price_comes_back(one, other):
    editor = factories.UserFactory()
    accepted, rejected, waiting = factories.SubmissionFactory.create_batch(3, depot=other)
    price = factories.DepotPriceFactory(depot=other, pending=True)
    merge(one, other)
    deciding.accept_submission(submission=accepted, by=editor, on=NOW)
    deciding.reject_submission(submission=rejected, reason="Nie.", by=editor, on=NOW)
    prices.reject_prices(prices=[price], reason="zła jednostka", by=editor, on=NOW)
    restore(other)
    assert (of(one), of(other)) == ({accepted, rejected}, {waiting, price})
    assert (factories.fresh(one).phone, factories.fresh(other).phone) == ("+48 601 234 567", "")
    assert (factories.fresh(price).status, price.reason) == ("rejected", "zła jednostka")


@pytest.mark.parametrize(("kind", "has_twin"), [("correct", False), ("claim", False), ("claim", True)])
def test_a_submission_that_waits_again_is_about_the_restored_entry_unless_the_same_waits_there(
    one, other, kind, has_twin
):
    row, editor = ask(other, kind=kind), factories.UserFactory()
    merge(one, other)
    deciding.reject_submission(submission=row, reason="Nie.", by=editor, on=NOW)
    decision = Decision.objects.latest("pk")
    restore(other)
    assert factories.fresh(row).depot == one
    if has_twin:
        ask(other, kind=kind)
    journal.undo(decision=decision, by=editor, on=NOW)
    assert (factories.fresh(row).depot, row.state) == (one if has_twin else other, "waiting")


def test_values_that_the_survivor_took_stay_and_count_as_a_persons(one, other):
    Depot.objects.filter(pk=other.pk).update(phone="+48 600 000 000")
    merge(one, other, "phone")
    restore(other)
    assert (factories.fresh(one).phone, one.confirmed_fields) == ("+48 600 000 000", ["phone"])


@pytest.mark.parametrize(
    ("since", "status"),
    [("nothing", "unverified"), ("hours", "unverified"), ("checked", "verified"), ("claimed", "owner")],
)
def test_the_status_of_an_owner_goes_back_with_the_link(editor, one, other, since, status):
    one.save()  # with a line of history, as an import leaves it
    deciding.accept_submission(submission=ask(other, kind="claim"), by=editor, on=NOW)
    merge(one, other)
    assert factories.fresh(one).data_status == "owner"
    if since == "checked":
        moderation.verify_depot(depot=one, by=factories.UserFactory(), on=TODAY + timedelta(days=1))
    elif since == "hours":
        values = {"hours": None, "opening_hours": "pn.–pt. 8:00–16:00"}
        owner_links.change_hours(depot=one, values=values, on=NOW + timedelta(days=1))
    elif since == "claimed":
        owner_links.grant_link(depot=one, email="ewa@opal.example", on=NOW)
    restore(other)
    assert [factories.fresh(depot).data_status for depot in (one, other)] == [status, "owner"]
    assert factories.fresh(one).verified_at == (None if status == "unverified" else one.verified_at)


def test_an_equal_submission_that_waits_by_now_keeps_the_other_at_the_survivor(one, other):
    stayed, moved = ask(other), ask(other, state="unconfirmed", confirmed_at=None)
    ask(one)
    merge(one, other)
    Submission.objects.filter(depot=one, state="waiting").delete()
    Submission.objects.filter(pk=moved.pk).update(state="waiting", confirmed_at=NOW)
    restore(other)
    assert (of(one), of(other)) == ({moved}, {stayed})


@pytest.mark.parametrize("first", ["oldest", "newest"])
def test_of_a_chain_of_merges_each_gets_its_own_back(one, other, third, first):
    mine, its = factories.DepotPriceFactory(depot=one, fuel="brykiet"), factories.DepotPriceFactory(depot=other)
    merge(other, one)
    merge(third, other)
    assert of(third) == {mine, its}
    for depot in (one, other) if first == "oldest" else (other, one):
        restore(depot)
        if depot == other and first == "newest":
            # As before the second merge: the first one had been absorbed by this one.
            assert (factories.fresh(one).merged_into, of(other)) == (other, {mine, its})
            assert one.history.latest().history_change_reason == f"wrócono do wpisu {other.pk}"
    assert [of(depot) for depot in (one, other, third)] == [{mine}, {its}, set()]
    assert factories.fresh(one).merged_into is None


def test_a_twin_that_stayed_on_the_way_comes_back_too(one, other, third):
    price = factories.DepotPriceFactory(depot=one)
    merge(other, one)
    factories.DepotPriceFactory(depot=third)
    merge(third, other)
    assert of(other) == {price}
    restore(one)
    assert (of(one), of(other)) == ({price}, set())


def test_a_second_merge_is_remembered_anew(one, other, third):
    ours = factories.DepotPriceFactory(depot=other)
    merge(one, other)
    restore(other)
    later = factories.DepotPriceFactory(depot=other, fuel="brykiet")
    merge(third, factories.fresh(other))
    restore(other)
    assert of(other) == {ours, later}


def test_the_desk_says_beforehand_what_comes_back(client, editor, one, other):
    ask(other)
    factories.DepotPriceFactory(depot=other)
    merge(one, other)
    page, decide = (reverse(f"admin:catalog_depot_{name}", args=[other.pk]) for name in ("change", "decide"))
    text = client.get(page).content.decode()
    assert f"Na wpis {one.pk} przeszły: zgłoszenia: 1, odnośniki właścicieli: 0, ceny: 1. Po przywróceniu" in text
    client.post(decide, {"decision": "publish", "note": "to dwa"})
    assert len(of(other)) == 2
    assert "Po przywróceniu" not in client.get(page).content.decode()


def test_of_a_merge_that_was_not_remembered_the_desk_says_so_and_nothing_comes_back(client, editor, one, other):
    price = factories.DepotPriceFactory(depot=other)
    merge(one, other)
    Decision.objects.filter(kind="merge").delete()
    text = client.get(reverse("admin:catalog_depot_change", args=[other.pk])).content.decode().replace("\xa0", " ")
    assert f"Nie zapamiętano, co przeszło na wpis {one.pk}: po przywróceniu zgłoszenia i ceny zostaną przy nim." in text
    restore(other)
    assert of(one) == {price}
