"""Shapefiles with damaged or missing tables of attributes."""

import struct

import pytest

from catalog.importers.parsers import boundaries
from catalog.importers.records import BadInput
from catalog.importers.sources import identify
from tests.catalog.importers.parsers.helpers import format_of, zipped
from tests.catalog.importers.parsers.test_boundaries import AREAS, packed, shapefile_parts


def layer(tmp_path, change):
    """A zip with a layer whose table of attributes was changed."""
    parts = shapefile_parts(AREAS)
    parts[".dbf"] = change(parts[".dbf"])
    return zipped(tmp_path / "a.zip", {f"A03_Granice_gmin{suffix}": content for suffix, content in parts.items()})


def first_row_of(table):
    return struct.unpack("<H", table[8:10])[0]


def test_a_table_of_attributes_that_cannot_be_read(tmp_path):
    for change, said in (
        (lambda table: table[:40], "damaged or cut off: "),
        (lambda table: table.replace(b"20310503", b"20311352"), "WERSJA_OD: "),
    ):
        with pytest.raises(BadInput, match=said):
            boundaries.parse(layer(tmp_path, change))


def test_a_table_whose_first_row_is_deleted_is_known_by_the_next(tmp_path):
    def deleted(table):
        start = first_row_of(table)
        return table[:start] + b"*" + table[start + 1 :]

    def all_deleted(table):
        start, size = first_row_of(table), struct.unpack("<H", table[10:12])[0]
        return deleted(table)[: start + size] + b"*" + table[start + size + 1 :]

    assert format_of(layer(tmp_path, deleted)) == "boundaries"
    assert format_of(layer(tmp_path, all_deleted)) is None


def test_a_layer_without_its_table(tmp_path):
    with pytest.raises(BadInput, match=r"the shapefile has no \.dbf"):
        identify(packed(tmp_path, AREAS, drop=(".dbf",)))
