"""What an import says when the database cannot take what it brings."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from catalog.models import Boundary, Depot, Municipality, Place, Postcode
from tests import small_country
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
@pytest.mark.parametrize("model", [Municipality, Place, Boundary, Postcode, Depot])
def test_a_full_disk_is_told_in_one_line_and_changes_nothing(model, tmp_path):
    for name, content in small_country.files().items():
        (tmp_path / name).write_bytes(content)
    fill_disk(model)
    before = dump()
    with pytest.raises(CommandError) as failure:
        call_command("import_data", str(tmp_path), commit=True, stdout=io.StringIO())
    assert str(failure.value) == (
        'nothing was imported: the database refused: could not extend file "base/1": No space left on device'
    )
    assert dump() == before
