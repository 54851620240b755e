"""Letters that readers ask for: from the form to the end by one click."""

import re
from datetime import date, timedelta

import pytest
from django.core import mail

from catalog.models import Subscription
from catalog.search.entries import rebuild_index
from catalog.submissions import gone_reports_and_subscriptions as subscriptions
from catalog.submissions import limits, retention, tokens
from pages.polish import day
from tests import factories
from tests.pages.forms.conftest import token_of
from tests.pages.reading import expect
from tests.regulations.factories import DeadlineFactory

PATH = "/powiadomienia/"
END = "/powiadomienia/koniec/?znak="
KRAKOW = "1261011"


@pytest.fixture
def place():
    unit = factories.krakow()
    rebuild_index()
    return unit


def links_in(letter):
    return re.findall(r"http://127\.0\.0\.1:8000(/powiadomienia/\S+)", letter.body)


def confirm(stranger, link):
    stranger.client.get(link)
    return stranger.client.post("/powiadomienia/potwierdz/", {"odnosnik": token_of(link)}, follow=True)


def test_a_place_is_asked_for_confirmed_and_ended(stranger, place):
    DeadlineFactory(date=stranger.clock.now.date() + timedelta(days=200))
    expect(stranger.fill(PATH, place=place.name), "Sprawdź pocztę")
    (row,) = Subscription.objects.all()
    assert (row.teryt, row.fuel, row.confirmed_at) == (KRAKOW, "", None)
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == (["jan@opal-nowak.pl"], "Powiadomienia: potwierdź")
    (link,) = links_in(letter)
    expect(stranger.client.get(link), "Kraków: terminy i zmiany przepisów")
    assert factories.fresh(row).confirmed_at is None, "GET writes nothing"
    expect(confirm(stranger, link), "Twoje powiadomienia", "do 20 listopada 2028 r.")
    assert factories.fresh(row).confirmed_at is not None
    assert row.client_hash == ""
    assert list(row.content["rules"].values()) == ["Uchwała I/1/17", f"Od {day(date(2027, 6, 9))}: kotły klasy 3 i 4"]
    own = f"/powiadomienia/moje/?znak={tokens.READER.token(row.email_hash)}"
    for ended in ("9" * 5000, row.pk):
        answer = stranger.client.post("/powiadomienia/moje/", {"znak": token_of(own), "koniec": ended}, follow=True)
    assert not Subscription.objects.exists()
    for page in (answer, stranger.client.get(own)):
        expect(page, "Koniec powiadomień")


def test_one_post_without_cookie_ends_all_of_an_address(client):
    for number, email in enumerate(("jan@example.pl", "Jan@example.pl", "ewa@example.pl")):
        factories.SubscriptionFactory(email=email, teryt=f"126101{number}")
    path = f"{END}{tokens.READER.token(tokens.hash_email('jan@example.pl'))}"
    client.handler.enforce_csrf_checks = True
    assert (client.get(path).status_code, Subscription.objects.count()) == (302, 3)
    for _ in range(2):
        answer = client.post(path, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
        assert answer.status_code == 200
    assert [row.email for row in Subscription.objects.all()] == ["ewa@example.pl"]


def test_an_address_that_is_said_to_be_erased_is_erased(client, clock):
    reader, new = {"email": "jan@example.pl"}, {"confirmed_at": None, "mailed_at": None, "created_at": clock.now}
    confirmed = factories.SubscriptionFactory(**reader)
    own = tokens.READER.path_of(tokens.READER.token(confirmed.email_hash))
    factories.SubscriptionFactory(**reader, **new, fuel="pellet", voivodeship="12")
    ending = {"znak": token_of(own), "koniec": confirmed.pk}
    expect(client.post("/powiadomienia/moje/", ending, follow=True), "gdy odnośnik wygaśnie", without=["usunęliśmy"])
    for path, posted in (("/powiadomienia/moje/", {"znak": token_of(own), "wszystko": "1"}), (END + token_of(own), {})):
        factories.SubscriptionFactory(**reader)
        factories.SubscriptionFactory(**reader, **new)
        expect(client.post(path, posted, follow=True), "Twój adres usunęliśmy.")
        assert not Subscription.objects.exists()


def test_two_letters_about_the_same_confirmed_together_leave_one(clock):
    """Each request has read its row before the other one wrote."""
    about = {"email": "jan@example.pl", "confirmed_at": None, "mailed_at": clock.now}
    one, other = (factories.SubscriptionFactory(**about) for _ in range(2))
    for row in (one, other):
        subscriptions.confirm_subscription(subscription=row, content={}, on=clock.now)
    with pytest.raises(subscriptions.SubscriptionNotFound):
        subscriptions.confirm_subscription(subscription=one, content={}, on=clock.now)
    assert Subscription.objects.confirmed().get() == other


def test_the_form_begins_with_a_place_that_exists_and_mistakes_are_named(client, stranger, place):
    for asked, filled in ((KRAKOW, "Kraków"), ("Kraków", "Kraków"), ("\0", ""), ("9999999", "")):
        assert client.get(PATH, {"gmina": asked}).context["form"]["place"].value() == filled
    for typed, mistake in (
        ({}, "Wpisz miejsce albo wybierz paliwo i województwo."),
        ({"place": "Nibylandia"}, "Nie znaleźliśmy takiego miejsca."),
        ({"place": "a" * 100_000}, "Upewnij się, że ta wartość ma co najwyżej 100"),
        ({"fuel": "pellet"}, "Mediana ceny wymaga paliwa i województwa."),
        ({"fuel": "ropa", "voivodeship": "12"}, "nie jest żadną z dostępnych opcji"),
        ({"place": "Kraków", "email": "nikt"}, "Wpisz zwykły adres e-mail"),
    ):
        expect(stranger.fill(PATH, **typed), mistake, status=400)
    assert not Subscription.objects.exists()


def test_one_of_several_places_is_chosen_from_a_list(stranger):
    for unit in (factories.nowy_targ_town(), factories.nowy_targ_rural()):
        factories.PlaceFactory(municipality=unit, name="Bór")
    rebuild_index()
    answer = stranger.fill(PATH, place="Bór")
    assert expect(answer, status=400).count("Takich miejsc jest kilka.") == 2, "above the form and beside the list"
    rural = factories.nowy_targ_rural()
    assert answer.content.decode().count(f'name="teryt" value="{rural.teryt}"') == 1
    answer = stranger.fill(PATH, place="Bór", teryt=rural.teryt, email="nikt")
    assert answer.context["form"]["teryt"].value() == rural.teryt, "the choice stays with another mistake"
    for typed in ({"place": rural.teryt}, {"place": "Bór", "teryt": rural.teryt}):
        assert stranger.fill(PATH, **typed).status_code == 200
    assert {row.teryt for row in Subscription.objects.all()} == {rural.teryt}
    assert stranger.fill(PATH, place="Bór", teryt="x").status_code == 400


def test_strangers_addresses_are_protected(stranger, place, monkeypatch):
    monkeypatch.setattr(subscriptions, "PER_NETWORK", limits.LETTERS_PER_MAILBOX + 1)
    for number in range(limits.LETTERS_PER_MAILBOX + 1):
        assert stranger.fill(PATH, place=place.name, email=f"jan+{number}@example.pl").status_code == 200
    assert len(mail.outbox) == limits.LETTERS_PER_MAILBOX
    answer = stranger.fill(PATH, place=place.name, email="ewa@example.pl")
    expect(answer, "Zbyt wiele zgłoszeń", status=429)
    assert int(answer["Retry-After"]) > 0


def test_a_form_sent_twice_is_one_letter(stranger, place):
    typed = stranger.type(PATH, place=place.name)
    for email in ("jan@opal-nowak.pl", "jan@opal-nowak.pl", "ewa@opal-nowak.pl"):
        expect(stranger.send(PATH, typed | {"email": email}), "Sprawdź pocztę")
    assert [letter.to for letter in mail.outbox] == [["jan@opal-nowak.pl"], ["ewa@opal-nowak.pl"]]
    for minutes, sent in ((9, 2), (1, 3)):  # asked again on purpose
        stranger.clock.move(minutes=minutes)
        stranger.send(PATH, typed)
        assert len(mail.outbox) == sent


def test_confirming_the_same_again_keeps_one_and_a_link_dies_and_says_so(stranger, place):
    for _ in range(2):
        stranger.fill(PATH, place=place.name)
        confirm(stranger, links_in(mail.outbox[-1])[0])
    assert Subscription.objects.count() == 1
    Subscription.objects.all().delete()
    stranger.fill(PATH, place=place.name)
    (link,) = links_in(mail.outbox[-1])
    stranger.clock.move(hours=49)
    expect(stranger.client.get(link), "Odnośnik nie działa", status=404)
    assert stranger.client.get("/powiadomienia/moje/?znak=x").status_code == 404
    retention.purge_submissions(on=stranger.clock.now)
    assert not Subscription.objects.exists()


@pytest.mark.parametrize(
    ("moment", "kept_for"),
    [("asked_at", retention.KEPT_ASKED), ("confirmed_at", retention.KEPT_SUBSCRIBED + retention.LETTER_TRIED)],
)
def test_who_does_not_go_on_or_cannot_be_asked_is_forgotten(clock, moment, kept_for):
    kept = factories.SubscriptionFactory(**{moment: clock.now - kept_for + timedelta(days=1)})
    factories.SubscriptionFactory(**{moment: clock.now - kept_for})
    retention.purge_submissions(on=clock.now)
    assert list(Subscription.objects.all()) == [kept]


def test_an_asked_reader_goes_on(client, clock):
    row = factories.SubscriptionFactory(asked_at=clock.now)
    token = tokens.READER.token(row.email_hash)
    expect(client.get(f"/powiadomienia/moje/?znak={token}"), "Piszcie dalej")
    client.post("/powiadomienia/moje/", {"znak": token, "przedluz": "1"})
    assert (factories.fresh(row).asked_at, row.confirmed_at) == (None, clock.now)


def test_nobody_has_too_many(stranger, place):
    email_hash = tokens.hash_email("jan@opal-nowak.pl")
    for number in range(limits.PER_READER):
        factories.SubscriptionFactory(email_hash=email_hash, teryt=f"14650{number:02}")
    stranger.fill(PATH, place=place.name)
    expect(confirm(stranger, links_in(mail.outbox[-1])[0]), "Masz już bardzo wiele powiadomień", status=409)
