"""What an owner does by the link: confirms prices, is told of each change and undoes it, has several entries."""

import re
from datetime import date, timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog.models import Decision, Depot, OwnerChange, OwnerLink, PendingLetter, Submission
from catalog.services import journal
from catalog.services.merging import merge_depots
from catalog.services.moderation import remove_depot
from catalog.services.publishing import publish_depot
from catalog.submissions import intake, letters, owner_links
from catalog.submissions.retention import purge_submissions
from prices.models import DepotPrice
from prices.owners import confirm_prices
from prices.services import approve_prices
from tests import deciding, factories
from tests.mail import DOWN, WORKING, sent
from tests.pages.forms.conftest import OWNER, YESTERDAY, hidden, link_in, prices_of_today, token_of
from tests.pages.forms.test_owner import save
from tests.pages.reading import expect, missing, text_of

BRANCHES = f"{OWNER}inne/"


def keys_shown(answer):
    """The prices that the last button of a page confirms."""
    return hidden(answer.content.decode().rpartition('name="potwierdz"')[0].rpartition("<form")[2], "cena")


def save_and_read(stranger, link, **changed):
    """Save a change; returns the link of the letter about it, which undoes it."""
    save(stranger, link, **changed)
    return link_in(mail.outbox[-1], "cofnij")


def tap(stranger, link, keys=None):
    keys = keys_shown(stranger.client.get(link)) if keys is None else keys
    return stranger.owner(link, potwierdz="1", cena=keys)


def test_one_tap_confirms_the_prices_for_today(client, stranger, priced, link):
    page = client.get(link)
    expect(page, "Pellet 1 613 zł/t z dnia 20.11.2026")
    client.get(f"{link}&potwierdz=1&cena={'&cena='.join(keys_shown(page))}")
    assert not prices_of_today().exists(), "a GET confirms nothing"
    assert tap(stranger, link).status_code == 302
    today = DepotPrice.objects.approved().filter(day=date(2026, 11, 21)).order_by("fuel")
    assert list(today.values_list("fuel", "price", "bag_price", "bag_kg", "origin")) == [
        ("ekogroszek", 1500, 30, 20, "price_list"),
        ("pellet", 1613, None, None, "price_list"),
    ]
    assert "Pellet: bez zmian, 1 613 zł/t" in OwnerChange.objects.get().text.replace("\xa0", " ")
    expect(client.get(link), "Ceny są potwierdzone na dziś.", without=["Ceny bez zmian, potwierdź"])


def test_only_prices_on_the_page_of_the_entry_are_named_as_being_there(client, priced, link):
    DepotPrice.objects.filter(fuel="pellet").update(day=date(2025, 11, 20))
    expect(client.get(link), "Teraz na stronie Ekogroszek", without=["1 613"])
    assert len(client.get(f"/api/v1/stores/{priced.pk}").json()["price_list"]) == 1


def test_prices_that_changed_meanwhile_or_are_a_stranger_s_are_not_confirmed(client, stranger, priced, link):
    keys = keys_shown(client.get(link))
    save(stranger, link, **{"price-pellet": "1700"})
    expect(tap(stranger, link, keys), "Ceny zmieniły się, odkąd otwarto tę stronę.", status=400)
    assert prices_of_today().approved().get(fuel="pellet").price == 1700
    foreign = str(factories.DepotPriceFactory(day=YESTERDAY).pk)
    for keys in ([], ["x"], ["999999"], ["99999999999999999999"], [foreign], ["x", foreign]):
        assert tap(stranger, link, keys).status_code == 400, keys
    assert prices_of_today().count() == 1


def test_a_price_list_beats_a_readers_price_of_its_day(stranger, priced, link, clock):
    later = clock.now + timedelta(hours=1)
    factories.DepotPriceFactory(depot=priced, price=1900, day=YESTERDAY, from_reader=True, decided_at=later)
    assert "1 900" not in text_of(stranger.client.get(link))
    tap(stranger, link)
    assert prices_of_today().get(fuel="pellet").price == 1613


def test_statements_of_confirming_do_not_grow_with_prices(priced, link, clock):
    counts = []
    for fuels in (["brykiet"], ["wegiel-orzech", "wegiel-kostka", "drewno-kominkowe"]):
        for fuel in fuels:
            amount = 400 if fuel == "drewno-kominkowe" else 1300
            factories.DepotPriceFactory(depot=priced, fuel=fuel, price=amount, day=YESTERDAY)
        clock.move(days=1)
        keys = list(DepotPrice.objects.newest(clock.now.date()).values_list("pk", flat=True))
        with CaptureQueriesContext(connection) as queries:
            confirm_prices(token=token_of(link), prices=keys, on=clock.now)
        counts.append(len(queries))
    assert counts[1] <= counts[0]


def test_each_change_is_told_to_the_owner_who_undoes_it_by_the_letter(client, desk, stranger, priced, link):
    save(stranger, link, mon="całą dobę", **{"price-pellet": "1700"})
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == (["jan@opal-nowak.pl"], "Skład opału Nowak: zmiana Twoim odnośnikiem")
    body = letter.body.replace("\xa0", " ")
    assert not missing(body, "- Pellet\n  1 613 zł → 1 700 zł/t (21.11.2026)", "- Godziny otwarcia\n")
    path = link_in(letter, "cofnij")
    expect(client.get(path), "Cofnij tę zmianę")
    assert DepotPrice.objects.approved().count() == 3  # GET undoes nothing
    change = Decision.objects.get(kind="owner")
    assert "Zmiany cofnięte" in text_of(stranger.undo(path, change.pk))
    assert factories.fresh(priced).hours is None
    newest = DepotPrice.objects.newest(date(2026, 11, 21))
    assert {row.fuel: row.price for row in newest} == {"ekogroszek": 1500, "pellet": 1613}
    assert Decision.objects.get(kind="undo").decided_by is None
    assert "polecenie" not in text_of(desk.get("/admin/catalog/decision/"))
    assert "Cofnięto:" in OwnerChange.objects.latest("pk").text
    expect(client.get(path), "Cofnięto 21 listopada 2026")
    expect(stranger.undo(path, change.pk), "Nie ma czego cofać", "Tę decyzję cofnięto już wcześniej.", status=409)


def test_a_price_of_a_day_before_the_newest_is_not_told_as_the_present_one(client, stranger, priced, link):
    answer = save(stranger, link, day="2026-11-15", **{"price-pellet": "1500"})
    told = "1\N{NO-BREAK SPACE}500\N{NO-BREAK SPACE}zł/t, na stronie zostaje nowsza 1\N{NO-BREAK SPACE}613"
    assert told in mail.outbox[-1].body
    expect(answer, "Pellet 1 613 zł/t z dnia 20.11.2026", status=302)


def test_a_forwarded_link_cannot_silence_the_letter_by_revoking_itself(client, stranger, nowak, link, clock, settings):
    settings.EMAIL_BACKEND = DOWN
    save(stranger, link, mon="całą dobę")
    stranger.owner(link, odwolaj="1")
    assert OwnerLink.objects.get().email == ""
    purge_submissions(on=clock.now + timedelta(days=2))
    settings.EMAIL_BACKEND = WORKING
    clock.move(minutes=20)
    (letter,) = sent()
    assert letter.to == ["jan@opal-nowak.pl"]
    stranger.undo(link_in(letter, "cofnij"), Decision.objects.get(kind="owner").pk)
    assert factories.fresh(nowak).hours is None
    assert (OwnerLink.objects.get().letters_at, PendingLetter.objects.count()) == ([], 0)


def test_a_flood_of_changes_is_one_letter_that_waits(client, stranger, nowak, link, clock):
    OwnerLink.objects.update(letters_at=[clock.now])
    for hour in range(6, 10):
        save(stranger, link, mon=f"{hour}-14")
    assert len(mail.outbox) == 2  # with the one before three an hour
    clock.move(hours=1)
    (letter,) = sent()
    assert (letter.body.count("- Godziny otwarcia"), "6:00-14:00" in letter.body) == (2, False)
    assert text_of(client.get(link_in(letter, "cofnij"))).count("Cofnij tę zmianę") == 2


def test_the_letter_about_a_change_leaves_before_others_that_the_limit_delays(stranger, nowak, link, clock):
    for _ in range(5):
        factories.SubmissionFactory(decided=True, notification_pending=True, email="jan@opal-nowak.pl")
        letters.send_waiting()
    save(stranger, link, mon="całą dobę")
    assert len(mail.outbox) == 3
    clock.move(hours=1)
    first, _ = sent()
    assert first.subject == "Skład opału Nowak: zmiana Twoim odnośnikiem"


def test_what_was_changed_since_stays_when_a_change_is_undone(stranger, nowak, link):
    path = save_and_read(stranger, link, mon="całą dobę")
    save(stranger, link, mon="8-16")
    first = Decision.objects.filter(kind="owner").earliest("pk")
    refused = "Tej zmiany nie można już cofnąć", "Cofnij najpierw późniejszą zmianę"
    expect(stranger.undo(path, first.pk), *refused, status=409)
    assert factories.fresh(first).undone_at is None
    assert factories.fresh(nowak).hours["mon"] == "8:00-16:00"
    assert "Cofnięto" not in OwnerChange.objects.latest("pk").text


def test_hours_that_a_merge_has_handed_on_stay_and_nobody_is_told_otherwise(stranger, nowak, link, clock):
    editor, other = factories.UserFactory(username="ewa"), factories.DepotFactory(name="Opał Nowak")
    for typed in ({}, {"price-pellet": "1700"}):
        path = save_and_read(stranger, link, mon="całą dobę", **typed)
        change = Decision.objects.filter(kind="owner").latest("pk")
        take = ("hours", "opening_hours")
        merge = merge_depots(survivor=other, loser=factories.fresh(nowak), take=take, by=editor, on=clock.now.date())
        answer = stranger.undo(path, change.pk)
        if typed:
            expect(answer, "Poprzednie godziny i ceny znów są na stronie, poza tymi, które od tego czasu", "scalono")
        else:
            expect(answer, "zmień godziny i ceny pod swoim odnośnikiem", status=409)
        assert factories.fresh(other).hours["mon"] == "0:00-24:00"
        assert (other.fuels_priced, factories.fresh(change).undone_at is None) == ([], not typed)
        journal.undo(decision=merge, by=editor, on=clock.now)
        assert factories.fresh(nowak).fuels_priced == []
        if not typed:
            stranger.undo(path, change.pk)
            assert factories.fresh(nowak).hours is None


def test_hours_that_a_merge_has_not_handed_on_are_undone_for_when_their_entry_is_back(stranger, nowak, link, clock):
    editor, other = factories.UserFactory(username="ewa"), factories.DepotFactory(name="Opał Nowak")
    path = save_and_read(stranger, link, mon="całą dobę", **{"price-pellet": "1700"})
    change = Decision.objects.get(kind="owner")
    merge = merge_depots(survivor=other, loser=factories.fresh(nowak), take=[], by=editor, on=clock.now.date())
    stranger.undo(path, change.pk)
    journal.undo(decision=merge, by=editor, on=clock.now)
    assert factories.fresh(nowak).hours is None


def test_a_change_of_a_removed_entry_cannot_be_undone_until_it_is_back(client, stranger, nowak, link, clock):
    editor, today = factories.UserFactory(username="ewa"), clock.now.date()
    path = save_and_read(stranger, link, mon="całą dobę")
    remove_depot(depot=nowak, reason="closed", by=editor, on=today)
    expect(client.get(path), "Wpis jest usunięty.", without=["Cofnij tę zmianę"])
    publish_depot(depot=nowak, by=editor, on=today, note="otwarty")
    expect(client.get(path), "Cofnij tę zmianę")
    merge_depots(survivor=factories.DepotFactory(), loser=factories.fresh(nowak), take=[], by=editor, on=today)
    expect(client.get(path), "Cofnij tę zmianę")


def test_hours_are_undone_though_another_price_has_added_a_fuel_since(stranger, nowak, link):
    save(stranger, link, mon="całą dobę", **{"price-pellet": "1700"})
    change = Decision.objects.get(kind="owner")
    reader = factories.DepotPriceFactory(depot=nowak, fuel="brykiet", price=1300, pending=True, from_reader=True)
    approve_prices(prices=[reader], by=factories.UserFactory(), on=timezone.now())
    stranger.undo(link_in(mail.outbox[-1], "cofnij"), change.pk)
    assert (factories.fresh(nowak).hours, nowak.fuels, nowak.fuels_priced) == (None, ["wegiel", "brykiet"], ["brykiet"])


def test_a_fuel_stays_that_a_price_of_a_later_day_states(stranger, nowak, link, clock):
    save(stranger, link, mon="całą dobę", **{"price-pellet": "1700"})
    clock.move(days=1)
    save(stranger, link, **{"price-pellet": "1750"})
    first = Decision.objects.filter(kind="owner").earliest("pk")
    journal.undo(decision=first, by=factories.UserFactory(), on=clock.now)
    assert (factories.fresh(nowak).hours, nowak.fuels, nowak.fuels_priced) == (None, ["wegiel", "pellet"], ["pellet"])


def test_a_letter_s_link_undoes_neither_others_changes_nor_old_ones(client, stranger, nowak, link, clock):
    path = save_and_read(stranger, link, mon="całą dobę")
    other = factories.DepotFactory(verified=True, data_status="owner")
    theirs = owner_links.grant_link(depot=other, email="ewa@opal.pl", on=clock.now)
    save(stranger, f"{OWNER}?odnosnik={owner_links.tokens.OWNER.token([theirs.pk, theirs.serial])}", mon="6-14")
    for decision in (Decision.objects.filter(kind="owner").latest("pk").pk, "x"):
        assert stranger.undo(path, decision).status_code == 410
    clock.move(days=14)
    assert (client.get(path).status_code, client.get(path + "x").status_code) == (410, 404)
    assert not Decision.objects.filter(kind="undo").exists()


def test_who_revoked_the_link_undoes_nothing_once_another_owns_the_entry(client, stranger, nowak, link, clock):
    path = save_and_read(stranger, link, mon="całą dobę")
    stranger.owner(link, odwolaj="1")
    expect(client.get(path), "Cofnij tę zmianę")
    claim = factories.SubmissionFactory(depot=nowak, claim=True, email="ewa@opal.pl")
    deciding.accept_submission(submission=claim, by=factories.UserFactory(), on=clock.now)
    assert stranger.undo(path, Decision.objects.get(kind="owner").pk).status_code == 410
    assert factories.fresh(nowak).hours["mon"] == "0:00-24:00"


def test_one_link_leads_to_all_entries_of_the_owner(client, stranger, priced, link, branch):
    expect(client.get(link), "Opał Nowak Wieliczka")
    second = f"{link}&sklad={branch.pk}"
    expect(client.get(second), "Brykiet 1 300 zł/t")
    stranger.owner(link, **stranger.type(second, sklad=branch.pk, mon="6-14"))
    assert factories.fresh(branch).hours["mon"] == "6:00-14:00"
    assert client.get(f"{link}&sklad={factories.DepotFactory().pk}").context["shown"] == priced


def test_prices_of_an_entry_that_is_gone_do_not_become_those_of_another(stranger, priced, link, branch, clock):
    second = f"{link}&sklad={branch.pk}"
    opened = stranger.type(second, **{"sklad": branch.pk, "price-pellet": "1500", "mon": "6-14"})
    remove_depot(depot=branch, reason="mistaken", by=factories.UserFactory(username="ewa"), on=clock.now.date())
    answer = stranger.owner(link, **opened)
    expect(answer, "Niczego nie zapisaliśmy", status=409)
    assert f'href="{link}">Wróć do swoich składów</a>' in answer.content.decode()
    assert not prices_of_today().exists()
    assert stranger.owner(link, sklad=branch.pk, odwolaj="1").status_code == 200


def test_prices_of_an_entry_merged_meanwhile_are_those_of_the_remaining_one(stranger, priced, link, branch, clock):
    opened = stranger.type(f"{link}&sklad={branch.pk}", **{"sklad": branch.pk, "price-pellet": "1500"})
    other = factories.DepotFactory(name="Opał Nowak Bochnia")
    merge_depots(survivor=other, loser=branch, take=[], by=factories.UserFactory(username="ewa"), on=clock.now.date())
    assert stranger.owner(link, **opened).status_code == 302
    assert prices_of_today().get().depot == other


def test_one_tap_confirms_the_prices_of_all_entries_in_one_letter(client, stranger, priced, link, branch):
    page = client.get(link)
    expect(page, "Potwierdź na dziś ceny wszystkich składów (2)", "Opał Nowak Wieliczka, Kraków")  # its municipality
    keys = keys_shown(page)
    assert len(keys) == 3
    tap(stranger, link, keys)
    assert prices_of_today().approved().count() == 3
    (letter,) = mail.outbox
    for line in ("Opał Nowak Wieliczka, Kraków, 21 listopada 2026", "Nowak, 30-001 Kraków, 21 listopada"):
        assert line in letter.body
    assert "Skład: Skład opału Nowak, 30-001 Kraków\n" in letter.body
    change = Decision.objects.get(kind="owner")
    assert " i jeszcze 1 – " in change.title
    stranger.undo(link_in(letter, "cofnij"), change.pk)
    assert not prices_of_today().approved().exists()
    DepotPrice.objects.filter(depot=branch).update(day=factories.NOW.date())  # one of today is not counted
    expect(client.get(link), "Ceny bez zmian, potwierdź na dziś", without=["wszystkich składów"])
    DepotPrice.objects.filter(depot=branch).delete()  # nor one without prices
    expect(client.get(link), "Ceny bez zmian, potwierdź na dziś", without=["wszystkich składów"])


def test_an_entry_whose_link_an_editor_revoked_is_left_out(client, stranger, priced, link, branch):
    owner_links.revoke_links([OwnerLink.objects.get(depot=branch)], on=timezone.now())
    expect(client.get(link), without=["Opał Nowak Wieliczka"])
    answer = tap(stranger, link, [DepotPrice.objects.get(depot=branch).pk])  # of a page that was open before
    expect(answer, "Ceny zmieniły się, odkąd otwarto tę stronę.", status=400)
    assert DepotPrice.objects.filter(depot=branch).count() == 1


@pytest.mark.parametrize("is_merged", [False, True])
def test_the_link_goes_on_for_the_other_entries_when_its_own_is_gone(stranger, priced, link, branch, clock, is_merged):
    editor = factories.UserFactory(username="ewa")
    if is_merged:
        merge_depots(survivor=branch, loser=priced, take=[], by=editor, on=clock.now.date())
    else:
        remove_depot(depot=priced, reason="owner", by=editor, on=clock.now.date())
    call_command("purge_submissions", commit=True)
    expect(stranger.client.get(link), "Opał Nowak Wieliczka", without=["Skład opału Nowak,"])
    assert save(stranger, link, **{"price-pellet": "1500"}).status_code == 302
    assert prices_of_today().get().depot == branch
    journal.undo(decision=Decision.objects.exclude(kind="owner").get(), by=editor, on=clock.now)
    expect(stranger.client.get(link), "Opał Nowak Wieliczka", "Skład opału Nowak,")
    remove_depot(depot=factories.fresh(branch), reason="closed", by=editor, on=clock.now.date())
    stranger.owner(link, odwolaj="1")
    assert set(OwnerLink.objects.values_list("email", flat=True)) == {""}
    assert stranger.client.get(link).status_code == 404


def test_further_entries_are_claimed_together_without_full_forms(client, stranger, nowak, link):
    Depot.objects.filter(pk=nowak.pk).update(nip="5260250274")
    at = {"street": "Długa", "house_number": "5", "place": "Skawina"}
    near = factories.DepotFactory(name="Opał Nowak", nip="5260250274", **at)
    far = factories.DepotFactory(name="Opał Nowak Zakopane")
    path = f"{BRANCHES}?odnosnik={token_of(link)}"
    expect(client.get(path), "Opał Nowak, Długa 5, Skawina", without=["czeka na decyzję"])
    typed = stranger.type(path) | {"odnosnik": token_of(link), "branches": [near.pk], "agreed": "1"}
    wrong = stranger.send(BRANCHES, typed | {"numbers": "skład Nowak"})
    assert "To nie jest adres strony składu ani numer: skład." in text_of(wrong)
    unknown = stranger.send(BRANCHES, typed | {"numbers": "#999999"})  # as previews and the desk write numbers
    (mistake,) = re.findall('id="pole-numbers_error">([^<]+)<', unknown.content.decode())
    assert mistake.endswith("numerze 999999.")
    assert not Submission.objects.filter(kind="claim", state="waiting").exists()
    own = stranger.send(BRANCHES, typed | {"branches": [], "numbers": str(nowak.pk)})
    assert "Te składy są już pod Twoim odnośnikiem." in text_of(own)
    none = stranger.send(BRANCHES, typed | {"branches": [], "numbers": " ,\n"})
    assert "Wskaż co najmniej jeden wpis." in text_of(none)
    numbers = f"http://127.0.0.1:8000/sklad/{far.pk}-opal-nowak-zakopane/; Nr. {nowak.pk};"
    assert "Wysłane do redakcji" in text_of(stranger.send(BRANCHES, typed | {"numbers": numbers}))
    claims = Submission.objects.filter(kind="claim", state="waiting")
    assert {row.depot_id for row in claims} == {near.pk, far.pk}
    assert {(row.email, row.claimant_nip) for row in claims} == {("jan@opal-nowak.pl", "5260250274")}
    assert all(f"wpisu nr {nowak.pk}" in row.message for row in claims)
    expect(client.get(path), "Opał Nowak, Długa 5, Skawina (czeka na decyzję redakcji)")
    for claim in claims:
        deciding.accept_submission(submission=claim, by=factories.UserFactory(), on=stranger.clock.now)
    expect(client.get(link), "Opał Nowak, Długa 5, Skawina")


def test_entries_with_the_same_tax_number_are_claimed_by_ticks_alone(client, stranger, nowak, link):
    path = f"{BRANCHES}?odnosnik={token_of(link)}"
    assert "(nieobowiązkowe)" not in text_of(client.get(path)).partition("To składy")[0]
    Depot.objects.filter(pk=nowak.pk).update(nip="5260250274")
    near = factories.DepotFactory(name="Opał Nowak", nip="5260250274")
    typed = stranger.type(path) | {"odnosnik": token_of(link), "branches": [near.pk], "agreed": "1", "numbers": ""}
    assert "Wysłane do redakcji" in text_of(stranger.send(BRANCHES, typed))


def test_further_entries_are_limited_as_all_claims(stranger, nowak, link, clock):
    depots = [factories.DepotFactory().pk for _ in range(11)]
    with pytest.raises(intake.limits.TooManyRequests):
        intake.claim_branches(link=OwnerLink.objects.get(), depots=depots, client="192.0.2.1", on=clock.now)
    assert not Submission.objects.filter(kind="claim", state="waiting").exists()


def test_the_page_shows_fuels_sold_first_and_folds_the_rest(client, priced, link):
    Depot.objects.filter(pk=priced.pk).update(fuels=["pellet"])
    page = client.get(link).content.decode()
    assert page.index('name="price-pellet"') < page.index("Inne paliwa") < page.index('name="price-brykiet"')
    assert page.index('class="fold compact"') < page.index('name="mon"')


def test_a_link_whose_entry_is_removed_meanwhile_changes_nothing(stranger, priced, link, clock):
    remove_depot(depot=priced, reason="closed", on=clock.now.date())
    assert tap(stranger, link, list(DepotPrice.objects.values_list("pk", flat=True))).status_code == 404
