"""A price names its submission. The columns stay `request_id`."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def submission(related_name: str) -> Any:
    return models.ForeignKey(
        blank=True,
        db_column="request_id",
        db_constraint=False,
        null=True,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name=related_name,
        to="catalog.submission",
        verbose_name="zgłoszenie",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0023_submissions_and_not_duplicates"),
        ("prices", "0004_visits_and_withdrawals"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField("DepotPrice", "request", submission("prices")),
                migrations.RenameField("DepotPrice", "request", "submission"),
                migrations.AlterField("HistoricalDepotPrice", "request", submission("+")),
                migrations.RenameField("HistoricalDepotPrice", "request", "submission"),
            ]
        ),
    ]
