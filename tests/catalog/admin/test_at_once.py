"""Editors who decide at the same moment, each with a connection of their own: nobody's work is lost, nothing fails."""

from functools import partial

import pytest

from catalog.models import Decision, Depot
from catalog.services import editing, journal, merging, moderation, publishing
from tests import deciding, factories
from tests.beside import at_once
from tests.factories import NOW, TODAY

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_of_two_forms_opened_together_one_is_refused():
    editor, depot = factories.UserFactory(), factories.DepotFactory()
    opened = editing.edit_version(depot)

    def edit(place):
        return lambda: (
            editing.edit_depot(depot=depot, values={"place": place}, by=editor, on=TODAY, opened=opened).place
        )

    outcomes = at_once(edit("Kraków"), edit("Wieliczka"))
    assert set(outcomes) == {factories.fresh(depot).place, "DepotEditConflict"}


def test_overlapping_choices_are_checked_without_a_deadlock():
    editor = factories.UserFactory()
    keys = [factories.DepotFactory().pk for _ in range(40)]

    def verify(chosen):
        return lambda: moderation.verify_depots(keys=chosen, by=editor, on=TODAY).count

    assert at_once(verify(keys[:30]), verify(keys[:9:-1])) == [30, 30]
    assert Depot.objects.filter(data_status="verified").count() == 40


def test_two_merges_of_one_pair_in_opposite_directions_leave_one_depot():
    editor = factories.UserFactory()
    one, other = factories.DepotFactory(), factories.DepotFactory()

    def merge(survivor, loser):
        done = partial(merging.merge_depots, survivor=survivor, loser=loser, take=(), by=editor, on=TODAY)
        return lambda: done().details["survivor"]

    outcomes = at_once(merge(one, other), merge(other, one))
    assert outcomes.count("DepotIsRemoved") == 1
    assert Depot.objects.published().get().pk in outcomes


def test_a_submission_decided_while_its_depot_is_merged_is_decided_about_the_survivor_or_before():
    editor = factories.UserFactory()
    one, other = factories.DepotFactory(), factories.DepotFactory()
    submission = factories.SubmissionFactory(depot=other, proposed={"place": "Wieliczka"}, stored={"place": ""})

    def accept():
        return len(deciding.accept_submission(submission=submission, by=editor, on=NOW).changed)

    def merge():
        return merging.merge_depots(survivor=one, loser=other, take=(), by=editor, on=TODAY).details["survivor"]

    assert at_once(accept, merge) == [1, one.pk]
    assert (factories.fresh(submission).state, submission.depot_id) == ("accepted", one.pk)
    assert "Wieliczka" in Depot.objects.values_list("place", flat=True)


def test_of_two_clicks_at_once_one_undoes():
    ewa, adam = factories.UserFactory(username="ewa"), factories.UserFactory(username="adam")
    one, other = factories.DepotFactory(), factories.DepotFactory()
    merging.merge_depots(survivor=one, loser=other, take=[], by=ewa, on=TODAY)
    decision = Decision.objects.get()
    other.refresh_from_db()

    def undo_it():
        return journal.undo(decision=decision, by=adam, on=NOW).restored

    def publish_it():
        return publishing.publish_depot(depot=other, on=TODAY, by=ewa, note="działa").pk

    assert sorted(map(str, at_once(undo_it, undo_it))) == ["2", "DecisionAlreadyUndone"]
    merging.merge_depots(survivor=one, loser=other, take=[], by=ewa, on=TODAY)
    decision = Decision.objects.filter(kind="merge").latest("pk")
    other.refresh_from_db()
    outcomes = set(map(str, at_once(undo_it, publish_it)))
    assert outcomes in ({"2", "DepotIsPublished"}, {str(other.pk), "DecisionAlreadyUndone"})
