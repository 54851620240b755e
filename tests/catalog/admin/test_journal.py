"""The journal at the desk: who decided what, in words, with values before and after; search, days, CSV, counts."""

import csv
import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from catalog.models import Dataset, Decision, Depot, Draft, NotDuplicate
from catalog.services import editing, journal, merging, moderation, publishing
from catalog.services.editors import CHIEF
from fueldepot.data import history
from prices import owners
from prices import services as prices
from prices.models import DepotPrice, PlausibleRange
from regulations.models import Deadline
from tests import deciding, factories
from tests.catalog.admin.test_drafts import draft_of
from tests.client import context_of, message_of
from tests.deciding import last, undo_at_the_desk, undo_nothing
from tests.drafts import approve
from tests.factories import NOW, TODAY
from tests.pages.reading import html_of, missing, present, text_of
from tests.regulations.factories import DeadlineFactory

pytestmark = pytest.mark.django_db

JOURNAL = reverse("admin:catalog_decision_changelist")
DAYS = reverse("admin:catalog_decision_days")
QUOTE = prices.PriceInput("pellet", TODAY, "t", price=Decimal(1500))


def recorded(editor):
    """A decision about what is written in the block."""
    return journal.recording(Decision.Kind.DRAFT, by=editor, title="Zmiana")


@pytest.fixture
def one(db):
    return factories.DepotFactory(name="Jeden", phone="")


@pytest.fixture
def other(db):
    return factories.DepotFactory(name="Dwa", phone="+48 1")


def test_decisions_about_depots_and_prices_stand_on_one_page_and_are_searched_and_cut(client, editor):
    depot, adam = factories.DepotFactory(name="Skład <b>Nowak</b>"), factories.UserFactory(username="adam")
    moderation.remove_depot(depot=depot, reason=Depot.RemovalReason.CLOSED, by=editor, on=TODAY)
    removal = last()
    price = factories.DepotPriceFactory(pending=True, price=Decimal("1499.50"), depot=factories.DepotFactory(name="B"))
    prices.reject_prices(prices=[price], reason="zła jednostka", by=adam, on=NOW - timedelta(days=400))
    text = text_of(client.get(JOURNAL))
    assert "Usunięto: Skład <b>Nowak</b> – skład zakończył działalność" in text
    assert "Odrzucono ceny: B – pellet 1 499,50 zł/t" in text
    for query, expected in (
        ({}, [removal, last()]),
        ({"q": "zła jednostka"}, [last()]),
        ({"q": f"#{depot.pk}"}, [removal]),
        ({"decided_by__id__exact": adam.pk}, [last()]),
        ({"kind__exact": "remove"}, [removal]),
        ({"decided_at__year": NOW.year - 1}, [last()]),
    ):
        assert list(context_of(client, JOURNAL, query)["cl"].result_list) == expected, query
    assert client.get(JOURNAL, {"decided_by__id__exact": "x"}).status_code == 302


def test_a_single_change_shows_the_values_before_and_after(client, editor):
    depot = factories.DepotFactory(verified=True, phone="")
    editing.edit_depot(depot=depot, values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY, verify=True)
    assert last().title == f"Zmieniono: {depot.name} – telefon"
    for page in (JOURNAL, deciding.page(last())):
        assert "telefon: – → +48 12 345 67 89" in text_of(client.get(page))


def test_a_page_holds_a_hundred_in_a_fixed_number_of_queries(client, editor, django_assert_max_num_queries):
    for number in range(20):
        moderation.verify_depots(keys=[factories.DepotFactory(name=f"Skład {number:03}").pk], by=editor, on=TODAY)
    values = {"kind": "edit", "title": "Zmieniono", "decided_at": NOW, "decided_by": editor}
    Decision.objects.bulk_create(Decision(**values) for _ in range(100))
    client.get(JOURNAL)
    with django_assert_max_num_queries(16):
        assert len(context_of(client, JOURNAL)["cl"].result_list) == 100
    with django_assert_max_num_queries(16):
        client.get(deciding.page(last()))


def test_the_rows_of_a_decision_stand_on_pages_of_a_hundred(client, editor, django_assert_max_num_queries):
    depots = factories.DepotFactory.create_batch(101)
    decision = moderation.verify_depots(keys=[depot.pk for depot in depots], by=editor, on=TODAY).decision
    for number, rows in (("", depots[:100]), ("2", depots[100:]), ("x", depots[:100]), ("9", depots[100:])):
        # Session, user, two for rights; decision, its models; five for what stays; count, rows; their names and values.
        with django_assert_max_num_queries(4 + 2 + 5 + 2 + 4):
            text = text_of(client.get(deciding.page(decision), {"p": number}))
        assert not missing(text, "Wiersze 101", f"Pokazano {len(rows)} z 101.", *map(str, rows)), number
        assert not present(text, *(str(depot) for depot in depots if depot not in rows)), number
    undo_at_the_desk(client, decision)
    assert not Depot.objects.exclude(data_status="unverified").exists()


def test_only_the_histories_of_entries_that_have_changed_since_are_read_to_name_what_stays(editor, monkeypatch):
    depots, reading = factories.DepotFactory.create_batch(2), []
    check = moderation.verify_depots(keys=[depot.pk for depot in depots], by=editor, on=TODAY).decision
    moderation.verify_depot(depot=depots[0], by=editor, on=TODAY)
    read_lines = journal.read_lines
    monkeypatch.setattr(journal, "read_lines", lambda keys: reading.extend(keys) or read_lines(keys))
    assert journal.find_changed_since(check) == depots[:1]
    assert reading == [depots[0].pk]


def test_branches_of_one_name_are_told_apart_by_their_municipality(client, editor):
    branches = [factories.DepotFactory(municipality=town) for town in (factories.krakow(), factories.zakopane())]
    for keys in ([branches[0].pk], [branches[1].pk], [row.pk for row in branches]):
        moderation.reset_depots(keys=keys, by=editor)
        moderation.verify_depots(keys=keys, by=editor, on=TODAY)
    exported = client.get(f"{JOURNAL}csv/?kind__exact=verify").content.decode("utf-8-sig")
    towns = [line["gmina"] for line in csv.DictReader(exported.splitlines(), delimiter=";")]
    assert towns == ["", "", "Zakopane", "Kraków"]
    assert "→ zweryfikowane Zakopane sprawdzenie" in text_of(client.get(JOURNAL))


def test_decisions_and_not_rows_are_counted_with_waiting_times_and_exported_without_personal_data(client, editor):
    depots = [factories.DepotFactory(lat=50 + n / 10) for n in range(3)]
    moderation.verify_depots(keys=[row.pk for row in depots], by=editor, on=TODAY)
    for days in (1, 3, 8):
        row = factories.SubmissionFactory(confirmed_at=timezone.now() - timedelta(days=days), message="Tajne")
        deciding.reject_submission(submission=row, reason="Nie.", by=editor, on=timezone.now())
    exported = client.get(f"{JOURNAL}csv/").content.decode("utf-8-sig")
    line, *_ = csv.DictReader(exported.splitlines(), delimiter=";")
    assert (line["kto"], line["rodzaj"], line["czekało dni"]) == ("ewa", "zgłoszenie", "8")
    assert line["co zdecydowano"].startswith(f"Odrzucono nr {row.pk}: ")
    assert not present(exported, "@", "Tajne")
    assert "ewa 4 sprawdzenie: 1, zgłoszenie: 3 3,0 dnia" in text_of(client.get(DAYS))
    Decision.objects.update(decided_at=NOW - timedelta(days=400))
    assert "ewa 4" not in text_of(client.get(DAYS))
    asked = {"since": str((NOW - timedelta(days=400)).date()), "until": str((NOW - timedelta(days=399)).date())}
    assert "ewa 4" in text_of(client.get(DAYS, asked))
    for until in ("2026-02-31", "9999-12-31", "0001-01-01"):
        assert client.get(DAYS, {"since": "x", "until": until}).status_code == 200


def test_a_merge_is_undone_with_all_that_had_moved_and_a_withheld_entry_withheld_again(client, editor, one):
    other = factories.DepotFactory(name="Dwa", phone="+48 1", held=True, review="imię i nazwisko")
    price, row = factories.DepotPriceFactory(depot=other), factories.SubmissionFactory(depot=other)
    before = list(Depot.objects.order_by("pk").values())
    merging.merge_depots(survivor=one, loser=other, take=["phone"], by=editor, on=TODAY)
    decision = last()
    assert decision.title == f"Scalono: Dwa z wpisem {one}"
    assert "Cofnij scalenie" in text_of(client.get(deciding.page(decision)))
    answer = client.post(reverse("admin:catalog_decision_undo", args=[decision.pk]), follow=True)
    assert "Cofnięto. Składy opału: 2. Wrócił wpis Dwa" in text_of(answer)
    assert reverse("admin:catalog_depot_change", args=[other.pk]) in html_of(answer).partition("Wrócił wpis")[2][:60]
    assert list(Depot.objects.order_by("pk").values()) == before
    assert (factories.fresh(price).depot_id, factories.fresh(row).depot_id) == (other.pk, other.pk)
    assert "cofnięto już wcześniej" in message_of(undo_at_the_desk(client, decision))


def test_a_merge_whose_loser_was_restored_is_undone_already_and_not_repeated(client, editor, one, other):
    row = factories.SubmissionFactory(depot=other)
    merging.merge_depots(survivor=one, loser=other, take=[], by=editor, on=TODAY)
    merge = last()
    publishing.publish_depot(depot=other, on=TODAY, by=editor, note="to dwa składy")
    with pytest.raises(journal.DecisionAlreadyUndone):
        journal.undo(decision=merge, by=editor, on=NOW)
    assert "scal je jeszcze raz" in message_of(undo_at_the_desk(client, last()))
    assert (factories.fresh(other).publication, factories.fresh(row).depot_id) == ("published", other.pk)


def test_a_removal_is_not_undone_while_the_entry_is_merged(editor, one, other):
    today, duplicate = timezone.localdate(NOW), Depot.RemovalReason.DUPLICATE
    moderation.remove_depots(keys=[other.pk], reason=duplicate, by=editor, on=today)
    removal = last()
    publishing.publish_depot(depot=other, on=today, by=editor)
    merging.merge_depots(survivor=one, loser=factories.fresh(other), take=[], by=editor, on=today)
    undo_nothing(removal, editor, other)
    assert factories.fresh(other).merged_into == one


def test_decisions_are_undone_in_reverse_whatever_was_undone_between(editor, one, other):
    listed = prices.publish_price_list(quotes=[(other, QUOTE)], by=editor, on=NOW)
    merging.merge_depots(survivor=one, loser=other, take=[], by=editor, on=TODAY)
    journal.undo(decision=last(), by=editor, on=NOW)
    assert journal.find_changed_since(listed) == []
    assert journal.undo(decision=listed, by=editor, on=NOW).left == []
    assert DepotPrice.objects.get().status == "rejected"
    values = {"name": "Trzeci", "lat": 50.06, "lon": 19.94, "municipality": one.municipality_id}
    added = editing.add_depot(values=values, by=editor, on=TODAY)
    addition = last()
    moderation.verify_depot(depot=added, by=editor, on=TODAY)
    journal.undo(decision=last(), by=editor, on=NOW)
    journal.undo(decision=addition, by=editor, on=NOW)
    assert factories.fresh(added).removal_reason == "mistaken"
    assert editing.add_depot(values=values, by=editor, on=TODAY) != added  # and can be added again at once


def test_a_decision_of_which_nothing_can_be_restored_is_refused_and_stays(client, editor):
    depots = [factories.DepotFactory(name=name) for name in ("Jeden", "Dwa")]
    keys = [depot.pk for depot in depots]
    decision = moderation.verify_depots(keys=keys, by=editor, on=TODAY).decision
    moderation.reset_depots(keys=keys, by=editor)
    said = message_of(undo_at_the_desk(client, decision))
    assert f"zmieniono, sprawdzono albo usunięto wszystko, czego dotyczyła: {depots[0]} i jeszcze 1." in said
    assert (factories.fresh(decision).undone_at, last().kind) == (None, "verify")
    journal.undo(decision=last(), by=editor, on=NOW)
    assert journal.undo(decision=decision, by=editor, on=NOW).restored == 2
    merging.mark_distinct(one=depots[0], other=depots[1], by=editor, at=NOW)
    NotDuplicate.objects.all().delete()
    assert "usunięto wszystko, czego dotyczyła." in message_of(undo_at_the_desk(client, last()))
    assert last().undone_at is None


@pytest.mark.parametrize("whole", [True, False])
def test_what_comes_back_after_a_municipality_has_left_the_register_is_in_its_successor(client, editor, one, whole):
    """A depot is in that of several in which it lies."""
    factories.BoundaryFactory(municipality=factories.municipality("1261033", "Druga"))
    old, there = factories.municipality("1261022", "Dawna"), factories.zakopane()
    Depot.objects.filter(pk=one.pk).update(municipality=old)
    one.refresh_from_db()
    history.record_bulk(Depot, [one.pk], by=None, reason="import")
    deadline = DeadlineFactory(krakow=True, units=[old.pk])
    with recorded(editor):
        one.municipality = there
        one.save()
        deadline.delete()
    heirs = {"successor": factories.krakow(), "others": [] if whole else ["1261033"], "whole": whole}
    factories.FormerMunicipalityFactory(teryt=old.pk, **heirs)
    old.delete()
    undo_at_the_desk(client, last())
    connection.check_constraints()
    there = "1261011" if whole else "1261033"
    assert (factories.fresh(one).municipality_id, one.history.first().municipality_id) == (there, there)
    bound = (["1261011"], []) if whole else ([], ["1261011", "1261033"])
    assert (Deadline.objects.get().units, Deadline.objects.get().partly) == bound


def test_a_changed_a_deleted_and_an_added_provision_are_undone(client, editor):
    editor.groups.add(Group.objects.get(name=CHIEF))
    deadline = DeadlineFactory(date=date(2027, 1, 1))
    approve(client, draft_of(client, deadline, date="2029-01-01"))
    assert (factories.fresh(deadline).date, last().kind) == (date(2029, 1, 1), "draft")
    assert "od dnia: 01.01.2027 → 01.01.2029" in text_of(client.get(JOURNAL))
    undo_at_the_desk(client, last())
    assert factories.fresh(deadline).date == date(2027, 1, 1)
    approve(client, client.post(reverse("admin:regulations_deadline_delete", args=[deadline.pk]), {"post": "yes"}))
    assert not Deadline.objects.exists()
    assert "Terminy: 1." in message_of(undo_at_the_desk(client, last()))
    assert Deadline.objects.get().pk == deadline.pk
    with recorded(editor) as addition:
        row = DeadlineFactory(date=date(2031, 1, 1))
    with recorded(editor):
        row.delete()
    # An added row that was deleted since is named.
    with pytest.raises(journal.NothingToRestore, match=re.escape(str(row))):
        journal.undo(decision=addition.decision, by=editor, on=NOW)
    undo_at_the_desk(client, last())
    assert Deadline.objects.filter(date=date(2031, 1, 1)).exists()
    undo_at_the_desk(client, addition.decision)
    assert Deadline.objects.get().pk == deadline.pk


def test_the_first_change_of_a_range_is_shown_and_undone(client, editor):
    editor.groups.add(Group.objects.get(name=CHIEF))
    approve(client, client.post("/admin/prices/plausiblerange/pellet/change/", {"low": "650", "high": "3900"}))
    draft = client.get(f"/admin/catalog/draft/{Draft.objects.get().pk}/change/")
    assert not missing(text_of(draft), "Co się zmieniło", "od 600 650")
    assert "Wiarygodne przedziały cen: 1." in message_of(undo_at_the_desk(client, last()))
    row = PlausibleRange.objects.get(pk="pellet")
    assert (row.low, row.high) == (600, 4000)


def test_two_changes_of_a_range_are_undone_the_later_first_and_one_of_a_row_without_former_values_is_not(editor):
    row, changes = PlausibleRange.objects.get(pk="pellet"), []
    for row.low in (Decimal(650), Decimal(700)):
        with recorded(editor) as change:
            row.save()
        changes.append(change.decision)
    first, second = changes
    undo_nothing(first, editor, row)
    for decision, low in ((second, 650), (first, 600)):
        versions = Dataset.objects.read_versions()
        assert journal.undo(decision=decision, by=editor, on=NOW).restored == 1
        assert PlausibleRange.objects.get(pk="pellet").low == low
        assert Dataset.objects.read_versions() != versions
    row.history.all().delete()
    with recorded(editor) as change:
        row.save()
    with pytest.raises(journal.NothingToRestore):
        journal.undo(decision=change.decision, by=editor, on=NOW)
    assert PlausibleRange.objects.filter(pk="pellet").exists()


def test_an_owner_s_change_is_undone_by_any_editor(client, editor):
    depot = factories.DepotFactory()
    with journal.recording(Decision.Kind.OWNER, by=None, on=NOW, title="Właściciel zmienił: Pellet"):
        owners.publish_prices(quotes=[(depot, QUOTE)], on=NOW)
    assert "właściciel (odnośnikiem)" in text_of(client.get(JOURNAL))
    undo_at_the_desk(client, last())
    price = DepotPrice.objects.get()
    assert (price.status, price.reason) == ("rejected", "cofnięto decyzję")


def test_what_a_refused_operation_wrote_is_in_no_decision(editor, monkeypatch):
    depot = factories.DepotFactory()
    values = {"name": "Nowy", "lat": 50.06, "lon": 19.94, "municipality": depot.municipality_id}
    monkeypatch.setattr(Dataset.objects, "bump_version", lambda slug: 1 / 0)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        editing.add_depot(values=values, by=editor, on=TODAY)
    monkeypatch.undo()
    moderation.verify_depot(depot=depot, by=editor, on=TODAY)
    assert Decision.objects.get().lines.count() == 1
