"""Addresses of pages and answers.

Pages belong to a layer above, so their addresses are asked for by the names of their routes. The pattern of each route
is looked up once per process and then filled in, because reversing a hundred addresses would take longer than
answering.
"""

from functools import lru_cache

from django.conf import settings
from django.urls import reverse

from catalog.text import slug

# Letters and digits that no route holds, and that `reverse` passes unchanged.
VOIVODESHIP_MARK, SLUG_MARK, TERYT_MARK, ID_MARK = "xvoivodeshipx", "xslugx", "9999999", 999999999


def site_url(path: str) -> str:
    """The absolute address of a path of this site."""
    return settings.SITE_URL + path


@lru_cache(maxsize=200)
def route_path(name: str, *args: str) -> str:
    """The path of a route that few arguments fit, such as slugs of voivodeships, or none at all."""
    return reverse(name, args=args)


@lru_cache
def municipality_pattern() -> str:
    path = reverse("municipality", args=[VOIVODESHIP_MARK, SLUG_MARK, TERYT_MARK])
    return path.replace(VOIVODESHIP_MARK, "{0}").replace(SLUG_MARK, "{1}").replace(TERYT_MARK, "{2}")


@lru_cache
def depot_pattern() -> str:
    path = reverse("depot", args=[ID_MARK, SLUG_MARK])
    return path.replace(str(ID_MARK), "{0}").replace(SLUG_MARK, "{1}")


def municipality_path(voivodeship_slug: str, municipality_slug: str, teryt: str) -> str:
    """The one right path of a municipality's page."""
    return municipality_pattern().format(voivodeship_slug, municipality_slug, teryt)


def municipality_url(voivodeship_slug: str, municipality_slug: str, teryt: str, **query: str) -> str:
    """Page of a municipality. query: `kod` (a postcode) or `p` ("lat,lon"), neither of which needs quoting."""
    url = site_url(municipality_path(voivodeship_slug, municipality_slug, teryt))
    return f"{url}?{'&'.join(f'{name}={value}' for name, value in query.items())}" if query else url


@lru_cache(maxsize=10_000)
def depot_slug(name: str) -> str:
    """The name of a depot in its address."""
    return slug(name)


def depot_path(depot_id: int, name: str) -> str:
    """The one right path of a depot's page."""
    return depot_pattern().format(depot_id, depot_slug(name))


def depot_url(depot_id: int, name: str) -> str:
    """Page of a depot."""
    return site_url(depot_path(depot_id, name))


def documentation_url() -> str:
    """The rules of use, which every error body names."""
    return site_url(route_path("api-rules"))
