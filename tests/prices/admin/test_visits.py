"""What one author sent about one depot: one page at the desk, one decision, one letter."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core import mail
from django.utils import timezone

from catalog.models import OwnerLink, Submission
from catalog.submissions import owner_links, tokens
from catalog.submissions.decisions import PartDecision
from prices.models import DepotPrice
from prices.services import approve_prices, reject_prices
from prices.submissions import confirm_visit, decide_visit, withdraw
from tests import factories
from tests.beside import at_once
from tests.client import context_of, message_of
from tests.deciding import page
from tests.factories import NOW
from tests.pages.reading import expect, fields_of, missing, text_of

pytestmark = pytest.mark.django_db

AUTHOR = "jan@opal-nowak.pl"


@pytest.fixture
def visit(db, the_day):
    """A claim with two corrected fields and two prices, of which one is implausible."""
    depot = factories.DepotFactory(phone="", place="Kraków", fuels=["pellet", "ekogroszek"])
    shared = {"depot": depot, "email": AUTHOR}
    claim = factories.SubmissionFactory(claim=True, **shared)
    proposed, stored = {"phone": "+48 601 234 567", "place": "Wieliczka"}, {"phone": "", "place": "Kraków"}
    data = factories.SubmissionFactory(proposed=proposed, stored=stored, visit=claim, **shared)
    prices = factories.SubmissionFactory(passed_on=True, visit=claim, **shared)
    for fuel, price in (("pellet", 1600), ("ekogroszek", 9000)):
        price_of(prices, fuel=fuel, price=price, pending=True)
    return claim, data, prices


def price_of(submission, **values):
    return factories.DepotPriceFactory(depot=submission.depot, submission=submission, from_reader=True, **values)


def form_of(client, submission):
    return fields_of(client.get(page(submission)).content.decode())


def refusal_of(client, submission):
    """A form in which what is not ticked is refused, as it was opened now."""
    return form_of(client, submission) | {"decision": "visit", "reason": "Nie."}


@pytest.fixture
def decide(client, commit):
    """Send the form of a page with changes; None leaves a field out."""

    def send(submission, decision="visit", **changed):
        typed = form_of(client, submission) | {"decision": decision} | changed
        return commit(client.post, page(submission), {k: v for k, v in typed.items() if v is not None})

    return send


def states():
    return list(Submission.objects.order_by("pk").values_list("state", flat=True))


WAITING, DONE = ["waiting", "waiting", "passed_on"], ["accepted", "accepted", "passed_on"]


def test_a_visit_stands_on_one_page_whichever_part_is_opened(client, editor, visit, django_assert_max_num_queries):
    claim, data, _ = visit
    expect(client.get(page(claim)), "jeden wpis, zgłoszenia: 3.")
    # session, user, rights 2; submission, its questions; parts, their questions and prices; ranges, chief, owners,
    # municipalities, others, same contact, version, neighbours, present owner, decisions, comments
    with django_assert_max_num_queries(24):
        answer = client.get(page(claim))
    correction = f"nr {data.pk}: poprawka (miejscowość, telefon), czeka na decyzję"
    shown = "Telefon (brak) +48 601 234 567", "poza wiarygodnym przedziałem"
    expect(answer, f"nr {claim.pk}: przejęcie wpisu", correction, *shown)
    for part in visit[1:]:
        expect(client.get(page(part)), f"nr {claim.pk}: przejęcie wpisu", correction, *shown)
    assert text_of(answer).count("Zgłaszający a wpis") == 1
    pellet, ekogroszek = DepotPrice.objects.order_by("pk")
    typed = fields_of(answer.content.decode())
    assert typed["price"] == [str(pellet.pk)]  # a doubtful one is ticked by hand
    assert typed["pending"] == [str(pellet.pk), str(ekogroszek.pk)]
    factories.SubmissionFactory(depot=claim.depot)  # of another author
    assert len(context_of(client, page(claim))["parts"]) == 3


def test_all_of_a_visit_is_decided_at_once_from_the_page_of_its_prices_too_whose_fuels_the_entry_gets(
    client, editor, visit, django_assert_max_num_queries
):
    claim, _, prices = visit
    claim.depot.fuels = []
    claim.depot.save()
    assert 'value="visit_next"' in client.get(page(prices)).content.decode()
    every = [price.pk for price in DepotPrice.objects.order_by("pk")]
    typed = form_of(client, prices) | {"price": every, "decision": "visit"}
    with django_assert_max_num_queries(63):
        answer = client.post(page(prices), typed)
    assert "Zdecydowano: 3." in message_of(answer)
    assert states() == DONE
    assert set(DepotPrice.objects.values_list("status", flat=True)) == {"approved"}
    assert (factories.fresh(claim.depot).phone, claim.depot.data_status) == ("+48 601 234 567", "owner")
    assert claim.depot.fuels_priced == ["ekogroszek", "pellet"]
    assert 'value="visit"' not in client.get(page(prices)).content.decode()


def test_an_entry_sells_what_a_visit_gives_a_price_for_beside_the_fuels_of_its_correction(editor, visit):
    claim, data, _ = visit
    claim.depot.fuels = ["pellet"]
    claim.depot.save()
    Submission.objects.filter(pk=data.pk).update(proposed={"fuels": ["wegiel"]}, stored={"fuels": ["pellet"]})
    decision_on(visit, editor)()
    depot = factories.fresh(claim.depot)
    assert (depot.fuels, depot.fuels_priced) == (["wegiel", "ekogroszek"], ["ekogroszek"])


def test_one_letter_tells_all_outcomes_of_a_visit(client, editor, visit, decide):
    claim, data, prices = visit
    answer = decide(claim, reason="Numer nie odpowiada, a cena jest za inną ilość.", **{f"groups-{data.pk}": ["place"]})
    assert "Zdecydowano: 3. Przyjęto zgłoszenia nr " in text_of(answer)
    assert (factories.fresh(claim.depot).phone, claim.depot.place) == ("", "Wieliczka")
    assert sorted(DepotPrice.objects.values_list("status", flat=True)) == ["approved", "rejected"]
    (letter,) = mail.outbox
    assert letter.to == [AUTHOR]
    assert letter.subject == "Skład opału Nowak: wpis jest Twój, część zmian przyjęta, część cen przyjęta"
    assert not missing(
        letter.body,
        f"Redakcja przyjęła zgłoszenie nr {claim.pk} (przejęcie wpisu).",
        f"Redakcja przyjęła zgłoszenie nr {data.pk} (poprawka danych).",
        f"Redakcja sprawdziła ceny ze zgłoszenia nr {prices.pk}.",
        *("powód: Numer nie odpowiada, a cena jest za inną ilość.", "/zgloszenia/moj-sklad/?odnosnik="),
    )
    assert letter.body.count("Dziękujemy.") == 1
    assert not Submission.objects.filter(notification_pending=True).exists()


def test_a_reason_is_not_longer_than_that_of_a_price(client, editor, visit, decide):
    assert 'name="reason" value="" maxlength="300"' in client.get(page(visit[0])).content.decode()
    decide(visit[0], reason="za dużo " * 50)
    assert DepotPrice.objects.get(status="rejected").reason == ("za dużo " * 50)[:300]


def test_what_stands_in_the_way_of_one_part_decides_nothing(client, editor, visit):
    first, second, third = (f"choice-{part.pk}" for part in visit)
    typed, groups, later = form_of(client, visit[0]) | {"decision": "visit"}, f"groups-{visit[1].pk}", {third: "later"}
    for changed, words in (
        ({}, "podaj powód tego"),
        ({first: "reject", second: "later"} | later, "podaj powód tego"),
        ({first: "later", second: "later"} | later, "wybierz, co przyjmujesz albo odrzucasz"),
        ({groups: [], "reason": "Nie."} | later, "zaznacz co najmniej jedno pole"),
        ({"reason": "Nie."} | later, "podano powód, ale wszystkie pola są zaznaczone"),
        ({"opened": "xx", "reason": "Nie."}, "ktoś zmienił wpis po otwarciu tej strony"),
    ):
        answer = client.post(page(visit[0]), typed | changed)
        assert f"Nic nie zmieniono: {words}" in text_of(answer)
        for name in {first, second, third} & {*changed}:
            assert f'name="{name}" value="{changed[name]}" checked' in answer.content.decode()
    assert states() == WAITING
    assert (set(DepotPrice.objects.values_list("status", flat=True)), mail.outbox) == ({"pending"}, [])


def test_what_is_left_for_later_stays_and_a_wrong_value_is_refused_at_its_field(client, editor, visit, decide):
    claim, data, prices = visit
    later = {f"choice-{part.pk}": "later" for part in (claim, prices)}
    refused = decide(claim, **later, **{f"value-{data.pk}-phone": "zadzwoń"})
    assert not missing(refused.content.decode(), "To nie jest poprawny numer telefonu", 'value="zadzwoń"')
    assert states() == WAITING
    decide(claim, **later, **{f"value-{data.pk}-phone": "602 234 567"})
    assert states() == ["waiting", "accepted", "passed_on"]
    assert (factories.fresh(claim.depot).phone, len(mail.outbox)) == ("+48 602 234 567", 1)


def test_the_present_owner_is_heard_before_a_claim_among_others_is_accepted(client, editor, visit, decide):
    claim, data, _ = visit
    claim.depot.data_status, claim.depot.verified_at, claim.depot.verified_by = "owner", NOW.date(), editor
    claim.depot.save()
    owner_links.grant_link(depot=claim.depot, email="anna@opal.pl", on=NOW)
    typed = form_of(client, claim)
    assert (typed[f"choice-{claim.pk}"], typed[f"choice-{data.pk}"]) == (["later"], ["accept"])
    answer = decide(claim, reason="Za inną ilość.", **{f"choice-{claim.pk}": "accept"})
    assert "wcześniej zgłoszenie może przyjąć tylko redaktor naczelny" in text_of(answer)
    assert states() == WAITING
    Submission.objects.filter(pk=claim.pk).update(owner_told_at=NOW - timedelta(days=30))
    decide(claim, reason="Za inną ilość.", keep_owners="on")
    assert states() == DONE
    assert OwnerLink.objects.working().filter(depot=claim.depot).count() == 2


def test_the_second_of_two_editors_decides_nothing(client, editor, visit):
    claim, data, _ = visit
    opened = refusal_of(client, claim)
    client.post(page(data), {"decision": "reject", "reason": "Nie."})
    answer = client.post(page(claim), opened)
    assert f"O zgłoszeniu nr {data.pk} zdecydował już ktoś inny (ewa): odrzucone" in text_of(answer)
    assert states() == ["waiting", "rejected", "passed_on"]
    opened = refusal_of(client, claim)
    DepotPrice.objects.filter(fuel="pellet").update(status="rejected", reason="Nie.", decided_at=NOW, decided_by=editor)
    assert "ktoś zdecydował już o jednej z tych cen" in text_of(client.post(page(claim), opened))
    assert states() == ["waiting", "rejected", "passed_on"]


def test_a_part_that_was_purged_since_is_named_as_gone(client, editor, visit):
    claim, data, _ = visit
    opened, gone = refusal_of(client, claim), f"Nic nie zmieniono. Zgłoszenie nr {data.pk}: już go nie ma"
    data.delete()
    expect(client.post(page(claim), opened, follow=True), gone, without=["zdecydował już ktoś inny"])
    assert states() == ["waiting", "passed_on"]


def test_an_accepted_deletion_comes_last_and_leaves_no_price_to_accept(client, editor, visit, decide):
    claim, _, prices = visit
    Submission.objects.filter(pk=claim.pk).update(kind="delete")
    refused = text_of(decide(claim, reason="Za inną ilość."))
    assert "ceny można tylko odrzucić albo zostawić na później: skład nie jest opublikowany" in refused
    assert states() == WAITING
    assert "Zdecydowano: 2." in message_of(decide(claim, **{f"choice-{prices.pk}": "later"}))
    assert (factories.fresh(claim.depot).publication, claim.depot.phone) == ("removed", "+48 601 234 567")


def test_the_next_submission_is_of_another_visit(client, editor, visit, decide):
    other = factories.SubmissionFactory(confirmed_at=NOW)
    missing_depot = page(factories.SubmissionFactory(add=True))
    assert client.post(missing_depot, {"decision": "visit"}).status_code == 400, "it has no visit"
    assert decide(visit[1], "visit_next", reason="Za inną ilość.")["Location"].startswith(page(other))


def test_an_author_of_a_visit_is_asked_from_its_page(client, editor, visit, decide):
    answer = decide(visit[0], "ask", question="Od kiedy?")
    assert not missing(text_of(answer), f"Zgłoszenie nr {visit[0].pk} czeka na odpowiedź autora", "Od kiedy?")


def test_who_decides_no_prices_decides_no_visit_with_prices(client, visit, decide):
    client.force_login(factories.staff("gosc", "view_submission", "change_submission"))
    claim, _, prices = visit
    assert decide(claim, reason="Nie.").status_code == 403
    assert states() == WAITING
    decide(claim, **{f"choice-{prices.pk}": "later"})
    assert states() == DONE


def decision_on(parts, by):
    """Return a function that accepts all of a visit."""
    decided = [PartDecision(part.pk, True) for part in parts if part.kind != "price"]
    prices = dict.fromkeys(DepotPrice.objects.values_list("pk", flat=True), True)
    return lambda: decide_visit(parts=decided, prices=prices, reason="", by=by, on=NOW)[0]


def confirmed_visit(unit="t", **values):
    """Return a claim and a price of one author, confirmed by one link; the parts as they were before."""
    claim = factories.SubmissionFactory(claim=True, unconfirmed=True, **values)
    sent = {"prices": [{"fuel": "pellet", "day": "2026-11-20", "unit": unit, "price": "1500"}]}
    unconfirmed = {"depot": claim.depot, "email": claim.email, "visit": claim, "unconfirmed": True}
    prices = factories.SubmissionFactory(kind="price", proposed=sent, stored={}, **unconfirmed)
    token, claim.token_hash = tokens.new_token(claim.pk, NOW)
    claim.save()
    confirm_visit(token=token, on=NOW)
    return claim, prices


def test_a_price_that_cannot_be_holds_no_other_part_of_its_visit_back():
    _, prices = confirmed_visit(unit="mp")
    assert (states(), DepotPrice.objects.count()) == (["waiting", "passed_on"], 0)
    assert "outcomes" in factories.fresh(prices).proposed


def test_the_price_of_a_claim_waits_beside_that_of_a_reader_and_the_later_decision_counts(editor):
    reported = factories.DepotPriceFactory(
        day=NOW.date() - timedelta(days=1), price=900, pending=True, from_reader=True
    )
    _, prices = confirmed_visit(depot=reported.depot)
    sent = prices.prices.get()
    for price in (reported, sent):
        approve_prices(prices=[price], by=editor, on=timezone.now())
    assert list(DepotPrice.objects.newest(NOW.date())) == [sent]


def test_what_is_withdrawn_while_it_is_confirmed_is_withdrawn_as_confirmed():
    """The page had read the visit before its link was opened."""
    claim, prices = confirmed_visit()
    withdraw(submission=prices, on=NOW)
    assert (states(), DepotPrice.objects.count()) == (["waiting", "withdrawn"], 0)
    withdraw(submission=claim, on=NOW)
    assert states() == ["withdrawn", "withdrawn"]
    Submission.objects.all().delete()
    withdraw(submission=claim, on=NOW)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rival", ["withdrawal", "queue of prices", "the same decision"])
def test_of_two_decisions_at_once_one_is_refused_and_none_deadlocks(visit, rival):
    one, other = factories.UserFactory(username="ewa"), factories.UserFactory(username="adam")
    prices = list(DepotPrice.objects.all())
    rivals = {
        "withdrawal": lambda: withdraw(submission=visit[2], on=NOW),
        "queue of prices": lambda: len(reject_prices(prices=prices, reason="Nie.", by=other, on=NOW).changed),
        "the same decision": decision_on(visit, other),
    }
    outcomes = at_once(decision_on(visit, one), rivals[rival])
    assert Submission.objects.filter(state="accepted").count() == (2 if 3 in outcomes else 0)
    assert not any("Deadlock" in str(outcome) or "Operational" in str(outcome) for outcome in outcomes)
    if rival == "the same decision":
        assert sorted(map(str, outcomes)) == ["3", "PriceDecidedMeanwhile"]


def test_the_page_of_a_submission_shows_its_prices_a_decided_one_with_its_reason(desk, django_assert_max_num_queries):
    submission = factories.SubmissionFactory()
    expect(desk.get(page(submission)), without=["Ceny z tego zgłoszenia"])
    for fuel, amount in [("pellet", "1499.50"), ("ekogroszek", "1600")]:
        price_of(submission, fuel=fuel, price=Decimal(amount), pending=True)
    with django_assert_max_num_queries(19):
        shown = desk.get(page(submission))
    expect(shown, "Pellet 1 499,50 zł/t 1 listopada 2026 r. czeka na decyzję", "Ekogroszek 1 600 zł/t")
    assert f'href="/admin/prices/depotprice/?q=%23{submission.depot_id}"' in shown.content.decode()
    queue = desk.get("/admin/prices/depotprice/", {"q": f"#{submission.depot_id}"})
    expect(queue, "Ekogroszek 1 600 zł/t")
    assert f'<a href="/admin/catalog/depot/{submission.depot_id}/change/">' in queue.content.decode()
    DepotPrice.objects.all().delete()
    price_of(submission, rejected=True, bag_price=Decimal(30), bag_kg=Decimal(15), price=Decimal(2000))
    shown = desk.get(page(submission))
    expect(shown, "2 000 zł/t worek 15 kg: 30 zł 1 listopada 2026 r. odrzucona: zła jednostka")
    assert "/admin/prices/depotprice/?q=" not in shown.content.decode()
