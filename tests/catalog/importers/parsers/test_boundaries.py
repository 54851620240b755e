import io
import json
from datetime import date
from unittest.mock import Mock

import numpy as np
import pyproj
import pytest
import shapefile
import shapely
from shapely.errors import GEOSException
from shapely.geometry import Polygon, box, mapping

from catalog.importers.parsers import boundaries
from catalog.importers.sources import identify
from catalog.territory import coordinates
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, format_of, shared, write, zipped

OFFICIAL = pyproj.CRS("EPSG:2180")
# Two squares of 10 km that share a border, in metres of EPSG:2180.
AREAS = {"1206912": box(500_000, 240_000, 510_000, 250_000), "1206923": box(510_000, 240_000, 520_000, 250_000)}


def shapefile_parts(areas, encoding="utf-8", column="JPT_KOD_JE", kind="C", draw=shapefile.Writer.shape):
    """The bytes of .shp, .shx and .dbf. areas: code → area, or (code, area) pairs where a code is repeated."""
    parts = {suffix: io.BytesIO() for suffix in (".shp", ".shx", ".dbf")}
    pairs = areas.items() if isinstance(areas, dict) else areas
    with shapefile.Writer(shp=parts[".shp"], shx=parts[".shx"], dbf=parts[".dbf"], encoding=encoding) as writer:
        writer.field(column, kind, 20)
        writer.field("JPT_NAZWA_", "C", 128)
        writer.field("WERSJA_OD", "D")
        for code, area in pairs:
            draw(writer, area)
            writer.record(code, f"Próba {code}", date(2031, 5, int(code[-1])))
    return {suffix: part.getvalue() for suffix, part in parts.items()}


def packed(folder, areas, *, layer="A03_Granice_gmin", prj=None, cpg=None, drop=(), **options):
    parts = shapefile_parts(areas, **options)
    parts |= {suffix: text.encode() for suffix, text in ((".prj", prj), (".cpg", cpg)) if text is not None}
    return packed_parts(folder, {suffix: part for suffix, part in parts.items() if suffix not in drop}, layer)


def packed_parts(folder, parts, layer="A03_Granice_gmin"):
    return zipped(folder / "a.zip", {f"folder/{layer}{suffix}": content for suffix, content in parts.items()})


def in_system(crs, areas=AREAS):
    transformer = pyproj.Transformer.from_crs(OFFICIAL, crs, always_xy=True)
    return {code: shapely.transform(area, transformer.transform, interleaved=False) for code, area in areas.items()}


def geojson(path, features, **extra):
    rows = [{"type": "Feature", "properties": names, "geometry": mapping(area)} for names, area in features]
    return write(path / "gminy.geojson", json.dumps({"type": "FeatureCollection", "features": rows} | extra))


def expected_corner():
    lon, lat = pyproj.Transformer.from_crs(OFFICIAL, "EPSG:4326", always_xy=True).transform(500_000, 240_000)
    return shapely.Point(coordinates.project(lat, lon))


def check_areas(extract):
    """Both areas are there, in the right place, and share their border."""
    assert [row.teryt for row in extract.rows] == ["1206912", "1206923"]
    areas = [row.area for row in extract.rows]
    assert shapely.distance(expected_corner(), areas[0]) < 0.5
    assert [area.area for area in areas] == pytest.approx([1e8, 1e8], rel=0.01)
    assert shapely.intersection(*areas).length == pytest.approx(10_000, rel=0.005)
    assert shapely.coverage_is_valid(areas)


def test_a_zipped_shapefile_is_read_in_any_system(tmp_path):
    extract = boundaries.parse_shapefile(packed(tmp_path, AREAS, prj=OFFICIAL.to_wkt("WKT1_ESRI"), cpg="UTF-8"))
    check_areas(extract)
    assert [row.name for row in extract.rows] == ["Próba 1206912", "Próba 1206923"]
    assert extract.as_of == date(2031, 5, 3)
    for code in ("EPSG:2178", "EPSG:4326", "EPSG:3857"):
        crs = pyproj.CRS(code)
        check_areas(boundaries.parse_shapefile(packed(tmp_path, in_system(crs), prj=crs.to_wkt("WKT1_ESRI"))))


def test_the_official_system_and_utf_8_are_meant_without_other_word_and_no_index_is_needed(tmp_path):
    extract = boundaries.parse_shapefile(packed(tmp_path, AREAS, drop=(".shx",)))
    check_areas(extract)
    assert extract.rows[0].name == "Próba 1206912"
    assert extract.remarks == ("quality: all 2 areas meet their neighbours point by point",)


def test_codes_in_a_column_of_numbers_are_read(tmp_path):
    path = packed(tmp_path, AREAS, kind="N")
    assert format_of(path) == "boundaries"
    check_areas(boundaries.parse_shapefile(path))


def test_a_shapefile_of_another_form_is_refused(tmp_path):
    west = AREAS["1206912"]

    def lines(writer, area):
        writer.line([[list(point) for point in area.exterior.coords]])

    for areas, options, message in (
        (in_system(pyproj.CRS("EPSG:4326")), {}, "is outside Poland; is the system right"),
        (AREAS, {"prj": "no such thing"}, "reference system 'no such thing' is unknown"),
        (AREAS, {"column": "KOD"}, "row 1: the code '' is not seven digits"),
        ([("1206912", west)] * 2, {}, "row 2: the municipality 1206912 is there twice, first in row 1"),
        (dict.fromkeys(AREAS, west), {}, r"the area of 12069\d\d is broken or lies wholly on others"),
        (AREAS, {"draw": lines}, "the geometry of 1206912 is no area"),
    ):
        assert_refused(message, boundaries.parse_shapefile, packed(tmp_path, areas, **options))
    assert_refused(r"the shapefile has no \.dbf", identify, packed(tmp_path, AREAS, drop=(".dbf",)))


def test_names_in_the_encoding_of_the_cpg_or_in_cp1250(tmp_path):
    for cpg in (None, "1250", "ANSI 1250", "windows-1250", "UTF-8", "no such thing", "ISO-8859-2"):
        encoding = "iso8859-2" if cpg == "ISO-8859-2" else "cp1250"
        extract = boundaries.parse_shapefile(packed(tmp_path, AREAS, encoding=encoding, cpg=cpg))
        assert extract.rows[0].name == "Próba 1206912", cpg


def test_a_shapefile_in_a_folder_is_read_in_capitals_too_and_of_several_in_a_zip_that_of_municipalities(tmp_path):
    wanted, others = shapefile_parts(AREAS), shapefile_parts({"12": box(500_000, 240_000, 520_000, 250_000)})
    for suffix, content in wanted.items():
        write(tmp_path / f"gminy{suffix.upper()}", content)
    write(tmp_path / "other.prj", "not this one")
    check_areas(boundaries.parse_shapefile(tmp_path / "gminy.SHP"))
    layers = {"A01_Granice_wojewodztw": others, "dawne_gminy": others, "A03_Granice_gmin": wanted}
    members = {f"{name}{suffix}": content for name, parts in layers.items() for suffix, content in parts.items()}
    check_areas(boundaries.parse_shapefile(zipped(tmp_path / "a.zip", members)))


def test_parts_or_areas_that_do_not_fit_together_are_refused(tmp_path, monkeypatch):
    whole, one = shapefile_parts(AREAS), shapefile_parts({"1206912": AREAS["1206912"]})
    cuts = ((".shp", 300), (".shp", 50), (".dbf", 200), (".dbf", 20), (".dbf", 40), (".dbf", 400))
    for changed, message in (
        *(({part: whole[part][:keep]}, "damaged or cut off") for part, keep in cuts),
        # The second point is no number.
        ({".shp": whole[".shp"][:172] + b"\xff" * 16 + whole[".shp"][188:]}, "the point nan, nan .* is outside Poland"),
        ({".dbf": one[".dbf"]}, "has 2 shapes and 1 rows"),
        ({".dbf": whole[".dbf"].replace(b"20310503", b"20311352")}, "WERSJA_OD: "),
    ):
        assert_refused(message, boundaries.parse_shapefile, packed_parts(tmp_path, whole | changed))
    layers = {f"{name}{suffix}": content for name in ("a", "b") for suffix, content in whole.items()}
    assert_refused("holds 2 layers", boundaries.parse_shapefile, zipped(tmp_path / "a.zip", layers))
    monkeypatch.setattr(boundaries, "reduce_coverage", Mock(side_effect=GEOSException("side location conflict")))
    no_coverage = "the areas form no coverage: side location conflict"
    assert_refused(no_coverage, boundaries.parse_shapefile, packed_parts(tmp_path, whole))


def test_an_area_may_have_several_parts_and_a_loop_is_resolved_into_two(tmp_path):
    both = shapely.union_all([AREAS["1206912"], shapely.box(515_000, 240_000, 516_000, 241_000)])
    (parts,) = boundaries.parse_shapefile(packed(tmp_path, {"1206912": both})).rows
    bow = Polygon([(19, 50), (19.1, 50.1), (19.1, 50), (19, 50.1)])
    (loop,) = boundaries.parse_geojson(geojson(tmp_path, [({"teryt": "1206912"}, bow)])).rows
    for area in (parts.area, loop.area):
        assert (area.is_valid, area.geom_type, len(area.geoms)) == (True, "MultiPolygon", 2)


def test_overlapping_areas_are_cleaned_holes_stay_and_rings_may_turn_the_wrong_way(tmp_path):
    over, hole = box(509_950, 240_000, 520_000, 250_000), box(503_000, 243_000, 506_000, 246_000)
    for west, other, holes in ((AREAS["1206912"], over, 0), (AREAS["1206912"].difference(hole), hole, 1)):
        rows = boundaries.parse_shapefile(packed(tmp_path, {"1206912": west, "1206923": other})).rows
        areas = [row.area for row in rows]
        assert shapely.intersection(*areas).area == pytest.approx(0, abs=1e-3)
        assert shapely.coverage_is_valid(areas)
        assert len(areas[0].interiors) == holes
    assert areas[0].area == pytest.approx(9.1e7, rel=0.01)

    def draw(writer, area):
        writer.poly([[list(point) for point in shapely.geometry.polygon.orient(area).exterior.coords]])

    check_areas(boundaries.parse_shapefile(packed(tmp_path, AREAS, draw=draw)))


def test_reduction_keeps_shared_borders_shared_and_stays_near():
    border = [(5000 + 2 * (i % 2), 100.0 * i) for i in range(101)]
    # Where three areas meet. Reduced alone, the western one would lose this point, and a gap would open.
    border[50] = (5010, 5000.0)
    west = Polygon([(0, 0), *border, (0, 10_000)])
    south = Polygon([(9000, 0), *border[:51], (9000, 5000)])
    reduced = boundaries.reduce_coverage(np.array([west, south, Polygon([(9000, 5000), *border[50:], (9000, 10_000)])]))
    assert shapely.get_num_coordinates(reduced).sum() < 30
    assert shapely.coverage_is_valid(reduced)
    assert shapely.intersection(reduced[0], shapely.union(*reduced[1:])).length == pytest.approx(10_000, rel=0.01)
    circle = shapely.Point(0, 0).buffer(5000, quad_segs=500)
    (reduced,) = boundaries.reduce_coverage(np.array([circle]))
    assert shapely.get_num_coordinates(reduced) < 300
    assert shapely.hausdorff_distance(circle, reduced) < 20


def test_geojson_is_read():
    rows = boundaries.parse_geojson(DATA / "gminy.geojson").rows
    assert [(row.teryt, row.name, row.area.geom_type) for row in rows] == [
        ("1206912", "Żabia Wola", "MultiPolygon"),
        ("1206923", "Dolna Próba", "Polygon"),
    ]
    x, y = coordinates.project(50.0, 19.1)
    assert shapely.distance(shapely.Point(x, y), rows[1].area) < 0.01
    assert shapely.intersection(rows[0].area, rows[1].area).length > 10_000


def test_areas_simplified_one_by_one_overlap_and_leave_gaps(tmp_path):
    """Neighbours are up to 30 m apart or over one another; afterwards all of their border is shared."""
    west = Polygon([(19.0, 50.0), (19.1, 50.0), (19.1004, 50.05), (19.1, 50.1), (19.0, 50.1)])
    east = Polygon([(19.1, 50.0), (19.2, 50.0), (19.2, 50.1), (19.1, 50.1), (19.1004, 50.075), (19.0997, 50.025)])
    extract = boundaries.parse_geojson(geojson(tmp_path, [({"kod": "1206912"}, west), ({"kod": "1206923"}, east)]))
    (one, other), (quality,) = extract.rows, extract.remarks
    assert shapely.coverage_is_valid([one.area, other.area])
    together = shapely.union(one.area, other.area)
    assert (together.geom_type, len(together.interiors)) == ("Polygon", 0)
    assert "2 of 2 areas do not meet their neighbours point by point; overlaps of 0." in quality
    assert shapely.intersection(one.area, other.area).length == pytest.approx(11_100, rel=0.02)


def test_geojson_is_read_in_the_system_that_it_names_by_any_of_the_keys_of_code_and_name(tmp_path):
    names = {"kod": "nazwa", "KOD": "NAZWA", "JPT_KOD_JE": "JPT_NAZWA_", "teryt": "", "TERYT": "", "kod_teryt": ""}
    for key, name in names.items():
        path = geojson(tmp_path, [({key: "1206912", name: "Próba"}, box(19, 50, 19.1, 50.1))])
        (row,) = boundaries.parse_geojson(path).rows
        assert (format_of(path), row.teryt, row.name) == ("boundaries_geojson", "1206912", "Próba" if name else ""), key
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2180"}}
    path = geojson(tmp_path, [({"teryt": code}, area) for code, area in AREAS.items()], crs=crs)
    check_areas(boundaries.parse_geojson(path))


def test_geojson_of_no_area_in_poland_or_without_a_code_is_refused(tmp_path):
    for geometry, message in (
        (box(50, 19, 50.1, 19.1), r"the point 50(\.1)?, 19(\.1)? in WGS 84 is outside Poland"),
        (shapely.Point(19, 50), "row 1: the geometry of 1206912 is no area"),
        (Polygon(), "row 1: the geometry of 1206912 is no area"),
        (Polygon([(19, 50), (19.1, 50), (19, 50)]), "row 1: the area of 1206912 is broken"),
    ):
        assert_refused(message, boundaries.parse_geojson, geojson(tmp_path, [({"teryt": "1206912"}, geometry)]))
    for code in ("1206914", "120691", "12069122", "", "120691x"):
        features = [({"teryt": "1206923"}, box(19.2, 50, 19.3, 50.1)), ({"teryt": code}, box(19.1, 50, 19.2, 50.1))]
        assert_refused(r"row 2: the code .* is not seven digits", boundaries.parse_geojson, geojson(tmp_path, features))


def test_json_of_another_form_is_refused(tmp_path):
    features = (
        *("{}", "[]", "[1]", '[{"properties": {"teryt": "1206912"}, "geometry": null}]'),
        '[{"properties": {}, "geometry": {"type": "Polygon"}}]',
        '[{"properties": {"teryt": "1206912"}, "geometry": {"a": 1}}]',
    )
    collections = (f'{{"type": "FeatureCollection", "features": {rows}}}' for rows in features)
    for content in ("[]", '{"type": "Feature"}', *collections):
        path = write(tmp_path / "a.json", content)
        assert_refused(r"is not a|has no municipality|is damaged", boundaries.parse_geojson, path)


@pytest.mark.full_scale
@pytest.mark.slow
def test_areas_of_the_whole_country_are_a_coverage():
    areas = np.array([row.area for row in boundaries.parse_shapefile(shared("00_jednostki_administracyjne.zip")).rows])
    assert shapely.coverage_is_valid(areas)
    assert shapely.is_valid(areas).all()
    assert shapely.area(areas).sum() == pytest.approx(312_000e6, rel=0.01)
