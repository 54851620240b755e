"""A source is one module: what it is, its files, its records, what writes them, and its rank."""

import pytest
from django.core.management import CommandError

from catalog.models import Dataset, ImportRun, Postcode
from tests import commands, small_country

pytestmark = pytest.mark.django_db

TOY = """
from catalog.importers.parsers.files import csv_rows, open_source
from catalog.importers.records import Extract, PostcodeRecord
from catalog.importers.sources import FileFormat, Rank, DataSource
from catalog.importers.sync_places import sync_postcodes
from catalog.models import Dataset, Postcode


def recognises(start):
    return start.has_columns(("toy", "teryt"), delimiter=";")


def parse(path):
    with open_source(path, (".csv",)) as source:
        rows = csv_rows(source, ("toy", "teryt"), delimiter=";")
        units = [(values["toy"], ((values["teryt"], 1),)) for _, values in rows]
    return Extract(tuple(PostcodeRecord(code, unit, ("Toy",), 50.0, 19.5, "toy") for code, unit in units))


SOURCES = (
    DataSource(
        id="toy-postcodes", order=42, dataset=Dataset.Slug.POSTCODES, title="Toy", publisher="Toy", credit="Toy",
        licence="CC0", terms="https://example.org/", url="https://example.org/", rhythm_days=30,
        min_rows=1, confirmed=True, formats=(FileFormat("toy", recognises, parse, "toy.*"),), write=sync_postcodes,
        needs=Dataset.Slug.UNITS, rows=Postcode.objects.filter(source="toy"),
        ranks={"toy": Rank(3, "kept as the toy has it")},
    ),
)
"""


def run(command, *args):
    return commands.run(command, *args, "--commit")


@pytest.fixture
def folder(add_source, tmp_path):
    add_source("toy", TOY)
    (tmp_path / "TERC.zip").write_bytes(small_country.terc())
    (tmp_path / "PL.zip").write_bytes(small_country.postcodes())
    (tmp_path / "a.csv").write_text("toy;teryt\n98-700;1206912\n", encoding="utf-8")
    return tmp_path


def test_a_module_is_all_that_a_source_needs(folder):
    printed = run("import_data", folder)
    assert "postcodes from PL.zip: 12 added" in printed
    assert "postcodes from a.csv: 0 added, 1 changed" in printed
    assert Dataset.objects.get(slug="postcodes").source == "GeoNames, CC BY 4.0 oraz Toy"
    assert ImportRun.objects.get(file_name="a.csv").source == "toy-postcodes"
    printed = run("import_data", folder)
    assert printed.count(": 0 added, 0 changed, 0 removed") == 3
    assert "skipped: 1 × kept as the toy has it" in printed
    assert Postcode.objects.get(pk="98-700").source == "toy"


def test_a_damaged_file_of_it_is_named_by_its_usual_name(folder):
    (folder / "toy.csv").write_text("", encoding="utf-8")
    with pytest.raises(CommandError, match=r"toy\.csv: is named like TOY but is empty"):
        run("import_data", folder)


def test_a_file_of_another_data_set_names_it_among_those_that_are_read(folder):
    with pytest.raises(
        CommandError, match="looks like terc; this command reads: prg_postcodes, prg_addresses, geonames, toy"
    ):
        run("import_postcodes", folder / "TERC.zip")
