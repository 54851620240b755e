"""Who has just changed something reads the primary for a while, and so sees the change.

The mark is a signed cookie with its moment in it. It lasts a little longer than a replica may be behind: by then the
replica has the change, or is left out.
"""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

COOKIE = "after_change"
MARGIN_S = 5
"""For the looks at the replica: one a second, each of two seconds at most."""

_SALT = "fueldepot.replica.pinning"


def pin(response: HttpResponse) -> None:
    """Let whoever gets this answer read the primary from now on, for a while."""
    response.set_cookie(
        COOKIE,
        signing.dumps("", salt=_SALT),
        max_age=lasts_s(),
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def is_pinned(request: HttpRequest) -> bool:
    """Whether the caller has changed something a moment ago."""
    mark = request.COOKIES.get(COOKIE)
    if mark is None:
        return False
    try:
        signing.loads(mark, salt=_SALT, max_age=lasts_s())
    except signing.BadSignature:
        return False
    return True


def lasts_s() -> int:
    """Seconds for which the mark is good."""
    return int(settings.REPLICA_MAX_LAG_S) + MARGIN_S


def keep_private(response: HttpResponse) -> None:
    """Leave an answer to its caller alone. It is true, but ahead of what others are given at this moment."""
    if "public" in response.get("Cache-Control", ""):
        response["Cache-Control"] = "private, no-cache"
