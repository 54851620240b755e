"""The starter data: the files in the repository, what is drawn from them, and their export."""

import gzip
import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from catalog import starter
from catalog.depots.fuels import BY_SLUG, FUELS
from catalog.importers import import_steps
from catalog.importers.records import BadInput, ImportRefused, Options, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.models import Municipality
from catalog.parsing.opening_hours import weekly_hours
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.coordinates import project, project_array
from tests import factories
from tests.commands import refusal, run

units = pytest.fixture(starter.read_units, scope="module")
postcodes = pytest.fixture(starter.read_postcodes, scope="module")
depots = pytest.fixture(starter.read_demonstration, scope="module")


@pytest.fixture(scope="module")
def places():
    return [place for place in starter.read_places() if place.lat is not None]


@pytest.fixture(scope="module")
def areas(places, postcodes):
    return starter.approximate(places, postcodes, starter.read_abroad())


@pytest.fixture(scope="module")
def located(depots, areas):
    """The municipality of each demonstration depot, by the approximate boundaries."""
    units = [Municipality(teryt=code) for code in areas]
    index = BoundaryIndex(units, np.array(list(areas.values())), [True] * len(units))
    return [index.find(depot.lat, depot.lon).teryt for depot in depots]


def test_units_are_complete_and_hang_together(units):
    assert Counter(len(unit.teryt) for unit in units) == {2: 16, 4: 380, 7: 2479}
    assert Counter(unit.kind for unit in units if unit.kind) == {1: 302, 2: 1453, 3: 724}
    assert all(unit.kind == (int(unit.teryt[6]) if len(unit.teryt) == 7 else 0) for unit in units)
    codes = [unit.teryt for unit in units]
    assert codes == sorted(set(codes))
    voivodeships, counties, municipalities = ({code for code in codes if len(code) == size} for size in (2, 4, 7))
    assert ({code[:2] for code in counties}, {code[:4] for code in municipalities}) == (voivodeships, counties)
    assert {UnitRecord("12", "małopolskie", 0), UnitRecord("1261", "Kraków", 0)} <= set(units)
    assert UnitRecord("1261011", "Kraków", 1) in units


def test_places_lie_in_municipalities_of_today_and_every_town_in_its_own(units, places):
    assert len(places) == len({place.id for place in places}) == 44_005
    assert {place.unit for place in places} == {unit.teryt for unit in units if unit.kind}
    assert {place.kind for place in places} == {"miasto", "wieś", "osada"}
    assert all(48.9 < place.lat < 54.9 and 14.1 < place.lon < 24.2 for place in places)
    assert all(re.fullmatch(r"prng:[0-9]+|geonames:[0-9]{7}", place.id) for place in places)
    homes = {(place.name, place.unit) for place in places}
    grabowka = {"Grabówka", "Henrykowo", "Sobolewo", "Sowlany", "Zaścianki"}
    assert {name for name, unit in homes if unit == "2002162"} == grabowka
    assert {("Szczawa", "1207132"), ("Ostrowice", "3203023"), ("Siecino", "3203063")} <= homes
    towns = {place.unit for place in places if place.kind == "miasto"}
    assert towns == {unit.teryt for unit in units if unit.kind in (1, 3)}


def test_postcodes_are_well_formed_and_where_they_are(units, postcodes):
    municipalities = {unit.teryt for unit in units if unit.kind}
    assert len(postcodes) > 20_000
    assert all(left.code < right.code for left, right in pairwise(postcodes))
    for postcode in postcodes:
        assert re.fullmatch(r"[0-9]{2}-[0-9]{3}", postcode.code)
        codes, weights = zip(*postcode.municipalities, strict=True)
        assert set(codes) <= municipalities
        assert len(set(codes)) == len(codes)
        assert list(weights) == sorted(weights, reverse=True)
        assert weights[-1] > 0
        assert len(set(postcode.places)) == len(postcode.places) > 0
        assert 48.9 < postcode.lat < 54.9
        assert 14.1 < postcode.lon < 24.2
        assert postcode.source == "geonames"
    expected = {"00-002": "1465011 Warszawa", "05-075": "1465011 Warszawa", "16-400": "2063011 Suwałki"}
    expected |= {"22-120": "0603132 Wojsławice", "30-001": "1261011 Kraków", "34-400": "1211011 Nowy Targ"}
    expected |= {"34-500": "1217011 Zakopane", "42-525": "2465011 Dąbrowa Górnicza", "44-100": "2466011 Gliwice"}
    places = {(row.code, f"{row.municipalities[0][0]} {place}") for row in postcodes for place in row.places}
    assert expected.items() <= places


def test_texts_have_no_odd_characters(units, places, postcodes):
    texts = [unit.name for unit in units] + [place.name for place in places]
    texts += [name for postcode in postcodes for name in postcode.places]
    assert {character for character in set("".join(texts)) if not character.isalpha()} <= set(" -.()\"'0123456789")
    assert all(text == " ".join(text.split()) != "" for text in texts)


def test_files_are_small_and_as_the_readme_says():
    readme = (starter.FILES / "README.md").read_text()
    for path in sorted(starter.FILES.iterdir()):
        assert path.stat().st_size < 1_000_000
        if path.name != "README.md":
            assert f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" in readme
    for day in (starter.UNITS_AS_OF, starter.PLACES_AS_OF, starter.POSTCODES_AS_OF):
        assert day.isoformat() in readme


def test_damaged_files_are_refused(tmp_path):
    for content, message in (
        (None, r"units\.csv: cannot be read"),
        ("teryt;name\n", "row 1: the first row is not teryt;name;kind"),
        ("teryt;name;kind\n02;x\n", "row 2: 2 columns instead of 3"),
    ):
        if content is not None:
            (tmp_path / "units.csv").write_text(content)
        with pytest.raises(BadInput, match=message):
            starter.read_units(tmp_path)
    (tmp_path / "places.csv.gz").write_bytes(gzip.compress(b"id")[:-4])
    with pytest.raises(BadInput, match="cannot be read"):
        starter.read_places(tmp_path)


def place_at(number, unit, x, y):
    lat, lon = factories.unproject(x, y)
    return PlaceRecord(str(number), f"Wieś {number}", "wieś", unit, lat=lat, lon=lon)


def assert_covers(areas, places):
    """Every place in its own area and no other, areas valid, without overlap and with shared edges."""
    polygons, codes = np.array(list(areas.values()), dtype=object), list(areas)
    assert shapely.is_valid(polygons).all()
    assert (shapely.area(polygons) > 0).all()
    assert shapely.coverage_is_valid(polygons)
    points = shapely.points(project_array(*np.array([(place.lat, place.lon) for place in places]).T))
    hits = shapely.STRtree(polygons).query(points, predicate="intersects")
    assert [(place, codes[area]) for place, area in hits.T] == [(n, place.unit) for n, place in enumerate(places)]


GRID = st.tuples(st.integers(-20, 20), st.integers(-20, 20))


@given(st.dictionaries(GRID, st.sampled_from(["1201011", "1201022", "1202033"]), min_size=1, max_size=25))
def test_areas_cover_their_places(where):
    places = [place_at(i, unit, x * 900, 5_700_000 + y * 900) for i, ((x, y), unit) in enumerate(where.items())]
    areas = starter.approximate(places)
    assert list(areas) == sorted({place.unit for place in places})
    assert_covers(areas, places)


def test_one_place_gets_the_disc_around_it_to_points_abroad_and_nothing_gives_nothing():
    place, beyond = place_at(1, "1261011", 0, 5_700_000), shapely.Point(2_100, 5_700_000)
    (area,) = starter.approximate([place]).values()
    assert area.contains(shapely.Point(starter.MAX_DISTANCE_M * 0.95, 5_700_000))
    assert not area.intersects(shapely.Point(starter.MAX_DISTANCE_M * 1.01, 5_700_000))
    assert area.contains(beyond)
    (area,) = starter.approximate([place], abroad=[factories.unproject(4_000, 5_700_000)]).values()
    assert not area.intersects(beyond)
    assert starter.approximate([], [], [(50.0, 20.0)]) == {}
    assert starter.approximate([PlaceRecord("1", "Bez położenia", "wieś", "1261011")]) == {}
    points = starter.read_abroad()
    assert 1_000 < len(points) < 3_000
    assert all(48.5 < lat < 55.2 and 13.5 < lon < 24.8 for lat, lon in points)


def test_points_in_the_same_metre_count_once_and_a_postcode_for_its_first_municipality():
    spots = ("1201022", 0, 0), ("1201011", 0.2, 0.2), ("1201022", 3_000, 0)
    places = [place_at(number, unit, x, 5_700_000 + shift) for number, (unit, x, shift) in enumerate(spots, 1)]
    postcode = PostcodeRecord("30-001", (("1202033", 1),), ("Wieś",), places[0].lat, places[0].lon, "geonames")
    areas = starter.approximate(places, [postcode])
    assert list(areas) == ["1201011", "1201022"]
    assert areas["1201011"].contains(shapely.Point(0, 5_700_000))
    assert starter.approximate(reversed(places), [postcode]) == areas
    lat, lon = factories.unproject(4_000, 5_700_000)
    postcode = replace(postcode, municipalities=(("1201022", 2), ("1201011", 1)), lat=lat, lon=lon)
    assert starter.approximate(places[1:2], [postcode])["1201022"].contains(shapely.Point(2_100, 5_700_000))
    assert list(starter.approximate(places[1:2], [replace(postcode, municipalities=(("120102", 1),))])) == ["1201011"]


@pytest.mark.slow
def test_boundaries_of_the_starter(units, places, areas):
    assert list(areas) == [unit.teryt for unit in units if unit.kind]
    assert_covers(areas, places)
    polygons = np.array(list(areas.values()), dtype=object)
    assert shapely.area(polygons).min() > 1e6
    assert sum(map(len, shapely.to_wkb(polygons))) < 4_000_000
    outside = {"Berlin": (52.52, 13.405), "Prague": (50.0875, 14.4214), "Baltic": (55.0, 17.0)}
    outside |= {"Görlitz": (51.1528, 14.9872), "Brest": (52.0938, 23.6852)}
    for name, (lat, lon) in outside.items():
        assert not shapely.intersects(polygons, shapely.Point(project(lat, lon))).any(), name


@pytest.mark.slow
def test_demonstration_depots_are_everywhere_most_in_towns_near_known_points(units, places, postcodes, depots, located):
    codes = Counter(located)
    assert (len(depots), len(codes)) == (6_586, 1_959)
    assert {teryt[:2] for teryt in codes} == {unit.teryt for unit in units if len(unit.teryt) == 2}
    assert codes["1465011"] > codes["1261011"] > codes["2466011"] > 3
    assert min(codes["1217011"], codes["1211011"]) > 3
    positions = defaultdict(list)
    for teryt, row in [(row.unit, row) for row in places] + [(row.municipalities[0][0], row) for row in postcodes]:
        positions[teryt].append((row.lat, row.lon))
    planes = {teryt: project_array(*np.array(points).T) for teryt, points in positions.items()}
    for teryt, depot in zip(located, depots, strict=True):
        assert np.hypot(*(planes[teryt] - project(depot.lat, depot.lon)).T).min() < 1_414, depot


def test_demonstration_depots_are_marked_and_reach_nobody(depots):
    names = [depot.name for depot in depots]
    assert all(name.startswith(f"{starter.DEMONSTRATION_MARK} ") for name in names)
    assert len(set(names)) == len(names)
    assert [depot.source_id for depot in depots] == [f"demo/{number}" for number in range(1, 6_587)]
    for depot in depots:
        assert (depot.nip, depot.phone, depot.website) == (None, "", "")
        assert not depot.held
        assert re.fullmatch(r"|ul\. (Przykładowa|Demonstracyjna|Próbna)", depot.street)


def test_what_demonstration_depots_say_is_plausible(depots, postcodes):
    known = {postcode.code for postcode in postcodes}
    assert {slug for depot in depots for slug in depot.fuels} == BY_SLUG.keys()
    for depot in depots:
        assert depot.fuels == tuple(fuel.slug for fuel in FUELS if fuel.slug in depot.fuels) != ()
        assert depot.hours == (weekly_hours(depot.opening_hours) if depot.opening_hours else None)
        assert (depot.hours is None) == (depot.opening_hours == "")
        assert depot.postcode == "" or depot.postcode in known
        assert depot.place
    hours = {value for depot in depots if depot.hours for value in depot.hours.values()}
    assert {"", "nieczynne", "7:00-15:00", "0:00-24:00"} <= hours
    assert 0.1 < sum(depot.location_approximate for depot in depots) / len(depots) < 0.3


@pytest.mark.django_db
def test_demonstration_depots_are_refused_beside_real_ones():
    factories.DepotFactory()
    with pytest.raises(ImportRefused):
        import_steps.load_demonstration(Options(today=factories.TODAY, write=True))


@pytest.mark.slow
@pytest.mark.django_db
def test_the_starter_data_are_exported_byte_for_byte(tmp_path):
    for step in (import_steps.load_units, import_steps.load_places, import_steps.load_postcodes):
        step(Options(today=factories.TODAY, write=True))
    printed = run("export_starter", out=tmp_path)
    for path in sorted(tmp_path.iterdir()):
        assert path.read_bytes() == (starter.FILES / path.name).read_bytes(), path.name
    stated = (starter.FILES / "README.md").read_text(encoding="utf-8")
    assert len(printed.splitlines()) == 4
    assert all(line in stated for line in printed.splitlines())


@pytest.mark.django_db
def test_an_exported_catalog_is_read_back(tmp_path):
    unit = factories.krakow()
    at = {"lat": 50.05, "lon": 19.95}
    for key, kind, more in (
        *(("prng:10", "miasto", at), ("prng:9", "wieś", at), ("terc:1261039", "delegatura", {"district": "1261039"})),
        ("simc:0000001", "wieś", {}),  # which is left out
    ):
        factories.PlaceFactory(id=key, name="Próba", kind=kind, municipality=unit, **more)
    factories.PostcodeFactory()
    run("export_starter", out=tmp_path)
    assert [row.teryt for row in starter.read_units(tmp_path)] == ["12", unit.teryt[:4], unit.teryt]
    *places, district = starter.read_places(tmp_path)
    assert [row.id for row in places] == ["prng:9", "prng:10"]
    assert district == PlaceRecord("terc:1261039", "Próba", "delegatura", "1261039")
    (postcode,) = starter.read_postcodes(tmp_path)
    assert (postcode.code, postcode.municipalities) == ("30-001", ((unit.teryt, 8),))
    file = tmp_path / "file"
    file.touch()
    assert f"not all was written: File exists: {file}" in refusal("export_starter", out=file)
