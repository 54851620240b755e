"""What letters say that readers ask for, and when they are sent."""

from datetime import timedelta

import pytest
from django.core import mail

from catalog.models import Depot, Subscription
from catalog.submissions import retention
from catalog.submissions.gone_reports_and_subscriptions import confirm_subscription
from pages import alerts
from prices.models import DepotPrice
from regulations.models import Deadline
from tests import commands, factories
from tests.client import build_snapshots
from tests.factories import NOW, TODAY
from tests.mail import REFUSING, SILENT, WORKING, Silent, words_of
from tests.pages.reading import missing, present
from tests.regulations.factories import AmendmentFactory, DeadlineFactory, FuelBanFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

DAY = timedelta(days=1)
MINUTES = timedelta(minutes=10)


@pytest.fixture
def act():
    return ResolutionFactory()


def subscribe(**values):
    """Subscribe as of NOW, with what the pages say then."""
    build_snapshots()
    row = factories.SubscriptionFactory.build(**values)
    row.content = alerts.present(row, TODAY)
    row.save()
    return row


def send(after=timedelta()):
    build_snapshots()
    before = len(mail.outbox)
    alerts.send_alerts(on=NOW + after, commit=True)
    return mail.outbox[before:]


def change_prices(amount):
    DepotPrice.objects.update(price=amount)


@pytest.fixture
def pellet(act):
    return factories.price_depots(*[1500] * 5, day=TODAY)


def test_a_deadline_is_told_90_30_and_7_days_before_but_no_step_that_the_reader_saw_on_confirming(act):
    DeadlineFactory(date=TODAY + 40 * DAY, applies_to="kominki")
    DeadlineFactory(date=TODAY + 100 * DAY)
    DeadlineFactory(date=TODAY + 50 * DAY, area="listed", units=["1208011"], scope="inna gmina")
    subscribe()
    days = (0, 1, 9, 10, 11, 20, 32, 33, 34, 43, 69, 70, 71, 92, 93, 94, 99, 100, 101)
    assert [number for number in days if send(number * DAY)] == [10, 33, 70, 93]
    (first, *_) = mail.outbox
    assert first.subject == "Powiadomienia: terminy"
    assert "Kraków: 1 marca 2027 r., za 90 dni kotły klasy 3 i 4" in words_of(first)
    assert "za 7 dni" in words_of(mail.outbox[-1])


def test_a_rule_of_a_part_of_the_place_or_of_contradicting_sources_says_so(act):
    subscribe()
    DeadlineFactory(date=TODAY + 20 * DAY, applies_to="kominki", area="listed", partly=["1261011"], scope="strefa A")
    DeadlineFactory(date=TODAY + 20 * DAY, applies_to="piece", uncertain=True)
    FuelBanFactory(area="listed", partly=["1261011"], scope="strefa B")
    (letter,) = send()
    fireplaces, stoves = "kominki w części gminy (zakres przepisu to strefa A)", "piece (niepewne)"
    ban = "Nie wolno palić: muły węglowe w części gminy (zakres przepisu to strefa B)"
    told = (f"dni {fireplaces} http", f"dni {stoves} http", f": {fireplaces} nowe", f": {stoves} nowe", ban)
    assert not missing(words_of(letter), *told)


def test_changed_rules_are_told_and_corrected_words_are_not(act):
    moved = DeadlineFactory(date=TODAY + 300 * DAY)
    subscribe()
    moved.description, moved.applies_to = "Inaczej opisane.", "kotły klasy 3 oraz 4"
    moved.save()
    assert send() == []
    moved.delete()
    FuelBanFactory()
    AmendmentFactory(resolution=act)
    (letter,) = send(DAY)
    assert letter.subject == "Powiadomienia: zmiana przepisów"
    new = "nowe: Zmiana uchwały z 2 listopada 2026 r.", "nowe: Nie wolno palić: muły węglowe"
    assert not missing(words_of(letter), *new, "już nie: Od 17 ")
    assert send(9 * DAY) == []


def test_a_new_act_is_named_by_its_number_or_title(act):
    subscribe()
    ResolutionFactory(number="II/2/26")
    ResolutionFactory(number="", title="Uchwała w sprawie centrum")
    (letter,) = send()
    assert not missing(words_of(letter), "nowe: Uchwała II/2/26", "nowe: Uchwała w sprawie centrum")


OTHER = {"fuels": "hard_coal", "conditions": "over_10_years", "exemptions": "ecodesign", "appliances": "stove"}


@pytest.mark.parametrize("name", OTHER)
def test_a_rule_for_other_appliances_fuels_buildings_or_exemptions_is_told_once_as_changed(act, name):
    DeadlineFactory(date=TODAY + 300 * DAY, appliances=["boiler_class_3"])
    row = subscribe()
    row.content.pop("limits", None)
    row.save()
    assert send() == [], "release 1.2.11 kept none"
    Deadline.objects.update(**{name: [OTHER[name]]})
    (letter,) = send(DAY)
    assert "zmienione: Od 17 września 2027 r.: kotły klasy 3 i 4" in words_of(letter)
    assert not present(words_of(letter), "nowe: ", "już nie: ")
    assert send(9 * DAY) == []


@pytest.mark.parametrize(("amount", "told"), [(1574, False), (1575, True), (1426, False), (1425, True)])
def test_a_median_is_told_once_it_has_moved_by_5_percent(pellet, amount, told):
    subscribe(teryt="", fuel="pellet", voivodeship="12")
    change_prices(amount)
    letters = send()
    assert bool(letters) is told
    if told:
        assert letters[0].subject == "Powiadomienia: ceny"
        assert "Pellet, małopolskie było: 1 500 zł za tonę" in words_of(letters[0])
        address = "http://127.0.0.1:8000/ceny/pellet/malopolskie/"
        assert f'<a href="{address}" rel="nofollow">{address}</a>' in letters[0].alternatives[0].content
    assert send(8 * DAY) == []


def test_a_real_median_is_not_compared_with_an_invented_one(pellet):
    row = subscribe(teryt="", fuel="pellet", voivodeship="12")
    Depot.objects.update(source="demo")
    build_snapshots()
    row.content = alerts.present(row, TODAY)
    row.save()
    Depot.objects.update(source="osm")
    change_prices(2000)
    assert send() == []
    change_prices(2200)
    (letter,) = send(DAY)
    assert "było: 2 000 zł za tonę" in words_of(letter)


def test_small_changes_add_up(pellet):
    subscribe(teryt="", fuel="pellet", voivodeship="12")
    sent = []
    for number, amount in enumerate((1530, 1560, 1590)):
        change_prices(amount)
        sent.append(len(send(number * DAY)))
    assert sent == [0, 0, 1]


def test_one_letter_a_week_with_all_wishes_of_an_address(pellet):
    subscribe(email="jan@example.pl")
    subscribe(email="jan@example.pl", fuel="pellet", voivodeship="12")
    FuelBanFactory()
    change_prices(1700)
    (letter,) = send()
    assert (letter.subject, letter.body.count("muły węglowe")) == ("Powiadomienia: zmiana przepisów, ceny", 1)
    DeadlineFactory(date=TODAY + 200 * DAY)
    assert [number for number in range(1, 10) if send(number * DAY - 2 * MINUTES * (number == 7))] == [7]


def test_the_week_of_an_address_goes_on_when_the_subscription_of_its_last_letter_has_ended(pellet):
    ended = subscribe(email="jan@example.pl")
    FuelBanFactory()
    assert len(send()) == 1
    row = subscribe(email="jan@example.pl", teryt="", fuel="pellet", voivodeship="12", confirmed_at=None)
    confirm_subscription(subscription=row, content=row.content, on=NOW)
    ended.delete()
    change_prices(1700)
    assert [number for number in range(1, 9) if send(number * DAY)] == [7]


def test_one_click_of_a_mail_program_ends_them_and_who_comes_anew_gets_no_letter_taken_for_an_old_one(act, client):
    subscribe(email="jan@example.pl")
    FuelBanFactory()
    (letter,) = send()
    headers = letter.message()
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = headers["List-Unsubscribe"].strip("<>").removeprefix("http://127.0.0.1:8000")
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Subscription.objects.exists()
    assert letter.alternatives[0][0].count(path.partition("?")[2]) == 2, "the letter leads to the page of its reader"
    subscribe(email="jan@example.pl")
    AmendmentFactory(resolution=act)
    (anew,) = send(DAY)
    assert anew.extra_headers["Message-ID"] != letter.extra_headers["Message-ID"]


def test_after_two_years_the_reader_is_asked_once(act):
    subscribe(confirmed_at=NOW - retention.KEPT_SUBSCRIBED)
    (letter,) = send()
    assert letter.subject == "Powiadomienia: pytanie"
    assert "Bez tego po 21 grudnia 2026 r. usuniemy Twój adres." in words_of(letter)
    assert Subscription.objects.get().asked_at == NOW
    assert send(8 * DAY) == []


def test_who_is_asked_about_some_of_several_is_told_that_the_others_go_on(act):
    subscribe(email="jan@example.pl")
    asked = subscribe(email="jan@example.pl", teryt="1217011", confirmed_at=NOW - retention.KEPT_SUBSCRIBED)
    (letter,) = send()
    assert not present(words_of(letter), "usuniemy Twój adres")
    assert "Bez tego po 21 grudnia 2026 r. skończą się te, o które prosisz najdłużej." in words_of(letter)
    retention.purge_submissions(on=NOW + retention.KEPT_ASKED)
    assert Subscription.objects.get().pk != asked.pk


def test_a_refused_letter_is_tried_again_and_holds_up_nobody(act, settings, caplog):
    for email in ("nobody@example.pl", "ewa@example.pl"):
        subscribe(email=email)
    FuelBanFactory()
    settings.EMAIL_BACKEND = REFUSING
    assert [letter.to for letter in send()] == [["ewa@example.pl"]]
    assert "nobody@" not in caplog.text
    settings.EMAIL_BACKEND = WORKING
    assert [letter.to for letter in send()] == [["nobody@example.pl"]]
    assert len({letter.extra_headers["Message-ID"] for letter in mail.outbox}) == 2


def test_a_mail_server_that_does_not_answer_ends_the_call(act, settings):
    for _ in range(5):
        subscribe()
    FuelBanFactory()
    settings.EMAIL_BACKEND = SILENT
    assert (send(), Silent.waits) == ([], 1)
    settings.EMAIL_BACKEND = WORKING
    assert len(send()) == 5


def test_the_command_says_what_it_would_do_and_writes_nothing(act):
    row = subscribe()
    FuelBanFactory()
    build_snapshots()
    assert commands.run("send_alerts") == "1 letters would be sent; add --commit to send them\n"
    assert (mail.outbox, Subscription.objects.get().content) == ([], row.content)
    assert [commands.run("send_alerts", commit=True) for _ in range(2)] == ["1 letters sent\n", "0 letters sent\n"]


def test_a_merged_municipality_is_followed(act):
    factories.FormerMunicipalityFactory()
    assert alerts.describe_subscription(subscribe(teryt="1261999"))[0][0].startswith("Kraków")
