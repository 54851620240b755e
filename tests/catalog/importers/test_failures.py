"""What an import says when the database cannot take what it brings."""

import io
import re
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from catalog.importers import runner
from catalog.models import Depot, ImportRun, Municipality
from tests import commands, small_country
from tests.dumps import dump

FULL_DISK = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION USING
            ERRCODE = 'disk_full',
            MESSAGE = 'could not extend file "base/1": No space left on device',
            HINT = 'Check free disk space.';
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk();
"""


def fill_disk(model):
    """Let the database have no room for rows of a model, until the transaction of the test ends."""
    with connection.cursor() as cursor:
        cursor.execute(FULL_DISK.format(table=model._meta.db_table))


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Municipality, Depot, ImportRun])
def test_a_full_disk_is_told_in_one_line_and_changes_nothing(model, tmp_path):
    for name, content in small_country.files().items():
        (tmp_path / name).write_bytes(content)
    fill_disk(model)
    before = dump()
    with pytest.raises(CommandError) as failure:
        commands.run("import_data", tmp_path, commit=True)
    assert str(failure.value) == (
        'nothing was imported: the database refused: could not extend file "base/1": No space left on device'
    )
    assert dump() == before


def test_what_fails_after_the_commit_does_not_hide_that_the_data_are_in(db, tmp_path, monkeypatch):
    refused = OperationalError("could not write to file: No space left on device\nHINT: make room")
    (tmp_path / "terc.zip").write_bytes(small_country.terc())
    monkeypatch.setattr(runner, "analyse", Mock(side_effect=refused))
    out = io.StringIO()
    with pytest.raises(CommandError) as failure:
        call_command("import_teryt", str(tmp_path / "terc.zip"), commit=True, stdout=out)
    assert str(failure.value) == (
        "the data are in, but the planner of the database was not told: the database refused: could not write to file: "
        "No space left on device; run ANALYZE, or wait until autovacuum does"
    )
    assert "units from terc.zip: 9 added" in out.getvalue()
    assert (Municipality.objects.count(), ImportRun.objects.get().outcome) == (4, "imported")


def test_the_starter_data_tell_what_is_in_too(monkeypatch):
    broken = Mock(side_effect=runner.AnalyzeFailed([], OperationalError("no space")))
    monkeypatch.setattr("fueldepot.management.commands.load_starter.run", broken)
    for module in ("catalog.importers.import_steps", "prices.starter", "regulations.sources"):
        monkeypatch.setattr(f"{module}.missing_steps", list)
    with pytest.raises(CommandError, match="the data are in, but the planner"):
        call_command("load_starter")


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
        with pytest.raises(CommandError) as failure:
            commands.run("import_teryt", tmp_path / "terc.zip", commit=True)
        said = str(failure.value)
        assert said.startswith("it is not known whether the data are in: the connection broke while they were commi")
        assert said.endswith("they are if the admin has a record of this run, and running it again does no harm")
        assert "\n" not in said
        # What it says is so: there are both or neither.
        assert ImportRun.objects.exists() == Municipality.objects.exists()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION goes_away CASCADE")


@pytest.mark.django_db
def test_depots_are_locked_before_any_version_so_that_no_editor_and_import_wait_for_each_other(tmp_path):
    for name, content in small_country.files().items():
        (tmp_path / name).write_bytes(content)
    with CaptureQueriesContext(connection) as queries:
        commands.run("import_data", tmp_path, commit=True)
    statements = [query["sql"] for query in queries]
    locks = [place for place, sql in enumerate(statements) if "FOR NO KEY UPDATE" in sql and "catalog_depot" in sql]
    writes = [place for place, sql in enumerate(statements) if re.match('(INSERT INTO|UPDATE) "catalog_', sql)]
    assert locks[0] < writes[0]
