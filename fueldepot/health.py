"""What a monitor and a proxy ask: is the process alive, and can it serve?"""

from functools import cache
from typing import Any

import orjson
from catalog.cache_control import NO_STORE
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog import databases
from catalog.models import Dataset
from catalog.requests import is_purge_overdue, last_purge
from catalog.runs import overdue_sources
from fueldepot.errors import DATABASE_AWAY
from fueldepot.rendering import JSON
from fueldepot.replica.watch import watch

NEEDED = frozenset(
    {
        Dataset.Slug.UNITS,
        Dataset.Slug.PLACES,
        Dataset.Slug.POSTCODES,
        Dataset.Slug.BOUNDARIES,
        Dataset.Slug.REGULATIONS,
    }
)
"""Data sets without which the catalog answers nothing of use; depots and prices may be few or none."""


@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; asks nothing of the database."""
    return _answer(200, {"status": "ok"})


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """200 when everything is there to serve with, else 503; each check by name, and the state of every data set.

    Where there is a replica, either database is enough to read from; `databases` says which of them answer, and by
    how much the replica is behind at most. Overdue sources, and an overdue purge of personal data, are named and
    do no harm to readiness: old data are served as old. At most six queries, within the time that a request has.
    """
    checks: dict[str, dict[str, Any]] = {}
    datasets: dict[str, Any] = {}
    overdue: list[str] = []
    purge: dict[str, Any] = {}
    try:
        applied = set(MigrationRecorder(databases.connection()).applied_migrations())
        checks["database"] = {"ok": True}
        missing = sorted(f"{app}.{name}" for app, name in known_migrations() - applied)
        checks["migrations"] = {"ok": not missing, "missing": missing}
        if not missing:
            for row in Dataset.objects.order_by("slug"):
                datasets[row.slug] = {
                    "rows": row.row_count,
                    "as_of": row.as_of,
                    "changed_at": row.changed_at,
                    "version": row.version,
                }
            lacking = sorted(slug for slug in NEEDED if not datasets.get(slug, {}).get("rows"))
            checks["data"] = {"ok": not lacking, "missing": lacking}
            overdue = [state.publication.id for state in overdue_sources(timezone.localdate())]
            last = last_purge()
            purge = {"last_run": last, "overdue": is_purge_overdue(last, now=timezone.now())}
    except DATABASE_AWAY:
        checks["database"] = {"ok": False}
    is_ready = len(checks) == 3 and all(check["ok"] for check in checks.values())
    body = {
        "status": "ready" if is_ready else "not ready",
        "checks": checks,
        "datasets": datasets,
        "overdue_sources": overdue,
        "purge_requests": purge,
    }
    if databases.has_replica():
        body["databases"] = databases_seen()
    return _answer(200 if is_ready else 503, body)


def databases_seen() -> dict[str, Any]:
    """What the watch of this process saw last; asks nobody."""
    seen = watch.current()
    return {
        "primary": {"ok": seen.primary},
        "replica": {"ok": not seen.problem, "problem": seen.problem or None, "behind_s": seen.behind_s},
    }


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """Every migration of this release, read once."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def _answer(status: int, body: dict[str, Any]) -> HttpResponse:
    headers = {"Cache-Control": NO_STORE} | ({"Retry-After": "5"} if status == 503 else {})
    return HttpResponse(orjson.dumps(body), status=status, content_type=JSON, headers=headers)
