"""The author's address: shown masked after sending, corrected before the confirmation, asked back when misspelt."""

from django.core import mail

from catalog.models import Submission
from catalog.submissions import limits
from catalog.submissions.tokens import STATUS
from pages.forms import fields
from pages.forms.fields import likely_domain
from tests import factories
from tests.mail import words_of
from tests.pages.forms.conftest import CLAIM
from tests.pages.reading import expect, text_of


def correct(stranger, status, email, **more):
    return stranger.fill(status, email=email, popraw_adres="1", **more)


def send(stranger, nowak, **changed):
    return stranger.fill(f"/sklad/{nowak.pk}/popraw/", phone="601 234 567", **changed)["Location"]


def test_a_wrong_address_is_corrected_and_its_link_stops_working(client, stranger, nowak):
    stranger.fill(f"/sklad/{nowak.pk}/przejmij/", **CLAIM, mon="6-14")
    former, wrong = stranger.link(), Submission.objects.get(kind="claim")
    expect(correct(stranger, STATUS.path(wrong.pk), "jan@opal.pl"), "na j…@opal.pl.", status=302)
    assert mail.outbox[-1].to == ["jan@opal.pl"]
    expect(client.get(former), "Jest nowszy odnośnik", status=409)
    assert set(Submission.objects.filter(email="jan@opal-nowak.pl").values_list("state", flat=True)) == {"superseded"}
    stranger.confirm()
    waiting = Submission.objects.filter(state="waiting").order_by("kind").values_list("kind", "email", "claimant_nip")
    assert list(waiting) == [(kind, "jan@opal.pl", "5260250274") for kind in ("claim", "correct")]


def test_a_confirmed_address_stays(client, stranger, nowak):
    status = send(stranger, nowak)
    typed = stranger.show(status)
    stranger.confirm()
    expect(client.get(status), without=["Błąd w adresie?"])
    stranger.send(status, typed | {"email": "ewa@opal.pl", "popraw_adres": "1"})
    assert list(Submission.objects.values_list("email", "state")) == [("jan@opal-nowak.pl", "waiting")]


def test_the_address_is_shown_masked_and_the_same_or_an_unreadable_one_sends_nothing(client, stranger, nowak):
    status = send(stranger, nowak, email="jan.nowak@opal-nowak.pl")
    page = client.get(status)
    expect(page, "Wysłaliśmy wiadomość z odnośnikiem na j…@opal-nowak.pl.")
    assert "jan.nowak" not in page.content.decode()
    assert correct(stranger, status, "jan.nowak@opal-nowak.pl")["Location"] == status
    expect(correct(stranger, status, "jan@"), fields.MALFORMED_EMAIL, status=400)
    assert (len(mail.outbox), Submission.objects.get().state) == (1, "unconfirmed")


def test_correcting_has_the_limits_of_sending(client, stranger, nowak, monkeypatch):
    monkeypatch.setattr(limits, "PER_NETWORK", 2)
    status = correct(stranger, send(stranger, nowak), "jan@opal.pl")["Location"]
    assert correct(stranger, status, "jan@opal.com").status_code == 429
    assert Submission.objects.filter(state="unconfirmed").count() == 1  # the last one still counts
    expect(client.get(status), "Wysłaliśmy")


def test_a_domain_that_is_nearly_a_mailbox_of_many_is_known():
    for likely, domains in (
        ("gmail.com", ("gmial.com", "gmail.con", "gmai.com", "gmail.pl")),
        ("hotmail.com", ("hotmial.com",)),
        ("interia.pl", ("interia.lp",)),
        ("onet.pl", ("onett.pl",)),
        ("", ("gmail.com", "mail.com", "ymail.com", "wp.pl", "op.pl", "interia.eu", "opal-nowak.pl", "wegiel.pl")),
    ):
        for domain in domains:
            assert likely_domain(f"jan@{domain}") == likely, domain


def test_a_likely_misspelling_is_asked_back_once_and_not_called_disposable(stranger, nowak):
    path = f"/sklad/{nowak.pk}/popraw/"
    thrown = stranger.fill(path, phone="601 234 567", email="jan@gmial.com")
    expect(thrown, "Czy chodziło o gmail.com? Popraw adres.", status=400, without=["jednorazowe"])  # again is no use
    asked = stranger.fill(path, phone="601 234 567", email="jan@gmail.con")
    expect(asked, "Czy chodziło o gmail.com?", status=400)
    assert 'name="pewny_adres" value="jan@gmail.con"' in asked.content.decode()
    sure = stranger.fill(path, phone="601 234 567", email="jan@gmail.con", pewny_adres="jan@gmail.con")
    assert (sure.status_code, Submission.objects.get().email) == (302, "jan@gmail.con")


def test_the_letter_says_what_is_confirmed_without_what_was_typed(stranger, nowak):
    factories.DepotPriceFactory(depot=nowak)
    visit = {"nip": "526-025-02-74", "phone": "601 234 567", "mon": "6-14", "price-pellet": "1613"}
    stranger.fill(f"/sklad/{nowak.pk}/przejmij/", **CLAIM, **visit)
    body = mail.outbox[-1].body
    parts = "przejęcie wpisu; poprawka danych (NIP, telefon, godziny\notwarcia); ceny opału (pellet)."
    assert f"\nPotwierdzasz: {parts}\n" in body
    assert "601" not in body
    assert "1613" not in body.replace("\xa0", "")


def test_an_unknown_postcode_refuses_no_depot_with_a_position_whose_letter_names_what_was_filled_in(stranger, nowak):
    typed = {"name": "Skład Nowy", "place": "Kraków", "postcode": "30-998", "phone": "601 234 567"}
    assert "Nie znamy takiego kodu pocztowego." in text_of(stranger.fill("/sklady/dodaj/", **typed))
    stranger.fill("/sklady/dodaj/", **typed, lat="50,0617", lon="19,9373")
    (letter,) = mail.outbox
    assert letter.subject == "Brakujący skład: potwierdź zgłoszenie"
    named = "nazwa, kod pocztowy, miejscowość, telefon, położenie"
    assert f"Potwierdzasz: brakujący skład ({named})." in words_of(letter)
    added = Submission.objects.get(kind="add").proposed
    assert (added["postcode"], added["lat"], added["location_approximate"]) == ("30-998", 50.0617, False)
