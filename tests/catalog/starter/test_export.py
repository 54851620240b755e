"""export_starter writes what the starter data were loaded from."""

from datetime import date

import pytest
from django.core.management import CommandError

from catalog import starter
from catalog.importers import import_steps
from catalog.importers.records import Options, PlaceRecord
from catalog.models import Place
from tests import factories
from tests.commands import run

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_starter_data_are_exported_byte_for_byte(tmp_path):
    options = Options(today=date(2026, 11, 21), write=True)
    for step in (import_steps.load_units, import_steps.load_places, import_steps.load_postcodes):
        step(options)
    printed = run("export_starter", out=tmp_path)
    for path in sorted(tmp_path.iterdir()):
        assert path.read_bytes() == (starter.FILES / path.name).read_bytes(), path.name
    stated = (starter.FILES / "README.md").read_text(encoding="utf-8")
    assert len(printed.splitlines()) == 4
    assert all(line in stated for line in printed.splitlines())


def test_an_exported_catalog_is_read_back(tmp_path):
    unit = factories.krakow()
    places = [("prng:10", "miasto", ""), ("prng:9", "wieś", ""), ("terc:1261039", "delegatura", "1261039")]
    for key, kind, district in places:
        at = {} if district else {"lat": 50.05, "lon": 19.95}
        Place.objects.create(id=key, name="Próba", kind=kind, municipality=unit, main=True, district=district, **at)
    Place.objects.create(id="simc:0000001", name="Próba", kind="wieś", municipality=unit, main=True)
    factories.PostcodeFactory()
    run("export_starter", out=tmp_path)
    assert [row.teryt for row in starter.read_units(tmp_path)] == ["12", unit.teryt[:4], unit.teryt]
    *places, district = starter.read_places(tmp_path)
    assert [row.id for row in places] == ["prng:9", "prng:10"]
    assert district == PlaceRecord("terc:1261039", "Próba", "delegatura", "1261039")
    assert [(row.code, row.municipalities) for row in starter.read_postcodes(tmp_path)] == [
        ("30-001", ((unit.teryt, 8),))
    ]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(CommandError, match=f"not all was written: File exists: {file}"):
        run("export_starter", out=file)
