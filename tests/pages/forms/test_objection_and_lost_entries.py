"""What owners hear of entries that others claim or want deleted, or that editors remove, set back or restore."""

from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.test.utils import override_settings

from catalog.models import Decision, OwnerLink, Submission
from catalog.services import journal
from catalog.services.editors import CHIEF
from catalog.services.merging import merge_depots
from catalog.services.moderation import publish_depots, remove_depot, remove_depots, revoke_verification
from catalog.services.publishing import publish_depot
from catalog.submissions import intake, letter_kinds, letters, objections, owner_links, tokens
from catalog.submissions.retention import CLAIM_KEEPS, purge_submissions
from tests import deciding, factories
from tests.beside import before_locking
from tests.client import context_of, message_of
from tests.mail import DOWN, REFUSING, outcomes, sent, words_of
from tests.pages.forms.conftest import CLAIM, link_in, token_of
from tests.pages.reading import expect, text_of

OBJECT = "/zgloszenia/sprzeciw/"


@pytest.fixture
def claim(nowak, link):
    """Another's confirmed claim of the entry, of which its owner has been told."""
    claim = factories.SubmissionFactory(depot=nowak, claim=True, email="ewa@opal.example")
    letters.send_waiting()
    return factories.fresh(claim)


@pytest.fixture
def chief():
    return factories.member(CHIEF, "szefowa")


def accept(claim, by, on, commit, **values):
    return commit(deciding.accept_submission, submission=claim, by=by, on=on, **values)


def send_objection(stranger, at):
    return stranger.answer(OBJECT, at, objection="Nie znam tej firmy.")


def test_the_owner_is_written_to_once_and_not_the_claimant_s_address(claim):
    letter = mail.outbox[-1]
    assert (letter.to, letter.subject) == (["jan@opal-nowak.pl"], "Skład opału Nowak: ktoś chce przejąć wpis")
    assert "zgłoś sprzeciw do 24 listopada 2026 r., 13:00" in words_of(letter)
    assert "ewa@" not in letter.body
    assert sent() == []


def test_of_two_owners_only_the_one_whose_mailbox_refuses_is_written_to_again(stranger, nowak, link, clock, settings):
    refused = owner_links.grant_link(depot=nowak, email="nobody@example.pl", on=clock.now)
    backend, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, REFUSING
    stranger.fill_and_confirm(f"/sklad/{nowak.pk}/przejmij/", **CLAIM, email="ewa@opal.example")
    claim = Submission.objects.get(kind="claim", state="waiting")
    for _ in range(3):
        clock.move(minutes=16)
        letters.send_waiting()
    told = [letter.to[0] for letter in mail.outbox if "chce przejąć" in letter.subject]
    assert (told, factories.fresh(claim).owner_told_at) == (["jan@opal-nowak.pl"], None)
    settings.EMAIL_BACKEND = backend
    clock.move(minutes=16)
    (letter,) = sent()
    assert (letter.to, factories.fresh(claim).owner_told_at) == ([refused.email], clock.now)


def test_for_three_days_since_the_letter_only_a_chief_accepts(claim, editor, chief, clock):
    told_at = claim.owner_told_at
    Submission.objects.update(owner_told_at=None)
    with pytest.raises(objections.OwnerMayObject):
        deciding.accept_submission(submission=claim, by=editor, on=told_at + timedelta(days=30))
    Submission.objects.update(owner_told_at=told_at)
    for on in (told_at, told_at + objections.OBJECTION_TIME - objections.OBJECTION_TIME / 1000):
        with pytest.raises(objections.OwnerMayObject):
            deciding.accept_submission(submission=claim, by=editor, on=on)
    assert factories.fresh(claim).state == "waiting"
    deciding.accept_submission(submission=claim, by=chief, on=told_at)


def test_after_three_days_one_link_works_and_the_former_owner_hears_it(client, claim, link, editor, clock, commit):
    clock.move(days=3)
    accept(claim, editor, clock.now, commit)
    told, granted = mail.outbox[-2:]
    assert (granted.to, told.to) == (["ewa@opal.example"], ["jan@opal-nowak.pl"])
    assert told.subject == "Skład opału Nowak: Twój odnośnik przestał działać"
    assert f"Twój adres usuniemy za 14 dni; {CLAIM_KEEPS}." in words_of(told)
    assert [client.get(one).status_code for one in (link, link_in(granted))] == [404, 200]
    assert list(OwnerLink.objects.working().values_list("email", flat=True)) == ["ewa@opal.example"]


def test_a_former_owner_of_one_entry_hears_that_the_others_stay(client, claim, link, branch, editor, clock, commit):
    clock.move(days=3)
    accept(claim, editor, clock.now, commit)
    told = mail.outbox[-2]
    assert told.subject == "Skład opału Nowak: ktoś inny przejął wpis"
    assert "Pozostałe Twoje wpisy zostają: jeśli Twój odnośnik przestał działać, poproś o nowy" in words_of(told)
    assert "usuniemy" not in words_of(told)


def test_a_former_owner_has_the_link_again_after_a_removal_for_a_night(client, claim, link, chief, clock):
    clock.move(days=3)
    decided = deciding.accept_submission(submission=claim, by=chief, on=clock.now)
    remove_depot(depot=factories.fresh(claim.depot), reason="duplicate", by=chief, on=clock.now.date())
    owner_links.forget_unused(on=clock.now + timedelta(days=1))
    for decision in (deciding.last(), decided.decision):
        journal.undo(decision=decision, by=chief, on=clock.now)
    assert client.get(link).status_code == 200
    owner_links.forget_unused(on=clock.now + timedelta(days=1))
    assert client.get(link).status_code == 200


def test_an_editor_keeps_both_links_on_purpose(client, claim, link, editor, clock, commit):
    clock.move(days=3)
    accept(claim, editor, clock.now, commit, keep_owners=True)
    assert [client.get(one).status_code for one in (link, link_in(mail.outbox[-1]))] == [200, 200]
    assert mail.outbox[-1].to == ["ewa@opal.example"]


def test_after_an_objection_a_chief_decides(client, stranger, claim, editor, chief, clock):
    at = link_in(mail.outbox[-1], "sprzeciw")
    for page in (send_objection(stranger, at), client.get(at)):
        assert "Dziękujemy za sprzeciw" in text_of(page)
    assert (factories.fresh(claim).objection, claim.objected_at) == ("Nie znam tej firmy.", clock.now)
    clock.move(days=4)
    with pytest.raises(objections.OwnerObjected):
        deciding.accept_submission(submission=claim, by=editor, on=clock.now)
    deciding.accept_submission(submission=claim, by=chief, on=clock.now)


def test_the_desk_shows_the_owner_the_time_and_the_objection(client, stranger, claim, editor, clock):
    page = deciding.page(claim)
    owner = "Wpis ma właściciela Od kiedy Adres Ostatnia zmiana 21 listopada 2026 r. j…@opal-nowak.pl –"
    expect(client.get(page), owner, "Sprzeciw może zgłosić do 24 listopada 2026", without=["jan@opal-nowak.pl"])
    opened = context_of(client, page)["opened"]
    assert "3 dni na sprzeciw" in text_of(client.post(page, {"decision": "accept", "opened": opened}))
    send_objection(stranger, link_in(mail.outbox[-1], "sprzeciw"))
    expect(client.get(page), "„Nie znam tej firmy.”. Przyjąć to zgłoszenie może tylko redaktor naczelny")


def test_an_owner_hears_of_a_wish_to_delete_the_entry_and_objects(client, stranger, nowak, link, editor, chief, clock):
    stranger.fill_and_confirm(f"/sklad/{nowak.pk}/usun/", role="owner", agreed="on", email="ewa@opal.example")
    deletion = Submission.objects.get(kind="delete", state="waiting")
    letter = mail.outbox[-1]
    assert (letter.to, letter.subject) == (["jan@opal-nowak.pl"], "Skład opału Nowak: ktoś chce usunąć wpis")
    expect(client.get(deciding.page(deletion)), "Wpis ma właściciela", without=["Zostaw też odnośnik"])
    with pytest.raises(objections.OwnerMayObject):
        deciding.accept_submission(submission=deletion, by=editor, on=clock.now)
    at = link_in(letter, "sprzeciw")
    expect(client.get(at), nowak.name, "Ktoś poprosił o usunięcie tego wpisu.")
    send_objection(stranger, at)
    clock.move(days=4)
    with pytest.raises(objections.OwnerObjected):
        deciding.accept_submission(submission=deletion, by=editor, on=clock.now)
    deciding.accept_submission(submission=deletion, by=chief, on=clock.now)
    assert factories.fresh(nowak).publication == "removed"


def test_an_owner_claims_again_without_asking_themselves(nowak, link, editor, clock):
    again = factories.SubmissionFactory(depot=nowak, claim=True, email="jan@opal-nowak.pl")
    assert sent() == []
    deciding.accept_submission(submission=again, by=editor, on=clock.now)


def test_the_new_owner_is_told_of_other_claims(claim, nowak, chief, clock, commit):
    third = factories.SubmissionFactory(depot=nowak, claim=True, owner_told_at=clock.now)
    accept(claim, chief, clock.now, commit)
    assert owners_asked_to_object()[-1] == "ewa@opal.example"
    assert factories.fresh(third).owner_told_at is not None


def test_an_owner_who_stays_beside_the_new_one_is_not_told_of_a_claim_again(claim, nowak, chief, clock, commit):
    factories.SubmissionFactory(depot=nowak, claim=True)
    letters.send_waiting()
    accept(claim, chief, clock.now, commit, keep_owners=True)
    assert owners_asked_to_object() == ["jan@opal-nowak.pl", "jan@opal-nowak.pl", "ewa@opal.example"]


def owners_asked_to_object():
    return [letter.to[0] for letter in mail.outbox if "chce przejąć" in letter.subject]


def test_the_other_owner_of_merged_entries_is_told_of_a_claim_of_one(claim, nowak, editor, clock):
    other = factories.DepotFactory(verified=True, data_status="owner")
    owner_links.grant_link(depot=other, email="ola@opal.example", on=clock.now)
    clock.move(days=4)
    merge_depots(survivor=other, loser=nowak, take=[], by=editor, on=clock.now.date())
    with pytest.raises(objections.OwnerMayObject):
        deciding.accept_submission(submission=claim, by=editor, on=clock.now)
    letters.send_waiting()
    assert "ola@opal.example" in owners_asked_to_object()


def test_an_owner_whose_link_comes_back_is_told_of_a_claim_made_meanwhile(claim, nowak, editor, clock, commit):
    clock.move(days=4)
    decided = accept(claim, editor, clock.now, commit)
    factories.SubmissionFactory(depot=nowak, claim=True, email="ola@opal.example")
    letters.send_waiting()
    journal.undo(decision=decided.decision, by=editor, on=clock.now)
    clock.move(hours=1)
    letters.send_waiting()
    assert owners_asked_to_object() == ["jan@opal-nowak.pl", "ewa@opal.example", "jan@opal-nowak.pl"]


def test_an_objection_is_erased_with_the_claim_and_too_late_after_it(client, stranger, claim, chief, clock, commit):
    at = link_in(mail.outbox[-1], "sprzeciw")
    send_objection(stranger, at)
    commit(deciding.reject_submission, submission=claim, reason="Sprzeciw właściciela.", by=chief, on=clock.now)
    assert client.get(at).status_code == 409
    clock.move(days=90)
    purge_submissions(on=clock.now)
    assert factories.fresh(claim).objection == ""


def test_a_removed_entry_is_asked_back_and_an_editor_decides(client, stranger, editor, nowak, clock, commit):
    deletion = factories.SubmissionFactory(depot=nowak, delete=True, email="jan@opal-nowak.pl", mailed_at=clock.now)
    commit(deciding.accept_submission, submission=deletion, by=editor, on=clock.now)
    path = link_in(mail.outbox[-1], "przywroc")
    expect(client.get(path), nowak.name)
    typed = stranger.type(path, znak=token_of(path), message="Pomyłka.")
    assert not Submission.objects.filter(kind="restore").exists()
    for _ in range(2):
        assert "Prośba wysłana" in text_of(stranger.send("/zgloszenia/przywroc/", typed))
    waiting = Submission.objects.get(kind="restore", state="waiting")
    assert (waiting.email, waiting.message) == ("jan@opal-nowak.pl", "Pomyłka.")
    assert factories.fresh(nowak).publication == "removed"
    expect(client.get(deciding.page(waiting)), "Przywróć wpis i następne")
    result = commit(deciding.accept_submission, submission=waiting, by=editor, on=clock.now)
    assert (factories.fresh(nowak).publication, nowak.removed_at, nowak.removal_reason) == ("published", None, "")
    assert (mail.outbox[-1].subject, client.get(path).status_code) == ("Skład opału Nowak: wpis wrócił", 410)
    assert "Jeśli godziny albo ceny są nieaktualne, przejmij wpis i zmień je." in words_of(mail.outbox[-1])
    journal.undo(decision=result.decision, by=editor, on=clock.now)
    assert factories.fresh(nowak).publication == "removed"
    nowak.data_status, nowak.verified_at, nowak.verified_by = "owner", clock.now.date(), editor
    nowak.save()
    owner_links.grant_link(depot=nowak, email="jan@opal-nowak.pl", on=clock.now)
    clock.move(hours=1)  # a mailbox gets three letters an hour
    commit(deciding.accept_submission, submission=waiting, by=editor, on=clock.now)
    expect(client.get(link_in(mail.outbox[-1], "moj-sklad")), nowak.name)


@pytest.mark.parametrize("meanwhile", ["restored", "erased"])
def test_an_entry_is_not_asked_back_that_is_back_or_by_whom_is_erased_meanwhile(editor, nowak, clock, meanwhile):
    deletion = factories.SubmissionFactory(depot=nowak, delete=True)
    deciding.accept_submission(submission=deletion, by=editor, on=clock.now)
    acts = {
        "restored": partial(publish_depot, depot=nowak, on=clock.now.date(), by=editor, note="Pomyłka."),
        "erased": partial(purge_submissions, on=clock.now + timedelta(days=90)),
    }
    with before_locking(acts[meanwhile]), pytest.raises(intake.NotRestorable):
        intake.ask_restoring(token=tokens.RESTORE.token(deletion.pk), text="", client="192.0.2.7", on=clock.now)
    assert not Submission.objects.filter(kind="restore").exists()


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
        answer = commit(deciding.undo_at_the_desk, desk, deciding.last())
        letters.send_waiting()
        subjects = [*{"decyzja cofnięta", "Twój odnośnik znów działa"}.intersection(outcomes())]
        assert "Twój odnośnik znów działa" in subjects
        assert f"Listy o cofnięciu: {len(subjects)}." in message_of(answer)
        clock.move(hours=2)
