"""A first line of history for each demonstration price, without which a decision on it could not be undone."""

from typing import Any

from django.db import migrations

from fueldepot.data import history


def keep_present_state(apps: Any, schema_editor: Any) -> None:
    price, historical = (apps.get_model("prices", name) for name in ("DepotPrice", "HistoricalDepotPrice"))
    invented = price.objects.filter(depot__source="demo").exclude(pk__in=historical.objects.values("id"))
    keys = list(invented.values_list("pk", flat=True))
    reason = "stan przy założeniu historii"
    history.record_bulk(price, keys, by=None, reason=reason, kind=history.CREATED, historical=historical)


class Migration(migrations.Migration):
    dependencies = [
        ("prices", "0007_first_history_of_ranges"),
    ]

    operations = [
        migrations.RunPython(keep_present_state, migrations.RunPython.noop, elidable=True),
    ]
