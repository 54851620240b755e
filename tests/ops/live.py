"""The whole service in separate processes, with a database that tests can kill or freeze."""

import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx2

from fueldepot.local.postgres import server_pids
from tests import ROOT, small_country
from tests.fueldepot.once import RUN, once_a_run
from tests.fueldepot.sharers import children_of, eventually, signal_all
from tests.ports import free_port

PREPARE = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from fueldepot import local
local.prepare(Path(sys.argv[2]))
os.environ["DJANGO_SETTINGS_MODULE"] = "fueldepot.settings"
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
if len(sys.argv) == 3:
    call_command("load_starter", verbosity=0)
else:
    call_command("import_data", sys.argv[3], commit=True, verbosity=0)
    # Without any legal state the site is never ready.
    call_command("import_regulations", str(Path(sys.argv[1], "regulations/data/malopolskie.yaml")), commit=True)
"""
SERVE = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from fueldepot import local
from fueldepot.local import embedded
from tests.fueldepot.once import static_files_collected
os.environ[embedded.KEPT_FOLDER] = str(local.prepare(Path(sys.argv[2])))
with static_files_collected():
    pass
os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "fueldepot.wsgi", *sys.argv[3:]])
"""

START_S = 300.0


class Answer(NamedTuple):
    """status: 0 where the connection failed. began, ended: moments of `time.monotonic`."""

    status: int
    headers: Mapping[str, str]
    body: str
    began: float
    ended: float

    @property
    def took_s(self) -> float:
        return self.ended - self.began


def answer_to(ask: Callable[..., httpx2.Response], *question: Any, **how: Any) -> Answer:
    """Ask once; never again by itself."""
    began = time.monotonic()
    try:
        response = ask(*question, **how)
    except httpx2.TransportError:
        return Answer(0, {}, "", began, time.monotonic())
    return Answer(response.status_code, response.headers, response.text, began, time.monotonic())


def prepare(folder: Path, environment: dict[str, str], *, starter: bool) -> None:
    """Make a stopped database below `folder`, to be copied."""
    shutil.rmtree(folder, ignore_errors=True)
    country = folder / "country"
    country.mkdir(parents=True)
    for name, content in small_country.files().items():
        (country / name).write_bytes(content)
    command = [sys.executable, "-c", PREPARE, str(ROOT), str(folder), *([] if starter else [str(country)])]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)


class Site:
    """gunicorn on a port of its own, over an embedded PostgreSQL below `root`.

    It is what `make run` starts. starter: with the starter data instead of a small country.
    """

    def __init__(self, root: Path, *, starter: bool = False, workers: int = 2, **environment: str) -> None:
        self.data = root / "var" / "postgres"
        self.log = root / "log"
        self.asked = itertools.count(1)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        not_ours = {"DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE"}
        ours = {name: value for name, value in os.environ.items() if name not in not_ours}
        prepared = ROOT / "var" / ("site-starter" if starter else "site-country")
        with once_a_run(prepared.name, partial(prepare, prepared, ours, starter=starter)):
            subprocess.run(["cp", "-a", prepared / "var", root], check=True)
        ours |= {"RATE_LIMIT": "off", "SITE_URL": self.url, "TEST_RUN": RUN} | environment
        command = [
            *(sys.executable, "-c", SERVE, str(ROOT), str(root)),
            *("--config", str(ROOT / "fueldepot" / "gunicorn.py")),
            *("--bind", f"127.0.0.1:{self.port}", "--workers", str(workers)),
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=ours, cwd=ROOT)

    @contextlib.contextmanager
    def running(self) -> Iterator[Self]:
        """Wait until it is ready. It ends with the block, and the database with it."""
        try:
            assert eventually(lambda: self.process.poll() is not None or self.get("/readyz").status == 200, START_S)
            assert self.process.poll() is None, self.log.read_text()
            yield self
        finally:
            self.signal_database(signal.SIGCONT)
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
            self.process.kill()
            self.process.wait()

    def get(self, path: str, timeout_s: float = 20.0, **headers: str) -> Answer:
        """Ask once, over a connection of its own, what nobody has asked before, so that no cache answers."""
        fresh = f"{path}{'&' if '?' in path else '?'}_={next(self.asked)}"
        # Without TLS there is nothing to verify; to read the certificates takes longer than most answers.
        how = {"headers": headers, "timeout": timeout_s, "follow_redirects": True, "trust_env": False, "verify": False}
        return answer_to(httpx2.get, self.url + fresh, **how)

    def get_all(self, paths: list[str]) -> list[Answer]:
        with ThreadPoolExecutor(len(paths)) as pool:
            return list(pool.map(self.get, paths))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def workers(self) -> list[int]:
        """The children of gunicorn but the server of the database, which is one, too."""
        server = server_pids(self.data / "cluster")
        return [pid for pid in children_of(self.process.pid) if pid not in server]

    def signal_database(self, what: signal.Signals) -> None:
        signal_all(server_pids(self.data / "cluster"), what)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """A database that has stopped answering, until the block ends."""
        self.signal_database(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal_database(signal.SIGCONT)

    @property
    def database_url(self) -> str:
        return f"postgresql://postgres@:5432/postgres?host={self.data}"
