"""One letter about all decisions that wait for it; how long submissions, and hashes of their authors, are kept."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.core import mail
from django.utils import timezone

from catalog.models import Decision, GoneReport, PendingLetter, Submission
from catalog.services import journal, merging
from catalog.submissions import decisions, intake, letter_kinds, letters, retention, tokens
from catalog.submissions.limits import hash_client, hash_mailbox
from tests import deciding, factories
from tests.commands import refusal, run
from tests.factories import NOW
from tests.mail import DOWN, WORKING, labels, sent, words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owned():
    """Submissions of one author: two about one entry, one about another, a deletion and a missing depot."""
    nowak, kowal, zieba = (factories.DepotFactory(name=f"Opał {name}") for name in ("Nowak", "Kowal", "Zięba"))
    cases = {"depot": nowak}, {"depot": kowal}, {"depot": nowak, "claim": True}, {"depot": zieba, "delete": True}
    return [factories.SubmissionFactory(email="jan@opal.pl", **case) for case in (*cases, {"add": True})]


def told(count):
    """Submissions of one author whose decisions wait for their letter."""
    owed = {"decided": True, "notification_pending": True, "email": "jan@opal.pl"}
    return factories.SubmissionFactory.create_batch(count, **owed)


def test_decisions_made_together_are_one_letter_with_each_entry(owned, commit, editor):
    commit(decisions.decide_possible, submissions=[row.pk for row in owned], rejection="Nie.", by=editor, on=NOW)
    (letter,) = mail.outbox
    assert letter.subject == "Opał Nowak i jeszcze 3: zgłoszenie odrzucone"
    html, _ = letter.alternatives[0]
    for text in (letter.body, html.replace("\xa0", " ")):
        places = [text.index(f"nr {row.pk} (") for row in (owned[0], *owned[2:0:-1], *owned[3:])]
        assert places == sorted(places)
        assert [text.count(word) for word in ("Dzień dobry", "Jeśli to nasza pomyłka", "/stan/")] == [1, 1, 4]
    assert not Submission.objects.unnotified().exists()
    undone = commit(journal.undo, decision=Decision.objects.get(), by=editor, on=NOW)
    assert (undone.reopened, len(undone.letters), len(mail.outbox)) == (5, 1, 2)
    assert mail.outbox[1].subject == "Opał Nowak i jeszcze 3: decyzja cofnięta"


def test_what_is_said_of_one_entry_stands_with_it(owned):
    deciding.accept_submission(submission=owned[2], by=factories.UserFactory(), on=NOW)
    deciding.reject_submission(submission=owned[1], reason="Nie.", by=factories.UserFactory(), on=NOW)
    letter, *_ = sent()
    for text in (letter.body, letter.alternatives[0][0].replace("\xa0", " ")):
        parts = ("Nie.", "Jeśli to nasza pomyłka", "(przejęcie wpisu)", "Pod tym odnośnikiem", "Zachowaj tę wiadomość")
        assert [*map(text.index, parts)] == sorted(map(text.index, parts))


def test_a_decision_made_while_a_letter_leaves_has_its_own():
    rows = told(3)
    Submission.objects.filter(pk__gt=rows[0].pk).update(letter_tried_at=(leaving := timezone.now()))
    assert letters.send_waiting() == letters.Sending()
    letter_kinds.DECISION_LETTERS.done([rows[1]], leaving)
    assert [*Submission.objects.unnotified()] == rows[:1]
    assert letters.send_waiting().sent == (f"submission {rows[0].pk}",)


def test_a_decision_is_told_once_when_the_row_that_stands_for_it_vanishes_while_the_letter_leaves(monkeypatch):
    rows = told(2)
    send = letters._send
    monkeypatch.setattr(letters, "_send", lambda messages: (rows[0].delete(), send(messages))[1])
    letters.send_waiting()
    assert (letters.send_waiting(retry=timedelta()), len(mail.outbox)) == (letters.Sending(), 1)


def test_a_decision_undone_while_its_letter_leaves_is_told_too(owned):
    decisions.decide_possible(submissions=[owned[0].pk], rejection="Nie.", by=factories.UserFactory(), on=NOW)
    Submission.objects.filter(pk=owned[0].pk).update(letter_tried_at=timezone.now())
    journal.undo(decision=Decision.objects.get(), by=factories.UserFactory(), on=NOW)
    assert letters.send_waiting() == letters.Sending()
    letters.send_waiting(retry=timedelta())
    assert [letter.subject for letter in mail.outbox] == ["Opał Nowak: decyzja cofnięta"]


def test_personal_data_go_ninety_days_after_the_decision(editor):
    accepted, rejected, waiting = (factories.SubmissionFactory(message="Jan Nowak", client_hash="x") for _ in "abc")
    deciding.accept_submission(submission=accepted, by=editor, on=NOW)
    deciding.reject_submission(submission=rejected, reason="Nie.", by=editor, on=NOW)
    purged(days=90, seconds=-1)
    assert factories.fresh(accepted).email  # kept so far
    assert accepted.client_hash == ""  # needed for a day only
    assert purged(days=90).erased == 2
    for row in (accepted, rejected):
        row.refresh_from_db()
        assert (row.email, row.email_hash, row.message, row.claimant_nip, row.token_hash) == ("", "", "", "", "")
        assert (row.erased_at is None, row.notification_pending) == (False, False)  # its letter had not left
    assert accepted.proposed == {"phone": "+48 601 234 567"}  # public by now
    assert rejected.proposed == rejected.stored == {}
    assert factories.fresh(waiting).email
    assert purged(days=90) == retention.Purged(0, 0, 0)


def test_comments_about_a_missing_depot_go_with_its_author(editor):
    added = factories.SubmissionFactory(add=True)
    added.comments.create(text="Mówi, że nazywa się Jan Nowak.", written_at=NOW, written_by=editor)
    deciding.reject_submission(submission=added, reason="Nie.", by=editor, on=NOW)
    for seconds, stay in ((-1, True), (0, False)):
        purged(days=90, seconds=seconds)
        assert added.comments.exists() is stay


def test_who_adds_an_own_depot_is_told_how_to_change_its_hours_and_prices(editor):
    factories.BoundaryFactory()
    new = {"name": "Opał", "lat": 50.0617, "lon": 19.9373, "location_approximate": False, "municipality": "1261011"}
    for role in ("owner", "reader"):
        added = factories.SubmissionFactory(add=True, proposed=new | {"name": role}, claimant_role=role)
        deciding.accept_submission(submission=added, by=editor, on=NOW)
    assert ["„To mój skład”" in words_of(letter) for letter in sent()] == [True, False]


def test_values_that_an_editor_altered_or_left_out_go_with_their_author(editor):
    """The author's own words were never published, and may name a person."""
    factories.BoundaryFactory()
    position = {"lat": 50.0617, "lon": 19.9373, "location_approximate": False, "municipality": "1261011"}
    typed = {"name": "Jan Nowak", "place": "Kraków"}
    correction = factories.SubmissionFactory(proposed={"street": "ul. Jana", "phone": "+48 601 234 567"})
    added = factories.SubmissionFactory(add=True, proposed=typed | position, subject="jan nowak | krakow")
    for row, values in ((correction, {"street": "ul. Długa"}), (added, {"name": "Skład opału"})):
        deciding.accept_submission(submission=row, values=values, by=editor, on=NOW)
    values = {"phone": "+48 601 234 567", "name": "Jan Nowak"}
    row = factories.SubmissionFactory(proposed=values, stored={"phone": "", "name": "Skład opału Nowak"})
    deciding.accept_submission(submission=row, groups=["phone"], reason="To nie firma.", by=editor, on=NOW)
    other = factories.DepotFactory()
    merging.merge_depots(survivor=other, loser=correction.depot, take=[], by=editor, on=NOW.date())
    purged(days=90, seconds=-1)
    assert factories.fresh(added).proposed == typed | position
    purged(days=90)
    assert (factories.fresh(added).proposed, added.subject) == ({"place": "Kraków"} | position, "")
    assert (factories.fresh(correction).proposed, correction.depot) == ({"phone": "+48 601 234 567"}, other)
    assert (factories.fresh(row).proposed, row.stored) == ({"phone": "+48 601 234 567"}, {"phone": ""})


def rows_with(text):
    """Return the tables that have a text in a row, in any case."""
    return {
        model._meta.model_name
        for model in apps.get_models()
        for row in model._base_manager.values()
        if text in str(row).lower()
    }


def test_an_address_is_erased_at_once_where_its_owner_demands_it(owned, editor):
    deciding.accept_submission(submission=owned[2], by=editor, on=NOW)
    deciding.reject_submission(submission=owned[1], reason="Nie.", by=editor, on=NOW)
    depot, kept = owned[0].depot, factories.SubmissionFactory(email="ewa@opal.pl")
    letter = {"email": "jan@opal.pl", "requested_at": NOW}
    PendingLetter.objects.create(kind="owner_link", depot=depot, **letter)
    GoneReport.objects.create(depot=depot, reason="closed", email="Jan@opal.pl", client_hash="x", created_at=NOW)
    factories.SubscriptionFactory(email="jan@opal.pl")
    factories.SubmissionFactory(email="jan@opal.pl", depot=depot, unconfirmed=True)
    passed_on = factories.SubmissionFactory(email="jan@opal.pl", depot=depot, passed_on=True)
    factories.DepotPriceFactory(depot=depot, submission=passed_on, from_reader=True, pending=True)
    tables = {"submission", "ownerlink", "pendingletter", "gonereport", "subscription"}
    assert "7 submissions" in run("erase_address", "JAN@opal.pl")
    assert rows_with("jan@opal.pl") == tables
    run("erase_address", "JAN@opal.pl", commit=True)
    assert (rows_with("jan@opal.pl"), factories.fresh(kept).state) == (set(), "waiting")
    assert refusal("erase_address", " ") == "' ' is no e-mail address"


def waiting_since(moment):
    return factories.SubmissionFactory(created_at=moment, confirmed_at=moment, message="Jan Nowak")


def purged(**after):
    return retention.purge_submissions(on=NOW + timedelta(**after))


def warned(days):
    return letters.send(retention.ExpiryLetters(), on=NOW + timedelta(days=days))


def test_what_nobody_decides_goes_after_a_year_and_its_author_is_told_before(editor, settings):
    submission = waiting_since(NOW)
    submission.comments.create(text="Sprawdzam.", written_at=NOW, written_by=editor)  # goes, too, and is not counted
    assert warned(350).sent == ()
    settings.EMAIL_BACKEND = DOWN
    assert warned(351).unsent == labels(submission)
    settings.EMAIL_BACKEND = WORKING
    # A day late: so is what it tells of.
    assert (warned(352).sent, warned(353)) == (labels(submission), letters.Sending())
    (letter,) = mail.outbox
    assert letter.to == [submission.email]
    assert f"zgłoszenia nr {submission.pk}" in letter.body
    assert "22 listopada 2027 r." in letter.body  # NOW is 21 November 2026
    assert "Jan" not in letter.body
    assert (purged(days=365).expired, purged(days=366).expired) == (0, 1)
    assert not Submission.objects.exists()


def test_an_undecided_submission_is_kept_a_month_longer_if_a_letter_left_late_or_not_and_a_decided_one_on(editor):
    decided = waiting_since(NOW)
    warned(351)
    late = waiting_since(NOW)
    deciding.reject_submission(submission=decided, reason="Nie.", by=editor, on=NOW + timedelta(days=360))
    assert warned(390).sent == labels(late)
    assert "do dnia 21 grudnia 2027 r." in mail.outbox[-1].body  # not a fortnight later
    waiting_since(NOW)  # its author was never warned
    assert (purged(days=394).expired, purged(days=395).expired, purged(days=400).expired) == (0, 2, 0)
    assert Submission.objects.get() == decided


@pytest.mark.parametrize(("undone", "until"), [(370, "10 grudnia 2027"), (430, "8 lutego 2028")])
def test_what_waits_again_after_its_year_is_kept_until_its_author_is_warned_anew(editor, undone, until):
    submission = waiting_since(NOW)
    warned(351)
    result = deciding.reject_submission(submission=submission, reason="Nie.", by=editor, on=NOW + timedelta(days=360))
    journal.undo(decision=result.decision, by=editor, on=NOW + timedelta(days=undone))
    assert purged(days=undone).expired == 0
    assert warned(undone).sent == labels(submission)
    assert f"do dnia {until} r." in mail.outbox[-1].body
    assert (purged(days=undone + 13).expired, purged(days=undone + 14).expired) == (0, 1)


def test_what_waits_again_after_its_year_goes_a_month_later_if_its_author_cannot_be_warned(editor):
    submission = waiting_since(NOW)
    result = deciding.reject_submission(submission=submission, reason="Nie.", by=editor, on=NOW + timedelta(days=360))
    journal.undo(decision=result.decision, by=editor, on=NOW + timedelta(days=430))
    assert (purged(days=459).expired, purged(days=460).expired) == (0, 1)


def test_unconfirmed_submissions_go_with_their_link():
    submission = factories.SubmissionFactory(unconfirmed=True, created_at=NOW, mailed_at=NOW + timedelta(hours=1))
    token, _ = tokens.new_token(submission.pk, NOW)
    assert (purged(hours=48).deleted, purged(hours=49).deleted) == (0, 1)
    assert not Submission.objects.exists()
    with pytest.raises(tokens.LinkExpired):
        intake.confirm_submission(token=token, on=NOW)


def test_a_process_killed_before_its_first_letter_left_prolongs_nothing():
    marked_at = NOW + timedelta(hours=40)
    row = factories.SubmissionFactory(unconfirmed=True, created_at=NOW, mailed_at=None, letters_at=[marked_at])
    assert retention.link_ends(row) == NOW + timedelta(hours=48)
    assert (purged(hours=47).deleted, purged(hours=48).deleted) == (0, 1)


def test_a_link_works_for_its_two_days_while_a_new_one_waits_to_be_sent():
    mailed_at = NOW + timedelta(hours=40)
    moments = {"created_at": NOW, "mailed_at": mailed_at, "mails_sent": 1}
    submission = factories.SubmissionFactory(unconfirmed=True, letters_at=[mailed_at], mailbox_hash="x", **moments)
    factories.SubmissionFactory(unconfirmed=True, visit=submission, **moments)
    purged(hours=70)
    assert factories.fresh(submission).mailbox_hash == ""
    intake.resend_link(submission=submission, on=NOW + timedelta(hours=71))
    assert retention.link_ends(factories.fresh(submission)) == NOW + timedelta(hours=88)
    assert (purged(hours=87).deleted, purged(hours=88).deleted) == (0, 2)


@pytest.mark.parametrize(("days", "answered", "kept"), [(3, 0, 23), (90, 1, 22)])
def test_the_author_of_prices_goes_the_day_after_the_last_was_decided(days, answered, kept):
    moments = dict.fromkeys(("created_at", "confirmed_at", "decided_at"), NOW - timedelta(days=days))
    submission = factories.SubmissionFactory(passed_on=True, answered_at=NOW - timedelta(hours=answered), **moments)
    assert (purged(hours=kept).erased, purged(hours=kept + 1).erased) == (0, 1)
    assert (factories.fresh(submission).email, submission.proposed) == ("", {})


def test_a_caller_without_an_address_is_one_of_those_without():
    """Behind a socket there is no address; they share one limit, and not with anybody who has one."""
    assert hash_client("") == hash_client("") != hash_client("192.0.2.7")
    assert hash_client("2001:db8::1") == hash_client("2001:db8:0:ff::1") != hash_client("2001:db8:0:100::1")


def test_addresses_of_one_mailbox_are_counted_as_one():
    for one, other, same in (
        ("jan@opal.pl", "Jan+1@OPAL.pl", True),
        ("jan.nowak@opal.pl", "jannowak+a+b@opal.pl", True),
        ("j.an@gmail.com", "jan@googlemail.com", True),
        ("jan@opal.pl", "anna@opal.pl", False),
        ("jan@opal.pl", "jan@biuro.opal.pl", False),
        ("jan@op.al.pl", "jan@opal.pl", False),
        ("+jan@opal.pl", "+anna@opal.pl", False),
    ):
        assert (hash_mailbox(one) == hash_mailbox(other)) is same, one
        assert "@" not in hash_mailbox(one)


def test_hashes_of_mailboxes_go_a_day_after_the_last_link():
    late, values = NOW + timedelta(hours=20), {"mailbox_hash": "x", "created_at": NOW}
    old = factories.SubmissionFactory(mailed_at=NOW, letters_at=[NOW], **values)
    resent = factories.SubmissionFactory(unconfirmed=True, mailed_at=late, letters_at=[NOW, late], **values)
    purged(hours=24)
    for row, kept in ((old, ("", [])), (resent, ("x", [NOW, late]))):
        assert (factories.fresh(row).mailbox_hash, row.letters_at) == kept
    retention.purge_submissions(on=late + timedelta(hours=24))
    assert (factories.fresh(resent).mailbox_hash, resent.letters_at) == ("", [NOW, late])  # of its link
    Submission.objects.filter(pk=resent.pk).update(state="waiting", confirmed_at=late + timedelta(hours=30))
    retention.purge_submissions(on=late + timedelta(hours=31))
    assert factories.fresh(resent).letters_at == []


def test_a_letter_that_cannot_be_sent_does_not_bring_the_hash_of_its_mailbox_back(settings):
    settings.EMAIL_BACKEND = DOWN
    owed = {"decided": True, "notification_pending": True, "mailbox_hash": "x"}
    rows = [factories.SubmissionFactory(created_at=timezone.now() - timedelta(hours=age), **owed) for age in (23, 25)]
    assert letters.send_waiting().unsent == labels(*rows)
    assert [(row.mailbox_hash != "", row.letters_at) for row in map(factories.fresh, rows)] == [(True, []), (False, [])]
    settings.EMAIL_BACKEND = WORKING
    assert letters.send_waiting(retry=timedelta()).sent == labels(*rows)
    assert all(row.mailbox_hash and len(row.letters_at) == 1 for row in map(factories.fresh, rows))
