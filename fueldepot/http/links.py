"""URLs by the names of routes of layers above."""

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse


def site_url(path: str) -> str:
    return settings.SITE_URL + path


@lru_cache(maxsize=4_000)
def route_path(name: str, *args: str) -> str:
    """Return the path of a route. Cached: for arguments of some thousand values at most, such as codes."""
    return reverse(name, args=args)


def route_url(name: str, *args: str) -> str:
    return site_url(route_path(name, *args))


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
