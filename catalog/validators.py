"""Validators that cost no query: an answer is known by the release, the data sets it rests on, and what was asked.

RFC 9110, sections 8.8.3 (ETag) and 13.1.2 (If-None-Match).
"""

from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.template.response import SimpleTemplateResponse
from django.utils import timezone
from django.utils.http import parse_etags

from catalog import questions, versions
from catalog.cache_control import NO_STORE
from catalog.kept import Answer
from catalog.kept import answers as kept_answers
from catalog.release import release

View = Callable[..., HttpResponse]


def rests_on(
    *slugs: str, cache_control: str, vary: str = "", dated: bool = False, kept: bool = True
) -> Callable[[View], View]:
    """Give a view's answers a strong ETag made of the versions of data sets, and answer 304 before the view runs.

    A good answer is kept for a while (`catalog.kept`) and given again to whoever asks the same.

    cache_control: the header of good answers and of 304, the same for both. vary: the header of both, "" for none;
    the request's values of those headers are part of the validator. dated: the answer changes at midnight.
    kept: False for answers that hardly anybody asks for twice, and that would drive out others.
    A good answer is one with status 200; every other keeps the headers that the view gave it.
    """
    varying = [f"HTTP_{name.strip().upper().replace('-', '_')}" for name in vary.split(",") if name.strip()]

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in {"GET", "HEAD"}:
                return view(request, *args, **kwargs)
            asked = [request.path, request.META["QUERY_STRING"], *(request.META.get(name, "") for name in varying)]
            for _ in range(versions.TRIES):
                stamps = versions.stamp(*slugs)
                etag = _etag(release(), stamps, str(timezone.localdate()) if dated else "", *asked)
                if _known(etag, request.META.get("HTTP_IF_NONE_MATCH", "")):
                    return _good(HttpResponseNotModified(), etag, cache_control, vary)
                again = kept_answers.get(etag) if kept else None
                if again is not None:
                    return _given(request, HttpResponse(again.body, headers=dict(again.headers)))
                with questions.counted() as sent:
                    response = view(request, *args, **kwargs)
                    if isinstance(response, SimpleTemplateResponse):
                        response.render()
                if response.status_code != HTTPStatus.OK:
                    return response
                # An answer takes several questions to the database; a change in between would be half in it.
                known = not sent.open and versions.stamp(*slugs) == stamps
                if known or response.streaming or versions.is_current(stamps, *slugs):
                    good = _good(response, etag, cache_control, vary)
                    return _given(request, _keep(request, good) if kept else good)
            response["Cache-Control"] = NO_STORE
            return response

        return answer

    return decorate


def _etag(*parts: str) -> str:
    digest = blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
    return f'"{digest}"'


def _good(response: HttpResponse, etag: str, cache_control: str, vary: str) -> HttpResponse:
    """Say how a good answer may be kept by whoever gets it."""
    response["ETag"] = etag
    response["Cache-Control"] = cache_control
    if vary:
        response["Vary"] = vary
    return response


def _keep(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Keep a good answer for whoever asks the same. One that streams or sets a cookie is its caller's alone."""
    if request.method == "GET" and not response.streaming and not response.cookies:
        kept_answers.keep(response["ETag"], Answer(response.content, tuple(response.items())))
    return response


def _given(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A good answer as the caller gets it: 304 for whoever has any that there is, `If-None-Match: *`."""
    if request.META.get("HTTP_IF_NONE_MATCH", "").strip() != "*":
        return response
    return _good(HttpResponseNotModified(), response["ETag"], response["Cache-Control"], response.get("Vary", ""))


def _known(etag: str, if_none_match: str) -> bool:
    """Whether the caller has this answer. `*` fits whatever exists, which only the view knows, so it is not enough."""
    if etag not in if_none_match:
        return False
    # The comparison is weak: a proxy that compressed the answer has put W/ before the validator.
    return etag in {known.removeprefix("W/") for known in parse_etags(if_none_match)}
