"""Middlewares that only the editors' desk and the forms need: sessions, accounts, tokens, messages, histories.

The API and the pages pass them by: they take no cookie, and what they answer is the same for everybody.
"""

import re
from collections.abc import Callable

from axes.middleware import AxesMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from simple_history.middleware import HistoryRequestMiddleware

PATHS = re.compile(r"/(?:admin/|zgloszenia/|sklady/dodaj/|sklad/[0-9]+/)")
"""The desk, the forms, and the state of a request. Everything else is public and answered from snapshots."""


def is_desk_or_form(request: HttpRequest) -> bool:
    """Tell whether a request is about the desk or a form."""
    return PATHS.match(request.path) is not None


class DeskOnly:
    """Pass everything but the desk and the forms by the middleware that this is mixed into."""

    get_response: Callable[[HttpRequest], HttpResponse]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_desk_or_form(request):
            return super().__call__(request)  # type: ignore[misc,no-any-return] # of the middleware
        return self.get_response(request)


class DeskSessionMiddleware(DeskOnly, SessionMiddleware):
    """Sessions."""


class DeskCsrfViewMiddleware(DeskOnly, CsrfViewMiddleware):
    """Tokens of forms. It still refuses an untrusted POST to a view that is not exempt, wherever that is."""


class DeskAuthenticationMiddleware(DeskOnly, AuthenticationMiddleware):
    """Accounts of editors."""


class DeskMessageMiddleware(DeskOnly, MessageMiddleware):
    """Messages to editors."""


class DeskHistoryMiddleware(DeskOnly, HistoryRequestMiddleware):
    """Who changes a row."""


class DeskAxesMiddleware(DeskOnly, AxesMiddleware):
    """Throttled logins."""
