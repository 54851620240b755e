"""Prices at the desk: the queue, the page of one, price lists, and ranges of plausible prices."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from unittest.mock import Mock

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from catalog.models import Dataset, Decision, Draft
from catalog.services import merging, moderation, publishing
from catalog.services.editors import CHIEF, EDITOR
from prices import services
from prices.models import DepotPrice, PlausibleRange
from tests import bulk, factories
from tests.client import build_snapshots, context_of, message_of
from tests.drafts import approve
from tests.pages.reading import expect, html_of, missing, present, text_of
from tests.prices.helpers import LIST, approve_three, confirm, csv_of, decide, preview, waiting

pytestmark = pytest.mark.django_db

API = "/api/v1/prices/pellet"


@pytest.fixture
def entered():
    """What an editor types who adds a price."""
    typed = {"depot": factories.DepotFactory().pk, "fuel": "pellet", "unit": "t", "price": "1500"}
    return typed | {"day": str(timezone.localdate()), "origin": "price_list"}


def test_approving_and_rejecting_at_the_desk_change_the_next_answer(desk, client):
    prices = [waiting(amount) for amount in (1400, 1500, 1600)]
    assert "wymaga podania powodu" in decide(desk, "reject", prices[0], reason=" ")
    assert DepotPrice.objects.pending().count() == 3
    assert "Zmieniono: 3." in decide(desk, "approve", *prices)
    assert client.get(API).json()["median"] == 1500
    listed = client.get(f"/api/v1/stores/{prices[0].depot_id}").json()["price_list"]
    assert [row["price"] for row in listed] == [1400]
    assert "Zmieniono: 1." in decide(desk, "reject", prices[0], reason="literówka")
    assert client.get(API).json()["n"] == 2
    assert client.get(f"/api/v1/stores/{prices[0].depot_id}").json()["price_list"] == []
    lines = "redaktorka zmiana odrzucona: literówka", "redaktorka zmiana zatwierdzona"
    expect(desk.get(f"{LIST}{prices[0].pk}/history/"), *lines)
    assert DepotPrice.objects.get(pk=prices[0].pk).history.count() == 3


def test_the_queue_begins_with_the_prices_farthest_from_the_median(desk, django_assert_max_num_queries):
    approve_three(desk)
    for amount, day in ((1800, 2), (1300, 1), (1200, 3), *[(1500, 3)] * 10):
        waiting(amount, submitted_at=datetime(2026, 10, day, tzinfo=UTC))
    build_snapshots()
    with django_assert_max_num_queries(10):  # session, editor, 2 counts, rows, choices, ranges; none per row
        html = desk.get(LIST).content.decode()
    amounts = [html.index(f"1\xa0{amount} zł/t") for amount in (800, 200, 300, 500)]  # the older of two comes first
    assert amounts == sorted(amounts)
    assert not missing(html, "1\xa0500 zł", "−13,3%", "+20,0%")
    assert "1\xa0400 zł/t" not in html
    assert "1\xa0400 zł/t" in desk.get(f"{LIST}?status=approved").content.decode()


def test_an_editor_enters_a_price_by_the_bag(desk, entered):
    entered |= {"price": "", "bag_price": "24,99", "bag_kg": "15"}
    answer = desk.post(f"{LIST}add/", entered | {"_addanother": "1"})
    price = DepotPrice.objects.get()
    assert message_of(answer) == f"Dodano: {price}. Czeka na zatwierdzenie.".replace("\xa0", " ")
    assert answer.url == f"{LIST}add/"
    assert (price.price, price.bag_price, price.bag_kg) == (1666, Decimal("24.99"), 15)
    assert (price.unit, price.status) == ("t", "pending")
    assert price.history.get().history_user.username == "redaktorka"
    assert "worek 15 kg: 24,99 zł" in html_of(desk.get(LIST))
    assert "Skład ma już cenę" in desk.post(f"{LIST}add/", entered).content.decode()
    assert "jednostką jest t" in html_of(desk.post(f"{LIST}add/", {**entered, "unit": "mp"}))


def test_a_price_takes_no_impossible_amount_nor_edits_of_other_rows_and_its_history_speaks_polish(desk):
    price = waiting(1500)
    for typed, why in (("1.640", "1640 albo 1,64"), ("abc", "nie jest liczbą"), ("-4", "musi być większa od 0 zł")):
        answer = html_of(decide_on_page(desk, "approve", price, **{f"value-{price.pk}": typed}))
        assert not missing(answer, why, f'value="{typed}"')
    assert DepotPrice.objects.get().status == "pending"
    assert desk.post(price_page(price), {"price": "1"}).status_code == 400
    assert DepotPrice.objects.get().price == 1500
    decide(desk, "approve", price)
    page = f"{LIST}{price.pk}/history/"
    text = desk.get(page).content.decode()
    state = "Stan: <del>czeka na decyzję</del> → <ins>zatwierdzona</ins>"
    assert not missing(text, state, "Zdecydował: <del>–</del> → <ins>redaktorka</ins>")
    assert not [word for word in ("Change", "None", "pending", "Deleted", "history_") if f">{word}" in text]
    version = f"{page}{price.history.latest().pk}/"
    assert "Przywróć" not in desk.get(version).content.decode()
    assert desk.post(version, {}).status_code == 405


def test_a_price_list_is_previewed_then_imported_and_counts(desk, client):
    first, second = factories.DepotFactory(name="Pierwszy"), factories.DepotFactory(name="Drugi")
    day = timezone.localdate()
    file = csv_of(
        f"{first.pk},pellet,t,{day},1500,,",
        f'{first.pk},ekogroszek,t,{day:%d.%m.%Y},,"33,00",20',
        f"{second.pk},pellet,t,{day},1600.50,,",
    )
    answer = preview(desk, file)
    assert not DepotPrice.objects.exists()
    assert "1\xa0600,50&nbsp;zł" in answer.content.decode()
    confirm(desk, answer)
    stored = DepotPrice.objects.order_by("pk").values_list("depot", "fuel", "price", "bag_price", "status", "origin")
    assert list(stored) == [
        (first.pk, "pellet", 1500, None, "approved", "price_list"),
        (first.pk, "ekogroszek", 1650, 33, "approved", "price_list"),
        (second.pk, "pellet", Decimal("1600.50"), None, "approved", "price_list"),
    ]
    assert client.get(API).json()["price_lists"] == 2
    lines = DepotPrice.objects.first().history.order_by("history_id")
    told = lines.values_list("history_type", "status", "history_user__username")
    assert list(told) == [("+", "pending", "redaktorka"), ("~", "approved", "redaktorka")]
    expect(confirm(desk, answer), "Niczego nie wczytano")
    assert DepotPrice.objects.count() == 3, "a second click imports nothing twice"


ROWS_WITH_TROUBLE = [
    ("0,pellet,t,{day},1500,,", "nie ma opublikowanego składu o numerze 0"),
    ("x,pellet,t,{day},1500,,", "nie jest numerem składu"),
    ("nan,pellet,t,{day},1500,,", "nie jest numerem składu"),
    ("{depot},uran,t,{day},1500,,", "nieznane paliwo uran; podaj jedno z: Węgiel, Ekogroszek, Węgiel kostka"),
    ("{depot},pellet,mp,{day},1500,,", "jednostką jest t, nie mp"),
    ("{depot},pellet,t,wczoraj,1500,,", "nie jest dniem"),
    ("{depot},pellet,t,,1500,,", "brakuje dnia; podaj na przykład 2026-11-21"),
    ("{depot},pellet,t,{day},tanio,,", "nie jest liczbą"),
    ("{depot},pellet,t,{day},NaN,,", "nie jest liczbą"),
    ("{depot},pellet,t,{day},1e9,,", "nie jest liczbą"),
    ("{depot},pellet,t,{day},100000,,", "nie jest kwotą"),
    ("{depot},pellet,t,{day},1500.005,,", "cenę podaj z dokładnością do grosza"),
    ("{depot},pellet,t,{day},1.640,,", "„1.640” to 1640 albo 1,64; wpisz jedno z nich"),
    ("{depot},pellet,t,{day},,24,15.000", "„15.000” to 15000 albo 15; wpisz jedno z nich"),
    ("{depot},pellet,t,{day},,,", "podaj albo cenę"),
    ("{depot},pellet,t,{day},1500,30,15", "podaj albo cenę"),
    ("{depot},brykiet,t,{day},1500,,", "skład ma już cenę"),
    ("{depot},pellet,t,{before},1500,,", "ten sam skład, paliwo i dzień co w wierszu 2"),
]


def test_a_row_that_cannot_be_taken_is_left_out_and_listed_with_its_reason(desk):
    depot = factories.DepotFactory()
    day = timezone.localdate()
    factories.DepotPriceFactory(depot=depot, fuel="brykiet", day=day)
    places = {"depot": depot.pk, "day": day, "before": day - timedelta(days=1)}
    wrong = [row.format(**places) for row, _ in ROWS_WITH_TROUBLE]
    answer = preview(desk, csv_of("{depot},pellet,t,{before},1500,,".format(**places), *wrong))
    listed = html_of(answer).partition(f"Wiersze do poprawienia: {len(wrong)}")[2].partition("Podgląd: 1")[0]
    for (_, trouble), row in zip(ROWS_WITH_TROUBLE, listed.split("<tr>")[2:], strict=True):
        assert trouble in row
    text = message_of(confirm(desk, answer))
    assert not missing(text, "Wczytano i zatwierdzono ceny: 1.", f"Pominięto błędne wiersze: {len(wrong)} (w pliku: 3,")
    assert DepotPrice.objects.count() == 2


def test_an_editor_imports_no_more_rows_at_once_than_in_bulk_and_a_chief_does(desk, settings):
    settings.EDITOR_BULK_LIMIT = 2
    days = [timezone.localdate() - timedelta(days=ago) for ago in range(3)]
    depot = factories.DepotFactory().pk
    editor, file = factories.desk_of(factories.member(EDITOR)), [f"{depot},pellet,t,{day},1500,," for day in days]
    answer = preview(editor, csv_of(*file))
    assert "plik ma 3 ceny do wczytania, a redaktor może wczytać naraz najwyżej 2" in html_of(answer)
    assert "confirm_form" not in answer.context
    assert "Podgląd: 3" in html_of(answer)
    confirm(editor, preview(desk, csv_of(*file)))
    assert not DepotPrice.objects.exists()
    confirm(desk, preview(desk, csv_of(*file)))
    assert DepotPrice.objects.approved().count() == 3


def test_ticked_rows_count_towards_the_limit(settings):
    settings.EDITOR_BULK_LIMIT = 1
    depot, day, editor = factories.DepotFactory().pk, timezone.localdate(), factories.desk_of(factories.member(EDITOR))
    answer = preview(editor, csv_of(f"{depot},pellet,t,{day},1500,,", f"{depot},brykiet,t,{day},15,,"))
    again = confirm(editor, answer, 3)
    assert "plik ma 2 ceny do wczytania" in again.content.decode()
    assert not DepotPrice.objects.exists()
    confirm(editor, again)
    assert DepotPrice.objects.get().fuel == "pellet"


def test_series_of_the_statistical_office_have_their_names(desk):
    factories.average(2020, "0.55", "prad-g11", source="https://example.pl/" + "a" * 90)
    shown = "Energia elektryczna dla gospodarstw domowych, taryfa G11", "Polska", "0,55 zł/kWh", "Razem: 1"
    listed = desk.get("/admin/prices/observation/").content.decode()
    assert (missing(listed, *shown), present(listed, "prad-g11<", "a" * 60)) == ([], [])


def test_a_price_of_an_unpublished_entry_or_without_its_fuel_is_refused_in_the_form(desk, entered):
    for state in ("removed", "held"):
        answer = desk.post(f"{LIST}add/", entered | {"depot": factories.DepotFactory(**{state: True}).pk})
        assert "skład nie jest opublikowany" in html_of(answer)
    answer = context_of(desk, f"{LIST}add/", {"price": "1500", "origin": "price_list"}, "post")
    assert {"depot", "fuel", "day"} <= set(answer["adminform"].form.errors)
    assert not DepotPrice.objects.exists()


@pytest.mark.parametrize("refusal", [services.DuplicatePrice("skład ma już cenę"), moderation.DepotIsErased(7)])
def test_what_prevents_a_new_price_while_it_is_saved_is_told(desk, entered, monkeypatch, refusal):
    monkeypatch.setattr(services, "submit_price", Mock(side_effect=refusal))
    answer = desk.post(f"{LIST}add/", entered, follow=True)
    assert f"Nic nie zapisano: {getattr(refusal, 'reason', refusal)}." in html_of(answer)


def price_page(price):
    return f"{LIST}{price.pk}/change/"


def decide_on_page(desk, decision, *pending, **typed):
    """Decide about prices of a depot on the page of the first, all ticked unless told otherwise."""
    keys = [price.pk for price in pending]
    return desk.post(price_page(pending[0]), {"pending": keys, "price": keys, "decision": decision} | typed)


def test_prices_of_a_depot_are_decided_on_the_page_of_one(desk, client, django_assert_max_num_queries):
    approve_three(desk)
    depot = factories.DepotFactory(phone="+48 600 000 001, +48 600 000 002", website="https://opal.pl/")
    pellet = waiting(1550, depot=depot)
    eko = waiting(1450, depot=depot, fuel="ekogroszek")
    factories.DepotFactory(lat=depot.lat + 0.002, name="Sąsiad")
    build_snapshots()
    with django_assert_max_num_queries(18):
        html = desk.get(price_page(pellet), {"_changelist_filters": "fuel=pellet"}).content.decode()
    assert f'<a href="{LIST}?fuel=pellet" data-key="l">' in html  # the way back to the list
    ways = ('href="tel:+48600000001"', 'href="https://opal.pl/"', "openstreetmap.org", "Sąsiad")
    assert not missing(html, "+3,3% od mediany", *ways)
    assert html.count("checked") == 2  # nothing speaks against either
    for decision in ("approve", "reject"):
        answer = decide_on_page(desk, decision, pellet, waiting(1560), reason="Cena za worek.")
        assert "obejrzyj je jeszcze raz" in message_of(answer)
    assert DepotPrice.objects.pending().count() == 4, "none of another depot"
    assert "Zdecydowano: 2." in message_of(decide_on_page(desk, "approve", pellet, eko))
    assert set(DepotPrice.objects.filter(depot=depot).values_list("status", flat=True)) == {"approved"}


def test_prices_of_a_removed_entry_are_not_offered_nor_approved_until_it_is_back(desk, client):
    price, today, queue = waiting(1500), timezone.localdate(), "Ceny do zatwierdzenia"
    moderation.remove_depot(depot=price.depot, reason="closed", by=factories.UserFactory(), on=today)
    assert list(context_of(desk, LIST)["cl"].result_list) == []
    assert not [row for row in context_of(desk, "/admin/")["work"] if row.label == queue and row.count]
    expect(desk.get(price_page(price)), "Skład nie jest opublikowany", without=["Zatwierdź zaznaczone"])
    assert "skład nie jest opublikowany" in message_of(decide_on_page(desk, "approve", price))
    assert "Skład nie jest opublikowany" in text_of(bulk.choose(desk, f"{LIST}?status=all", "approve", price))
    assert (factories.fresh(price).status, Decision.objects.count()) == ("pending", 1)
    publishing.publish_depot(depot=price.depot, by=factories.UserFactory(), on=today, note="otwarty")
    assert list(context_of(desk, LIST)["cl"].result_list) == [price]
    assert "Zdecydowano: 1." in message_of(decide_on_page(desk, "approve", price))
    assert client.get(API).json()["n"] == 1
    moderation.remove_depot(depot=price.depot, reason="closed", by=factories.UserFactory(), on=today)
    assert client.get(API).json()["n"] == 0


def test_a_price_that_a_merge_left_behind_is_offered_to_be_rejected(desk):
    kept, left = waiting(1500), waiting(1550)
    editor = factories.UserFactory()
    merging.merge_depots(survivor=kept.depot, loser=left.depot, take=[], by=editor, on=timezone.localdate())
    assert list(context_of(desk, LIST)["cl"].result_list) == [kept, left]
    assert "Zmieniono: 1." in decide(desk, "reject", left, reason="Jest już cena z tego dnia.")


def test_a_corrected_price_is_kept_as_sent_and_as_published(desk, commit):
    submission = factories.SubmissionFactory(passed_on=True)
    price = waiting(16300, depot=submission.depot, submission=submission)
    assert "poza wiarygodnym przedziałem" in desk.get(price_page(price)).content.decode()
    refused = decide_on_page(desk, "approve_next", price, **{f"value-{price.pk}": "99 999"})
    assert "poprawiona cena 99 999 zł/t jest poza wiarygodnym przedziałem" in text_of(refused)
    assert (factories.fresh(price).status, price.price) == ("pending", 16300)
    commit(decide_on_page, desk, "approve_next", price, **{f"value-{price.pk}": "1 630,50"})
    assert (factories.fresh(price).status, price.price, price.sent_price) == ("approved", Decimal("1630.50"), 16300)
    (letter,) = mail.outbox
    assert "1630,50zł/t" in (text := letter.body.replace("\xa0", ""))
    assert "w zgłoszeniu 16300zł" in text
    assert "poprawiono: pellet" in desk.get(f"{LIST}{price.pk}/history/").content.decode()
    decision = Decision.objects.get()
    assert (decision.kind, decision.title.count("→")) == ("prices", 1)
    desk.post(reverse("admin:catalog_decision_undo", args=[decision.pk]))
    assert (factories.fresh(price).status, price.price, price.sent_price) == ("pending", 16300, None)


def test_the_letter_about_a_price_by_the_bag_names_the_bag(desk, commit):
    submission = factories.SubmissionFactory(passed_on=True)
    price = waiting(1450, depot=submission.depot, submission=submission, bag_price=29, bag_kg=20)
    commit(decide_on_page, desk, "approve_next", price)
    (letter,) = mail.outbox
    assert "1 450 zł/t (worek 20 kg za 29 zł), " in letter.body.replace("\xa0", " ")


def test_an_outlier_is_named_and_comes_alone(desk):
    decide(desk, "approve", *(waiting(1400 + 10 * step) for step in range(8)))
    depot = factories.DepotFactory()
    outlier, ordinary = waiting(2900, depot=depot), waiting(1450, depot=depot, origin="price_list")
    build_snapshots()
    page = desk.get(price_page(outlier))
    assert "odstaje od innych cen (1 312,50–1 557,50 zł)" in text_of(page)
    assert [row.is_ticked for row in page.context["rows"]] == [True, False]
    assert "odstaje od innych cen" in desk.get(LIST).content.decode()
    refuse = partial(decide_on_page, desk, "reject_next", outlier, ordinary, price=outlier.pk)
    assert "podaj powód" in html_of(refuse())
    assert refuse(reason="Cena za dwie tony.")["Location"] == price_page(ordinary)
    assert [factories.fresh(price).status for price in (outlier, ordinary)] == ["rejected", "pending"]


def test_action_and_reason_stay_when_nothing_was_ticked(desk):
    waiting(1500, submission=factories.SubmissionFactory())
    kept = 'value="Cena za dwie tony."'
    for rows, action, reason in (("submission", "reject", kept), ("depot", "remove_closed", ""), ("", "reject", kept)):
        listing = reverse(f"admin:catalog_{rows}_changelist") if rows else LIST
        page = html_of(desk.post(listing, {"action": action, "index": "0", "reason": "Cena za dwie tony."}))
        assert not missing(page, "zaznacz wpisy na liście", f'<option value="{action}" selected>', reason)


PAGE, ADD_RANGE = "/admin/prices/plausiblerange/pellet/change/", "/admin/prices/plausiblerange/add/"


def pellet():
    return PlausibleRange.objects.get(pk="pellet")


def typed(low, high="4000"):
    return {"low": low, "high": high}


def test_a_range_is_written_with_a_decimal_comma_refused_in_one_sentence_and_no_change_as_it_was(desk):
    approve(desk, desk.post(PAGE, typed("650,50", "3900")))
    assert (pellet().low, pellet().high) == (Decimal("650.50"), 3900)
    assert 'value="650,50"' in desk.get(PAGE).content.decode()
    before = Dataset.objects.get(slug="prices").version, pellet().history.count()
    assert desk.post(PAGE, shown(desk, PAGE))["Location"] == "/admin/prices/plausiblerange/"
    assert (Dataset.objects.get(slug="prices").version, pellet().history.count()) == before
    for low, high in (("5000", "4000"), ("0", "10"), ("-1", "10"), ("10", "100000")):
        refused = html_of(desk.post(PAGE, typed(low, high)))
        assert "musi być dodatni i poniżej 100" in refused
        assert "plausiblerange_ends_in_order" not in refused


def test_an_earlier_range_is_put_back(desk, client):
    approve_three(desk)
    for low in ("600", "1450"):
        approve(desk, desk.post(PAGE, typed(low, "3900")))
    assert client.get(API).json()["rejected"] == 1
    version = f"/admin/prices/plausiblerange/pellet/history/{pellet().history.earliest().pk}/"
    approve(desk, desk.post(version, shown(desk, version)))
    assert pellet().low == 600
    assert client.get(API).json()["rejected"] == 0


def shown(desk, page):
    form = desk.get(page).context["adminform"].form
    return {name: form[name].value() for name in ("low", "high")}


def test_nobody_adds_a_range_and_who_may_only_see_one_makes_no_draft_of_an_earlier():
    for user in (factories.UserFactory(), factories.member(CHIEF, "adam"), factories.member(EDITOR)):
        desk = factories.desk_of(user)
        assert desk.get("/admin/prices/plausiblerange/").status_code == 200
        assert desk.get(ADD_RANGE).status_code == desk.post(ADD_RANGE, typed("1", "2")).status_code == 403
    version = f"/admin/prices/plausiblerange/pellet/history/{pellet().history.earliest().pk}/"
    assert desk.post(version, typed("1450")).status_code == 403
    assert not Draft.objects.exists()
    assert pellet().low == 600
