"""`make run`: everything between a fresh checkout and a served site.

Prepares the database, migrates, imports a data directory when one is named, loads the starter data into what is still
empty, collects static files, and turns into gunicorn. Production starts gunicorn itself; see the README.
"""

import argparse
import os
import sys
from pathlib import Path

from fueldepot import embedded, local

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Prepare, then replace this process by gunicorn. Ends with one line on standard error when something fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--data", default="", help="a directory of publishers' files to import first")
    options = parser.parse_args()

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    os.environ.setdefault("SITE_URL", f"http://127.0.0.1:{options.port}")
    os.environ.setdefault("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
    local.prepare()
    prepare_site(options.data)
    # The lock on the embedded server must outlive this image of the process.
    embedded.keep_across_exec()
    print(f"serving on {os.environ['SITE_URL']}, Ctrl-C to stop", file=sys.stderr)  # noqa: T201
    os.execv(sys.executable, gunicorn_command(options.port, options.workers))  # noqa: S606 - no shell is meant


def prepare_site(data: str) -> None:
    """Bring the database to the state in which it can be served."""
    import django
    from django.core.management import CommandError, call_command
    from django.db import OperationalError, connections

    try:
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        if data:
            call_command("import_data", data, commit=True)
        call_command("load_starter")
        call_command("load_starter_regulations")
        call_command("collectstatic", verbosity=0, interactive=False)
    except CommandError as error:
        sys.exit(f"fueldepot: {error}")
    except OperationalError as error:
        sys.exit(f"fueldepot: the database does not answer: {' '.join(str(error).split())}")
    finally:
        connections.close_all()


def gunicorn_command(port: int, workers: int) -> list[str]:
    """The command line of the server. Threads keep an idle browser connection from blocking a worker."""
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "fueldepot.wsgi",
        f"--config={ROOT / 'fueldepot' / 'gunicorn.py'}",
        f"--bind=127.0.0.1:{port}",
        f"--workers={workers}",
    ]


if __name__ == "__main__":
    main()
