"""Values of `Cache-Control`.

Choose a lifetime that the data outlive: revalidation costs a 304 without a query, staleness cannot be undone.
"""

import re
from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone

REGISTER = "public, max-age=86400"
"""Names, codes, boundaries and yearly averages, which change a few times a year."""

CATALOG = "public, max-age=300"
"""Entries, prices, the legal state and pages, which change with every decision, and at midnight."""

DESCRIPTION = "public, max-age=3600"
"""Documents about the API, which change with a release only."""

GONE = "public, max-age=60"
"""Removed entries. Such a response replaces the entry in caches, which one with `no-store` does not."""

NO_STORE = "no-store"
"""Other errors, redirects of moved pages, answers about somebody's income, and the state of the service."""

SHARED = "s-maxage=1, stale-while-revalidate=4"
"""For our own proxy: a change is public after five seconds, and nobody waits for the revalidation.

RFC 9111, 5.2.2.10; RFC 5861, 3.
"""

OUTAGE = "stale-if-error=3600"
"""For our own proxy: how long it may serve a stale response while no application process responds. RFC 5861, 4.

The longest time that an entry may stay in a list after its removal.
"""


def seconds(value: str, directive: str) -> int:
    """Return the seconds of a directive. Raises KeyError without it."""
    return int(dict(part.split("=") for part in value.split(", ") if "=" in part)[directive])


def behind_cache(value: str, request: HttpRequest, *, in_outage: bool = True) -> str:
    """Return a value of `Cache-Control`, with `SHARED` if the proxy has a cache, and with `OUTAGE` if `in_outage`.

    It announces that by `Surrogate-Capability` (W3C, Edge Architecture Specification), as in
    `docs/deployment/fueldepot.nginx`.
    """
    if "HTTP_SURROGATE_CAPABILITY" not in request.META:
        return value
    return ", ".join([value, SHARED, *([OUTAGE] if in_outage else [])])


SHORT_S = 10
"""Shorter lifetimes are exact, also for our own proxy."""


def kept_until(end: datetime, usual: str, request: HttpRequest, *, in_outage: bool = True) -> str:
    """Return the usual value with a `max-age` that ends at most at a moment. in_outage: see `behind_cache`."""
    left = max(0, int((end - timezone.now()).total_seconds()))
    if left < SHORT_S:
        return f"public, max-age={left}"
    value = re.sub(r"(?<=max-age=)[0-9]+", lambda found: str(min(left, int(found[0]))), usual)
    return behind_cache(value, request, in_outage=in_outage)
