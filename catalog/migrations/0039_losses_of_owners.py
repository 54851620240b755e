from typing import Any

from django.db import migrations, models


def note_earlier_losses(apps: Any, schema_editor: Any) -> None:
    """Owners whose entries were removed or reset before get no letter about it now."""
    links = apps.get_model("catalog", "OwnerLink").objects.filter(revoked_at=None)
    owned = links.filter(depot__publication="published", depot__data_status="owner")
    links.exclude(pk__in=owned.values("pk")).update(loss_told_at=models.F("granted_at"))


class Migration(migrations.Migration):
    """Owners' links remember whether their owners were told that the entry is gone."""

    dependencies = [("catalog", "0038_owners_told")]

    operations = [
        migrations.AddField(
            "ownerlink",
            "loss_told_at",
            models.DateTimeField(verbose_name="powiadomiono o utracie wpisu", null=True, blank=True),
        ),
        migrations.AddField(
            "ownerlink",
            "letter_tried_at",
            models.DateTimeField(verbose_name="ostatnia próba wysłania", null=True, blank=True),
        ),
        migrations.RunPython(note_earlier_losses, migrations.RunPython.noop),
    ]
