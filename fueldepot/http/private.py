"""Middleware of the desk and the forms only: PRIVATE_MIDDLEWARE of the settings, around views marked `private`.

All other views are public: they read no cookie, send no query, answer everybody the same, and pass none of these.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

View = TypeVar("View", bound=Callable[..., Any])


def private(view: View) -> View:
    """Mark a view as one of the desk or of a form. Decorator, outside all others."""
    view.is_private = True  # type: ignore[attr-defined] # as Django marks csrf_exempt
    return view


def is_private(request: HttpRequest) -> bool:
    """Whether the view of a resolved request is marked, or is Django's admin."""
    match = request.resolver_match
    return match is not None and ("admin" in match.app_names or getattr(match.func, "is_private", False))


@cache
def layers() -> tuple[Callable[..., Any], ...]:
    """Return PRIVATE_MIDDLEWARE, the innermost first."""
    return tuple(import_string(name) for name in reversed(settings.PRIVATE_MIDDLEWARE))


class PrivateViewMiddleware:
    """Runs private views within PRIVATE_MIDDLEWARE. The last of MIDDLEWARE: other `process_view` would be skipped."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Return the response of a private view, None for a public one, which Django then calls itself."""
        if not is_private(request):
            return None

        def answer(request: HttpRequest) -> Any:
            response = view(request, *args, **kwargs)
            # Here, as templates use the user and the messages.
            return response.render() if hasattr(response, "render") else response

        handler: Any = convert_exception_to_response(answer)
        for layer in layers():
            handler = convert_exception_to_response(layer(handler))
        response: HttpResponse = handler(request)
        return response
