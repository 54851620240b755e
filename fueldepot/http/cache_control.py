"""`Cache-Control`, and validators known before the view runs: from release, versions of data sets, and the request.

Choose a lifetime that the data outlive: revalidation costs a 304 without a query, staleness cannot be undone.
RFC 9110, sections 8.8.3 (ETag) and 13 (conditional requests).
"""

import tomllib
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache, wraps
from hashlib import blake2b
from http import HTTPStatus
from importlib import metadata
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import condition

from fueldepot.data import snapshot

PARTS = ("fueldepot", "catalog", "prices", "regulations", "subsidy", "pages", "templates")
RELEVANT = ("SITE_URL", "SITE_NAME", "OPERATOR_NAME", "CONTACT_EMAIL", "MAP_TILES_URL", "RATE_LIMIT")
"""Settings that responses contain."""
WRITES_ANSWERS = {".py", ".html", ".md", ".txt", ".yaml", ".css", ".js", ".svg", ".json", ".csv"}


@cache
def release() -> str:
    """Return a digest of the project's files and of settings that responses contain; equal on all machines.

    Reads some hundred files once, before workers are forked.
    """
    digest = blake2b(digest_size=8)
    for part in PARTS:
        for path in sorted((settings.BASE_DIR / part).rglob("*")):
            if path.suffix in WRITES_ANSWERS:
                digest.update(path.relative_to(settings.BASE_DIR).as_posix().encode())
                digest.update(path.read_bytes())
    for name in RELEVANT:
        digest.update(f"\0{getattr(settings, name)}".encode())
    return digest.hexdigest()


@cache
def version() -> str:
    """Return the version of the project, such as `1.0.0`."""
    project = settings.BASE_DIR / "pyproject.toml"
    if project.exists():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    return metadata.version("fueldepot")  # an installed wheel


def version_and_release() -> str:
    """Return the version with the digest behind it, such as `1.0.0+5f0c7a1d2e3b4c5d` (PEP 440)."""
    return f"{version()}+{release()}"


REGISTER = "public, max-age=86400"
"""Names, codes, boundaries and yearly averages, which change a few times a year."""

CATALOG = "public, max-age=300"
"""Entries, prices, the legal state and pages, which change with every decision, and at midnight."""

DESCRIPTION = "public, max-age=3600"
"""Documents about the API, which change with a release only."""

GONE = "public, max-age=60"
"""Removed entries. Such a response replaces the entry in caches, which one with `no-store` does not."""

NO_STORE = "no-store"
"""Other errors, redirects of moved pages, answers about somebody's income, and the state of the service."""

SHARED = "s-maxage=1, stale-while-revalidate=4"
"""For our own proxy: a change is public after five seconds, and nobody waits for the revalidation.

RFC 9111, 5.2.2.10; RFC 5861, 3.
"""

OUTAGE = "stale-if-error=3600"
"""For our own proxy: how long it may serve a stale response while no application process responds. RFC 5861, 4.

The longest time that an entry may stay in a list after its removal.
"""


def seconds(value: str, directive: str) -> int:
    """Return the seconds of a directive. Raises KeyError without it."""
    return int(dict(part.split("=") for part in value.split(", ") if "=" in part)[directive])


def behind_cache(value: str, request: HttpRequest, *, in_outage: bool = True) -> str:
    """Return a value of `Cache-Control`, with `SHARED` if the proxy has a cache, and with `OUTAGE` if `in_outage`.

    It announces that by `Surrogate-Capability` (W3C, Edge Architecture Specification), as in
    `docs/deployment/fueldepot.nginx`.
    """
    if "HTTP_SURROGATE_CAPABILITY" not in request.META:
        return value
    return ", ".join([value, SHARED, *([OUTAGE] if in_outage else [])])


SHORT_S = 10
"""Shorter lifetimes are exact, also for our own proxy."""


def keep_until(end: datetime, response: HttpResponse) -> None:
    """Let the `max-age` of a response end at most at a moment."""
    left = max(0, int((end - timezone.now()).total_seconds()))
    if left < SHORT_S:
        response["Cache-Control"] = f"public, max-age={left}"
    elif left < seconds(response["Cache-Control"], "max-age"):
        patch_cache_control(response, max_age=left)


def ignore_dates(request: HttpRequest) -> None:
    """Drop the condition on a date of modification, which no response has and Django refuses by. RFC 9110, 13.1.4."""
    request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)


View = Callable[..., HttpResponse]


class Period(NamedTuple):
    """A period in which a response does not change by itself. start, end: aware datetimes, the end excluded."""

    start: datetime
    end: datetime


def polish_day(now: datetime) -> Period:
    """Return the day in Poland around a moment."""
    return _day(timezone.localtime(now).date())


@lru_cache(maxsize=4)
def _day(day: date) -> Period:
    start, end = (datetime.combine(each, time.min) for each in (day, day + timedelta(days=1)))
    return Period(timezone.make_aware(start), timezone.make_aware(end))


def conditional(
    *slugs: str,
    cache_control: str,
    vary: str = "",
    changes_daily: bool = False,
    period: Callable[[datetime], Period] | None = None,
    in_outage: bool = True,
) -> Callable[[View], View]:
    """Run a view on one snapshot state, and give its 200 responses a strong ETag; a 304 does not call the view.

    slugs: every data set that the response depends on. cache_control: header of 200 and 304; other responses keep the
    view's headers. vary: header of both, "" for none; the request's values of these headers are part of the validator.
    changes_daily: whether the response depends on today's date: its period is then the `polish_day`. period: for
    responses that depend on the time, in place of the day: its start is part of the validator, and its end limits
    caching. in_outage: whether our proxy may serve a stale response while no application process responds; not of one
    entry, which may have been removed since.
    """
    if changes_daily and period is None:
        period = polish_day
    varying = [f"HTTP_{name.strip().upper().replace('-', '_')}" for name in vary.split(",") if name.strip()]

    def etag(request: HttpRequest, *args: Any, **kwargs: Any) -> str:
        of_moment = period(timezone.now()).start.isoformat() if period else ""
        question = [request.path, request.META["QUERY_STRING"], *(request.META.get(name, "") for name in varying)]
        parts = "\0".join([release(), snapshot.current().key(*slugs), of_moment, *question])
        return f'"{blake2b(parts.encode(), digest_size=12).hexdigest()}"'

    def decorate(view: View) -> View:
        answer = condition(etag_func=etag)(view)

        @wraps(view)
        def answer_of_one_state(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in {"GET", "HEAD"}:
                return view(request, *args, **kwargs)
            ignore_dates(request)
            # `*` matches any existing resource, and another error goes before 412 (13.2.1): only the view knows.
            view_first = "HTTP_IF_MATCH" in request.META or request.META.get("HTTP_IF_NONE_MATCH", "").strip() == "*"
            with snapshot.consistent():
                # Taken before the view runs, so the response is never older.
                end = period(timezone.now()).end if period else None
                tag = etag(request) if view_first else ""
                response: HttpResponse = (view if view_first else answer)(request, *args, **kwargs)
                if tag and response.status_code == HTTPStatus.OK:
                    response["ETag"] = tag
                    response = get_conditional_response(request, tag, response=response) or response
            if response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
                response["Cache-Control"] = behind_cache(cache_control, request, in_outage=in_outage)
                if end:
                    keep_until(end, response)
                if vary:
                    response["Vary"] = vary
            else:
                del response["ETag"]
            return response

        return answer_of_one_state

    return decorate
