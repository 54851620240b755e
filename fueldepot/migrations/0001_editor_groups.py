"""Groups of editors. In the top layer, since their rights reach over every app."""

from typing import Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

LOOK = ("view",)
KEEP = ("view", "add", "change")

Rights = dict[str, dict[str, tuple[str, ...]]]

EDITOR: Rights = {
    "catalog": {
        "depot": KEEP,
        "depotrequest": ("view", "change"),
        "municipality": LOOK,
        "formermunicipality": LOOK,
        "postcode": LOOK,
        "dataset": LOOK,
    },
    "prices": {"depotprice": KEEP, "plausiblerange": LOOK, "series": LOOK, "observation": LOOK},
    "regulations": {
        "legalstate": ("view", "change"),
        "resolution": KEEP,
        "amendment": KEEP,
        "deadline": KEEP,
        "fuelban": KEEP,
    },
}

CHIEF_BESIDES: Rights = {
    "prices": {"plausiblerange": ("change",)},
    "regulations": dict.fromkeys(("resolution", "amendment", "deadline", "fuelban"), ("delete",)),
    "auth": {"user": KEEP},
}


def make_groups(apps: Any, schema_editor: Any) -> None:
    """Both groups with their rights. Rights are made after all migrations only, so those needed here are made now."""
    for label in ("auth", "catalog", "prices", "regulations"):
        create_permissions(installed.get_app_config(label), apps=apps, verbosity=0)
    group, permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    roles: dict[str, list[Rights]] = {"Redaktor": [EDITOR], "Redaktor naczelny": [EDITOR, CHIEF_BESIDES]}
    for name, grants in roles.items():
        made, _ = group.objects.get_or_create(name=name)
        for grant in grants:
            for label, rights in grant.items():
                codes = [f"{verb}_{model}" for model, verbs in rights.items() for verb in verbs]
                found = permission.objects.filter(content_type__app_label=label, codename__in=codes)
                made.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("catalog", "0006_first_history_of_depots"),
        ("prices", "0001_prices"),
        ("regulations", "0001_legal_state"),
    ]

    operations = [
        migrations.RunPython(make_groups, migrations.RunPython.noop),
    ]
