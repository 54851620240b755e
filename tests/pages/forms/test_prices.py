"""A reader's price: the form, the link, and the queue of prices."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core import mail

from catalog.models import DepotRequest
from prices.models import DepotPrice, PlausibleRange
from tests import factories
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(nowak):
    return f"/sklad/{nowak.pk}/cena/"


def test_a_price_enters_the_queue_once_it_is_confirmed(client, stranger, path, nowak, clock):
    sent = stranger.fill(path, fuel="pellet", price="1 650,50")
    assert "Cena 1 650,50 zł za tonę" in text_of(client.get(sent["Location"]))
    assert not DepotPrice.objects.exists()
    done = stranger.confirm()
    assert "Cena czeka na sprawdzenie" in text_of(client.get(done["Location"]))
    price = DepotPrice.objects.get()
    assert (price.depot, price.fuel, price.price, price.unit) == (nowak, "pellet", Decimal("1650.50"), "t")
    assert (price.status, price.origin, price.day) == ("pending", "submission", clock.now.date())
    assert client.get(f"/api/v1/stores/{nowak.pk}").json()["price_list"] == []
    assert DepotRequest.objects.get().state == "passed_on"
    assert client.get(stranger.link()).status_code == 409


def test_a_bag_is_counted_up_to_a_tonne(stranger, path):
    stranger.fill(path, fuel="pellet", bag_price="24", bag_kg="15")
    stranger.confirm()
    assert DepotPrice.objects.get().price == Decimal("1600.00")


def test_two_fuels_wait_beside_each_other(stranger, path):
    stranger.fill(path, fuel="pellet", price="1600")
    first = stranger.link()
    stranger.fill(path, fuel="brykiet", price="1400")
    stranger.confirm(first)
    stranger.confirm()
    assert set(DepotPrice.objects.values_list("fuel", flat=True)) == {"pellet", "brykiet"}


def test_a_second_price_of_one_day_is_refused_without_being_half_taken(client, stranger, path, nowak, clock):
    day = clock.now.date()
    factories.DepotPriceFactory(depot=nowak, day=day, submission=True, pending=True)
    stranger.fill(path, fuel="pellet", price="1600")
    answer = stranger.confirm()
    assert answer.status_code == 409
    assert "Nie możemy przyjąć tej ceny" in text_of(answer)
    assert (DepotPrice.objects.count(), DepotRequest.objects.get().state) == (1, "unconfirmed")


def test_a_price_list_of_the_same_day_stands_beside_it(stranger, path, nowak, clock):
    factories.DepotPriceFactory(depot=nowak, day=clock.now.date())
    stranger.fill(path, fuel="pellet", price="1600")
    assert stranger.confirm().status_code == 302
    assert DepotPrice.objects.count() == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"fuel": "pellet"}, "Podaj albo cenę za tonę, albo cenę i wagę worka."),
        ({"fuel": "pellet", "price": "1600", "bag_price": "24"}, "Podaj albo cenę za tonę"),
        ({"fuel": "pellet", "bag_price": "24"}, "Do ceny worka podaj jego wagę"),
        (
            {"fuel": "drewno-kominkowe", "bag_price": "24", "bag_kg": "15"},
            "podaj cenę za metr przestrzenny",
        ),
        ({"fuel": "pellet", "price": "24"}, "Wiarygodne ceny tego paliwa to od 600 do 4000 zł"),
        ({"fuel": "pellet", "price": "99999"}, "Wiarygodne ceny"),
        ({"fuel": "pellet", "price": "0"}, "Wpisz kwotę"),
        ({"fuel": "pellet", "price": "-5"}, "Wpisz kwotę"),
        ({"fuel": "pellet", "price": "1600,555"}, "Wpisz kwotę"),
        ({"fuel": "pellet", "price": "NaN"}, "Wpisz kwotę"),
        ({"fuel": "pellet", "bag_price": "24", "bag_kg": "0"}, "Wpisz wagę w kilogramach"),
        ({"fuel": "uran", "price": "1600"}, "Popraw i wyślij"),
        ({"price": "1600"}, "Wybierz paliwo, którego dotyczy cena."),
        ({"fuel": "pellet", "price": "1600", "day": "2026-11-22"}, "Ten dzień jeszcze nie nadszedł."),
        ({"fuel": "pellet", "price": "1600", "day": "2026-10-01"}, "Podaj cenę z ostatnich 31 dni."),
        ({"fuel": "pellet", "price": "1600", "day": "wczoraj"}, "Wpisz dzień na przykład tak: 21.11.2026."),
    ],
)
def test_what_is_no_price(stranger, path, typed, said):
    answer = stranger.fill(path, **typed)
    assert answer.status_code == 400
    assert said in text_of(answer)
    assert mail.outbox == []


def test_a_range_with_grosze_is_told_to_the_grosz(stranger, path):
    PlausibleRange.objects.filter(pk="pellet").update(low=Decimal("650.50"))
    assert "od 650,50 do 4000 zł" in text_of(stranger.fill(path, fuel="pellet", price="650,49"))


def test_the_ends_of_a_plausible_range_are_inside(stranger, path):
    assert stranger.fill(path, fuel="pellet", price="600").status_code == 302
    day = (stranger.clock.now - timedelta(days=31)).date()
    assert stranger.fill(path, fuel="pellet", price="4000", day=str(day)).status_code == 302
