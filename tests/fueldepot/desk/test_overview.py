"""The start page of the admin: queues and today's decisions."""

import re
from datetime import date, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.urls import reverse
from django.utils import timezone

from catalog.services import moderation
from catalog.services.editors import CHIEF, EDITOR
from tests import deciding, factories
from tests.catalog.admin.test_drafts import draft_of, person
from tests.client import context_of
from tests.drafts import approve
from tests.pages.reading import missing, text_of
from tests.regulations.factories import DeadlineFactory, LegalStateFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

START = reverse("admin:index")


def test_what_waits_stands_there_with_its_number_and_since_when(django_assert_max_num_queries):
    desk = person("ewa", EDITOR)
    adam = person("adam", EDITOR)
    now = timezone.now()
    depot = factories.DepotFactory()
    factories.SubmissionFactory(depot=depot, confirmed_at=now - timedelta(days=3, hours=1))
    factories.SubmissionFactory(depot=depot, confirmed_at=now)
    factories.SubmissionFactory(depot=depot, decided=True, notification_pending=True)
    factories.SubmissionFactory(depot=depot, decided=True, decided_at=now, notification_pending=True)
    factories.DepotPriceFactory(depot=depot, pending=True, submitted_at=now - timedelta(days=1, hours=1))
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
