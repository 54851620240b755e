"""Strangers and editors at the same moment, each with a connection of their own."""

import time
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from functools import partial
from threading import Event

import pytest
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog.models import Dataset, Decision, Depot, OwnerLink, PendingLetter, Submission, Subscription
from catalog.services import editing, journal, merging, moderation, publishing
from catalog.submissions import intake, letters, limits, owner_links, retention, tokens
from catalog.submissions.gone_reports_and_subscriptions import confirm_subscription
from catalog.submissions.letter_kinds import ClaimLetters
from fueldepot.data.history import lock_rows
from prices import owners, services
from prices.models import DepotPrice
from tests import deciding, factories
from tests.beside import at_once, begin_blocked, beside, held_up, lockable
from tests.factories import NOW, TODAY
from tests.pages.reading import expect

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

AUTHOR = intake.author_of("jan@opal.pl", "192.0.2.7")


def submit_correction(depot, author=AUTHOR):
    part = Submission.Kind.CORRECT, {"place": "Kraków"}
    intake.create_submission(parts=[part], depot=depot, author=author, on=NOW)
    return "taken"


def deciding_on(decide, submission, **options):
    """An act that gives the state of a submission which somebody has decided."""
    decided = partial(decide, submission=submission, on=NOW, **options)
    return lambda: decided().changed[0].state


def merging_into(survivor, loser, editor):
    merge = partial(merging.merge_depots, survivor=survivor, loser=loser, take=(), by=editor, on=TODAY)
    return lambda: merge().details["survivor"]


def test_of_two_editors_one_decides():
    ewa, adam = factories.UserFactory(username="ewa"), factories.UserFactory(username="adam")
    submission = factories.SubmissionFactory()
    accept = deciding_on(deciding.accept_submission, submission, by=ewa)
    outcomes = at_once(accept, deciding_on(deciding.reject_submission, submission, by=adam, reason="Nie."))
    assert set(outcomes) == {factories.fresh(submission).state, "SubmissionAlreadyDecided"}
    assert Depot.objects.get().phone == ("+48 601 234 567" if submission.state == "accepted" else "")


def test_a_deletion_and_a_correction_of_one_entry_at_once_leave_no_deadlock():
    editor, depot = factories.UserFactory(), factories.DepotFactory()
    delete = factories.SubmissionFactory(depot=depot, delete=True)
    correct = factories.SubmissionFactory(depot=depot)
    outcomes = at_once(*(deciding_on(deciding.accept_submission, row, by=editor) for row in (correct, delete)))
    assert factories.fresh(depot).publication == "removed"
    assert outcomes in (["accepted", "accepted"], ["SubmissionAlreadyDecided", "accepted"])


def test_two_clicks_on_one_link_confirm_once():
    act = confirming(factories.SubmissionFactory(unconfirmed=True))
    assert sorted(at_once(*[lambda: act().state] * 3)) == ["LinkAlreadyUsed", "LinkAlreadyUsed", "waiting"]


def test_the_limit_is_exact_however_many_send_at_once():
    depots = [factories.DepotFactory() for _ in range(limits.PER_NETWORK + 2)]
    authors = [intake.author_of(f"jan{depot.pk}@opal.pl", "192.0.2.7") for depot in depots]
    outcomes = at_once(*(partial(submit_correction, *each) for each in zip(depots, authors, strict=True)))
    assert (outcomes.count("taken"), outcomes.count("TooManyRequests")) == (limits.PER_NETWORK, 2)


def test_the_same_form_sent_twice_at_once_makes_one_submission_and_one_letter():
    submit = partial(submit_correction, factories.DepotFactory())
    assert at_once(submit, submit) == ["taken", "taken"]
    assert (Submission.objects.get().state, len(mail.outbox)) == ("unconfirmed", 1)


def test_a_link_sent_again_twice_at_once_is_one_letter():
    submission = factories.SubmissionFactory(unconfirmed=True, mails_sent=1)
    at_once(*[lambda: intake.resend_link(submission=submission, on=timezone.now())] * 2)
    letters.send_waiting()  # where each found the row locked by the other
    assert len(mail.outbox) == 1


def test_two_links_about_one_missing_depot_opened_at_once_leave_one_waiting():
    values = {"kind": "add", "depot": None, "subject": "opal | krakow", "email": "jan@opal.pl", "unconfirmed": True}
    acts = [confirming(factories.SubmissionFactory(**values)) for _ in range(2)]
    assert at_once(*(lambda act=act: act().state for act in acts)) == ["waiting", "waiting"]
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["superseded", "waiting"]


def confirming(submission):
    token, submission.token_hash = tokens.new_token(submission.pk, NOW)
    submission.save()
    return lambda: intake.confirm_submission(token=token, on=NOW)


def test_who_sends_a_form_again_locks_the_entry_before_the_earlier_submission():
    depot = factories.DepotFactory()
    submit_correction(depot)
    assert len(lockable(lambda: submit_correction(depot), Depot.objects.all(), Submission.objects.all())) == 1


def test_who_sends_a_form_again_locks_the_parts_of_the_earlier_one_in_the_order_of_their_numbers():
    parts = [(Submission.Kind.CORRECT, {"place": "Kraków"}), (Submission.Kind.CLAIM, {})]
    send = partial(intake.create_submission, parts=parts, depot=factories.DepotFactory(), author=AUTHOR)
    first = send(on=NOW)  # behind the other in the table, since its letter has left
    held, rows = Submission.objects.filter(pk=first.pk), Submission.objects.filter(visit=first)
    assert len(lockable(partial(send, on=NOW + timedelta(hours=1)), held, rows)) == 1


def test_who_confirms_locks_the_entry_before_the_submission():
    submission = factories.SubmissionFactory(unconfirmed=True)
    assert lockable(confirming(submission), Depot.objects.all(), Submission.objects.all()) == [submission.pk]


def test_who_undoes_a_check_of_a_merged_entry_locks_its_survivor_before_the_version():
    editor, loser, survivor = factories.UserFactory(), factories.DepotFactory(), factories.DepotFactory()
    moderation.verify_depot(depot=loser, by=editor, on=TODAY)
    check = deciding.last()
    editing.edit_depot(depot=loser, values={"phone": "+48 601 234 567"}, by=editor, on=TODAY)  # stays confirmed
    merging.merge_depots(survivor=survivor, loser=loser, take=(), by=editor, on=TODAY)
    undo = partial(journal.undo, decision=check, by=editor, on=NOW)
    assert lockable(undo, Depot.objects.filter(pk=survivor.pk), Dataset.objects.filter(slug=Dataset.Slug.DEPOTS))


def test_a_version_that_two_raise_for_the_first_time_is_raised_twice():
    raise_version = partial(Dataset.objects.bump_version, Dataset.Slug.DEPOTS)
    with transaction.atomic():
        raise_version()
        (raising,) = begin_blocked(raise_version)
    raising.result(30)
    assert Dataset.objects.get().version == 2


def test_who_changes_prices_locks_the_version_of_the_entries_before_that_of_the_prices():
    for slug in (Dataset.Slug.DEPOTS, Dataset.Slug.PRICES):
        Dataset.objects.bump_version(slug)
    record_prices = partial(transaction.atomic(services.record_prices), NOW.date())
    versions = (Dataset.objects.filter(slug=slug) for slug in (Dataset.Slug.DEPOTS, Dataset.Slug.PRICES))
    assert len(lockable(record_prices, *versions)) == 1


def test_who_undoes_a_price_locks_its_entry_before_the_version_of_the_entries():
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    depot = factories.DepotFactory(verified=True, data_status="owner", fuels=["pellet"])
    link = owner_links.grant_link(depot=depot, email="jan@opal.pl", on=NOW)
    quotes = [(depot, services.PriceInput("pellet", NOW.date(), "t", price=Decimal(1500)))]
    token = tokens.OWNER.token([link.pk, link.serial])
    change = owners.publish_changes(token=token, depot=depot, hours={}, quotes=quotes, on=NOW)
    undo = partial(journal.undo, decision=change, by=None, on=NOW)
    assert len(lockable(undo, Depot.objects.all(), Dataset.objects.filter(slug=Dataset.Slug.DEPOTS))) == 1


def test_invented_entries_are_locked_before_their_submissions():
    submission = factories.SubmissionFactory(depot=factories.DepotFactory(source=Depot.Source.DEMO))
    assert lockable(publishing.erase_demonstration, Depot.objects.all(), Submission.objects.all()) == [submission.pk]


def test_a_submission_whose_entry_is_merged_while_its_link_is_opened_takes_the_place_of_the_earlier_one_there():
    editor, kept, gone = factories.UserFactory(), factories.DepotFactory(), factories.DepotFactory()
    earlier = factories.SubmissionFactory(depot=kept, claim=True)
    later = factories.SubmissionFactory(depot=gone, email=earlier.email, claim=True, unconfirmed=True)
    with held_up(Depot.objects.all(), confirming(later)):
        merging.merge_depots(survivor=kept, loser=gone, take=[], by=editor, on=NOW.date())
    found = Submission.objects.order_by("pk").values_list("depot", "state")
    assert list(found) == [(kept.pk, "superseded"), (kept.pk, "waiting")]


def test_who_confirms_locks_the_earlier_submission_first():
    earlier = factories.SubmissionFactory(claim=True)
    later = factories.SubmissionFactory(depot=earlier.depot, email=earlier.email, claim=True, unconfirmed=True)
    held, rows = (Submission.objects.filter(pk=row.pk) for row in (earlier, later))
    assert lockable(confirming(later), held, rows) == [later.pk]


def test_who_accepts_a_claim_locks_the_others_before_the_links_to_whose_owners_letters_go(monkeypatch):
    monkeypatch.setattr(letters, "send_soon", lambda: None)
    editor = factories.UserFactory()
    depot = factories.DepotFactory(verified=True, data_status="owner")
    owner_links.grant_link(depot=depot, email="ewa@opal.pl", on=NOW)
    claim, other = factories.SubmissionFactory.create_batch(2, depot=depot, claim=True)
    accept = deciding_on(deciding.accept_submission, claim, by=editor)
    assert len(lockable(accept, Submission.objects.filter(pk=other.pk), OwnerLink.objects.all())) == 1


def test_who_accepts_a_claim_locks_the_others_in_the_order_of_their_numbers(monkeypatch):
    monkeypatch.setattr(letters, "send_soon", lambda: None)
    depot, other = factories.DepotFactory.create_batch(2)
    first, second, claim = factories.SubmissionFactory.create_batch(3, depot=depot, claim=True)
    for place in (other, depot):
        Submission.objects.filter(pk=first.pk).update(depot=place)  # behind the others in the table, as after a merge
    held, rows = (Submission.objects.filter(pk=row.pk) for row in (first, second))
    accept = deciding_on(deciding.accept_submission, claim, by=factories.UserFactory())
    assert lockable(accept, held, rows) == [second.pk]


def test_links_of_refused_letters_are_not_held_while_the_other_claims_are_noted(monkeypatch):
    """An editor who accepts a claim holds the others, and then wants the links."""
    marked, held = Event(), Event()
    for number, depot in enumerate(factories.DepotFactory.create_batch(2, verified=True, data_status="owner")):
        owner_links.grant_link(depot=depot, email=f"jan{number}@opal.pl", on=NOW)
        announced = factories.SubmissionFactory(depot=depot, claim=True)

    def refuse_first(messages):
        marked.set()
        held.wait(30)
        return [*messages][:1]

    monkeypatch.setattr(letters, "_send", refuse_first)
    sending = beside(partial(letters.send, ClaimLetters()))
    assert marked.wait(30)
    with transaction.atomic():
        list(Submission.objects.filter(pk=announced.pk).select_for_update(of=("self",)))
        held.set()
        begin_blocked(partial(sending.result, 30))
        assert len(OwnerLink.objects.select_for_update(of=("self",), nowait=True)) == 2
    assert sending.result(30).sent == (f"submission {announced.pk}",)


def test_who_undoes_a_claim_locks_the_letters_before_the_links_that_they_count_against(monkeypatch):
    monkeypatch.setattr(letters, "send_soon", lambda: None)
    editor = factories.UserFactory()
    depot = factories.DepotFactory(data_status="owner", verified_at=NOW.date(), verified_by=editor)
    owner_links.grant_link(depot=depot, email="ewa@opal.pl", on=NOW)
    deciding.accept_submission(submission=factories.SubmissionFactory(depot=depot, claim=True), by=editor, on=NOW)
    undo = partial(journal.undo, decision=Decision.objects.get(), by=editor, on=NOW)
    assert len(lockable(undo, PendingLetter.objects.all(), OwnerLink.objects.all())) == 2


def test_who_asks_for_the_same_letters_again_waits_for_the_one_that_is_leaving():
    former = factories.SubscriptionFactory(content={"median": "1500"})
    again = factories.SubscriptionFactory(email=former.email, confirmed_at=None)
    confirm = partial(confirm_subscription, subscription=again, content={}, on=NOW)
    with held_up(Subscription.objects.filter(pk=former.pk), confirm):
        Subscription.objects.filter(pk=former.pk).update(content={"median": "1600"}, sent_at=NOW)
    assert (factories.fresh(again).content, again.sent_at) == ({"median": "1600"}, NOW)


def test_who_adds_a_price_locks_the_entry_first():
    """An owner holds the entry and adds the same price."""
    submitted = {"depot": factories.DepotFactory(), "origin": DepotPrice.Origin.PRICE_LIST, "by": None, "on": NOW}
    submitted["quote"] = services.PriceInput("pellet", NOW.date(), "t", price=Decimal(1500))

    def add():
        with suppress(services.DuplicatePrice):
            services.submit_price(**submitted)

    with held_up(Depot.objects.all(), add):
        services.submit_price(**submitted)
    assert DepotPrice.objects.count() == 1


def test_submissions_are_forgotten_in_the_order_of_their_numbers():
    first, second = factories.SubmissionFactory(client_hash="x"), factories.SubmissionFactory(client_hash="x")
    first.save()  # behind the other in the table from now on
    purge = partial(retention.purge_submissions, on=NOW + timedelta(days=2))
    held, rows = (Submission.objects.filter(pk=row.pk) for row in (first, second))
    assert lockable(purge, held, rows) == [second.pk]


def test_letters_do_not_wait_for_an_editor_who_holds_their_depot():
    """An editor locks the depot and then its submissions: a letter that wanted the depot last would be a deadlock."""
    decided = factories.SubmissionFactory(decided=True, state="accepted", reason="", notification_pending=True)
    depot = factories.DepotFactory(verified=True, data_status="owner")
    owner_links.grant_link(depot=depot, email="ewa@opal.pl", on=NOW)
    claim = factories.SubmissionFactory(depot=depot, claim=True)
    with transaction.atomic():
        list(Depot.objects.select_for_update(of=("self",)))
        sent = beside(letters.send_waiting).result(10).sent
    assert sent == (f"submission {claim.pk}", f"submission {decided.pk}")


def test_who_adds_a_depot_while_another_decision_of_theirs_is_written_waits_for_that():
    """A decision locks the version and, when it is committed, the account of its author."""
    editor, depot = factories.UserFactory(), factories.DepotFactory()
    values = {"name": "Opał", "lat": 50.06, "lon": 19.94, "municipality": "1261011"}
    with transaction.atomic():
        moderation.verify_depot(depot=depot, by=editor, on=TODAY)
        (adding,) = begin_blocked(partial(editing.add_depot, values=values, by=editor, on=TODAY))
    assert adding.result(30).publication == "published"


def test_of_two_forms_opened_together_one_is_refused():
    editor, depot = factories.UserFactory(), factories.DepotFactory()
    opened = editing.edit_version(depot)

    def edit(place):
        with transaction.atomic():
            editing.check_edit_version(moderation.locked(depot), opened)
            return editing.edit_depot(depot=depot, values={"place": place}, by=editor, on=TODAY).place

    outcomes = at_once(lambda: edit("Kraków"), lambda: edit("Wieliczka"))
    assert set(outcomes) == {factories.fresh(depot).place, "DepotEditConflict"}


def test_who_decides_while_an_import_holds_the_entries_is_asked_to_wait_for_it():
    depot, browser = factories.DepotFactory(), Client(raise_request_exception=False)
    browser.force_login(factories.UserFactory())

    def verify():
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = '300ms'")
        return browser.post(reverse("admin:catalog_depot_decide", args=[depot.pk]), {"decision": "verify"})

    with transaction.atomic():
        lock_rows(Depot.objects.all(), no_key=True)
        refused = beside(verify).result(30)
    expect(refused, "Niczego nie zapisano", "import danych", "za minutę", status=503)
    assert (refused["Retry-After"], factories.fresh(depot).data_status) == ("60", "unverified")


def test_overlapping_choices_are_checked_without_a_deadlock():
    keys = [factories.DepotFactory().pk for _ in range(40)]
    verify = partial(moderation.verify_depots, by=factories.UserFactory(), on=TODAY)
    assert at_once(lambda: len(verify(keys=keys[:30]).changed), lambda: len(verify(keys=keys[:9:-1]).changed)) == [
        30,
        30,
    ]
    assert Depot.objects.filter(data_status="verified").count() == 40


def test_two_merges_of_one_pair_in_opposite_directions_leave_one_depot():
    editor = factories.UserFactory()
    one, other = factories.DepotFactory(), factories.DepotFactory()
    outcomes = at_once(merging_into(one, other, editor), merging_into(other, one, editor))
    assert outcomes.count("DepotIsRemoved") == 1
    assert Depot.objects.published().get().pk in outcomes


def test_who_merges_an_entry_that_is_just_absorbing_another_locks_all_three_in_order():
    editor = factories.UserFactory()
    first, second, third = factories.DepotFactory.create_batch(3)

    @transaction.atomic
    def lock_in_order():
        for depot in (first, second):
            moderation.locked(depot)
            time.sleep(0.2)  # who merges acquires what is free

    with transaction.atomic():
        merging_into(second, first, editor)()
        merged, _ = others = begin_blocked(merging_into(third, second, editor), lock_in_order)
    assert [act.exception(30) for act in others] == [None, None]
    assert merged.result() == third.pk
    assert [factories.fresh(depot).merged_into for depot in (first, second)] == [third, third]


def test_a_submission_decided_while_its_depot_is_merged_is_decided_about_the_survivor_or_before():
    editor = factories.UserFactory()
    one, other = factories.DepotFactory(), factories.DepotFactory()
    submission = factories.SubmissionFactory(depot=other, proposed={"place": "Wieliczka"}, stored={"place": ""})
    accept = deciding_on(deciding.accept_submission, submission, by=editor)
    assert at_once(accept, merging_into(one, other, editor)) == ["accepted", one.pk]
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
