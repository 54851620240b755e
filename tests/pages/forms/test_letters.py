"""When letters leave: after the answer, once, and also after a process was killed; the status page later."""

from datetime import timedelta
from threading import Event

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from catalog.models import Depot, OwnerLink, PendingLetter, Submission
from catalog.services.moderation import remove_depot
from catalog.submissions import letters, owner_links
from catalog.submissions.retention import purge_submissions
from tests import factories
from tests.mail import Refusing
from tests.pages.reading import expect


class Held(EmailBackend):
    """A mail server that takes no letter before `released` is set."""

    reached, released = Event(), Event()

    def send_messages(self, messages):
        self.reached.set()
        assert self.released.wait(60)
        return super().send_messages(messages)


@pytest.fixture
def krakow():
    """Is not kept for the module, whose first test commits."""


@pytest.fixture
def sender(settings, monkeypatch):
    """The thread of a process that serves requests, with a mail server that is held."""
    settings.EMAIL_BACKEND = f"{__name__}.Held"
    monkeypatch.setattr(letters, "AFTER_ANSWER_S", 0)
    Held.reached.clear()
    Held.released.clear()
    thread = letters.start()
    yield thread
    Held.released.set()
    thread.stop()


@pytest.mark.django_db(transaction=True)
def test_no_answer_waits_for_the_mail_server(client, stranger, nowak, sender):
    answer = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    assert Held.reached.wait(60)
    assert mail.outbox == []
    sending = "Wysyłamy wiadomość z odnośnikiem na j…@opal-nowak.pl.", "Wiadomość z odnośnikiem właśnie wychodzi"
    expect(client.get(answer["Location"]), *sending)
    # Nor does what the same author does next.
    assert stranger.fill(f"/sklad/{nowak.pk}/cena/", **{"price-pellet": "1600"}).status_code == 302
    assert client.post(answer["Location"], {"wycofaj": Submission.objects.earliest("pk").pk}).status_code == 302
    assert Submission.objects.earliest("pk").state == "withdrawn"
    Held.released.set()
    sender.stop()
    assert len(mail.outbox) == 2


def test_what_a_killed_process_did_not_send_another_sends(clock, monkeypatch):
    lost = factories.SubmissionFactory(decided=True, notification_pending=True)
    with monkeypatch.context() as killed:
        killed.setattr(letters, "_send", lambda messages: exit())
        with pytest.raises(SystemExit):
            letters.send_waiting()
    assert letters.send_waiting() == letters.Sending()  # it may still be sending
    clock.move(minutes=15)
    assert letters.send_waiting().sent == (f"submission {lost.pk}",)
    assert [letter.to for letter in mail.outbox] == [[lost.email]]


def test_a_mail_server_that_is_away_is_asked_once_for_many_letters(monkeypatch):
    asked = []

    class Away(EmailBackend):
        def open(self):
            asked.append(self)
            raise ConnectionRefusedError

    monkeypatch.setattr(letters, "get_connection", Away)
    for _ in range(3):
        factories.SubmissionFactory(decided=True, notification_pending=True)
    assert len(letters.send_waiting().unsent) == 3
    assert len(asked) == 1
    assert not Submission.objects.exclude(letters_at=[]).exists()  # none counts against a limit


def test_the_letter_after_a_refused_one_leaves_by_a_new_connection(monkeypatch):
    calls = []

    class Strict(Refusing):
        def open(self):
            calls.append("open")

        def close(self):
            calls.append("close")

    monkeypatch.setattr(letters, "get_connection", Strict)
    for email in ("nobody@example.pl", "ewa@example.pl", "jan@example.pl"):
        factories.SubmissionFactory(decided=True, notification_pending=True, email=email)
    assert len(letters.send_waiting().sent) == 2
    assert calls == ["open", "close", "open", "open", "close"]


def test_all_letters_leave_in_however_many_batches(monkeypatch):
    monkeypatch.setattr(letters, "BATCH", 2)
    for _ in range(5):
        factories.SubmissionFactory(decided=True, notification_pending=True)
    assert len(letters.send_waiting().sent) == len(mail.outbox) == 5


def test_letters_of_one_batch_to_one_owner_add_up(clock):
    depot = factories.DepotFactory(data_status="owner", verified=True)
    owner_links.grant_link(depot=depot, email="jan@opal-nowak.pl", on=clock.now)
    for _ in range(4):
        factories.SubmissionFactory(depot=depot, claim=True)
    assert len(letters.send_waiting().delayed) == 1
    assert OwnerLink.objects.get().letters_at == [clock.now] * 3
    owner_links.grant_link(depot=depot, email="ewa@opal-nowak.pl", on=clock.now)  # of two owners each is told
    mail.outbox.clear()
    assert not letters.send_waiting().sent
    clock.move(hours=1)
    assert len(letters.send_waiting().sent) == 2
    assert sorted(letter.to[0] for letter in mail.outbox) == ["ewa@opal-nowak.pl", "jan@opal-nowak.pl"]


def test_new_links_that_anybody_asks_for_leave_after_all_other_letters_to_an_owner(clock):
    depot = factories.DepotFactory(data_status="owner", verified=True)
    link = owner_links.grant_link(depot=depot, email="jan@opal-nowak.pl", on=clock.now)
    OwnerLink.objects.update(letters_at=[clock.now])
    owner_links.request_link(depot=depot, email=link.email, on=clock.now)
    factories.SubmissionFactory(depot=depot, claim=True)
    factories.SubmissionFactory(decided=True, notification_pending=True, email=link.email)
    assert len(letters.send_waiting().delayed) == 1
    assert not any("nowy odnośnik" in letter.subject for letter in mail.outbox)
    clock.move(hours=1)
    assert len(letters.send_waiting().sent) == 1
    assert "nowy odnośnik" in mail.outbox[-1].subject


def test_letters_of_one_claim_to_one_mailbox_count_together(clock):
    depot = factories.DepotFactory(data_status="owner", verified=True)
    for email in ("jan@opal-nowak.pl", "jan+2@opal-nowak.pl"):
        owner_links.grant_link(depot=depot, email=email, on=clock.now)
    for _ in range(2):
        factories.SubmissionFactory(depot=depot, claim=True)
    told = letters.send_waiting()
    assert (len(told.sent), len(told.delayed)) == (2, 2)


@pytest.mark.parametrize("kind", PendingLetter.Kind)
def test_a_letter_that_never_leaves_keeps_no_address_for_long(clock, kind):
    hours = 24 if kind in {"owner_link", "password"} else 90 * 24
    PendingLetter.objects.create(kind=kind, email="jan@opal-nowak.pl", requested_at=clock.now)
    purge_submissions(on=clock.now + timedelta(hours=hours - 1))
    assert PendingLetter.objects.exists()
    purge_submissions(on=clock.now + timedelta(hours=hours))
    assert not PendingLetter.objects.exists()


def test_the_name_of_an_entry_that_was_removed_is_not_told(client, stranger, nowak, clock):
    status = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")["Location"]
    expect(client.get(status), nowak.name)
    remove_depot(depot=nowak, reason=Depot.RemovalReason.PRIVATE_PERSON, on=clock.now.date())
    page = client.get(status)
    assert page.status_code == 200
    assert nowak.name not in page.content.decode()
