"""The whole service with a bare Django view, the reference of the ratios."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

application = get_wsgi_application()

from fueldepot import urls  # noqa: E402 - the models behind the routes need the line above

BODY = b'{"status": "ok"}'


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse(BODY, content_type="application/json")


handler400, handler500 = urls.handler400, urls.handler500
urlpatterns = [path("bare", bare), *urls.urlpatterns]
settings.ROOT_URLCONF = __name__
