"""Both groups of editors may look at what owners changed and mark it, and end their links."""

from typing import Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations


def grant(apps: Any, schema_editor: Any) -> None:
    """Rights are made after all migrations only, so those needed here are made now."""
    create_permissions(installed.get_app_config("catalog"), apps=apps, verbosity=0)
    rights = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="catalog",
        codename__in=["view_ownerchange", "change_ownerchange", "view_ownerlink", "change_ownerlink"],
    )
    for group in apps.get_model("auth", "Group").objects.filter(name__in=["Redaktor", "Redaktor naczelny"]):
        group.permissions.add(*rights)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0022_owner_links"),
        ("fueldepot", "0003_editors_see_batches_and_drafts"),
    ]

    operations = [
        migrations.RunPython(grant, migrations.RunPython.noop),
    ]
