"""Moderation of depots, edits that are refused, and decisions that are undone, each entry by itself."""

from datetime import date, timedelta
from functools import partial

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.db.models import ManyToOneRel
from django.urls import reverse

from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Decision, Depot, GoneReport, OwnerChange, Submission, SubmissionQuestion
from catalog.services import editing, editors, journal, merging, moderation, publishing
from catalog.submissions import decisions, intake, letters, owner_links
from catalog.submissions.gone_reports_and_subscriptions import report_gone
from catalog.submissions.tokens import LinkExpired
from fueldepot.data import history
from tests import bulk, deciding, factories, texts
from tests.beside import before_locking
from tests.catalog.admin.test_list import many
from tests.client import context_of, message_of
from tests.deciding import undo_at_the_desk, undo_nothing
from tests.factories import NOW, TODAY
from tests.pages.reading import missing

pytestmark = pytest.mark.django_db


def test_an_entry_that_was_erased_while_its_page_was_open_is_refused():
    editor = factories.UserFactory()
    depot, other, _ = factories.DepotFactory.create_batch(3)
    submission = factories.SubmissionFactory(depot=depot, unconfirmed=True)
    Depot.objects.filter(pk=depot.pk).delete()
    for act in (
        partial(editors.mark_viewing, depot=depot, by=editor, on=NOW),
        partial(editors.write_comment, case=depot, text="Zamknięty?", by=editor, on=NOW),
        partial(editors.write_comment, case=submission, text="Zamknięty?", by=editor, on=NOW),
        partial(merging.mark_distinct, one=depot, other=other, by=editor, at=NOW),
        partial(owner_links.request_link, depot=depot, email="ewa@example.pl", on=NOW),
        partial(editing.edit_depot, depot=depot, values={"place": "Kraków"}, by=editor, on=TODAY),
        partial(publishing.publish_depot, depot=depot, by=editor, on=TODAY),
        partial(merging.merge_depots, survivor=other, loser=depot, take=(), by=editor, on=TODAY),
        partial(report_gone, depot=depot, reason=GoneReport.Reason.CLOSED, email="", client="192.0.2.7", on=NOW),
    ):
        with pytest.raises(moderation.DepotIsErased):
            act()
    Submission.objects.filter(pk=submission.pk).delete()
    with pytest.raises(LinkExpired):
        intake.resend_link(submission=submission, on=NOW)
    with pytest.raises(LinkExpired):
        intake.correct_address(submission=submission, email="ewa@example.pl", client="192.0.2.1", on=NOW)


def test_an_address_is_corrected_even_if_the_former_submission_is_erased_meanwhile():
    submission = factories.SubmissionFactory(unconfirmed=True)
    with before_locking(lambda: Submission.objects.filter(pk=submission.pk).delete()):
        renewed = intake.correct_address(submission=submission, email="ewa@example.pl", client="192.0.2.1", on=NOW)
    assert list(Submission.objects.all()) == [renewed]


def test_owners_stay_owners_when_verified_and_withheld_entries_become_public_and_new_that_day():
    editor = factories.UserFactory()
    owned = factories.DepotFactory(data_status="owner", verified_at=date(2026, 1, 1), verified_by=editor)
    held = factories.DepotFactory(held=True, review="nazwa to imię i nazwisko")
    moderation.verify_depots(keys=[owned.pk, held.pk], by=editor, on=TODAY)
    for depot, status, updated in ((owned, "owner", date(2026, 10, 3)), (held, "verified", TODAY)):
        depot.refresh_from_db()
        assert (depot.data_status, depot.verified_at, depot.updated_at) == (status, TODAY, updated)
        assert (depot.publication, depot.review) == ("published", "")


def test_what_is_removed_is_neither_verified_nor_removed_again_and_restored_once():
    depot = moderation.remove_depot(depot=factories.DepotFactory(), reason=Depot.RemovalReason.CLOSED, on=TODAY)
    assert (depot.publication, depot.removed_at, depot.removal_reason) == ("removed", TODAY, "closed")
    with pytest.raises(moderation.DepotIsRemoved):
        moderation.verify_depot(depot=depot, by=factories.UserFactory(), on=TODAY)
    with pytest.raises(moderation.DepotIsRemoved):
        moderation.remove_depot(depot=depot, reason=Depot.RemovalReason.CLOSED, on=TODAY)
    depot = publishing.publish_depot(depot=depot, on=TODAY, note="działa dalej")
    assert (depot.publication, depot.removed_at, depot.removal_reason) == ("published", None, "")
    with pytest.raises(moderation.DepotIsUnverified):
        moderation.revoke_verification(depot=depot)
    with pytest.raises(moderation.DepotIsPublished):
        publishing.publish_depot(depot=depot, on=TODAY)


def count_rows_of_depots():
    """Return the number of rows in every table that refers to depots, by table and column."""
    relations = [row for row in Depot._meta.get_fields(include_hidden=True) if isinstance(row, ManyToOneRel)]
    tables = [(row.related_model, row.field.name) for row in relations]
    return {(model.__name__, name): model._base_manager.exclude(**{name: None}).count() for model, name in tables}


def fill_every_table(editor):
    first, second, third = factories.DepotFactory.create_batch(3, demonstration=True)
    question = {"text": "?", "asked_at": NOW, "asked_by": editor}
    SubmissionQuestion.objects.create(submission=factories.SubmissionFactory(depot=first), **question)
    owner_links.grant_link(depot=first, email="jan@opal.pl", on=NOW)
    owner_links.request_link(depot=first, email="jan@opal.pl", on=NOW)
    OwnerChange.objects.create(depot=first, made_at=NOW, text="x")
    factories.DepotPriceFactory(depot=first).save()
    editors.mark_viewing(depot=first, by=editor, on=NOW)
    editors.write_comment(case=first, text="Dzwoniłam.", by=editor, on=NOW)
    report_gone(depot=first, reason=GoneReport.Reason.CLOSED, email="", client="10.0.0.1", on=NOW)
    merging.mark_distinct(one=first, other=second, by=editor, at=NOW)
    merging.merge_depots(survivor=first, loser=third, take=[], by=editor, on=TODAY)


def remove_by_import():
    factories.BoundaryFactory()
    record = DepotRecord("node/1", "Skład", 50.0617, 19.9373)
    sync_depots(Extract([record]), Options(today=TODAY, write=True), origin=Depot.Source.OSM)


@pytest.mark.parametrize("remove", [partial(call_command, "remove_demo", verbosity=0), remove_by_import])
def test_demonstration_depots_go_with_every_row_that_refers_to_them(remove):
    fill_every_table(factories.UserFactory())
    empty = [relation for relation, count in count_rows_of_depots().items() if not count]
    assert empty == [], "fill_every_table writes no row here"
    remove()
    connection.check_constraints()
    assert set(count_rows_of_depots().values()) == {0}
    assert not Depot.history.exclude(id__in=Depot.objects.values("pk")).exists()
    assert not SubmissionQuestion.objects.exists()


def test_an_unknown_field_and_a_text_longer_than_its_column_are_refused_and_nothing_is_saved():
    (depot, other), editor = factories.DepotFactory.create_batch(2), factories.UserFactory()
    acts = []
    for name in ("hours", "data_status", "websit"):
        values = {"phone": "+48 601 234 567", name: "x"}
        acts.append(partial(editing.edit_depot, depot=depot, values=values, by=editor, on=TODAY))
        acts.append(partial(editing.apply, Depot(source="editor"), values))
    acts.append(partial(merging.merge_depots, survivor=depot, loser=other, take=[name], by=editor, on=TODAY))
    for act in acts:
        with pytest.raises(ValueError, match="not in tuple"):
            act()
    values = {"phone": "+48 601 234 567", "name": texts.too_long("name")}
    for change in (partial(editing.edit_depot, depot=depot), editing.add_depot):
        with pytest.raises(editing.ValueRefused):
            change(values=values, by=editor, on=TODAY)
    assert set(Depot.objects.values_list("phone", "publication")) == {("", "published")}


DEPOTS = reverse("admin:catalog_depot_changelist")


def first():
    return Decision.objects.earliest("pk")


def rows(*depots):
    return list(Depot.objects.filter(pk__in=[depot.pk for depot in depots]).order_by("pk").values())


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
    assert f"Składy opału: {batch.lines.count()}." in message_of(undo_at_the_desk(client, batch))
    assert (rows(*depots), factories.fresh(batch).undone_by) == (before, editor)
    newest = Depot.history.filter(history_change_reason__startswith=journal.UNDONE)
    assert (newest.count(), set(newest.values_list("history_user", flat=True))) == (batch.lines.count(), {editor.pk})
    assert "cofnięto już wcześniej" in message_of(undo_at_the_desk(client, batch))
    assert rows(*depots) == before


def test_what_somebody_has_decided_since_stays_and_another_field_that_changed_since(client, editor):
    restored, owners, checked = various()
    bulk.act(client, DEPOTS, "remove_closed", restored, owners, checked)
    publishing.publish_depot(depot=restored, by=editor, on=TODAY, note="działa")
    publishing.publish_depot(depot=owners, by=editor, on=TODAY, note="działa")
    moderation.remove_depot(depot=owners, reason=Depot.RemovalReason.OWNER, by=editor, on=TODAY)
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
    return Decision.objects.latest("pk")


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
    for decision in Decision.objects.filter(pk__gt=change.pk).order_by("-pk"):
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
    for decision, confirmed in ((check, Depot.stated(values)), (change, set())):
        journal.undo(decision=decision, by=editor, on=NOW)
        assert {*factories.fresh(depot).confirmed_fields} == confirmed


def test_what_undoing_a_decision_left_is_still_confirmed_by_it(editor):
    depots = [factories.DepotFactory(), factories.DepotFactory(lat=50.1)]
    rows = [factories.SubmissionFactory(depot=depot) for depot in depots]
    accepted = decisions.decide_possible(submissions=[row.pk for row in rows], by=editor, on=NOW).decision
    change = edit(depots[0], editor, phone="+48 12 345 67 89")
    assert depots[0] in journal.undo(decision=accepted, by=editor, on=NOW).left
    journal.undo(decision=change, by=editor, on=NOW)
    assert [factories.fresh(depot).phone for depot in depots] == ["+48 601 234 567", ""]
    assert [depot.confirmed_fields for depot in depots] == [["phone"], []]


def test_a_check_that_an_earlier_release_has_undone_keeps_nothing(editor):
    depot = factories.DepotFactory()
    change = edit(depot, editor, phone="+48 12 345 67 89")
    journal.undo(decision=moderation.verify_depots(keys=[depot.pk], by=editor, on=TODAY).decision, by=editor, on=NOW)
    Decision.objects.update(undoing=None)  # as those of 1.1 became decisions
    journal.undo(decision=change, by=editor, on=NOW)
    assert (factories.fresh(depot).phone, depot.confirmed_fields) == ("", [])


def test_a_check_does_not_come_back_to_an_entry_that_an_import_has_changed_since(editor):
    depot = factories.DepotFactory()
    history.record_bulk(Depot, [depot.pk], by=None, reason=history.IMPORTED)
    moderation.verify_depot(depot=depot, by=editor, on=TODAY)
    reset = moderation.reset_depots(keys=[depot.pk], by=editor, note="sprawdzenie od nowa").decision
    Depot.objects.update(phone="+48 12 345 67 89")
    history.record_bulk(Depot, [depot.pk], by=None, reason=history.IMPORTED)
    undo_nothing(reset, editor, depot)
    assert (factories.fresh(depot).data_status, depot.confirmed_fields) == ("unverified", [])


def test_what_waits_is_closed_with_a_letter_and_waits_again(client, editor):
    depot = factories.DepotFactory(name="Skład Nowak")
    waiting = factories.SubmissionFactory(depot=depot)
    claim = factories.SubmissionFactory(depot=depot, claim=True)
    factories.SubmissionFactory(depot=depot, unconfirmed=True)
    said = message_of(bulk.act(client, DEPOTS, "remove_not_a_depot", depot))
    assert "Zamknięte zgłoszenia: 2. Autor każdego dostanie list." in said
    letters.send_waiting()
    assert {letter.to[0] for letter in mail.outbox} == {waiting.email, claim.email}
    assert "Powód: to nie jest skład opału." in mail.outbox[0].body
    assert set(Submission.objects.values_list("state", "notification_pending")) == {("superseded", False)}
    assert "Zgłoszenia, które znów czekają: 2." in message_of(undo_at_the_desk(client, first()))
    assert set(Submission.objects.waiting()) == {waiting, claim}


@pytest.mark.parametrize("is_new", [True, False])
def test_what_was_sent_about_an_entry_that_undoing_removes_is_closed_with_a_letter(editor, is_new):
    if is_new:
        place = {"name": "Nowy", "lat": 50.06, "lon": 19.94, "municipality": factories.krakow().pk}
        depot = editing.add_depot(values=place, by=editor, on=TODAY)
    else:
        depot = factories.DepotFactory(removed=True)
        publishing.publish_depot(depot=depot, by=editor, on=TODAY, note="działa")
    waiting = factories.SubmissionFactory(depot=depot)
    undone = journal.undo(decision=first(), by=editor, on=NOW)
    assert (factories.fresh(depot).publication, undone.left) == ("removed", [])
    assert (factories.fresh(waiting).state, waiting.notification_pending) == ("superseded", True)
    assert undone.record.lines.filter(model="catalog.submission", key=waiting.pk).exists()


def test_a_survivor_that_takes_nothing_keeps_its_status_and_its_days(editor):
    survivor, loser = factories.DepotFactory(verified=True), factories.DepotFactory()
    before = rows(survivor)
    merging.merge_depots(survivor=survivor, loser=loser, take=[], by=editor, on=TODAY + timedelta(days=1))
    assert rows(survivor) == before


def test_an_undone_merge_publishes_a_loser_whose_former_values_no_history_has(editor):
    survivor, loser = factories.DepotFactory.create_batch(2)
    loser.history.all().delete()
    merge = merging.merge_depots(survivor=survivor, loser=loser, take=[], by=editor, on=TODAY)
    journal.undo(decision=merge, by=editor, on=NOW)
    assert (factories.fresh(loser).publication, loser.merged_into) == ("published", None)


def test_a_decision_without_a_reason_changes_nothing(client, editor):
    depot = factories.DepotFactory(verified=True, held=True)
    before = rows(depot)
    for action in ("reset", "publish", "remove_closed"):
        assert "ta decyzja wymaga podania powodu" in message_of(bulk.act(client, DEPOTS, action, depot, reason=" \t"))
    assert rows(depot) == before
    assert not Decision.objects.exists()


def test_an_editor_takes_back_only_what_is_their_own(client, editor):
    depot = factories.DepotFactory()
    batch = moderation.verify_depots(keys=[depot.pk], by=factories.UserFactory(), on=TODAY).decision
    page = deciding.page(batch)
    assert "Cofnij całość" not in client.get(page).content.decode()
    assert undo_at_the_desk(client, batch).status_code == 403
    assert factories.fresh(depot).data_status == "verified"
    client.force_login(factories.member(editors.CHIEF, "naczelna"))
    assert "Cofnij całość" in client.get(page).content.decode()
    undo_at_the_desk(client, batch)
    assert factories.fresh(depot).data_status == "unverified"


def test_many_added_depots_are_taken_back_in_as_many_statements_as_one(editor, django_assert_max_num_queries):
    with journal.recording(Decision.Kind.SUBMISSION, by=editor, title="Przyjęto") as record:
        for depot in many(20):
            moderation.save(depot, by=editor, reason="dodano")
        Depot.history.update(history_type=history.CREATED)
    with django_assert_max_num_queries(22):
        undone = journal.undo(decision=record.decision, by=editor, on=record.decision.decided_at)
    assert (undone.restored, undone.left) == (20, [])
    assert not Depot.objects.published().exists()


def test_a_decision_names_any_number_of_rows(editor):
    keys = range(1, 65_535 // 6 + 2)  # a line takes six of the parameters that a statement may have
    with journal.recording(Decision.Kind.PRICES, by=editor, title="Zatwierdzono ceny") as record:
        record.concern(Depot, keys)
    assert record.decision.lines.count() == len(keys)


def test_the_list_of_batches_filters_and_removed_entries_filter_by_reason(client, editor):
    assert editor.has_perm("catalog.view_decision")
    reasons = {"closed": "closed", "duplicate": "duplicate", "not_a_depot": "not_a_depot", "private": "private_person"}
    for action, reason in reasons.items():
        bulk.act(client, DEPOTS, f"remove_{action}", depot := factories.DepotFactory(name=action))
        assert list(context_of(client, DEPOTS, {"removal_reason__exact": reason})["cl"].result_list) == [depot]
    undo_at_the_desk(client, first())
    listing = reverse("admin:catalog_decision_changelist")
    assert [len(context_of(client, listing, {"undone": which})["cl"].result_list) for which in ("no", "yes")] == [4, 1]
