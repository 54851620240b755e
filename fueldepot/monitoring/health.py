"""Health checks for monitors and proxies: liveness and readiness."""

from datetime import datetime, timedelta
from functools import cache
from typing import Any

import orjson
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog.importers.freshness import last_runs
from catalog.models import Dataset, ImportRun
from catalog.submissions.retention import is_purge_overdue, last_purge
from fueldepot.data import snapshot
from fueldepot.data.connections import DATABASE_AWAY
from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.error_body import JSON, RETRY_AFTER_S
from fueldepot.http.release import version_and_release

NEEDED = frozenset(
    {
        Dataset.Slug.UNITS,
        Dataset.Slug.PLACES,
        Dataset.Slug.POSTCODES,
        Dataset.Slug.BOUNDARIES,
        Dataset.Slug.REGULATIONS,
    }
)
"""Data sets that the service needs; depots and prices may be few or none."""

BACK_UP = "back_up"
"""`ImportRun.source` of dumps of the database."""

DUMP_LATE = timedelta(days=2)
"""Time since the last dump after which the next one is overdue; it runs daily."""


@require_safe
def liveness(request: HttpRequest) -> HttpResponse:
    """200 while the process answers; no query."""
    return _answer(200, {"status": "ok"})


@require_safe
def readiness(request: HttpRequest) -> HttpResponse:
    """200 if the service is ready, else 503; with `state`."""
    body = state()
    return _answer(200 if body["status"] == "ready" else 503, body)


def state() -> dict[str, Any]:
    """Return checks by name, the release, and the state of every data set and nightly job.

    While the database is away, reading goes on from memory and `serving` says so. Overdue or never loaded sources, an
    overdue purge and an overdue dump are reported without affecting readiness: old data are served as old. At most
    seven queries.
    """
    checks: dict[str, dict[str, Any]] = {}
    datasets: dict[str, Any] = {}
    jobs: dict[str, Any] = {"overdue_sources": [], "never_loaded": [], "purge_requests": {}, "back_up": {}}
    try:
        if snapshot.database_is_away():
            raise OperationalError("the database does not answer")
        applied = MigrationRecorder(connection).applied_migrations()
        checks["database"] = {"ok": True}
        missing = sorted(f"{app}.{name}" for app, name in known_migrations() - applied.keys())
        checks["migrations"] = {"ok": not missing, "missing": missing}
        if not missing:
            datasets = {
                row.slug: {
                    "rows": row.row_count,
                    "as_of": row.as_of,
                    "changed_at": row.changed_at,
                    "version": row.version,
                }
                for row in Dataset.objects.order_by("slug")
            }
            lacking = sorted(slug for slug in NEEDED if not datasets.get(slug, {}).get("rows"))
            checks["data"] = {"ok": not lacking, "missing": lacking}
            jobs = state_of_jobs(installed=min(row.applied for row in applied.values()))
    except DATABASE_AWAY:
        checks["database"] = {"ok": False}
    is_ready = len(checks) == 3 and all(check["ok"] for check in checks.values())
    return {
        "status": "ready" if is_ready else "not ready",
        "release": version_and_release(),
        "checks": checks,
        "datasets": datasets,
        **jobs,
        "serving": "all" if checks["database"]["ok"] else "reading only, from memory",
    }


def state_of_jobs(*, installed: datetime) -> dict[str, Any]:
    """Return sources that are overdue or were never loaded, and the last purge and dump. At most four queries.

    installed: the moment of the first migration, from which a job that never ran counts.
    """
    now = timezone.now()
    sources, purged, dumped = last_runs(), last_purge(), last_back_up()
    today, since = timezone.localdate(now), timezone.localdate(installed)
    return {
        "overdue_sources": [state.source.id for state in sources if state.is_overdue(today, since)],
        "never_loaded": [state.source.id for state in sources if state.never_loaded],
        "purge_requests": {"last_run": purged, "overdue": is_purge_overdue(purged, now=now)},
        "back_up": {"last_run": dumped, "overdue": (dumped or installed) < now - DUMP_LATE},
    }


def last_back_up() -> datetime | None:
    """Return when the last dump was finished, None for never. One query."""
    last: datetime | None = ImportRun.objects.filter(source=BACK_UP).aggregate(last=Max("finished"))["last"]
    return last


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """Return all migrations of this release, cached."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def _answer(status: int, body: dict[str, Any]) -> HttpResponse:
    headers = {"Cache-Control": NO_STORE} | ({"Retry-After": str(RETRY_AFTER_S)} if status == 503 else {})
    return HttpResponse(orjson.dumps(body), status=status, content_type=JSON, headers=headers)
