"""A source is one module; files of several in one data set are each as old as the last one, and all are named."""

import re
import sys
from datetime import date

import pytest

from catalog import starter
from catalog.importers import freshness, import_steps, sources
from catalog.importers.records import ImportRefused, Options, Report
from catalog.importers.runner import refuse_doubtful, run
from catalog.importers.sources import all_sources, formats, read_sources
from catalog.models import Dataset, Depot, ImportRun, Place, Postcode
from pages.datasets import datasets_page
from tests import commands, small_country
from tests.catalog.importers.parsers.helpers import write
from tests.dumps import dump

pytestmark = pytest.mark.django_db

OSM = "OpenStreetMap, ODbL 1.0"
OWNERS = "lista właścicieli"
TODAY = date(2031, 11, 21)

TOY = """
from dataclasses import replace
from functools import partial

from catalog.importers.parsers.files import csv_rows, open_source
from catalog.importers.records import Extract, PostcodeRecord
from catalog.importers.sources import FileFormat, Rank, geonames, openstreetmap
from catalog.importers.sync_depots import sync_depots
from catalog.models import Depot, Postcode


def recognises(start):
    return start.has_columns(("toy", "teryt"), delimiter=";")


def parse(path):
    with open_source(path, (".csv",)) as source:
        rows = csv_rows(source, ("toy", "teryt"), delimiter=";")
        units = [(values["toy"], ((values["teryt"], 1),)) for _, values in rows]
    return Extract(tuple(PostcodeRecord(code, unit, ("Toy",), 50.0, 19.5, "toy") for code, unit in units))


SOURCES = (
    replace(
        geonames.SOURCES[0], id="toy-postcodes", order=42, credit="Toy", file="", lent=None, starter=None,
        formats=(FileFormat("toy", recognises, parse, "toy.*"),),
        rows=Postcode.objects.filter(source="toy"), ranks={"toy": Rank(3, "kept as the toy has it")},
    ),
    replace(
        openstreetmap.SOURCES[0], id="owners", order=51, credit="lista właścicieli", licence="za zgodą",
        formats=(FileFormat("owned", lambda start: False, openstreetmap.SOURCES[0].formats[0].parse),),
        write=partial(sync_depots, origin=Depot.Source.EDITOR),
        rows=Depot.objects.filter(source=Depot.Source.EDITOR),
    ),
)
"""
"""Two sources by one module: of postcodes, and a second dated one of depots, a list that owners keep."""


@pytest.fixture
def toy(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("sources")
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(folder)])
    write(folder / "toy.py", TOY)
    for cached in (all_sources, read_sources):
        cached.cache_clear()
    yield
    sys.modules.pop("catalog.importers.sources.toy", None)
    delattr(sources, "toy")
    for cached in (all_sources, read_sources):
        cached.cache_clear()


@pytest.fixture
def country(tmp_path):
    """Brings files in, after the units and boundaries: `bring((format, content), …)`, all in one run."""

    def bring(*files, pass_over_older=False, **how):
        forms = {form.name: (source, form) for source, form in formats()}
        known = [(write(tmp_path / f"{n}.{name}", content), forms[name]) for n, (name, content) in enumerate(files)]
        steps = import_steps.steps_of(known, pass_over_older=pass_over_older)
        return run(steps, Options(today=TODAY, write=True, **how))

    bring(("terc", small_country.terc()), ("boundaries_geojson", small_country.boundaries()))
    return bring


def osm(day, numbers=range(3)):
    return "overpass", small_country.depots(numbers, day=day)


def owned(day, numbers=range(5, 8)):
    return "owned", small_country.depots(numbers, day=day)


def state(slug="depots"):
    row = Dataset.objects.get(slug=slug)
    return row.source, row.as_of and row.as_of.isoformat()


def shown(slug):
    """What the page about data says of a set."""
    return next(entry for entry in datasets_page(TODAY).content["sets"] if entry["slug"] == slug)


def test_an_older_file_of_another_publisher_is_taken_and_an_older_one_of_the_same_refused(country, toy):
    country(osm("2031-10-03"))
    assert state() == (OSM, "2031-10-03")
    country(osm("2031-10-05"))  # changes nothing
    with pytest.raises(ImportRefused, match="2031-10-05"):
        country(osm("2031-10-04"))
    country(owned("2031-06-01"))
    assert Depot.objects.count() == 6
    country(osm("2031-10-10", range(4)))
    country(owned("2031-07-01", range(5, 9)))
    assert Depot.objects.count() == 8
    before = dump()
    for older, newest in (osm("2031-10-09"), "2031-10-10"), (owned("2031-06-30"), "2031-07-01"):
        with pytest.raises(ImportRefused, match=f"what is stored of {newest}"):
            country(older)
    assert dump() == before
    country(owned("2031-06-30", range(5, 10)), allow_older=True)
    country(owned("2031-07-01", range(5, 9)), allow_removals=True)
    assert Depot.objects.filter(publication="published").count() == 8


def test_a_later_file_without_differences_moves_the_day_once(country):
    for day, version in (("2031-10-03", 1), ("2031-10-05", 2), ("2031-10-05", 2)):
        country(osm(day))
        assert (state(), Dataset.objects.get(slug="depots").version) == ((OSM, day), version)
    outcomes = ImportRun.objects.filter(dataset="depots").order_by("pk").values_list("outcome", flat=True)
    assert [*outcomes] == ["imported", "unchanged", "unchanged"]


def test_a_day_that_was_not_known_is_taken_from_a_file_without_differences(country):
    country(osm("2031-10-03"))
    Dataset.objects.filter(slug="depots").update(as_of=None)
    country(osm("2031-10-03"))
    assert state() == (OSM, "2031-10-03")


def test_a_data_set_names_the_publishers_of_its_rows_and_the_older_day(country, toy):
    country(osm("2031-10-03"))
    country(owned("2031-06-01"))
    assert state() == (f"{OSM} oraz {OWNERS}", "2031-06-01")
    country(owned("2031-11-01", range(5, 9)))
    assert state() == (f"{OSM} oraz {OWNERS}", "2031-10-03")
    entry = shown("depots")
    assert (entry["source"], entry["as_of"]) == (f"{OSM} oraz {OWNERS}", date(2031, 10, 3))
    assert entry["licence"] == "ODbL-1.0; za zgodą"
    # A publisher whose rows are all gone is named no more.
    Depot.objects.filter(source=Depot.Source.EDITOR).delete()
    country(osm("2031-10-04", range(4)))
    assert state() == (OSM, "2031-10-04")


def test_of_one_run_a_later_step_is_compared_with_the_earlier_ones(country, toy):
    country(osm("2031-10-03"), owned("2031-06-01"))
    *_, report = country(osm("2031-10-08"), owned("2031-06-08"), osm("2031-10-07", [7]), pass_over_older=True)
    assert [note.reason for note in report.skipped] == ["of 2031-10-07, older than what is stored (2031-10-08)"]
    # A skipped file does not set the day of the source, so the same file is skipped again.
    (report,) = country(osm("2031-10-07", [7]), pass_over_older=True)
    assert report.skipped
    assert ImportRun.objects.filter(source="osm-depots", file_date=None, outcome="refused").count() == 2
    (runs,) = (runs for runs in freshness.last_runs() if runs.source.id == "osm-depots")
    assert runs.good.file_date == date(2031, 10, 8)


def test_fetched_boundaries_older_than_the_stored_ones_are_refused():
    """By hand they may come in parts of several days."""
    source = all_sources()["prg-boundaries"]
    known = {"version": 1, "as_of": date(2031, 5, 3), "row_count": 9, "source": source.credit}
    Dataset.objects.create(slug=source.dataset, changed_at="2031-05-03T00:00Z", **known)
    older = Report("boundaries", as_of=date(2031, 5, 2), unchanged=source.min_rows)
    with pytest.raises(ImportRefused, match=r"older than what is stored .2031-05-03."):
        refuse_doubtful(source, older, Options(TODAY, write=True))
    refuse_doubtful(source, older, Options(TODAY, write=True, allow_older=True))


def test_postcodes_of_which_some_come_from_elsewhere_name_both(country):
    rows = "postcode,municipalities,places,lat,lon,addresses,source\n98-700,1206912:10,Próba,50.05,19.05,10,prg-2023\n"
    # A code that the file itself has from GeoNames, and codes of GeoNames that it lacks.
    country(("prg_postcodes", f"{rows}98-799,1206912:,Próba,50.05,19.05,,geonames-2026\n".encode()))
    assert state("postcodes") == ("GUGiK, punkty adresowe PRG oraz GeoNames, CC BY 4.0", None)
    country(("geonames", small_country.postcodes()))
    country(("prg_postcodes", rows.encode()), allow_removals=True)
    assert set(Postcode.objects.values_list("source", flat=True)) == {"geonames", "prg", "filled"}
    assert state("postcodes") == ("GUGiK, punkty adresowe PRG oraz GeoNames, CC BY 4.0", None)
    assert shown("postcodes")["licence"] == "bezpłatne, art. 40a ustawy Prawo geodezyjne i kartograficzne; CC BY 4.0"


def test_places_of_the_starter_data_keep_their_credit_and_licence(country):
    Place.objects.create(id="prng:1", name="Próba", kind="wieś", municipality_id="1206912", main=True)
    known = {"as_of": starter.PLACES_AS_OF, "row_count": 1, "source": starter.PLACES_CREDIT}
    Dataset.objects.create(slug="places", version=1, changed_at="2031-01-01T00:00Z", **known)
    country(("simc", small_country.simc()))
    assert state("places")[0] == f"{starter.PLACES_CREDIT} oraz GUS, rejestr TERYT (SIMC)"
    assert "CC BY 3.0" in shown("places")["licence"]
    # Brought in anew by their own publisher, they are credited to it.
    assert list(freshness.other_publishers(all_sources()["prng-places"])) == ["GUS, rejestr TERYT (SIMC)"]


def test_a_module_is_all_that_a_source_needs(toy, tmp_path):
    register = write(tmp_path / "TERC.zip", small_country.terc())
    write(tmp_path / "PL.zip", small_country.postcodes())
    write(tmp_path / "a.csv", "toy;teryt\n98-700;1206912\n")
    printed = commands.run("import_data", tmp_path, commit=True)
    assert "postcodes from PL.zip: 12 added" in printed
    assert "postcodes from a.csv: 0 added, 1 changed" in printed
    assert Dataset.objects.get(slug="postcodes").source == "GeoNames, CC BY 4.0 oraz Toy"
    assert ImportRun.objects.get(file_name="a.csv").source == "toy-postcodes"
    printed = commands.run("import_data", tmp_path, commit=True)
    assert printed.count(": 0 added, 0 changed, 0 removed") == 3
    assert "skipped: 1 × kept as the toy has it" in printed
    assert Postcode.objects.get(pk="98-700").source == "toy"
    refused = commands.refusal("import_postcodes", register, commit=True)
    assert re.search("looks like terc; this command reads: prg_postcodes, .*geonames, .*toy", refused)
    write(tmp_path / "toy.csv", "")
    assert "toy.csv: is named like TOY but is empty" in commands.refusal("import_data", tmp_path, commit=True)
