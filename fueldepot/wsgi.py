"""WSGI application for gunicorn, configured by the environment only."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from fueldepot.data import snapshot

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
application = get_wsgi_application()

if settings.SENTRY_DSN:
    from fueldepot import monitoring

    monitoring.start_error_reports()

snapshot.limit_statements()
