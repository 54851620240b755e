"""A question to the author of a submission: asked at the desk, answered by the link in the letter, read at the desk."""

import pytest
from django.core import mail
from django.core.management import call_command
from django.urls import reverse

from catalog.models import Submission, SubmissionQuestion
from catalog.submissions import retention
from tests import bulk, deciding, factories
from tests.client import context_of, message_of
from tests.pages.forms.conftest import link_in, token_of
from tests.pages.reading import SCRIPT, expect, text_of

ADDRESS = "/zgloszenia/odpowiedz/"
QUEUE = reverse("admin:catalog_submission_changelist")


@pytest.fixture
def submission(nowak):
    return factories.SubmissionFactory(depot=nowak, email="jan@opal-nowak.pl")


@pytest.fixture
def ask(client, commit):
    """Ask at the desk, with the letter; returns the answer of the desk."""

    def act(submission, text, decision="ask"):
        client.force_login(factories.UserFactory())
        return commit(client.post, deciding.page(submission), {"decision": decision, "question": text})

    return act


def shown_of(client, address, query):
    return [row.pk for row in context_of(client, address, query)["cl"].result_list]


def test_an_author_is_asked_answers_and_is_read(client, stranger, ask, submission, caplog):
    assert "czeka na odpowiedź autora." in message_of(ask(submission, "Czy to numer\n  biura?"))
    (letter,) = mail.outbox
    assert letter.subject == "Skład opału Nowak: pytanie redakcji"
    assert "„Czy to numer biura?”" in letter.body
    assert shown_of(client, QUEUE, {"question": "open"}) == [submission.pk]
    expect(client.get(QUEUE), "czeka na odpowiedź autora")
    link, status = link_in(letter, "odpowiedz"), link_in(letter, "stan")
    expect(client.get(link), f"Poprawka, zgłoszenie nr {submission.pk} Czy to numer biura?")
    expect(client.get(status), "Odpowiedź na pytanie otwórz odnośnik z wiadomości", without=["numer biura"])
    assert 'class="ahead"><span>Odpowiedź na pytanie' in client.get(status).content.decode()
    expect(stranger.answer(ADDRESS, link, answer=f"Tak.\nOd maja. {SCRIPT}"), "Dziękujemy za odpowiedź", status=302)
    assert factories.fresh(submission).state == "waiting"
    page = client.get(deciding.page(submission))
    expect(page, "Tak. Od maja.", "21 listopada 2026")
    assert SCRIPT not in page.content.decode()
    expect(client.get(QUEUE), "autor odpowiedział")
    expect(client.get(reverse("admin:index")), "Odpowiedzi autorów na pytania 1")
    expect(client.get(status), "Odpowiedź na pytanie 21 listopada 2026 r.")
    assert caplog.records
    for secret in (token_of(link), "Od maja", "numer biura", "jan@"):
        assert secret not in caplog.text
        assert all(secret not in str(record.__dict__) for record in caplog.records)


def test_one_question_at_a_time_and_none_about_what_is_closed_or_erased(client, ask, submission, nowak):
    assert "wpisz pytanie" in text_of(ask(submission, " \n"))
    ask(submission, "Pierwsze?")
    assert "nie odpowiedział jeszcze" in text_of(ask(submission, "Drugie?"))
    SubmissionQuestion.objects.update(answer="Tak.", answered_at=submission.confirmed_at)
    assert "czeka na odpowiedź autora." in message_of(ask(submission, "Drugie?"))
    assert "już nie czeka" in text_of(ask(factories.SubmissionFactory(decided=True), "Po co?"))
    assert SubmissionQuestion.objects.count() == 2
    # A letter without an address would keep all other questions from leaving.
    erased = factories.SubmissionFactory(depot=nowak, passed_on=True, email="", email_hash="", erased_at=factories.NOW)
    assert "już nie czeka" in text_of(ask(erased, "Czy to cena z dowozem?"))
    assert not context_of(client, deciding.page(erased))["may_ask"]


def test_an_open_question_bars_accepting_in_bulk_and_not_alone(client, ask, submission, stranger, clock):
    ask(submission, "Czy to numer biura?")
    bulk.act(client, QUEUE, "accept", submission)
    assert factories.fresh(submission).state == "waiting"
    link = link_in(mail.outbox[0], "odpowiedz")
    typed = stranger.type(link, znak=token_of(link), answer="Tak.")
    deciding.accept_submission(submission=submission, by=factories.UserFactory(), on=clock.now)
    assert client.get(link).status_code == 409
    assert "jest już zamknięte" in text_of(stranger.send(ADDRESS, typed))
    assert SubmissionQuestion.objects.get().answered_at is None


def test_the_author_of_a_price_is_asked_too(client, ask, nowak, stranger, clock):
    submission = factories.SubmissionFactory(depot=nowak, passed_on=True)
    price = factories.DepotPriceFactory(depot=nowak, submission=submission, origin="submission", pending=True)
    prices = reverse("admin:prices_depotprice_changelist")
    at = deciding.page(submission)
    assert "czeka na odpowiedź autora." in message_of(ask(submission, "Czy to cena z dowozem?"))
    assert at in client.get(reverse("admin:prices_depotprice_change", args=[price.pk])).content.decode()
    expect(client.get(prices), "czeka na odpowiedź autora")
    bulk.act(client, prices, "approve", price)
    assert factories.fresh(price).status == "pending"
    assert stranger.answer(ADDRESS, link_in(mail.outbox[0], "odpowiedz"), answer="Bez dowozu.").status_code == 302
    expect(client.get(at), "Bez dowozu.")
    expect(client.get(prices), "autor odpowiedział")
    assert shown_of(client, QUEUE, {"state": "all", "question": "answered"}) == [submission.pk]
    bulk.act(client, prices, "approve", price)
    assert "już nie czeka" in text_of(ask(submission, "A worek?"))


def test_a_question_counts_among_the_letters_of_a_mailbox_and_leaves_later(ask, submission, clock, capsys):
    others = [factories.SubmissionFactory(email="Jan+1@opal-nowak.pl") for _ in range(3)]
    for one in (*others, submission):
        ask(one, "Czy to numer biura?")
    assert SubmissionQuestion.objects.open().get(sent_at=None).submission == submission
    assert "list jeszcze nie wyszedł" in text_of(ask(submission, "Halo?"))
    assert len(mail.outbox) == 3
    call_command("send_pending_letters")
    assert capsys.readouterr().out == "1 letters wait; add --commit to send them\n"
    clock.move(hours=1)
    call_command("send_pending_letters", commit=True)
    assert len(mail.outbox) == 4
    assert not SubmissionQuestion.objects.open().filter(sent_at=None).exists()


def test_an_answer_that_cannot_be_is_not_taken(client, stranger, ask, submission):
    ask(submission, "Czy to numer biura?")
    link = link_in(mail.outbox[0], "odpowiedz")
    for text in ("", "x\x00y", "x" * 2001):
        assert stranger.answer(ADDRESS, link, answer=text).status_code == 400
    typed = stranger.type(link, znak=token_of(link))
    for answer in ("Tak.", "Nie."):  # the second from a page that was still open
        assert stranger.send(ADDRESS, typed | {"answer": answer}).status_code == 302
    assert SubmissionQuestion.objects.get().answer == "Tak."


def test_questions_go_with_the_personal_data(client, ask, submission, clock):
    waiting = factories.SubmissionFactory()
    for one in (submission, waiting):
        ask(one, "Czy to numer biura?")
    link = link_in(mail.outbox[0], "odpowiedz")
    deciding.reject_submission(submission=submission, reason="Nie.", by=factories.UserFactory(), on=clock.now)
    retention.purge_submissions(on=clock.now + retention.KEPT)
    assert [one.submission for one in SubmissionQuestion.objects.all()] == [waiting]
    assert client.get(link).status_code == 404
    Submission.objects.filter(pk=waiting.pk).update(expiry_letter_at=clock.now)
    purged = retention.purge_submissions(on=clock.now + retention.KEPT_UNDECIDED)
    assert (purged.expired, SubmissionQuestion.objects.count()) == (1, 0)
