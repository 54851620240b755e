"""One letter about all decisions that wait for it."""

from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from catalog.models import Decision, Submission
from catalog.services import journal
from catalog.submissions import decisions, letters
from catalog.submissions.letter_kinds import DECISION_LETTERS
from tests import deciding, factories
from tests.commands import run
from tests.factories import NOW

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


def test_decisions_made_together_are_one_letter_with_each_entry(owned, commit):
    with commit():
        decisions.decide_possible(
            submissions=[row.pk for row in owned], rejection="Nie.", by=factories.UserFactory(), on=NOW
        )
    (letter,) = mail.outbox
    assert letter.subject == "Opał Nowak i jeszcze 3: zgłoszenie odrzucone"
    html, _ = letter.alternatives[0]
    for text in (letter.body, html.replace("\xa0", " ")):
        places = [text.index(f"nr {row.pk} (") for row in (owned[0], *owned[2:0:-1], *owned[3:])]
        assert places == sorted(places)
        assert [text.count(word) for word in ("Dzień dobry", "Jeśli to nasza pomyłka", "/stan/")] == [1, 1, 4]
    assert not Submission.objects.unnotified().exists()
    with commit():
        undone = journal.undo(decision=Decision.objects.get(), by=factories.UserFactory(), on=NOW)
    assert (undone.reopened, len(undone.letters), len(mail.outbox)) == (5, 1, 2)
    assert mail.outbox[1].subject == "Opał Nowak i jeszcze 3: decyzja cofnięta"


def test_what_is_said_of_one_entry_stands_with_it(owned):
    deciding.accept_submission(submission=owned[2], by=factories.UserFactory(), on=NOW)
    deciding.reject_submission(submission=owned[1], reason="Nie.", by=factories.UserFactory(), on=NOW)
    letters.send_waiting()
    for text in (mail.outbox[0].body, mail.outbox[0].alternatives[0][0].replace("\xa0", " ")):
        parts = ("Nie.", "Jeśli to nasza pomyłka", "(przejęcie wpisu)", "Pod tym odnośnikiem", "Zachowaj tę wiadomość")
        assert [*map(text.index, parts)] == sorted(map(text.index, parts))


def test_a_decision_made_while_a_letter_leaves_has_its_own():
    rows = told(3)
    Submission.objects.filter(pk__gt=rows[0].pk).update(letter_tried_at=(leaving := timezone.now()))
    assert letters.send_waiting() == letters.Told()
    DECISION_LETTERS.done([rows[1]], leaving)
    assert [*Submission.objects.unnotified()] == rows[:1]
    assert letters.send_waiting().sent == (f"submission {rows[0].pk}",)


def test_the_command_leaves_a_letter_that_a_slow_mail_server_may_still_be_taking():
    told(1)
    Submission.objects.update(letter_tried_at=timezone.now() - timedelta(minutes=8))
    assert (run("send_pending_letters", commit=True), mail.outbox) == ("0 letters sent\n", [])


def test_a_decision_is_told_once_when_the_row_that_stands_for_it_vanishes_while_the_letter_leaves(monkeypatch):
    rows = told(2)
    send = letters._send
    monkeypatch.setattr(letters, "_send", lambda messages: (rows[0].delete(), send(messages))[1])
    letters.send_waiting()
    assert letters.send_waiting(retry=timedelta()) == letters.Told()
    assert len(mail.outbox) == 1


def test_a_decision_undone_while_its_letter_leaves_is_told_too(owned):
    decisions.decide_possible(submissions=[owned[0].pk], rejection="Nie.", by=factories.UserFactory(), on=NOW)
    Submission.objects.filter(pk=owned[0].pk).update(letter_tried_at=timezone.now())
    journal.undo(decision=Decision.objects.get(), by=factories.UserFactory(), on=NOW)
    assert letters.send_waiting() == letters.Told()
    letters.send_waiting(retry=timedelta())
    assert [letter.subject for letter in mail.outbox] == ["Opał Nowak: decyzja cofnięta"]
