"""What browsers are told to allow our pages, and whom to tell of a hole."""

from collections.abc import Callable
from datetime import datetime, time, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from fueldepot.http.cache_control import REGISTER

STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Everything comes from this site, and nothing is written into a page that a browser would run or style by."""

ADMIN = STRICT.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""The admin's own pages set styles on elements. Scripts stay strict."""

DATA = "default-src 'none'; frame-ancestors 'none'"
"""Of answers that are no pages: a browser that shows one all the same loads nothing for it."""

PERMISSIONS = "geolocation=(self), camera=(), microphone=(), payment=(), usb=(), browsing-topics=()"
"""The search can use the reader's position; nothing else of a browser is ever wanted."""

SECURITY_TXT_VALID = timedelta(days=180)


def add_policies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add the content security policy and the permissions policy to every answer that has none."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        headers = response.headers
        is_page = headers.get("Content-Type", "").startswith("text/html")
        if "Content-Security-Policy" not in headers:
            pages = ADMIN if request.path.startswith("/admin/") else STRICT
            headers["Content-Security-Policy"] = pages if is_page else DATA
        if is_page:
            headers["Permissions-Policy"] = PERMISSIONS
        return response

    return answer


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Whom to write to about a vulnerability (RFC 9116); 404 where the operator named nobody."""
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
