"""The confirmation link: used twice, expired, superseded, mistyped; and e-mails that could not be sent."""

import re

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import call_command

from catalog.models import Depot, Submission
from catalog.services.moderation import remove_depot
from catalog.submissions.retention import purge_submissions
from tests import deciding, factories
from tests.pages.forms.conftest import CLAIM
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db

CONFIRM = "/zgloszenia/potwierdz/"


def open_and_press(client, link):
    """Return statuses and texts of opening a link, and of pressing its button."""
    shown, pressed = client.get(link), client.post(CONFIRM, {"odnosnik": link.partition("=")[2]})
    return (shown.status_code, pressed.status_code), text_of(shown), text_of(pressed)


@pytest.mark.parametrize("hours", [0, 49])
def test_a_link_works_once_and_says_also_later_that_the_submission_counts(client, stranger, nowak, clock, hours):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    link = stranger.link()
    stranger.confirm(link)
    clock.move(hours=hours)
    statuses, shown, pressed = open_and_press(client, link)
    assert statuses == (409, 409)
    assert "Zgłoszenie jest już potwierdzone" in shown
    assert shown == pressed
    way = re.search(r'href="([^"]+)"[^>]*>Zobacz stan zgłoszenia', client.get(link).content.decode())[1]
    assert "czeka na decyzję redakcji" in text_of(client.get(way))
    assert Submission.objects.get().state == "waiting"


@pytest.mark.parametrize(("hours", "works"), [(47.9, True), (48.1, False)])
def test_a_link_lives_for_two_days(client, stranger, nowak, clock, hours, works):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    link = stranger.link()
    clock.move(hours=hours)
    assert client.get(link).status_code == (200 if works else 410)
    if works:
        return
    statuses, shown, _ = open_and_press(client, link)
    assert statuses == (410, 410)
    assert "Odnośnik wygasł" in shown
    again = f'<a href="/sklad/{nowak.pk}/popraw/">Wypełnij formularz jeszcze raz</a>'
    assert again in client.get(link).content.decode()
    purge_submissions(on=clock.now)
    assert open_and_press(client, link)[0] == (410, 410)
    assert again not in client.get(link).content.decode()
    assert not Submission.objects.exists()


def test_a_link_that_is_not_needed_any_more_is_not_sent_again(client, stranger, nowak):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    page = stranger.confirm().headers["Location"]
    mail.outbox.clear()
    answer = client.post(page)
    assert (answer.status_code, answer["Location"]) == (302, page)
    assert mail.outbox == []


def test_a_newer_submission_replaces_an_unconfirmed_one(client, stranger, nowak):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    old = stranger.link()
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="602 234 567")
    statuses, shown, _ = open_and_press(client, old)
    assert statuses == (409, 409)
    assert "Jest nowszy odnośnik" in shown
    assert stranger.confirm().status_code == 302


def test_nobody_who_knows_the_address_replaces_an_unconfirmed_submission(client, stranger, nowak):
    path = f"/sklad/{nowak.pk}/popraw/"
    stranger.fill(path, phone="601 234 567")
    owners = stranger.link()
    assert stranger.fill(path, network="192.0.2.7", phone="602 234 567").status_code == 302
    assert stranger.confirm(owners).status_code == 302
    assert Submission.objects.waiting().get().proposed == {"phone": "+48 601 234 567"}


@pytest.mark.parametrize(
    ("form", "typed"),
    [
        ("przejmij", CLAIM),
        ("usun", {"role": "owner", "agreed": "on"}),
        ("popraw", {"phone": "601 234 567"}),
    ],
)
def test_of_two_submissions_for_the_same_the_newer_waits_once_it_is_confirmed(stranger, nowak, form, typed):
    stranger.fill(f"/sklad/{nowak.pk}/{form}/", **typed)
    stranger.confirm()
    first = Submission.objects.get()
    stranger.fill(f"/sklad/{nowak.pk}/{form}/", **typed)
    assert factories.fresh(first).state == "waiting"  # whoever knows the address cannot push it aside
    stranger.confirm()
    assert factories.fresh(first).state == "superseded"
    assert Submission.objects.waiting().count() == 1


def test_a_second_correction_waits_beside_the_first_and_both_are_done(stranger, nowak, clock):
    path = f"/sklad/{nowak.pk}/popraw/"
    for said in ({"phone": "601 234 567"}, {"phone": "602 234 567", "place": "Wieliczka"}):
        stranger.fill(path, **said)
        stranger.confirm()
    first, second = Submission.objects.waiting().order_by("pk")
    editor = factories.UserFactory()
    for submission in (first, second):
        deciding.accept_submission(submission=submission, by=editor, on=clock.now)
    assert (factories.fresh(nowak).phone, nowak.place) == ("+48 602 234 567", "Wieliczka")


@pytest.mark.parametrize("kind", ["popraw", "przejmij", "dodaj"])
def test_a_form_sent_twice_is_one_submission_and_one_letter(stranger, nowak, kind):
    path, typed = {
        "popraw": (f"/sklad/{nowak.pk}/popraw/", {"phone": "601 234 567", "mon": "8-16"}),
        "przejmij": (f"/sklad/{nowak.pk}/przejmij/", CLAIM | {"message": "Dzwoń rano."}),
        "dodaj": ("/sklady/dodaj/", {"name": "Opał", "place": "Kraków", "lat": "50,0614", "lon": "19,9366"}),
    }[kind]
    typed = stranger.show(path) | typed
    stranger.clock.move(seconds=10)
    first, second = stranger.send(path, typed), stranger.send(path, typed)
    assert (first.status_code, second["Location"]) == (302, first["Location"])
    assert (Submission.objects.count(), len(mail.outbox)) == (1, 1)
    assert stranger.confirm().status_code == 302
    assert Submission.objects.get().state == "waiting"


def test_a_form_sent_twice_tells_another_network_nothing(stranger, nowak):
    path = f"/sklad/{nowak.pk}/popraw/"
    typed = stranger.show(path) | {"phone": "601 234 567"}
    stranger.clock.move(seconds=10)
    first, second = stranger.send(path, typed), stranger.send(path, typed, REMOTE_ADDR="192.0.2.7")
    assert first["Location"] != second["Location"]
    assert len(mail.outbox) == 2


def test_the_entry_was_removed_meanwhile(client, stranger, nowak, clock):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    remove_depot(depot=nowak, reason=Depot.RemovalReason.CLOSED, on=clock.now.date())
    statuses, shown, _ = open_and_press(client, stranger.link())
    assert statuses == (410, 410)
    assert "skład zakończył działalność" in shown
    assert Submission.objects.get().state == "superseded"


def test_a_link_that_is_not_ours(client, db):
    for path, name, words in (
        (CONFIRM, "odnosnik", "Odnośnik jest niepełny"),
        ("/zgloszenia/moj-sklad/", "odnosnik", "Ten odnośnik nie działa"),
        ("/zgloszenia/odpowiedz/", "znak", "Nie ma takiego pytania"),
        ("/zgloszenia/sprzeciw/", "znak", ""),
    ):
        for token in ("", "x", "a:b:c", "MQ:MQ", "ą", "x" * 5000, "\x00", "%00", "<script>"):
            for answer in (client.get(path, {name: token}), client.post(path, {name: token})):
                assert answer.status_code == 404
                assert words in text_of(answer)
                assert "<script>" not in answer.content.decode()


def test_a_link_of_another_submission_does_not_fit(client, stranger, nowak):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    Submission.objects.update(token_hash="0" * 64)
    assert client.get(stranger.link()).status_code == 409


class Down(EmailBackend):
    down = True

    def send_messages(self, messages):
        if Down.down:
            raise ConnectionRefusedError(111, "Connection refused by mail.example.pl for jan@opal-nowak.pl")
        return super().send_messages(messages)


def test_a_mail_server_that_is_down_loses_nothing(client, stranger, nowak, clock, settings, caplog, monkeypatch):
    settings.EMAIL_BACKEND = f"{__name__}.Down"
    monkeypatch.setattr(Down, "down", True)
    status = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")["Location"]
    page = client.get(status)
    assert page.status_code == 200
    assert "serwer pocztowy nie przyjął wiadomości z odnośnikiem. Wyślemy ją jeszcze raz po 13:16" in text_of(page)
    assert "ConnectionRefusedError" in caplog.text
    assert "jan@" not in caplog.text
    monkeypatch.setattr(Down, "down", False)
    clock.move(minutes=15)
    call_command("send_pending_letters", commit=True)
    assert "Sprawdź pocztę" in text_of(client.get(status))
    assert stranger.confirm().status_code == 302


def test_a_link_is_sent_again_a_few_times_and_only_the_last_one_works(client, stranger, nowak):
    status = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")["Location"]
    first = stranger.link()
    stranger.clock.move(minutes=1)
    assert stranger.send(status, {}).status_code == 302
    assert client.get(first).status_code == 409
    assert client.get(stranger.link()).status_code == 200
    stranger.clock.move(minutes=5)
    assert stranger.send(status, {}).status_code == 302
    stranger.clock.move(hours=2)
    answer = stranger.send(status, {})
    assert (answer.status_code, len(mail.outbox)) == (429, 3)
    assert "Odnośnik wysłaliśmy już kilka razy" in text_of(answer)


def test_a_link_is_sent_again_after_a_pause_that_grows(client, stranger, nowak):
    status = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")["Location"]  # at 13:00:10 in Warsaw
    assert "Wiadomość można wysłać jeszcze raz po 13:02." in text_of(client.get(status))
    stranger.clock.move(seconds=59)
    answer = stranger.send(status, {})
    assert (answer.status_code, answer["Retry-After"]) == (429, "1")
    assert "Odnośnik można wysłać jeszcze raz po 13:02." in text_of(answer)
    stranger.clock.move(seconds=1)
    assert stranger.send(status, {}).status_code == 302
    stranger.clock.move(minutes=4, seconds=59)
    assert stranger.send(status, {}).status_code == 429
    stranger.clock.move(seconds=1)
    assert "można wysłać jeszcze raz" not in text_of(client.get(status))
    assert stranger.send(status, {}).status_code == 302
    assert len(mail.outbox) == 3


def test_nobody_sees_submissions_by_trying_numbers(client, db):
    factories.SubmissionFactory()
    for reference in ("1", "x:y:z", "ą", "1" * 400):
        assert client.get("/zgloszenia/stan/", {"znak": reference}).status_code == 404


def test_the_page_of_a_submission_forgets_after_two_days(client, stranger, nowak, clock):
    status = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")["Location"]
    clock.move(hours=49)
    assert client.get(status).status_code == 404
