"""The programs of a service on several machines, as processes on loopback, with the files of docs/deployment.

Every server is a direct child: one that was killed is gone once it has been waited for.
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from fueldepot.local import embedded
from tests import ROOT
from tests.fueldepot.sharers import children_of, eventually, listens, signal_all

FILES = ROOT / "docs" / "deployment"
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
POSTGRES_USER = "postgres"
START_S = 60.0


def postgres_bin() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    return found[0].parent if found else None


def absent(*programs: str) -> list[str]:
    """Which of some programs this machine lacks."""
    return [name for name in programs if shutil.which(name, path=PATH) is None]


def missing_programs() -> list[str]:
    return absent("nginx", "redis-server", "openssl") + ([] if postgres_bin() else ["postgresql"])


def only_with(*missing: str) -> list[pytest.MarkDecorator]:
    """The marks of tests that need programs of this machine, which some lack."""
    reason = f"not to be had here: {', '.join(missing)}"
    return [pytest.mark.machines, pytest.mark.skipif(bool(missing), reason=reason)]


@contextlib.contextmanager
def open_folder(purpose: str) -> Iterator[Path]:
    """A folder outside the checkout, where every user of this machine may go, until the block ends."""
    # The last processes of a killed PostgreSQL may still remove files of their own.
    with tempfile.TemporaryDirectory(prefix=f"fueldepot-{purpose}-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def as_postgres() -> dict[str, Any]:
    """Who starts PostgreSQL, for subprocess: it refuses to run as root."""
    return {"user": POSTGRES_USER, "group": POSTGRES_USER, "extra_groups": []} if os.geteuid() == 0 else {}


def column(url: str, sql: str) -> list[Any]:
    """The first column of what a statement gives."""
    with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
        return [row[0] for row in connection.execute(sql)]


class Server:
    """A process that is started, killed and started again. Its files and its log lie in `home`.

    Its class has a `command`, and says whether it `answers`, which is what it is there for.
    """

    name = ""
    runs_as: dict[str, Any] = {}
    """Options of `Popen` that name its user; none for the user of the tests."""

    def __init__(self, home: Path) -> None:
        self.home, self.log = home, home / "log"
        home.mkdir(parents=True)
        self.process: subprocess.Popen[bytes] | None = None

    def environment(self) -> dict[str, str]:
        return {"PATH": PATH, "LC_ALL": "C.UTF-8"}

    def start(self) -> None:
        """Start it, in a process group of its own, and do not wait until it answers."""
        assert self.process is None
        how = {"cwd": self.home, "env": self.environment(), "start_new_session": True, **self.runs_as}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, **how)

    def ready(self) -> None:
        self.start()
        assert eventually(lambda: not self.runs() or self.answers(), START_S), self.log.read_text()[-3000:]
        assert self.runs(), self.log.read_text()[-3000:]

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, what: signal.Signals) -> None:
        """Signal every process of it. Those of PostgreSQL are no process group."""
        signal_all([self.process.pid, *children_of(self.process.pid)], what)

    def freeze(self) -> None:
        """Let it hold all its connections and answer nothing."""
        self.send(signal.SIGSTOP)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def kill(self) -> None:
        """End it without a chance to clean up, as a machine that loses its power."""
        if self.process is not None:
            if self.runs():
                self.send(signal.SIGKILL)
            self.process.wait()
            self.process = None


class Postgres(Server):
    """A PostgreSQL of Debian's, with what docs/deployment has for its conf.d."""

    name = "database"

    def __init__(self, home: Path, port: int) -> None:
        super().__init__(home)
        self.bin, self.port = postgres_bin(), port
        self.data = home / "data"
        self.runs_as = as_postgres()
        if self.runs_as:
            shutil.chown(home, POSTGRES_USER, POSTGRES_USER)

    @property
    def url(self) -> str:
        return f"postgresql://{POSTGRES_USER}@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        options = ["--auth=trust", f"--username={POSTGRES_USER}", "--encoding=UTF8", "--locale=C.UTF-8"]
        how = {"cwd": self.home, "env": self.environment(), **self.runs_as}
        subprocess.run([self.bin / "initdb", f"--pgdata={self.data}", *options], check=True, capture_output=True, **how)
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.writelines(path.read_text() for path in sorted(FILES.glob("postgresql*.conf")))

    def command(self) -> list[str]:
        address = ["--listen_addresses=127.0.0.1", f"--port={self.port}", "--unix_socket_directories="]
        settings = ["--fsync=off", "--max_connections=72", "--log_min_messages=fatal"]
        return [str(self.bin / "postgres"), "-D", str(self.data), *address, *settings]

    def answers(self) -> bool:
        try:
            self.ask("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def ask(self, sql: str) -> object:
        return column(self.url, sql)[0]


class Redis(Server):
    """Debian's Redis, which keeps nothing on the disk."""

    name = "redis"

    def __init__(self, home: Path, port: int) -> None:
        super().__init__(home)
        self.port = port

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        return ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]

    def answers(self) -> bool:
        return listens(self.port)


class Application(Server):
    """One machine's gunicorn, started by the line that docs/deployment/fueldepot@.service has for it."""

    def __init__(self, home: Path, port: int, name: str, settings: dict[str, str]) -> None:
        super().__init__(home)
        self.port, self.name = port, name
        self.settings = {**settings, "ADDRESS": "127.0.0.1", "WORKERS": "1"}

    def environment(self) -> dict[str, str]:
        # Without the embedded server's programs, which the tests find first: its pg_dump is built without TLS.
        inherited = super().environment()
        own = [folder for folder in inherited["PATH"].split(os.pathsep) if Path(folder) != embedded.binaries()]
        return inherited | {"PYTHONPATH": str(ROOT), "PATH": os.pathsep.join(own)} | self.settings

    def command(self) -> list[str]:
        line = re.search(r"^ExecStart=(.+)$", (FILES / "fueldepot@.service").read_text(), re.MULTILINE)[1]
        line = line.replace("fueldepot/gunicorn.py", str(ROOT / "fueldepot" / "gunicorn.py"))
        for name in ("ADDRESS", "WORKERS"):
            line = line.replace(f"${{{name}}}", self.settings[name])
        line = line.replace("%i", str(self.port))
        program, *arguments = shlex.split(line)
        assert program.endswith("/.venv/bin/gunicorn")
        return [sys.executable, "-m", "gunicorn", *arguments]

    def manage(self, *arguments: str) -> str:
        """A management command with the settings of this machine. Returns what it printed."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        # A database without a synchronous standby takes no change, and waits for ever.
        piped = {"stdout": subprocess.PIPE, "env": self.environment(), "text": True, "timeout": 120}
        return subprocess.run(command, check=True, **piped).stdout

    def answers(self) -> bool:
        return self.ask("/healthz") is not None

    def ask(self, path: str) -> Any:
        """What it answers in JSON, past the proxy, but as if by it; None when it does not answer."""
        headers = {"Host": self.settings["ALLOWED_HOSTS"], "X-Forwarded-Proto": "https"}
        with contextlib.suppress(httpx2.TransportError):
            return httpx2.get(f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=10).json()
        return None


class Nginx(Server):
    """Debian's nginx with the site of docs/deployment. Nothing of that file is changed but addresses and files.

    applications: their ports.
    """

    name = "nginx"

    def __init__(
        self, home: Path, ports: tuple[int, int], applications: tuple[int, int], host: str = "sklady.example.pl"
    ) -> None:
        super().__init__(home)
        self.plain_port, self.port = ports
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=example"]
        files = ["-keyout", home / "privkey.pem", "-out", home / "fullchain.pem"]
        subprocess.run([*make, *files], check=True, capture_output=True)
        site = (FILES / "fueldepot.nginx").read_text()
        for shown, here in (
            ("listen 80", f"listen 127.0.0.1:{self.plain_port}"),
            ("listen 443", f"listen 127.0.0.1:{self.port}"),
            ("server 127.0.0.1:8001 ", f"server 127.0.0.1:{applications[0]} "),
            ("server 127.0.0.1:8002 ", f"server 127.0.0.1:{applications[1]} "),
            ("/var/cache/nginx/fueldepot ", f"{home / 'kept'} "),
            ("/etc/nginx/fueldepot/", f"{home}/"),
            ("/var/log/nginx/", f"{home}/"),
            ("sklady.example.pl", host),
        ):
            assert shown in site, f"docs/deployment/fueldepot.nginx has no {shown!r}"
            site = site.replace(shown, here)
        (home / "site").write_text(re.sub(r"listen \[::\].*?;", "", site))
        temporary = "".join(
            f"    {kind}_temp_path {home / kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        [connections] = re.findall(r"worker_connections \d+;", (FILES / "debian.md").read_text())
        (home / "nginx.conf").write_text(
            "daemon off;\nworker_processes 1;\nworker_rlimit_nofile 20000;\n"
            + f"pid {home / 'pid'};\nerror_log {home / 'log'} warn;\n"
            + ("user root;\n" if os.geteuid() == 0 else "")
            + f"events {{ {connections} }}\nhttp {{\n{temporary}    include {home / 'site'};\n}}\n"
        )

    def command(self) -> list[str]:
        return ["nginx", "-p", str(self.home), "-e", str(self.log), "-c", str(self.home / "nginx.conf")]

    def answers(self) -> bool:
        return listens(self.port)
