"""What a run of the tests makes once for all its processes: static files, databases of services."""

import fcntl
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests import ROOT

COLLECT = (sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0")
RUN = os.environ.get("TEST_RUN") or os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex()
"""The name of this run of the tests, the same for all workers of xdist."""


@contextmanager
def once_a_run(name: str, make: Callable[[], object]) -> Iterator[None]:
    """Call `make`, unless this run has done so, and let no other process into such a block until this one ends.

    The file var/NAME.lock names the run that made it last.
    """
    (ROOT / "var").mkdir(exist_ok=True)
    with (ROOT / "var" / f"{name}.lock").open("a+") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        gate.seek(0)
        if gate.read() != RUN:
            make()
            gate.truncate(0)
            gate.write(RUN)
            gate.flush()
        yield


@contextmanager
def static_files_collected() -> Iterator[None]:
    """Collect static files before the block, never while a server starts in it."""
    with once_a_run("static", lambda: subprocess.run(COLLECT, cwd=ROOT, check=True)):
        yield
