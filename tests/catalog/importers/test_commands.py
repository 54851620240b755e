"""Commands as an operator calls them, records of their runs, and the strict file of sources."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.urls import reverse

from catalog.importers import import_steps
from catalog.importers.download import checksum
from catalog.importers.records import BadInput
from catalog.importers.runner import exclusive_import, files_origin
from catalog.importers.sources import all_sources, allowed_address, formats, read_sources
from catalog.models import Boundary, Dataset, Depot, ImportRun, Municipality, Place, Postcode
from fueldepot import checks
from fueldepot.data.yaml_reader import InvalidYaml
from regulations.models import LegalState
from tests import factories, small_country
from tests.beside import beside
from tests.catalog.importers.parsers.helpers import DATA, write
from tests.commands import refusal, run
from tests.dumps import dump
from tests.pages.reading import missing
from tests.regulations.importers.test_sync import FILE

pytestmark = pytest.mark.django_db


GEONAMES = "PL\t30-001\tKraków\tLesser Poland\t77\tKraków\t1261\tKraków\t126101\t50.07\t19.94\t\n"


@pytest.fixture
def register(tmp_path):
    return write(tmp_path / "TERC.zip", small_country.terc())


@pytest.fixture
def directory(register):
    write(register.parent / "PL.txt", GEONAMES)
    write(register.parent / "notes.txt", "nothing of ours")
    return register.parent


def test_a_dry_run_reports_also_links_that_lead_nowhere_and_changes_nothing(directory):
    (directory / "notes.csv").symlink_to(directory / "gone.csv")
    printed = run("import_data", directory)
    assert not missing(printed, "units from TERC.zip: 9 added", "postcodes from PL.txt: 1 added")
    assert not missing(printed, "not imported, of no known form: notes.csv, notes.txt", "dry run")
    assert "looks like terc" in refusal("import_postcodes", directory / "TERC.zip")
    assert "run import_teryt first" in refusal("import_postcodes", directory / "PL.txt")
    assert not any(table.objects.exists() for table in (Municipality, Dataset, ImportRun))


def test_commit_writes_searches_and_dates(directory, client):
    run("import_data", directory, commit=True)
    assert Postcode.objects.get().code == "30-001"
    units = Dataset.objects.get(slug="units")
    assert (units.version, units.row_count, str(units.as_of)) == (1, 4, "2021-01-01")
    assert client.get("/api/v1/locations", {"q": "krak"}).json()[0]["label"] == "Kraków"
    run("import_data", directory, commit=True)
    assert Dataset.objects.get(slug="units").version == 1


def test_a_directory_is_refused_as_a_whole_for_one_bad_file(directory):
    (directory / "empty").mkdir()
    write(directory / "PL.txt", GEONAMES + GEONAMES.replace("50.07", "north"))
    (directory / "same.zip").symlink_to(directory / "TERC.zip")
    (directory / "link").mkdir()
    (directory / "link" / "SIMC.csv").symlink_to(directory / "gone.csv")
    for command, paths, message in (
        ("import_data", [directory], "PL.txt, row 2"),
        ("import_teryt", [directory / "TERC.zip", directory / "same.zip"], "same.zip: is given twice"),
        ("import_data", [directory / "empty"], "holds no file"),
        ("import_data", [directory / "none"], "none: is not a directory"),
        ("import_data", [directory / "link"], "SIMC.csv: is named like SIMC but does not exist"),
    ):
        assert message in refusal(command, *paths, commit=True)
    assert not Municipality.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_second_import_at_the_same_time_is_refused(directory):
    with exclusive_import():
        text = beside(lambda: refusal("import_data", directory, commit=True)).result()
    assert "another import is running" in text


def test_a_starter_that_cannot_be_loaded_says_why_in_one_line(monkeypatch):
    damaged, full = BadInput("places.csv.gz", "is damaged"), OperationalError("the disk is full\nreally")
    for error, reason in ((damaged, "places.csv.gz: is damaged"), (full, "the database refused: the disk is full")):
        monkeypatch.setattr(import_steps, "load_units", Mock(side_effect=error))
        assert refusal("load_starter") == f"nothing was loaded: {reason}"
    assert not Dataset.objects.exists()


def test_every_note_is_printed_when_asked_for(directory):
    write(directory / "PL.txt", GEONAMES + GEONAMES.replace("30-001", "30-002").replace("1261", "1299"))
    short, long = (run("import_data", directory, verbosity=verbosity) for verbosity in (1, 2))
    assert ("rejected: 1 × " in short, "rejected: 1 × " in long, "  rejected: " in long) == (True, False, True)


def test_dumps_are_not_kept_for_an_impossible_number_of_days(tmp_path):
    for days in (0, 10_000):
        assert "give a number from 1 to 9999" in refusal("back_up", tmp_path, f"--keep-days={days}")
    assert not list(tmp_path.iterdir())


def test_places_of_the_names_register_are_matched_with_the_stored_units():
    county = factories.CountyFactory(teryt="1206", name="krakowski")
    factories.MunicipalityFactory(teryt="1206923", name="Dolna Próba", kind=3, county=county)
    printed = run("import_places", DATA / "polskie-miejscowosci.json", commit=True)
    assert "places from polskie-miejscowosci.json: 2 added, 0 changed, 0 removed, 0 unchanged, 0 skipped" in printed
    assert set(Place.objects.values_list("id", "municipality")) == {("prng:9001", "1206923"), ("prng:9002", "1206923")}


def test_boundaries_from_a_file_and_a_folder_with_a_legal_state(register, tmp_path):
    run("import_teryt", register, commit=True)
    boundaries = write(tmp_path / "granice.zip", small_country.boundaries())
    assert ": 4 added, " in run("import_boundaries", boundaries, commit=True)
    assert Boundary.objects.count() == 4
    (tmp_path / "rules").mkdir()
    write(tmp_path / "rules" / "malopolskie.yaml", FILE)
    assert "regulations: 6 added" in run("import_data", tmp_path / "rules", commit=True)
    assert LegalState.objects.count() == 1


def test_real_depots_keep_the_demonstration_out_and_there_is_nothing_to_remove():
    # A catalog of an operator's own, in which of the starter data only prices and resolutions are missing.
    for name in ("Boundary", "Place", "Postcode", "Depot"):
        getattr(factories, f"{name}Factory")()
    assert run("remove_demo") == "0 demonstration depots and 0 prices removed\n"
    assert not Dataset.objects.exists()
    assert "demonstration" not in run("load_starter")
    assert Depot.objects.count() == 1


def test_a_run_from_a_file_is_recorded_with_its_checksum_and_can_be_looked_at_in_the_admin(client, register):
    for _ in range(2):
        run("import_teryt", register, commit=True)
    first, second = ImportRun.objects.order_by("pk")
    assert (first.source, first.dataset) == ("teryt-terc", "units")
    assert (first.outcome, first.added, first.rows) == ("imported", 9, 9)
    assert (second.outcome, second.added, second.rows) == ("unchanged", 0, 9)
    assert (first.file_name, first.checksum) == ("TERC.zip", checksum(register))
    assert (str(first.file_date), first.file_size) == ("2021-01-01", register.stat().st_size)
    assert first.started <= first.finished <= second.started
    client.force_login(factories.UserFactory())
    listing = reverse("admin:catalog_importrun_changelist")
    assert not missing(client.get(listing).content.decode(), "teryt-terc", "wczytano zmiany")
    assert client.get(reverse("admin:catalog_importrun_change", args=[first.pk])).status_code == 200


def test_a_file_of_no_known_form_is_recorded_for_the_source_of_the_command(tmp_path):
    (tmp_path / "x.csv").write_text("a;b\n1;2\n")
    text = refusal("import_depots", tmp_path / "x.csv", commit=True)
    record = ImportRun.objects.get()
    assert (record.source, record.outcome, record.message in text) == ("osm-depots", "refused", True)
    assert "is of no known form" in record.message
    source = all_sources()["teryt-simc"]
    origin = files_origin(import_steps.step([tmp_path / "gone.csv"], source, *source.formats))
    gone = {"source": "teryt-simc", "file_name": "gone.csv", "checksum": "", "file_size": 0}
    assert {name: origin[name] for name in gone} == gone


def test_of_a_directory_every_step_is_recorded_and_of_a_refused_one_the_step_although_all_is_undone(register, tmp_path):
    steps = [("teryt-terc", "imported"), ("geonames-postcodes", "imported"), ("geonames-postcodes", "refused")]
    (tmp_path / "PL.zip").write_bytes(small_country.postcodes())
    run("import_data", tmp_path, commit=True)
    (tmp_path / "PL.zip").write_bytes(small_country.postcodes(range(5)))
    register.write_bytes(small_country.terc(day="2022-01-01"))
    before = dump()
    assert "add --allow-removals" in refusal("import_data", tmp_path, commit=True)
    assert dump() == before
    *_, record = ImportRun.objects.order_by("pk")
    assert list(ImportRun.objects.order_by("pk").values_list("source", "outcome")) == steps
    assert ("add --allow-removals" in record.message, record.rows) == (True, 0)
    assert record.checksum == checksum(tmp_path / "PL.zip")


def test_every_importer_downloads(publishers, tmp_path, settings):
    settings.DOWNLOADS_DIR = tmp_path / "downloads"
    options = {"download": True, "sources_file": publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL)}
    fetched = {"import_teryt": "teryt-terc", "import_places": "teryt-simc", "import_boundaries": "prg-boundaries"}
    fetched |= {"import_postcodes": "geonames-postcodes", "import_depots": "osm-depots"}
    for command, source in fetched.items():
        before = dump()
        assert not missing(run(command, **options), "downloaded, ", "This was a dry run")
        assert dump() == before
        assert not missing(run(command, **options, commit=True), " added, 0 changed, 0 removed", "SHA-256 ")
        good = ImportRun.objects.latest("pk")
        assert (good.source, good.outcome) == (source, "imported")
    publishers.always["/interpreter"] = 404
    assert refusal(command, **options, commit=True).startswith("nothing was imported: http://127")
    last = ImportRun.objects.latest("pk")
    assert (last.source, last.outcome, last.address) == (source, "failed", good.address)


def test_either_files_or_a_download_of_sources_that_are_named(tmp_path):
    (tmp_path / "few.yaml").write_text("teryt-simc: {url: 'http://127.0.0.1/'}")
    few = ["--download", "--sources", tmp_path / "few.yaml"]
    either = "give either files or --download"
    for args, message in (([], either), (["--download", "x.zip"], either), (few, "names no source teryt-terc")):
        assert message in refusal("import_teryt", *args)


def test_the_projects_file_of_sources_is_whole_and_a_format_of_one_source(monkeypatch):
    sources = read_sources()
    fetched = ["teryt-terc", "teryt-simc", "prg-boundaries", "geonames-postcodes", "osm-depots", "gus-bdl"]
    assert [source.id for source in sources.values() if source.fetched] == fetched
    assert all(source.url.startswith("https://") for source in sources.values())
    names = [form.name for _, form in formats()]
    assert len(names) == len({*names})
    assert [source.id for source, form in formats() if form.name == "geonames"] == ["geonames-postcodes"]
    assert [*checks.check_sources_file()] == []
    odd = InvalidYaml(Path("sources.yaml"), [(None, "osm-depots: licence is missing")])
    monkeypatch.setattr(checks, "read_sources", Mock(side_effect=odd))
    (error,) = checks.check_sources_file()  # stops the start
    assert (error.id, error.msg) == ("catalog.E001", "sources.yaml: osm-depots: licence is missing")


def test_an_odd_file_of_sources_is_refused_with_source_and_key(tmp_path):
    path = tmp_path / "sources.yaml"
    with pytest.raises(InvalidYaml, match="cannot be read: "):
        read_sources(path)
    for content, message in (
        ("osm-depots: {rythm_days: 3}", "row [0-9]+: osm-depots, rythm_days is unknown"),
        ("osm-depots: {rhythm_days: true}", "rhythm_days is True; it must be a whole number"),
        ("osm-depots: {rhythm_days: 0}", "rhythm_days is 0; it must be greater than or equal to 1"),
        ("regulations: {max_megabytes: 5}", "max_megabytes is unknown to the method manual"),
        ("osm-depots: {url: 'http://overpass-api.de/'}", "must be an https address, or http to this machine"),
        ("osm-depots: {confirmed: 'yes'}", "confirmed is 'yes'; it must be yes or no"),
        ("osm-depots: {url: ''}", "url is ''; it must not be empty"),
        ("osm-depots: 3", "row 1: osm-depots is 3; it must be a mapping"),
        ("OSM: {}", "row 1: OSM is no source; the sources are teryt-terc, "),
    ):
        path.write_text(content)
        with pytest.raises(InvalidYaml, match=message) as refused:
            read_sources(path)
        assert str(path) in str(refused.value), content
        assert "\n" not in str(refused.value)


def test_which_addresses_may_be_asked():
    for allowed, urls in (
        (True, ("https://example.org/x", "http://127.0.0.1:8000/x", "http://[::1]/x", "http://localhost/x")),
        (False, ("http://example.org/x", "http://127.0.0.1.example.org/", "https://user:secret@example.org/")),
        (False, ("ftp://example.org/", "https://", "https://example.org:port/", "http://[::1/")),
    ):
        for url in urls:
            assert allowed_address(url) == allowed, url
