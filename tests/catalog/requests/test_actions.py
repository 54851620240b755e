"""What happens to requests after their authors have confirmed them."""

import smtplib
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from catalog import requests
from catalog.actions import DepotChangedMeanwhile, DepotIsRemoved, edit_depot, opened_at, publish_depot
from catalog.models import Depot, DepotRequest
from catalog.requests.secrecy import hash_client, hash_mailbox
from tests import factories

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture
def editor():
    return factories.UserFactory()


@pytest.fixture
def letters(django_capture_on_commit_callbacks):
    """Run something with its letters sent; returns what it returned."""

    def run(act, **values):
        with django_capture_on_commit_callbacks(execute=True):
            return act(**values)

    return run


def correction(depot, **proposed):
    stored = {name: getattr(depot, name) for name in proposed}
    return factories.DepotRequestFactory(depot=depot, proposed=proposed, stored=stored)


@pytest.mark.parametrize(
    ("constraint", "values"),
    [
        ("depotrequest_decided_by_somebody_some_day", {"state": "accepted"}),
        ("depotrequest_decided_by_somebody_some_day", {"decided_at": NOW}),
        ("depotrequest_decided_by_somebody_some_day", {"state": "superseded"}),
        ("depotrequest_counts_once_confirmed", {"confirmed_at": None}),
        ("depotrequest_counts_once_confirmed", {"state": "unconfirmed"}),
        ("depotrequest_rejected_with_reason", {"reason": "bo tak"}),
        ("depotrequest_of_a_depot_or_a_new_one", {"kind": "add"}),
        ("depotrequest_of_a_depot_or_a_new_one", {"depot": None}),
        ("depotrequest_price_is_passed_on", {"kind": "price"}),
        ("depotrequest_price_is_passed_on", {"state": "passed_on", "decided_at": NOW}),
        ("depotrequest_erased_whole", {"email": ""}),
        ("depotrequest_erased_whole", {"state": "superseded", "decided_at": NOW, "erased_at": NOW}),
    ],
)
def test_a_request_cannot_be(constraint, values):
    with pytest.raises(IntegrityError, match=constraint):
        factories.DepotRequestFactory(**values)


def test_one_claim_of_an_author_about_an_entry_waits_and_any_number_of_corrections():
    first = factories.DepotRequestFactory(email="Jan@opal.pl", claim=True)
    factories.DepotRequestFactory(depot=first.depot, email="anna@opal.pl", claim=True)
    for _ in range(2):
        factories.DepotRequestFactory(depot=first.depot, email="jan@opal.pl", claim=True, unconfirmed=True)
        factories.DepotRequestFactory(depot=first.depot, email="jan@opal.pl")
    with pytest.raises(IntegrityError, match="depotrequest_one_waiting"):
        factories.DepotRequestFactory(depot=first.depot, email="jan@opal.pl", claim=True)


def test_of_a_correction_some_fields_are_accepted(editor, letters):
    depot = factories.DepotFactory(phone="+48 12 345 67 89", place="Kraków")
    request = correction(depot, phone="+48 601 234 567", place="Wieliczka")
    letters(requests.accept_request, request=request, groups=["phone"], by=editor, on=NOW)
    depot.refresh_from_db()
    assert (depot.phone, depot.place) == ("+48 601 234 567", "Kraków")
    assert (depot.data_status, depot.verified_at, depot.verified_by, depot.updated_at) == (
        "verified",
        TODAY,
        editor,
        TODAY,
    )
    assert depot.confirmed_fields == ["phone"]
    assert depot.history.first().history_user == editor
    request.refresh_from_db()
    assert (request.state, request.decided_by, request.accepted_fields) == ("accepted", editor, ["phone"])
    (letter,) = mail.outbox
    assert letter.to == [request.email]
    assert letter.subject == f"Składy opału: zgłoszenie nr {request.pk}, przyjęte"
    assert "Zmieniliśmy: Telefon." in letter.body
    assert "Nie zmieniliśmy: Miejscowość." in letter.body


def test_hours_that_go_are_stored_as_none(editor):
    depot = factories.DepotFactory(hours={"mon": "7:00-15:00"}, opening_hours="Mo 07:00-15:00")
    request = correction(depot, hours=None, opening_hours="")
    requests.accept_request(request=request, by=editor, on=NOW)
    assert Depot.objects.filter(hours__isnull=True).exists()
    depot.refresh_from_db()
    assert depot.hours is None


def test_of_a_correction_something_has_to_be_accepted(editor):
    request = factories.DepotRequestFactory()
    with pytest.raises(requests.NothingAccepted):
        requests.accept_request(request=request, groups=["name", "position"], by=editor, on=NOW)
    request.refresh_from_db()
    assert request.state == "waiting"


def test_a_rejection_says_why(editor, letters):
    request = factories.DepotRequestFactory()
    with pytest.raises(requests.ReasonMissing):
        requests.reject_request(request=request, reason=" ", by=editor, on=NOW)
    letters(requests.reject_request, request=request, reason="Numer\nnie odpowiada.", by=editor, on=NOW)
    assert "Powód: Numer nie odpowiada." in mail.outbox[0].body
    request.depot.refresh_from_db()
    assert (request.depot.phone, request.depot.data_status) == ("", "unverified")


def test_a_claim_makes_the_entry_the_owners(editor, letters):
    request = factories.DepotRequestFactory(claim=True)
    letters(requests.accept_request, request=request, by=editor, on=NOW)
    depot = request.depot
    depot.refresh_from_db()
    assert (depot.data_status, depot.verified_at, depot.verified_by) == ("owner", TODAY, editor)
    assert set(depot.confirmed_fields) == set(Depot.PUBLIC_FIELDS)
    assert "potwierdzone przez właściciela" in mail.outbox[0].body


def test_a_deletion_closes_what_else_was_asked_and_tells(editor, letters):
    request = factories.DepotRequestFactory(delete=True)
    other = factories.DepotRequestFactory(depot=request.depot)
    silent = factories.DepotRequestFactory(depot=request.depot, unconfirmed=True)
    letters(requests.accept_request, request=request, by=editor, on=NOW)
    request.depot.refresh_from_db()
    assert (request.depot.publication, request.depot.removal_reason) == ("removed", "owner")
    states = dict(DepotRequest.objects.values_list("pk", "state"))
    assert states == {request.pk: "accepted", other.pk: "superseded", silent.pk: "superseded"}
    assert [letter.to[0] for letter in mail.outbox] == [request.email, other.email]
    assert "jest już nieaktualne" in mail.outbox[1].body
    publish_depot(depot=request.depot, on=TODAY, by=editor, note="na prośbę właściciela")  # an editor can restore it
    request.depot.refresh_from_db()
    assert request.depot.publication == "published"


def test_a_request_about_a_removed_entry_can_only_be_rejected(editor):
    request = factories.DepotRequestFactory(depot=factories.DepotFactory(removed=True))
    with pytest.raises(DepotIsRemoved):
        requests.accept_request(request=request, by=editor, on=NOW)
    requests.reject_request(request=request, reason="Wpisu już nie ma.", by=editor, on=NOW)


def test_nothing_is_decided_twice(editor):
    request = factories.DepotRequestFactory()
    requests.accept_request(request=request, by=editor, on=NOW)
    with pytest.raises(requests.RequestAlreadyDecided):
        requests.accept_request(request=request, opened=1, by=editor, on=NOW)
    with pytest.raises(requests.RequestAlreadyDecided):
        requests.reject_request(request=request, reason="x", by=editor, on=NOW)


def test_an_entry_that_changed_while_the_page_was_open_is_looked_at_again(editor):
    request = factories.DepotRequestFactory()
    opened = opened_at(request.depot)
    edit_depot(depot=request.depot, values={"phone": "+48 12 345 67 89"}, by=editor, on=TODAY)
    with pytest.raises(DepotChangedMeanwhile):
        requests.accept_request(request=request, opened=opened, by=editor, on=NOW)
    request.refresh_from_db()
    assert request.state == "waiting"


def test_a_missing_depot_needs_a_municipality(editor):
    values = {"name": "Opał", "place": "Kraków", "lat": 50.06, "lon": 19.94, "fuels": []}
    request = factories.DepotRequestFactory(kind="add", depot=None, proposed=values, stored={})
    with pytest.raises(requests.PlaceUnknown):
        requests.accept_request(request=request, by=editor, on=NOW)
    assert not Depot.objects.exists()


def waiting_requests(count):
    """Corrections of as many depots, written at once."""
    krakow = factories.krakow()
    depots = Depot.objects.bulk_create(factories.DepotFactory.build_batch(count, municipality=krakow))
    return DepotRequest.objects.bulk_create(factories.DepotRequestFactory.build(depot=depot) for depot in depots)


@pytest.mark.parametrize("count", [2, 200])
def test_a_full_queue_is_accepted_in_as_many_statements_as_two(
    editor, count, django_assert_max_num_queries, django_capture_on_commit_callbacks
):
    rows = waiting_requests(count)
    gone = factories.DepotRequestFactory(depot=factories.DepotFactory(removed=True))
    numbers = [row.pk for row in [*rows, gone]]
    # savepoint 2; depots, requests; changed requests, depots, their history; version, data set 1
    with django_assert_max_num_queries(12):
        decided = requests.accept_requests(requests=numbers, by=editor, on=NOW)
    assert len(decided.changed) == count
    assert decided.unchanged == [(gone, "wpis jest usunięty; zgłoszenie można tylko odrzucić")]
    assert Depot.objects.filter(data_status="verified", phone="+48 601 234 567").count() == count
    assert Depot.history.filter(history_user=editor).count() == count


def test_a_full_queue_is_rejected_at_once_and_everybody_is_told(editor, letters, django_assert_max_num_queries):
    rows = waiting_requests(200)
    with django_assert_max_num_queries(8):
        decided = letters(
            requests.reject_requests, requests=[row.pk for row in rows], reason="Spam.", by=editor, on=NOW
        )
    assert (len(decided.changed), len(mail.outbox), decided.unsent) == (200, 200, [])


def test_two_requests_about_one_entry_add_up(editor):
    depot = factories.DepotFactory()
    both = [correction(depot, phone="+48 601 234 567"), correction(depot, place="Wieliczka")]
    requests.accept_requests(requests=[row.pk for row in both], by=editor, on=NOW)
    depot.refresh_from_db()
    assert (depot.phone, depot.place) == ("+48 601 234 567", "Wieliczka")
    assert set(depot.confirmed_fields) == {"phone", "place"}


class HalfBroken(EmailBackend):
    """Refuses every second letter, as a server refuses an address."""

    def send_messages(self, messages):
        if messages[0].to[0].startswith("nobody"):
            raise smtplib.SMTPRecipientsRefused({})
        return super().send_messages(messages)


class Down(EmailBackend):
    """A mail server that is not there."""

    def send_messages(self, messages):
        raise ConnectionRefusedError


def test_a_letter_that_cannot_be_sent_undoes_nothing_and_is_named(editor, letters, settings, caplog):
    settings.EMAIL_BACKEND = f"{__name__}.HalfBroken"
    lost, kept = factories.DepotRequestFactory(email="nobody@opal.pl"), factories.DepotRequestFactory()
    decided = letters(requests.accept_requests, requests=[lost.pk, kept.pk], by=editor, on=NOW)
    assert (len(decided.changed), decided.unsent) == (2, [lost.pk])
    assert [letter.to[0] for letter in mail.outbox] == [kept.email]
    assert f"letter of request {lost.pk} not sent: SMTPRecipientsRefused" in caplog.text
    assert "nobody" not in caplog.text
    assert list(DepotRequest.objects.untold()) == [lost]


def test_every_kind_of_letter_is_sent_again_and_once(editor, letters, settings):
    settings.EMAIL_BACKEND = f"{__name__}.Down"
    depot = factories.DepotFactory()
    accepted = factories.DepotRequestFactory(depot=depot, delete=True)
    superseded = correction(depot, phone="+48 601 234 567")
    unconfirmed = factories.DepotRequestFactory(depot=depot, unconfirmed=True)
    rejected = factories.DepotRequestFactory()
    letters(requests.accept_request, request=accepted, by=editor, on=NOW)
    letters(requests.reject_request, request=rejected, reason="Nie ten skład.", by=editor, on=NOW)
    owed = (accepted.pk, superseded.pk, rejected.pk)
    assert requests.resend_letters() == requests.Told((), owed)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert requests.resend_letters(requests=[rejected.pk, unconfirmed.pk]) == requests.Told((rejected.pk,), ())
    assert requests.resend_letters() == requests.Told((accepted.pk, superseded.pk), ())
    assert requests.resend_letters() == requests.Told((), ())
    said = [letter.body for letter in mail.outbox]
    assert "Powód: Nie ten skład." in said[0]
    assert "został usunięty z katalogu i z API" in said[1]
    assert "jest już nieaktualne" in said[2]


def test_a_letter_that_is_owed_keeps_no_address_longer(editor, letters, settings):
    settings.EMAIL_BACKEND = f"{__name__}.Down"
    request = factories.DepotRequestFactory()
    letters(requests.reject_request, request=request, reason="Nie.", by=editor, on=NOW)
    assert requests.purge_requests(on=NOW + timedelta(days=90)).erased == 1
    request.refresh_from_db()
    assert (request.email, request.letter_owed) == ("", False)
    assert requests.resend_letters() == requests.Told((), ())


def test_the_command_sends_again_and_fails_while_it_cannot(capsys, settings):
    lost = factories.DepotRequestFactory(decided=True, letter_owed=True)
    call_command("resend_letters")
    assert capsys.readouterr().out == "1 letters wait; add --commit to send them\n"
    settings.EMAIL_BACKEND = f"{__name__}.Down"
    with pytest.raises(CommandError, match=f"not sent: those of requests {lost.pk}; the log says why"):
        call_command("resend_letters", commit=True)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    call_command("resend_letters", commit=True)
    assert capsys.readouterr().out == "0 letters sent\n1 letters sent\n"
    assert not DepotRequest.objects.untold().exists()


def test_personal_data_go_ninety_days_after_the_decision(editor):
    accepted, rejected, waiting = (factories.DepotRequestFactory(message="Jan Nowak", client_hash="x") for _ in "abc")
    requests.accept_request(request=accepted, by=editor, on=NOW)
    requests.reject_request(request=rejected, reason="Nie.", by=editor, on=NOW)
    requests.purge_requests(on=NOW + timedelta(days=90, seconds=-1))
    accepted.refresh_from_db()
    assert accepted.email  # kept so far
    assert accepted.client_hash == ""  # needed for a day only
    assert requests.purge_requests(on=NOW + timedelta(days=90)).erased == 2
    for row in (accepted, rejected):
        row.refresh_from_db()
        assert (row.email, row.email_hash, row.message, row.claimant_nip, row.token_hash) == ("", "", "", "", "")
        assert row.erased_at is not None
    assert accepted.proposed == {"phone": "+48 601 234 567"}  # public by now
    assert rejected.proposed == rejected.stored == {}
    waiting.refresh_from_db()
    assert waiting.email
    assert requests.purge_requests(on=NOW + timedelta(days=90)) == requests.Purged(0, 0, 0)


def test_unconfirmed_requests_go_with_their_link():
    request = factories.DepotRequestFactory(unconfirmed=True, created_at=NOW, mailed_at=NOW + timedelta(hours=1))
    assert requests.purge_requests(on=NOW + timedelta(hours=48)).deleted == 0
    assert requests.purge_requests(on=NOW + timedelta(hours=49)).deleted == 1
    assert not DepotRequest.objects.filter(pk=request.pk).exists()


def test_the_author_of_a_price_goes_the_day_after():
    request = factories.DepotRequestFactory(
        kind="price", state="passed_on", decided_at=NOW, confirmed_at=NOW, created_at=NOW, proposed={"fuel": "pellet"}
    )
    assert requests.purge_requests(on=NOW + timedelta(hours=23)).erased == 0
    assert requests.purge_requests(on=NOW + timedelta(hours=24)).erased == 1
    request.refresh_from_db()
    assert (request.email, request.proposed) == ("", {})


def test_a_caller_without_an_address_is_one_of_those_without():
    """Behind a socket there is no address; they share one limit, and not with anybody who has one."""
    assert hash_client("") == hash_client("") != hash_client("192.0.2.7")
    assert hash_client("2001:db8::1") == hash_client("2001:db8:0:ff::1") != hash_client("2001:db8:0:100::1")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("jan@opal.pl", "Jan+1@OPAL.pl", True),
        ("jan.nowak@opal.pl", "jannowak+a+b@opal.pl", True),
        ("j.an@gmail.com", "jan@googlemail.com", True),
        ("jan@opal.pl", "anna@opal.pl", False),
        ("jan@opal.pl", "jan@biuro.opal.pl", False),
        ("jan@op.al.pl", "jan@opal.pl", False),
        ("+jan@opal.pl", "+anna@opal.pl", False),
    ],
)
def test_addresses_of_one_mailbox_are_counted_as_one(one, other, same):
    assert (hash_mailbox(one) == hash_mailbox(other)) is same
    assert "@" not in hash_mailbox(one)


def test_hashes_of_mailboxes_go_a_day_after_the_last_link():
    late, values = NOW + timedelta(hours=20), {"mailbox_hash": "x", "created_at": NOW}
    old = factories.DepotRequestFactory(mailed_at=NOW, links_at=[NOW], **values)
    resent = factories.DepotRequestFactory(unconfirmed=True, mailed_at=late, links_at=[NOW, late], **values)
    requests.purge_requests(on=NOW + timedelta(hours=24))
    for row, kept in ((old, ("", [])), (resent, ("x", [NOW, late]))):
        row.refresh_from_db()
        assert (row.mailbox_hash, row.links_at) == kept
    requests.purge_requests(on=late + timedelta(hours=24))
    resent.refresh_from_db()
    assert (resent.mailbox_hash, resent.links_at) == ("", [])
