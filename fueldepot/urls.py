"""Routes of the site, and error handlers."""

from datetime import timedelta

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import include, path, re_path, reverse
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.generic import RedirectView

from catalog.admin import accounts
from fueldepot import api, errors, monitoring
from fueldepot.desk import logins
from fueldepot.http.cache_control import REGISTER
from fueldepot.http.views import private, read_only
from fueldepot.mcp.protocol import mcp

SECURITY_TXT_VALID = timedelta(days=180)


@read_only
@cache_control(public=True, max_age=86_400)
def icon(request: HttpRequest) -> HttpResponse:
    """Icon at the default path, for pages without a link to it, as in the admin."""
    return HttpResponseRedirect(static("pages/icon.svg"))


@read_only
def security_txt(request: HttpRequest) -> HttpResponse:
    """Contact for vulnerability reports (RFC 9116); 404 if the operator named none."""
    if not settings.CONTACT_EMAIL:
        raise Http404
    lines = [
        f"Contact: mailto:{settings.CONTACT_EMAIL}",
        f"Expires: {timezone.localdate() + SECURITY_TXT_VALID}T00:00:00Z",
        "Preferred-Languages: pl, en",
        f"Canonical: {settings.SITE_URL}{reverse('security-txt')}",
    ]
    body = "".join(f"{line}\n" for line in lines)
    return HttpResponse(body, content_type="text/plain; charset=utf-8", headers={"Cache-Control": REGISTER})


handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.page_not_found
handler500 = errors.server_error

titles = {"site_header": admin.site.site_header, "site_title": admin.site.site_title}

urlpatterns = [
    path("api/v1", api.index, name="api-index"),
    # For clients that join the description's server and path "/".
    path("api/v1/", api.index),
    path("api/v1/", include((api.v1, "v1"))),
    re_path(r"^api/(?!index\.html\.md\Z)[\s\S]", errors.unknown_path),
    path("admin/haslo/", include(accounts.urls(titles, logins.PasswordView))),
    path("mcp", mcp, name="mcp"),
    # For clients configured with a slash: many do not follow a redirect of a POST.
    path("mcp/", mcp),
    path("healthz", monitoring.liveness),
    path("readyz", monitoring.readiness),
    path("favicon.ico", icon),
    path(".well-known/security.txt", security_txt, name="security-txt"),
    # Bookmarks of former addresses.
    *(
        re_path(former, private(RedirectView.as_view(url=url, query_string=True, permanent=True)))
        for former, url in (
            (r"^admin/catalog/depotrequest/(?P<rest>.*)$", "/admin/catalog/submission/%(rest)s"),
            (r"^admin/dziennik/(?P<rest>(dni/)?)$", "/admin/catalog/decision/%(rest)s"),
            (r"^admin/catalog/depotbatch/.*$", "/admin/catalog/decision/"),
        )
    ),
    path("admin/", admin.site.urls),
    path("", include("pages.urls")),
]

if settings.METRICS:
    urlpatterns.insert(0, path("metrics", monitoring.metrics, name="metrics"))
