"""Every route of the site, and who answers when none fits."""

import sys

from django.contrib import admin
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path, re_path
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from fueldepot import api, errors, health, security
from fueldepot.audit import audit
from pages import errors as page_errors


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400 in the form the caller expects."""
    if isinstance(exception, DisallowedHost):
        return errors.unknown_host(request)
    return errors.bad_request(request) if errors.is_api(request) else page_errors.bad_request(request)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 in the form the caller expects; 503 when it is the database that failed, wherever that was noticed."""
    error = sys.exception()
    if isinstance(error, errors.DATABASE_AWAY):
        return errors.unavailable(request, error)
    return errors.server_error(request) if errors.is_api(request) else page_errors.server_error(request)


@require_safe
@cache_control(public=True, max_age=86_400)
def icon(request: HttpRequest) -> HttpResponse:
    """The icon where browsers look for one by themselves, as on pages of the admin."""
    return HttpResponseRedirect(static("pages/icon.svg"))


handler400 = bad_request
handler403 = page_errors.forbidden
handler404 = page_errors.not_found
handler500 = server_error

urlpatterns = [
    path("api/v1/", include((api.v1, "v1"))),
    re_path(r"^api/(?!index\.html\.md$).", errors.unknown_path),
    path("admin/dziennik/", admin.site.admin_view(audit), name="audit"),
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("favicon.ico", icon),
    path(".well-known/security.txt", security.security_txt, name="security-txt"),
    path("admin/", admin.site.urls),
    path("", include("pages.urls")),
]
