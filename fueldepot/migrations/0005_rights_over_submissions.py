"""Rights over submissions follow the new names of their models, and stay with every user and group that has them."""

from typing import Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

NEW_NAMES = {"depotrequest": "submission", "distinctpair": "notduplicate"}
VERBS = ("add", "change", "delete", "view")


def rename_rights(apps: Any, schema_editor: Any) -> None:
    """Hand the old rights over to the new ones.

    A new database and an upgrade over several versions have both: earlier migrations here create the rights of the
    models that they find. The groups of a new database have not got theirs, since the first migration asks for the
    old names.
    """
    create_permissions(installed.get_app_config("catalog"), apps=apps, verbosity=0)
    permission = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="catalog")
    for old_name, new_name in NEW_NAMES.items():
        for verb in VERBS:
            new = permission.get(codename=f"{verb}_{new_name}")
            for old in permission.filter(codename=f"{verb}_{old_name}"):
                new.group_set.add(*old.group_set.all())
                new.user_set.add(*old.user_set.all())
                old.delete()
    granted = permission.filter(codename__in=["view_submission", "change_submission"])
    for group in apps.get_model("auth", "Group").objects.filter(name__in=["Redaktor", "Redaktor naczelny"]):
        group.permissions.add(*granted)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0023_submissions_and_not_duplicates"),
        ("fueldepot", "0004_editors_see_owners"),
    ]

    operations = [
        migrations.RunPython(rename_rights, migrations.RunPython.noop),
    ]
