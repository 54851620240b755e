"""Likely duplicates: found, merged without losing anything, or kept apart."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from catalog.depots import duplicates
from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Dataset, Decision, Depot, NotDuplicate, Submission
from catalog.services import merging, moderation, publishing
from prices.models import DepotPrice
from tests import factories
from tests.client import message_of
from tests.factories import NOW, TODAY
from tests.pages.reading import missing, text_of

pytestmark = pytest.mark.django_db


def merge(survivor, loser, *take, by=None):
    return merging.merge_depots(survivor=survivor, loser=loser, take=take, by=by or factories.UserFactory(), on=TODAY)


def ask(depot, **values):
    given = {"kind": "delete", "email": "a@example.pl", "email_hash": "x", "proposed": {}, "stored": {}}
    return factories.SubmissionFactory(depot=depot, **given | values)


@pytest.fixture
def one(db):
    return factories.DepotFactory(name="Skład opału Nowak", phone="+48 600 000 000", nip="5260250274")


@pytest.fixture
def other(one):
    return factories.DepotFactory(name="Skład opału Nowak s.c.", website="https://nowak.pl/", lat=one.lat + 0.0005)


def found():
    return [(pair.first, pair.second) for pair in duplicates.find_pairs()]


def url_of(one, other):
    return reverse("admin:catalog_depot_pair", args=[one.pk, other.pk])


def test_near_ones_with_similar_names_or_one_tax_number_are_a_pair_also_a_held_one(one, other):
    assert found() == [(one.pk, other.pk)]
    Depot.objects.filter(pk=one.pk).update(publication="held")
    assert found() == [(one.pk, other.pk)]
    Depot.objects.filter(pk=other.pk).update(lat=54.0, name="Inna", nip="5260250274", publication="held")
    assert [(pair.first, pair.second, pair.same_nip) for pair in duplicates.find_pairs()] == [(one.pk, other.pk, True)]


def test_far_ones_other_names_and_removed_ones_are_none(one, other):
    removed = {"publication": "removed", "removed_at": TODAY, "removal_reason": "closed"}
    for changed in ({"lat": 50.0617 + 0.0014}, {"name": "Auto Części Bis"}, removed):
        with transaction.atomic():
            Depot.objects.filter(pk=other.pk).update(**changed)
            assert found() == []
            transaction.set_rollback(True)
    assert len(found()) == 1


def test_the_pages_cost_a_fixed_number_of_queries(client, editor, django_assert_max_num_queries):
    for number in range(10):
        factories.DepotFactory.create_batch(2, lat=49.5 + number / 100)
    duplicates.get_report()
    with django_assert_max_num_queries(2 + 2 + 2 + 1):  # session, user; rights; pairs kept apart; depots
        answer = client.get(reverse("admin:catalog_depot_pairs"))
    assert len(answer.context["rows"]) == 10


def test_merging_from_the_page_takes_field_by_field(client, editor, one, other):
    text = text_of(client.get(url_of(one, other)))
    assert not missing(text, "50,0617°, 19,9373°, dokładne", "50,0622°, 19,9373°, dokładne")
    given = {"decision": "first", "take_website": "second", "take_phone": "first", "take_name": "second"}
    client.post(url_of(one, other), given)
    one.refresh_from_db()
    assert (one.name, one.website, one.phone) == (factories.fresh(other).name, "https://nowak.pl/", "+48 600 000 000")
    assert one.confirmed_fields == ["name", "website"]
    assert (other.publication, other.removal_reason, other.merged_into) == ("removed", "duplicate", one)
    assert one.history.latest().history_change_reason == f"wchłonięto wpis {other.pk}: nazwa, strona internetowa"
    assert other.history.latest().history_change_reason == f"scalono z wpisem {one.pk}"
    assert {line.history_user for line in (one.history.latest(), other.history.latest())} == {editor}
    assert "jeden z wpisów jest już usunięty" in message_of(client.post(url_of(one, other), {"decision": "second"}))
    third = factories.DepotFactory(nip=None)
    client.post(url_of(one, third), {"decision": "second", "take_nip": "first"})
    assert (factories.fresh(third).nip, third.publication) == ("5260250274", "published")


@pytest.mark.parametrize("decision", ["first", "apart"])
def test_a_decision_about_a_pair_is_undone_from_its_message(client, editor, one, other, decision):
    answer = client.post(url_of(one, other), {"decision": decision}, follow=True).content.decode()
    undo = reverse("admin:catalog_decision_undo", args=[Decision.objects.get().pk])
    assert f'action="{undo}"' in answer
    client.post(undo)
    assert (found(), NotDuplicate.objects.exists()) == ([(one.pk, other.pk)], False)


def test_a_pair_that_another_editor_kept_apart_meanwhile_offers_no_undoing_of_that(client, editor, one, other):
    theirs = timezone.now() + timedelta(minutes=1)
    merging.mark_distinct(one=one, other=other, by=factories.UserFactory(), at=theirs)
    answer = client.post(url_of(one, other), {"decision": "apart"}, follow=True).content.decode()
    assert "Zapamiętano, że to dwa różne składy" in answer
    assert reverse("admin:catalog_decision_undo", args=[Decision.objects.get().pk]) not in answer


def test_a_pair_and_a_decision_that_are_none(client, editor, one, other):
    for number in (one.pk, 99999999):
        assert client.get(reverse("admin:catalog_depot_pair", args=[one.pk, number])).status_code == 404
    assert client.put(url_of(one, other)).status_code == 405
    for given in ({}, {"decision": "both"}, {"decision": "first\0"}):
        assert "Nic nie zmieniono" in message_of(client.post(url_of(one, other), given))


def test_an_invented_and_a_real_one_are_not_merged(client, editor, one, other):
    Depot.objects.filter(pk=other.pk).update(source="demo", website="")
    said = message_of(client.post(url_of(one, other), {"decision": "first"}))
    assert said == "Nic nie zmieniono: wpisu demonstracyjnego nie można scalić z prawdziwym."
    with pytest.raises(IntegrityError, match="depot_merged_is_a_removed_duplicate"), transaction.atomic():
        merge(one, one)


def test_submissions_and_prices_follow_and_none_is_lost(one, other):
    moved, twin, correction = ask(other, kind="claim"), ask(other), ask(other, kind="correct")
    ask(one)
    ask(one, kind="correct")  # corrections of one author add up
    closed = ask(other, kind="correct", state="superseded", decided_at=NOW)
    same_day = factories.DepotPriceFactory(depot=other, price=Decimal(1600))
    factories.DepotPriceFactory(depot=one, price=Decimal(1500))
    own = factories.DepotPriceFactory(depot=other, fuel="brykiet")
    rejected = factories.DepotPriceFactory(depot=other, rejected=True)
    merge(one, other)
    theirs = one.submissions.filter(pk__in=[moved.pk, closed.pk, twin.pk, correction.pk])
    assert set(theirs) == {moved, closed, correction}
    assert set(other.submissions.all()) == {twin}
    assert set(DepotPrice.objects.filter(depot=one, pk__in=[same_day.pk, own.pk, rejected.pk])) == {own, rejected}
    assert DepotPrice.objects.filter(depot=other).get() == same_day
    assert own.history.latest().history_change_reason == f"scalono skład {other.pk} z {one.pk}"


def test_readers_and_callers_are_led_to_the_survivor(client, one, other):
    merge(one, other)
    page = client.get(f"/sklad/{other.pk}-sklad-opalu-nowak-s-c/")
    assert (page.status_code, page["Location"]) == (301, f"/sklad/{one.pk}-sklad-opalu-nowak/")
    answer = client.get(f"/api/v1/stores/{other.pk}")
    assert answer.status_code == 404
    assert f"depot {other.pk} was merged into depot {one.pk}; ask for that one" in answer.json()["message"]
    moderation.remove_depot(depot=one, reason=Depot.RemovalReason.CLOSED, on=TODAY)
    assert "no depot is published" in client.get(f"/api/v1/stores/{other.pk}").json()["message"]
    assert client.get(f"/sklad/{one.pk}-sklad-opalu-nowak/").status_code == 410


def test_merging_on_points_former_losers_at_the_last_survivor(one, other):
    third = factories.DepotFactory()
    merge(one, other)
    merge(third, one)
    assert factories.fresh(other).merged_into == third
    # A restored one stands on its own.
    assert publishing.publish_depot(depot=factories.fresh(other), on=TODAY, note="to dwa").merged_into is None


def test_merging_raises_the_version_and_invented_ones_can_still_be_erased(one, other):
    Depot.objects.update(source="demo", nip=None, phone="", website="")
    ask(other)
    merge(one, other)
    merging.mark_distinct(one=one, other=other, by=factories.UserFactory(), at=NOW)
    assert Dataset.objects.get(slug="depots").version == 1
    assert publishing.erase_demonstration() == 2
    assert [rows.count() for rows in (Submission.objects, Depot.history, NotDuplicate.objects)] == [0, 0, 0]


def test_an_import_neither_brings_the_loser_back_nor_misses_the_survivor(one, other):
    factories.BoundaryFactory()
    Depot.objects.filter(pk=one.pk).update(source_id="node/1")
    Depot.objects.filter(pk=other.pk).update(source_id="node/2")
    merge(one, other)
    record = DepotRecord("node/2", "Skład opału Nowak s.c.", 50.0617, 19.9373, phone="+48 11 111 11 11")
    others = tuple(DepotRecord(f"node/{n}", f"Inny {n}", 50.0617, 19.9373) for n in range(10, 30))
    options = Options(today=TODAY, write=True)
    sync_depots(Extract((record, *others)), options, origin=Depot.Source.OSM)
    # The source dropped the survivor's object and kept the loser's: the depot is still there.
    assert (factories.fresh(one).publication, factories.fresh(other).publication) == ("published", "removed")
    assert (one.phone, other.merged_into) == ("+48 600 000 000", one)
    report = sync_depots(Extract(others), options, origin=Depot.Source.OSM)
    assert (report.removed, factories.fresh(one).removal_reason) == (1, "gone_from_source")
