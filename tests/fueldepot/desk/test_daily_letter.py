"""The daily letter to editors who want it: what waits in their voivodeships, once a day."""

from datetime import UTC, datetime, timedelta
from smtplib import SMTPServerDisconnected
from unittest.mock import Mock

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.urls import reverse

from catalog.models import DailyLetter, OwnerChange
from catalog.services import editors
from fueldepot.desk.start_page_and_daily_letter import find_waiting_in, send_daily_letters
from tests import factories
from tests.client import context_of
from tests.factories import NOW, TODAY
from tests.pages.reading import missing, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

START = reverse("admin:index")


@pytest.fixture
def subscribed(editor):
    type(editor).objects.filter(pk=editor.pk).update(email="ewa@example.pl")
    editor.refresh_from_db()
    DailyLetter.objects.create(editor=editor)
    return editor


def send(today=TODAY, commit=True):
    return send_daily_letters(today=today, commit=commit)


def test_an_editor_begins_and_ends_it_on_the_start_page(client, editor):
    url = reverse("admin:auth_user_daily_letter")
    assert "nie ma adresu e-mail" in text_of(client.post(url, {"on": ""}))
    type(editor).objects.filter(pk=editor.pk).update(email="ewa@example.pl")
    assert "Wyłącz list" in text_of(client.post(url, {"on": ""}))
    client.post(url, {"on": ""})
    assert DailyLetter.objects.get().editor == editor
    assert "Przysyłaj mi codzienny list" in text_of(client.post(url, {"off": ""}))
    assert not DailyLetter.objects.exists()
    assert client.get(url).status_code == 405


def test_it_says_what_waits_since_when_in_the_claimed_voivodeships(subscribed, settings, django_assert_max_num_queries):
    settings.SITE_NAME = "Opał & węgiel"
    krakow, bielsko = factories.DepotFactory(), factories.DepotFactory(municipality=factories.bielsko_biala())
    for depot, day in ((krakow, 10), (bielsko, 1)):
        factories.SubmissionFactory(depot=depot, confirmed_at=datetime(2026, 11, day, tzinfo=UTC))
        factories.DepotPriceFactory(depot=depot, pending=True, from_reader=True)
    new = {"depot": None, "kind": "add", "proposed": {"name": "x", "municipality": "1261011"}}
    factories.SubmissionFactory(confirmed_at=datetime(2026, 11, 8, 23, 30, tzinfo=UTC), **new)
    claim = editors.take_voivodeship(voivodeship=krakow.municipality.voivodeship, by=subscribed, on=NOW)
    with django_assert_max_num_queries(19):  # two of the list, three of its transaction, rights 2, twelve of the letter
        assert send().sent == ("ewa",)
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == (["ewa@example.pl"], "Opał & węgiel: czeka na redakcję: 3")
    assert "(województwa: małopolskie)" in letter.body
    assert "- Zgłoszenia właścicieli i czytelników: 2, najdłużej od 09.11.2026" in letter.body
    assert not missing(letter.body, "/admin/catalog/submission/?unit=mine", "- Ceny do zatwierdzenia: 1, ")
    editors.release_voivodeship(claim=claim, by=subscribed, on=NOW)
    send(TODAY + timedelta(days=1))
    assert "czytelników: 3, najdłużej od 01.11.2026" in mail.outbox[1].body
    assert "unit=mine" not in mail.outbox[1].body


def test_what_it_counts_in_the_claimed_voivodeships_is_what_its_links_list(client, subscribed):
    """Answers about proposed depots too, which have no depot yet; changes of owners elsewhere are left out."""
    krakow, bielsko = factories.DepotFactory(), factories.DepotFactory(municipality=factories.bielsko_biala())
    for depot in (krakow, bielsko):
        OwnerChange.objects.create(depot=depot, made_at=NOW, text="telefon")
    for code in ("1261011", "2461011"):
        new = {"depot": None, "kind": "add", "proposed": {"name": code, "municipality": code}}
        row = factories.SubmissionFactory(**new)
        row.questions.create(text="?", asked_at=NOW, asked_by=subscribed, answer="Tak.", answered_at=NOW)
    editors.take_voivodeship(voivodeship=krakow.municipality.voivodeship, by=subscribed, on=NOW)
    waiting = [row for row in find_waiting_in(subscribed, ["12"]) if row.count]
    assert [(row.label, row.count) for row in waiting] == [
        ("Zgłoszenia właścicieli i czytelników", 1),
        ("Odpowiedzi autorów na pytania", 1),
        ("Zmiany właścicieli do obejrzenia", 1),
    ]
    assert [context_of(client, row.url)["cl"].result_count for row in waiting] == [1, 1, 1]


def test_one_a_day_and_none_when_nothing_waits_or_to_who_may_not_enter_or_decide(subscribed, capsys):
    assert send().sent == ()
    factories.SubmissionFactory()
    assert send(commit=False).sent == ("ewa",)
    assert not mail.outbox
    assert [send().sent, send().sent] == [("ewa",), ()]
    assert send(TODAY + timedelta(days=1)).sent == ("ewa",)
    assert len(mail.outbox) == 2
    call_command("send_daily_letters")
    assert "1 letters would be sent" in capsys.readouterr().out
    type(subscribed).objects.update(is_active=False)
    assert send(TODAY + timedelta(days=2)).sent == ()
    type(subscribed).objects.update(is_active=True)
    subscribed.groups.clear()
    assert send(TODAY + timedelta(days=2)).sent == ()


def test_one_that_cannot_be_sent_is_tried_again(subscribed, monkeypatch, caplog):
    factories.SubmissionFactory()

    with monkeypatch.context() as away:
        away.setattr(EmailMessage, "send", Mock(side_effect=SMTPServerDisconnected("ewa@example.pl")))
        with pytest.raises(CommandError, match="not sent: ewa"):
            call_command("send_daily_letters", "--commit")
    assert "ewa@example.pl" not in caplog.text
    assert DailyLetter.objects.get().sent_on is None
    call_command("send_daily_letters", "--commit")
    assert len(mail.outbox) == 1
