"""Which views have sessions, accounts and the database."""

import pytest
from django.test import Client
from django.urls import get_resolver, resolve

from fueldepot.http.request_log import is_private

FORMS = {
    "depot-add",
    "depot-correct",
    "depot-claim",
    "depot-delete",
    "depot-gone",
    "depot-price",
    "owner-renew",
    "owner",
    "owner-branches",
    *("alerts", "alerts-confirm", "alerts-mine", "alerts-end"),
}
OF_SUBMISSIONS = {
    *(
        "owner-object",
        "owner-undo",
        "submission-answer",
        "submission-confirm",
        "submission-restore",
        "submission-status",
    )
}


def test_the_forms_are_marked_and_no_page():
    marked = {
        pattern.name
        for pattern in get_resolver("pages.urls").url_patterns
        if getattr(pattern.callback, "is_private", False)
    }
    assert marked == FORMS | OF_SUBMISSIONS


def test_the_whole_desk_is_private(rf):
    for private, paths in (
        (True, ("/admin/", "/admin/login/", "/admin/nothing/", "/admin/dziennik/", "/admin/dziennik/dni/")),
        (True, ("/admin/haslo/", "/admin/haslo/MQ/set-password/", "/admin/catalog/depotrequest/1/")),
        (True, ("/sklad/1/popraw/",)),
        (False, ("/sklad/1-nazwa/", "/api/v1/stores", "/healthz")),
    ):
        for path in paths:
            request = rf.get(path)
            request.resolver_match = resolve(path)
            assert is_private(request) is private, path


@pytest.mark.django_db
def test_a_form_needs_a_token():
    assert Client(enforce_csrf_checks=True).post("/sklady/dodaj/").status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("networks", "caller", "status"),
    [
        ([], "203.0.113.9", 200),
        (["10.0.0.0/8"], "10.1.2.3", 200),
        (["10.0.0.0/8", "2001:db8::/32"], "2001:db8::1", 200),
        (["10.0.0.0/8"], "::ffff:10.1.2.3", 200),
        (["10.0.0.0/8"], "203.0.113.9", 404),
        (["10.0.0.0/8"], "", 404),
    ],
)
def test_the_desk_opens_to_its_networks(client, settings, networks, caller, status):
    settings.ADMIN_NETWORKS = networks
    assert client.get("/admin/login/", REMOTE_ADDR=caller).status_code == status
    assert client.get("/admin/haslo/", REMOTE_ADDR=caller).status_code == status
    assert client.get("/sklady/dodaj/", REMOTE_ADDR=caller).status_code == 200
