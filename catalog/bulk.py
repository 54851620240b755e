"""Choosing and writing many rows fast."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection, models
from django.db.models.expressions import RawSQL


def among(keys: Collection[int]) -> RawSQL:
    """Keys for a lookup by `in`, however many: one parameter, where a list has one each and may have 65,535."""
    return RawSQL("SELECT unnest(%s::bigint[])", [sorted(keys)])


def insert(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Add rows by COPY, ten times faster than INSERT. columns: names in the database."""
    command = f"COPY {model._meta.db_table} ({', '.join(columns)}) FROM STDIN"
    # Django turns the driver's errors into its own for statements only; whoever handles a full disk knows none else.
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(command) as copy:
        for row in rows:
            copy.write_row(row)


def upsert(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    """Add rows, or overwrite the given fields of those whose primary key exists."""
    if rows:
        model = type(rows[0])
        model._default_manager.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=[model._meta.pk.name],
            update_fields=list(fields),
            batch_size=1000,
        )
