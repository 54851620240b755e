"""Content security policy, permissions policy and security.txt."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fueldepot.http.cache_control import REGISTER

STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Everything from this site; no inline scripts or styles."""

ADMIN = STRICT.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""Django's admin has inline styles. Scripts stay strict."""

DATA = "default-src 'none'; frame-ancestors 'none'"
"""For responses that are no pages: a browser that shows them loads nothing else."""

PERMISSIONS = "geolocation=(self), camera=(), microphone=(), payment=(), usb=(), browsing-topics=()"
"""The search can use the reader's position; other features are off."""

SECURITY_TXT_VALID = timedelta(days=180)


def add_policies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add the content security policy and the permissions policy to responses without one."""

    strict, admin = (allow_tiles(policy, settings.MAP_TILES_URL) for policy in (STRICT, ADMIN))

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        headers = response.headers
        is_page = headers.get("Content-Type", "").startswith("text/html")
        if "Content-Security-Policy" not in headers:
            pages = admin if request.path.startswith("/admin/") else strict
            headers["Content-Security-Policy"] = pages if is_page else DATA
        if is_page:
            headers["Permissions-Policy"] = PERMISSIONS
        return response

    return answer


def allow_tiles(policy: str, url: str) -> str:
    """Return a policy that allows map tiles of the operator's choice. url: "" for none."""
    if not url:
        return policy
    parts = urlsplit(url)
    return policy.replace("img-src 'self'", f"img-src 'self' {parts.scheme}://{parts.netloc.replace('{s}', '*')}")


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Contact for vulnerability reports (RFC 9116); 404 if the operator named none."""
    if not settings.CONTACT_EMAIL:
        raise Http404
    until = timezone.localdate() + SECURITY_TXT_VALID
    lines = [
        f"Contact: mailto:{settings.CONTACT_EMAIL}",
        f"Expires: {datetime.combine(until, time.min).isoformat()}Z",
        "Preferred-Languages: pl, en",
        f"Canonical: {settings.SITE_URL}{reverse('security-txt')}",
    ]
    return HttpResponse(
        "\n".join(lines) + "\n", content_type="text/plain; charset=utf-8", headers={"Cache-Control": REGISTER}
    )
