"""The movable map of a position, with a pin and the borders around; `pages/position.js` draws it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from catalog.models import Municipality


@dataclass(frozen=True, slots=True)
class LiveMap:
    """Data of the map. before, after: stored and proposed position as "lat,lon", "" if missing.

    outlines: URL of the outlines around the municipality, "" for none. tiles: `MAP_TILES_URL`. credit: of the tiles.
    """

    before: str
    after: str
    outlines: str
    tiles: str
    credit: str


def live_map(
    municipality: Municipality | None, before: tuple[float, float] | None, after: tuple[float, float] | None = None
) -> LiveMap:
    """Return the map of a position. Reads the voivodeship of the municipality."""
    tiles = settings.MAP_TILES_URL
    return LiveMap(
        before="{:.6f},{:.6f}".format(*before) if before else "",
        after="{:.6f},{:.6f}".format(*after) if after else "",
        outlines=reverse("surroundings", args=[municipality.voivodeship.slug, municipality.slug, municipality.teryt])
        if municipality
        else "",
        tiles=tiles,
        credit=f"© OpenStreetMap, {urlsplit(tiles).hostname}" if tiles else "",
    )
