#!/usr/bin/env python
"""Django's command line, with the embedded database where no DATABASE_URL is set."""

import os
import sys

from fueldepot import local


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    local.prepare()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
