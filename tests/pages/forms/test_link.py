"""The confirmation link, used twice, expired, superseded, mistyped or not sent, and the address that it is sent to."""

import re

import pytest
from django.core import mail
from django.core.management import call_command

from catalog.models import Depot, Submission
from catalog.services import journal
from catalog.services.moderation import remove_depot
from catalog.services.publishing import publish_depot
from catalog.submissions import letters, limits
from catalog.submissions.retention import purge_submissions
from catalog.submissions.tokens import STATUS
from pages.forms import fields
from pages.forms.fields import likely_domain
from tests import deciding, factories
from tests.mail import DOWN, WORKING, words_of
from tests.pages.forms.conftest import CLAIM, OWNER, token_of
from tests.pages.reading import expect, missing, present, text_of

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


def test_a_link_works_once_says_later_that_the_submission_counts_and_is_not_sent_again(client, stranger, sent, clock):
    stranger.confirm(sent)
    for hours in (0, 49):
        clock.move(hours=hours)
        page = refused(client, sent, 409, "Zgłoszenie jest już potwierdzone")
    way = re.search(r'href="([^"]+)"[^>]*>Zobacz stan zgłoszenia', page)[1]
    expect(client.get(way), "czeka na decyzję redakcji")
    mail.outbox.clear()
    answer = client.post(way)
    assert (answer.status_code, answer["Location"], mail.outbox) == (302, way, [])
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


def test_a_newer_submission_replaces_an_unconfirmed_one(client, stranger, path, sent):
    stranger.fill(path, **SECOND)
    refused(client, sent, 409, "Jest nowszy odnośnik")
    assert stranger.confirm().status_code == 302


def test_a_link_that_a_removal_ended_says_so_once_the_entry_is_back(client, stranger, path, nowak, sent, clock):
    remove_depot(depot=nowak, reason="closed", on=clock.now.date())
    assert client.get(sent).status_code == 410
    publish_depot(depot=nowak, on=clock.now.date(), note="otwarty")
    page = refused(client, sent, 409, "Zamknięto je, gdy usunięto wpis, który potem wrócił do katalogu.")
    assert f'<a href="{path}">Wypełnij formularz jeszcze raz</a>' in page
    expect(client.get(STATUS.path(Submission.objects.get().pk)), "zamknięto, gdy usunięto wpis")


def test_a_link_that_works_again_with_its_entry_is_replaced_like_any(client, stranger, path, nowak, sent, clock):
    remove_depot(depot=nowak, reason="closed", on=clock.now.date())
    journal.undo(decision=deciding.last(), by=factories.UserFactory(), on=clock.now)
    assert client.get(sent).status_code == 200
    stranger.fill(path, **SECOND)
    refused(client, sent, 409, "Jest nowszy odnośnik")


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


def test_a_form_sent_again_after_ten_minutes_is_another_submission(stranger, path):
    typed = stranger.type(path, **FIRST)
    for minutes, sent in ((0, 1), (9, 1), (1, 2)):
        stranger.clock.move(minutes=minutes)
        stranger.send(path, typed)
        assert len(mail.outbox) == sent


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
    # As long as it has not left, the one before it counts, here and for the purge.
    expect(client.get(status), "Wysyłamy wiadomość z odnośnikiem", "czekamy do 25 listopada 2026 r., 12:00")
    clock.move(hours=44, minutes=59)
    purge_submissions(on=clock.now)
    assert client.get(status).status_code == 200
    clock.move(minutes=1)
    purge_submissions(on=clock.now)
    assert client.get(status).status_code == 404


def test_a_replaced_submission_says_when_it_goes(client, stranger, path, status, clock):
    clock.move(minutes=10)
    stranger.fill(path, **SECOND)
    expect(client.get(status), "Usuniemy Twoje dane 23 listopada 2026 r.")
    clock.move(hours=48)
    purge_submissions(on=clock.now)
    assert client.get(status).status_code == 404


def correct(stranger, status, email, **more):
    return stranger.fill(status, email=email, popraw_adres="1", **more)


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


def test_the_error_of_a_corrected_address_is_what_the_browser_shows_after_sending_it(client, stranger, status):
    assert not missing(client.get(status).content.decode(), 'action="/zgloszenia/stan/?znak=', '#zly-adres"')
    assert 'id="zly-adres"' not in client.get(status).content.decode()
    assert '<details open id="zly-adres">' in correct(stranger, status, "jan").content.decode()


def test_a_confirmed_address_stays(client, stranger, status):
    typed = stranger.show(status)
    stranger.confirm()
    expect(client.get(status), without=["Błąd w adresie?"])
    stranger.send(status, typed | {"email": "ewa@opal.pl", "popraw_adres": "1"})
    assert list(Submission.objects.values_list("email", "state")) == [("jan@opal-nowak.pl", "waiting")]


def test_the_address_is_shown_masked_and_the_same_or_an_unreadable_one_sends_nothing(client, stranger, path):
    status = stranger.fill(path, **FIRST, email="jan.nowak@opal-nowak.pl")["Location"]
    page = client.get(status)
    expect(page, "Wysłaliśmy wiadomość z odnośnikiem na j…@opal-nowak.pl.")
    assert "jan.nowak" not in page.content.decode()
    assert correct(stranger, status, "jan.nowak@opal-nowak.pl")["Location"] == status
    expect(correct(stranger, status, "jan@"), fields.MALFORMED_EMAIL, status=400)
    assert (len(mail.outbox), Submission.objects.get().state) == (1, "unconfirmed")


def test_correcting_has_the_limits_of_sending(client, stranger, status, monkeypatch):
    monkeypatch.setattr(limits, "PER_NETWORK", 2)
    status = correct(stranger, status, "jan@opal.pl")["Location"]
    assert correct(stranger, status, "jan@opal.com").status_code == 429
    assert Submission.objects.filter(state="unconfirmed").count() == 1  # the last one still counts
    expect(client.get(status), "Wysłaliśmy")


def test_a_correction_that_an_editor_made_meanwhile_is_not_sent_from_another_address(stranger, status):
    Depot.objects.update(phone="+48 601 234 567")
    answer = correct(stranger, status, "jan@opal.pl")
    expect(answer, "Nie ma czego poprawiać Niczego nie zmieniono: wpis mówi już", status=400)


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


def test_a_likely_misspelling_is_asked_back_once_and_not_called_disposable(stranger, path):
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
    stranger.fill(f"/sklad/{nowak.pk}/przejmij/", **CLAIM, **visit, message="Dzwonić rano.")
    body = mail.outbox[-1].body
    parts = "przejęcie wpisu; poprawka danych (NIP, telefon, godziny\notwarcia); ceny opału (pellet)."
    assert f"\nPotwierdzasz: {parts}\n" in body
    assert not present(body, "601", "Dzwonić")
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
