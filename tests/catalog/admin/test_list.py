"""The list of depots: queues with counts, and five hundred checked at once."""

from datetime import timedelta

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


def test_the_list_costs_the_same_queries_however_many_rows(client, editor, django_assert_num_queries):
    many(60)
    duplicates.get_report()
    # Session, user and two for rights; the version of the report, the queues, and pairs kept apart for them and the
    # link; count, rows; voivodeships of the filter.
    with django_assert_num_queries(2 + 2 + 1 + 1 + 2 + 2 + 1):
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


REMOVED = {"publication": "removed", "removed_at": factories.TODAY, "removal_reason": "not_a_depot"}


@pytest.mark.parametrize(
    ("act", "values", "after", "said"),
    [
        (moderation.verify_depots, {}, {"data_status": "verified", "verified_at": factories.TODAY}, "sprawdzono"),
        (moderation.reset_depots, "verified", {"data_status": "unverified"}, "cofnięto do nieweryfikowanych"),
        (moderation.publish_depots, REMOVED, {"publication": "published", "removed_at": None}, "przywrócono"),
        (moderation.remove_depots, {}, {"publication": "removed"}, "usunięto: skład zakończył działalność"),
    ],
)
def test_hundreds_are_decided_in_as_few_statements_as_one(editor, django_assert_num_queries, act, values, after, said):
    if values == "verified":
        values = {"data_status": "verified", "verified_by": editor, "verified_at": factories.TODAY}
    keys = [depot.pk for depot in many(300, **values)]
    models.Dataset.objects.bump_version("depots")
    day = {} if act == moderation.reset_depots else {"on": factories.TODAY}
    closing = {"reason": models.Depot.RemovalReason.CLOSED} if act == moderation.remove_depots else {}
    # savepoint; lock; update; history; journal; version; what is open about them
    with django_assert_num_queries(2 + 1 + 1 + 1 + 2 + 1 + len(closing)):
        done = act(keys=keys, by=editor, **day, **closing)
    assert (done.count, done.unchanged) == (300, ())
    assert models.Depot.objects.filter(**after).count() == 300
    assert models.Depot.history.filter(history_user=editor, history_change_reason=said).count() == 300
    assert models.Dataset.objects.get(slug="depots").version == 2


def test_the_whole_queue_is_cleared_from_the_list_but_what_was_removed_meanwhile(client, editor):
    first, *_ = many(120)
    gone = factories.DepotFactory(name="Zniknął", removed=True)
    answer = bulk.act(client, f"{DEPOTS}?queue=never", "verify", first, select_across="1")
    assert "Zmieniono: 120." in message_of(answer)
    assert counts(client)["never"] == 0
    moderation.reset_depots(keys=[first.pk], by=editor)
    assert "Zniknął" in bulk.choose(client, DEPOTS, "verify", first, gone).content.decode().partition("Bez zmian")[2]
    assert "Zmieniono: 1." in message_of(bulk.act(client, DEPOTS, "verify", first, gone))


def test_the_age_of_a_check_in_words():
    today = factories.TODAY
    ages = {0: "dziś", 1: "wczoraj", 60: "60 dni temu", 61: "2 mies. temu", 366: "12 mies. temu"}
    ages |= {800: "2 lata temu", 2000: "5 lat temu"}
    assert {days: age(today - timedelta(days=days), today) for days in ages} == ages
    assert age(None, today) == "nigdy"
