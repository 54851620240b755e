"""Lines of history for many rows at once.

`save()` leaves a line by itself (django-simple-history). What is written in bulk calls `record` in the same
transaction, after the change: the database copies the rows, so that 6,586 lines cost one statement.
"""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, models
from simple_history.utils import get_history_model_for_model

ADDED, CHANGED = "+", "~"

IMPORTED = "import"
"""Beginning of the reason of every change that an import made."""

REQUESTED = "wniosek"
"""Beginning of the reason of every change that follows a request of an owner or a reader."""

OWN_FIELDS = frozenset({"history_id", "history_date", "history_type", "history_change_reason", "history_user"})


def record(
    model: type[models.Model],
    keys: Collection[Any],
    *,
    by: AbstractBaseUser | None,
    reason: str,
    kind: str = CHANGED,
) -> None:
    """Note that rows have become what they are now. One statement. by: None for an import or a command.

    keys: primary keys. kind: `ADDED` or `CHANGED`. reason: cut to 100 characters.
    """
    if keys:
        copy(get_history_model_for_model(model), model, keys=list(keys), by=by, reason=reason, kind=kind)


def copy(
    historical: type[models.Model],
    model: type[models.Model],
    *,
    keys: list[Any] | None,
    by: AbstractBaseUser | None,
    reason: str,
    kind: str,
) -> None:
    """`record` for any pair of models, such as those of a migration. keys: None for every row."""
    columns = ", ".join(f'"{f.column}"' for f in historical._meta.concrete_fields if f.name not in OWN_FIELDS)
    statement = f"""
        INSERT INTO {historical._meta.db_table}
            ({columns}, history_date, history_type, history_change_reason, history_user_id)
        SELECT {columns}, statement_timestamp(), %s, %s, %s
        FROM {model._meta.db_table}
        {"" if keys is None else "WHERE id = ANY(%s)"}
        ORDER BY id
    """  # noqa: S608 - names of tables and columns only
    parameters: list[Any] = [kind, reason[:100], None if by is None else by.pk]
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters if keys is None else [*parameters, keys])


def newest(historical: type[models.Model], key: Any) -> int:
    """Number of the newest line of a row, 0 without any. It changes with every change of the row. One query."""
    found = historical._default_manager.filter(id=key).aggregate(newest=models.Max("history_id"))["newest"]
    return found or 0
