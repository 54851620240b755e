"""The whole country from the publishers' files: every depot and every border, checked by other means than our own."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyproj
import pytest
import shapefile
import shapely
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from catalog import models
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.snapshot import territory
from tests import ROOT, SHARED
from tests.client import build_snapshots, share_snapshots
from tests.commands import run
from tests.pages.crawler import check_pages
from tests.pages.reading import missing

SHARED_DATA = SHARED / "data"

pytestmark = [
    pytest.mark.full_scale,
    pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the publishers' files are not here: ../shared/data"),
]


@pytest.fixture(scope="module")
def country(django_db_setup, django_db_blocker) -> Iterator[str]:
    """The catalog after one import of the whole directory. Gives what the import printed."""
    with django_db_blocker.unblock():
        printed = run("import_data", SHARED_DATA, commit=True)
        with share_snapshots():
            yield printed
        tables = [model._meta.db_table for model in apps.get_app_config("catalog").get_models()]
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")


@pytest.fixture(scope="module")
def official() -> dict[str, shapely.Geometry]:
    """The boundaries as they are published, in EPSG:2180."""
    archive = zipfile.ZipFile(SHARED_DATA / "00_jednostki_administracyjne.zip")
    parts = {end: io.BytesIO(archive.read(f"A03_Granice_gmin.{end}")) for end in ("shp", "shx", "dbf")}
    reader = shapefile.Reader(**parts, encoding="utf-8")
    return {
        row.record["JPT_KOD_JE"]: shapely.geometry.shape(row.shape.__geo_interface__) for row in reader.shapeRecords()
    }


def test_everything_is_imported(country, db):
    counts = {
        model.__name__: model.objects.count()
        for model in (models.Municipality, models.Place, models.Postcode, models.Boundary, models.Depot)
    }
    assert counts == {"Municipality": 2479, "Place": 102_913, "Postcode": 20_334, "Boundary": 2479, "Depot": 6586}


def test_a_second_import_finds_nothing_to_do(country, db):
    reports = [line for line in run("import_data", SHARED_DATA, commit=True).splitlines() if " added, " in line]
    assert len(reports) == 6
    assert all(": 0 added, 0 changed, 0 removed" in line for line in reports)


def test_depots_are_found_by_the_fuels_that_only_their_names_say(country, db, client):
    """The file's tags know coal, wood and charcoal; 893 of its names say pellet."""
    found = {}
    for fuel in ("pellet", "brykiet"):
        answers = [client.get("/api/v1/stores", {"teryt": f"{code:02d}", "fuel": fuel}) for code in range(2, 33, 2)]
        found[fuel] = sum(int(answer["X-Total-Count"]) for answer in answers)
        assert {depot["fuels_source"] for answer in answers for depot in answer.json()} == {"name"}
    assert found == {"pellet": 893, "brykiet": 462}


def test_every_depot_is_in_the_municipality_its_position_lies_in(country, db, official):
    codes, areas = list(official), np.array(list(official.values()))
    tree = shapely.STRtree(areas)
    project = pyproj.Transformer.from_crs(4326, 2180, always_xy=True)
    published = json.loads((SHARED_DATA / "depots.overpass.json").read_text())["elements"]
    stored = dict(models.Depot.objects.values_list("source_id", "municipality_id"))
    for element in published:
        place = element.get("center", element)
        nearest = tree.query_nearest(shapely.Point(*project.transform(place["lon"], place["lat"])))
        assert stored[f"{element['type']}/{element['id']}"] == min(codes[i] for i in nearest)


@pytest.mark.parametrize(("one_in", "pages"), [(120, 92), pytest.param(10, 925, marks=pytest.mark.release)])
def test_pages_hold_together(country, db, one_in, pages):
    """Both formats answer, titles are unique, links within the site resolve, no page is too heavy.

    Every 120th listed page of each kind, before a release every tenth, and one unlisted page of each: prices are not
    published here, so their pages are not listed. All of them would take several minutes.
    """
    call_command("import_regulations", str(ROOT / "regulations" / "data"), commit=True, verbosity=0)
    assert check_pages(one_in=one_in) == (pages, [])


def test_points_150_m_inside_any_border_answer_the_right_municipality(country, db, official):
    project = pyproj.Transformer.from_crs(2180, 4326, always_xy=True)
    index, wrong, asked = BoundaryIndex.load(), [], 0
    for code, area in official.items():
        inner = area.buffer(-150)
        if inner.is_empty:
            continue
        ring = shapely.get_exterior_ring(max(shapely.get_parts(inner), key=shapely.area))
        for share in (0.0, 0.25, 0.5, 0.75):
            lon, lat = project.transform(*ring.interpolate(share, normalized=True).coords[0])
            asked += 1
            if index.get(lat, lon).teryt != code:
                wrong.append((code, lat, lon))
    assert asked > 9_000
    assert not wrong


FIRST = {"lodz": "1061011", "Łódź": "1061011", "nowy targ": "1211011", "bielsko biala": "2461011", "zakop": "1217011"}
FIRST |= {"30-001": "1261011", "krak": "1261011", "wa": "1465011", "mokotow": "1465011"}


@pytest.mark.parametrize("q", FIRST)
def test_the_first_suggestion_is_what_a_person_expects(client, country, db, q):
    assert f"-{FIRST[q]}/" in client.get("/api/v1/locations", {"q": q}).json()[0]["url"]


TOWNS = {
    "0264011": (51.110, 17.032, "Wrocław, Rynek"),
    "0461011": (53.122, 18.000, "Bydgoszcz, Stary Rynek"),
    "0861011": (52.731, 15.240, "Gorzów Wielkopolski, Stary Rynek"),
    "1061011": (51.777, 19.455, "Łódź, plac Wolności"),
    "1261011": (50.062, 19.937, "Kraków, Rynek Główny"),
    "1462011": (52.544, 19.684, "Płock, Stary Rynek"),
    "1465011": (52.231, 21.006, "Warszawa, plac Defilad"),
    "2261011": (54.350, 18.647, "Gdańsk, Targ Węglowy"),
    "2461011": (49.822, 19.044, "Bielsko-Biała, Rynek"),
    "2473011": (50.095, 18.542, "Rybnik, Rynek"),
    "2861011": (54.161, 19.395, "Elbląg, Stary Rynek"),
    "3262011": (53.425, 14.560, "Szczecin, Rynek Sienny"),
}
"""Market squares or squares in the centre, to a hundred metres, as every map has them."""

DISTRICTS = {
    "1261011": {
        "Kraków-Krowodrza": (50.078, 19.894),
        "Kraków-Nowa Huta": (50.085, 20.064),
        "Kraków-Podgórze": (50.014, 19.940),
        "Kraków-Śródmieście": (50.068, 19.955),
        "Bieńczyce": (50.087, 20.032),
        "Bieżanów": (50.018, 20.022),
        "Borek Fałęcki": (50.020, 19.926),
        "Bronowice Małe": (50.077, 19.880),
        "Czyżyny": (50.071, 20.013),
        "Dębniki": (50.014, 19.870),
        "Grzegórzki": (50.067, 19.963),
        "Krowodrza": (50.072, 19.921),
        "Krzesławice": (50.102, 20.077),
        "Łagiewniki": (50.020, 19.926),
        "Mistrzejowice": (50.096, 20.002),
        "Nowa Huta": (50.067, 20.105),
        "Podgórze": (50.043, 19.981),
        "Prądnik Biały": (50.095, 19.913),
        "Prądnik Czerwony": (50.083, 19.971),
        "Prokocim": (50.018, 20.022),
        "Stare Miasto": (50.061, 19.938),
        "Swoszowice": (49.983, 19.956),
        "Wola Duchacka": (50.016, 19.965),
        "Zwierzyniec": (50.062, 19.867),
    },
    "1465011": {
        "Bemowo": (52.240, 20.903),
        "Białołęka": (52.335, 21.009),
        "Bielany": (52.284, 20.936),
        "Mokotów": (52.189, 21.038),
        "Ochota": (52.211, 20.972),
        "Praga-Południe": (52.239, 21.087),
        "Praga-Północ": (52.260, 21.040),
        "Rembertów": (52.262, 21.159),
        "Śródmieście": (52.234, 21.017),
        "Targówek": (52.283, 21.062),
        "Ursus": (52.194, 20.886),
        "Ursynów": (52.137, 21.023),
        "Wawer": (52.196, 21.164),
        "Wesoła": (52.219, 21.238),
        "Wilanów": (52.161, 21.094),
        "Włochy": (52.198, 20.925),
        "Wola": (52.237, 20.961),
        "Żoliborz": (52.269, 20.984),
    },
}
"""The postcode centre of the PRG amid those within the outline of the district, by addresses.

Delegations of Kraków are the districts that lie in them; other names there stand for the district of that name, of
which Bieżanów and Prokocim, or Łagiewniki and Borek Fałęcki, are halves."""


def km(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    return pyproj.Geod(ellps="WGS84").inv(lon, lat, other_lon, other_lat)[2] / 1000


@pytest.mark.parametrize("teryt", TOWNS)
def test_the_middle_of_a_large_town_is_near_its_market_square(client, country, db, teryt):
    town = client.get(f"/api/v1/municipalities/{teryt}").json()
    assert km(town["lat"], town["lon"], *TOWNS[teryt][:2]) < 4


def test_the_middle_of_every_municipality_is_inside_it(country, db):
    build_snapshots()
    known = territory.get()
    assert [code for code in known.municipalities if known.boundaries.get(*known.centre(code)).teryt != code] == []


@pytest.mark.parametrize(("city", "name"), [(city, name) for city, names in DISTRICTS.items() for name in names])
def test_a_district_is_near_the_middle_of_its_postcodes(client, country, db, city, name):
    hits = client.get("/api/v1/locations", {"q": name}).json()
    (district,) = [hit for hit in hits if (hit["teryt"], hit.get("name"), hit["type"]) == (city, name, "locality")]
    assert district["position"] == "postcode"
    assert km(district["lat"], district["lon"], *DISTRICTS[city][name]) < 4


def test_each_town_stands_before_the_rural_municipality_of_its_name(client, country, db):
    towns = models.Municipality.objects.filter(kind=1)
    rural = set(models.Municipality.objects.filter(kind=2).values_list("county_id", "name"))
    pairs = [town for town in towns if (town.county_id, town.name) in rural]
    assert len(pairs) > 130
    for town in pairs:
        found = [hit["url"] for hit in client.get("/api/v1/locations", {"q": town.name}).json()]
        assert next(url for url in found if f"/{town.slug}-{town.county_id}" in url).endswith(f"-{town.teryt}/")


def import_file(name: str, file: Path, **options: object) -> str:
    return run(name, file, commit=True, verbosity=2, **options)


@pytest.mark.release
def test_the_register_of_2024_is_brought_to_2026_without_losing_a_depot(country, db, client):
    history = SHARED_DATA / "history"
    newest = SHARED_DATA / "TERC_Urzedowy_2026-07-22.csv"
    with pytest.raises(CommandError, match=r"is of 2024-01-01, and what is stored of 2026-01-01: .* --allow-older"):
        import_file("import_teryt", history / "TERC_Urzedowy_2024-05-09.csv")
    before = dict(models.Depot.objects.values_list("pk", "municipality_id"))
    boundaries_before = {row.pk: bytes(row.area) for row in models.Boundary.objects.all()}
    shares = set(models.PostcodeMunicipality.objects.values_list("postcode", "municipality", "addresses"))
    changing = ("0614053", "0601053", "2404033", "1207132", "2002162")
    confirmed = {models.Depot.objects.filter(municipality=code).order_by("pk").first() for code in changing} - {None}
    assert len(confirmed) >= 3
    models.Depot.objects.filter(pk__in=[depot.pk for depot in confirmed]).update(confirmed_fields=["municipality"])

    printed = import_file("import_teryt", history / "TERC_Urzedowy_2024-05-09.csv", allow_older=True)
    assert not missing(printed, "gone: 1207132 Szczawa → 1207052 Kamienica", "gone: 2002162 Grabówka → 2002093 Supraśl")
    assert models.Municipality.objects.count() == 2477
    # Nothing is lost, and the map has no hole where the two were.
    assert set(models.Depot.objects.values_list("pk", flat=True)) == set(before)
    assert BoundaryIndex.load().get(49.6107, 20.2930).teryt == "1207052"

    printed = import_file("import_teryt", history / "TERC_Urzedowy_2025-11-18.zip")
    assert printed.count("kind: ") == 7
    assert not missing(printed, "new: 1207132 Szczawa", "new: 2002162 Grabówka")
    printed = import_file("import_teryt", newest)
    assert printed.count("kind: ") == 6
    assert "renamed: 2812052 Nowe Miasto Lubawskie → Bratian" in printed
    assert ": 0 added, 0 changed, 0 removed" in import_file("import_teryt", newest)
    assert models.Municipality.objects.count() == 2479
    import_file("import_boundaries", SHARED_DATA / "00_jednostki_administracyjne.zip")

    assert dict(models.Depot.objects.values_list("pk", "municipality_id")) == before
    assert {row.pk: bytes(row.area) for row in models.Boundary.objects.all()} == boundaries_before
    assert not models.Boundary.objects.filter(approximate=True).exists()
    for depot in confirmed:
        depot.refresh_from_db()
        # Who only changed its code stays confirmed; where it was merged nobody has confirmed the new one.
        merged = depot.municipality_id in {"1207132", "2002162"}
        assert depot.confirmed_fields == ([] if merged else ["municipality"])
        assert bool(depot.review) == merged
    # Shares of the two new municipalities come back with the next postcodes.
    import_file("import_postcodes", SHARED_DATA / "prg_postcodes.csv")
    assert set(models.PostcodeMunicipality.objects.values_list("postcode", "municipality", "addresses")) == shares

    answer = client.get("/api/v1/stores", {"teryt": "0614052"})
    assert answer.status_code == 404
    assert "its successor is 0614053" in answer.json()["message"]
    moved = client.get("/sklady/warminsko-mazurskie/nowe-miasto-lubawskie-2812052/")
    assert (moved.status_code, moved["Location"]) == (301, "/sklady/warminsko-mazurskie/bratian-2812052/")
    moved = client.get("/sklady/lubelskie/konskowola-0614052/")
    assert (moved.status_code, moved["Location"]) == (301, "/sklady/lubelskie/konskowola-0614053/")
    assert "-2812052/" in client.get("/api/v1/locations", {"q": "bratian"}).json()[0]["url"]


def test_depots_of_an_extract_in_pbf_are_the_same(country, db):
    printed = import_file("import_depots", SHARED_DATA / "samples" / "depots.osm.pbf")
    assert ": 0 added, 0 changed, 0 removed" in printed
