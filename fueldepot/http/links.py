"""URLs by the names of routes of layers above, and those of the other pages of a list."""

from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from fueldepot.http.params import MAX_OFFSET


def site_url(path: str) -> str:
    return settings.SITE_URL + path


@lru_cache(maxsize=4_000)
def route_path(name: str, *args: str) -> str:
    """Return the path of a route. Cached: for arguments of some thousand values at most, such as codes."""
    return reverse(name, args=args)


def route_url(name: str, *args: str) -> str:
    return site_url(route_path(name, *args))


def link_pages(query: Any, total: int, route: str) -> str:
    """Return the `Link` header (RFC 8288) of a page of a list, without addresses of pages that do not exist.

    query: with `limit`, `offset`, and `query_string`, the parameters of another page.
    """
    end, begin = min(max(total - 1, 0), MAX_OFFSET), query.offset % query.limit
    last = end - (end - begin) % query.limit if begin <= end else 0
    offsets, before = {"first": 0}, min(query.offset, query.limit)
    if query.offset > 0:
        offsets["prev"] = min(query.offset - before, last)
    if query.offset + query.limit < total and query.offset + query.limit <= MAX_OFFSET:
        offsets["next"] = query.offset + query.limit
    offsets["last"] = last
    # Before a page that begins within the first one stands a shorter one, so that no row comes twice.
    limits = {**dict.fromkeys(offsets, query.limit), "prev": before}
    queries = {name: query.query_string(offset=offset, limit=limits[name]) for name, offset in offsets.items()}
    return ", ".join(f'<{route_url(route)}?{page}>; rel="{name}"' for name, page in queries.items())


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
