"""manage.py refresh beside another one, beside an import, and on a database that takes nothing."""

from functools import partial

import pytest
from django.core.management import CommandError
from django.db import connection

from catalog.importers import import_steps
from catalog.importers.runner import exclusive_import
from catalog.models import Depot, ImportRun, Place
from tests.beside import beside

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_two_refreshes_at_once(rehearsal):
    refused = "^nothing was refreshed: another refresh is running; wait until it has finished$"
    with import_steps.one_refresh(), pytest.raises(CommandError, match=refused):
        beside(rehearsal.run).result()
    assert not rehearsal.publishers.asked
    assert not ImportRun.objects.exists()


def test_a_refresh_beside_an_import_says_so_and_leaves_the_rest_for_the_next(rehearsal):
    with exclusive_import():
        beside(partial(rehearsal.fail, "--only", "teryt-terc", match="failed: teryt-terc")).result()
    assert not ImportRun.objects.exists()
    assert rehearsal.run(only=["teryt-terc"]).startswith("teryt-terc: imported")


def test_a_database_that_takes_nothing_is_told_in_one_line(rehearsal, caplog):
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        try:
            rehearsal.fail(match="not all was refreshed: the database refused: cannot execute .* read-only transaction")
        finally:
            cursor.execute("SET default_transaction_read_only = off")
    assert not caplog.records
    assert not Place.objects.exists()
    assert not Depot.objects.exists()
