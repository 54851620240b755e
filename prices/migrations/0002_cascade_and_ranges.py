"""Prices that go with their depot, and the plausible ranges to start with."""

import csv
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db import migrations

CASCADE = """
    ALTER TABLE prices_depotprice ADD CONSTRAINT prices_depotprice_depot_id_fk
    FOREIGN KEY (depot_id) REFERENCES catalog_depot (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""

# Retail prices of 2025 and 2026 lay well inside these. Coal of an unnamed assortment may be any of them.
RANGES = Path(__file__).parents[1] / "data" / "plausible_ranges.csv"


def set_ranges(apps: Any, schema_editor: Any) -> None:
    PlausibleRange = apps.get_model("prices", "PlausibleRange")
    with RANGES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    PlausibleRange.objects.bulk_create(
        PlausibleRange(fuel=row["fuel"], low=Decimal(row["low"]), high=Decimal(row["high"])) for row in rows
    )


class Migration(migrations.Migration):
    dependencies = [("prices", "0001_prices")]

    operations = [
        migrations.RunSQL(CASCADE, "ALTER TABLE prices_depotprice DROP CONSTRAINT prices_depotprice_depot_id_fk"),
        migrations.RunPython(set_ranges, migrations.RunPython.noop),
    ]
