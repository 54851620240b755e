"""The list of depots: queues with counts, and five hundred checked at once."""

from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from catalog import models
from catalog.admin.depot_list import age
from catalog.depots import duplicates
from catalog.services import moderation
from tests import bulk, factories
from tests.client import context_of, message_of

pytestmark = pytest.mark.django_db

DEPOTS = reverse("admin:catalog_depot_changelist")


def names(client, **asked):
    return {depot.name for depot in context_of(client, DEPOTS, asked)["cl"].result_list}


def counts(client):
    return {slug: count for slug, _, count in context_of(client, DEPOTS)["queues"]}


def many(number, **values):
    """Depots 1.1 km apart, so that none looks like another."""
    here = factories.krakow()  # once, not for each
    depots = (
        factories.DepotFactory.build(
            municipality=here, name=f"Skład {n}", lat=49.5 + n % 100 / 100, lon=17 + n / 1000, **values
        )
        for n in range(number)
    )
    return models.Depot.objects.bulk_create(depots, batch_size=1000)


@pytest.mark.parametrize("number", [3, 150])
def test_the_list_costs_the_same_queries_however_many_rows(client, editor, django_assert_num_queries, number):
    many(number)
    duplicates.get_report()
    # Session, user and two for rights; the version of the report, the queues, and pairs kept apart for them and the
    # link; count, rows, requests of the rows; voivodeships of the filter.
    with django_assert_num_queries(2 + 2 + 1 + 1 + 2 + 3 + 1):
        assert client.get(DEPOTS).status_code == 200


def test_each_queue_finds_its_own_and_its_count_says_how_many(client, editor):
    factories.BoundaryFactory()
    today = timezone.localdate()
    hours = {"hours": {"mon": "8:00-16:00"}}
    checked = {"data_status": "verified", "verified_by": editor, "verified_at": today, **hours}
    named = {"fuels": ["pellet"], "fuels_in_name": ["pellet"]}
    for name, lat, values in (
        ("W porządku", 50.01, {"nip": "5260250274", **checked}),
        ("Dawno", 50.02, checked | {"verified_at": today - timedelta(days=366)}),
        ("Rok temu", 50.03, checked | {"verified_at": today - timedelta(days=365)}),
        ("Nigdy", 50.04, hours),
        ("Bez godzin", 50.05, checked | {"hours": None}),
        ("Zły NIP", 50.055, {"nip": "5260250275", **checked}),
        ("Poza", 54.0, checked),
        ("Wstrzymany", 50.058, {"held": True, **checked}),
        ("Z nazwy", 50.065, named | checked),
        ("Z nazwy, potwierdzony", 50.07, named | checked | {"confirmed_fields": ["fuels"]}),
        ("Usunięty", 50.08, {"removed": True, **named}),
    ):
        factories.DepotFactory(name=name, lat=lat, **values)
    expected = {"never": {"Nigdy"}, "old": {"Dawno"}, "hours": {"Bez godzin"}, "nip": {"Zły NIP"}, "outside": {"Poza"}}
    expected |= {"held": {"Wstrzymany"}, "fuels": {"Z nazwy"}}
    assert {slug: names(client, queue=slug) for slug in expected} == expected
    assert {slug: number for slug, number in counts(client).items() if number} == dict.fromkeys(expected, 1)


def test_a_depot_is_in_a_queue_while_a_submission_waits_or_nobody_kept_it_apart(client, editor):
    depot = factories.DepotFactory(name="Ze zgłoszeniem")
    other = factories.DepotFactory(name="Ze zgłoszeniem II", lat=depot.lat + 0.0005)
    factories.DepotFactory(name="Bez zgłoszenia", lat=51.0)
    factories.SubmissionFactory(depot=depot, delete=True)
    assert names(client, queue="requests") == {"Ze zgłoszeniem"}
    assert '<td class="field-submissions_open">1</td>' in client.get(DEPOTS).content.decode()
    assert names(client, queue="duplicates") == {depot.name, other.name}
    client.post(reverse("admin:catalog_depot_pair", args=[depot.pk, other.pk]), {"decision": "apart"})
    assert names(client, queue="duplicates") == set()


def test_an_entry_is_found_by_its_number_as_the_desk_writes_it_its_fuel_and_its_unit(client, editor):
    one = factories.DepotFactory(name="Pierwszy", fuels=["pellet"])
    other = factories.DepotFactory(name="Drugi", fuels=["ekogroszek"], municipality=factories.bielsko_biala())
    assert names(client, q=f"#{one.pk}") == names(client, q=f"(#{one.pk})") == names(client, unit="12") == {"Pierwszy"}
    assert names(client, q=f"#{other.pk + 1}") == set()
    assert names(client, fuel="wegiel") == {"Drugi"}


def test_entries_to_choose_for_a_price_are_by_name(client, editor):
    for name in ("Żuk", "Adam", "Łoś"):
        factories.DepotFactory(name=name)
    field = {"app_label": "prices", "model_name": "depotprice", "field_name": "depot", "term": "krakow"}
    found = client.get(reverse("admin:autocomplete"), field).json()["results"]
    assert [row["text"].partition(" ")[0] for row in found] == ["Adam", "Łoś", "Żuk"]


def test_rubbish_in_the_address_is_no_failure(client, editor):
    factories.DepotFactory()
    rubbish = {"queue": "nie-ma"}, {"queue": "\0"}, {"p": "9999"}, {"q": "\0%_'"}, {"unit": "xx"}
    assert [client.get(DEPOTS, asked, follow=True).status_code for asked in rubbish] == [200, 400, 200, 400, 200]


def test_five_hundred_are_checked_with_a_fixed_number_of_statements(editor, django_assert_num_queries):
    keys = [depot.pk for depot in many(500)]
    versions = models.Dataset.objects.filter(slug="depots").values_list("version", flat=True)
    models.Dataset.objects.create(slug="depots", version=7, changed_at=timezone.now(), row_count=500, source="x")
    with django_assert_num_queries(2 + 1 + 1 + 1 + 2 + 1):  # savepoint; lock; update; history; journal; version
        done = moderation.verify_depots(keys=keys, by=editor, on=factories.TODAY)
    assert (done.count, done.unchanged) == (500, ())
    assert list(versions) == [8]
    checked = {"data_status": "verified", "verified_by": editor, "verified_at": "2026-11-21"}
    assert models.Depot.objects.filter(**checked).count() == 500
    assert models.Depot.history.filter(history_user=editor, history_change_reason="sprawdzono").count() == 500


def test_removing_and_taking_back_many_cost_as_few_statements(editor, django_assert_num_queries):
    keys = [depot.pk for depot in many(50)]
    moderation.verify_depots(keys=keys, by=editor, on=factories.TODAY)
    with django_assert_num_queries(2 + 1 + 1 + 1 + 2 + 1):  # savepoint; lock; update; history; journal; version
        assert moderation.reset_depots(keys=keys, by=editor).count == 50
    with django_assert_num_queries(2 + 1 + 1 + 1 + 2 + 1 + 1):  # besides: what is open about them
        closed = models.Depot.RemovalReason.CLOSED
        moderation.remove_depots(keys=keys, reason=closed, by=editor, on=factories.TODAY)
    assert set(models.Depot.objects.values_list("data_status", "publication", "removal_reason")) == {
        ("unverified", "removed", "closed")
    }
    assert len(moderation.reset_depots(keys=keys, by=editor).unchanged) == 50


def test_the_whole_queue_is_cleared_from_the_list_but_what_was_removed_meanwhile(client, editor):
    first, *_ = many(120)
    gone = factories.DepotFactory(name="Zniknął", removed=True)
    answer = bulk.act(client, f"{DEPOTS}?queue=never", "verify", first, select_across="1")
    assert "Zmieniono: 120." in message_of(answer)
    assert counts(client)["never"] == 0
    moderation.reset_depots(keys=[first.pk], by=editor)
    assert "Zniknął" in bulk.choose(client, DEPOTS, "verify", first, gone).content.decode().partition("Bez zmian")[2]
    assert "Zmieniono: 1." in message_of(bulk.act(client, DEPOTS, "verify", first, gone))


def test_owners_stay_owners_and_held_ones_become_public(editor):
    owned = factories.DepotFactory(data_status="owner", verified_at=date(2026, 1, 1), verified_by=editor)
    held = factories.DepotFactory(held=True, review="nazwa to imię i nazwisko")
    moderation.verify_depots(keys=[owned.pk, held.pk], by=editor, on=factories.TODAY)
    assert (factories.fresh(owned).data_status, owned.verified_at) == ("owner", factories.TODAY)
    assert (factories.fresh(held).data_status, held.publication, held.review) == ("verified", "published", "")


def test_the_age_of_a_check_in_words():
    today = factories.TODAY
    ages = {0: "dziś", 1: "wczoraj", 60: "60 dni temu", 61: "2 mies. temu", 366: "12 mies. temu"}
    ages |= {800: "2 lata temu", 2000: "5 lat temu"}
    assert {days: age(today - timedelta(days=days), today) for days in ages} == ages
    assert age(None, today) == "nigdy"
