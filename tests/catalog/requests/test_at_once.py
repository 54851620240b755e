"""Strangers and editors at the same moment, each with a connection of their own."""

import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import connection, transaction

from catalog import actions, requests
from catalog.models import Depot, DepotRequest
from catalog.requests import Author, limits, secrecy
from tests import factories
from tests.catalog.editors.test_at_once import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
AUTHOR = Author(email="jan@opal.pl", client="192.0.2.7")


def submit_correction(depot):
    requests.submit_request(
        kind=DepotRequest.Kind.CORRECT, depot=depot, proposed={"place": "Kraków"}, author=AUTHOR, on=NOW
    )


def test_of_two_editors_one_decides():
    one, other = factories.UserFactory(username="ewa"), factories.UserFactory(username="adam")
    request = factories.DepotRequestFactory()

    def accept():
        requests.accept_request(request=request, by=one, on=NOW)
        return "accepted"

    def reject():
        requests.reject_request(request=request, reason="Nie.", by=other, on=NOW)
        return "rejected"

    outcomes = at_once(accept, reject)
    request.refresh_from_db()
    assert set(outcomes) == {request.state, "RequestAlreadyDecided"}
    assert Depot.objects.get().phone == ("+48 601 234 567" if request.state == "accepted" else "")


def test_a_deletion_and_a_correction_of_one_entry_at_once_leave_no_deadlock():
    editor, depot = factories.UserFactory(), factories.DepotFactory()
    delete = factories.DepotRequestFactory(depot=depot, delete=True)
    correct = factories.DepotRequestFactory(depot=depot)

    def accept(request):
        return lambda: len(requests.accept_request(request=request, by=editor, on=NOW).changed)

    outcomes = at_once(accept(correct), accept(delete))
    depot.refresh_from_db()
    assert depot.publication == "removed"
    assert outcomes in ([1, 1], ["RequestAlreadyDecided", 1])


def test_two_clicks_on_one_link_confirm_once():
    request = factories.DepotRequestFactory(unconfirmed=True)
    token, request.token_hash = secrecy.new_token(request.pk, NOW)
    request.save()

    def confirm():
        return requests.confirm_request(token=token, on=NOW).state

    assert sorted(at_once(confirm, confirm, confirm)) == ["LinkAlreadyUsed", "LinkAlreadyUsed", "waiting"]


def test_the_limit_is_exact_however_many_send_at_once():
    depots = [factories.DepotFactory() for _ in range(limits.PER_CLIENT + 2)]

    def submit(depot):
        def act():
            author = Author(email=f"jan{depot.pk}@opal.pl", client="192.0.2.7")
            requests.submit_request(
                kind=DepotRequest.Kind.CORRECT, depot=depot, proposed={"place": "Kraków"}, author=author, on=NOW
            )
            return "taken"

        return act

    outcomes = at_once(*(submit(depot) for depot in depots))
    assert outcomes.count("taken") == limits.PER_CLIENT
    assert outcomes.count("TooManyRequests") == 2


def test_the_same_form_sent_twice_at_once_makes_one_request_and_one_letter():
    depot = factories.DepotFactory()

    def submit():
        submit_correction(depot)
        return "taken"

    assert at_once(submit, submit) == ["taken", "taken"]
    assert (DepotRequest.objects.get().state, len(mail.outbox)) == ("unconfirmed", 1)


def test_a_link_sent_again_twice_at_once_is_one_letter():
    request = factories.DepotRequestFactory(unconfirmed=True, mails_sent=1)

    def resend():
        requests.resend_link(request=request, on=NOW)
        return "sent"

    assert sorted(at_once(resend, resend)) == ["TooManyRequests", "sent"]
    assert len(mail.outbox) == 1


def test_two_links_about_one_missing_depot_opened_at_once_leave_one_waiting():
    values = {"kind": "add", "depot": None, "subject": "opal | krakow", "email": "jan@opal.pl", "unconfirmed": True}
    acts = [confirming(factories.DepotRequestFactory(**values)) for _ in range(2)]
    assert at_once(*(lambda act=act: act().state for act in acts)) == ["waiting", "waiting"]
    assert sorted(DepotRequest.objects.values_list("state", flat=True)) == ["superseded", "waiting"]


@contextmanager
def held_up(rows, act):
    """While these rows are locked here, another connection runs into them and waits."""
    failed = []

    def work():
        try:
            act()
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    with transaction.atomic(), connection.cursor() as cursor:
        list(rows.select_for_update(of=("self",)))
        thread.start()
        waiting = 0
        deadline = time.monotonic() + 30
        while not waiting and thread.is_alive() and time.monotonic() < deadline:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            (waiting,) = cursor.fetchone()
        assert waiting == 1
        yield
    thread.join(30)
    assert failed == []


def lock_at_once(rows):
    """Numbers of these rows, all of which can be locked without waiting."""
    return list(rows.select_for_update(of=("self",), nowait=True).order_by("pk").values_list("pk", flat=True))


def confirming(request):
    token, request.token_hash = secrecy.new_token(request.pk, NOW)
    request.save()
    return lambda: requests.confirm_request(token=token, on=NOW)


def test_who_sends_a_form_again_locks_the_entry_before_the_earlier_request():
    depot = factories.DepotFactory()
    submit_correction(depot)
    with held_up(Depot.objects.all(), lambda: submit_correction(depot)):
        assert len(lock_at_once(DepotRequest.objects.all())) == 1


def test_who_confirms_locks_the_entry_before_the_request():
    request = factories.DepotRequestFactory(unconfirmed=True)
    with held_up(Depot.objects.all(), confirming(request)):
        assert lock_at_once(DepotRequest.objects.all()) == [request.pk]


def test_invented_entries_are_locked_before_their_requests():
    request = factories.DepotRequestFactory(depot=factories.DepotFactory(source=Depot.Source.DEMO))
    with held_up(Depot.objects.all(), actions.erase_demonstration):
        assert lock_at_once(DepotRequest.objects.all()) == [request.pk]


def test_a_request_whose_entry_is_merged_while_its_link_is_opened_takes_the_place_of_the_earlier_one_there():
    editor, kept, gone = factories.UserFactory(), factories.DepotFactory(), factories.DepotFactory()
    earlier = factories.DepotRequestFactory(depot=kept, claim=True)
    later = factories.DepotRequestFactory(depot=gone, email=earlier.email, claim=True, unconfirmed=True)
    with held_up(Depot.objects.all(), confirming(later)):
        actions.merge_depots(survivor=kept, loser=gone, take=[], by=editor, on=NOW.date())
    found = DepotRequest.objects.order_by("pk").values_list("depot", "state")
    assert list(found) == [(kept.pk, "superseded"), (kept.pk, "waiting")]


def test_who_confirms_locks_the_earlier_request_first():
    earlier = factories.DepotRequestFactory(claim=True)
    later = factories.DepotRequestFactory(depot=earlier.depot, email=earlier.email, claim=True, unconfirmed=True)
    with held_up(DepotRequest.objects.filter(pk=earlier.pk), confirming(later)):
        assert lock_at_once(DepotRequest.objects.filter(pk=later.pk)) == [later.pk]


def test_requests_are_forgotten_in_the_order_of_their_numbers():
    first, second = factories.DepotRequestFactory(client_hash="x"), factories.DepotRequestFactory(client_hash="x")
    first.save()  # behind the other in the table from now on
    with held_up(DepotRequest.objects.filter(pk=first.pk), lambda: requests.purge_requests(on=NOW + timedelta(days=2))):
        assert lock_at_once(DepotRequest.objects.filter(pk=second.pk)) == [second.pk]
