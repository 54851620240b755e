"""Extra databases on the server of the tests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from psycopg.conninfo import make_conninfo


def address(database: str) -> dict[str, str]:
    given = connection.get_connection_params()
    known = {name: str(given[name]) for name in ("user", "password", "host", "port") if given.get(name)}
    return {**known, "dbname": database}


def url(database: str) -> str:
    at = address(database)
    password = f":{at['password']}" if "password" in at else ""
    if at.get("host", "/").startswith("/"):
        port = f":{at['port']}" if "port" in at else ""
        return f"postgresql://{at.get('user', '')}{password}@{port}/{database}?host={at.get('host', '')}"
    return f"postgresql://{at.get('user', '')}{password}@{at['host']}:{at.get('port', 5432)}/{database}"


@contextmanager
def fresh_database(purpose: str, options: str = "", prefix: str = "") -> Iterator[str]:
    """The name of an empty database. options: what CREATE DATABASE is told of it."""
    name = f"{prefix}fueldepot_{purpose}_{os.getpid()}"
    with psycopg.connect(make_conninfo(**address("postgres")), autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE template0 {options}')
        try:
            yield name
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
