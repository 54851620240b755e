"""Statements that are planned once per connection, whatever is asked for."""

from typing import Any

import pytest
from catalog.queries import find_stores_by_id, find_stores_in_unit, find_stores_near
from django.db import connection, models

from catalog.models import Depot, Municipality
from catalog.params import Point
from tests import factories

COUNT_PLANS = """
    SELECT sum(generic_plans), sum(custom_plans) FROM pg_prepared_statements WHERE statement LIKE '%d.location_approx%'
"""


def multiply(row: models.Model, count: int, **changed: str) -> None:
    """Many rows like one. changed: SQL for columns that differ, where n is the number of the row."""
    columns = [field.column for field in row._meta.concrete_fields if not field.generated]
    values = [changed.get(column, column) for column in columns]
    table = row._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} "  # noqa: S608 - our own names
            f"FROM {table} CROSS JOIN generate_series(1, {count}) n WHERE {row._meta.pk.column} = %s",
            [row.pk],
        )
        cursor.execute(f"ANALYZE {table}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "ask",
    [
        lambda depot: find_stores_in_unit(depot.municipality_id, fuel=None, limit=20),
        lambda depot: find_stores_by_id([depot.pk]),
        lambda depot: find_stores_near(Point(depot.lat, depot.lon), radius_km=5, limit=20),
    ],
    ids=["unit", "ids", "near"],
)
def test_questions_for_depots_are_not_planned_at_every_call(ask: Any):
    """Beyond the fifth call PostgreSQL plans anew only where it finds that cheaper; planning is the dearer part."""
    depot = factories.DepotFactory(municipality=factories.krakow())
    multiply(depot.municipality, 2_000, teryt="200000 + n || '1'", slug="slug || n")
    spread = {"municipality_id": "200001 + mod(n, 2000) || '1'", "lat": "lat + n * 1e-4"}
    multiply(depot, 4_000, id="1000000 + n", source_id="'many/' || n", **spread)
    assert Municipality.objects.count() > 2_000
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    connection.connection._prepared.clear()
    for one in Depot.objects.filter(pk__gt=1_000_000)[:25]:
        ask(one)
    with connection.cursor() as cursor:
        cursor.execute(COUNT_PLANS)
        [(generic, custom)] = cursor.fetchall()
    assert generic > 5
    assert custom <= 5
