"""Strangers and editors at the same moment, each with a connection of their own."""

from datetime import UTC, datetime

import pytest

from catalog import requests
from catalog.models import Depot, DepotRequest
from catalog.requests import Author, limits, secrecy
from tests import factories
from tests.catalog.editors.test_at_once import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


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


def test_the_same_form_sent_twice_at_once_leaves_one_open_request():
    depot = factories.DepotFactory()

    def submit():
        author = Author(email="jan@opal.pl", client="192.0.2.7")
        requests.submit_request(
            kind=DepotRequest.Kind.CORRECT, depot=depot, proposed={"place": "Kraków"}, author=author, on=NOW
        )
        return "taken"

    assert at_once(submit, submit) == ["taken", "taken"]
    assert sorted(DepotRequest.objects.values_list("state", flat=True)) == ["superseded", "unconfirmed"]
