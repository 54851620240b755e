"""Both groups of editors may look at the records of imports, which came after the groups."""

from typing import Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations


def grant(apps: Any, schema_editor: Any) -> None:
    """Rights are made after all migrations only, so the one needed here is made now."""
    create_permissions(installed.get_app_config("catalog"), apps=apps, verbosity=0)
    right = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="catalog", codename="view_importrun"
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=["Redaktor", "Redaktor naczelny"]):
        group.permissions.add(right)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0009_import_runs"),
        ("fueldepot", "0001_editor_groups"),
    ]

    operations = [
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
