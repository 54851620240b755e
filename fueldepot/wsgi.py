"""WSGI application for gunicorn, configured by the environment only."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from fueldepot.data import connections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
application = get_wsgi_application()

if settings.SENTRY_DSN:
    from fueldepot.monitoring import error_reports

    error_reports.start()

connections.limit_statements()
