"""The search index of an earlier release, whose entries have no position."""

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models.signals import post_migrate

from catalog.apps import MOVES_ENTRIES
from catalog.models import Place, SearchEntry
from tests import factories

pytestmark = pytest.mark.django_db


def migrated(*names: str) -> None:
    """Say that migrations of the catalog were applied, as `migrate` does."""
    loader = MigrationLoader(None)
    plan = [(loader.get_migration("catalog", name), False) for name in names]
    config = apps.get_app_config("catalog")
    post_migrate.send(config, app_config=config, verbosity=0, interactive=False, using="default", apps=apps, plan=plan)


@pytest.mark.parametrize("migration", sorted(MOVES_ENTRIES))
def test_migrations_that_move_entries_have_the_index_rebuilt(migration):
    krakow = factories.krakow()
    factories.PlaceFactory(name="Kraków", municipality=krakow, lat=50.06, lon=19.94)
    SearchEntry.objects.create(rank=0, kind="municipality", fold="old", label="Old", municipality=krakow)
    migrated("0018_expiry_letters")
    assert SearchEntry.objects.get().label == "Old"
    migrated("0018_expiry_letters", migration)
    entry = SearchEntry.objects.get()
    assert (entry.label, entry.lat, entry.position) == ("Kraków", 50.06, "municipality")


def test_districts_of_the_starter_data_get_their_code():
    krakow = factories.krakow()
    for identifier in ("terc:1261039", "simc:0950718"):
        factories.PlaceFactory(id=identifier, municipality=krakow)
    operations = MigrationLoader(None).get_migration("catalog", "0026_districts_of_places").operations
    with connection.cursor() as cursor:
        cursor.execute(operations[1].sql)
    assert dict(Place.objects.values_list("id", "district")) == {"terc:1261039": "1261039", "simc:0950718": ""}
