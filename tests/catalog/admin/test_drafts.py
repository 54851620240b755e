"""Legal dates and plausible ranges change by a draft: looked at, given a reason, approved by a second person."""

import re
from datetime import date

import pytest
from django.contrib.auth.hashers import make_password

from catalog.models import Decision, Draft
from catalog.services.editors import CHIEF, EDITOR
from fueldepot.data import snapshot
from prices.models import PlausibleRange
from regulations.models import Deadline, FuelBan
from tests import factories
from tests.client import context_of, message_of
from tests.drafts import approve
from tests.pages.reading import html_of, missing
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory
from tests.regulations.test_admin import form_of, url_of

pytestmark = pytest.mark.django_db

RANGE = "/admin/prices/plausiblerange/pellet/change/"


def person(name, role):
    return factories.desk_of(factories.member(role, name))


@pytest.fixture
def ewa():
    return person("ewa", EDITOR)


@pytest.fixture
def adam():
    return person("adam", EDITOR)


def draft_of(desk, row, **changes):
    return desk.post(url_of(row), form_of(desk, url_of(row)) | changes)


def page_of(desk, answer):
    return html_of(desk.get(answer["Location"]))


@pytest.mark.usefixtures("the_day")
def test_an_author_submits_a_deadline_once_and_only_a_second_person_approves_it(ewa, adam, client):
    refusal = "do zatwierdzenia wysyła szkic jego autor, jeden raz"
    deadline = DeadlineFactory()
    ResolutionFactory(state=deadline.state)
    answer = draft_of(ewa, deadline, date="2028-01-01")
    offered = page_of(ewa, answer)
    assert ("Wyślij do zatwierdzenia" in offered, "Wprowadź zmianę" in offered) == (True, False)
    assert "podaj powód zmiany" in message_of(approve(ewa, answer, reason=" ", decision="submit"))
    assert "zatwierdzić musi druga osoba" in message_of(approve(ewa, answer))
    listing = "/admin/catalog/draft/"
    assert not context_of(adam, listing)["cl"].result_list
    assert refusal in message_of(approve(adam, answer, decision="submit"))
    assert "Powód zmiany (trafi do historii) albo odrzucenia" in page_of(adam, answer)
    approve(ewa, answer, reason="Zmiana z 16 listopada.", decision="submit")
    for desk in (ewa, adam):
        assert refusal in message_of(approve(desk, answer, decision="submit"))
    assert [row.state for row in context_of(adam, listing)["cl"].result_list] == ["waiting"]
    assert "zatwierdzić musi druga osoba" in message_of(approve(ewa, answer))
    assert Deadline.objects.get().date == date(2027, 1, 1)
    assert not missing(page_of(adam, answer), "Zatwierdź i wprowadź", "Powód odrzucenia (zobaczy go autor szkicu)")
    approve(adam, answer, reason="")
    assert factories.fresh(deadline).date == date(2028, 1, 1)
    line, draft = deadline.history.latest(), Draft.objects.get()
    assert (line.history_user.username, line.history_change_reason) == ("adam", "szkic ewa: Zmiana z 16 listopada.")
    assert (draft.state, draft.drafted_by.username, draft.decided_by.username) == ("approved", "ewa", "adam")
    snapshot.invalidate()
    (entry,) = client.get("/api/v1/regulations", {"voivodeship": "12"}).json()
    assert entry["resolution"]["next_deadline"]["date"] == "2028-01-01"
    assert "ktoś już zdecydował" in message_of(approve(adam, answer))


def test_who_is_alone_decides_alone_with_a_reason(ewa):
    user = factories.member(EDITOR, "adam")  # has no password yet, so is no second person
    type(user).objects.filter(pk=user.pk).update(password=make_password(None))
    deadline = DeadlineFactory()
    answer = draft_of(ewa, deadline, date="2028-01-01")
    assert not missing(page_of(ewa, answer), "decydujesz samodzielnie", "Wprowadź zmianę")
    assert "podaj powód zmiany" in message_of(approve(ewa, answer, reason=""))
    assert Deadline.objects.get().date == date(2027, 1, 1)
    approve(ewa, answer, reason="Zmiana.")
    line = deadline.history.latest()
    assert (factories.fresh(deadline).date, line.history_change_reason) == (date(2028, 1, 1), "Zmiana.")


@pytest.mark.usefixtures("the_day")
def test_the_page_of_a_draft_says_where_and_from_when_and_leaves_out_codes_that_stay(ewa):
    for make in (factories.krakow, factories.zakopane, factories.nowy_targ_rural):
        make()
    amendment = AmendmentFactory(resolution=ResolutionFactory(), adopted=date(2026, 11, 16))
    deadline = DeadlineFactory(state=amendment.resolution.state)
    answer = draft_of(ewa, deadline, moved_to="2029-01-01", moved_by=str(amendment.pk))
    before = Deadline.objects.values().get()
    days = "na dni od 16.11.2026 podadzą termin 01.01.2029, na dni wcześniejsze nadal 01.01.2027."
    whole = "gminy województwa w całości: 3 z 3.", "teraz 01.01.2027, po zmianie 01.01.2029"
    assert not missing(page_of(ewa, answer), *whole, days)
    assert Deadline.objects.values().get() == before
    text = page_of(ewa, draft_of(ewa, deadline, area="listed", units="1261011", partly="1217011"))
    assert "w całości: 1 z 3, w części albo niepewnie: 1. Dotychczas: gminy województwa w całości: 3 z 3." in text
    Deadline.objects.update(area="listed", units=["1261011"])
    page = page_of(ewa, draft_of(ewa, deadline, description="Nowe słowa."))
    assert ("Nowe słowa." in page, "Objęte w całości" in page) == (True, False)


def test_line_ends_of_a_browser_are_no_change(ewa, adam):
    sources = "Uchwała | https://example.pl/u\nZmiana | https://example.pl/z"
    amendment = AmendmentFactory(resolution=ResolutionFactory(), adopted=date(2026, 11, 16))
    deadline = DeadlineFactory(state=amendment.resolution.state, sources=sources)
    sent = {"sources": sources.replace("\n", "\r\n")}
    assert "żadne pole nie zmieniło wartości" in message_of(draft_of(ewa, deadline, **sent))
    answer = draft_of(ewa, deadline, moved_to="2029-01-01", moved_by=str(amendment.pk), **sent)
    assert "Źródła" not in page_of(ewa, answer)
    approve(ewa, answer, reason="Zmiana uchwały.", decision="submit")
    approve(adam, answer, reason="")
    assert set(Deadline.objects.values_list("sources", flat=True)) == {sources}


def test_a_range_shows_what_falls_out_and_the_new_median_before_it_counts(client):
    desk = person("szefowa", CHIEF)
    factories.price_depots(1000, 1400, 1500, 1600)
    answer = desk.post(RANGE, {"low": "1450", "high": "3900"})
    text = page_of(desk, answer)
    assert not missing(text, "Wypadnie: 2, wróci: 0.", "liczba cen w medianie kraju 4 → 2, mediana 1 450 zł → brak")
    assert PlausibleRange.objects.get(pk="pellet").low == 600
    assert client.get("/api/v1/prices/pellet").json()["rejected"] == 0
    approve(desk, answer, reason="Ceny z worków.")
    assert PlausibleRange.objects.get(pk="pellet").history.latest().history_change_reason == "Ceny z worków."
    snapshot.invalidate()
    assert client.get("/api/v1/prices/pellet").json()["rejected"] == 2


@pytest.mark.parametrize(("caveat", "day"), [("", date(2028, 1, 1)), ("Tylko centrum.", date(2027, 1, 1))])
def test_a_draft_of_a_release_that_lacked_a_column_counts_while_the_column_is_empty(ewa, caveat, day):
    deadline = DeadlineFactory(date=date(2027, 1, 1))
    answer = draft_of(ewa, deadline, date="2028-01-01")
    draft = Draft.objects.get()
    del draft.before["part_caveat"]
    draft.save()
    Deadline.objects.update(part_caveat=caveat)
    assert ("Wpis zmienił się od czasu szkicu" in page_of(ewa, answer)) == bool(caveat)
    approve(ewa, answer)
    assert (factories.fresh(deadline).date, factories.fresh(deadline).part_caveat) == (day, caveat)


def test_a_draft_over_a_row_that_changed_since_is_refused_and_nothing_is_lost(ewa):
    deadline = DeadlineFactory()
    late, early = (draft_of(ewa, deadline, date=day) for day in ("2028-01-01", "2029-01-01"))
    approve(ewa, early)
    assert "Wpis zmienił się od czasu szkicu" in page_of(ewa, late)
    assert "wpis zmienił się od czasu szkicu" in message_of(approve(ewa, late))
    assert Deadline.objects.get().date == date(2029, 1, 1)
    adam = person("adam", EDITOR)
    assert "podaj powód" in message_of(approve(adam, late, reason="", decision="withdraw"))
    assert "Szkic odrzucono." in message_of(approve(adam, late, reason="Jest nowszy.", decision="withdraw"))
    assert not missing(page_of(ewa, late), "Odrzucono: Jest nowszy.", "<dt>Stan</dt><dd>odrzucone, adam")
    approve(ewa, draft_of(ewa, deadline, date="2030-01-01"), decision="withdraw")
    listed = html_of(ewa.get("/admin/catalog/draft/", {"state": "withdrawn"}))
    assert re.findall(r'class="field-state_in_words">(\w+)<', listed) == ["wycofane", "odrzucone"]
    assert 'Twoje szkice, które ktoś odrzucił</a></th><td class="number">1</td>' in html_of(ewa.get("/admin/"))
    assert set(Draft.objects.values_list("state", flat=True)) == {"approved", "withdrawn"}


def test_a_draft_over_a_row_that_is_gone_is_refused(ewa):
    deadline = DeadlineFactory()
    answer = draft_of(ewa, deadline, date="2028-01-01")
    deadline.delete()
    assert "wpis zmienił się od czasu szkicu" in message_of(approve(ewa, answer))


def test_a_rejected_draft_still_says_what_it_proposed(ewa, adam):
    answer = draft_of(ewa, DeadlineFactory(), date="2028-01-01")
    approve(adam, answer, reason="Zły rok.", decision="withdraw")
    page = page_of(ewa, answer)
    assert not missing(page, "Odrzucono: Zły rok.", "Co miało się zmienić", "<strong>01.01.2028</strong>")
    assert "Skutki" not in page


@pytest.mark.parametrize("row", ["deadline", "range"])
def test_a_page_that_was_open_while_another_draft_was_approved_makes_none(ewa, row):
    chief, deadline = person("szefowa", CHIEF), DeadlineFactory()
    address, first, second = {
        "deadline": (url_of(deadline), {"scope": "gmina"}, {"applies_to": "miasto"}),
        "range": (RANGE, {"low": "700"}, {"high": "800"}),
    }[row]
    stale = form_of(chief, address)
    answer = chief.post(address, stale | first)
    approve(chief, answer, decision="submit")
    approve(person("adam", CHIEF), answer)
    page = html_of(chief.post(address, stale | second))
    assert "Ktoś zmienił wpis po otwarciu tej strony; obejrzyj go jeszcze raz." in page
    typed = [f'value="{value}"' for value in second.values()]
    assert not missing(page, *typed, f'name="opened" value="{stale["opened"]}"')
    assert Draft.objects.count() == 1
    assert chief.post(address, form_of(chief, address) | second).status_code == 302


def test_a_deletion_is_a_draft_too_and_needs_its_own_right_as_a_range_does(ewa):
    ban, desk = FuelBanFactory(), person("szefowa", CHIEF)
    answer = desk.post(url_of(ban).replace("change", "delete"), {"post": "yes"})
    of_range = desk.post(RANGE, {"low": "1450", "high": "3900"})
    assert "Szkic usuwa ten wpis." in page_of(desk, answer)
    assert "Wprowadź zmianę" not in page_of(ewa, of_range)
    for draft, decision in ((answer, "approve"), *((of_range, name) for name in ("approve", "submit", "withdraw"))):
        assert ewa.post(draft["Location"], {"decision": decision, "reason": "x"}).status_code == 403
    assert FuelBan.objects.exists()
    assert PlausibleRange.objects.get(pk="pellet").low == 600
    approve(desk, answer, reason="Uchwała uchylona.")
    assert not FuelBan.objects.exists()
    assert FuelBan.history.latest().history_change_reason == "Uchwała uchylona."


def test_an_approved_draft_still_says_what_it_changed_and_leads_on(ewa, adam):
    first, second = (draft_of(ewa, DeadlineFactory(), date=day) for day in ("2028-01-01", "2029-01-01"))
    for answer in (first, second):
        approve(ewa, answer, decision="submit")
    page = adam.get(first["Location"], {"_changelist_filters": ""})
    assert "2 z 2" in html_of(page)  # the newest comes first
    assert {"s", "o", "n", "l"} <= set(re.findall('data-key="(.)"', page.content.decode()))
    answer = adam.post(second["Location"], {"decision": "approve_next", "reason": ""})
    assert answer["Location"].startswith(first["Location"])
    assert not missing(page_of(ewa, second), "Co się zmieniło", "<strong>01.01.2029</strong>")
    decision = Decision.objects.get(kind="draft")
    assert decision.waiting_since == Draft.objects.get(state="approved").drafted_at
    assert f"/admin/catalog/decision/{decision.pk}/" in ewa.get(second["Location"]).content.decode()
