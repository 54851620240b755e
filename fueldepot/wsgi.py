"""The application that gunicorn serves. Settings come from the environment alone."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
application = get_wsgi_application()
