"""Records of imports from files, the commands' `--download`, and the strict file of sources."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.management import CommandError
from django.urls import reverse

from catalog.importers import import_steps
from catalog.importers.download import checksum
from catalog.importers.runner import files_origin
from catalog.importers.sources import all_sources, allowed_address, formats, read_sources
from catalog.models import ImportRun
from fueldepot import checks
from fueldepot.data.yaml_reader import InvalidYaml
from tests import factories, small_country
from tests.commands import run
from tests.dumps import dump
from tests.pages.reading import missing

pytestmark = pytest.mark.django_db


@pytest.fixture
def register(tmp_path):
    path = tmp_path / "TERC.zip"
    path.write_bytes(small_country.terc())
    return path


def test_a_run_from_a_file_is_recorded_with_its_checksum(register):
    for _ in range(2):
        run("import_teryt", register, commit=True)
    first, second = ImportRun.objects.order_by("pk")
    assert (first.source, first.dataset) == ("teryt-terc", "units")
    assert (first.outcome, first.added, first.rows) == ("imported", 9, 9)
    assert (second.outcome, second.added, second.rows) == ("unchanged", 0, 9)
    assert (first.file_name, first.checksum) == ("TERC.zip", checksum(register))
    assert (str(first.file_date), first.file_size) == ("2021-01-01", register.stat().st_size)
    assert first.started <= first.finished <= second.started


def test_a_dry_run_leaves_no_record(register):
    run("import_teryt", register)
    with pytest.raises(CommandError):
        run("import_postcodes", register)
    assert not ImportRun.objects.exists()


def test_a_refused_run_is_recorded_although_everything_else_was_undone(register, tmp_path):
    run("import_teryt", register, commit=True)
    register.write_bytes(small_country.terc(list(small_country.UNITS)[:3]))
    before = dump()
    with pytest.raises(CommandError, match="add --allow-removals"):
        run("import_teryt", register, commit=True)
    assert dump() == before
    record = ImportRun.objects.order_by("-pk")[0]
    assert (record.source, record.outcome, record.rows) == ("teryt-terc", "refused", 0)
    assert "add --allow-removals" in record.message
    assert record.checksum == checksum(register)


def test_a_file_of_no_known_form_is_recorded_for_the_source_of_the_command(tmp_path):
    (tmp_path / "x.csv").write_text("a;b\n1;2\n")
    with pytest.raises(CommandError):
        run("import_depots", tmp_path / "x.csv", commit=True)
    record = ImportRun.objects.get()
    assert (record.source, record.outcome) == ("osm-depots", "refused")
    assert "is of no known form" in record.message
    source = all_sources()["teryt-simc"]
    origin = files_origin(import_steps.step([tmp_path / "gone.csv"], source, *source.formats))
    gone = {"source": "teryt-simc", "file_name": "gone.csv", "checksum": "", "file_size": 0}
    assert {name: origin[name] for name in gone} == gone


def test_of_a_directory_every_step_is_recorded_and_of_a_refused_one_the_step(register, tmp_path):
    steps = [("teryt-terc", "imported"), ("geonames-postcodes", "imported"), ("geonames-postcodes", "refused")]
    (tmp_path / "PL.zip").write_bytes(small_country.postcodes())
    run("import_data", tmp_path, commit=True)
    (tmp_path / "PL.zip").write_bytes(small_country.postcodes(range(5)))
    register.write_bytes(small_country.terc(day="2022-01-01"))
    before = dump()
    with pytest.raises(CommandError):
        run("import_data", tmp_path, commit=True)
    assert dump() == before
    assert list(ImportRun.objects.order_by("pk").values_list("source", "outcome")) == steps


def test_every_importer_downloads(publishers, tmp_path, settings):
    settings.DOWNLOADS_DIR = tmp_path / "downloads"
    options = {"download": True, "sources_file": publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL)}
    for command, source in (
        ("import_teryt", "teryt-terc"),
        ("import_places", "teryt-simc"),
        ("import_boundaries", "prg-boundaries"),
        ("import_postcodes", "geonames-postcodes"),
        ("import_depots", "osm-depots"),
    ):
        before = dump()
        assert not missing(run(command, **options), "downloaded, ", "This was a dry run")
        assert dump() == before
        assert not missing(run(command, **options, commit=True), " added, 0 changed, 0 removed", "SHA-256 ")
        good = ImportRun.objects.latest("pk")
        assert (good.source, good.outcome) == (source, "imported")
    publishers.always["/interpreter"] = 404
    with pytest.raises(CommandError, match="nothing was imported: http://127") as refused:
        run(command, **options, commit=True)
    assert "\n" not in str(refused.value)
    last = ImportRun.objects.latest("pk")
    assert (last.source, last.outcome, last.address) == (source, "failed", good.address)


def test_either_files_or_a_download_of_sources_that_are_named(tmp_path):
    (tmp_path / "few.yaml").write_text("teryt-simc: {url: 'http://127.0.0.1/'}")
    few = ["--download", "--sources", tmp_path / "few.yaml"]
    either = "give either files or --download"
    for args, message in (([], either), (["--download", "x.zip"], either), (few, "names no source teryt-terc")):
        with pytest.raises(CommandError, match=message):
            run("import_teryt", *args)


def test_records_can_be_looked_at_in_the_admin(client, register):
    run("import_teryt", register, commit=True)
    client.force_login(factories.UserFactory())
    listing = reverse("admin:catalog_importrun_changelist")
    assert not missing(client.get(listing).content.decode(), "teryt-terc", "wczytano zmiany")
    page = reverse("admin:catalog_importrun_change", args=[ImportRun.objects.get().pk])
    assert client.get(page).status_code == 200


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
