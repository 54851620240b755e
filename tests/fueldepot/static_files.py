"""Static files of servers in tests: collected once per run, never while a server starts."""

import fcntl
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fueldepot.sharers import PROJECT_ROOT

COLLECT = (sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0")
RUN = os.environ.get("TEST_RUN") or os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex()
"""The name of this run of the tests, the same for all workers of xdist."""


@contextmanager
def static_files_collected() -> Iterator[None]:
    """Prevent their collection inside the block. The locked file names the run that collected last."""
    (PROJECT_ROOT / "var").mkdir(exist_ok=True)
    with (PROJECT_ROOT / "var" / "static.lock").open("a+") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        gate.seek(0)
        if gate.read() != RUN:
            subprocess.run(COLLECT, cwd=PROJECT_ROOT, check=True)
            gate.truncate(0)
            gate.write(RUN)
            gate.flush()
        yield
