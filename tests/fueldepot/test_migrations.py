"""Squashing must keep the migrations that write data."""

from django.apps import apps
from django.conf import settings
from django.db.migrations import RunPython, RunSQL
from django.db.migrations.loader import MigrationLoader

TOUCH_ROWS_THAT_ARE_THERE = {"keep_present_state"}
"""Elidable: they complete rows of an older version, and a database that begins with the squashed one has none."""


def operations():
    """Those of the project's own migrations that run code or SQL, with where they are."""
    own = {config.label for config in apps.get_app_configs() if (settings.BASE_DIR / config.name).is_dir()}
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if app in own:
            for operation in migration.operations:
                if isinstance(operation, (RunPython, RunSQL)):
                    yield f"{app}.{name}", operation


def test_no_migration_that_brings_data_is_elidable():
    found = dict.fromkeys(where for where, _ in operations())
    assert {"prices.0002_cascade_and_ranges", "fueldepot.0001_editor_groups"} <= found.keys()
    elidable = {
        (where, getattr(getattr(operation, "code", None), "__name__", "SQL"))
        for where, operation in operations()
        if operation.elidable
    }
    assert {name for _, name in elidable} <= TOUCH_ROWS_THAT_ARE_THERE, elidable
