"""What a monitor and a proxy ask: is the process alive, and can it serve?"""

from functools import cache
from typing import Any

import orjson
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog.models import Dataset
from catalog.requests import is_purge_overdue, last_purge
from catalog.runs import overdue_sources
from fueldepot.data import snapshot
from fueldepot.errors import DATABASE_AWAY
from fueldepot.http.cache_control import NO_STORE
from fueldepot.rendering import JSON

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

    While the database is away, reading goes on from memory and `serving` says so. Overdue sources, and an overdue purge
    of personal data, are named and do no harm to readiness: old data are served as old. At most six queries.
    """
    checks: dict[str, dict[str, Any]] = {}
    datasets: dict[str, Any] = {}
    overdue: list[str] = []
    purge: dict[str, Any] = {}
    try:
        if snapshot.database_is_away():
            raise OperationalError("the database does not answer")
        applied = set(MigrationRecorder(connection).applied_migrations())
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
        "serving": "all" if checks["database"]["ok"] else "reading only, from memory",
    }
    return _answer(200 if is_ready else 503, body)


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """Every migration of this release, read once."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def _answer(status: int, body: dict[str, Any]) -> HttpResponse:
    headers = {"Cache-Control": NO_STORE} | ({"Retry-After": "5"} if status == 503 else {})
    return HttpResponse(orjson.dumps(body), status=status, content_type=JSON, headers=headers)
