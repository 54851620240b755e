"""Extra databases on the server of the tests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg


def url(database: str) -> str:
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}").geturl()


@contextmanager
def fresh_database(purpose: str, options: str = "", *, prefix: str = "", template: str = "template0") -> Iterator[str]:
    """The name of an empty database. options: what CREATE DATABASE is told of it."""
    name = f"{prefix}fueldepot_{purpose}_{os.getpid()}"
    with psycopg.connect(url("postgres"), autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {options}')
        try:
            yield name
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
