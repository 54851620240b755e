"""Every table as the database would give it to a backup, to tell whether anything at all has changed."""

from django.db import connection

RECORDS = frozenset({"catalog_importrun"})
"""The records of runs themselves, which a refused run leaves too."""


def dump() -> dict[str, bytes]:
    """The rows of every table of the database, in the order in which they lie, as COPY writes them."""
    content = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        for (table,) in cursor.fetchall():
            if table not in RECORDS:
                with cursor.copy(f'COPY "{table}" TO STDOUT') as rows:
                    content[table] = b"".join(bytes(block) for block in rows)
    return content
