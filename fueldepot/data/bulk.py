"""Bulk selection and writing of rows."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.expressions import RawSQL


def among(keys: Collection[int]) -> RawSQL:
    """Return keys for an `in` lookup as one array parameter; a list has one each, at most 65,535."""
    return RawSQL("SELECT unnest(%s::bigint[])", [sorted(keys)])


def insert(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows by COPY, ten times as fast as INSERT. columns: names in the database."""
    command = f"COPY {model._meta.db_table} ({', '.join(columns)}) FROM STDIN"
    # Django translates the driver's errors in statements only; callers handle Django's errors.
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(command) as copy:
        for row in rows:
            copy.write_row(row)


def upsert(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Insert rows, or update the given fields of existing primary keys."""
    if rows:
        model = type(rows[0])
        model._default_manager.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=[model._meta.pk.name],
            update_fields=list(fields),
            batch_size=1000,
        )
