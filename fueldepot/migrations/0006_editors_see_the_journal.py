"""Both groups of editors may look at the journal of decisions."""

from typing import Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations


def grant(apps: Any, schema_editor: Any) -> None:
    """Rights are made after all migrations only, so those needed here are made now."""
    create_permissions(installed.get_app_config("catalog"), apps=apps, verbosity=0)
    rights = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="catalog", codename="view_decision"
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=["Redaktor", "Redaktor naczelny"]):
        group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0028_decisions"),
        ("fueldepot", "0005_rights_over_submissions"),
    ]

    operations = [
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
