"""What an import says when the database cannot take what it brings."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from catalog.models import Dataset, Municipality
from tests.catalog.importers.parsers.helpers import DATA

FULL_DISK = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION USING
            ERRCODE = 'disk_full',
            MESSAGE = 'could not extend file "base/1": No space left on device',
            HINT = 'Check free disk space.';
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON catalog_municipality FOR EACH STATEMENT EXECUTE FUNCTION full_disk();
"""


@pytest.mark.django_db
def test_a_full_disk_is_told_in_one_line_and_changes_nothing():
    with connection.cursor() as cursor:
        cursor.execute(FULL_DISK)
    with pytest.raises(CommandError) as failure:
        call_command("import_teryt", str(DATA / "terc.csv"), commit=True)
    assert str(failure.value) == (
        'nothing was imported: the database refused: could not extend file "base/1": No space left on device'
    )
    assert not Municipality.objects.exists()
    assert not Dataset.objects.exists()
