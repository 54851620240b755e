"""History rows of bulk changes.

`save()` writes a history row by itself (django-simple-history). Bulk changes call `record_bulk` in the same
transaction, after the change: the database copies the rows, so 6,586 history rows cost one statement.
"""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, models
from simple_history.utils import get_history_model_for_model

CREATED, CHANGED = "+", "~"

IMPORTED = "import"
"""Prefix of the reason of changes by imports."""

REQUESTED = "zgłoszenie"
"""Prefix of the reason of changes by submissions."""

REQUESTED_BEFORE = "wniosek"
"""The same in older rows."""

OWNER = "właściciel"
"""Prefix of the reason of changes that an owner makes by the permanent link."""

BY_OWNER = "właściciel (odnośnikiem)"

OWN_FIELDS = frozenset({"history_id", "history_date", "history_type", "history_change_reason", "history_user"})


def author(username: str | None, reason: str | None) -> str:
    """Return who made a change, in Polish: the user, the owner of a link, or an import or command."""
    return username or (BY_OWNER if (reason or "").startswith(OWNER) else IMPORTED)


def record_bulk(
    model: type[models.Model],
    keys: Collection[Any],
    *,
    by: AbstractBaseUser | None,
    reason: str,
    kind: str = CHANGED,
) -> list[int]:
    """Write history rows of the present state of rows. One statement. Returns their `history_id`.

    keys: primary keys. by: None for an import or a command. kind: `CREATED` or `CHANGED`. reason: cut to 100
    characters.
    """
    if not keys:
        return []
    return copy_rows(get_history_model_for_model(model), model, keys=list(keys), by=by, reason=reason, kind=kind)


def copy_rows(
    historical: type[models.Model],
    model: type[models.Model],
    *,
    keys: list[Any] | None,
    by: AbstractBaseUser | None,
    reason: str,
    kind: str,
) -> list[int]:
    """`record_bulk` for any pair of models, such as historical models of a migration. keys: None for all rows."""
    columns = ", ".join(f'"{f.column}"' for f in historical._meta.concrete_fields if f.name not in OWN_FIELDS)
    statement = f"""
        INSERT INTO {historical._meta.db_table}
            ({columns}, history_date, history_type, history_change_reason, history_user_id)
        SELECT {columns}, statement_timestamp(), %s, %s, %s
        FROM {model._meta.db_table}
        {"" if keys is None else "WHERE id = ANY(%s)"}
        ORDER BY id
        RETURNING history_id
    """  # noqa: S608 - names of tables and columns only
    parameters: list[Any] = [kind, reason[:100], None if by is None else by.pk]
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters if keys is None else [*parameters, keys])
        return [line for (line,) in cursor.fetchall()]


def latest_id(historical: type[models.Model], key: Any) -> int:
    """Return the `history_id` of a row's newest history row, 0 without any. Every change changes it. One query."""
    newest = historical._default_manager.filter(id=key).aggregate(newest=models.Max("history_id"))["newest"]
    return newest or 0


def restore(model: type[models.Model], lines: list[int], *, following: Collection[str] = ()) -> list[int]:
    """Undo the changes of history rows. Returns the keys of restored rows. One statement.

    lines: `history_id`, at most one per row. Its change is the difference to the preceding history row. Rows with a
    changed column that was changed again since are skipped. following: columns ignored in this comparison, restored
    where they are unchanged since.
    """
    historical = get_history_model_for_model(model)
    columns = [f.column for f in historical._meta.concrete_fields if f.name not in OWN_FIELDS and not f.primary_key]
    columns.remove("id")
    assignments = ", ".join(
        f'"{c}" = CASE WHEN l."{c}" IS DISTINCT FROM p."{c}" AND t."{c}" IS NOT DISTINCT FROM l."{c}" '
        f'THEN p."{c}" ELSE t."{c}" END'
        for c in columns
    )
    unchanged = " AND ".join(
        f'(l."{c}" IS NOT DISTINCT FROM p."{c}" OR t."{c}" IS NOT DISTINCT FROM l."{c}")'
        for c in columns
        if c not in following
    )
    statement = f"""
        UPDATE {model._meta.db_table} t SET {assignments}
        FROM {historical._meta.db_table} l, {historical._meta.db_table} p
        WHERE l.history_id = ANY(%s) AND t.id = l.id AND {unchanged}
            AND p.history_id = (
                SELECT max(history_id) FROM {historical._meta.db_table} b
                WHERE b.id = l.id AND b.history_id < l.history_id
            )
        RETURNING t.id
    """  # noqa: S608 - names of tables and columns only
    with connection.cursor() as cursor:
        cursor.execute(statement, [lines])
        return [key for (key,) in cursor.fetchall()]
