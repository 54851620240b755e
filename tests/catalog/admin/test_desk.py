import pytest
from django.urls import reverse

from catalog import models
from tests import bulk, factories
from tests.pages.reading import html_of, missing

pytestmark = pytest.mark.django_db

DEPOTS = reverse("admin:catalog_depot_changelist")


@pytest.fixture
def editor(client):
    user = factories.UserFactory()
    client.force_login(user)
    return user


def act(client, action, *depots):
    return bulk.act(client, DEPOTS, action, *depots)


def test_verifying_in_bulk(client, editor):
    depots = [factories.DepotFactory(), factories.DepotFactory()]
    assert "Zmieniono: 2." in html_of(act(client, "verify", *depots))
    assert set(models.Depot.objects.values_list("data_status", "verified_by")) == {("verified", editor.pk)}


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("remove_closed", "closed"),
        ("remove_duplicate", "duplicate"),
        ("remove_not_a_depot", "not_a_depot"),
        ("remove_private", "private_person"),
    ],
)
def test_removing_with_a_reason(client, editor, action, reason):
    depot = factories.DepotFactory()
    act(client, action, depot)
    assert (factories.fresh(depot).publication, depot.removal_reason) == ("removed", reason)


def test_what_cannot_be_done_is_said(client, editor):
    text = bulk.choose(client, DEPOTS, "verify", factories.DepotFactory(removed=True)).content.decode()
    assert not missing(text, "Nic się nie zmieni", "Usunięte już wcześniej: <strong>1</strong>")
    assert "Tak, wykonaj" not in text


def test_filters_by_fuel_and_voivodeship(client, editor):
    factories.DepotFactory(name="Krakowski", fuels=["pellet"])
    factories.DepotFactory(name="Bielski", fuels=["ekogroszek"], municipality=factories.bielsko_biala())
    by_fuel = client.get(DEPOTS, {"fuel": "wegiel"}).content.decode()
    assert "Bielski" in by_fuel
    assert "Krakowski" not in by_fuel
    by_unit = client.get(DEPOTS, {"unit": "12"}).content.decode()
    assert "Krakowski" in by_unit
    assert "Bielski" not in by_unit


def test_nothing_can_be_deleted(client, editor):
    assert client.post(reverse("admin:catalog_depot_delete", args=[factories.DepotFactory().pk])).status_code == 403


@pytest.mark.parametrize("model", ["municipality", "postcode", "formermunicipality", "dataset"])
def test_register_data_are_read_only(client, editor, model):
    factories.krakow()
    assert client.get(reverse(f"admin:catalog_{model}_changelist")).status_code == 200
    assert client.get(reverse(f"admin:catalog_{model}_add")).status_code == 403


def test_a_depot_opens(client, editor):
    answer = client.get(reverse("admin:catalog_depot_change", args=[factories.DepotFactory(verified=True).pk]))
    assert answer.status_code == 200


def test_strangers_are_sent_to_the_login(client):
    assert client.get(DEPOTS).status_code == 302


@pytest.mark.parametrize("query", ["source__exact=a%00", "q=%00", "queue=%00", "nothing=%00"])
def test_a_nul_in_an_address_of_the_desk_is_a_mistake_of_the_caller(client, editor, query):
    assert client.get(f"{DEPOTS}?{query}").status_code == 400


def test_a_row_that_is_not_there_is_told_in_plain_words(client, editor):
    answer = client.get("/admin/catalog/depot/999999/change/", follow=True)
    assert "Nie ma takiego wpisu: skład opału „999999”." in answer.content.decode()
