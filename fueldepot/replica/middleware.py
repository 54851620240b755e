"""The database of a request, chosen before anything is read, and once more when the replica fails it."""

from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.db import connections
from django.http import HttpRequest, HttpResponse

from catalog import databases
from fueldepot.postgresql import patience
from fueldepot.replica.pinning import is_pinned, keep_private, pin
from fueldepot.replica.watch import watch

Answer = Callable[[HttpRequest], HttpResponse]

FAILED = 500
"""Answers from this status on may be the replica's fault."""


def choose_database(get_response: Answer) -> Answer:
    """Let GET and HEAD outside the admin read the replica while it is near, and everything else the primary.

    What a replica fails is asked of the primary in the same request: reading changes nothing, so it can be begun anew.
    """
    if not databases.has_replica():
        raise MiddlewareNotUsed

    def answer(request: HttpRequest) -> HttpResponse:
        if request.method not in {"GET", "HEAD", "OPTIONS"}:
            return change(request)
        if request.path.startswith("/admin/"):
            return get_response(request)
        pinned = is_pinned(request)
        seen = watch.current()
        # While the primary is away, its last changes are best looked for in the replica.
        use_replica = not seen.problem and not (pinned and seen.primary)
        response = read_replica(request) if use_replica else get_response(request)
        if pinned:
            keep_private(response)
        return response

    def change(request: HttpRequest) -> HttpResponse:
        with databases.watching_writes():
            response = get_response(request)
            if databases.wrote() and response.status_code < FAILED:
                pin(response)
            return response

    def read_replica(request: HttpRequest) -> HttpResponse:
        replica = connections[databases.REPLICA]
        replica.errors_occurred = False
        with databases.using(databases.REPLICA):
            response = get_response(request)
        if response.status_code < FAILED or not replica.errors_occurred:
            return response
        watch.note_failure()
        patience.grant(patience.SECOND_TRY_S)
        return get_response(request)

    return answer
