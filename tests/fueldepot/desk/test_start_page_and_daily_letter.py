"""The start page of the admin, its queues and today's decisions, and the daily letter about what waits in them."""

import re
from datetime import UTC, date, datetime, timedelta
from smtplib import SMTPServerDisconnected
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from catalog.models import DailyLetter, OwnerChange
from catalog.services import editors, moderation
from catalog.services.editors import CHIEF, EDITOR
from fueldepot.desk.start_page_and_daily_letter import find_waiting_in, send_daily_letters
from tests import deciding, factories
from tests.catalog.admin.test_drafts import draft_of, person
from tests.client import context_of
from tests.drafts import approve
from tests.factories import NOW, TODAY
from tests.pages.reading import missing, text_of
from tests.regulations.factories import DeadlineFactory, LegalStateFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

START = reverse("admin:index")


def test_what_waits_stands_there_with_its_number_and_since_when(django_assert_max_num_queries):
    desk = person("ewa", EDITOR)
    adam = person("adam", EDITOR)
    now = timezone.now()
    depot = factories.DepotFactory()
    factories.SubmissionFactory(depot=depot, confirmed_at=now - timedelta(days=3))
    factories.SubmissionFactory(depot=depot, confirmed_at=now)
    factories.SubmissionFactory(depot=depot, decided=True, notification_pending=True)
    factories.SubmissionFactory(depot=depot, decided=True, decided_at=now, notification_pending=True)
    factories.DepotPriceFactory(depot=depot, pending=True, submitted_at=now - timedelta(days=1))
    silesia = factories.VoivodeshipFactory(teryt="24")
    LegalStateFactory(voivodeship=silesia, as_of=timezone.localdate() - timedelta(days=181))
    deadline = DeadlineFactory(state=LegalStateFactory(as_of=now))
    approve(adam, draft_of(adam, deadline, date="2028-01-01"), decision="submit")
    draft_of(desk, deadline, date="2029-01-01")
    desk.get(START)
    with django_assert_max_num_queries(31):  # however much waits
        text = text_of(desk.get(START))
    assert re.search(r"Zgłoszenia właścicieli i czytelników 2 od \S+ \(3 dni\)", text)
    assert "Listy o decyzji, które nie wyszły 1" in text
    assert re.search(r"Ceny do zatwierdzenia 1 od \S+ \(1 dzień\)", text)
    assert re.search(r"Szkice innych osób do zatwierdzenia 1 od \S+ \(dziś\)", text)
    assert not missing(text, "Twoje szkice, których nie wysłano 1", "Stany prawne starsze niż 180 dni 1")
    assert "Składy: zgłoszenie czeka 1" in text
    assert "Konta bez grupy" not in text


def test_drafts_are_counted_as_the_lists_behind_the_numbers_have_them():
    ewa, adam = person("ewa", EDITOR), person("adam", EDITOR)
    deadline = DeadlineFactory()
    for desk in (ewa, adam):
        for decision in ("submit", "withdraw", ""):
            draft = draft_of(desk, deadline, date="2028-01-01")
            if decision:
                approve(desk, draft, decision=decision)
    rejected = draft_of(ewa, deadline, date="2029-01-01")
    approve(ewa, rejected, decision="submit")
    approve(adam, rejected, decision="withdraw")
    for desk, numbers in ((ewa, [1, 1, 1]), (adam, [1, 1, 0])):
        rows = [row for row in context_of(desk, START)["work"] if "zkice" in row.label]
        assert [row.count for row in rows] == numbers
        assert [context_of(desk, row.url)["cl"].result_count for row in rows] == numbers


def test_todays_work_is_counted_by_editor():
    desk = person("ewa", EDITOR)
    editor = get_user_model().objects.get(username="ewa")
    for _ in range(3):
        moderation.verify_depot(depot=factories.DepotFactory(), by=editor, on=date(2026, 11, 21))
    submission, old = factories.SubmissionFactory(), factories.SubmissionFactory()
    deciding.reject_submission(submission=submission, reason="Nie.", by=editor, on=timezone.now())
    adam = factories.UserFactory(username="adam")
    deciding.reject_submission(submission=old, reason="Nie.", by=adam, on=timezone.now() - timedelta(days=2))
    text = text_of(desk.get(START))
    assert re.search(r"ewa 4 \d\d:\d\d", text)
    assert "adam" not in text


def test_an_account_without_a_group_is_warned_about():
    desk = person("szefowa", CHIEF)
    bare = factories.staff("bez")
    assert "Konta bez grupy: nic nie mogą zrobić 1" in text_of(desk.get(START))
    listed = text_of(desk.get(reverse("admin:auth_user_changelist"), {"role": "none"}))
    assert not missing(listed, "bez ", "bez grupy nie tak")  # without a second factor, active
    get_user_model().objects.create(username="dawna", is_staff=True, is_active=False)
    factories.staff("czytelnik", "view_depot")
    row = next(row for row in context_of(desk, START)["work"] if "Konta" in row.label)
    assert [row.count, context_of(desk, row.url)["cl"].result_count] == [1, 1]
    page = reverse("admin:auth_user_change", args=[bare.pk])
    assert "Konto bez nie ma grupy" in text_of(desk.post(page, {"username": "bez", "is_active": "on"}, follow=True))
    desk.post(page, {"username": "bez", "is_active": "on", "groups": [Group.objects.get(name=EDITOR).pk]})
    assert "Konta bez grupy" not in text_of(desk.get(START))


def test_who_may_see_nothing_is_shown_nothing(client):
    client.force_login(factories.staff("nikt"))
    text = text_of(client.get(START))
    assert "Zgłoszenia" not in text
    assert "Jeszcze nic." in text


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
