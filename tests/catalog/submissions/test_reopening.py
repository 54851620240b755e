"""A decision on submissions is undone: values, submissions, owners' links, and what authors are told."""

from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse

from catalog.models import Decision, Depot, OwnerLink, PendingLetter, Submission
from catalog.services import Refusal, editing, journal, merging, moderation
from catalog.submissions import decisions, field_groups, intake, owner_links, retention, tokens
from catalog.submissions import letters as sending
from prices import services
from prices.models import DepotPrice
from tests import deciding, factories
from tests.client import message_of
from tests.deciding import last, undo_at_the_desk, undo_nothing
from tests.factories import NOW, TODAY
from tests.mail import outcomes, words_of
from tests.pages.reading import missing, text_of
from tests.prices.admin.test_visits import decide, visit  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db

FUELS = ("pellet", "wegiel")


@pytest.fixture
def sent(commit):
    """Run something with its letters, and return the ends of their subjects."""

    def run(act):
        mail.outbox.clear()
        commit(act)
        return outcomes()

    return run


def accept(submission, editor, on=NOW):
    return lambda: deciding.accept_submission(submission=submission, by=editor, on=on)


def reject(submission, editor, on=NOW):
    return lambda: deciding.reject_submission(submission=submission, reason="Nie.", by=editor, on=on)


def owned():
    depot = factories.DepotFactory(verified=True, data_status="owner")
    return depot, owner_links.grant_link(depot=depot, email="jan@opal.example", on=NOW - timedelta(days=9))


def claim_of(depot, **values):
    """A claim, announced to the former owner four days ago."""
    return factories.SubmissionFactory(depot=depot, claim=True, owner_told_at=NOW - timedelta(days=4), **values)


def values_of(depot):
    return Depot.objects.values().get(pk=depot.pk)


def undo(decision, by, on=NOW + timedelta(hours=1), **options):
    """Undo a decision, which leaves what the page of the decision has named."""
    named = journal.find_changed_since(decision)
    undone = journal.undo(decision=decision, by=by, on=on, **options)
    assert {*undone.left} == {*named}
    return undone


def test_an_accepted_correction_waits_again_and_its_author_is_told(client, editor, sent):
    depot = factories.DepotFactory(name="Skład Zieliński")
    before, row = values_of(depot), factories.SubmissionFactory(depot=depot)
    assert "można ją tam cofnąć" not in text_of(client.get(deciding.page(row)))
    assert sent(accept(row, editor)) == ["zmiany przyjęte"]
    decision = last()
    # The pages of the submission and of its entry lead to the decision.
    page = client.get(deciding.page(row)).content.decode()
    assert not missing(page, deciding.page(decision), "można ją tam cofnąć")
    entry = client.get(deciding.page(depot)).content.decode()
    assert f"{reverse('admin:catalog_decision_changelist')}?q=%23{depot.pk}" in entry
    assert decision.title == f"Przyjęto nr {row.pk}: Skład Zieliński – telefon"
    assert decision.waiting_since == row.confirmed_at
    assert sent(lambda: undo(decision, editor)) == ["decyzja cofnięta"]
    assert f"nr {row.pk} (poprawka danych)" in mail.outbox[0].body
    assert values_of(depot) == before
    row.refresh_from_db()
    assert (row.state, row.decided_at, row.decided_by, row.accepted_fields) == ("waiting", None, None, [])
    assert sent(reject(row, editor)) == ["zgłoszenie odrzucone"]
    with pytest.raises(journal.DecisionAlreadyUndone):
        undo(decision, editor)
    with pytest.raises(Refusal, match="cofnięcia nie można cofnąć"):
        undo(Decision.objects.get(kind="undo"), editor)


def test_a_letter_that_has_not_left_is_not_sent_and_none_follows(editor, sent):
    row = factories.SubmissionFactory()
    reject(row, editor)()
    assert undo(last(), editor).letters == set()
    assert sent(sending.send_waiting) == []
    row.refresh_from_db()
    assert (row.state, row.reason, row.notification_pending, row.reopening_pending) == ("waiting", "", False, False)
    # One that is decided again before the letter leaves does not wait any more.
    sent(reject(row, editor))
    undo(last(), editor)
    reject(factories.fresh(row), editor, NOW + timedelta(hours=2))()
    assert sent(sending.send_waiting) == ["decyzja cofnięta", "zgłoszenie odrzucone"]
    assert "znów czeka" not in words_of(mail.outbox[0])


def test_an_undone_decision_that_was_told_is_told_though_the_next_is_undone_before_the_letter(editor, sent):
    row = factories.SubmissionFactory()
    sent(accept(row, editor))
    undo(last(), editor)
    reject(factories.fresh(row), editor, NOW + timedelta(hours=2))()
    undo(last(), editor, NOW + timedelta(hours=3))
    assert sent(sending.send_waiting) == ["decyzja cofnięta"]


def test_prices_decided_one_by_one_wait_again_whichever_decision_is_undone(editor, sent):
    row = factories.SubmissionFactory(passed_on=True)
    prices = [factories.DepotPriceFactory(depot=row.depot, fuel=fuel, submission=row, pending=True) for fuel in FUELS]
    for price in prices:
        price.save()
        sent(lambda price=price: services.approve_prices(prices=[price], by=editor, on=NOW))
    assert factories.fresh(row).answered_at == NOW
    assert sent(lambda: undo(Decision.objects.earliest("pk"), editor)) == ["decyzja cofnięta"]
    assert factories.fresh(row).answered_at is None


@pytest.mark.parametrize(("decided", "told", "letters"), [(2, 1, 0), (3, 2, 0), (2, 0, 1), (3, 1, 1)])
def test_a_decision_on_a_price_that_is_undone_before_its_letter_is_not_told(editor, sent, decided, told, letters):
    row = factories.SubmissionFactory(passed_on=True)
    price = factories.DepotPriceFactory(depot=row.depot, submission=row, pending=True)
    price.save()
    for number in range(decided):
        if number % 2:
            services.reject_prices(prices=[price], reason="Nie.", by=editor, on=NOW)
        else:
            services.approve_prices(prices=[price], by=editor, on=NOW)
        assert number >= told or len(sent(sending.send_waiting)) == 1
    assert (len(undo(last(), editor).letters), len(sent(sending.send_waiting))) == (letters, letters)
    assert (f"nr {row.pk}" in mail.outbox[0].body) if letters else not mail.outbox


def test_corrections_of_one_author_wait_again_together_and_one_of_two_claims(editor):
    author = {"depot": factories.DepotFactory(), "email": "jan@opal.pl"}
    rows = factories.SubmissionFactory.create_batch(2, **author)
    claim = factories.SubmissionFactory(claim=True, **author)
    decisions.decide_possible(submissions=[row.pk for row in (*rows, claim)], rejection="Nie.", by=editor, on=NOW)
    again = [factories.SubmissionFactory(claim=is_claim, **author) for is_claim in (True, False)]
    undone = undo(last(), editor)
    assert (undone.reopened, undone.left, set(Submission.objects.waiting())) == (2, [claim], {*rows, *again})


def test_a_deletion_is_undone_with_a_reason_and_brings_back_what_it_closed(client, editor, sent, monkeypatch):
    monkeypatch.setattr(retention, "KEPT", timedelta(days=91))
    deletion = factories.SubmissionFactory(delete=True)
    depot = deletion.depot
    waiting = factories.SubmissionFactory(depot=depot)
    silent = factories.SubmissionFactory(depot=depot, unconfirmed=True)
    assert sent(accept(deletion, editor)) == ["wpis usunięty", "zgłoszenie nieaktualne"]
    assert "przez 91 dni" in mail.outbox[0].body  # it can be taken back
    decision = last()
    assert 'name="note"' in client.get(deciding.page(decision)).content.decode()
    assert journal.find_changed_since(last()) == []
    assert "Podaj powód przywrócenia." in message_of(undo_at_the_desk(client, decision, note=" "))
    assert factories.fresh(depot).publication == "removed"
    said = message_of(undo_at_the_desk(client, decision, note="Właściciel się rozmyślił."))
    assert not missing(said, "Cofnięto.", "Składy opału: 1.", "znów czekają: 2.", "Listy o cofnięciu: 2.")
    assert (factories.fresh(depot).publication, depot.removal_reason) == ("published", "")
    assert last().reason == "Właściciel się rozmyślił."
    states = dict(Submission.objects.values_list("pk", "state"))
    assert states == {deletion.pk: "waiting", waiting.pk: "waiting", silent.pk: "superseded"}


@pytest.mark.parametrize("hours", [1, 47])
def test_a_link_that_a_removal_ended_works_again_until_it_expires(editor, sent, hours):
    row = factories.SubmissionFactory(unconfirmed=True, created_at=NOW, mailed_at=NOW)
    token, row.token_hash = tokens.new_token(row.pk, NOW)
    row.save()
    moderation.remove_depot(depot=row.depot, reason="closed", by=editor, on=TODAY)
    later = NOW + timedelta(hours=hours)
    assert sent(lambda: undo(last(), editor, later)) == []
    assert intake.confirm_submission(token=token, on=later).state == "waiting"
    moderation.remove_depot(depot=row.depot, reason="closed", by=editor, on=TODAY)
    Submission.objects.update(state="superseded", confirmed_at=None)
    undo(last(), editor, NOW + timedelta(hours=48))
    assert factories.fresh(row).state == "superseded"


@pytest.mark.parametrize("decided", [accept, reject])
def test_a_way_back_waits_again_and_its_entry_is_removed(editor, sent, decided):
    depot = factories.DepotFactory(removed=True)
    row = factories.SubmissionFactory(depot=depot, kind="restore")
    sent(decided(row, editor))
    assert sent(lambda: undo(last(), editor)) == ["decyzja cofnięta"]
    assert (factories.fresh(row).state, factories.fresh(depot).publication) == ("waiting", "removed")


def test_a_missing_depot_that_was_accepted_is_removed_and_waits_again(editor, sent):
    factories.BoundaryFactory()
    depot = factories.DepotFactory.build(name="Nowy Skład", postcode="30-001", fuels=["pellet"])
    row = factories.SubmissionFactory(add=True, proposed=field_groups.values_of(depot) | {"municipality": "1261011"})
    sent(accept(row, editor))
    added = Depot.objects.get()
    assert last().title == f"Przyjęto nr {row.pk}: Nowy Skład – brakujący skład"
    addition, absorbed = last(), factories.DepotFactory()
    merging.merge_depots(survivor=added, loser=absorbed, take=[], by=editor, on=TODAY)
    undo_nothing(addition, editor, added, row)
    undo(last(), editor)
    undo(addition, editor)
    assert (factories.fresh(added).publication, added.removal_reason) == ("removed", "mistaken")
    assert (factories.fresh(row).state, row.depot) == ("waiting", None)
    sent(accept(row, editor))
    assert Depot.objects.published().exclude(pk=absorbed.pk).count() == 1


def test_an_undone_claim_ends_its_link_and_brings_the_former_owner_s_back(editor, sent):
    depot, former = owned()
    claim = claim_of(depot, email="ewa@opal.example")
    assert sorted(sent(accept(claim, editor))) == ["Twój odnośnik przestał działać", "wpis jest Twój"]
    assert [link.email for link in OwnerLink.objects.working()] == ["ewa@opal.example"]
    assert sorted(sent(lambda: undo(last(), editor))) == ["Twój odnośnik znów działa", "decyzja cofnięta"]
    assert "Odnośnik z poprzedniej wiadomości już nie działa." in "".join(map(words_of, mail.outbox))
    assert [link.pk for link in OwnerLink.objects.working()] == [factories.fresh(former).pk]
    assert OwnerLink.objects.exclude(pk=former.pk).get().email == ""
    assert not PendingLetter.objects.exists()
    assert factories.fresh(claim).state == "waiting"
    sent(reject(factories.SubmissionFactory(claim=True), editor))  # which sends no link that could end
    assert sent(lambda: undo(last(), editor)) == ["decyzja cofnięta"]
    assert "dnośnik z poprzedniej wiadomości" not in words_of(mail.outbox[0])


def test_a_former_owner_s_link_that_was_revoked_meanwhile_does_not_come_back(editor, sent):
    depot, former = owned()
    sent(accept(claim_of(depot), editor))
    owner_links.revoke_links([factories.fresh(former)], on=NOW)
    assert (sent(lambda: undo(last(), editor)), factories.fresh(former).replaced_at) == (["decyzja cofnięta"], NOW)


@pytest.mark.parametrize("days", [0, 1])
def test_a_link_that_another_claim_replaced_since_comes_back_with_that_one_undone(editor, days):
    depot, former = owned()
    emails = former.email, "ela@opal.example", "ewa@opal.example"
    for number, email in enumerate(emails[1:]):
        accept(claim_of(depot, email=email), editor, NOW + timedelta(days=days * number, minutes=number))()
    first, second = Decision.objects.order_by("pk")
    undo_nothing(first, editor, depot, Submission.objects.earliest("pk"))
    assert [link.email for link in OwnerLink.objects.working()] == [emails[2]]
    undo(second, editor, NOW + timedelta(days=2))
    assert [link.email for link in OwnerLink.objects.working()] == [emails[1]]
    undone = undo(first, editor, NOW + timedelta(days=2))
    assert (undone.reopened, undone.changed[OwnerLink]) == (1, 2)
    assert [link.email for link in OwnerLink.objects.working()] == [emails[0]]


def test_of_three_claims_on_one_day_only_the_last_is_undone(editor):
    depot, _ = owned()
    for number, email in enumerate(("ela@opal.example", "ewa@opal.example", "ola@opal.example")):
        accept(claim_of(depot, email=email), editor, NOW + timedelta(minutes=number))()
    first, second, third = Decision.objects.order_by("pk")
    for decision in (first, second):
        undo_nothing(decision, editor, depot, Submission.objects.get(decided_at=decision.decided_at))
    undo(third, editor)
    assert [link.email for link in OwnerLink.objects.working()] == ["ewa@opal.example"]


def test_an_owner_who_has_claimed_the_entry_back_has_the_link_again_once_both_claims_are_undone(editor):
    depot, former = owned()
    for minutes, email in enumerate(("ewa@opal.example", former.email)):
        accept(claim_of(depot, email=email), editor, NOW + timedelta(minutes=minutes))()
    for decision, email in zip(Decision.objects.order_by("-pk"), ("ewa@opal.example", former.email), strict=True):
        undo(decision, editor)
        assert [link.email for link in OwnerLink.objects.working()] == [email]


@pytest.mark.parametrize("change", ["edited", "verified", "merged"])
def test_a_submission_whose_entry_was_changed_since_stays_accepted_a_claim_with_its_link(editor, sent, change):
    depot, other = factories.DepotFactory(), factories.DepotFactory()
    row = factories.SubmissionFactory(depot=depot) if change == "edited" else claim_of(depot)
    sent(accept(row, editor))
    decision = last()
    if change == "edited":
        editing.edit_depot(depot=depot, values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY)
    elif change == "merged":
        merging.merge_depots(survivor=other, loser=depot, take=(), by=editor, on=TODAY)
    else:
        moderation.verify_depot(depot=depot, by=editor, on=TODAY + timedelta(days=1))
    undo_nothing(decision, editor, depot, row)
    assert [link.email for link in OwnerLink.objects.working()] == [row.email] * (change != "edited")
    assert (factories.fresh(row).state, factories.fresh(decision).undone_at) == ("accepted", None)


def test_a_claim_stays_with_its_link_wherever_merges_have_left_that(editor):
    depot, second, third = factories.DepotFactory(), factories.DepotFactory(), owned()[0]
    claim = claim_of(depot, email="jan@opal.example")
    accept(claim, editor)()
    decision = last()
    merging.merge_depots(survivor=second, loser=depot, take=(), by=editor, on=TODAY)
    merging.merge_depots(survivor=third, loser=second, take=(), by=editor, on=TODAY)
    link = OwnerLink.objects.get(depot=second)  # its owner has one of the last
    undo_nothing(decision, editor, factories.fresh(depot), factories.fresh(claim))
    assert factories.fresh(link).revoked_at is None


def test_a_claim_of_an_entry_removed_since_is_undone_once_the_entry_is_back(client, editor, sent):
    claim = claim_of(factories.DepotFactory())
    depot, before = claim.depot, values_of(claim.depot)
    sent(accept(claim, editor))
    decision = last()
    moderation.remove_depot(depot=depot, reason="closed", by=editor, on=TODAY)
    removal = last()
    assert message_of(undo_at_the_desk(client, decision)) == "Wpis jest usunięty; najpierw go przywróć."
    assert (factories.fresh(depot).data_status, factories.fresh(claim).state) == ("owner", "accepted")
    undo(removal, editor)
    assert sent(lambda: undo(decision, editor)) == ["decyzja cofnięta"]
    assert (values_of(depot), factories.fresh(claim).state) == (before, "waiting")
    assert not OwnerLink.objects.working().exists()


def test_an_owner_whose_second_claim_is_undone_keeps_the_link(editor, sent):
    depot, link = owned()
    claim = claim_of(depot, email=link.email)
    sent(accept(claim, editor))
    assert sent(lambda: undo(last(), editor)) == ["decyzja cofnięta"]
    assert "dnośnik z poprzedniej wiadomości" not in words_of(mail.outbox[0])
    assert (list(OwnerLink.objects.working()), factories.fresh(claim).state) == ([link], "waiting")


def test_a_former_owner_s_address_is_erased_after_two_weeks():
    _, former = owned()
    OwnerLink.objects.update(replaced_at=NOW)
    assert [owner_links.forget_unused(on=NOW + timedelta(days=days)) for days in (13, 14)] == [0, 1]
    assert (factories.fresh(former).email, former.email_hash) == ("", "")


def test_what_is_about_a_depot_removed_since_or_of_erased_authors_or_was_sent_anew_stays_closed(editor):
    depot = factories.DepotFactory()
    claims = [factories.SubmissionFactory(depot=depot, claim=True, email=f"{name}@opal.example") for name in "ab"]
    rows = [*claims, factories.SubmissionFactory()]
    decisions.decide_possible(submissions=[row.pk for row in rows], rejection="Nie.", by=editor, on=NOW)
    assert last().title.startswith(f"Odrzucono zgłoszenia nr {rows[0].pk}, {rows[1].pk}, {rows[2].pk}: ")
    removed = {"publication": "removed", "removal_reason": "closed", "removed_at": TODAY}
    Depot.objects.filter(pk=rows[2].depot_id).update(**removed)
    erased = {"email": "", "email_hash": "", "mailbox_hash": "", "client_hash": "", "message": ""}
    erased |= {"claimant_nip": "", "claimant_phone": "", "erased_at": NOW}
    Submission.objects.filter(pk=claims[0].pk).update(**erased)
    factories.SubmissionFactory(depot=depot, claim=True, email=claims[1].email, email_hash=claims[1].email_hash)
    undo_nothing(last(), editor, *rows)
    assert ({factories.fresh(row).state for row in rows}, last().undone_at) == ({"rejected"}, None)


def test_a_visit_is_undone_as_it_was_decided(client, editor, visit, decide, sent):  # noqa: F811 - fixtures
    before = values_of(visit[0].depot)
    said = message_of(decide(visit[0], reason="Cena jest za inną ilość."))
    assert not missing(said, "Zdecydowano: 3. Przyjęto", "Cofnij i otwórz ponownie")
    decision = Decision.objects.get()
    page = text_of(client.get(deciding.page(decision)))
    assert not missing(page, "Zgłoszenie znów będzie czekać na decyzję", "telefon: – → +48 601 234 567")
    said = []
    assert sent(lambda: said.append(message_of(undo_at_the_desk(client, decision)))) == ["decyzja cofnięta"]
    assert not missing(said[0], "Ceny w składach: 2. Odnośniki właścicieli: 1. Zgłoszenia, które znów czekają: 3.")
    assert not missing(mail.outbox[0].body, *(f"o zgłoszeniu nr {row.pk} (" for row in visit))
    assert " ".join(mail.outbox[0].body.split()).count("Odnośnik z poprzedniej wiadomości już nie działa.") == 1
    assert not Submission.objects.filter(reopening_pending=True).exists()
    assert values_of(visit[0].depot) == before
    rows = Submission.objects.order_by("pk").values_list("state", "answered_at")
    assert list(rows) == [("waiting", None), ("waiting", None), ("passed_on", None)]
    assert set(DepotPrice.objects.values_list("status", flat=True)) == {"pending"}
    assert not OwnerLink.objects.working().exists()


def test_many_are_reopened_in_as_many_statements_as_two(editor, django_assert_max_num_queries):
    rows = [factories.SubmissionFactory(depot=factories.DepotFactory(lat=50 + number / 1000)) for number in range(22)]
    with django_assert_max_num_queries(16):
        decided = decisions.decide_possible(submissions=[row.pk for row in rows], by=editor, on=NOW)
    assert decided.decision.title.endswith(", …: Skład opału Nowak i jeszcze 21")  # entries, not their one name
    with django_assert_max_num_queries(28):
        assert journal.undo(decision=decided.decision, by=editor, on=NOW).reopened == len(rows)
    assert not Depot.objects.exclude(phone="").exists()
