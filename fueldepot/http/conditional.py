"""Validators known before the view runs: an answer depends on the release, the versions of its data sets, the question.

RFC 9110, sections 8.8.3 (ETag) and 13.1.2 (If-None-Match).
"""

from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.views.decorators.http import condition

from fueldepot.data import snapshot
from fueldepot.http.release import release

View = Callable[..., HttpResponse]


def conditional(*slugs: str, cache_control: str, vary: str = "", changes_daily: bool = False) -> Callable[[View], View]:
    """Let a view read one state of the snapshots, and give its good answers a strong ETag; 304 costs no view.

    slugs: every data set that the answer depends on. cache_control: the header of 200 and 304; every other answer keeps
    the headers that the view gave it. vary: the header of both, "" for none; the request's values of these headers are
    part of the validator. changes_daily: the answer depends on today's date.
    """
    varying = [f"HTTP_{name.strip().upper().replace('-', '_')}" for name in vary.split(",") if name.strip()]

    def etag(request: HttpRequest, *args: Any, **kwargs: Any) -> str:
        today = str(timezone.localdate()) if changes_daily else ""
        asked = [request.path, request.META["QUERY_STRING"], *(request.META.get(name, "") for name in varying)]
        parts = "\0".join([release(), snapshot.current().key(*slugs), today, *asked])
        return f'"{blake2b(parts.encode(), digest_size=12).hexdigest()}"'

    def decorate(view: View) -> View:
        answer = condition(etag_func=etag)(view)

        @wraps(view)
        def answer_of_one_state(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in {"GET", "HEAD"}:
                return view(request, *args, **kwargs)
            # `*` fits whatever exists, which only the view knows.
            fits_any = request.META.get("HTTP_IF_NONE_MATCH", "").strip() == "*"
            with snapshot.consistent():
                response: HttpResponse = (view if fits_any else answer)(request, *args, **kwargs)
                if fits_any and response.status_code == HTTPStatus.OK:
                    response = HttpResponseNotModified(headers={"ETag": etag(request)})
            if response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
                response["Cache-Control"] = cache_control
                if vary:
                    response["Vary"] = vary
            else:
                del response["ETag"]
            return response

        return answer_of_one_state

    return decorate
