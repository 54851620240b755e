#!/usr/bin/env python
"""Django's command line. It works on the database that DATABASE_URL names; `embedded` is that of `make run`."""

import os
import sys

from fueldepot import local

ABOUT_COMMANDS = {"help", "version", "-h", "--help", "--version"}


def main() -> None:
    """Run one management command. Without DATABASE_URL it ends with one line: which catalog is meant is no guess."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    if not os.environ.get("DATABASE_URL", "").strip():
        if sys.argv[1:] and ABOUT_COMMANDS.isdisjoint(sys.argv[1:]):
            sys.exit(
                "fueldepot: DATABASE_URL is not set; set it to postgresql://user:password@host/database, "
                f"or to {local.EMBEDDED} for the database of `make run`"
            )
        os.environ["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/nothing"  # only read, to list the commands
    local.prepare()
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"fueldepot: the database cannot be used: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
