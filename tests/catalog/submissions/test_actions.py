"""What happens to submissions after their authors have confirmed them."""

from datetime import date, datetime, timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog.models import Decision, Depot, Submission
from catalog.services.publishing import publish_depot
from catalog.submissions import decisions, field_groups, intake, retention
from catalog.submissions import letters as sending
from catalog.submissions.limits import hash_mailbox, mailbox_free_at
from catalog.submissions.tokens import STATUS
from tests import deciding, factories, texts
from tests.commands import refusal, run
from tests.factories import NOW, TODAY
from tests.mail import DOWN, REFUSING, WORKING, labels, words_of
from tests.pages.reading import missing, present, text_of_html

pytestmark = pytest.mark.django_db

AT_ONCE = timedelta(0)


def correction(depot, **proposed):
    stored = {name: getattr(depot, name) for name in proposed}
    return factories.SubmissionFactory(depot=depot, proposed=proposed, stored=stored)


def test_every_public_field_can_be_proposed_and_merged_and_is_named_as_in_a_sentence():
    for groups in (field_groups.GROUPS, field_groups.MERGED_GROUPS):
        assert sorted(name for group in groups for name in group.fields) == sorted(Depot.PUBLIC_FIELDS)
    fields = {"nip": "1234563218", "website": "", "hours": None}
    assert field_groups.labels(fields) == "NIP, strona internetowa, godziny otwarcia"


def test_a_submission_cannot_be():
    for constraint, cases in (
        ("decided_by_somebody_some_day", ({"state": "accepted"}, {"decided_at": NOW}, {"state": "superseded"})),
        ("counts_once_confirmed", ({"confirmed_at": None}, {"state": "unconfirmed"})),
        ("rejected_with_reason", ({"reason": "bo tak"},)),
        ("of_a_depot_or_a_new_one", ({"kind": "add"}, {"depot": None})),
        ("price_is_passed_on", ({"kind": "price"}, {"state": "passed_on", "decided_at": NOW})),
        ("erased_whole", ({"email": ""}, {"state": "superseded", "decided_at": NOW, "erased_at": NOW})),
    ):
        for values in cases:
            with pytest.raises(IntegrityError, match=f"depotrequest_{constraint}"), transaction.atomic():
                factories.SubmissionFactory(**values)


def test_the_database_and_a_row_agree_on_what_is_undecided():
    passed_on = {"passed_on": True}
    cases = ({}, {"unconfirmed": True}, {"decided": True}, passed_on, passed_on | {"answered_at": NOW})
    waiting, *_, passed, _ = rows = [factories.SubmissionFactory(**values) for values in cases]
    assert [row for row in rows if row.is_undecided] == [waiting, passed]
    assert list(Submission.objects.undecided().order_by("pk")) == [waiting, passed]


def test_one_claim_of_an_author_about_an_entry_waits_and_any_number_of_corrections():
    first = factories.SubmissionFactory(email="Jan@opal.pl", claim=True)
    factories.SubmissionFactory(depot=first.depot, email="anna@opal.pl", claim=True)
    for _ in range(2):
        factories.SubmissionFactory(depot=first.depot, email="jan@opal.pl", claim=True, unconfirmed=True)
        factories.SubmissionFactory(depot=first.depot, email="jan@opal.pl")
    with pytest.raises(IntegrityError, match="depotrequest_one_waiting"):
        factories.SubmissionFactory(depot=first.depot, email="jan@opal.pl", claim=True)


def test_of_a_correction_some_fields_are_accepted(editor, commit):
    hours = {"hours": {"mon": "7:00-15:00"}, "opening_hours": "Mo 07:00-15:00"}
    depot = factories.DepotFactory(phone="+48 12 345 67 89", place="Kraków", **hours)
    submission = correction(depot, phone="+48 601 234 567", place="Wieliczka", hours=None, opening_hours="")
    said = {"groups": ["phone", "hours"], "reason": "Tej  ulicy tam nie ma."}
    commit(deciding.accept_submission, submission=submission, by=editor, on=NOW, **said)
    assert (factories.fresh(depot).phone, depot.place, depot.hours) == ("+48 601 234 567", "Kraków", None)
    assert Depot.objects.filter(hours__isnull=True).exists()  # and no null of JSON
    assert (depot.data_status, depot.verified_at, depot.updated_at) == ("unverified", None, TODAY)
    assert (depot.confirmed_fields, depot.history.first().history_user) == (["phone", *hours], editor)
    submission.refresh_from_db()
    assert (submission.state, submission.decided_by) == ("accepted", editor)
    assert submission.accepted_fields == ["phone", *hours]
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == ([submission.email], "Skład opału Nowak: część zmian przyjęta")
    assert letter.from_email == '"Składy opału" <noreply@127.0.0.1>'
    (html,) = letter.alternatives
    status = f"http://127.0.0.1:8000/zgloszenia/stan/?znak={STATUS.token(submission.pk)}"
    for part in (letter.body, text_of_html(html.content)):
        words = " ".join(part.split())
        assert not missing(words, "Zmieniliśmy", "Telefon było: +48 12 345 67 89 jest: +48 601 234 567")
        assert "było: Kraków zgłoszone: Wieliczka powód: Tej ulicy tam nie ma." in words
    assert status in letter.body
    assert f'href="{status}"' in html.content


def test_what_cannot_be_accepted_waits_and_changes_nothing(editor):
    of_two_fields = correction(factories.DepotFactory(place="Kraków"), phone="+48 601 234 567", place="Wieliczka")
    removed = factories.SubmissionFactory(depot=factories.DepotFactory(removed=True))
    nowhere = {"name": "Opał", "place": "Kraków", "lat": 50.06, "lon": 19.94, "fuels": []}
    for submission, groups, error in (
        (of_two_fields, ["phone"], decisions.ReasonMissing),  # for the field that is left out
        (factories.SubmissionFactory(), ["name", "position"], decisions.NoFieldsAccepted),
        (removed, None, decisions.DepotOfSubmissionIsRemoved),
        (factories.SubmissionFactory(add=True, proposed=nowhere), None, decisions.LocationOutsidePoland),
    ):
        depots = list(Depot.objects.order_by("pk").values())
        with pytest.raises(error):
            deciding.accept_submission(submission=submission, groups=groups, by=editor, on=NOW)
        assert factories.fresh(submission).state == "waiting"
        assert list(Depot.objects.order_by("pk").values()) == depots
    deciding.reject_submission(submission=removed, reason="Wpisu już nie ma.", by=editor, on=NOW)


def test_a_position_is_accepted_though_its_municipality_has_left_the_register_meanwhile(editor):
    """A new kind, as of every first of January, is a new code."""
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.3, lon=19.95)
    depot = factories.DepotFactory()
    moved = {"lat": 49.31, "lon": 19.95, "location_approximate": False, "municipality": "1217012"}
    submission = factories.SubmissionFactory(depot=depot, proposed=moved, stored=field_groups.values_of(depot))
    missing_one = field_groups.values_of(factories.DepotFactory.build(name="Nowy")) | moved
    for row in (submission, factories.SubmissionFactory(add=True, proposed=missing_one)):
        deciding.accept_submission(submission=row, by=editor, on=NOW)
        assert factories.fresh(row).depot.municipality_id == "1217011", row.kind


def test_a_rejection_says_why_and_its_letter_holds_nothing_that_could_do_harm(editor, commit):
    depot = factories.DepotFactory(name="<b>Skład</b>\nBcc: x@example.pl " + "A" * 100)
    submission = factories.SubmissionFactory(depot=depot)
    with pytest.raises(decisions.ReasonMissing):
        deciding.reject_submission(submission=submission, reason=" ", by=editor, on=NOW)
    commit(deciding.reject_submission, submission=submission, reason="<script>Numer\nnie działa.", by=editor, on=NOW)
    (letter,) = mail.outbox
    assert factories.fresh(submission).reason == "<script>Numer nie działa."
    assert f"Powód: {submission.reason}" in letter.body
    assert letter.subject.endswith("…: zgłoszenie odrzucone")
    assert "\n" not in letter.subject
    assert not present(letter.alternatives[0].content, "<b>", "<script>")
    for again, why in (deciding.accept_submission, {}), (deciding.reject_submission, {"reason": "Inny powód."}):
        with pytest.raises(decisions.SubmissionAlreadyDecided):
            again(submission=submission, **why, by=editor, on=NOW)
    assert (factories.fresh(submission.depot).phone, submission.depot.data_status) == ("", "unverified")


def test_a_decision_has_waited_as_long_as_the_oldest_of_its_submissions(editor):
    old, new = (factories.SubmissionFactory(confirmed_at=NOW - timedelta(days=days)) for days in (3, 1))
    decisions.decide_possible(submissions=[old.pk, new.pk], rejection="Nie.", by=editor, on=NOW)
    assert Decision.objects.get().waiting_since == old.confirmed_at


def test_the_history_of_an_entry_names_the_accepted_part_of_a_visit_alone(editor):
    first = factories.SubmissionFactory()
    claim = factories.SubmissionFactory(depot=first.depot, visit=first, claim=True)
    parts = [decisions.PartDecision(first.pk, True), decisions.PartDecision(claim.pk, False)]
    decisions.decide(parts=parts, reason="Numer jest inny.", by=editor, on=NOW)
    _, *changes = first.depot.history.order_by("pk").values_list("history_change_reason", flat=True)
    assert changes == ["zgłoszenie: poprawka"]


def test_a_withdrawn_part_is_not_sent_from_a_corrected_address():
    first = factories.SubmissionFactory(unconfirmed=True)
    claim = factories.SubmissionFactory(depot=first.depot, visit=first, claim=True, unconfirmed=True)
    intake.withdraw_submission(submission=claim, on=NOW)
    intake.correct_address(submission=first, email="ewa@opal.pl", client="192.0.2.1", on=NOW)
    assert Submission.objects.get(email="ewa@opal.pl").kind == "correct"


def waiting_submissions(count):
    """Corrections of as many depots, written at once."""
    depots = Depot.objects.bulk_create(factories.DepotFactory.build_batch(count, municipality=factories.krakow()))
    return Submission.objects.bulk_create(factories.SubmissionFactory.build(depot=depot) for depot in depots)


def test_a_claim_and_an_editor_who_says_so_of_a_correction_check_the_whole_entry(editor, commit):
    plain = {"review": "bez nazwy"}
    owned = plain | {"data_status": "owner", "verified_at": date(2026, 1, 1), "verified_by": editor}
    for values, kind, then in ((plain, "correct", "verified"), (owned, "correct", "owner"), ({}, "claim", "owner")):
        depot = factories.DepotFactory(**values)
        row = factories.SubmissionFactory(depot=depot, claim=kind == "claim")
        commit(deciding.accept_submission, submission=row, verify=kind == "correct", by=editor, on=NOW)
        depot.refresh_from_db()
        assert (depot.data_status, depot.verified_at, depot.verified_by, depot.review) == (then, TODAY, editor, "")
        assert set(depot.confirmed_fields) == set(Depot.PUBLIC_FIELDS)
    assert "potwierdzone przez właściciela" in mail.outbox[-1].body


def test_a_full_queue_costs_as_many_statements_as_two_and_tells_all(editor, django_assert_max_num_queries, monkeypatch):
    count = 20
    accepted, rejected = waiting_submissions(count), waiting_submissions(count)
    gone = factories.SubmissionFactory(depot=factories.DepotFactory(removed=True))
    numbers = [row.pk for row in [*accepted, gone]]
    # savepoint 2; depots, submissions; changed submissions, depots, their history; version, data set 1; journal 2
    with django_assert_max_num_queries(14):
        decided = decisions.decide_possible(submissions=numbers, by=editor, on=NOW)
    assert len(decided.changed) == count
    assert decided.unchanged == [(gone, "wpis jest usunięty; najpierw go przywróć albo odrzuć zgłoszenie")]
    confirmed = Depot.objects.filter(confirmed_fields=["phone"], phone="+48 601 234 567")
    assert confirmed.filter(data_status="unverified").count() == count
    assert Depot.history.filter(history_user=editor).count() == count
    numbers = [row.pk for row in rejected]
    with django_assert_max_num_queries(8):  # savepoint 2; depots 2, submissions, changed submissions; journal 2
        decided = decisions.decide_possible(submissions=numbers, rejection="Spam.", by=editor, on=NOW)
    assert len(decided.changed) == count
    monkeypatch.setattr(sending, "BATCH", 10)
    # of each kind: savepoint 2, turn, rows; of decisions five times: 10 at once, also letters of the hour, what is
    # tried; savepoint 2, lock, what has left
    with django_assert_max_num_queries(6 * 4 + 5 * 10):
        sending.send_waiting()
    assert len(mail.outbox) == 2 * count


def test_submissions_about_one_entry_add_up_but_a_text_longer_than_its_column_is_not_accepted(editor):
    factories.BoundaryFactory()
    depot, long = factories.DepotFactory(), texts.too_long("street")
    new = field_groups.values_of(depot) | {"street": long}
    refused = [correction(depot, name="Opał Zosia", street=long), factories.SubmissionFactory(add=True, proposed=new)]
    both = [correction(depot, phone="+48 601 234 567"), correction(depot, place="Wieliczka")]
    decided = decisions.decide_possible(submissions=[row.pk for row in (*refused, *both)], by=editor, on=NOW)
    assert decided.changed == both
    reason = f"ulica: upewnij się, że ta wartość ma co najwyżej {len(long) - 1} znaków (obecnie ma {len(long)})"
    assert decided.unchanged == [(row, reason) for row in refused]
    assert (factories.fresh(depot).phone, depot.place) == ("+48 601 234 567", "Wieliczka")
    assert (depot.street, depot.name, set(depot.confirmed_fields)) == ("", "Skład opału Nowak", {"phone", "place"})
    assert Depot.objects.get() == depot


def test_a_letter_that_cannot_be_sent_undoes_nothing_and_stays(editor, commit, settings, caplog):
    settings.EMAIL_BACKEND = REFUSING
    lost, kept = factories.SubmissionFactory(email="nobody@example.pl"), factories.SubmissionFactory()
    assert len(commit(decisions.decide_possible, submissions=[lost.pk, kept.pk], by=editor, on=NOW).changed) == 2
    assert [letter.to[0] for letter in mail.outbox] == [kept.email]
    assert f"letter of submission {lost.pk} not sent: SMTPRecipientsRefused" in caplog.text
    assert "nobody" not in caplog.text
    assert list(Submission.objects.unnotified()) == [lost]


def test_a_rejection_repeats_what_stays_of_an_entry_and_nothing_of_one_that_is_not_there(editor, commit):
    for values, repeats in (({}, True), ({"add": True}, False), ({"claim": True}, False)):
        row = factories.SubmissionFactory(**values)
        commit(deciding.reject_submission, submission=row, reason="Nie.", by=editor, on=NOW)
        assert ("Zostało bez zmian" in words_of(mail.outbox[-1])) is repeats, values


def test_every_kind_of_letter_is_sent_again_and_once_a_deletion_s_to_who_else_had_asked(editor, commit, settings):
    settings.EMAIL_BACKEND = DOWN
    depot = factories.DepotFactory()
    accepted = factories.SubmissionFactory(depot=depot, delete=True)
    superseded = correction(depot, phone="+48 601 234 567")
    silent = factories.SubmissionFactory(depot=depot, unconfirmed=True)
    rejected = factories.SubmissionFactory()
    commit(deciding.accept_submission, submission=accepted, by=editor, on=NOW)
    assert (factories.fresh(depot).publication, depot.removal_reason) == ("removed", "owner")
    assert {factories.fresh(row).state for row in (superseded, silent)} == {"superseded"}
    commit(deciding.reject_submission, submission=rejected, reason="Nie ten skład.", by=editor, on=NOW)
    owed = labels(accepted, superseded, rejected)
    assert sending.send_waiting(retry=AT_ONCE) == sending.Sending(unsent=owed)
    settings.EMAIL_BACKEND = WORKING
    assert sending.send_waiting() == sending.Sending()  # tried just before
    assert sending.send_waiting(retry=AT_ONCE) == sending.Sending(owed)
    assert sending.send_waiting(retry=AT_ONCE) == sending.Sending()
    texts = [*map(words_of, mail.outbox)]
    assert "Wpis zniknął z katalogu i z API" in texts[0]
    assert "jest już nieaktualne: wpis usunięto z katalogu" in texts[1]
    assert "Powód: Nie ten skład." in texts[2]
    publish_depot(depot=depot, on=TODAY, by=editor, note="na prośbę właściciela")  # an editor can restore it
    Submission.objects.filter(pk=superseded.pk).update(notification_pending=True)  # as if the letter had not left
    sending.send_waiting(retry=AT_ONCE)
    assert "wpis usunięto z katalogu. Wpis już wrócił." in words_of(mail.outbox[-1])


def test_a_mailbox_gets_three_letters_an_hour_and_the_others_later_by_themselves(editor, commit, monkeypatch):
    now = [NOW]
    monkeypatch.setattr(timezone, "now", lambda: now[0])
    asked = {"email": "jan@opal.pl", "depot": factories.DepotFactory(), "mailbox_hash": hash_mailbox("jan@opal.pl")}
    factories.SubmissionFactory(unconfirmed=True, letters_at=[NOW - timedelta(minutes=59)], **asked)
    rows = [factories.SubmissionFactory(email="jan@opal.pl") for _ in range(4)]
    other = factories.SubmissionFactory()
    for row in (*rows, other):
        commit(deciding.reject_submission, submission=row, reason="Nie.", by=editor, on=NOW)
    assert [letter.to[0] for letter in mail.outbox] == ["jan@opal.pl", "jan@opal.pl", other.email]
    retention.purge_submissions(on=NOW + timedelta(minutes=30))
    assert sending.send_waiting() == sending.Sending(delayed=labels(rows[2]))
    now[0] = NOW + timedelta(minutes=1)
    # What was decided meanwhile is told in one letter.
    assert run("send_pending_letters", commit=True) == "1 letters sent\n"
    assert f"{rows[2].depot.name} i jeszcze 1: zgłoszenie odrzucone" == mail.outbox[3].subject
    assert [mail.outbox[3].body.count(f"nr {row.pk} (") for row in rows] == [0, 0, 1, 1]
    assert isinstance(mailbox_free_at(hash_mailbox("j.an+x@opal.pl"), now[0]), datetime)
    assert not Submission.objects.unnotified().exists()


def test_the_command_sends_again_and_fails_while_it_cannot(settings, monkeypatch):
    now = [NOW]
    monkeypatch.setattr(timezone, "now", lambda: now[0])
    lost = factories.SubmissionFactory(decided=True, notification_pending=True)
    for former in ("send_pending_letters", "resend_letters"):  # the former name works for one version
        assert run(former) == "1 letters wait; add --commit to send them\n"
    assert run("purge_requests")
    settings.EMAIL_BACKEND = DOWN
    assert f"not sent: submission {lost.pk}; the log says why" in refusal("send_pending_letters", commit=True)
    settings.EMAIL_BACKEND = WORKING
    for minutes, letters in ((8, 0), (1, 1)):  # a slow mail server may take one for so long
        now[0] += timedelta(minutes=minutes)
        assert run("send_pending_letters", commit=True) == f"{letters} letters sent\n"
    assert not Submission.objects.unnotified().exists()
