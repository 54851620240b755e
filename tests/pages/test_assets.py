"""Assets of pages: GeoJSON of maps, manifest, preview image."""

import re

import pytest
from django.contrib.staticfiles import finders

from catalog.models import Dataset
from catalog.search import entries
from fueldepot.http import cache_control
from tests import factories
from tests.pages.reading import KRAKOW

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]


def test_areas_below_a_map(client):
    factories.BoundaryFactory(lat=50.06, lon=19.94, side_km=10)
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=50.0, lon=20.1, side_km=10)
    answer = client.get(f"{KRAKOW}granice.geojson")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("application/geo+json", cache_control.REGISTER)
    others, own = answer.json()["features"]
    assert (others["properties"], own["properties"]) == ({"own": False}, {"own": True})
    lons, lats = zip(*own["geometry"]["coordinates"][0], strict=True)
    assert [min(lats), max(lats)] == pytest.approx([50.015, 50.105], abs=0.002)
    assert [min(lons), max(lons)] == pytest.approx([19.87, 20.01], abs=0.005)
    assert f'data-outlines="{KRAKOW}granice.geojson"' in client.get(KRAKOW).content.decode()
    assert client.get(f"{KRAKOW}granice.geojson", headers={"If-None-Match": answer["ETag"]}).status_code == 304
    factories.warszawa()
    for path in ("/sklady/mazowieckie/warszawa-1465011/", "/sklady/malopolskie/krakow-9999999/", "/sklady/x/y-abc/"):
        assert client.get(f"{path}granice.geojson").status_code == 404, path


def test_names_for_maps_without_tiles(client):
    """Towns around, and what lies in the municipality itself, a kilometre apart."""
    factories.BoundaryFactory(lat=50.06, lon=19.94, side_km=10)
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=50.06, lon=20.08, side_km=10)
    near = {"municipality": factories.krakow(), "lat": 50.09}
    factories.PlaceFactory(name="Łobzów", lon=19.92, **near)
    factories.PlaceFactory(name="Za blisko", lon=19.9201, **near)
    factories.PlaceFactory(name="Antałówka", municipality=factories.zakopane(), lat=50.06, lon=20.05)
    factories.PostcodeFactory(code="30-001", lat=50.04, lon=19.95)
    factories.PostcodeFactory(code="31-000", lat=50.02, lon=19.90)
    entries.rebuild_index()
    names = client.get(f"{KRAKOW}granice.geojson").json()["names"]
    assert {name for _, _, name in names} >= {"Kraków", "Zakopane", "Łobzów"}
    assert not {name for _, _, name in names} & {"Za blisko", "Antałówka"}
    assert [50.02, 19.9, "31-000"] in names


def test_new_names_end_the_copies_of_a_map(client):
    factories.BoundaryFactory(lat=50.06, lon=19.94, side_km=10)
    for slug in (Dataset.Slug.PLACES, Dataset.Slug.POSTCODES):
        validator = client.get(f"{KRAKOW}granice.geojson")["ETag"]
        Dataset.objects.bump_version(slug)
        assert client.get(f"{KRAKOW}granice.geojson", headers={"If-None-Match": validator}).status_code == 200, slug


def test_pages_name_the_manifest_and_both_pictures_and_icons_that_exist(client, settings):
    settings.SITE_NAME = "Opał & Żar"
    answer = client.get("/manifest.webmanifest")
    assert (answer["Content-Type"], answer.json()["name"]) == ("application/manifest+json", "Opał & Żar")
    assert [icon["sizes"] for icon in answer.json()["icons"]] == ["192x192", "512x512"]
    for icon in answer.json()["icons"]:
        assert finders.find(icon["src"].removeprefix("/static/"))
    html = client.get("/").content.decode()
    picture = re.search(r'<meta property="og:image" content="http://127.0.0.1:8000/static/([^"]+)">', html)[1]
    touch = re.search(r'<link rel="apple-touch-icon" href="/static/([^"]+)">', html)[1]
    assert finders.find(picture)
    assert finders.find(touch)
    assert '<link rel="manifest" href="/manifest.webmanifest">' in html
