"""The confirmation link: used twice, expired, superseded, mistyped; and e-mails that could not be sent."""

import re

import pytest
from django.core import mail
from django.core.management import call_command

from catalog.models import Depot, Submission
from catalog.services.moderation import remove_depot
from catalog.submissions import letters
from catalog.submissions.retention import purge_submissions
from tests import deciding, factories
from tests.mail import DOWN, WORKING
from tests.pages.forms.conftest import CLAIM, OWNER, token_of
from tests.pages.reading import expect, text_of

CONFIRM = "/zgloszenia/potwierdz/"
FIRST, SECOND = {"phone": "601 234 567"}, {"phone": "602 234 567"}


@pytest.fixture
def sent(stranger, path):
    stranger.fill(path, **FIRST)
    return stranger.link()


@pytest.fixture
def status(stranger, path):
    """The page of a correction that was sent at 13:00:10 in Warsaw."""
    return stranger.fill(path, **FIRST)["Location"]


def refused(client, link, status, words=""):
    """Hold to a status what comes of opening a link and of pressing its button. Returns the page."""
    shown, pressed = client.get(link), client.post(CONFIRM, {"odnosnik": token_of(link)})
    assert expect(shown, words, status=status) == expect(pressed, status=status)
    return shown.content.decode()


def test_a_link_works_once_and_says_also_later_that_the_submission_counts(client, stranger, sent, clock):
    stranger.confirm(sent)
    for hours in (0, 49):
        clock.move(hours=hours)
        page = refused(client, sent, 409, "Zgłoszenie jest już potwierdzone")
    way = re.search(r'href="([^"]+)"[^>]*>Zobacz stan zgłoszenia', page)[1]
    expect(client.get(way), "czeka na decyzję redakcji")
    assert Submission.objects.get().state == "waiting"


def test_a_link_lives_for_two_days(client, path, sent, clock):
    clock.move(hours=47.9)
    assert client.get(sent).status_code == 200
    clock.move(hours=0.2)
    again = f'<a href="{path}">Wypełnij formularz jeszcze raz</a>'
    assert again in refused(client, sent, 410, "Odnośnik wygasł")
    purge_submissions(on=clock.now)
    assert again not in refused(client, sent, 410)
    assert not Submission.objects.exists()


def test_a_link_that_is_not_needed_any_more_is_not_sent_again(client, stranger, path):
    page = stranger.fill_and_confirm(path, **FIRST)
    mail.outbox.clear()
    answer = client.post(page)
    assert (answer.status_code, answer["Location"], mail.outbox) == (302, page, [])


def test_a_newer_submission_replaces_an_unconfirmed_one(client, stranger, path, sent):
    stranger.fill(path, **SECOND)
    refused(client, sent, 409, "Jest nowszy odnośnik")
    assert stranger.confirm().status_code == 302


def test_nobody_who_knows_the_address_replaces_an_unconfirmed_submission(stranger, path, sent):
    assert stranger.fill(path, network="192.0.2.7", **SECOND).status_code == 302
    assert stranger.confirm(sent).status_code == 302
    assert Submission.objects.waiting().get().proposed == {"phone": "+48 601 234 567"}


@pytest.mark.parametrize(
    ("form", "typed"), [("przejmij", CLAIM), ("usun", {"role": "owner", "agreed": "on"}), ("popraw", FIRST)]
)
def test_of_two_submissions_for_the_same_the_newer_waits_once_it_is_confirmed(stranger, nowak, form, typed):
    stranger.fill_and_confirm(f"/sklad/{nowak.pk}/{form}/", **typed)
    first = Submission.objects.get()
    stranger.fill(f"/sklad/{nowak.pk}/{form}/", **typed)
    assert factories.fresh(first).state == "waiting"  # whoever knows the address cannot push it aside
    stranger.confirm()
    assert factories.fresh(first).state == "superseded"
    assert Submission.objects.waiting().count() == 1


def test_a_second_correction_waits_beside_the_first_and_both_are_done(stranger, nowak, path, clock):
    for said in (FIRST, SECOND | {"place": "Wieliczka"}):
        stranger.fill_and_confirm(path, **said)
    editor = factories.UserFactory()
    for submission in Submission.objects.waiting().order_by("pk"):
        deciding.accept_submission(submission=submission, by=editor, on=clock.now)
    assert (factories.fresh(nowak).phone, nowak.place) == ("+48 602 234 567", "Wieliczka")


@pytest.mark.parametrize("kind", ["popraw", "przejmij", "dodaj"])
def test_a_form_sent_twice_is_one_submission_and_one_letter(stranger, nowak, kind):
    path, typed = {
        "popraw": (f"/sklad/{nowak.pk}/popraw/", FIRST | {"mon": "8-16"}),
        "przejmij": (f"/sklad/{nowak.pk}/przejmij/", CLAIM | {"message": "Dzwoń rano."}),
        "dodaj": ("/sklady/dodaj/", {"name": "Opał", "place": "Kraków", "lat": "50,0614", "lon": "19,9366"}),
    }[kind]
    typed = stranger.type(path, **typed)
    first, second = stranger.send(path, typed), stranger.send(path, typed)
    assert (first.status_code, second["Location"]) == (302, first["Location"])
    assert (Submission.objects.count(), len(mail.outbox)) == (1, 1)
    assert stranger.confirm().status_code == 302
    assert Submission.objects.get().state == "waiting"
    # Senders from another network do not learn of it.
    assert stranger.send(path, typed, REMOTE_ADDR="192.0.2.7")["Location"] != first["Location"]
    assert len(mail.outbox) == 2


def test_the_entry_was_removed_meanwhile(client, nowak, sent, clock):
    remove_depot(depot=nowak, reason=Depot.RemovalReason.CLOSED, on=clock.now.date())
    refused(client, sent, 410, "skład zakończył działalność")
    assert Submission.objects.get().state == "superseded"


def test_a_link_that_is_not_ours(client):
    number = str(factories.SubmissionFactory().pk)
    for path, name, words in (
        (CONFIRM, "odnosnik", "Odnośnik jest niepełny"),
        (OWNER, "odnosnik", "Ten odnośnik nie działa"),
        ("/zgloszenia/odpowiedz/", "znak", "Nie ma takiego pytania"),
        ("/zgloszenia/sprzeciw/", "znak", ""),
        ("/zgloszenia/stan/", "znak", ""),
    ):
        for token in ("", "x", "a:b:c", "MQ:MQ", "ą", "x" * 5000, "\x00", "%00", "<script>", number):
            for answer in (client.get(path, {name: token}), client.post(path, {name: token})):
                expect(answer, words, status=404)
                assert "<script>" not in answer.content.decode()


def test_a_mail_server_that_is_down_loses_nothing(client, stranger, path, clock, settings, caplog):
    settings.EMAIL_BACKEND = DOWN
    status = stranger.fill(path, **FIRST)["Location"]
    later = "serwer pocztowy nie przyjął wiadomości z odnośnikiem. Wyślemy ją jeszcze raz po 13:16"
    expect(client.get(status), later)
    assert "ConnectionRefusedError" in caplog.text
    assert "jan@" not in caplog.text
    settings.EMAIL_BACKEND = WORKING
    clock.move(minutes=15)
    call_command("send_pending_letters", commit=True)
    expect(client.get(status), "Sprawdź pocztę")
    assert stranger.confirm().status_code == 302


def test_a_link_is_sent_again_twice_after_pauses_that_grow_and_only_the_last_one_works(client, stranger, status):
    first = stranger.link()
    expect(client.get(status), "Wiadomość można wysłać jeszcze raz po 13:02.")
    stranger.clock.move(seconds=59)
    answer = stranger.send(status, {})
    expect(answer, "Odnośnik można wysłać jeszcze raz po 13:02.", status=429)
    assert answer["Retry-After"] == "1"
    stranger.clock.move(seconds=1)
    assert stranger.send(status, {}).status_code == 302
    assert [client.get(link).status_code for link in (first, stranger.link())] == [409, 200]
    stranger.clock.move(minutes=4, seconds=59)
    assert stranger.send(status, {}).status_code == 429
    stranger.clock.move(seconds=1)
    assert "można wysłać jeszcze raz" not in text_of(client.get(status))
    assert stranger.send(status, {}).status_code == 302
    stranger.clock.move(hours=2)
    expect(stranger.send(status, {}), "Odnośnik wysłaliśmy już kilka razy", status=429)
    assert len(mail.outbox) == 3


def test_the_page_of_a_submission_forgets_after_two_days(client, status, clock):
    clock.move(hours=49)
    assert client.get(status).status_code == 404


def test_a_link_that_is_sent_again_late_has_its_page_before_the_letter_leaves(client, status, clock):
    for hours in (47, 3):
        clock.move(hours=hours)
        assert client.post(status).status_code == 302
        if hours == 47:
            letters.send_waiting()
    expect(client.get(status), "Wysyłamy wiadomość z odnośnikiem", "czekamy do 25 listopada 2026 r., 15:00")


def test_a_replaced_submission_says_when_it_goes(client, stranger, path, status, clock):
    clock.move(minutes=10)
    stranger.fill(path, **SECOND)
    expect(client.get(status), "Usuniemy Twoje dane 23 listopada 2026 r.")
    clock.move(hours=48)
    purge_submissions(on=clock.now)
    assert client.get(status).status_code == 404
