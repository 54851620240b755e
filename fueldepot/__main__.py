"""Django's command line, with one-line errors for failures of the database and the disk.

`python -m fueldepot` replaces manage.py where the project is installed as a wheel.
"""

import errno
import os
import sys
from typing import Any

from fueldepot import local

ABOUT_COMMANDS = {"help", "version", "-h", "--help", "--version"}
OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS}

# SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
NOT_MIGRATED = {"42P01", "42703"}
REFUSED = {"42501", "25006"}


def main() -> None:
    """Run a management command. Without DATABASE_URL, exit with one line: the catalog must not be guessed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    if not local.is_set("DATABASE_URL"):
        if sys.argv[1:] and ABOUT_COMMANDS.isdisjoint(sys.argv[1:]):
            sys.exit(
                "fueldepot: DATABASE_URL is not set; set it to postgresql://user:password@host/database, "
                f"or to {local.EMBEDDED} for the database of `make run`"
            )
        os.environ["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/nothing"  # only parsed, to list the commands
    local.prepare()
    from django.core.management import execute_from_command_line
    from django.db import Error
    from django.db.backends.signals import connection_created

    connection_created.connect(refuse_unfit_database)
    try:
        execute_from_command_line(sys.argv)
    except (Error, OSError) as error:
        message = describe_failure(error)
        if message is None or "--traceback" in sys.argv:
            raise
        sys.exit(f"fueldepot: {message}")


def refuse_unfit_database(**kwargs: Any) -> None:
    """Exit with one line if a new connection leads to an unsuitable database."""
    from fueldepot import checks

    checks.refuse_unfit_database()


def describe_failure(error: Exception) -> str | None:
    """Return the message of an error of the machine or the database, None for a bug."""
    from django.db import Error, OperationalError

    message = " ".join(str(error).split())
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""  # a write knows no name
        return f"{error.strerror}{where}" if error.errno in OF_THE_DISK else None
    if isinstance(error, OperationalError):
        return f"the database cannot be used: {message}"
    state = getattr(error.__cause__, "sqlstate", None) if isinstance(error, Error) else None
    if state in NOT_MIGRATED:
        return f"the database is not that of this release; run manage.py migrate: {message}"
    return f"the database refuses: {message}" if state in REFUSED else None


if __name__ == "__main__":
    main()
