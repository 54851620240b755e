"""Decisions that are undone while somebody else decides or confirms about the same."""

import time
from functools import partial

import pytest
from django.db import transaction

from catalog.models import Depot
from catalog.services import editors, journal, merging, publishing
from catalog.submissions import letters, limits
from prices import services
from prices.submissions import decide_visit
from tests import deciding, factories
from tests.beside import begin_blocked, beside, held_up
from tests.catalog.submissions.test_at_once import confirming
from tests.factories import NOW, TODAY

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def editor(monkeypatch):
    monkeypatch.setattr(letters, "send_soon", lambda: None)
    return factories.UserFactory()


def undoing(editor):
    """An act that undoes the last decision."""
    return partial(journal.undo, decision=deciding.last(), by=editor, on=NOW)


def test_who_undoes_a_claim_waits_for_who_restores_the_merged_entry_of_the_same_owner(editor):
    """The link of the owner moves back, and the claim gets a line about the other link."""
    kept, gone = factories.DepotFactory.create_batch(2)

    def accept_claim(depot):
        claim = factories.SubmissionFactory(depot=depot, claim=True, email="jan@opal.pl")
        deciding.accept_submission(submission=claim, by=editor, on=NOW)

    accept_claim(gone)
    merging.merge_depots(survivor=kept, loser=gone, take=(), by=editor, on=TODAY)
    accept_claim(kept)
    restore = partial(publishing.publish_depot, depot=gone, on=TODAY, by=editor, note="działa")
    with held_up(Depot.objects.all(), restore):
        undone = beside(undoing(editor))
        time.sleep(0.2)  # locks what is free
    assert undone.result(30).restored
    statuses = [factories.fresh(depot).data_status for depot in (kept, gone)]
    assert statuses == ["unverified", "owner"]


def test_who_decides_or_undoes_a_price_waits_for_who_merges_its_depot_before_any_row_is_locked(editor):
    """The merge moves the price to the survivor, which the restoring of a merged depot locks first."""
    price = factories.DepotPriceFactory(pending=True)
    price.save()

    def waits(act):
        with transaction.atomic():
            limits.wait_for_turn(limits.MERGING)
            (waiting,) = begin_blocked(act)
            assert len(Depot.objects.select_for_update(of=("self",), nowait=True)) == 1
        return waiting.result(30)

    by = {"by": editor, "on": NOW}
    assert waits(partial(services.approve_prices, prices=[price], **by)).changed
    assert waits(undoing(editor)).restored == 1
    assert waits(partial(decide_visit, parts=[], prices={price.pk: False}, reason="Nie.", **by))[0] == 1
    assert not waits(partial(services.reject_prices, prices=[price], reason="Nie.", **by)).changed


def test_a_voivodeship_that_another_takes_meanwhile_is_not_given_back(editor):
    adam, voivodeship = factories.UserFactory(username="adam"), factories.krakow().voivodeship
    claim = editors.take_voivodeship(voivodeship=voivodeship, by=editor, on=NOW)
    editors.release_voivodeship(claim=claim, by=editor, on=NOW)
    undo = undoing(editor)
    with transaction.atomic():
        editors.take_voivodeship(voivodeship=voivodeship, by=adam, on=NOW)
        (undone,) = begin_blocked(undo)
    with pytest.raises(journal.NothingToRestore):
        undone.result(30)


@pytest.fixture
def new_depot(editor):
    """Two forms of one author about one missing depot: a rejected one, and an act that confirms the later one."""
    values = {"add": True, "subject": "opal | krakow", "email": "jan@opal.pl"}
    rejected = factories.SubmissionFactory(**values)
    deciding.reject_submission(submission=rejected, by=editor, on=NOW, reason="Nie.")
    return rejected, confirming(factories.SubmissionFactory(**values, unconfirmed=True))


def test_a_new_depot_that_is_confirmed_while_an_earlier_form_is_reopened_takes_its_place(editor, new_depot):
    earlier, confirm = new_depot
    with transaction.atomic():
        undoing(editor)()
        (confirmed,) = begin_blocked(confirm)
    assert (confirmed.result(30).state, factories.fresh(earlier).state) == ("waiting", "superseded")


def test_a_form_about_a_new_depot_is_not_reopened_while_a_later_one_is_confirmed(editor, new_depot):
    with transaction.atomic():
        new_depot[1]()
        (undone,) = begin_blocked(undoing(editor))
    with pytest.raises(journal.NothingToRestore):
        undone.result(30)
