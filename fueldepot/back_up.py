"""Dumps of the database: complete or not at all, private to their owner, recorded, and deleted when old."""

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.models import Max
from psycopg.conninfo import make_conninfo

from catalog.models import ImportRun
from catalog.submissions.retention import KEPT

SOURCE = "back_up"
"""`ImportRun.source` of dumps."""

LATE = timedelta(days=2)
"""Time since the last dump after which the next one is overdue; it runs daily."""

KEPT_DAYS = KEPT.days
"""Retention of dumps: as long as that of authors' data after a decision."""

NAME = "fueldepot-{:%Y-%m-%dT%H%M%S}.dump"
ADDRESS = ("host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert", "target_session_attrs", "passfile")
"""Connection options passed to `pg_dump` on its command line, which other users of the machine can read."""


class BackUpFailed(Exception):
    """The dump failed. The message gives the reason on one line."""


def dump(folder: Path, *, on: datetime) -> Path:
    """Write a dump in pg_dump's custom format to a directory, mode 600. Returns its path.

    Raises BackUpFailed, and leaves no files behind then.
    """
    target = folder / NAME.format(on)
    part = target.with_suffix(".part")
    parameters: Mapping[str, Any] = connection.get_connection_params()
    address = make_conninfo(**{name: str(parameters[name]) for name in ADDRESS if parameters.get(name)})
    environment = dict(os.environ)
    if password := parameters.get("password"):
        environment["PGPASSWORD"] = str(password)
    try:
        part.touch(mode=0o600)
        done = subprocess.run(  # noqa: S603 - arguments from the settings
            ["pg_dump", "--format=custom", f"--file={part}", f"--dbname={address}"],  # noqa: S607 - Debian's, or PATH's
            env=environment,
            umask=0o077,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            raise BackUpFailed(" ".join(done.stderr.split()) or f"pg_dump ended with {done.returncode}")
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(target)
    except FileNotFoundError as error:
        missing = "pg_dump is not installed; install postgresql-client" if error.filename == "pg_dump" else ""
        raise BackUpFailed(missing or f"{error.strerror}: {error.filename}") from error
    except OSError as error:
        raise BackUpFailed(f"{error.strerror}: {error.filename or folder}") from error
    finally:
        part.unlink(missing_ok=True)
    return target


def delete_old(folder: Path, *, before: datetime) -> list[Path]:
    """Delete dumps made before a moment, except the newest one. Returns their paths."""
    dumps = sorted(folder.glob("fueldepot-*.dump"))[:-1]
    old = [path for path in dumps if path.stat().st_mtime < before.timestamp()]
    for path in old:
        path.unlink()
    return old


def record(path: Path, *, started: datetime, finished: datetime) -> None:
    ImportRun.objects.create(
        source=SOURCE,
        started=started,
        finished=finished,
        outcome=ImportRun.Outcome.IMPORTED,
        file_name=path.name,
        file_size=path.stat().st_size,
    )


def last_back_up() -> datetime | None:
    """Return when the last dump was finished, None for never. One query."""
    last: datetime | None = ImportRun.objects.filter(source=SOURCE).aggregate(last=Max("finished"))["last"]
    return last
