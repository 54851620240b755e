"""Dumps of the database: complete or not at all, private to their owner, recorded, and deleted when old."""

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone
from psycopg.conninfo import make_conninfo

from catalog.models import ImportRun
from catalog.submissions.retention import KEPT
from catalog.text import one_line
from fueldepot.monitoring import BACK_UP

NAME = "fueldepot-{:%Y-%m-%dT%H%M%S}.dump"
MOST_DAYS = 9999
ADDRESS = ("host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert", "target_session_attrs", "passfile")
"""Connection options passed to `pg_dump` on its command line, which other users of the machine can read."""


class Command(BaseCommand):
    help = (
        "Dump the database into a folder by pg_dump, readable by its owner only, and delete the dumps there that are "
        "older than --keep-days; the newest always stays. Run it once a day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        # By default as long as authors' data after a decision.
        parser.add_argument("--keep-days", type=int, default=KEPT.days, metavar="N", help="default: %(default)s")

    def handle(self, *args: Any, folder: Path, keep_days: int, **options: Any) -> None:
        if not 1 <= keep_days <= MOST_DAYS:
            raise CommandError(f"--keep-days is {keep_days}; give a number from 1 to {MOST_DAYS}")
        started = timezone.now()
        try:
            path = dump(folder, on=started)
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError) and error.filename == "pg_dump"
            reason = f"{error.strerror}: {error.filename or folder}"
            reason = "pg_dump is not installed; install postgresql-client" if is_missing else reason
            raise CommandError(f"no dump was made: {reason}") from error
        self.stdout.write(f"{path}: {path.stat().st_size} bytes")
        ImportRun.objects.create(
            source=BACK_UP,
            started=started,
            finished=timezone.now(),
            outcome=ImportRun.Outcome.IMPORTED,
            file_name=path.name,
            file_size=path.stat().st_size,
        )
        for old in delete_old(folder, before=started - timedelta(days=keep_days)):
            self.stdout.write(f"{old}: deleted, older than {keep_days} days")


def dump(folder: Path, *, on: datetime) -> Path:
    """Write a dump in pg_dump's custom format to a directory, mode 600. Returns its path.

    Raises CommandError or OSError, and leaves no files behind then.
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
            ["pg_dump", "-Fc", f"-f{part}", f"-d{address}"],  # noqa: S607 - Debian's, or PATH's
            env=environment,
            umask=0o077,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            reason = one_line(done.stderr) or f"pg_dump ended with {done.returncode}"
            raise CommandError(f"no dump was made: {reason}")
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def delete_old(folder: Path, *, before: datetime) -> list[Path]:
    """Delete dumps made before a moment, except the newest one. Returns their paths.

    Also halves of dumps: a run that is killed, or whose machine loses its power, leaves one behind.
    """
    dumps = [*sorted(folder.glob("fueldepot-*.dump"))[:-1], *sorted(folder.glob("fueldepot-*.part"))]
    old = [path for path in dumps if path.stat().st_mtime < before.timestamp()]
    for path in old:
        path.unlink()
    return old
