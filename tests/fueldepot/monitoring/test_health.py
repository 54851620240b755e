import re
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import F
from django.utils import timezone

from catalog.importers.freshness import last_runs
from catalog.importers.sources import read_sources
from catalog.models import Dataset, ImportRun, Submission
from catalog.submissions.retention import PURGE
from fueldepot import monitoring
from fueldepot.http.rate_limit import RateLimit
from fueldepot.management.commands import back_up
from tests import factories
from tests.commands import run


@pytest.fixture
def data(db):
    alike = {"version": 3, "changed_at": "2026-11-21T05:00:00Z", "as_of": "2026-01-01", "row_count": 7, "source": "x"}
    for slug in (*monitoring.NEEDED, Dataset.Slug.DEPOTS):
        Dataset.objects.create(slug=slug, **alike)


def test_a_ready_service_says_so_in_a_fixed_number_of_queries(client, data, django_assert_num_queries, settings):
    settings.RATE_LIMIT = RateLimit(1, 3600)
    # Is there a table of migrations; what it holds; data sets; runs; the last purge, what it should have erased; dump.
    with django_assert_num_queries(1 + 1 + 1 + 1 + 2 + 1):
        answer = client.get("/readyz")
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert "RateLimit" not in answer
    body = answer.json()
    assert body["status"] == "ready"
    assert all(check["ok"] for check in body["checks"].values())
    depots = {"rows": 7, "as_of": "2026-01-01", "changed_at": "2026-11-21T05:00:00+00:00", "version": 3}
    assert body["datasets"]["depots"] == depots
    assert re.fullmatch(r"\d+\.\d+\.\d+\+[0-9a-f]{16}", body["release"])
    assert client.get("/readyz").status_code == 200


def installed(age):
    MigrationRecorder.Migration.objects.update(applied=timezone.now() - age)


def test_sources_that_were_never_loaded_and_a_dump_that_was_never_made_are_overdue_in_time(client, data):
    installed(timedelta(days=1))
    assert client.get("/readyz").json()["back_up"] == {"last_run": None, "overdue": False}
    installed(timedelta(days=3))
    body = client.get("/readyz").json()
    assert (body["status"], body["overdue_sources"]) == ("ready", [])
    assert body["back_up"] == {"last_run": None, "overdue": True}
    fetched = [one.id for one in read_sources().values() if one.fetched]
    assert body["never_loaded"] == fetched
    installed(timedelta(days=1000))
    now = timezone.now()
    for source in (fetched[0], back_up.BACK_UP):
        ImportRun.objects.create(source=source, started=now, finished=now, outcome=ImportRun.Outcome.UNCHANGED)
    body = client.get("/readyz").json()
    assert body["never_loaded"] == body["overdue_sources"] == fetched[1:]
    assert body["back_up"] == {"last_run": now.isoformat(), "overdue": False}


def test_runs_of_a_clock_that_was_ahead_hide_nothing_that_is_overdue(client, data):
    installed(timedelta(days=1000))
    ahead = timezone.now() + timedelta(days=400)
    fetched = [one.id for one in read_sources().values() if one.fetched]
    for source in (*fetched, back_up.BACK_UP, PURGE):
        ImportRun.objects.create(source=source, started=ahead, finished=ahead, outcome=ImportRun.Outcome.UNCHANGED)
    body = client.get("/readyz").json()
    assert body["never_loaded"] == body["overdue_sources"] == fetched
    assert body["back_up"] == {"last_run": None, "overdue": True}
    assert body["purge_requests"]["last_run"] is None
    assert {state.due_on for state in last_runs()} == {None}


def purge_seen(client):
    """Return the state of the purge in /readyz; asserts that the service is ready."""
    answer = client.get("/readyz")
    assert answer.status_code == 200
    return answer.json()["purge_requests"]


def test_a_purge_that_never_ran_is_overdue_once_something_should_have_gone(client, data):
    assert purge_seen(client) == {"last_run": None, "overdue": False}
    factories.SubmissionFactory(unconfirmed=True)
    set_age(timedelta(days=3, hours=23))
    assert purge_seen(client)["overdue"] is False
    set_age(timedelta(days=4, hours=1))  # the link lives two days
    assert purge_seen(client) == {"last_run": None, "overdue": True}
    for commit in (False, True):
        printed = run("purge_submissions", commit=commit)
        assert "1 submissions deleted that nobody confirmed" in printed
        assert ("nothing was written" in printed, purge_seen(client)["overdue"]) == (not commit, not commit)
    assert not Submission.objects.exists()
    run("purge_submissions", commit=True)
    assert [*ImportRun.objects.order_by("pk").values_list("outcome", flat=True)] == ["imported", "unchanged"]


def set_age(age):
    then = timezone.now() - age
    Submission.objects.update(created_at=then, mailed_at=then, client_hash="")


def test_a_purge_that_stopped_is_overdue_also_when_nothing_waits(client, data):
    run("purge_submissions", commit=True)
    record = ImportRun.objects.get()
    assert (record.source, record.outcome, record.removed, record.changed) == ("purge_requests", "unchanged", 0, 0)
    assert purge_seen(client) == {"last_run": record.finished.isoformat(), "overdue": False}
    ImportRun.objects.update(started=F("started") - timedelta(days=3), finished=F("finished") - timedelta(days=3))
    assert purge_seen(client)["overdue"] is True


def check_not_ready(client, name, missing):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert int(answer["Retry-After"]) > 0
    assert answer.json()["checks"][name] == {"ok": False, "missing": missing}


def test_a_catalog_without_rows_a_legal_state_or_migrations_is_not_ready(client, data):
    Dataset.objects.filter(slug="places").delete()
    Dataset.objects.filter(slug="units").update(row_count=0)
    check_not_ready(client, "data", ["places", "units"])
    Dataset.objects.filter(slug="regulations").delete()
    check_not_ready(client, "data", ["places", "regulations", "units"])
    MigrationRecorder.Migration.objects.filter(app="prices", name="0001_prices").delete()
    check_not_ready(client, "migrations", ["prices.0001_prices"])


def test_without_a_database_it_is_alive_and_not_ready(client, monkeypatch):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json(), answer["Cache-Control"]) == (200, {"status": "ok"}, "no-store")
    refused = Mock(side_effect=OperationalError("connection refused: secret-host"))
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", refused)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]) == (503, {"database": {"ok": False}})
    assert b"secret" not in answer.content
