"""Bulk decisions are taken back as a whole, entry by entry as it was."""

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.urls import reverse

from catalog import models
from catalog.services import editing, journal, moderation, publishing
from catalog.services.editors import CHIEF, EDITOR
from catalog.submissions import decisions, letters
from fueldepot.data import history
from tests import bulk, deciding, factories
from tests.catalog.admin.test_list import many
from tests.client import context_of, message_of
from tests.deciding import undo_at_the_desk, undo_nothing
from tests.factories import NOW, TODAY
from tests.pages.reading import missing

pytestmark = pytest.mark.django_db

DEPOTS = reverse("admin:catalog_depot_changelist")


def first():
    return models.Decision.objects.earliest("pk")


def rows(*depots):
    return list(models.Depot.objects.filter(pk__in=[depot.pk for depot in depots]).order_by("pk").values())


def various():
    """Entries in states that differ, each with its line of history."""
    return [
        factories.DepotFactory(name="Nieweryfikowany", confirmed_fields=["phone"]),
        factories.DepotFactory(name="Sprawdzony", verified=True, lat=50.1),
        factories.DepotFactory(name="Wstrzymany", held=True, review="nazwa to imię i nazwisko", lat=50.2),
    ]


@pytest.mark.parametrize("action", ["verify", "reset", "publish", "remove_closed", "remove_private"])
def test_one_click_takes_a_whole_batch_back(client, editor, action):
    depots = various()
    before = rows(*depots)
    assert "Cofnij całość" in message_of(bulk.act(client, DEPOTS, action, *depots, reason="Kontrola  w terenie."))
    batch = first()
    assert rows(*depots) != before
    if action != "verify":
        assert batch.reason == "Kontrola w terenie."
    said = message_of(undo_at_the_desk(client, batch))
    assert f"Składy opału: {batch.lines.count()}." in said
    assert rows(*depots) == before
    assert factories.fresh(batch).undone_by == editor
    newest = models.Depot.history.filter(history_change_reason__startswith=journal.UNDONE)
    assert (newest.count(), set(newest.values_list("history_user", flat=True))) == (batch.lines.count(), {editor.pk})
    assert "cofnięto już wcześniej" in message_of(undo_at_the_desk(client, batch))
    assert rows(*depots) == before


def test_what_somebody_has_decided_since_stays_and_another_field_that_changed_since(client, editor):
    restored, owners, checked = various()
    bulk.act(client, DEPOTS, "remove_closed", restored, owners, checked)
    publishing.publish_depot(depot=restored, by=editor, on=TODAY, note="działa")
    publishing.publish_depot(depot=owners, by=editor, on=TODAY, note="działa")
    moderation.remove_depot(depot=owners, reason=models.Depot.RemovalReason.OWNER, by=editor, on=TODAY)
    editing.edit_depot(depot=factories.fresh(checked), values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY)
    later = rows(restored, owners)
    said = message_of(undo_at_the_desk(client, first()))
    assert not missing(said, "Składy opału: 1.", "ktoś je zmienił albo sprawdził: 2.")
    assert rows(restored, owners) == later
    assert (factories.fresh(checked).publication, checked.phone) == ("held", "+48 12 345 67 89")
    assert checked.updated_at == TODAY


@pytest.mark.parametrize("last", ["phone", "website"])
def test_a_field_is_confirmed_no_longer_in_whichever_order_changes_are_undone(editor, last):
    depot = factories.DepotFactory(verified=True)
    before = rows(depot)[0]
    moderation.reset_depots(keys=[depot.pk], by=editor, note="sprawdzenie od nowa")
    changes = {"phone": "+48 12 345 67 89", "website": "https://example.pl"}
    decisions = {name: edit(depot, editor, **{name: value}) for name, value in changes.items()}
    journal.undo(decision=decisions.pop("website" if last == "phone" else "phone"), by=editor, on=NOW)
    # The day of the content does not go back before a change that stays.
    left = factories.fresh(depot).confirmed_fields, depot.phone, depot.website, depot.updated_at
    assert left == ([last], *(value if name == last else "" for name, value in changes.items()), TODAY)
    journal.undo(decision=decisions.pop(last), by=editor, on=NOW)
    assert factories.fresh(depot).confirmed_fields == []
    journal.undo(decision=first(), by=editor, on=NOW)
    day = before["updated_at"] if last == "phone" else TODAY  # of a change that stayed longer than the one before it
    assert rows(depot) == [before | {"updated_at": day}]


def edit(depot, editor, **values):
    editing.edit_depot(depot=factories.fresh(depot), values=values, by=editor, on=TODAY)
    return models.Decision.objects.latest("pk")


@pytest.mark.parametrize("checked", ["whole", "with a correction", "the same value again", "by another author"])
def test_a_value_that_somebody_has_checked_since_stays(editor, checked):
    depot = factories.DepotFactory(verified=True, verified_at=TODAY, verified_by=editor, confirmed_fields=["website"])
    change = edit(depot, editor, phone="+48 12 345 67 89")
    if checked == "whole":
        moderation.verify_depot(depot=depot, by=editor, on=TODAY)
    elif checked == "with a correction":
        row = factories.SubmissionFactory(depot=depot, proposed={"website": "https://example.pl"})
        deciding.accept_submission(submission=row, verify=True, by=editor, on=NOW)
    elif checked == "by another author":
        row = factories.SubmissionFactory(depot=depot, proposed={"phone": "+48 12 345 67 89"})
        deciding.accept_submission(submission=row, by=editor, on=NOW)
    else:
        for phone in ("", "+48 12 345 67 89"):
            edit(depot, editor, phone=phone)
    undo_nothing(change, editor, depot)
    assert factories.fresh(depot).phone == "+48 12 345 67 89"
    for decision in models.Decision.objects.filter(pk__gt=change.pk).order_by("-pk"):
        journal.undo(decision=decision, by=editor, on=NOW)
    journal.undo(decision=change, by=editor, on=NOW)
    assert (factories.fresh(depot).phone, depot.confirmed_fields) == ("", ["website"])


def test_an_entry_that_was_checked_twice_stays_checked_when_the_first_check_is_undone(editor):
    depot = factories.DepotFactory()
    first, second = (moderation.verify_depots(keys=[depot.pk], by=editor, on=TODAY).decision for _ in "12")
    undo_nothing(first, editor, depot)
    for decision in (second, first):
        journal.undo(decision=decision, by=editor, on=NOW)
    assert (factories.fresh(depot).data_status, depot.confirmed_fields) == ("unverified", [])


@pytest.mark.parametrize("values", [{"phone": "+48 12 345 67 89"}, {"municipality": "1217011"}, {"lat": 50.07}])
def test_a_field_is_confirmed_as_long_as_a_decision_stands_that_vouches_for_it(editor, values):
    depot, _ = factories.DepotFactory(), factories.zakopane()
    check = moderation.verify_depots(keys=[depot.pk], by=editor, on=TODAY).decision
    change = edit(depot, editor, **values)
    for decision, confirmed in ((check, models.Depot.stated(values)), (change, set())):
        journal.undo(decision=decision, by=editor, on=NOW)
        assert {*factories.fresh(depot).confirmed_fields} == confirmed


def test_what_undoing_a_decision_left_is_still_confirmed_by_it(editor):
    depots = [factories.DepotFactory(), factories.DepotFactory(lat=50.1)]
    rows = [factories.SubmissionFactory(depot=depot) for depot in depots]
    accepted = decisions.decide_possible(submissions=[row.pk for row in rows], by=editor, on=NOW).record.decision
    change = edit(depots[0], editor, phone="+48 12 345 67 89")
    assert depots[0] in journal.undo(decision=accepted, by=editor, on=NOW).left
    journal.undo(decision=change, by=editor, on=NOW)
    assert [factories.fresh(depot).phone for depot in depots] == ["+48 601 234 567", ""]
    assert [depot.confirmed_fields for depot in depots] == [["phone"], []]


def test_a_check_that_an_earlier_release_has_undone_keeps_nothing(editor):
    depot = factories.DepotFactory()
    change = edit(depot, editor, phone="+48 12 345 67 89")
    check = moderation.verify_depots(keys=[depot.pk], by=editor, on=TODAY).decision
    journal.undo(decision=check, by=editor, on=NOW)
    models.Decision.objects.update(undoing=None)  # as those of 1.1 became decisions
    journal.undo(decision=change, by=editor, on=NOW)
    assert (factories.fresh(depot).phone, depot.confirmed_fields) == ("", [])


def test_a_check_does_not_come_back_to_an_entry_that_an_import_has_changed_since(editor):
    depot = factories.DepotFactory(verified=True)
    reset = moderation.reset_depots(keys=[depot.pk], by=editor, note="sprawdzenie od nowa").decision
    models.Depot.objects.update(phone="+48 12 345 67 89")
    history.record_bulk(models.Depot, [depot.pk], by=None, reason=history.IMPORTED)
    undo_nothing(reset, editor, depot)
    assert (factories.fresh(depot).data_status, depot.confirmed_fields) == ("unverified", [])


def test_what_waits_is_closed_with_a_letter_and_waits_again(client, editor):
    depot = factories.DepotFactory(name="Skład Nowak")
    waiting = factories.SubmissionFactory(depot=depot)
    claim = factories.SubmissionFactory(depot=depot, claim=True)
    unconfirmed = factories.SubmissionFactory(depot=depot, unconfirmed=True)
    said = message_of(bulk.act(client, DEPOTS, "remove_not_a_depot", depot))
    assert "Zamknięte zgłoszenia: 2. Ich autorzy dostaną listy." in said
    letters.send_waiting()
    assert {letter.to[0] for letter in mail.outbox} == {waiting.email, claim.email}
    assert "Powód: to nie jest skład opału." in mail.outbox[0].body
    assert set(models.Submission.objects.values_list("state", "notification_pending")) == {("superseded", False)}
    again = factories.SubmissionFactory(depot=depot, claim=True, email=claim.email, email_hash=claim.email_hash)
    said = message_of(undo_at_the_desk(client, first()))
    assert "Zgłoszenia, które znów czekają: 1." in said
    states = dict(models.Submission.objects.values_list("pk", "state"))
    assert states == {waiting.pk: "waiting", claim.pk: "superseded", unconfirmed.pk: "superseded", again.pk: "waiting"}


def test_a_decision_without_a_reason_changes_nothing(client, editor):
    depot = factories.DepotFactory(verified=True, held=True)
    before = rows(depot)
    for action in ("reset", "publish", "remove_closed"):
        said = message_of(bulk.act(client, DEPOTS, action, depot, reason=" \t"))
        assert "ta decyzja wymaga podania powodu" in said
    assert rows(depot) == before
    assert not models.Decision.objects.exists()


def test_an_editor_takes_back_only_what_is_their_own(client, editor):
    depot = factories.DepotFactory()
    batch = moderation.verify_depots(keys=[depot.pk], by=factories.UserFactory(), on=TODAY).decision
    page = reverse("admin:catalog_decision_change", args=[batch.pk])
    assert "Cofnij całość" not in client.get(page).content.decode()
    assert undo_at_the_desk(client, batch).status_code == 403
    assert factories.fresh(depot).data_status == "verified"
    client.force_login(factories.member(CHIEF, "naczelna"))
    assert "Cofnij całość" in client.get(page).content.decode()
    undo_at_the_desk(client, batch)
    assert factories.fresh(depot).data_status == "unverified"


def test_many_added_depots_are_taken_back_in_as_many_statements_as_one(editor, django_assert_max_num_queries):
    with journal.recording(models.Decision.Kind.SUBMISSION, by=editor, title="Przyjęto") as record:
        for depot in many(20):
            moderation.save(depot, by=editor, reason="dodano")
        models.Depot.history.update(history_type=history.CREATED)
    with django_assert_max_num_queries(20):
        undone = journal.undo(decision=record.decision, by=editor, on=record.decision.decided_at)
    assert (undone.restored, undone.left) == (20, [])
    assert not models.Depot.objects.published().exists()


def test_the_list_of_batches_filters_and_removed_entries_filter_by_reason(client, editor):
    assert Group.objects.get(name=EDITOR).permissions.filter(codename="view_decision").exists()
    reasons = {"closed": "closed", "duplicate": "duplicate", "not_a_depot": "not_a_depot", "private": "private_person"}
    for action, reason in reasons.items():
        bulk.act(client, DEPOTS, f"remove_{action}", depot := factories.DepotFactory(name=action))
        assert list(context_of(client, DEPOTS, {"removal_reason__exact": reason})["cl"].result_list) == [depot]
    undo_at_the_desk(client, first())
    listing = reverse("admin:catalog_decision_changelist")
    assert [len(context_of(client, listing, {"undone": which})["cl"].result_list) for which in ("no", "yes")] == [4, 1]
