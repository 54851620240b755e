"""The test database: a copy of a template that is migrated when the code has changed, and kept between runs.

Django would migrate a database for each worker of each run, which takes longer than most modules of tests.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from psycopg.sql import SQL, Identifier

from tests import ROOT

PREFIX = "fueldepot_template_"
LOCK = 0x74656D706C617465

MAKING = (
    *("*/migrations/*.py", "*/models.py", "*/models/*.py", "regulations/codes.py", "*/apps.py"),
    *("fueldepot/settings.py", "fueldepot/data/history.py", "catalog/depots/fuels.py"),
)
"""Our modules that migrations import, and what makes permissions."""


@contextmanager
def copied() -> Iterator[None]:
    """Connect to a copy of the template until the block ends; make the template if it is missing."""
    name = connection.creation._get_test_db_name()
    template = PREFIX + state_of_code()
    with connection.creation._nodb_cursor() as server:
        server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX])
        templates = {row[0] for row in server.fetchall()}
        if template not in templates:
            connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
            connection.close()
            server.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(name), Identifier(template)))
        for former in templates - {template}:
            server.execute(SQL("DROP DATABASE {}").format(Identifier(former)))
        server.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(name)))
        server.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
    yield
    connection.close()
    with connection.creation._nodb_cursor() as server:
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def empty_tables(_test: TransactionTestCase) -> None:
    """Delete the rows that a test has committed, and keep permissions with what they are about.

    Django's own way is to truncate all tables, which makes hundreds of files anew, and then to make the permissions.
    """
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = sorted({*names} - {"django_content_type", "auth_permission"})
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("SELECT " + ", ".join(f"EXISTS (SELECT FROM {table})" for table in tables))  # noqa: S608
        for table, is_filled in zip(tables, cursor.fetchone() or (), strict=True):
            if is_filled:
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608


def state_of_code() -> str:
    """A hash of the packages and of our code that makes the tables and their first rows.

    Migrations import nothing else of ours; permissions come from the models.
    """
    digest = hashlib.sha256((ROOT / "requirements-dev.lock").read_bytes())
    for file in sorted(file for pattern in MAKING for file in ROOT.glob(pattern)):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
