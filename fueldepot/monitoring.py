"""What an operator watches: health checks, metrics for Prometheus (METRICS=on), error reports to Sentry (SENTRY_DSN).

Labels of metrics are methods, statuses, names of views and data sets, never user input. A report has the type of the
error, the traceback without values, method and path of the request, and the release; no messages, which may repeat
user input. The packages of reports are the extra `sentry`.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, F, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from catalog.importers.freshness import last_end, last_runs
from catalog.models import Dataset, Submission
from catalog.submissions.retention import PURGE, is_purge_overdue
from fueldepot.data import snapshot
from fueldepot.http.cache_control import NO_STORE, version_and_release
from fueldepot.http.error_body import RETRY_AFTER_S, is_api
from fueldepot.http.request_log import without_tokens
from fueldepot.http.views import is_private, json_response, read_only
from regulations.models import LegalState

NEEDED = frozenset({*Dataset.Slug} - {Dataset.Slug.DEPOTS, Dataset.Slug.PRICES, Dataset.Slug.SERIES})
"""Data sets that the service needs; the others may have few rows or none."""

BACK_UP = "back_up"
"""`ImportRun.source` of dumps of the database."""

DUMP_LATE = timedelta(days=2)
"""Time since the last dump after which the next one is overdue; it runs daily."""


@read_only
def liveness(request: HttpRequest) -> HttpResponse:
    """200 while the process answers; no query."""
    return _answer(200, {"status": "ok"})


@read_only
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
            columns = ("slug", "rows", "as_of", "changed_at", "version")
            rows = Dataset.objects.order_by("slug").annotate(rows=F("row_count")).values(*columns)
            datasets = {row.pop("slug"): row for row in rows}
            lacking = sorted(slug for slug in NEEDED if not datasets.get(slug, {}).get("rows"))
            checks["data"] = {"ok": not lacking, "missing": lacking}
            jobs = state_of_jobs(installed=min(row.applied for row in applied.values()))
    except snapshot.DATABASE_AWAY:
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
    sources, purged, dumped = last_runs(), last_end(PURGE), last_end(BACK_UP)
    today, since = timezone.localdate(now), timezone.localdate(installed)
    return {
        "overdue_sources": [state.source.id for state in sources if state.is_overdue(today, since)],
        "never_loaded": [state.source.id for state in sources if state.good is None and state.source.fetched],
        "purge_requests": {"last_run": purged, "overdue": is_purge_overdue(purged, now=now)},
        "back_up": {"last_run": dumped, "overdue": (dumped or installed) < now - DUMP_LATE},
    }


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def _answer(status: int, body: dict[str, Any]) -> HttpResponse:
    headers = {"Cache-Control": NO_STORE} | ({"Retry-After": str(RETRY_AFTER_S)} if status == 503 else {})
    return json_response(body, status=status, headers=headers)


METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
MONITOR = frozenset({"/metrics", "/healthz", "/readyz"})
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

requests = Counter("fueldepot_requests", "Answered requests.", ["method", "view", "status"], registry=None)
durations = Histogram(
    "fueldepot_request_duration_seconds",
    "From the request to the answer, by area: api, page, desk (admin and forms), or monitor.",
    ["area"],
    buckets=BUCKETS_S,
    registry=None,
)


def count_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:

    def answer(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        method = request.method if request.method in METHODS else "other"
        requests.labels(method, match.view_name if match else "none", response.status_code).inc()
        durations.labels(area_of(request)).observe(time.perf_counter() - began)
        return response

    return answer


def area_of(request: HttpRequest) -> str:
    if is_api(request):
        return "api"
    if request.path in MONITOR:
        return "monitor"
    return "desk" if is_private(request) else "page"


class ServiceState(Collector):
    """Gauges from the database, queried at every scrape; if it is away, only that."""

    def collect(self) -> Iterator[Metric]:
        """Yield gauges. At most eight queries."""
        readiness = state()
        yield gauge("fueldepot_info", "Always 1; which release runs.", {readiness["release"]: 1}, "release")
        yield gauge("fueldepot_ready", "1 where /readyz answers 200.", readiness["status"] == "ready")
        is_up = readiness["checks"]["database"]["ok"]
        yield gauge("fueldepot_database_up", "1 where the database answers.", is_up)
        rows = {slug: dataset["rows"] for slug, dataset in readiness["datasets"].items()}
        yield gauge("fueldepot_dataset_rows", "Rows.", rows, "dataset")
        text = "1 for a source that should have been brought in days ago."
        yield gauge("fueldepot_source_overdue", text, dict.fromkeys(readiness["overdue_sources"], 1), "source")
        for job in ("purge_requests", "back_up"):
            if last := readiness[job]:
                yield gauge(f"fueldepot_{job}_overdue", "1 where the job has not run in time.", last["overdue"])
                if last["last_run"]:
                    when = last["last_run"].timestamp()
                    yield gauge(f"fueldepot_{job}_last_run_timestamp_seconds", "When it ended last.", when)
        if not is_up:  # a query to a frozen database would block the thread
            return
        try:
            waiting = Submission.objects.waiting().aggregate(count=Count("pk"), oldest=Min("confirmed_at"))
            unsent = Submission.objects.unnotified().count()
            outdated = LegalState.objects.stale(timezone.localdate()).count()
        except snapshot.DATABASE_AWAY:
            return
        yield gauge("fueldepot_submissions_waiting", "Confirmed submissions that nobody has decided.", waiting["count"])
        if oldest := waiting["oldest"]:
            text = "Since when the oldest of them has waited."
            yield gauge("fueldepot_submissions_oldest_timestamp_seconds", text, oldest.timestamp())
        yield gauge("fueldepot_letters_unsent", "Letters about decisions that could not be sent.", unsent)
        yield gauge("fueldepot_legal_states_outdated", "Legal states that somebody should confirm again.", outdated)


def gauge(name: str, text: str, value: float | dict[str, float], label: str = "") -> Metric:
    """Return a gauge. value: by the values of the label, if there is one."""
    if not isinstance(value, dict):
        return GaugeMetricFamily(name, text, float(value))
    family = GaugeMetricFamily(name, text, labels=[label])
    for labelled, number in value.items():
        family.add_metric([labelled], float(number))
    return family


@read_only
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of all workers of this gunicorn, and the state of the service."""
    registry = CollectorRegistry()
    if settings.METRICS_DIR:
        MultiProcessCollector(registry, path=settings.METRICS_DIR)  # type: ignore[no-untyped-call]
    else:
        registry.register(requests)
        registry.register(durations)
    registry.register(ServiceState())
    return HttpResponse(
        generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": NO_STORE}
    )


SENT_FIELDS = frozenset(
    {"event_id", "timestamp", "platform", "level", "logger", "release", "sdk", "transaction", "contexts"}
)
KEPT_OF_FRAMES = frozenset({"filename", "function", "module", "lineno", "in_app", "abs_path"})


def start_error_reports() -> None:
    """Report errors from now on in this process and its forks."""
    import sentry_sdk
    from sentry_sdk.integrations.django import DjangoIntegration

    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        release=version_and_release(),
        server_name="",
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(middleware_spans=False, signals_spans=False)],
        max_request_body_size="never",
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        auto_session_tracking=False,
        traces_sample_rate=None,
        before_send=without_people,
    )


def without_people(event: Any, hint: Any) -> Any:
    """Return a report reduced to data that may leave the machine."""
    kept = {name: value for name, value in event.items() if name in SENT_FIELDS}
    kept["contexts"] = {"runtime": event.get("contexts", {}).get("runtime", {})}
    if request := event.get("request"):
        url = without_tokens(str(request.get("url", "")).partition("?")[0])
        kept["request"] = {"method": request.get("method"), "url": url}
    if template := event.get("logentry", {}).get("message"):
        kept["logentry"] = {"message": template}
    if errors := event.get("exception", {}).get("values"):
        kept["exception"] = {"values": [_without_values(error) for error in errors]}
    return kept


def _without_values(error: dict[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames", [])
    return {
        "type": error.get("type"),
        "module": error.get("module"),
        "stacktrace": {"frames": [{k: v for k, v in frame.items() if k in KEPT_OF_FRAMES} for frame in frames]},
    }
