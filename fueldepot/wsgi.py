"""WSGI application for gunicorn, configured by the environment only."""

import os
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application

from fueldepot.data import snapshot

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
application = get_wsgi_application()


class Request(WSGIRequest):
    """A request that notes the charset of its Content-Type as `encoding`, and decodes nothing by it.

    Django decodes the query as soon as it has a charset, and the options of the Content-Type (RFC 2231), before any
    middleware: what fails there has no error page. A Content-Type that fails counts as missing.
    """

    encoding: str | None = None

    def __init__(self, environ: dict[str, Any]) -> None:
        try:
            super().__init__(environ)
        except ValueError:
            super().__init__(environ | {"CONTENT_TYPE": ""})


application.request_class = Request

if settings.SENTRY_DSN:
    from fueldepot import monitoring

    monitoring.start_error_reports()

snapshot.limit_statements()
