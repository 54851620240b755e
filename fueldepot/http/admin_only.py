"""Middleware for the editors' desk and the forms only: sessions, accounts, CSRF, messages, history.

The API and the pages bypass it: they read no cookie, and answer everybody the same.
"""

import re
from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from simple_history.middleware import HistoryRequestMiddleware

View = Callable[[HttpRequest], HttpResponse]

PATHS = re.compile(r"/(?:admin/|zgloszenia/|sklady/dodaj/|sklad/[0-9]+/)")
"""Paths of the desk, the forms, and the state of a submission. All others are public and served from snapshots."""


def is_desk_or_form(request: HttpRequest) -> bool:
    """Whether a request is for the desk or a form."""
    return PATHS.match(request.path) is not None


class DeskOnly:
    """Mixin: apply a middleware to the desk and the forms only."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if is_desk_or_form(request):
            return super().__call__(request)  # type: ignore[misc] # of the middleware
        return self.get_response(request)


class DeskSessionMiddleware(DeskOnly, SessionMiddleware):
    """Sessions."""


class DeskCsrfViewMiddleware(DeskOnly, CsrfViewMiddleware):
    """CSRF tokens. A POST to a view that is not exempt is refused on every path."""


class DeskAuthenticationMiddleware(DeskOnly, AuthenticationMiddleware):
    """Accounts of editors."""


class DeskMessageMiddleware(DeskOnly, MessageMiddleware):
    """Messages to editors."""


def desk_history(get_response: View) -> View:
    """Set the user of history rows."""
    noting: View = HistoryRequestMiddleware(get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        return (noting if is_desk_or_form(request) else get_response)(request)

    return answer
