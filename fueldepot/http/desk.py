"""Middlewares that only the editors' desk and the forms need: sessions, accounts, tokens, messages, histories.

The API and the pages bypass them: they take no cookie, and answer everybody the same.
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
"""The desk, the forms, and the state of a submission. Everything else is public and answered from snapshots."""


def is_desk_or_form(request: HttpRequest) -> bool:
    """Tell whether a request is about the desk or a form."""
    return PATHS.match(request.path) is not None


class DeskOnly:
    """Mixin: let only the desk and the forms pass through a middleware."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if is_desk_or_form(request):
            return super().__call__(request)  # type: ignore[misc] # of the middleware
        return self.get_response(request)


class DeskSessionMiddleware(DeskOnly, SessionMiddleware):
    """Sessions."""


class DeskCsrfViewMiddleware(DeskOnly, CsrfViewMiddleware):
    """Tokens of forms. A POST to a view that is not exempt is refused wherever that view is."""


class DeskAuthenticationMiddleware(DeskOnly, AuthenticationMiddleware):
    """Accounts of editors."""


class DeskMessageMiddleware(DeskOnly, MessageMiddleware):
    """Messages to editors."""


def desk_history(get_response: View) -> View:
    """Tell the histories of rows who changes them."""
    noting: View = HistoryRequestMiddleware(get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        return (noting if is_desk_or_form(request) else get_response)(request)

    return answer
