"""Validators known before the view runs: from release, versions of data sets, and the request.

RFC 9110, sections 8.8.3 (ETag) and 13.1.2 (If-None-Match).
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from hashlib import blake2b
from http import HTTPStatus
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.views.decorators.http import condition

from fueldepot.data import snapshot
from fueldepot.http.cache_control import behind_cache, kept_until
from fueldepot.http.release import release

View = Callable[..., HttpResponse]


class Period(NamedTuple):
    """A period in which a response does not change by itself. start, end: aware datetimes, the end excluded."""

    start: datetime
    end: datetime


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
    changes_daily: whether the response depends on today's date. period: for responses that depend on the time: its
    start is part of the validator, and its end limits caching. in_outage: whether our proxy may serve a stale response
    while no application process responds; not of one entry, which may have been removed since.
    """
    varying = [f"HTTP_{name.strip().upper().replace('-', '_')}" for name in vary.split(",") if name.strip()]

    def etag(request: HttpRequest, *args: Any, **kwargs: Any) -> str:
        today = str(timezone.localdate()) if changes_daily else ""
        of_moment = period(timezone.now()).start.isoformat() if period else ""
        asked = [request.path, request.META["QUERY_STRING"], *(request.META.get(name, "") for name in varying)]
        parts = "\0".join([release(), snapshot.current().key(*slugs), today, of_moment, *asked])
        return f'"{blake2b(parts.encode(), digest_size=12).hexdigest()}"'

    def decorate(view: View) -> View:
        answer = condition(etag_func=etag)(view)

        @wraps(view)
        def answer_of_one_state(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in {"GET", "HEAD"}:
                return view(request, *args, **kwargs)
            # `*` matches any existing resource, which only the view knows.
            fits_any = request.META.get("HTTP_IF_NONE_MATCH", "").strip() == "*"
            with snapshot.consistent():
                # Taken before the view runs, so the response is never older.
                end = period(timezone.now()).end if period else None
                response: HttpResponse = (view if fits_any else answer)(request, *args, **kwargs)
                if fits_any and response.status_code == HTTPStatus.OK:
                    response = HttpResponseNotModified(headers={"ETag": etag(request)})
            if response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
                response["Cache-Control"] = (
                    behind_cache(cache_control, request, in_outage=in_outage)
                    if end is None
                    else kept_until(end, cache_control, request, in_outage=in_outage)
                )
                if vary:
                    response["Vary"] = vary
            else:
                del response["ETag"]
            return response

        return answer_of_one_state

    return decorate
