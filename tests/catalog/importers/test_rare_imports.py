"""Ways into the catalog that the other tests of imports do not take."""

import io
from datetime import date

import pytest
from django.core.management import CommandError, call_command

from catalog.importers.recorded import Origin
from catalog.importers.records import Extract, UnitRecord
from catalog.importers.run import Step
from catalog.importers.sync import Options
from catalog.importers.sync.resolve import MunicipalityCodes
from catalog.importers.sync.units import sync_units
from catalog.models import Boundary, Dataset, FormerMunicipality, Place
from catalog.starter import load
from regulations.models import LegalState
from tests import factories, small_country
from tests.catalog.importers.parsers.helpers import DATA, write
from tests.regulations.test_sync import FILE

pytestmark = pytest.mark.django_db

TODAY = date(2031, 11, 21)


def run(name, *args, **options):
    out = io.StringIO()
    call_command(name, *map(str, args), stdout=out, commit=True, **options)
    return out.getvalue()


def test_places_of_the_names_register_are_matched_with_the_stored_units():
    factories.MunicipalityFactory(
        teryt="1206923",
        name="Dolna Próba",
        kind=3,
        county=factories.CountyFactory(teryt="1206", name="krakowski"),
    )
    printed = run("import_places", DATA / "polskie-miejscowosci.json")
    assert "places from polskie-miejscowosci.json: 2 added, 0 changed, 0 removed, 0 unchanged, 0 skipped" in printed
    assert set(Place.objects.values_list("id", "municipality")) == {("prng:9001", "1206923"), ("prng:9002", "1206923")}


def test_boundaries_from_a_file(tmp_path):
    run("import_teryt", write(tmp_path / "terc.zip", small_country.terc()))
    assert ": 4 added, " in run("import_boundaries", write(tmp_path / "granice.zip", small_country.boundaries()))
    assert Boundary.objects.count() == 4


def test_a_folder_with_a_legal_state(tmp_path):
    factories.VoivodeshipFactory()
    write(tmp_path / "malopolskie.yaml", FILE)
    assert "regulations: 6 added" in run("import_data", tmp_path)
    assert LegalState.objects.count() == 1


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(CommandError, match=r"none: is not a directory"):
        run("import_data", tmp_path / "none")


def test_of_a_file_that_is_gone_no_checksum_is_noted(tmp_path):
    step = Step(Dataset.Slug.PLACES, "GUS", lambda options: None, form="simc", files=(tmp_path / "gone.csv",))
    origin = Origin.of_step(step)
    assert (origin.source, origin.file_name, origin.checksum, origin.file_size) == ("teryt-simc", "gone.csv", "", 0)


def test_a_vanished_municipality_is_found_by_its_successor():
    FormerMunicipality.objects.create(
        teryt="1206952", name="Dawna", successor=factories.krakow(), left_on=date(2020, 1, 1)
    )
    codes = MunicipalityCodes()
    assert (codes.find("1206952"), codes.find("1206962")) == ("1261011", None)


def test_a_municipality_that_takes_another_code_and_another_name():
    def register(*units):
        counties = UnitRecord("12", "małopolskie"), UnitRecord("1207", "limanowski")
        others = (UnitRecord(f"1207{number}2", f"Gmina {number}", 2) for number in range(20, 40))
        return sync_units(Extract((*counties, *others, *units)), Options(today=TODAY, write=True))

    register(UnitRecord("1207052", "Kamienica", 2))
    report = register(UnitRecord("1207053", "Kamienica Górna", 3))
    assert report.lines == [
        "kind: 1207052 Kamienica → 1207053 (gmina wiejska → gmina miejsko-wiejska), renamed Kamienica Górna"
    ]


def test_demonstration_depots_are_refused_beside_real_ones():
    factories.DepotFactory()
    with pytest.raises(load.RealDepotsExist):
        load.load_demonstration(Options(today=TODAY, write=True))
