"""/healthz and /readyz."""

import pytest
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder

from catalog.models import Dataset
from fueldepot import health
from fueldepot.rate_limit_setting import Limit


@pytest.fixture
def data(db):
    for slug in (*health.NEEDED, Dataset.Slug.DEPOTS):
        Dataset.objects.create(
            slug=slug, version=3, changed_at="2026-11-21T05:00:00Z", as_of="2026-01-01", row_count=7, source="x"
        )


def test_alive_without_a_database(client):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json(), answer["Cache-Control"]) == (200, {"status": "ok"}, "no-store")


def test_ready(client, data, django_assert_num_queries, settings):
    settings.RATE_LIMIT = Limit(1, 3600)
    with django_assert_num_queries(1 + 1 + 1 + 1):  # is there a table of migrations; what it holds; data sets; runs
        answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert "RateLimit" not in answer
    body = answer.json()
    assert body["status"] == "ready"
    assert all(check["ok"] for check in body["checks"].values())
    assert body["datasets"]["depots"] == {
        "rows": 7,
        "as_of": "2026-01-01",
        "changed_at": "2026-11-21T05:00:00+00:00",
        "version": 3,
    }
    assert client.get("/readyz").status_code == 200


def check_not_ready(client, name, missing):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert int(answer["Retry-After"]) > 0
    assert answer.json()["checks"][name] == {"ok": False, "missing": missing}


def test_an_empty_catalog_is_not_ready(client, data):
    Dataset.objects.filter(slug="places").delete()
    Dataset.objects.filter(slug="units").update(row_count=0)
    check_not_ready(client, "data", ["places", "units"])


def test_without_any_legal_state_it_is_not_ready(client, data):
    Dataset.objects.filter(slug="regulations").delete()
    check_not_ready(client, "data", ["regulations"])


def test_a_release_ahead_of_its_database_is_not_ready(client, data):
    MigrationRecorder.Migration.objects.filter(app="prices", name="0001_prices").delete()
    check_not_ready(client, "migrations", ["prices.0001_prices"])


def test_without_a_database(client, monkeypatch):
    def fail(self):
        raise OperationalError("connection refused: secret-host")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", fail)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]) == (503, {"database": {"ok": False}})
    assert b"secret" not in answer.content


def test_only_reading(client):
    assert client.post("/healthz").status_code == 405
    assert client.head("/healthz").status_code == 200
