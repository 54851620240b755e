"""The smallest Django application without middleware, to measure framework and server alone."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

settings.configure(SECRET_KEY="bench", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, MIDDLEWARE=[])


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b'{"status": "ok"}', content_type="application/json")


urlpatterns = [path("bare", bare)]
application = get_wsgi_application()
