"""History rows of bulk changes; bulk selection and writing of rows.

`save()` writes a history row by itself (django-simple-history). Bulk changes call `record_bulk` in the same
transaction, after the change: the database copies the rows, so 6,586 history rows cost one statement.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import AbstractBaseUser
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models.expressions import RawSQL
from django.utils import timezone
from simple_history.signals import post_create_historical_record
from simple_history.utils import get_history_model_for_model

Row = TypeVar("Row", bound=models.Model)

CREATED, CHANGED = "+", "~"

IMPORTED = "import"
SUBMITTED = "zgłoszenie"
OWNER = "właściciel"
"""Prefixes of the reason of changes: by an import, by a submission, by an owner's permanent link."""

SUBMITTED_BEFORE = "wniosek"
"""Prefix in older rows of submissions."""

BY_OWNER = "właściciel (odnośnikiem)"

OWN_FIELDS = frozenset({"history_id", "history_date", "history_type", "history_change_reason", "history_user"})


class Span(NamedTuple):
    """The first and the last `history_id` that one decision wrote for a row; mostly they are equal."""

    first: int
    last: int


Spans = dict[tuple[type[models.Model], Any], Span]
"""What was written into histories, by model and primary key of the row."""

_spans: ContextVar[Spans | None] = ContextVar("history_spans", default=None)


@contextmanager
def collected() -> Iterator[Spans]:
    """Yield the spans of all history rows written meanwhile, by `save()` or `record_bulk`."""
    spans: Spans = {}
    token = _spans.set(spans)
    try:
        yield spans
    finally:
        _spans.reset(token)


def _collect(model: type[models.Model], key: Any, history_id: int) -> None:
    spans = _spans.get()
    if spans is not None:
        former = spans.get((model, key))
        spans[model, key] = Span(former.first if former else history_id, history_id)


def _collect_saved(sender: Any, instance: models.Model, history_instance: Any, **_: Any) -> None:
    _collect(type(instance), instance.pk, history_instance.history_id)


post_create_historical_record.connect(_collect_saved)


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
    historical: type[models.Model] | None = None,
) -> list[int]:
    """Write history rows of the present state of rows. One statement. Returns their `history_id`.

    keys: primary keys. by: None for an import or a command. kind: `CREATED` or `CHANGED`. reason: cut to 100
    characters. historical: of a model of a migration.
    """
    if not keys:
        return []
    historical = historical or get_history_model_for_model(model)
    columns = ", ".join(f'"{f.column}"' for f in historical._meta.concrete_fields if f.name not in OWN_FIELDS)
    statement = f"""
        INSERT INTO {historical._meta.db_table}
            ({columns}, history_date, history_type, history_change_reason, history_user_id)
        SELECT {columns}, %s, %s, %s, %s
        FROM {model._meta.db_table} WHERE id = ANY(%s) ORDER BY id
        RETURNING history_id, id
    """  # noqa: S608 - names of tables and columns only
    with connection.cursor() as cursor:
        # The clock of `save()`: that of the database would put the rows of one decision into another order.
        cursor.execute(statement, [timezone.now(), kind, reason[:100], None if by is None else by.pk, list(keys)])
        written = cursor.fetchall()
    for history_id, key in written:
        _collect(model, key, history_id)
    return [history_id for history_id, _ in written]


def save(row: Any, *, by: AbstractBaseUser | None, reason: str | None = None) -> None:
    """Save a row with the author and the reason of its history row. by, reason: as in `record_bulk`."""
    row._history_user, row._change_reason = by, reason and reason[:100]  # read by simple-history
    row.save()


def latest_id(historical: type[models.Model], *keys: Any) -> int:
    """Return the `history_id` of the newest history row of rows, 0 without any. Every change changes it. One query."""
    lines = historical._default_manager.filter(**{f"{historical.instance_type._meta.pk.name}__in": keys})  # type: ignore[attr-defined]
    return lines.aggregate(newest=models.Max("history_id"))["newest"] or 0


def restore(model: type[models.Model], spans: Sequence[Span], *, following: Collection[str] = ()) -> list[Any]:
    """Undo the changes of history rows. Returns the keys of restored rows. One statement.

    spans: at most one per row. Its change is the difference between the history row before its first and its last.
    Rows with a changed column that was changed again since are skipped. following: columns ignored in this comparison,
    restored where the row is unchanged since; of arrays each element.
    """
    arrays = {f.attname for f in model._meta.fields if isinstance(f, ArrayField)}.intersection(following)
    later = {c: _each_element(c) if c in arrays else f't."{c}"' for c in _columns(model)}
    same = {c: f't."{c}" IS NOT DISTINCT FROM l."{c}"' for c in later}
    # Beside a later change of the row stays its day.
    whole = " AND ".join(condition for c, condition in same.items() if c in arrays or c not in following)
    same |= {c: f"{same[c]} AND {whole}" for c in later if c in following and c not in arrays}
    assignments = ", ".join(
        f'"{c}" = CASE WHEN l."{c}" IS DISTINCT FROM p."{c}" AND {same[c]} THEN p."{c}" ELSE {value} END'
        for c, value in later.items()
    )
    joined, unchanged = _unchanged(model, following)
    key = model._meta.pk.column
    statement = f'UPDATE {model._meta.db_table} t SET {assignments} FROM {joined} WHERE {unchanged} RETURNING t."{key}"'  # noqa: S608 - names of tables and columns only
    return _ask(statement, spans)


def _each_element(column: str) -> str:
    """Return the array t without the elements that l added to p, and with those that it left out."""
    present, last, former = (f'{row}."{column}"' for row in "tlp")
    kept = f"ARRAY(SELECT e FROM unnest({present}) e WHERE e <> ALL ({last}) OR e = ANY ({former}))"  # noqa: S608
    return f"{kept} || ARRAY(SELECT e FROM unnest({former}) e WHERE e <> ALL ({last}) AND e <> ALL ({present}))"  # noqa: S608


def find_restorable(model: type[models.Model], spans: Sequence[Span], *, following: Collection[str]) -> list[Any]:
    """Return the keys of the rows that `restore` would restore. One query."""
    joined, unchanged = _unchanged(model, following)
    statement = f'SELECT t."{model._meta.pk.column}" FROM {model._meta.db_table} t, {joined} WHERE {unchanged}'  # noqa: S608 - names of tables and columns only
    return _ask(statement, spans)


def find_untouched(model: type[models.Model], spans: Sequence[Span], *, ignored: Collection[str] = ()) -> list[Any]:
    """Return the keys of the rows that have the values of the last history row of their span. One query.

    Rows written since, but with the same values again, are among them. ignored: columns that are not compared.
    """
    table, key = get_history_model_for_model(model)._meta.db_table, model._meta.pk.column
    # Equality of keys lets the database hash them; by IS NOT DISTINCT FROM it would compare each row with each.
    same = (f't."{c}" IS NOT DISTINCT FROM l."{c}"' for c in _columns(model) if c not in ignored)
    where = " AND ".join(("l.history_id = s.last", f't."{key}" = l."{key}"', *same))
    tables = f"{model._meta.db_table} t, unnest(%s::bigint[], %s::bigint[]) s (first, last), {table} l"
    return _ask(f'SELECT t."{key}" FROM {tables} WHERE {where}', spans)  # noqa: S608 - names of tables and columns only


def _columns(model: type[models.Model]) -> list[str]:
    """Return the columns of a history that tell of the row, without its key."""
    fields = get_history_model_for_model(model)._meta.concrete_fields
    names = [field.column for field in fields if field.name not in OWN_FIELDS and not field.primary_key]
    return [name for name in names if name != model._meta.pk.column]


def _unchanged(model: type[models.Model], following: Collection[str]) -> tuple[str, str]:
    """Return tables and condition: a row t, its last history row l of a span, p before its first, t as l left it."""
    table, key = get_history_model_for_model(model)._meta.db_table, model._meta.pk.column
    conditions = [
        f'(l."{c}" IS NOT DISTINCT FROM p."{c}" OR t."{c}" IS NOT DISTINCT FROM l."{c}")'
        for c in _columns(model)
        if c not in following
    ]
    former = f'SELECT max(history_id) FROM {table} b WHERE b."{key}" = l."{key}" AND b.history_id < s.first'  # noqa: S608 - names of tables and columns only
    conditions += ["l.history_id = s.last", f't."{key}" = l."{key}"', f"p.history_id = ({former})"]
    return f"unnest(%s::bigint[], %s::bigint[]) s (first, last), {table} l, {table} p", " AND ".join(conditions)


def _ask(statement: str, spans: Sequence[Span]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [[span.first for span in spans], [span.last for span in spans]])
        return [key for (key,) in cursor.fetchall()]


def among(keys: Collection[int]) -> RawSQL:
    """Return keys for an `in` lookup as one array parameter; a list has one each, at most 65,535."""
    return RawSQL("SELECT unnest(%s::bigint[])", [sorted(keys)])


def locking(rows: models.QuerySet[Row], *, no_key: bool = False) -> models.QuerySet[Row]:
    """Return rows to be locked when read: by primary key, the order of all code that locks several.

    no_key: others may still add rows that refer to them.
    """
    return rows.select_for_update(of=("self",), no_key=no_key).order_by("pk")


def lock_rows(rows: models.QuerySet[Any], *, no_key: bool = False) -> list[Any]:
    """Lock rows as `locking` does. Returns the keys. One query."""
    return list(locking(rows, no_key=no_key).values_list("pk", flat=True))


def insert(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows by COPY, ten times as fast as INSERT. columns: names in the database."""
    command = f"COPY {model._meta.db_table} ({', '.join(columns)}) FROM STDIN"
    # Django translates the driver's errors in statements only; callers handle Django's errors.
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(command) as copy:
        for row in rows:
            copy.write_row(row)


def upsert(rows: Sequence[models.Model], fields: Sequence[str]) -> None:
    if rows:
        model = type(rows[0])
        model._default_manager.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=[model._meta.pk.name],
            update_fields=list(fields),
            batch_size=1000,
        )
