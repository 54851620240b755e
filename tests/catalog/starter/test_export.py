"""export_starter writes what the starter data were loaded from."""

import pytest
from django.core.management import CommandError

from catalog import starter
from catalog.importers import import_steps
from catalog.importers.records import Options, PlaceRecord
from tests import factories
from tests.commands import run

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_starter_data_are_exported_byte_for_byte(tmp_path):
    options = Options(today=factories.TODAY, write=True)
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
    with pytest.raises(CommandError, match=f"not all was written: File exists: {file}"):
        run("export_starter", out=file)
