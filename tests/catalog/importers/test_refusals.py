"""Every refusal, a database that is full included, is one line that says what to do, and leaves every row as it was."""

import re
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from catalog.importers import runner
from catalog.models import Dataset, Depot, ImportRun, Municipality, Postcode
from regulations.models import LegalState
from tests import commands, factories, small_country
from tests.beside import beside
from tests.catalog.importers.parsers import test_openstreetmap as osm
from tests.catalog.importers.parsers.generate_addresses import area, document, point
from tests.catalog.importers.parsers.helpers import write, zipped
from tests.dumps import dump

pytestmark = pytest.mark.django_db


def register(day="2026-01-01", code="08", name="LUBUSKIE"):
    rows = [f"{code};;;;{name};województwo", f"{code};04;;;nowosolski;powiat", f"{code};04;03;2;Kolsko;gmina wiejska"]
    rows += [f"{code};04;{number};2;Gmina {number};gmina wiejska" for number in range(20, 40)]
    return "\r\n".join(["WOJ;POW;GMI;RODZ;NAZWA;NAZWA_DOD;STAN_NA", *(f"{row};{day}" for row in rows), ""])


def addresses(model=2012):
    points = [point(model, f"id-{n}", north=456_005.14 + n, east=287_772.37) for n in range(5)]
    return document(model, *points, area(model))


def run(name, *paths, **options):
    return commands.run(name, *paths, commit=True, **options)


def extract(path, *numbers):
    nodes = (osm.pbf_node(100 + number, location=(15.91, 51.93)) for number in numbers)
    return osm.extract(path, *nodes, stamp="2026-10-03T00:00:00Z")


def half(content):
    return content[: len(content) // 2]


def test_a_second_run_and_a_refusal_leave_everything_as_it_was(tmp_path):
    files = (
        ("import_teryt", write(tmp_path / "terc.csv", register())),
        ("import_postcodes", write(tmp_path / "addresses.xml", addresses())),
        ("import_depots", extract(tmp_path / "first.osm.pbf", *range(1, 21))),
    )
    run(*files[0])
    unit = Municipality.objects.get(pk="0804032")
    factories.BoundaryFactory(municipality=unit, lat=51.93, lon=15.91, side_km=30)
    for command, path in files[1:]:
        run(command, path)
    LegalState.objects.create(voivodeship_id="08", as_of="2026-01-01")
    assert (Depot.objects.count(), Postcode.objects.count()) == (20, 1)
    before = dump()
    for command, path in files:
        assert ": 0 added, 0 changed, 0 removed" in run(command, path)
    assert dump() == before
    cut_off = half(extract(tmp_path / "whole.osm.pbf", 1).read_bytes())
    both = zipped(tmp_path / "both.zip", {f"{model}.xml": addresses(model).encode() for model in (2012, 2021)})
    for command, name, content, message in (
        ("import_teryt", "a.csv", register(code="10", name="ŁÓDZKIE"), "voivodeship 08 leaves .*, and stany prawne"),
        ("import_teryt", "b.csv", register(day="2025-01-01"), "of 2025-01-01, .* add --allow-older"),
        ("import_teryt", "c.csv", register(day="2099-01-01"), r"c\.csv is of 2099-01-01, and may be of"),
        ("import_teryt", "d.csv", half(register()), "is the file cut off"),
        ("import_depots", "e.pbf", cut_off, "download it again"),
        ("import_postcodes", "f.zip", both.read_bytes(), "holds the other of the two models"),
    ):
        # The voivodeship is refused after rows were written, which are undone.
        allowed = {"commit": True, "allow_removals": "voivodeship" in message}
        text = commands.refusal(command, write(tmp_path / name, content), **allowed)
        assert re.fullmatch(f"nothing was imported: .*{message}.*", text)
        assert name in text
        assert dump() == before


def test_a_folder_with_registers_of_several_years_can_be_imported_again_and_an_older_one_be_asked_for(tmp_path):
    older = write(tmp_path / "TERC_2025.csv", register(day="2025-01-01").replace("Kolsko", "Kolsk"))
    write(tmp_path / "TERC_2026.csv", register())
    for name, day in (("Kolsk", "2025-01-01"), ("Kolsko", "2026-01-01")):
        row = f"08;04;03;2;01;1;{name};9900001;9900001;{day}"
        write(tmp_path / f"SIMC_{day}.csv", f"WOJ;POW;GMI;RODZ_GMI;RM;MZ;NAZWA;SYM;SYMPOD;STAN_NA\n{row}\n")
    run("import_data", tmp_path)
    before = dump()
    assert run("import_data", tmp_path).count("skipped: 1 × of 2025-01-01, older than what is stored (2026-01-01)") == 2
    assert dump() == before
    assert Municipality.objects.get(pk="0804032").name == "Kolsko"
    assert "renamed: 0804032 Kolsko → Kolsk" in run("import_teryt", older, allow_older=True)
    assert str(Dataset.objects.get(slug="units").as_of) == "2025-01-01"


FULL_DISK = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'could not extend file "base/1": No space left on device'
            USING ERRCODE = 'disk_full', HINT = 'Check free disk space.';
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk();
"""


def fill_disk(model):
    """Let the database have no room for rows of a model, until the transaction of the test ends."""
    with connection.cursor() as cursor:
        cursor.execute(FULL_DISK.format(table=model._meta.db_table))


@pytest.mark.parametrize("model", [Municipality, Depot, ImportRun, None], ids=["units", "depots", "run", "planner"])
def test_a_full_disk_is_told_in_one_line_and_changes_nothing(model, tmp_path, monkeypatch):
    """For rows of a model, or for what the planner is told of all of them at the end."""
    full = 'could not extend file "base/1": No space left on device'
    for name, content in small_country.files().items():
        (tmp_path / name).write_bytes(content)
    if model:
        fill_disk(model)
    else:
        monkeypatch.setattr(runner, "analyse", Mock(side_effect=OperationalError(f"{full}\nHINT: make room")))
    before = dump()
    text = f"nothing was imported: the database refused: {full}"
    assert (commands.refusal("import_data", tmp_path, commit=True), dump()) == (text, before)


def test_an_import_waits_for_no_table_that_is_vacuumed(db):
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK {Municipality._meta.db_table} IN SHARE UPDATE EXCLUSIVE MODE")
    assert beside(lambda: runner.analyse([])).result(5) is None


GOES_AWAY = """
    CREATE FUNCTION goes_away() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_terminate_backend(pg_backend_pid());
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER goes_away AFTER INSERT ON catalog_importrun
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION goes_away();
"""


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_breaks_at_the_commit_leaves_it_open_whether_the_data_are_in(tmp_path):
    (tmp_path / "terc.zip").write_bytes(small_country.terc())
    with connection.cursor() as cursor:
        cursor.execute(GOES_AWAY)
    try:
        text = commands.refusal("import_teryt", tmp_path / "terc.zip", commit=True)
        assert text.startswith("it is not known whether the data are in: the connection broke while they were commi")
        assert text.endswith("they are if the admin has a record of this run, and running it again does no harm")
        # What it says is so: there are both or neither.
        assert ImportRun.objects.exists() == Municipality.objects.exists()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION goes_away CASCADE")


def test_depots_are_locked_before_any_version_so_that_no_editor_and_import_wait_for_each_other(tmp_path):
    for name, content in small_country.files().items():
        (tmp_path / name).write_bytes(content)
    with CaptureQueriesContext(connection) as queries:
        commands.run("import_data", tmp_path, commit=True)
    statements = [query["sql"] for query in queries]
    locks = [place for place, sql in enumerate(statements) if "FOR NO KEY UPDATE" in sql and "catalog_depot" in sql]
    writes = [place for place, sql in enumerate(statements) if re.match('(INSERT INTO|UPDATE) "catalog_', sql)]
    assert locks[0] < writes[0]
