"""What a request reads, what happens when the replica fails it, and who reads the primary."""

import pytest
from django.core import signing
from django.core.exceptions import MiddlewareNotUsed
from django.db import OperationalError, connections
from django.http import HttpResponse
from django.test import RequestFactory
from fueldepot.postgresql import patience
from fueldepot.replica import pinning
from fueldepot.replica.middleware import choose_database
from fueldepot.replica.watch import Verdict, watch

from catalog import databases
from catalog.models import Dataset
from tests.factories import DepotFactory

PUBLIC = "public, max-age=300"


pytestmark = pytest.mark.usefixtures("replica")


class Site:
    """Notes which databases it was asked to read."""

    def __init__(self, *, fails=(), writes=False, status=200):
        self.read, self.fails, self.writes, self.status = [], fails, writes, status

    def __call__(self, request):
        self.read.append(databases.alias())
        if self.writes:
            Dataset.objects.create(slug="depots", version=1, changed_at="2026-11-21T05:00Z", row_count=1, source="x")
        if databases.alias() in self.fails:
            databases.connection().errors_occurred = True
            return HttpResponse(status=503)
        return HttpResponse(status=self.status, headers={"Cache-Control": PUBLIC})


def ask(site, method="get", path="/api/v1/stores", cookies=None):
    request = getattr(RequestFactory(), method)(path)
    request.COOKIES.update(cookies or {})
    return choose_database(site)(request)


def test_without_a_replica_nothing_stands_in_the_way(monkeypatch):
    monkeypatch.delitem(connections.databases, databases.REPLICA)
    with pytest.raises(MiddlewareNotUsed):
        choose_database(Site())


@pytest.mark.parametrize(
    ("method", "path", "read"),
    [
        ("get", "/api/v1/stores", databases.REPLICA),
        ("head", "/ceny/", databases.REPLICA),
        ("get", "/admin/catalog/depot/", databases.PRIMARY),
        ("post", "/sklad/1/cena/", databases.PRIMARY),
        ("delete", "/ceny/", databases.PRIMARY),
    ],
)
def test_what_a_request_reads(method, path, read):
    site = Site()
    answer = ask(site, method, path)
    assert site.read == [read]
    assert databases.alias() == databases.PRIMARY
    assert answer["Cache-Control"] == PUBLIC
    assert not answer.cookies


def test_a_replica_that_is_left_out_is_not_read():
    watch.verdict = Verdict("it does not answer", None, True)
    site = Site()
    ask(site)
    assert site.read == [databases.PRIMARY]


def test_what_the_replica_fails_is_asked_of_the_primary_in_the_same_request():
    site = Site(fails=[databases.REPLICA])
    with patience.limited(0.1):
        patience.spend(1)
        assert ask(site).status_code == 200
        assert patience.left() == patience.SECOND_TRY_S
    assert site.read == [databases.REPLICA, databases.PRIMARY]
    assert watch.verdict.problem
    again = Site(fails=[databases.REPLICA])
    ask(again)
    assert again.read == [databases.PRIMARY]


def test_a_failure_of_another_kind_is_not_tried_again():
    site = Site(status=500)
    assert ask(site).status_code == 500
    assert site.read == [databases.REPLICA]
    assert not watch.verdict.problem


def test_whoever_has_changed_something_reads_the_primary_for_a_while(settings, monkeypatch):
    cookie = ask(Site(writes=True), "post", "/sklad/1/cena/").cookies[pinning.COOKIE]
    assert cookie["max-age"] == settings.REPLICA_MAX_LAG_S + pinning.MARGIN_S
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    mark = {pinning.COOKIE: cookie.value}
    site = Site()
    answer = ask(site, cookies=mark)
    assert site.read == [databases.PRIMARY]
    # What others are given at this moment may still be older: nobody keeps this for them.
    assert answer["Cache-Control"] == "private, no-cache"

    now = signing.time.time() + cookie["max-age"] + 1
    monkeypatch.setattr(signing.time, "time", lambda: now)
    later = Site()
    assert ask(later, cookies=mark)["Cache-Control"] == PUBLIC
    assert later.read == [databases.REPLICA]


def test_without_the_primary_the_replica_is_read_by_everybody():
    mark = {pinning.COOKIE: ask(Site(writes=True), "post").cookies[pinning.COOKIE].value}
    watch.verdict = Verdict("", 0.0, False)
    site = Site()
    ask(site, cookies=mark)
    assert site.read == [databases.REPLICA]


@pytest.mark.parametrize("site", [Site(), Site(writes=True, status=500)], ids=["nothing", "failed"])
def test_posting_that_changes_nothing_leaves_no_mark(site):
    assert not ask(site, "post", "/dotacja/").cookies


@pytest.mark.parametrize("mark", ["", "x", "1:2:3", "IiI:1xUfuA:vRyX4dQm9kgDlAKzSOpcj3i5fDQzEQVVyAfe_fBswS8"])
def test_a_mark_that_is_not_ours_counts_for_nothing(mark):
    site = Site()
    ask(site, cookies={pinning.COOKIE: mark})
    assert site.read == [databases.REPLICA]


def test_a_whole_answer_when_the_replica_dies(client, monkeypatch, caplog):
    client.raise_request_exception = False
    depot = DepotFactory()
    replica = connections[databases.REPLICA]

    def fail(*args, **kwargs):
        replica.errors_occurred = True
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(replica, "cursor", fail)
    found = client.get(f"/api/v1/stores/{depot.pk}")
    assert (found.status_code, found.json()["id"]) == (200, depot.pk)
    assert watch.verdict.problem
    watch.verdict = Verdict("", 0.0, True)
    assert client.get(f"/sklad/{depot.pk}-x/", follow=True).status_code == 200
    assert watch.verdict.problem
    # Nobody was failed, so nothing is reported as a failure. Django's own lines about it are dropped; see LOGGING.
    ours = [line for line in caplog.records if line.name not in {"fueldepot.request", "django.request"}]
    told = {(line.levelname, line.message) for line in ours}
    assert told == {
        ("WARNING", "replica not available: OperationalError"),
        ("WARNING", "the replica is left out: it failed a request"),
    }


def test_forms_are_read_from_the_primary(client, monkeypatch):
    depot = DepotFactory()
    monkeypatch.setattr(connections[databases.REPLICA], "cursor", None)
    assert client.get(f"/sklad/{depot.pk}/cena/").status_code == 200
    assert not watch.verdict.problem
