"""`make run`: from a fresh checkout to a running site.

Prepares the database, migrates, imports a data directory if given, loads starter data into empty data sets, collects
static files, and becomes gunicorn. Production starts gunicorn itself: docs/production.md.
"""

import argparse
import fcntl
import os
import socket
import sys

from fueldepot import local
from fueldepot.local import embedded

ROOT = local.PROJECT_ROOT
VAR = ROOT / "var"


def main() -> None:
    """Prepare, then replace this process by gunicorn. Exits with one line on standard error on failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", default="8000")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--data", default="", help="a directory of publishers' files to import first")
    options = parser.parse_args()
    port = read_number("PORT", options.port, 1, 65535)
    workers = read_number("WORKERS", options.workers, 1, 64)
    check_port(port)
    claim_port(port)

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    os.environ.setdefault("SITE_URL", f"http://127.0.0.1:{port}")
    os.environ.setdefault("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
    os.environ.setdefault("RATE_LIMIT", "off")  # a trial has one caller only
    data = local.prepare()
    try:
        with embedded.hold_alone(VAR / "start.lock", "fueldepot: another start prepares the site; waiting"):
            prepare_site(options.data)
    except KeyboardInterrupt:
        sys.exit("fueldepot: stopped before the site was ready")
    if data:
        os.environ[embedded.KEPT_FOLDER] = str(data)
    address = os.environ["SITE_URL"]
    print(f"starting on {address}: it answers from the line “Listening at” on; Ctrl-C to stop", file=sys.stderr)  # noqa: T201
    gunicorn = [sys.executable, "-m", "gunicorn", "fueldepot.wsgi", f"--config={ROOT / 'fueldepot' / 'gunicorn.py'}"]
    settings = [f"--bind=127.0.0.1:{port}", f"--workers={workers}"]
    os.execv(sys.executable, [*gunicorn, *settings])  # noqa: S606 - no shell is meant


def read_number(name: str, text: str, low: int, high: int) -> int:
    """Parse a number of the command line. Exits with one line if it is invalid or out of range."""
    if not text.isdecimal() or not low <= int(text) <= high:
        sys.exit(f"fueldepot: {name} is {text!r}; give a whole number from {low} to {high}")
    return int(text)


def check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            sys.exit(f"fueldepot: port {port} cannot be used: {error.strerror}; choose another with PORT=")


def claim_port(port: int) -> None:
    """Exit with one line if another start of this checkout has the port, even if it does not listen yet.

    Locks the byte of that number in one file until this process ends, also as gunicorn.
    """
    try:
        VAR.mkdir(exist_ok=True)
        claims = embedded.open_lock(VAR / "ports.lock")
        os.set_inheritable(claims, True)
        fcntl.lockf(claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except BlockingIOError:
        sys.exit(f"fueldepot: port {port} cannot be used: another start has it; choose another with PORT=")
    except OSError as error:
        sys.exit(f"fueldepot: {error.strerror}: {error.filename}; make it usable for this user")


def prepare_site(data: str) -> None:
    import django
    from django.core.management import CommandError, call_command
    from django.db import Error, connections

    from fueldepot.__main__ import describe_failure

    try:
        django.setup()
        from fueldepot.checks import refuse_unfit_database

        refuse_unfit_database()
        call_command("migrate", verbosity=0, interactive=False)
        if data:
            call_command("import_data", data, commit=True)
        call_command("load_starter")
        call_command("collectstatic", verbosity=0, interactive=False)
    except CommandError as error:
        sys.exit(f"fueldepot: {error}")
    except (Error, OSError) as error:
        message = describe_failure(error)
        if message is None:
            raise
        sys.exit(f"fueldepot: {message}")
    finally:
        connections.close_all()


if __name__ == "__main__":
    main()
