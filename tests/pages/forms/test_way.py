"""Submissions from the form to the published result."""

import re
from datetime import timedelta

import pytest
from django.core import mail

from catalog.models import Depot, Submission
from catalog.submissions import decisions, retention
from prices.models import DepotPrice
from tests import deciding, factories
from tests.pages.forms.conftest import CLAIM
from tests.pages.reading import NOINDEX, missing, text_of

pytestmark = pytest.mark.django_db


def test_a_correction_from_the_form_to_the_public(
    client, stranger, nowak, clock, commit, django_assert_max_num_queries
):
    path = f"/sklad/{nowak.pk}/popraw/"
    with django_assert_max_num_queries(1):
        shown = client.get(path)
    assert NOINDEX in shown.content.decode()
    assert shown["Cache-Control"] == "no-store"
    assert 'value="+48 12 345 67 89"' in shown.content.decode()

    sent = stranger.fill(path, phone="601 234 567", mon="7-15", tue="8:00-12:00 i 13:00-16:00")
    assert sent.status_code == 302
    status = text_of(client.get(sent["Location"]))
    assert not missing(status, "Wysłaliśmy wiadomość", "Telefon +48 12 345 67 89 +48 601 234 567")
    assert "wt. 8:00-12:00, 13:00-16:00" in status
    assert factories.fresh(nowak).phone == "+48 12 345 67 89"

    (letter,) = mail.outbox
    assert letter.to == ["jan@opal-nowak.pl"]
    assert "601" not in letter.body
    assert "Potwierdzam" in text_of(client.get(stranger.link()))
    assert Submission.objects.get().state == "unconfirmed"  # opening the link is not enough
    assert "czeka na decyzję redakcji" in text_of(client.get(stranger.confirm()["Location"]))
    assert client.get(f"/api/v1/stores/{nowak.pk}").json()["phone"] == "+48 12 345 67 89"

    submission = Submission.objects.get()
    with commit():
        deciding.accept_submission(submission=submission, verify=True, by=factories.UserFactory(), on=clock.now)
    stored = client.get(f"/api/v1/stores/{nowak.pk}").json()
    assert (stored["phone"], stored["hours"]["mon"], stored["hours"]["tue"]) == ("+48 601 234 567", "7:00-15:00", "")
    assert stored["opening_hours"] == "Mo 07:00-15:00; Tu 08:00-12:00,13:00-16:00"
    assert (stored["source"]["data_status"], stored["source"]["verified_at"]) == ("verified", "2026-11-21")
    assert "+48 601 234 567" in text_of(client.get(f"/sklad/{nowak.pk}-sklad-opalu-nowak/"))
    letter = " ".join(mail.outbox[-1].body.split())
    assert "Telefon było: +48 12 345 67 89 jest: +48 601 234 567 - Godziny otwarcia było: (brak)" in letter


def test_a_submission_of_yesterday_does_not_wait_since_today(client, stranger, nowak, clock):
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    status = stranger.confirm()["Location"]
    assert "czeka od dziś" in text_of(client.get(status))
    clock.move(hours=20)
    assert "czeka 1 dzień" in text_of(client.get(status))


def test_a_claim_makes_the_entry_the_owners(client, stranger, nowak, clock):
    assert stranger.fill(f"/sklad/{nowak.pk}/przejmij/", **CLAIM).status_code == 302
    stranger.confirm()
    deciding.accept_submission(submission=Submission.objects.get(), by=factories.UserFactory(), on=clock.now)
    assert client.get(f"/api/v1/stores/{nowak.pk}").json()["source"]["data_status"] == "owner"
    stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567")
    stranger.confirm()
    waiting = Submission.objects.get(state="waiting")
    deciding.accept_submission(submission=waiting, by=factories.UserFactory(), on=clock.now)
    assert (factories.fresh(nowak).data_status, nowak.phone) == ("owner", "+48 601 234 567")


def test_a_deletion_is_a_removal(client, stranger, nowak, clock):
    stranger.fill(f"/sklad/{nowak.pk}/usun/", role="owner", agreed="on")
    stranger.confirm()
    deciding.accept_submission(submission=Submission.objects.get(), by=factories.UserFactory(), on=clock.now)
    assert client.get(f"/sklad/{nowak.pk}-sklad-opalu-nowak/").status_code == 410
    assert client.get(f"/api/v1/stores/{nowak.pk}").status_code == 404
    for form in ("popraw", "przejmij", "usun", "cena"):
        answer = client.get(f"/sklad/{nowak.pk}/{form}/")
        assert answer.status_code == 410
        assert "usunięty na wniosek właściciela" in text_of(answer)


def test_a_missing_depot_is_added(client, stranger, clock, db):
    factories.BoundaryFactory()
    factories.PostcodeFactory()
    sent = stranger.fill("/sklady/dodaj/?teryt=1261011", name="Opał u Zosi", postcode="30001", fuels=["pellet"])
    assert sent.status_code == 302
    assert "Położenie 50,07585° N, 19,94100° E, w przybliżeniu; gmina Kraków" in text_of(client.get(sent["Location"]))
    assert "Zosi" not in mail.outbox[-1].body + mail.outbox[-1].subject
    stranger.confirm()
    assert Depot.objects.count() == 0
    deciding.accept_submission(submission=Submission.objects.get(), by=factories.UserFactory(), on=clock.now)
    depot = Depot.objects.get()
    assert Submission.objects.get().depot == depot
    found = client.get(f"/api/v1/stores/{depot.pk}").json()
    assert (found["name"], found["municipality"]["teryt"]) == ("Opał u Zosi", "1261011")
    assert found["location_approximate"] is True
    assert found["source"]["data_status"] == "verified"


def test_the_way_works_with_demonstration_data(client, stranger, clock, demonstration):
    factories.BoundaryFactory()
    path = f"/sklad/{demonstration.pk}/popraw/"
    page = text_of(client.get(path))
    assert "Ten skład jest zmyślony: możesz na nim wypróbować formularz" in page
    assert "Strona internetowa" not in page
    stranger.fill(path, sat="8-13")
    stranger.confirm()
    deciding.accept_submission(submission=Submission.objects.get(), by=factories.UserFactory(), on=clock.now)
    assert client.get(f"/api/v1/stores/{demonstration.pk}").json()["hours"]["sat"] == "8:00-13:00"


def test_nothing_changed_is_said_and_not_sent(stranger, nowak):
    answer = stranger.fill(f"/sklad/{nowak.pk}/popraw/")
    assert answer.status_code == 400
    assert not missing(text_of(answer), "Niczego nie zmieniono", "sama wiadomość nie wystarczy")
    assert mail.outbox == []
    assert not Submission.objects.exists()
    only_wrong = stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="", message="Ten numer należy do kogoś innego.")
    assert (only_wrong.status_code, Submission.objects.get().proposed) == (302, {"phone": ""})


@pytest.mark.parametrize("form", ["popraw", "przejmij", "usun", "cena"])
def test_there_is_no_form_for_what_the_public_cannot_see(client, form):
    for depot in (factories.DepotFactory(held=True).pk, 999_999, "9" * 30):
        assert client.get(f"/sklad/{depot}/{form}/").status_code == 404


def test_pages_lead_to_the_forms(client, nowak):
    page = client.get(f"/sklad/{nowak.pk}-sklad-opalu-nowak/").content.decode()
    for form in ("popraw", "przejmij", "usun", "cena"):
        assert f'href="/sklad/{nowak.pk}/{form}/"' in page
    assert 'href="/sklady/dodaj/"' in client.get("/").content.decode()
    assert 'href="/sklady/dodaj/?teryt=1261011"' in client.get("/sklady/malopolskie/krakow-1261011/").content.decode()


def test_mistakes_stand_in_the_order_of_the_page(stranger, nowak):
    wrong = {"email": "jan@", "mon": "rano", "name": "", "lat": "abc"}
    answer = stranger.fill("/sklady/dodaj/", place="Kraków", **wrong)
    assert [field.name for field in answer.context["form"].mistakes] == ["name", "mon", "lat", "email"]
    assert "Wpisz nazwę, pod którą skład jest znany." in text_of(answer)


def test_a_whole_visit_is_one_form_one_letter_one_confirmation_and_may_be_taken_back(client, stranger, nowak, clock):
    path = f"/sklad/{nowak.pk}/przejmij/"
    status = stranger.fill(path, **CLAIM, phone="601 234 567", mon="7-15", **{"price-pellet": "1600"})["Location"]
    assert len(mail.outbox) == 1
    again = stranger.fill(path, **CLAIM, phone="602 234 567", **{"price-pellet": "1600"})["Location"]
    superseded = Submission.objects.filter(state="superseded").values_list("kind", flat=True)
    assert set(superseded) == {"claim", "correct", "price"}
    assert "zastąpiono nowszym" in text_of(client.get(status))
    asked = text_of(client.get(stranger.link()))
    assert not missing(asked, "Telefon +48 12 345 67 89 +48 602 234 567", "1 600 zł/t")
    assert stranger.confirm()["Location"] == again
    waiting = {row.kind: row for row in Submission.objects.waiting()}
    assert (set(waiting), DepotPrice.objects.get().submission.email) == ({"claim", "correct"}, "jan@opal-nowak.pl")

    clock.move(days=3)
    page = text_of(client.get(again))
    assert "Wysłano formularz 21 listopada 2026 r., 13:00" in page
    assert not missing(page, "Potwierdzono adres e-mail 21 listopada 2026 r., 13:00", "Decyzja redakcji czeka 3 dni")
    stranger.send(again, {"wycofaj": str(waiting["claim"].pk)})
    page = text_of(client.get(again))
    assert "Zgłoszenie ma kilka części." in page
    assert "Nic się nie zmieni" not in page
    states = dict(Submission.objects.exclude(state="superseded").values_list("kind", "state"))
    assert states == {"claim": "withdrawn", "correct": "waiting", "price": "passed_on"}
    with pytest.raises(decisions.SubmissionAlreadyDecided):
        deciding.accept_submission(submission=waiting["claim"], by=factories.UserFactory(), on=clock.now)
    stranger.send(again, {"wycofaj": str(factories.SubmissionFactory().pk)})  # of somebody else
    assert Submission.objects.waiting().count() == 2
    deciding.accept_submission(submission=waiting["correct"], by=factories.UserFactory(), on=clock.now)
    page = text_of(client.get(again))
    assert not missing(page, "Redakcja przyjęła 24 listopada 2026 r., 13:00")
    assert re.findall(r"Usuniemy Twoje dane (\d+ \w+)", page) == ["25 listopada", "22 lutego", "19 lutego"]
    assert "Bez zmian zostało" not in page


def test_what_was_never_confirmed_is_withdrawn_as_a_whole(client, stranger, nowak):
    status = stranger.fill(f"/sklad/{nowak.pk}/przejmij/", **CLAIM, phone="601 234 567")["Location"]
    folded = client.get(status).content.decode().partition("<summary>Wycofaj zgłoszenie</summary>")[2]
    assert 'name="wycofaj"' in folded.partition("</details>")[0]
    stranger.send(status, {"wycofaj": str(Submission.objects.get(kind="claim").pk)})
    assert set(Submission.objects.values_list("state", flat=True)) == {"withdrawn"}
    assert "Nic się nie zmieni" in text_of(client.get(status))
    answer = client.get(stranger.link())
    assert answer.status_code == 409
    assert "Zgłoszenie jest wycofane" in text_of(answer)
    assert f'href="/sklad/{nowak.pk}/przejmij/"' in answer.content.decode()
    retention.purge_submissions(on=stranger.clock.now + timedelta(hours=23))
    assert Submission.objects.exists()
    retention.purge_submissions(on=stranger.clock.now + timedelta(hours=24))
    assert not Submission.objects.exists()
