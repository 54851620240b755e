"""What an owner hears of an entry that an editor removes, sets back or restores."""

from datetime import timedelta
from functools import partial

from django.core import mail
from django.test.utils import override_settings

from catalog.models import Decision, OwnerLink
from catalog.services import journal
from catalog.services.merging import merge_depots
from catalog.services.moderation import publish_depots, remove_depot, remove_depots, revoke_verification
from catalog.services.publishing import publish_depot
from catalog.submissions import letter_kinds, letters
from catalog.submissions.retention import purge_submissions
from tests import deciding, factories
from tests.client import message_of
from tests.mail import DOWN, outcomes, sent, words_of
from tests.pages.forms.conftest import link_in
from tests.pages.reading import expect


def test_an_owner_is_told_when_an_editor_removes_the_entry_and_when_it_is_back(client, priced, link, clock):
    editor = factories.UserFactory(username="ewa")
    remove_depot(depot=priced, reason="closed", by=editor, on=clock.now.date())
    with override_settings(EMAIL_BACKEND=DOWN):
        letters.send_waiting()
    clock.move(minutes=16)
    (letter,) = sent()
    assert sent() == []
    assert (letter.to, letter.subject) == (["jan@opal-nowak.pl"], "Skład opału Nowak: wpis usunięty")
    assert "usunęła Twój wpis z katalogu. Powód: skład zakończył działalność." in words_of(letter)
    assert "Twój adres usuniemy w ciągu doby" in words_of(letter)
    assert "http://127.0.0.1:8000/sklady/dodaj/?teryt=1261011" in letter.body
    publish_depot(depot=priced, by=editor, on=clock.now.date(), note="otwarty")
    (letter,) = sent()
    assert outcomes() == ["wpis usunięty", "Twój odnośnik znów działa"]
    assert client.get(link_in(letter)).status_code == 200
    assert sent() == []


def test_an_owner_is_told_when_the_entry_is_no_longer_the_owners(client, priced, link):
    revoke_verification(depot=priced, by=factories.UserFactory(username="ewa"))
    (letter,) = sent()
    assert outcomes() == ["wpis nie jest już Twój"]
    assert "cofnęła potwierdzenie, że ten wpis jest Twój" in words_of(letter)
    assert f"http://127.0.0.1:8000/sklad/{priced.pk}/przejmij/" in letter.body
    expect(client.get(link), "zastąpił go nowszy albo wpis nie jest już Twój.", status=404)


def test_a_late_letter_about_a_claim_does_not_say_that_a_removed_entry_is_the_owners(nowak, clock):
    claim, editor = factories.SubmissionFactory(depot=nowak, claim=True), factories.UserFactory(username="ewa")
    deciding.accept_submission(submission=claim, by=editor, on=clock.now)
    remove_depot(depot=factories.fresh(nowak), reason="closed", by=editor, on=clock.now.date())
    assert "potwierdzone przez właściciela" not in "".join(map(words_of, sent()))
    assert sorted(outcomes()) == ["przejęcie przyjęte", "wpis usunięty"]


def test_an_owner_is_told_once_of_several_entries(priced, link, branch, clock):
    keys, editor = [priced.pk, branch.pk], factories.UserFactory(username="ewa")
    remove_depots(keys=keys[:1], reason="duplicate", by=editor, on=clock.now.date())
    assert "Pozostałe Twoje wpisy zostają, a Twój odnośnik działa dla nich dalej." in words_of(*sent())
    publish_depots(keys=keys[:1], by=editor, on=clock.now.date())
    sent()
    remove_depots(keys=keys, reason="duplicate", by=editor, on=clock.now.date())
    (letter,) = sent()
    assert letter.subject == "Skład opału Nowak i jeszcze 1: wpis usunięty"
    assert words_of(letter).count("usunęła Twój wpis") == 2
    assert "Stan zgłoszenia" not in letter.body


def test_an_owner_is_told_of_an_entry_that_comes_back_while_the_letter_leaves(monkeypatch, priced, link, clock):
    editor, today = factories.UserFactory(username="ewa"), clock.now.date()
    remove_depot(depot=priced, reason="duplicate", by=editor, on=today)
    send = letters._send

    def send_late(messages):
        publish_depots(keys=[priced.pk], by=editor, on=today)
        return send(messages)

    monkeypatch.setattr(letters, "_send", send_late)
    letters.send(letter_kinds.OWNERSHIP_LETTERS)
    monkeypatch.setattr(letters, "_send", send)
    letters.send_waiting()
    assert outcomes() == ["wpis usunięty", "Twój odnośnik znów działa"]
    assert not OwnerLink.objects.exclude(letter_tried_at=None).exists()


def test_nobody_is_told_of_a_removal_that_is_undone_at_once_or_was_wanted_or_a_merge(priced, link, branch, clock):
    editor, today = factories.UserFactory(username="ewa"), clock.now.date()
    remove_depot(depot=priced, reason="closed", by=editor, on=today)
    journal.undo(decision=Decision.objects.latest("pk"), by=editor, on=clock.now)
    letters.send_waiting()
    merge_depots(survivor=factories.fresh(priced), loser=branch, take=[], by=editor, on=today)
    letters.send_waiting()
    wish = factories.SubmissionFactory(depot=priced, delete=True, email="jan@opal-nowak.pl")
    deciding.accept_submission(submission=wish, by=editor, on=clock.now)
    letters.send_waiting()
    purge_submissions(on=clock.now + timedelta(days=90))
    assert factories.fresh(wish).email_hash == ""
    letters.send_waiting()
    assert outcomes() == ["wpis usunięty"]
    assert "zgłoszenie nr" in words_of(mail.outbox[0])


def test_an_owner_is_told_of_a_removal_that_another_wanted(client, priced, link, clock):
    deletion, editor = factories.SubmissionFactory(depot=priced, delete=True), factories.UserFactory(username="ewa")
    decided = deciding.accept_submission(submission=deletion, by=editor, on=clock.now)
    (letter,) = (letter for letter in sent() if letter.to == ["jan@opal-nowak.pl"])
    assert "Redakcja przyjęła wniosek kogoś innego i usunęła Twój wpis z katalogu. Twój" in words_of(letter)
    journal.undo(decision=decided.decision, by=editor, on=clock.now, note="Nie był to właściciel.")
    assert any("Twój odnośnik znów działa" in letter.subject for letter in sent())


def test_the_desk_counts_the_letters_of_owners_whose_links_work_again(desk, commit, nowak, link, clock):
    claim, editor = factories.SubmissionFactory(depot=nowak, claim=True), factories.UserFactory(username="ewa")
    for decide in (
        partial(deciding.accept_submission, submission=claim, by=editor, on=clock.now + timedelta(hours=1)),
        partial(remove_depot, depot=nowak, reason="closed", by=editor, on=clock.now.date()),
    ):
        decide()
        letters.send_waiting()
        mail.outbox.clear()
        with commit():
            answer = deciding.undo_at_the_desk(desk, deciding.last())
        letters.send_waiting()
        subjects = [*{"decyzja cofnięta", "Twój odnośnik znów działa"}.intersection(outcomes())]
        assert "Twój odnośnik znów działa" in subjects
        assert f"Listy o cofnięciu: {len(subjects)}." in message_of(answer)
        clock.move(hours=2)
