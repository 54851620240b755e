"""The list of depots: queues with counts, five hundred checked at once, and a queue worked through row by row."""

import csv
from datetime import timedelta
from functools import partial
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone

from catalog import models
from catalog.admin import depot_list
from catalog.depots import duplicates
from catalog.models.depots import READERS
from catalog.services import moderation
from catalog.submissions import owner_links
from tests import bulk, deciding, factories
from tests.catalog.admin.test_page import address, form_of
from tests.client import context_of, message_of
from tests.pages.reading import missing, present

pytestmark = pytest.mark.django_db

DEPOTS = reverse("admin:catalog_depot_changelist")


def names(client, **asked):
    return {depot.name for depot in context_of(client, DEPOTS, asked)["cl"].result_list}


def counts(client):
    return {slug: count for slug, _, count in context_of(client, DEPOTS)["queues"]}


def many(number, **values):
    """Depots 1.1 km apart, so that none looks like another."""
    here = factories.krakow()  # once, not for each
    build = partial(factories.DepotFactory.build, municipality=here, **values)
    depots = [build(name=f"Skład {n}", lat=49.5 + n % 100 / 100, lon=17 + n / 1000) for n in range(number)]
    return models.Depot.objects.bulk_create(depots, batch_size=1000)


def test_the_list_costs_the_same_queries_however_many_rows(client, editor, django_assert_num_queries):
    many(20)
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


def test_entries_to_choose_for_a_price_are_by_name(client, editor):
    for name in ("Żuk", "Adam", "Łoś"):
        factories.DepotFactory(name=name)
    field = {"app_label": "prices", "model_name": "depotprice", "field_name": "depot", "term": "krakow"}
    found = client.get(reverse("admin:autocomplete"), field).json()["results"]
    assert [row["text"].partition(" ")[0] for row in found] == ["Adam", "Łoś", "Żuk"]


TODAY = factories.TODAY
VERIFIED = {"data_status": "verified", "verified_at": TODAY}
CHECKED = VERIFIED | {"confirmed_fields": ["phone"]}
UNVERIFIED = {"data_status": "unverified", "verified_at": None, "verified_by": None, "confirmed_fields": []}
REMOVED = {"publication": "removed", "removed_at": TODAY, "removal_reason": "not_a_depot"}
PUBLISHED = {"publication": "published", "removed_at": None}
CLOSING = partial(moderation.remove_depots, on=TODAY, reason=models.Depot.RemovalReason.CLOSED)


@pytest.mark.parametrize(
    ("act", "values", "after", "said", "statements"),
    [
        (partial(moderation.verify_depots, on=TODAY), {}, VERIFIED, "sprawdzono", 8),
        (moderation.reset_depots, CHECKED, UNVERIFIED, "cofnięto do nieweryfikowanych", 8),
        (partial(moderation.publish_depots, on=TODAY), REMOVED, PUBLISHED, "przywrócono", 8),
        (CLOSING, {}, {"publication": "removed"}, "usunięto: skład zakończył działalność", 9),
    ],
)
def test_many_cost_as_few_statements_as_one(editor, django_assert_num_queries, act, values, after, said, statements):
    checked = {"verified_by": editor} if values == CHECKED else {}
    keys = [depot.pk for depot in many(120, **values, **checked)]
    models.Dataset.objects.bump_version("depots")
    # savepoint 2; lock; update; history; journal 2; version; what is open about them
    with django_assert_num_queries(statements):
        done = act(keys=keys, by=editor)
    assert (len(done.changed), done.unchanged, models.Depot.objects.filter(**after).count()) == (120, [], 120)
    assert models.Depot.history.filter(history_user=editor, history_change_reason=said).count() == 120
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
    ages = {0: "dziś", 1: "wczoraj", 60: "60 dni temu", 61: "2 mies. temu", 366: "12 mies. temu"}
    ages |= {800: "2 lata temu", 2000: "5 lat temu"}
    assert {days: depot_list.age(TODAY - timedelta(days=days), TODAY) for days in ages} == ages
    assert depot_list.age(None, TODAY) == "nigdy"


QUEUE = reverse("admin:catalog_submission_changelist")


@pytest.fixture
def depots():
    """In the order of the list: Ala, Bela, Cela and, in another voivodeship, Dela."""
    factories.BoundaryFactory()
    factories.BoundaryFactory(municipality=factories.bielsko_biala(), lat=49.82, lon=19.04)
    here = [factories.DepotFactory(name=name, lat=50.06 + n / 100) for n, name in enumerate(("Ala", "Bela", "Cela"))]
    there = {"municipality": factories.bielsko_biala(), "lat": 49.82, "lon": 19.04}
    return [*here, factories.DepotFactory(name="Dela", **there)]


def filters(**asked):
    return "_changelist_filters=" + "%26".join(f"{name}%3D{value}" for name, value in asked.items())


def save(client, depot, button, query, **typed):
    return client.post(f"{address(depot)}?{query}", {**form_of(client, depot), button: "1", **typed})


def test_checked_and_next_goes_through_the_filtered_queue(client, editor, depots):
    query = filters(queue="never", unit="12", p="1")
    for here, following in pairwise(depots[:3]):
        url = urlsplit(save(client, here, "_verify_next", query)["Location"])
        assert (url.path, parse_qs(url.query)) == (address(following), parse_qs(query))
    url = urlsplit(save(client, depots[2], "_verify_next", query)["Location"])
    assert (url.path, parse_qs(url.query)["queue"]) == (DEPOTS, ["never"])
    assert list(models.Depot.objects.filter(verified_at=None)) == [depots[3]]


def path_of(answer):
    return urlsplit(answer["Location"]).path


def test_save_and_next_saves_what_changed_and_minds_no_unchanged_one(client, editor, depots):
    assert save(client, depots[0], "_verify_next", "", nip="123").status_code == 200  # refused, so it stays
    assert path_of(save(client, depots[1], "_save_next", "", place="Kraków")) == address(depots[2])
    assert path_of(save(client, depots[2], "_save_next", "")) == address(depots[3])
    assert (factories.fresh(depots[1]).place, depots[1].data_status) == ("Kraków", "unverified")
    assert factories.fresh(depots[0]).data_status == "unverified"


def test_one_is_left_out_and_rubbish_leads_to_the_whole_list(client, editor, depots):
    skip = reverse("admin:catalog_depot_next", args=[depots[0].pk])
    for query in ("", filters(nie="ma"), filters(p="999")):
        assert path_of(client.get(f"{skip}?{query}")) == address(depots[1]), query
    assert client.get(f"{skip}?_changelist_filters=%00").status_code == 400


def test_the_page_keeps_the_way_back_and_has_its_buttons_on_top_and_below(client, editor, depots):
    query = filters(queue="never", p="1")
    page = client.get(f"{address(depots[0])}?{query}").content.decode()
    assert page.count('value="Sprawdzony i następny"') == 2
    assert page.index('value="Sprawdzony i następny"') < page.index('id="id_name"')
    assert f'href="{DEPOTS}?queue=never&amp;p=1"' in page
    decide = reverse("admin:catalog_depot_decide", args=[depots[0].pk])
    answer = client.post(f"{decide}?{query}", {"decision": "verify", "opened": form_of(client, depots[0])["opened"]})
    assert parse_qs(urlsplit(answer["Location"]).query) == parse_qs(query)


def test_queues_keep_the_other_filters(client, editor, depots):
    page = client.get(DEPOTS, {"unit": "12", "q": "ela", "p": "1"}).content.decode()
    assert 'href="?unit=12&amp;q=ela&amp;queue=never"' in page
    chosen = client.get(DEPOTS, {"unit": "12", "queue": "never"}).content.decode()
    assert not missing(chosen, 'href="?unit=12" aria-current="page"', 'href="csv/?queue=never&amp;unit=12"')


def test_submissions_are_decided_one_after_another(client, editor):
    third, second, first = (factories.SubmissionFactory() for _ in range(3))  # of one moment, the newest first
    other = factories.SubmissionFactory(claim=True)
    page = deciding.page(first)
    typed = {"decision": "accept_next", "groups": ["phone"], "opened": context_of(client, page)["opened"]}
    answer = client.post(f"{page}?{filters(kind__exact='correct')}", typed)
    assert path_of(answer) == deciding.page(second)
    page = answer["Location"]
    assert "Nic nie zmieniono: podaj powód" in message_of(client.post(page, {"decision": "reject_next", "reason": " "}))
    for following in (deciding.page(third), QUEUE):
        answer = client.post(page, {"decision": "reject_next", "reason": "Nie."})
        assert path_of(answer) == following
        page = answer["Location"]
    assert list(models.Submission.objects.waiting()) == [other]


NAMES = ("sklad opalu zolw", "ŻÓŁW", "olw opal", "dluga 5", "długa", "krakow", "opal-zolw.pl", "żółw 00-950")
NAMES += ("Großmann", "grossmann", "SØRÅS", "soras")
NUMBERS = ("526-025-02-74", "PL 526 025 02 74", "601234567", "+48 601-234-567", "234 567", "tel. 601 234 567")
NUMBERS += ("telefon: 601 234 567", "601–234–567", "(+48) 601 234 567", "0048 601 234 567")


def test_a_depot_is_found_by_any_part_in_any_spelling_its_fuel_its_unit_and_who_wrote_about_it(client, editor):
    texts = {"name": "Skład opału Żółw, Großmann i Sørås", "street": "Długa", "house_number": "5", "postcode": "00-950"}
    contact = {"nip": "5260250274", "phone": "+48 12 345 67 89, +48 601 234 567", "website": "https://opal-zolw.pl"}
    depot = factories.DepotFactory(fuels=["pellet"], **texts, **contact)
    there = {"municipality": factories.bielsko_biala(), "phone": "+48 33 811 11 11"}
    other = factories.DepotFactory(name="Inny", fuels=["ekogroszek"], **there)
    assert (names(client, fuel="wegiel"), names(client, unit="12")) == ({"Inny"}, {depot.name})
    numbers = str(depot), f"#{depot.pk}", f"(#{depot.pk})"
    absent = "zzz", "999", "%", "_", "'", "601234568", "00000000", "\\", f"#{other.pk + 1}"
    for typed in (*NAMES, *NUMBERS, "00950", "1261", contact["phone"], *numbers, *absent):
        rows = depot_list.search_depots(models.Depot.objects.all(), typed)
        assert list(rows) == [depot] * (typed not in absent), typed
    for number, row in enumerate((depot, other), 1):
        factories.SubmissionFactory(pk=number, depot=row, email="jan@opal-nowak.pl")
        factories.DepotPriceFactory(depot=row, pending=True)
    for listing in (DEPOTS, QUEUE, reverse("admin:prices_depotprice_changelist")):
        for typed in ("Długa 5, 00-950 Kraków", "601234567", str(depot)):
            rows = context_of(client, listing, {"q": typed})["cl"].result_list
            assert [getattr(row, "depot", row) for row in rows] == [depot], (listing, typed)
    owner_links.grant_link(depot=other, email="ola@wp.pl", on=factories.NOW)
    factories.SubmissionFactory(pk=3, depot=depot, email="ewa@wp.pl")
    assert (names(client, q="OLA@wp"), names(client, q="ewa@")) == ({other.name}, {depot.name})
    assert f'action="{DEPOTS}"' in client.get(reverse("admin:index")).content.decode()  # the start page asks, too


def test_a_word_that_is_typed_over_and_over_is_looked_for_once():
    once, often = (
        str(depot_list.search_depots(models.Depot.objects.all(), "opał " * times).query) for times in (1, 50)
    )
    assert often.count(" ~ ") == once.count(" ~ ") > 0


def test_a_filtered_list_is_a_table_without_formulas_and_personal_data(client, editor):
    hostile = {"name": "=HYPERLINK(1)", "phone": "+48 601 234 567", "postcode": "34-500"}
    depot = factories.DepotFactory(**hostile, website="https://opal.pl/", lat=50.0617, lon=19.9373)
    factories.DepotFactory(name="Inny", municipality=factories.bielsko_biala())
    text = client.get(f"{DEPOTS}csv/", {"unit": "12"}).content.decode()
    assert text.startswith("\ufeffnumer;nazwa;ulica;")
    (row,) = csv.DictReader(text.removeprefix("\ufeff").splitlines(), delimiter=";")
    assert (row["nazwa"], row["telefon"], row["kod pocztowy"]) == ("'=HYPERLINK(1)", "'+48 601 234 567", "34-500")
    texts = {models.Depot.label(name): getattr(depot, name) or "" for name in READERS if name not in hostile}
    assert texts.items() <= row.items()
    assert (row["szerokość"], row["długość"]) == ("50,0617", "19,9373")
    assert row["TERYT"] == f'="{depot.municipality_id}"'  # with its zero in front
    asked = factories.SubmissionFactory(claim=True, claimant_phone="+48 700 000 000", message="tajne")
    listed = client.get(f"{QUEUE}csv/").content.decode()
    assert str(asked.pk) in listed
    assert not present(listed, asked.email, "700 000 000", "tajne")
