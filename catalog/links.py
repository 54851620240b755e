"""URLs of pages and API resources.

Pages belong to a layer above, so routes are reversed by name: once per process, with marks that no route has and no
slug is, which are then replaced. Reversing a hundred URLs would take longer than the answer.
"""

from functools import lru_cache
from urllib.parse import urlencode

from catalog.text import slug
from fueldepot.http.links import route_path, site_url


def municipality_path(voivodeship_slug: str, municipality_slug: str, teryt: str, **query: str) -> str:
    """Canonical path of a municipality's page.

    query: `kod` (a postcode), `p` ("lat,lon") with `miejsce` (a name), or `paliwo` (a fuel).
    """
    path = route_path("municipality", "xunitx", "xslugx", "9999999")
    path = path.replace("xunitx", voivodeship_slug).replace("xslugx", municipality_slug).replace("9999999", teryt)
    return f"{path}?{urlencode(query, safe=',')}" if query else path


def municipality_url(voivodeship_slug: str, municipality_slug: str, teryt: str, **query: str) -> str:
    return site_url(municipality_path(voivodeship_slug, municipality_slug, teryt, **query))


depot_slug = lru_cache(maxsize=10_000)(slug)


def depot_path(depot_id: int, name: str) -> str:
    path = route_path("depot", "999999999", "xslugx")
    return path.replace("999999999", str(depot_id)).replace("xslugx", depot_slug(name))


def depot_url(depot_id: int, name: str) -> str:
    return site_url(depot_path(depot_id, name))
