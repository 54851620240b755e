"""URLs of pages and API resources.

Pages belong to a layer above, so routes are reversed by name. The pattern of each route is cached per process and
filled in: reversing a hundred URLs would take longer than the answer.
"""

from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse

from catalog.text import slug
from fueldepot.http.links import site_url


@lru_cache
def pattern(name: str, *marks: str) -> str:
    """Return the path of a route with "{}" for each argument. marks: such that no route has, nor `reverse` quotes."""
    path = reverse(name, args=marks)
    for mark in marks:
        path = path.replace(mark, "{}")
    return path


def municipality_path(voivodeship_slug: str, municipality_slug: str, teryt: str, **query: str) -> str:
    """Canonical path of a municipality's page.

    query: `kod` (a postcode), `p` ("lat,lon") with `miejsce` (a name), or `paliwo` (a fuel).
    """
    path = pattern("municipality", "xvoivodeshipx", "xslugx", "9999999")
    path = path.format(voivodeship_slug, municipality_slug, teryt)
    return f"{path}?{urlencode(query, safe=',')}" if query else path


def municipality_url(voivodeship_slug: str, municipality_slug: str, teryt: str, **query: str) -> str:
    return site_url(municipality_path(voivodeship_slug, municipality_slug, teryt, **query))


depot_slug = lru_cache(maxsize=10_000)(slug)


def depot_path(depot_id: int, name: str) -> str:
    return pattern("depot", "999999999", "xslugx").format(depot_id, depot_slug(name))


def depot_url(depot_id: int, name: str) -> str:
    return site_url(depot_path(depot_id, name))
