"""What readers tell: prices, from the form to the queue, and that a depot is gone: two taps, evidence for an editor."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from catalog.models import GoneReport, Submission
from catalog.services import journal, moderation, publishing
from catalog.submissions import gone_reports_and_subscriptions, retention
from catalog.submissions.gone_reports_and_subscriptions import find_evidence, report_gone
from catalog.submissions.retention import purge_submissions
from prices.models import DepotPrice, PlausibleRange
from prices.services import approve_prices, reject_prices
from prices.submissions import decide_visit
from tests import deciding, factories
from tests.client import context_of
from tests.pages.reading import expect


@pytest.fixture
def path(nowak):
    return f"/sklad/{nowak.pk}/cena/"


def test_a_price_enters_the_queue_once_it_is_confirmed(client, stranger, path, nowak, clock):
    expect(stranger.fill(path, **{"price-pellet": "1 650,50"}), "1 650,50 zł/t, 21 listopada 2026 r.", status=302)
    assert not DepotPrice.objects.exists()
    expect(stranger.confirm(), "czeka na decyzję redakcji", status=302)
    price = DepotPrice.objects.get()
    assert (price.depot, price.fuel, price.price, price.unit) == (nowak, "pellet", Decimal("1650.50"), "t")
    assert (price.status, price.origin, price.day) == ("pending", "submission", clock.now.date())
    assert client.get(f"/api/v1/stores/{nowak.pk}").json()["price_list"] == []
    assert Submission.objects.get().state == "passed_on"
    assert client.get(stranger.link()).status_code == 409


def test_the_weight_of_a_bag_is_told_with_a_decimal_comma(stranger, path):
    sent = stranger.fill(path, **{"price-pellet": "24", "bag-pellet": "12,5"})
    expect(sent, "worek 12,50 kg za 24 zł, 21 listopada 2026 r.", status=302)


SIX = {"brykiet": 1400, "wegiel": 1500, "wegiel-orzech": 1600, "wegiel-kostka": 1550, "ekogroszek": 1700}
SIX |= {"drewno-kominkowe": 380}
SEVEN = {"price-pellet": "24", "bag-pellet": "15", **{f"price-{fuel}": str(amount) for fuel, amount in SIX.items()}}


def test_seven_fuels_are_one_form_one_letter_one_confirmation_and_one_answer(client, stranger, path, clock, commit):
    assert stranger.fill(path, **SEVEN).status_code == 302
    assert len(mail.outbox) == 1
    expect(client.get(stranger.link()), "Ceny opału")  # as in the letter
    assert "1400" not in mail.outbox[0].body  # nobody has confirmed the address
    page = stranger.confirm()["Location"]
    prices = list(DepotPrice.objects.order_by("pk"))
    assert {price.fuel: price.price for price in prices} == SIX | {"pellet": 1600}
    editor = factories.UserFactory()
    commit(approve_prices, prices=prices[:5], by=editor, on=clock.now)
    commit(reject_prices, prices=[prices[5]], reason="To cena za metr.", by=editor, on=clock.now)
    assert len(mail.outbox) == 1  # one still waits
    commit(reject_prices, prices=[prices[6]], reason="Nie tak tanio.", by=editor, on=clock.now)
    letter = mail.outbox[-1]
    assert (letter.subject, letter.to) == ("Skład opału Nowak: część cen przyjęta", ["jan@opal-nowak.pl"])
    assert "To cena za metr." in letter.body
    assert "1\N{NO-BREAK SPACE}600\N{NO-BREAK SPACE}zł/t, " in letter.body  # as pages write amounts
    assert "Nie tak tanio." in letter.alternatives[0].content
    expect(client.get(page), "Redakcja sprawdziła ceny", "nieprzyjęta: Nie tak tanio.")
    purge_submissions(on=clock.now + timedelta(hours=25))
    assert Submission.objects.get().email == ""
    assert DepotPrice.objects.approved().count() == 5


def test_undecided_prices_keep_their_author_for_90_days_and_then_tell_and_promise_none(client, stranger, path, clock):
    page = stranger.fill_and_confirm(path, **SEVEN)
    purge_submissions(on=clock.now + timedelta(days=2))
    assert Submission.objects.get().email == "jan@opal-nowak.pl"
    expect(client.get(page), "O decyzji napiszemy w wiadomości.", "1 400 zł")
    clock.move(days=91)
    purge_submissions(on=clock.now)
    assert Submission.objects.values_list("email", "proposed").get() == ("", {})
    gone = "O decyzji napiszemy", "1400", "1 400"
    expect(client.get(page), "czeka na decyzję redakcji.", "Usunęliśmy Twoje dane", without=gone)


def test_a_price_that_an_editor_corrected_is_told_as_published(client, stranger, path, nowak, clock):
    page = stranger.fill_and_confirm(path, **{"price-pellet": "1640", "price-brykiet": "1400"})
    corrected, taken = DepotPrice.objects.order_by("-fuel")
    choices, amount = {corrected.pk: True, taken.pk: True}, {corrected.pk: Decimal(1600)}
    decide_visit(parts=[], prices=choices, reason="", corrected=amount, by=factories.UserFactory(), on=clock.now)
    told = "przyjęta: 1 600 zł/t, 21.11.2026 (w zgłoszeniu 1 640 zł)"
    decided = f"Pellet 1 640 zł/t, 21 listopada 2026 r. {told}", "2026 r. przyjęta Redakcja sprawdziła"
    expect(client.get(page), *decided, "Usuniemy Twoje dane 22 listopada 2026 r.")


@pytest.mark.parametrize(("typed", "left"), [(SEVEN, 6), ({"price-pellet": "1600"}, 0)])
def test_a_price_that_stands_already_bars_none_of_the_others(client, stranger, path, nowak, clock, typed, left):
    factories.DepotPriceFactory(depot=nowak, day=clock.now.date(), from_reader=True, pending=True)
    stranger.fill(path, **typed)
    answer = stranger.confirm()
    assert DepotPrice.objects.filter(submission__isnull=False).count() == left
    if left:
        expect(answer, "nieprzyjęta: skład ma już cenę tego paliwa", status=302)
    else:
        expect(answer, "Nie możemy przyjąć tej ceny", status=409)
        assert Submission.objects.get().state == "unconfirmed"


def test_prices_are_withdrawn_until_they_are_decided(client, stranger, path, clock):
    page = stranger.fill_and_confirm(path, **{"price-pellet": "1600", "price-brykiet": "1400"})
    approve_prices(prices=DepotPrice.objects.filter(fuel="pellet"), by=factories.UserFactory(), on=clock.now)
    stranger.send(page, {"wycofaj": str(Submission.objects.get().pk)})
    assert list(DepotPrice.objects.values_list("fuel", "status")) == [("pellet", "approved")]
    assert DepotPrice.history.filter(fuel="brykiet", history_type="-").exists()
    assert Submission.objects.get().answered_at == clock.now
    page = stranger.fill_and_confirm(path, **{"price-wegiel-orzech": "1600"})
    submission = Submission.objects.latest("pk")
    stranger.send(page, {"wycofaj": str(submission.pk)})
    assert factories.fresh(submission).state == "withdrawn"
    expect(client.get(page), "Zgłoszenie jest wycofane")


def test_a_price_list_of_the_same_day_stands_beside_it(stranger, path, nowak, clock):
    factories.DepotPriceFactory(depot=nowak, day=clock.now.date())
    stranger.fill_and_confirm(path, **{"price-pellet": "1600"})
    assert DepotPrice.objects.count() == 2


def test_what_is_no_price(stranger, path):
    shown = stranger.type(path)
    amount = "Cena to 140 000 zł, a musi być większa od 0 zł i mniejsza niż 100 000 zł."
    for typed, words in (
        ({}, "Podaj cenę co najmniej jednego paliwa."),
        ({"bag-pellet": "15"}, "Do wagi worka podaj jego cenę."),
        ({"price-pellet": "24"}, "Wiarygodne ceny tego paliwa to od 600 zł do 4 000 zł"),
        ({"price-pellet": "99999"}, "Wiarygodne ceny"),
        ({"price-pellet": "140,000"}, amount),
        *(({"price-pellet": text}, "Wpisz kwotę") for text in ("0", "-5", "1600,555", "NaN", "zł")),
        ({"price-pellet": "24", "bag-pellet": "15,000"}, "To 15 czy 15000 kg? Wpisz wagę w kilogramach"),
        ({"price-pellet": "24", "bag-pellet": "0"}, "Wpisz wagę w kilogramach"),
        ({"price-pellet": "1600", "day": "2026-11-22"}, "Ten dzień jeszcze nie nadszedł."),
        ({"price-pellet": "1600", "day": "2026-10-01"}, "Podaj ceny z ostatnich 31 dni."),
        ({"price-pellet": "1600", "day": "wczoraj"}, "Wpisz dzień na przykład tak: 21.11.2026."),
    ):
        expect(stranger.send(path, shown | typed), words, status=400)
    assert mail.outbox == []


def test_the_ends_of_a_plausible_range_are_inside_and_told_to_the_grosz(stranger, path):
    PlausibleRange.objects.filter(pk="pellet").update(low=Decimal("650.50"))
    answer = stranger.fill(path, **{"price-pellet": "650,49"})
    expect(answer, "od 650,50 zł do 4 000 zł", status=400)
    assert [field.name for field in answer.context["form"].mistakes] == ["price-pellet"]
    assert stranger.fill(path, **{"price-pellet": "650,50"}).status_code == 302
    day = (stranger.clock.now - timedelta(days=31)).date()
    assert stranger.fill(path, **{"price-pellet": "4000", "day": str(day)}).status_code == 302


@pytest.fixture
def gone(nowak):
    return f"/sklad/{nowak.pk}/zglos/"


def report(stranger, path, reason="closed", client="10.0.0.1", email=""):
    return stranger.fill(path, network=client, reason=reason, email=email)


def test_two_taps_without_an_address(stranger, nowak, gone):
    assert set(stranger.show(gone)) - {"stamp", "email"} <= {"reason", "strona_www"}
    expect(report(stranger, gone), "Dziękujemy za zgłoszenie")
    (row,) = GoneReport.objects.all()
    assert (row.depot_id, row.reason) == (nowak.pk, "closed")
    assert "10.0.0.1" not in row.client_hash
    assert mail.outbox == []
    assert not Submission.objects.exists()
    assert factories.fresh(nowak).publication == "published"


def test_a_reason_is_chosen_and_an_address_may_be_left_but_not_a_wrong_one(stranger, gone):
    expect(report(stranger, gone, reason=""), "Wybierz, co się stało.", status=400)
    assert report(stranger, gone, email="nikt").status_code == 400
    assert report(stranger, gone, email="ewa@example.pl").status_code == 200
    assert (GoneReport.objects.get().email, mail.outbox) == ("ewa@example.pl", [])


def test_a_network_counts_once_also_after_a_verification_long_ago(stranger):
    depot = factories.DepotFactory(verified=True)
    path = f"/sklad/{depot.pk}/zglos/"
    for client, reason in [("10.0.0.1", "closed"), ("10.0.0.1", "moved"), ("10.0.0.2", "closed")]:
        report(stranger, path, reason, client)
    evidence = find_evidence(depot)
    assert (evidence["networks"], dict(evidence["reasons"])) == (2, {"przeniósł się": 1, "zamknięto go na stałe": 1})


def test_a_network_has_a_limit(stranger, gone, monkeypatch):
    monkeypatch.setattr(gone_reports_and_subscriptions, "PER_NETWORK", 2)
    for row in factories.DepotFactory.create_batch(2):
        assert report(stranger, f"/sklad/{row.pk}/zglos/").status_code == 200
    answer = report(stranger, gone)
    assert (answer.status_code, bool(answer["Retry-After"])) == (429, True)
    assert report(stranger, gone, client="10.0.0.2").status_code == 200


def test_an_editor_sees_the_evidence_until_the_entry_is_verified(stranger, admin_client, nowak, gone):
    report(stranger, gone)
    report(stranger, gone, "no_fuel", "10.0.0.2", "ewa@example.pl")
    evidence = "że tego składu nie ma, z 2 sieci komputerowych (", "nie sprzedaje opału: 1"
    page = admin_client.get(reverse("admin:catalog_depot_change", args=[nowak.pk]))
    expect(page, *evidence, "do zapytania: ewa@example.pl")
    queue = reverse("admin:catalog_depot_changelist") + "?queue=gone"
    assert list(context_of(admin_client, queue)["cl"].result_list) == [nowak]
    moderation.verify_depot(depot=nowak, by=factories.UserFactory(), on=timezone.localdate(stranger.clock.now))
    assert find_evidence(nowak) is None
    assert list(context_of(admin_client, queue)["cl"].result_list) == []
    stranger.clock.move(days=2)
    report(stranger, gone, client="10.0.0.3")
    assert find_evidence(nowak)["networks"] == 1


def test_an_address_like_a_query_adds_nothing_to_the_letter_of_an_editor(stranger, admin_client, nowak, gone):
    report(stranger, gone, email="ewa?bcc=jan%40opal.pl&body=x@example.pl")
    page = admin_client.get(reverse("admin:catalog_depot_change", args=[nowak.pk])).content.decode()
    assert 'href="mailto:ewa%3Fbcc%3Djan%2540opal.pl%26body%3Dx@example.pl"' in page


def test_an_editor_is_not_asked_to_remove_what_has_been_removed(stranger, admin_client, nowak, gone):
    report(stranger, gone)
    page, asked = reverse("admin:catalog_depot_change", args=[nowak.pk]), "albo go usuń."
    expect(admin_client.get(page), asked)
    moderation.remove_depot(depot=nowak, reason="closed", on=timezone.localdate(stranger.clock.now))
    expect(admin_client.get(page), "że tego składu nie ma, z 1 sieci komputerowej", without=[asked])


def report_now(depot, client="10.0.0.1"):
    report_gone(depot=depot, reason=GoneReport.Reason.CLOSED, email="", client=client, on=timezone.now())


def undo_last(editor):
    journal.undo(decision=deciding.last(), by=editor, on=timezone.now())


def test_a_report_after_a_check_of_the_same_day_is_seen_until_the_next_one(admin_client, nowak):
    editor, queue = factories.UserFactory(), reverse("admin:catalog_depot_changelist") + "?queue=gone"
    for count in (1, 2):
        moderation.verify_depot(depot=nowak, by=editor, on=timezone.localdate())
        assert find_evidence(nowak) is None
        report_now(nowak, f"10.0.0.{count}")
        assert find_evidence(nowak)["networks"] == 1
        assert list(context_of(admin_client, queue)["cl"].result_list) == [nowak]


def test_a_check_that_was_undone_on_the_same_day_answers_no_report(nowak):
    editor, today = factories.UserFactory(), timezone.localdate()
    moderation.verify_depot(depot=nowak, by=editor, on=today)
    report_now(nowak)
    moderation.verify_depot(depot=nowak, by=editor, on=today)
    assert find_evidence(nowak) is None
    undo_last(editor)
    assert find_evidence(nowak)["networks"] == 1


def test_restoring_an_entry_answers_its_reports_and_undoing_a_decision_does_not(nowak):
    editor, today = factories.UserFactory(), timezone.localdate()
    report_now(nowak)
    moderation.remove_depot(depot=nowak, reason="closed", by=editor, on=today)
    undo_last(editor)
    assert find_evidence(nowak)["networks"] == 1
    moderation.remove_depot(depot=nowak, reason="closed", by=editor, on=today)
    publishing.publish_depot(depot=nowak, by=editor, on=today, note="otwarty")
    assert find_evidence(nowak) is None
    undo_last(editor)
    assert find_evidence(nowak)["networks"] == 1


def test_reports_are_deleted_in_time_and_with_their_depot(stranger, nowak, gone):
    report(stranger, gone)
    purge_submissions(on=stranger.clock.now + retention.KEPT - timedelta(hours=1))
    assert GoneReport.objects.exists()
    purge_submissions(on=stranger.clock.now + retention.KEPT)
    assert not GoneReport.objects.exists()
