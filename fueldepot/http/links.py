"""URLs by the names of routes, which belong to layers above."""

from functools import lru_cache

from django.conf import settings
from django.urls import reverse


def site_url(path: str) -> str:
    return settings.SITE_URL + path


@lru_cache(maxsize=200)
def route_path(name: str, *args: str) -> str:
    """Return the cached path of a route with few possible arguments, such as slugs of voivodeships."""
    return reverse(name, args=args)


def documentation_url() -> str:
    """Return the URL of the rules of use, which is part of error bodies."""
    return site_url(route_path("api-rules"))
