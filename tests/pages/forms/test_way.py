"""Submissions from the form to the published result."""

import re
from datetime import timedelta

import pytest
from django.core import mail

from catalog.models import Depot, Submission
from catalog.services import editing
from catalog.submissions import decisions, retention
from prices.models import DepotPrice
from tests import deciding, factories
from tests.pages.forms.conftest import CLAIM, hidden
from tests.pages.reading import NOINDEX, expect

FORMS = ("popraw", "przejmij", "usun", "cena", "zglos")


@pytest.fixture
def accept(clock):
    """Accept the one submission, or the waiting one."""

    def act():
        submission = Submission.objects.get(state="waiting")
        deciding.accept_submission(submission=submission, by=factories.UserFactory(), on=clock.now)

    return act


def test_a_correction_from_form_to_public(client, stranger, nowak, clock, commit, django_assert_max_num_queries):
    path = f"/sklad/{nowak.pk}/popraw/"
    with django_assert_max_num_queries(1):
        shown = client.get(path)
    assert NOINDEX in shown.content.decode()
    assert shown["Cache-Control"] == "no-store"
    assert 'value="+48 12 345 67 89"' in shown.content.decode()

    sent = stranger.fill(path, phone="601 234 567", mon="7-15", tue="8:00-12:00 i 13:00-16:00")
    shown = "Telefon +48 12 345 67 89 +48 601 234 567", "wt. 8:00-12:00, 13:00-16:00"
    expect(sent, "Wysłaliśmy wiadomość", *shown, status=302)
    assert factories.fresh(nowak).phone == "+48 12 345 67 89"

    (letter,) = mail.outbox
    assert letter.to == ["jan@opal-nowak.pl"]
    assert "601" not in letter.body
    expect(client.get(stranger.link()), "Potwierdzam")
    assert Submission.objects.get().state == "unconfirmed"  # opening the link is not enough
    expect(stranger.confirm(), "czeka na decyzję redakcji", status=302)
    assert client.get(f"/api/v1/stores/{nowak.pk}").json()["phone"] == "+48 12 345 67 89"

    submission = Submission.objects.get()
    commit(deciding.accept_submission, submission=submission, verify=True, by=factories.UserFactory(), on=clock.now)
    stored = client.get(f"/api/v1/stores/{nowak.pk}").json()
    assert (stored["phone"], stored["hours"]["mon"], stored["hours"]["tue"]) == ("+48 601 234 567", "7:00-15:00", "")
    assert stored["opening_hours"] == "Mo 07:00-15:00; Tu 08:00-12:00,13:00-16:00"
    assert (stored["source"]["data_status"], stored["source"]["verified_at"]) == ("verified", "2026-11-21")
    expect(client.get(f"/sklad/{nowak.pk}-sklad-opalu-nowak/"), "+48 601 234 567")
    letter = " ".join(mail.outbox[-1].body.split())
    assert "Telefon było: +48 12 345 67 89 jest: +48 601 234 567 - Godziny otwarcia było: (brak)" in letter


def test_the_page_counts_days_and_shows_what_was_sent_and_not_what_an_editor_made_of_it(client, stranger, nowak, clock):
    page = stranger.fill_and_confirm(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567", website="opal.pl")
    expect(client.get(page), "czeka od dziś")
    assert re.findall(r'class="ahead"><span>([^<]+)', client.get(page).content.decode()) == ["Decyzja redakcji"]
    clock.move(hours=20)
    expect(client.get(page), "czeka 1 dzień")
    other = {"values": {"phone": "+48 601 234 568"}, "groups": ["phone"], "reason": "Strona nie działa."}
    deciding.accept_submission(submission=Submission.objects.get(), by=factories.UserFactory(), on=clock.now, **other)
    shown = "W zgłoszeniu Telefon +48 12 345 67 89 +48 601 234 567", "Bez zmian zostało: strona internetowa."
    expect(client.get(page), *shown, without=["Po zmianie"])


def test_a_claim_makes_the_entry_the_owners(client, stranger, nowak, accept):
    stranger.fill_and_confirm(f"/sklad/{nowak.pk}/przejmij/", **CLAIM)
    accept()
    assert client.get(f"/api/v1/stores/{nowak.pk}").json()["source"]["data_status"] == "owner"
    stranger.fill_and_confirm(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    accept()
    assert (factories.fresh(nowak).data_status, nowak.phone) == ("owner", "+48 601 234 567")


def test_a_deletion_is_a_removal(client, stranger, nowak, accept):
    stranger.fill_and_confirm(f"/sklad/{nowak.pk}/usun/", role="owner", agreed="on")
    accept()
    assert client.get(f"/sklad/{nowak.pk}-sklad-opalu-nowak/").status_code == 410
    assert client.get(f"/api/v1/stores/{nowak.pk}").status_code == 404
    for form in FORMS:
        expect(client.get(f"/sklad/{nowak.pk}/{form}/"), "usunięty na wniosek właściciela", status=410)


def test_a_missing_depot_is_added(client, stranger, accept):
    factories.PostcodeFactory()
    factories.PostcodeFactory(code="00-001", lat=52.2, lon=21.0)
    sent = stranger.fill("/sklady/dodaj/?teryt=1261011", name="Opał u Zosi", postcode="30001", fuels=["pellet"])
    expect(sent, "Położenie 50,07585° N, 19,94100° E, w przybliżeniu; gmina Kraków", status=302)
    assert "Zosi" not in mail.outbox[-1].body + mail.outbox[-1].subject
    stranger.confirm()
    assert Depot.objects.count() == 0
    accept()
    depot = Depot.objects.get()
    assert Submission.objects.get().depot == depot
    found = client.get(f"/api/v1/stores/{depot.pk}").json()
    assert (found["name"], found["municipality"]["teryt"]) == ("Opał u Zosi", "1261011")
    assert found["location_approximate"] is True
    assert found["source"]["data_status"] == "verified"


def test_a_name_that_is_longer_when_folded_is_taken(stranger):
    typed = {"name": "ß" * 200, "place": "Kraków", "lat": "50,0617", "lon": "19,9373"}
    assert stranger.fill("/sklady/dodaj/", **typed).status_code == 302
    assert Submission.objects.get().subject == "s" * 330


def test_the_way_works_with_demonstration_data(client, stranger, accept, demonstration):
    path = f"/sklad/{demonstration.pk}/popraw/"
    invented = "Ten skład jest zmyślony: możesz na nim wypróbować formularz"
    expect(client.get(path), invented, without=["Strona internetowa"])
    stranger.fill_and_confirm(path, sat="8-13")
    accept()
    assert client.get(f"/api/v1/stores/{demonstration.pk}").json()["hours"]["sat"] == "8:00-13:00"


@pytest.mark.parametrize("hours", [0, 13, 40])
def test_what_an_editor_changed_since_the_form_was_opened_is_not_changed_back(stranger, nowak, clock, hours):
    nowak.history.update(history_date=clock.now)
    typed = stranger.show(f"/sklad/{nowak.pk}/popraw/")
    clock.move(minutes=5)
    values = {"website": "https://nowa.example/", "lat": nowak.lat + 0.001}
    editing.edit_depot(depot=nowak, values=values, by=factories.UserFactory(), on=clock.now.date())
    clock.move(hours=hours)
    answer = stranger.send(f"/sklad/{nowak.pk}/popraw/", typed | {"phone": "601 234 567"})
    if hours:  # it waited too long, and is shown again
        clock.move(seconds=4)
        typed["stamp"] = hidden(answer.content.decode(), "stamp")[0]
        stranger.send(f"/sklad/{nowak.pk}/popraw/", typed | {"phone": "601 234 567"})
    assert Submission.objects.get().proposed == {"phone": "+48 601 234 567"}


def test_nothing_changed_is_said_and_not_sent(stranger, nowak):
    Depot.objects.filter(pk=nowak.pk).update(nip="5260250274")
    typed = stranger.type(f"/sklad/{nowak.pk}/popraw/")
    assert typed["nip"] == "5260250274"
    answer = stranger.send(f"/sklad/{nowak.pk}/popraw/", typed)
    expect(answer, "Niczego nie zmieniono", "sama wiadomość nie wystarczy", status=400)
    assert mail.outbox == []
    assert not Submission.objects.exists()
    only_wrong = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="", message="Ten numer należy do kogoś innego.")
    assert (only_wrong.status_code, Submission.objects.get().proposed) == (302, {"phone": ""})


def test_there_is_no_form_for_what_the_public_cannot_see(client):
    for depot in (factories.DepotFactory(held=True).pk, 999_999, "9" * 30):
        for form in FORMS:
            assert client.get(f"/sklad/{depot}/{form}/").status_code == 404, (depot, form)


def test_pages_lead_to_the_forms(client, nowak):
    page = client.get(f"/sklad/{nowak.pk}-sklad-opalu-nowak/").content.decode()
    for form in FORMS:
        assert f'href="/sklad/{nowak.pk}/{form}/"' in page
        expect(client.get(f"/sklad/{nowak.pk}/{form}/"), nowak.name)
    assert 'href="/sklady/dodaj/"' in client.get("/").content.decode()
    assert 'href="/sklady/dodaj/?teryt=1261011"' in client.get("/sklady/malopolskie/krakow-1261011/").content.decode()


def test_mistakes_stand_in_the_order_of_the_page(stranger, nowak):
    wrong = {"email": "jan@", "mon": "rano", "name": "", "lat": "abc"}
    answer = stranger.fill("/sklady/dodaj/", place="Kraków", **wrong)
    assert [field.name for field in answer.context["form"].mistakes] == ["name", "mon", "lat", "email"]
    expect(answer, "Wpisz nazwę, pod którą skład jest znany.", status=400)


def test_a_whole_visit_is_one_form_one_letter_one_confirmation_and_may_be_taken_back(client, stranger, nowak, clock):
    path = f"/sklad/{nowak.pk}/przejmij/"
    status = stranger.fill(path, **CLAIM, phone="601 234 567", mon="7-15", **{"price-pellet": "1600"})["Location"]
    assert len(mail.outbox) == 1
    again = stranger.fill(path, **CLAIM, phone="602 234 567", **{"price-pellet": "1600"})["Location"]
    superseded = Submission.objects.filter(state="superseded").values_list("kind", flat=True)
    assert set(superseded) == {"claim", "correct", "price"}
    expect(client.get(status), "zastąpiono innym")
    expect(client.get(stranger.link()), "Telefon +48 12 345 67 89 +48 602 234 567", "1 600 zł/t")
    assert stranger.confirm()["Location"] == again
    waiting = {row.kind: row for row in Submission.objects.waiting()}
    assert (set(waiting), DepotPrice.objects.get().submission.email) == ({"claim", "correct"}, "jan@opal-nowak.pl")

    clock.move(days=3)
    moments = "Wysłano formularz 21 listopada 2026 r., 13:00", "Potwierdzono adres e-mail 21 listopada 2026 r., 13:00"
    expect(client.get(again), *moments, "Decyzja redakcji czeka 3 dni")
    stranger.send(again, {"wycofaj": str(waiting["claim"].pk)})
    expect(client.get(again), "Zgłoszenie ma kilka części.", without=["Nic się nie zmieni"])
    states = dict(Submission.objects.exclude(state="superseded").values_list("kind", "state"))
    assert states == {"claim": "withdrawn", "correct": "waiting", "price": "passed_on"}
    with pytest.raises(decisions.SubmissionAlreadyDecided):
        deciding.accept_submission(submission=waiting["claim"], by=factories.UserFactory(), on=clock.now)
    stranger.send(again, {"wycofaj": str(factories.SubmissionFactory().pk)})  # of somebody else
    assert Submission.objects.waiting().count() == 2
    deciding.accept_submission(submission=waiting["correct"], by=factories.UserFactory(), on=clock.now)
    page = expect(client.get(again), "Redakcja przyjęła 24 listopada 2026 r., 13:00", without=["Bez zmian zostało"])
    assert re.findall(r"Usuniemy Twoje dane (\d+ \w+)", page) == ["25 listopada", "22 lutego", "19 lutego"]


def test_what_was_never_confirmed_is_withdrawn_as_a_whole(client, stranger, nowak):
    status = stranger.fill(f"/sklad/{nowak.pk}/przejmij/", **CLAIM, phone="601 234 567")["Location"]
    folded = client.get(status).content.decode().partition("<summary>Wycofaj zgłoszenie</summary>")[2]
    assert 'name="wycofaj"' in folded.partition("</details>")[0]
    stranger.send(status, {"wycofaj": str(Submission.objects.get(kind="claim").pk)})
    assert set(Submission.objects.values_list("state", flat=True)) == {"withdrawn"}
    expect(client.get(status), "Nic się nie zmieni")
    answer = client.get(stranger.link())
    expect(answer, "Zgłoszenie jest wycofane", status=409)
    assert f'href="/sklad/{nowak.pk}/przejmij/"' in answer.content.decode()
    retention.purge_submissions(on=stranger.clock.now + timedelta(hours=23))
    assert Submission.objects.exists()
    retention.purge_submissions(on=stranger.clock.now + timedelta(hours=24))
    assert not Submission.objects.exists()
