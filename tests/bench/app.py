"""The whole service, and beside it a bare Django view that returns a constant: what every ratio is measured against."""

# isort: split
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path

# isort: split
# The routes import models, which must find the application set up.
from fueldepot import urls

BODY = b'{"status": "ok"}'


def bare(request: HttpRequest) -> HttpResponse:
    """A constant."""
    return HttpResponse(BODY, content_type="application/json")


handler400, handler500 = urls.handler400, urls.handler500
urlpatterns = [path("bare", bare), *urls.urlpatterns]
settings.ROOT_URLCONF = __name__
