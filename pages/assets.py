"""Views of assets of pages: areas of a map, and the web application manifest."""

import orjson
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from catalog.models import Dataset
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.links import route_path
from pages.svg import territory as territory_svg

ICONS = (("pages/icon-192.png", "192x192", "image/png"), ("pages/icon-512.png", "512x512", "image/png"))


@require_safe
@conditional(Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES, cache_control=cache_control.REGISTER)
def surroundings(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> HttpResponse:
    """Answer with a municipality and its surroundings as GeoJSON. Takes some milliseconds."""
    outlines = territory_svg.surroundings(teryt)
    if outlines is None:
        raise Http404
    return HttpResponse(orjson.dumps(outlines), content_type="application/geo+json")


@require_safe
@conditional(cache_control=cache_control.REGISTER)
def manifest(request: HttpRequest) -> HttpResponse:
    """Answer with the Web Application Manifest, for a site on the home screen."""
    content = {
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "lang": "pl",
        "start_url": route_path("home"),
        "scope": route_path("home"),
        "display": "minimal-ui",
        "background_color": "#fbfaf7",
        "theme_color": "#0b5a47",
        "icons": [{"src": staticfiles_storage.url(name), "sizes": sizes, "type": kind} for name, sizes, kind in ICONS],
    }
    return HttpResponse(orjson.dumps(content), content_type="application/manifest+json")
