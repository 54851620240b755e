"""A first line of history for each plausible range, without which its first change could not be undone."""

from typing import Any

from django.db import migrations
from django.utils import timezone

from fueldepot.data import history


def keep_present_state(apps: Any, schema_editor: Any) -> None:
    ranges, lines = (apps.get_model("prices", name) for name in ("PlausibleRange", "HistoricalPlausibleRange"))
    now, reason = timezone.now(), "stan przy założeniu historii"
    lines.objects.bulk_create(
        lines(**row, history_date=now, history_type=history.CREATED, history_change_reason=reason)
        for row in ranges.objects.exclude(pk__in=lines.objects.values("fuel")).values("fuel", "low", "high")
    )


class Migration(migrations.Migration):
    dependencies = [
        ("prices", "0006_price_before_correction"),
    ]

    operations = [
        migrations.RunPython(keep_present_state, migrations.RunPython.noop, elidable=True),
    ]
