"""The whole service, and beside it a bare Django view that returns a constant: what every ratio is measured against."""

from fueldepot.wsgi import application  # sets Django up, which the routes need

# isort: split
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path

from fueldepot import urls

BODY = b'{"status": "ok"}'


def bare(request: HttpRequest) -> HttpResponse:
    """A constant."""
    return HttpResponse(BODY, content_type="application/json")


handler400, handler500 = urls.handler400, urls.handler500
urlpatterns = [path("bare", bare), *urls.urlpatterns]
settings.ROOT_URLCONF = __name__

__all__ = ["application"]
