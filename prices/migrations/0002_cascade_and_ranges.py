"""Prices that go with their depot, and the plausible ranges to start with."""

from decimal import Decimal
from typing import Any

from django.db import migrations

CASCADE = """
    ALTER TABLE prices_depotprice ADD CONSTRAINT prices_depotprice_depot_id_fk
    FOREIGN KEY (depot_id) REFERENCES catalog_depot (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""

# Retail prices of 2025 and 2026 lay well inside these. Coal of an unnamed assortment may be any of them.
RANGES = {
    "wegiel": (300, 3500),
    "ekogroszek": (700, 3500),
    "wegiel-kostka": (700, 3500),
    "wegiel-orzech": (700, 3500),
    "wegiel-groszek": (600, 3500),
    "mial-weglowy": (300, 2500),
    "pellet": (600, 4000),
    "brykiet": (500, 3500),
    "drewno-kominkowe": (100, 1200),
}


def set_ranges(apps: Any, schema_editor: Any) -> None:
    PlausibleRange = apps.get_model("prices", "PlausibleRange")
    PlausibleRange.objects.bulk_create(
        PlausibleRange(fuel=fuel, low=Decimal(low), high=Decimal(high)) for fuel, (low, high) in RANGES.items()
    )


class Migration(migrations.Migration):
    dependencies = [("prices", "0001_prices")]

    operations = [
        migrations.RunSQL(CASCADE, "ALTER TABLE prices_depotprice DROP CONSTRAINT prices_depotprice_depot_id_fk"),
        migrations.RunPython(set_ranges, migrations.RunPython.noop),
    ]
