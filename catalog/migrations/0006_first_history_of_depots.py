"""The present state of every depot as its first line of history: the next change shows what was there before."""

from typing import Any

from django.db import migrations

from fueldepot.data import history


def keep_present_state(apps: Any, schema_editor: Any) -> None:
    depot, historical = apps.get_model("catalog", "Depot"), apps.get_model("catalog", "HistoricalDepot")
    keys = list(depot.objects.values_list("pk", flat=True))
    reason = "stan przy założeniu historii"
    history.record_bulk(depot, keys, by=None, reason=reason, kind=history.CREATED, historical=historical)


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0005_depot_history"),
    ]

    operations = [
        migrations.RunPython(keep_present_state, migrations.RunPython.noop, elidable=True),
    ]
