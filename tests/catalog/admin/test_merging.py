"""Likely duplicates: found, merged without losing anything, or kept apart; and what comes back when one is restored."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from catalog.depots import duplicates
from catalog.importers.records import DepotRecord, Extract, Options
from catalog.importers.sync_depots import sync_depots
from catalog.models import Dataset, Decision, Depot, NotDuplicate, OwnerLink, Submission
from catalog.services import journal, merging, moderation, publishing
from catalog.submissions import owner_links, tokens
from prices import services as prices
from prices.models import DepotPrice
from tests import deciding, factories
from tests.client import message_of
from tests.factories import NOW, TODAY
from tests.pages.reading import html_of, missing, text_of_html

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


@pytest.fixture
def third(db):
    return factories.DepotFactory()


def found():
    return [(pair.first, pair.second) for pair in duplicates.find_pairs()]


def url_of(one, other):
    return reverse("admin:catalog_depot_pair", args=[one.pk, other.pk])


def test_the_pages_cost_a_fixed_number_of_queries(client, editor, django_assert_max_num_queries):
    for number in range(10):
        factories.DepotFactory.create_batch(2, lat=49.5 + number / 100)
    duplicates.get_report()
    with django_assert_max_num_queries(2 + 2 + 2 + 1):  # session, user; rights; pairs kept apart; depots
        answer = client.get(reverse("admin:catalog_depot_pairs"))
    assert len(answer.context["rows"]) == 10


def test_merging_from_the_page_takes_field_by_field_and_goes_on_to_the_next_pair(client, editor, one, other, third):
    for depot, sold in ((one, ["pellet"]), (other, ["ekogroszek"]), (third, ["ekogroszek", "pellet"])):
        Depot.objects.filter(pk=depot.pk).update(fuels=sold)
    pairs = found()
    place = pairs.index((one.pk, other.pk))
    html = html_of(client.get(url_of(one, other)))
    text = text_of_html(html)
    assert not missing(text, "50,0617°, 19,9373°, dokładne", "50,0622°, 19,9373°, dokładne", f"{place + 1} z 3")
    points = 'data-before="50.061700,19.937300" data-after="50.062200,19.937300"'
    assert not missing(html, points, "z obu: Ekogroszek, Pellet", 'name="take_fuels" value="both" checked')
    assert 'name="take_fuels" value="second" checked' in html_of(client.get(url_of(one, third)))
    given = {"decision": "first", "take_website": "second", "take_phone": "first", "take_name": "second"}
    answer = client.post(url_of(one, other), given | {"take_fuels": "both"})
    assert answer["Location"] == reverse("admin:catalog_depot_pair", args=(pairs[place + 1 :] + pairs[:place])[0])
    assert Dataset.objects.get(slug="depots").version == 2  # raised with each of the two entries
    one.refresh_from_db()
    assert (one.name, one.website, one.phone) == (factories.fresh(other).name, "https://nowak.pl/", "+48 600 000 000")
    assert (one.confirmed_fields, one.fuels) == (["name", "website", "fuels"], ["ekogroszek", "pellet"])
    assert other.fuels == ["ekogroszek"]  # as before, for when it comes back
    assert (other.publication, other.removal_reason, other.merged_into) == ("removed", "duplicate", one)
    assert one.updated_at == other.updated_at == timezone.localdate()
    absorbed = f"wchłonięto wpis {other.pk}: nazwa, strona internetowa, paliwa"
    assert one.history.latest().history_change_reason == absorbed
    assert other.history.latest().history_change_reason == f"scalono z wpisem {one.pk}"
    assert {line.history_user for line in (one.history.latest(), other.history.latest())} == {editor}
    assert "jeden z wpisów jest już usunięty" in message_of(client.post(url_of(one, other), {"decision": "second"}))
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
    merging.mark_distinct(one=one, other=other, by=factories.UserFactory(), at=timezone.now() + timedelta(minutes=1))
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


def test_a_published_one_is_merged_into_no_withheld_one(client, editor, one, other):
    Depot.objects.filter(pk=other.pk).update(publication="held")
    said = message_of(client.post(url_of(one, other), {"decision": "second"}))
    assert not missing(said, "Nic nie zmieniono: ", "jest wstrzymany, więc z katalogu zniknęłyby oba")
    assert factories.fresh(one).publication == "published"
    merge(one, other)
    assert factories.fresh(other).merged_into == one


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


def restore(depot):
    return publishing.publish_depot(depot=depot, on=TODAY, by=factories.UserFactory(), note="to dwa składy")


def of(depot):
    """What a depot has: its submissions and prices."""
    return set(depot.submissions.all()) | set(DepotPrice.objects.filter(depot=depot))


@pytest.mark.usefixtures("the_day")
def test_what_follows_in_a_merge_comes_back_but_what_came_since_and_values_taken_as_a_persons(one, other, client):
    Depot.objects.filter(pk=other.pk).update(phone="+48 601 234 567")
    price = factories.DepotPriceFactory(depot=other, fuel="brykiet", day=TODAY)
    moving = {
        ask(other, kind="claim"),
        ask(other, kind="correct"),  # corrections of one author add up
        ask(other, kind="correct", state="superseded", decided_at=NOW),
        price,
        factories.DepotPriceFactory(depot=other, rejected=True),
    }
    twin = factories.DepotPriceFactory(depot=other, price=1600)  # equal to one of the survivor
    ours = {ask(one), ask(one, kind="correct")}
    ours |= {factories.DepotPriceFactory(depot=one), factories.DepotPriceFactory(depot=one, fuel="ekogroszek")}
    merge(one, other, "phone")
    assert (of(one), of(other)) == (ours | moving, {twin})
    assert price.history.latest().history_change_reason == f"scalono skład {other.pk} z {one.pk}"
    since = {ask(one, kind="correct"), factories.DepotPriceFactory(depot=one, fuel="wegiel")}
    restored = restore(other)
    assert (of(one), of(other)) == (ours | since, moving | {twin})
    assert (restored.publication, restored.merged_into) == ("published", None)
    assert (factories.fresh(one).phone, one.confirmed_fields) == ("+48 601 234 567", ["phone"])
    assert Decision.objects.get(kind="merge").undone_at is not None
    assert price.history.latest().history_change_reason == f"przywrócono skład {other.pk}"
    # Prices count again where they were paid.
    lists = [client.get(f"/api/v1/stores/{depot.pk}").json()["price_list"] for depot in (one, other)]
    here, there = ({row["fuel"] for row in rows} for rows in lists)
    assert (here, there) == ({"pellet", "ekogroszek", "wegiel"}, {"pellet", "brykiet"})


def test_a_submission_that_was_decided_at_the_survivor_stays_there_and_a_price_comes_back(one, other):
    editor = factories.UserFactory()
    accepted, rejected, waiting = factories.SubmissionFactory.create_batch(3, depot=other)
    price = factories.DepotPriceFactory(depot=other, pending=True)
    merge(one, other)
    deciding.accept_submission(submission=accepted, by=editor, on=NOW)
    deciding.reject_submission(submission=rejected, reason="Nie.", by=editor, on=NOW)
    prices.reject_prices(prices=[price], reason="zła jednostka", by=editor, on=NOW)
    restore(other)
    assert (of(one), of(other)) == ({accepted, rejected}, {waiting, price})
    assert (factories.fresh(one).phone, factories.fresh(other).phone) == ("+48 601 234 567", "")
    assert (factories.fresh(price).status, price.reason) == ("rejected", "zła jednostka")


@pytest.mark.parametrize(("kind", "has_twin"), [("correct", False), ("claim", False), ("claim", True)])
def test_what_waits_again_is_about_the_restored_entry_unless_the_same_waits_there(one, other, kind, has_twin):
    row, editor = ask(other, kind=kind), factories.UserFactory()
    merge(one, other)
    deciding.reject_submission(submission=row, reason="Nie.", by=editor, on=NOW)
    decision = Decision.objects.latest("pk")
    restore(other)
    assert factories.fresh(row).depot == one
    if has_twin:
        ask(other, kind=kind)
    journal.undo(decision=decision, by=editor, on=NOW)
    assert (factories.fresh(row).depot, row.state) == (one if has_twin else other, "waiting")


@pytest.mark.parametrize(
    ("since", "status"),
    [("", "unverified"), ("week", "unverified"), ("check", "verified"), ("check, week", "verified"), ("own", "owner")],
)
def test_the_status_of_an_owner_goes_back_with_the_link(editor, one, other, since, status):
    one.save()  # with a line of history, as an import leaves it
    deciding.accept_submission(submission=ask(other, kind="claim"), by=editor, on=NOW)
    merge(one, other)
    assert factories.fresh(one).data_status == "owner"
    if "check" in since:
        moderation.verify_depot(depot=one, by=factories.UserFactory(), on=TODAY + timedelta(days=1))
    if "week" in since:
        values = {"hours": None, "opening_hours": "pn.–pt. 8:00–16:00"}
        owner_links.change_hours(depot=one, values=values, on=NOW + timedelta(days=1))
    if since == "own":
        owner_links.grant_link(depot=one, email="ewa@opal.example", on=NOW)
    restore(other)
    assert [factories.fresh(depot).data_status for depot in (one, other)] == [status, "owner"]
    assert factories.fresh(one).verified_at == (None if status == "unverified" else one.verified_at)


def test_an_owner_whose_claim_of_the_survivor_was_accepted_since_has_a_link_to_both(editor, one, other):
    one.save()
    deciding.accept_submission(submission=ask(other, kind="claim"), by=editor, on=NOW)
    second = ask(one, kind="claim", **tokens.address("a@example.pl"))
    merge(one, other)
    deciding.accept_submission(submission=second, by=editor, on=NOW + timedelta(hours=1))
    restore(other)
    assert [factories.fresh(depot).data_status for depot in (one, other)] == ["owner", "owner"]
    links = OwnerLink.objects.working().order_by("depot").values_list("depot", "email")
    assert list(links) == [(one.pk, "a@example.pl"), (other.pk, "a@example.pl")]
    journal.undo(decision=Decision.objects.about(second).latest("pk"), by=editor, on=NOW + timedelta(hours=2))
    assert list(links.all()) == [(other.pk, "a@example.pl")]
    assert [factories.fresh(depot).data_status for depot in (one, other)] == ["unverified", "owner"]


def test_an_owner_whose_link_a_claim_of_the_survivor_has_ended_has_it_again(editor, one, other, commit):
    one.save()
    for depot, survivor, email in ((other, one, "jan@opal.example"), (one, None, "ewa@opal.example")):
        claim = ask(depot, kind="claim", owner_told_at=NOW - timedelta(days=4), **tokens.address(email))
        commit(deciding.accept_submission, submission=claim, by=editor, on=timezone.now())
        if survivor:
            merge(survivor, depot)
    mail.outbox.clear()
    commit(restore, other)
    links = OwnerLink.objects.working().order_by("depot").values_list("depot", "email")
    assert list(links) == [(one.pk, "ewa@opal.example"), (other.pk, "jan@opal.example")]
    assert [(letter.to, letter.subject) for letter in mail.outbox] == [
        (["jan@opal.example"], f"{other.name}: Twój odnośnik znów działa")
    ]


def state_of(submission):
    return factories.fresh(submission).state, submission.depot, submission.decided_at and "closed"


@pytest.mark.parametrize("is_undone", [False, True])
def test_an_equal_submission_is_closed_by_a_merge_and_waits_again_with_its_entry(editor, one, other, third, is_undone):
    earlier, row = ask(third), ask(other, expiry_letter_at=NOW)
    merge(other, third)
    equal = ask(one)
    merge(one, other, by=editor)
    decision = deciding.last()
    assert [state_of(closed) for closed in (earlier, row)] == [("superseded", one, "closed")] * 2
    assert list(Decision.objects.about(row)) == [decision]
    deciding.reject_submission(submission=equal, reason="Nie.", by=editor, on=NOW)
    if is_undone:
        journal.undo(decision=decision, by=editor, on=NOW)
    else:
        restore(other)
    assert (*state_of(row), row.expiry_letter_at) == ("waiting", other, None, None)
    assert state_of(earlier) == ("superseded", other, "closed")
    restore(third)
    assert state_of(earlier) == ("waiting", third, None)


@pytest.mark.parametrize("since", ["nothing", "sent", "erased"])
def test_a_submission_that_a_merge_of_the_survivor_closed_waits_again_unless_sent_anew_or_erased(
    one, other, third, since
):
    row = ask(other)
    merge(one, other)
    ask(third)
    merge(third, one)
    if since == "sent":
        ask(other)
    elif since == "erased":
        Submission.objects.filter(pk=row.pk).update(erased_at=NOW, email="", email_hash="")
    restore(other)
    state = ("waiting", other, None) if since == "nothing" else ("superseded", other, "closed")
    assert state_of(row) == state


def test_of_equal_submissions_that_merges_closed_the_newest_waits_again(one, other, third):
    first, second = ask(other), ask(other, state="unconfirmed", confirmed_at=None)
    equal = ask(one)
    merge(one, other)
    Submission.objects.filter(pk=equal.pk).update(state="withdrawn", decided_at=NOW)
    Submission.objects.filter(pk=second.pk).update(state="waiting", confirmed_at=NOW + timedelta(days=1))
    ask(third)
    merge(third, one)
    restore(other)
    assert [state_of(row)[0] for row in (first, second)] == ["superseded", "waiting"]


@pytest.mark.parametrize("first", ["oldest", "newest"])
def test_of_a_chain_of_merges_each_gets_its_own_back_and_a_second_one_is_remembered_anew(one, other, third, first):
    mine, its = factories.DepotPriceFactory(depot=one, fuel="brykiet"), factories.DepotPriceFactory(depot=other)
    twin, equal = (factories.DepotPriceFactory(depot=depot, fuel="wegiel") for depot in (one, third))
    merge(other, one)
    merge(third, other)
    assert (of(third), of(other), factories.fresh(one).merged_into) == ({mine, its, equal}, {twin}, third)
    for depot in (one, other) if first == "oldest" else (other, one):
        restore(depot)
        if depot == other and first == "newest":
            # As before the second merge: the first one had been absorbed by this one.
            assert (factories.fresh(one).merged_into, of(other)) == (other, {mine, its, twin})
            assert one.history.latest().history_change_reason == f"wrócono do wpisu {other.pk}"
    assert [of(depot) for depot in (one, other, third)] == [{mine, twin}, {its}, {equal}]
    assert factories.fresh(one).merged_into is None
    later = factories.DepotPriceFactory(depot=other, fuel="ekogroszek")
    merge(third, factories.fresh(other))
    restore(other)
    assert of(other) == {its, later}


@pytest.mark.parametrize(
    ("remembered", "words"),
    [
        (True, "Na wpis {} przeszły: zgłoszenia: 1, odnośniki właścicieli: 0, ceny: 1. Po przywróceniu"),
        (False, "Nie zapamiętano, co przeszło na wpis {}: po przywróceniu zgłoszenia i ceny zostaną przy nim."),
    ],
)
def test_the_desk_says_beforehand_what_comes_back(client, editor, one, other, remembered, words):
    theirs = {ask(other), factories.DepotPriceFactory(depot=other)}
    merge(one, other)
    if not remembered:
        Decision.objects.filter(kind="merge").delete()
    page, decide = (reverse(f"admin:catalog_depot_{name}", args=[other.pk]) for name in ("change", "decide"))
    assert words.format(one.pk) in client.get(page).content.decode().replace("\xa0", " ")
    client.post(decide, {"decision": "publish", "note": "to dwa"})
    assert of(other if remembered else one) == theirs
    assert "o przywróceniu" not in client.get(page).content.decode()
