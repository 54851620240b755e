"""What people do to depots, and what edits them refuses."""

from datetime import date
from functools import partial

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import ManyToOneRel

from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Depot, GoneReport, OwnerChange, Submission, SubmissionQuestion
from catalog.services import editing, editors, merging, moderation, publishing
from catalog.submissions import intake, owner_links
from catalog.submissions.gone_reports_and_subscriptions import report_gone
from catalog.submissions.tokens import LinkExpired
from tests import factories, texts
from tests.beside import before_locking
from tests.factories import NOW, TODAY

pytestmark = pytest.mark.django_db


def test_an_entry_that_was_erased_while_its_page_was_open_is_refused():
    editor = factories.UserFactory()
    depot, other = factories.DepotFactory(), factories.DepotFactory()
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
    """Write a row of every kind about demonstration depots."""
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


def test_an_unknown_field_is_refused_and_nothing_is_saved():
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
    assert set(Depot.objects.values_list("phone", "publication")) == {("", "published")}


def test_a_text_longer_than_its_column_is_refused_and_nothing_is_saved():
    depot, editor = factories.DepotFactory(), factories.UserFactory()
    for name in texts.LIMITS:
        values = {"house_number": "7", name: texts.too_long(name)}
        with pytest.raises(editing.ValueRefused):
            editing.edit_depot(depot=depot, values=values, by=editor, on=TODAY)
        with pytest.raises(editing.ValueRefused):
            editing.add_depot(values=values, by=editor, on=TODAY)
        assert Depot.objects.get().house_number == ""
    longest = {name: texts.longest(name) for name in texts.LIMITS}
    editing.edit_depot(depot=depot, values=longest, by=editor, on=TODAY)
    assert Depot.objects.values(*longest).get() == longest
