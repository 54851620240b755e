"""WSGI application for gunicorn, configured by the environment only."""

import os

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application

from fueldepot.data import snapshot

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
application = get_wsgi_application()


class Request(WSGIRequest):
    """A request that notes the charset of its Content-Type as `encoding`, and decodes nothing by it.

    Django decodes the query as soon as it has a charset, before any middleware: what fails there has no error page.
    """

    encoding: str | None = None


application.request_class = Request

if settings.SENTRY_DSN:
    from fueldepot import monitoring

    monitoring.start_error_reports()

snapshot.limit_statements()
