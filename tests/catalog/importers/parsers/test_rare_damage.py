"""Damage that is seldom met, each refused in its own words or left out: what the parsers look at last."""

import json
import struct

import pytest
from shapely.errors import GEOSException

from catalog.importers.parsers import boundaries, files, formats, prg_addresses
from catalog.importers.parsers.formats import Format, identify
from catalog.importers.parsers.prg_addresses import reading
from catalog.importers.publications import SourcesError, read_publications
from catalog.importers.records import BadInput
from prices.importers.bdl_answers import is_answer
from tests.catalog.importers.parsers.generate_addresses import area, document, point
from tests.catalog.importers.parsers.helpers import write, zipped
from tests.catalog.importers.parsers.test_boundaries import AREAS, packed, shapefile_parts
from tests.catalog.importers.parsers.test_prg_addresses import EAST, NORTH, file, notes, points

MODELS = (2012, 2021)


def layer(tmp_path, change):
    """A zip with a layer whose table of attributes was changed."""
    parts = shapefile_parts(AREAS)
    parts[".dbf"] = change(parts[".dbf"])
    return zipped(tmp_path / "a.zip", {f"A03_Granice_gmin{suffix}": content for suffix, content in parts.items()})


def first_row_of(table):
    return struct.unpack("<H", table[8:10])[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table[:40], "the table of attributes is cut off"),
        (lambda table: table[:10] + b"\1\0" + table[12:], "the table of attributes has a damaged header"),
        (lambda table: table.replace(b"20310503", b"20311352"), "WERSJA_OD: "),
    ],
)
def test_a_table_of_attributes_that_cannot_be_read(tmp_path, change, said):
    with pytest.raises(BadInput, match=said):
        boundaries.parse(layer(tmp_path, change))


def test_a_table_whose_first_row_is_deleted_is_known_by_the_next(tmp_path):
    def deleted(table):
        start = first_row_of(table)
        return table[:start] + b"*" + table[start + 1 :]

    def all_deleted(table):
        start, size = first_row_of(table), struct.unpack("<H", table[10:12])[0]
        return deleted(table)[: start + size] + b"*" + table[start + size + 1 :]

    assert identify(layer(tmp_path, deleted)) == Format.BOUNDARIES
    assert identify(layer(tmp_path, all_deleted)) is None


def test_a_layer_without_its_table(tmp_path):
    with pytest.raises(BadInput, match=r"the shapefile has no \.dbf"):
        identify(packed(tmp_path, AREAS, drop=(".dbf",)))


def test_areas_that_the_geometry_library_gives_up(tmp_path, monkeypatch):
    def give_up(areas):
        raise GEOSException("TopologyException: side location conflict")

    monkeypatch.setattr(boundaries, "reduce_coverage", give_up)
    with pytest.raises(BadInput, match="the areas form no coverage: TopologyException"):
        boundaries.parse(packed(tmp_path, AREAS))


def test_a_file_that_goes_away_while_it_is_looked_at(tmp_path, monkeypatch):
    for looking in (files, formats):
        monkeypatch.setattr(looking, "is_zip", lambda path, **limits: False)
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        identify(tmp_path / "gone.csv")


def test_a_file_of_sources_that_is_not_there(tmp_path):
    with pytest.raises(SourcesError, match="cannot be read: "):
        read_publications(tmp_path / "none.yaml")


@pytest.mark.parametrize("content", ["{", '{"results": []}', json.dumps({"results": [], "variableId": 1})])
def test_only_answers_of_the_statistical_office_are_taken_for_such(tmp_path, content):
    path = write(tmp_path / "a.json", content)
    assert is_answer(path) == content.endswith("1}")


@pytest.mark.parametrize("model", MODELS)
class TestAddresses:
    def test_a_version_that_is_no_day(self, tmp_path, model):
        with pytest.raises(BadInput, match="the version of id-0: "):
            prg_addresses.parse(file(tmp_path, model, *points(model, 1, version="2025-13-45")))

    def test_a_place_whose_name_is_too_long_is_not_named(self, tmp_path, model):
        long = "W" * 200
        text = document(model, *points(model, place=long), area(model, place=long))
        (record,) = prg_addresses.parse(write(tmp_path / "a.xml", text)).rows
        assert (record.places, record.municipalities) == ((), (("0804032", 3),))

    def test_a_few_positions_outside_their_voivodeship_are_left_out(self, tmp_path, model):
        stray = point(model, "stray", north=NORTH, east=EAST + 400_000)
        extract = prg_addresses.parse(file(tmp_path, model, *points(model, 30), stray))
        assert notes(extract) == {"with a position outside their voivodeship, which is left out": "1 addresses"}
        assert (extract.rows[0].lat, extract.rows[0].lon) == (51.92991, 15.91212)

    def test_nothing_that_can_be_used(self, tmp_path, model):
        with pytest.raises(BadInput, match="has no usable address"):
            prg_addresses.parse(file(tmp_path, model, *points(model, postcode="")))

    def test_a_system_that_is_not_stated_is_the_official_one(self, tmp_path, model):
        (record,) = prg_addresses.parse(file(tmp_path, model, *points(model, system=""))).rows
        assert (record.lat, record.lon) == (51.92978, 15.91212)

    def test_an_address_inside_another(self, tmp_path, model):
        inner = {2012: "<prg-ad:PRG_PunktAdresowy/>", 2021: "<prgad:AD_PunktAdresowy/>"}[model]
        text = document(model, *points(model), area(model)).replace("<gml:Point", f"{inner}<gml:Point", 1)
        with pytest.raises(BadInput, match=r"row 1: has <.*PunktAdresowy> inside <.*PunktAdresowy>"):
            prg_addresses.parse(write(tmp_path / "a.xml", text))

    def test_too_many_references(self, tmp_path, model, monkeypatch):
        monkeypatch.setattr(reading, "MAX_REFERENCES", 0)
        with pytest.raises(BadInput, match="has more than 0 references"):
            prg_addresses.parse(file(tmp_path, model, *points(model)))

    def test_thousands_of_names_of_elements_do_no_harm(self, tmp_path, model):
        names = "".join(f"<x{number}/>" for number in range(1100))
        (record,) = prg_addresses.parse(file(tmp_path, model, names, *points(model))).rows
        assert record.municipalities == (("0804032", 3),)
