"""Pictures and icons of pages: agreement with the lists beside them, areas and names below maps, the preview image.

Pages that other sites frame, and that nothing else may be framed.
"""

import gzip
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import find
from django.utils import timezone

from catalog.links import depot_path
from catalog.models import Dataset, Depot
from catalog.parsing.opening_hours import weekly_hours
from catalog.search import entries
from fueldepot.data import snapshot
from fueldepot.http import cache_control
from pages.polish import day as day_in_words
from pages.svg import cached_maps
from prices.medians import months_before
from tests import factories
from tests.pages.reading import KRAKOW, NOINDEX, ZAKOPANE, expect, missing, present, read, text_of
from tests.regulations.factories import DeadlineFactory, LegalStateFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

DOT = re.compile(r'<g class="dot[^>]*><circle[^>]*/><text[^>]*>([^<]+)</text></g>')


def picture_of(html, kind):
    """Return the first figure of a kind; its SVG is well-formed."""
    figure = re.search(rf'<figure class="picture {kind}.*?</figure>', html, re.DOTALL)[0]
    svg = re.search(r"<svg.*</svg>", figure, re.DOTALL)[0]
    ElementTree.fromstring(svg.replace("&nbsp;", " "))  # noqa: S314 - our own answer
    assert 'role="img"' in svg or 'role="group"' in svg
    assert all(f'id="{name}"' in svg for name in re.search(r'aria-labelledby="([^"]+)"', svg)[1].split())
    assert not re.search(r"\sstyle=|<style|<script|\son[a-z]+=", figure)
    assert not re.search(r'="-?[0-9]+,[0-9]', svg), "numbers must be written with a point"
    return figure


def map_of(client, path, **query):
    return picture_of(read(client, path, **query), "map")


@pytest.fixture
def krakow():
    factories.BoundaryFactory()
    factories.BoundaryFactory(municipality=factories.zakopane(), lat=49.8, side_km=10)


def test_dots_have_the_numbers_of_the_list_and_maps_of_units_link_their_areas(client, krakow, depot):
    figure = map_of(client, "/sklady/malopolskie/")
    for path, unit in (
        (KRAKOW, "Kraków (gmina miejska, miasto na prawach powiatu): 1 skład"),
        (ZAKOPANE, "Zakopane (gmina miejska, powiat tatrzański): 0 składów"),
    ):
        assert f'<a href="{path}" tabindex="-1"><title>{unit}' in figure
    assert len(re.findall("<circle", figure)) == 2  # Kraków, and the legend
    assert '<a href="/sklady/malopolskie/" tabindex="-1"><title>województwo małopolskie' in map_of(client, "/")
    factories.DepotFactory(name="Żwir i węgiel", lat=50.1, lon=20.0)
    factories.DepotFactory(name="Antracyt", lat=50.02, lon=19.9)
    html = read(client, KRAKOW)
    assert DOT.findall(picture_of(html, "map")) == ["1", "2", "3"]
    assert re.findall(r'<li value="(\d+)"', html) == ["1", "2", "3"]
    assert "Granice: GUGiK" in html
    assert "© autorzy" in picture_of(html, "map")


def test_the_point_of_the_reader_is_drawn_and_that_of_the_municipality_not(client, krakow, depot):
    factories.DepotFactory(name="Antracyt", lat=50.07, lon=19.94)
    figure = map_of(client, KRAKOW, p="50.07,19.94")
    assert (DOT.findall(figure), 'class="origin"' in figure) == (["1", "2"], True)
    depot.delete()
    figure = map_of(client, ZAKOPANE)
    assert (DOT.findall(figure), 'class="origin"' in figure) == (["1"], False)


def test_invented_depots_and_guessed_borders_credit_nobody_else(client):
    factories.BoundaryFactory(approximate=True)
    factories.DepotFactory(demonstration=True)
    figure = map_of(client, KRAKOW)
    assert present(figure, "Granice przybliżone", "OpenStreetMap", "GUGiK") == ["Granice przybliżone"]


@pytest.mark.parametrize(("own", "other"), [("osm", None), ("osm", "editor"), ("editor", "osm")])
def test_the_map_of_a_depot_credits_the_sources_of_all_it_shows(client, krakow, own, other):
    depot = factories.DepotFactory(source=own)
    if other:
        factories.DepotFactory(source=other, lat=depot.lat + 0.01, lon=depot.lon)
    assert "© autorzy" in map_of(client, depot_path(depot.pk, depot.name))


def test_the_map_follows_the_territory(client, krakow):
    def voivodeships():
        drawn = cached_maps.country_map(lambda slug, name: cached_maps.maps.MapUnit(slug, name))
        return [link.unit.title for link in drawn.links]

    client.get("/")
    assert voivodeships() == ["małopolskie"]
    factories.BoundaryFactory(municipality=factories.warszawa(), lat=52.2, lon=21.0)
    snapshot.invalidate()
    assert voivodeships() == ["małopolskie", "mazowieckie"]


@pytest.fixture
def prices():
    """Create three prices of pellet in Kraków in each of two months with a gap between them."""
    today = timezone.localdate()
    earlier = (today.replace(day=1) - timezone.timedelta(days=45)).replace(day=1)
    for day in (today, earlier):
        factories.price_depots(1400, 1500, 1600, day=day)


def test_months_and_voivodeships_of_a_fuel_are_drawn_and_compared_with_the_country(client, krakow, prices):
    html = read(client, "/ceny/pellet/")
    figure = picture_of(html, "chart")
    assert figure.count('class="bar"') == 2
    assert "<polyline" not in figure, "a month is missing between the two"
    assert "Tabela miesięcy" in html
    assert "1 500" in text_of(client.get("/ceny/pellet/")).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "<title>województwo małopolskie: 1\N{NO-BREAK SPACE}500,00\N{NO-BREAK SPACE}zł za tonę" in html
    # The number of the lowest value may stand on the lowest line, so it has a border of the ground's colour.
    page = Path(find("pages/site.css")).read_text("utf-8")
    file = client.get("/ceny/pellet.svg").content.decode()
    for style, selector in ((page, r"\.chart \.value"), (file, r"(?<!, )\.value")):
        (rule,) = re.findall(selector + r" {([^}]*)}", style)
        assert not missing(rule, "stroke-width: 3", "paint-order: stroke")
    figure = picture_of(read(client, "/ceny/pellet/malopolskie/"), "chart")
    assert not missing(figure, 'class="reference"', "Linia przerywana: Polska, mediana ostatnich 6 miesięcy")
    assert "województwo małopolskie: mediany miesięczne" in figure


def test_without_anything_to_show_there_is_no_picture(client):
    factories.zakopane()
    factories.VoivodeshipFactory(teryt="20", name="podlaskie")
    prices = "/ceny/brykiet/", "/ceny/brykiet/malopolskie/"
    for path in (ZAKOPANE, "/sklady/malopolskie/", *prices, "/przepisy/podlaskie/"):
        assert "<figure" not in read(client, path), path


def test_official_averages_show_their_gaps(client):
    for year, price in [(2003, "443.92"), (2006, "491.54"), (2007, "500.00")]:
        factories.average(year, price)
    html = read(client, "/ceny/gus/")
    figure = picture_of(html, "chart")
    assert "brak danych za 2004–2005." in figure
    assert figure.count("<polyline") == 1
    assert not missing(html, "443,92", "491,54", "500,00")


def test_deadlines_on_a_line(client):
    LegalStateFactory(as_of=timezone.localdate())
    DeadlineFactory(krakow=True, date="2019-09-01")
    DeadlineFactory(outside_krakow=True, date="2999-01-01", applies_to="<kotły> & piece")
    figure = picture_of(read(client, "/przepisy/malopolskie/"), "timeline")
    assert (figure.count('class="past"'), figure.count('class="next"')) == (1, 1)
    assert "&lt;kotły&gt; &amp; piece" in figure
    # What does not bind a municipality is not on its line.
    assert 'class="next"' not in read(client, "/przepisy/malopolskie/", teryt="1261011")


def test_a_page_is_small(client, krakow):
    for number, row in enumerate(rows := factories.DepotFactory.build_batch(100, municipality=factories.krakow())):
        row.name, row.lat, row.lon = f"Skład {number}", 50.0 + number / 1000, 19.9 + (number * 37 % 100) / 1000
    Depot.objects.bulk_create(rows)
    html = read(client, KRAKOW)
    figure = picture_of(html, "map")
    assert len(gzip.compress(figure.encode())) < 8_000
    assert len(gzip.compress(html.replace(figure, "").encode())) < 60_000
    assert "Litery oznaczają po kilka składów obok siebie" in figure
    numbers = {int(number) for number in DOT.findall(figure) if number.isdigit()}
    grouped = {int(number) for row in re.findall(r"<dd>([\d, ]+)</dd>", figure) for number in row.split(",")}
    assert numbers | grouped == set(range(1, 101))


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


def test_names_for_maps_without_tiles_end_the_copies_of_a_map_when_they_are_new(client):
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
    html, style = client.get("/").content.decode(), Path(finders.find("pages/site.css")).read_text(encoding="utf-8")
    ground, band = answer.json()["background_color"], answer.json()["theme_color"]
    assert not missing(style, f"--ground: {ground};", f"--band: {band};")
    assert f'<meta name="theme-color" content="{band}">' in html
    picture = re.search(r'<meta property="og:image" content="http://127.0.0.1:8000/static/([^"]+)">', html)[1]
    touch = re.search(r'<link rel="apple-touch-icon" href="/static/([^"]+)">', html)[1]
    assert finders.find(picture)
    assert finders.find(touch)
    assert '<link rel="manifest" href="/manifest.webmanifest">' in html


ANY = "frame-ancestors *"
MOST_BYTES = 10_000


@pytest.fixture
def framed():
    rows = [factories.DepotFactory(name=f"Opał {n}", fuels=["pellet"], lat=50.06 + n / 1000) for n in range(7)]
    for row, amount in zip(rows, (1500, 1600, 1700), strict=False):
        factories.price_depots(amount, depot=row)
    return rows[0]


def embeds(depot):
    return ["/osadz/gmina/1261011/", f"/osadz/sklad/{depot.pk}/", "/osadz/ceny/pellet/"]


def test_embeds_are_small_and_may_be_framed_and_nothing_else(client, framed):
    for path in embeds(framed):
        answer = client.get(path)
        assert answer.status_code == 200
        assert ANY in answer["Content-Security-Policy"]
        assert (present(answer, "X-Frame-Options"), dict(answer.cookies)) == ([], {})
        html = answer.content.decode()
        assert (len(answer.content) < MOST_BYTES, "<script" in html) == (True, False)
        assert not missing(html, NOINDEX, '<link rel="canonical" href="http://127.0.0.1:8000/')
        assert client.get(path, headers={"if-none-match": answer["ETag"]}).status_code == 304
    for path in ["/", "/ceny/", f"/sklad/{framed.pk}-opal-0/", "/api/v1/stores?teryt=1261011", "/osadz/gmina/9999999/"]:
        answer = client.get(path)
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"


def test_embeds_say_what_their_pages_say_with_status_and_origin_and_pages_offer_their_line_of_html(client, framed):
    place, one, fuel = (text_of(client.get(path)) for path in embeds(framed))
    # The rules of use ask for status and origin of every quotation.
    assert place.count("Opał ") == place.count("; nieweryfikowane") == 5
    origin = "© autorzy OpenStreetMap, licencja ODbL 1.0"
    assert not missing(one, "Opał 0", "1 500 zł/t", "Status wpisu: nieweryfikowane.", origin)
    assert "ODbL 1.0, © autorzy OpenStreetMap" in place
    assert "Polska 1 600 zł/t 3 ceny" in fuel
    pages = [KRAKOW, f"/sklad/{framed.pk}-opal-0/", "/ceny/pellet/"]
    for page, path in zip(pages, embeds(framed), strict=True):
        (line,) = re.findall(r"<code>(&lt;iframe .*?)</code>", client.get(page).content.decode())
        assert f"http://127.0.0.1:8000{path}" in line
    framed.name = 'Opał "Nowak" & Syn'
    framed.save()
    (line,) = re.findall(r"<code>(&lt;iframe .*?)</code>", client.get(pages[1], follow=True).content.decode())
    assert unescape(line).count('"') == 12
    assert 'title="Opał &#34;Nowak&#34; &amp; Syn' in unescape(line)


def test_embeds_with_known_hours_say_that_these_ignore_holidays(client, framed):
    def say_it():
        return ["Stałe godziny nie uwzględniają świąt." in text_of(client.get(path)) for path in embeds(framed)]

    assert say_it() == [False, False, False]
    framed.hours, framed.opening_hours = weekly_hours("Mo-Fr 08:00-16:00"), "Mo-Fr 08:00-16:00"
    framed.save()
    assert say_it() == [True, True, False]


def test_a_depot_outside_the_municipality_is_said_to_be_outside(client, framed):
    place = factories.nowy_targ_rural()
    factories.BoundaryFactory(municipality=place, lon=19.7, side_km=2)
    factories.DepotFactory(municipality=place, name="Opał z gminy", lat=50.06, lon=19.7)
    text = text_of(client.get("/osadz/gmina/1211092/"))
    assert (text.count("Opał"), text.count("poza gminą; ")) == (5, 4)
    assert "Opał z gminy poza" not in text


def test_a_removed_depot_is_in_no_embed_what_was_merged_leads_to_the_other_one_and_what_never_was_is_404(client):
    gone = factories.DepotFactory(name="Opał Nowak", removed=True)
    answer = client.get(f"/osadz/sklad/{gone.pk}/")
    expect(answer, "Powód: ", status=410, without=["Nowak"])
    assert answer["Cache-Control"] == "public, max-age=60"
    assert ANY in answer["Content-Security-Policy"]
    for path in ("/osadz/gmina/abc/", "/osadz/sklad/999999/", "/osadz/ceny/nic/"):
        assert client.get(path).status_code == 404
    other, former = factories.DepotFactory(), factories.FormerMunicipalityFactory(successor_id="1261011")
    merged = factories.DepotFactory(removed=True, removal_reason="duplicate", merged_into=other)
    for path, to in ((f"sklad/{merged.pk}", f"sklad/{other.pk}"), (f"gmina/{former.pk}", "gmina/1261011")):
        answer = client.get(f"/osadz/{path}/")
        assert (answer.status_code, answer["Location"]) == (301, f"/osadz/{to}/")


def test_a_chart_is_a_picture_of_its_own_with_source_and_day(client):
    for months in range(2):
        factories.price_depots(1400, 1500, 1600, day=months_before(timezone.localdate(), months))
    for path in ("/ceny/pellet", "/ceny/pellet/malopolskie"):
        assert f'href="{path}.svg"' in client.get(f"{path}/").content.decode()
        answer = client.get(f"{path}.svg")
        assert answer["Content-Type"] == "image/svg+xml"
        assert answer["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"
        drawn = ElementTree.fromstring(answer.content)  # noqa: S314 - our own answer
        said = " ".join(drawn.itertext())
        assert not missing(said, f"http://127.0.0.1:8000{path}/", f"Stan na {day_in_words(timezone.localdate())}")
        assert len(drawn.findall(".//{http://www.w3.org/2000/svg}circle")) == 2
    assert client.get("/ceny/pellet/lubelskie.svg").status_code == 404
    assert 'lubelskie.svg"' not in client.get("/ceny/pellet/lubelskie/").content.decode()
    assert client.get("/ceny/ropa.svg").status_code == 404
