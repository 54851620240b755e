"""Prometheus metrics at `/metrics`, with METRICS=on: requests of all workers, and the state in `/readyz`.

Labels are methods, statuses, names of views and data sets, never user input.
"""

import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from catalog.models import Submission
from fueldepot.data.connections import DATABASE_AWAY
from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.error_body import is_api
from fueldepot.http.private import is_private
from fueldepot.monitoring import health
from regulations.freshness import STALE_AFTER
from regulations.models import LegalState

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
    """Return the area of a request: API, page, desk (admin and forms) or monitoring."""
    if is_api(request):
        return "api"
    if request.path in MONITOR:
        return "monitor"
    return "desk" if is_private(request) else "page"


class ServiceState(Collector):
    """Gauges from the database, queried at every scrape; if it is away, only that."""

    def collect(self) -> Iterator[Metric]:
        """Yield gauges. At most nine queries."""
        state = health.state()
        yield gauge("fueldepot_info", "Always 1; which release runs.", {(state["release"],): 1}, ["release"])
        yield gauge("fueldepot_ready", "1 where /readyz answers 200.", {(): state["status"] == "ready"})
        yield gauge("fueldepot_database_up", "1 where the database answers.", {(): state["checks"]["database"]["ok"]})
        datasets = state["datasets"].items()
        yield gauge("fueldepot_dataset_rows", "Rows.", {(slug,): of["rows"] for slug, of in datasets}, ["dataset"])
        yield gauge(
            "fueldepot_source_overdue",
            "1 for a source that should have been brought in days ago.",
            {(source,): 1 for source in state["overdue_sources"]},
            ["source"],
        )
        for job in ("purge_requests", "back_up"):
            if last := state[job]:
                yield gauge(f"fueldepot_{job}_overdue", "1 where the job has not run in time.", {(): last["overdue"]})
                if last["last_run"]:
                    when = last["last_run"].timestamp()
                    yield gauge(f"fueldepot_{job}_last_run_timestamp_seconds", "When it ended last.", {(): when})
        # A query to a frozen database would block the thread.
        if state["checks"]["database"]["ok"]:
            yield from self._work()

    def _work(self) -> Iterator[Metric]:
        try:
            waiting = Submission.objects.waiting()
            count, oldest = waiting.count(), waiting.aggregate(oldest=Min("confirmed_at"))["oldest"]
            unsent = Submission.objects.unnotified().count()
            outdated = LegalState.objects.filter(as_of__lt=timezone.localdate() - STALE_AFTER).count()
        except DATABASE_AWAY:
            return
        yield gauge("fueldepot_submissions_waiting", "Confirmed requests that nobody has decided.", {(): count})
        if oldest:
            text = "Since when the oldest of them has waited."
            yield gauge("fueldepot_submissions_oldest_timestamp_seconds", text, {(): oldest.timestamp()})
        yield gauge("fueldepot_letters_unsent", "Letters about decisions that could not be sent.", {(): unsent})
        text = "Legal states that somebody should confirm again."
        yield gauge("fueldepot_legal_states_outdated", text, {(): outdated})


def gauge(name: str, text: str, values: dict[tuple[str, ...], float], labels: list[str] | None = None) -> Metric:
    """Return a gauge with one value per combination of labels."""
    family = GaugeMetricFamily(name, text, labels=labels or [])
    for of, value in values.items():
        family.add_metric(list(of), float(value))
    return family


@require_safe
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
