from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from catalog.depots.snapshot import OSM_COPYRIGHT

OSM = f'© autorzy <a href="{OSM_COPYRIGHT}">OpenStreetMap</a>'


def site(request: HttpRequest) -> dict[str, str]:
    """Return the variables of every template: name and URL of the site, source of the map tiles."""
    return {
        "site_name": settings.SITE_NAME,
        "site_address": settings.SITE_URL,
        "tiles_url": settings.MAP_TILES_URL,
        "tiles_credit": f"{OSM}, {urlsplit(settings.MAP_TILES_URL).hostname}",
    }
