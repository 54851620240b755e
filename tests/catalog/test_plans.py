"""Statements that are planned once per connection, whatever is asked for."""

import pytest
from django.db import connection

from catalog.bulk import insert
from catalog.models import SearchEntry
from catalog.queries import suggest_locations
from tests import factories

COUNT_PLANS = """
    SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%catalog_searchentry%'
"""


@pytest.mark.django_db
def test_fragments_of_names_are_not_planned_at_every_call():
    """Beyond the fifth call PostgreSQL plans anew only where it finds that cheaper."""
    unit = factories.MunicipalityFactory()
    columns = ("rank", "kind", "fold", "label", "description", "municipality_id")
    insert(SearchEntry, columns, ((n, "locality", f"wies {n}", f"Wieś {n}", "wieś", unit.pk) for n in range(20_000)))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalog_searchentry")
        cursor.execute("DEALLOCATE ALL")
    connection.connection._prepared.clear()
    for fragment in ("krak", "wies 17", "zakop", "s 300", "brzez") * 4:
        suggest_locations(fragment)
    with connection.cursor() as cursor:
        cursor.execute(COUNT_PLANS)
        [(generic, custom)] = cursor.fetchall()
    assert generic > 5
    assert custom <= 5
