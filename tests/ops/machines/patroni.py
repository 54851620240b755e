"""Three database machines under Patroni, with etcd, from the files of docs/deployment/patroni."""

import contextlib
import os
import re
import shutil
import signal
import ssl
import subprocess
from pathlib import Path

import httpx2

from fueldepot.local.postgres import server_pids
from tests.fueldepot.sharers import eventually, signal_all
from tests.ops.machines.servers import FILES, POSTGRES_USER, Server, absent, as_postgres, column, postgres_bin
from tests.ports import free_ports

NAMES = ("db1", "db2", "db3")
ADDRESS = {"db1": "10.0.0.21", "db2": "10.0.0.22", "db3": "10.0.0.23"}
ELECTED_S = 90.0
DEBIAN_PYTHON = "/usr/bin/python3"
"""Any user of the machine may run it, as `postgres` has to."""


CERTIFICATES = "/etc/fueldepot-cluster"


def place(text: str, name: str, ports: dict[str, int], certificates: Path) -> str:
    """A file of db1 for another machine, with the addresses and certificates of this one.

    Lines that name all three machines are the same on each.
    """
    lines = [
        line if ADDRESS["db2"] in line else line.replace(ADDRESS["db1"], ADDRESS[name]) for line in text.split("\n")
    ]
    text = "\n".join(lines).replace(CERTIFICATES, str(certificates))
    for shown, port in ports.items():
        text = text.replace(shown, f"127.0.0.1:{port}")
    return text


def make_certificates(home: Path) -> Path:
    """Run the script of docs/deployment for a machine on loopback. Returns the folder, in the layout of a machine."""
    # Patroni asks a server that listens on 127.0.0.1 at `localhost` which timeline it has: what it winds back by.
    subprocess.run([FILES / "patroni" / "certificates.sh", home, "localhost=127.0.0.1"], check=True)
    for path in home.glob("localhost.*"):
        path.rename(path.with_stem("machine"))
    home.chmod(0o755)
    for path in home.iterdir():
        path.chmod(0o640 if path.suffix == ".key" else 0o644)
        if os.geteuid() == 0:
            shutil.chown(path, "root", POSTGRES_USER)
    (home / "ca.key").unlink()
    return home


def trusting(certificates: Path, *, with_own: bool = True) -> ssl.SSLContext:
    """A caller that trusts the authority of the cluster. with_own: shows a certificate."""
    context = ssl.create_default_context(cafile=certificates / "ca.crt")
    if with_own:
        context.load_cert_chain(certificates / "machine.crt", certificates / "machine.key")
    return context


class Etcd(Server):
    """One of three that keep who is the primary."""

    def __init__(self, home: Path, name: str, ports: dict[str, int], certificates: Path) -> None:
        super().__init__(home)
        self.name, self.certificates = name, certificates
        text = place((FILES / "patroni" / "etcd.env").read_text(), name, ports, certificates)
        text = text.replace("/var/lib/etcd/fueldepot", str(home / "data")).replace("ETCD_NAME=db1", f"ETCD_NAME={name}")
        self.settings = dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))
        self.client_url = self.settings["ETCD_ADVERTISE_CLIENT_URLS"]

    def environment(self) -> dict[str, str]:
        return super().environment() | self.settings | {"ETCD_UNSUPPORTED_ARCH": os.uname().machine}

    def command(self) -> list[str]:
        return ["etcd", "--log-level", "error"]

    def answers(self) -> bool:
        with contextlib.suppress(httpx2.TransportError):
            health = httpx2.get(f"{self.client_url}/health", verify=trusting(self.certificates), timeout=1)
            return '"true"' in health.text
        return False


class Node(Server):
    """Patroni and the PostgreSQL that it keeps."""

    def __init__(self, home: Path, name: str, ports: dict[str, int], patroni: Path, certificates: Path) -> None:
        super().__init__(home)
        self.name, self.certificates = name, certificates
        self.patroni = patroni
        self.data = home / "data"
        mine = re.sub(r"10\.0\.0\.\d+/32", "127.0.0.1/32", (FILES / "patroni" / "config.yml").read_text())
        mine = place(mine.replace("name: db1", f"name: {name}", 1), name, ports, certificates)
        for shown, here in (
            ("/var/lib/postgresql/15/fueldepot", str(self.data)),
            ("/var/lib/postgresql/pgpass-patroni", str(home / "pgpass")),
            ("/var/run/postgresql", str(home)),
            ("/usr/lib/postgresql/15/bin", str(postgres_bin())),
        ):
            assert shown in mine, shown
            mine = mine.replace(shown, here)
        self.port = ports[f"{ADDRESS[name]}:5432"]
        self.rest_port = ports[f"{ADDRESS[name]}:8008"]
        (home / "config.yml").write_text(mine)
        self.runs_as = as_postgres()
        for path in (home, home / "config.yml") if self.runs_as else ():
            shutil.chown(path, POSTGRES_USER, POSTGRES_USER)

    def command(self) -> list[str]:
        return [str(self.patroni), str(self.home / "config.yml")]

    def answers(self) -> bool:
        return self.role() in {"primary", "standby"}

    def role(self) -> str:
        """What it says of itself: primary, standby, or nothing."""
        for path, role in (("primary", "primary"), ("replica", "standby")):
            if self.says_yes(path):
                return role
        return ""

    def says_yes(self, path: str) -> bool:
        address, tls = f"https://127.0.0.1:{self.rest_port}/{path}", trusting(self.certificates)
        with contextlib.suppress(httpx2.TransportError):
            return httpx2.get(address, verify=tls, timeout=1).is_success
        return False

    def send(self, what: signal.Signals) -> None:
        """Signal Patroni and every process of its PostgreSQL, which is no child of it."""
        signal_all([self.process.pid, *server_pids(self.data)], what)

    def kill(self) -> None:
        """As a machine that loses its power."""
        if self.process is not None:
            self.send(signal.SIGKILL)
            self.process.wait()
            self.process = None
            assert eventually(lambda: not server_pids(self.data))


class Cluster:
    """All of it. What a service needs of a database server."""

    name = "database"

    def __init__(self, home: Path) -> None:
        numbers = iter(free_ports(12))
        self.ports = {
            f"{address}:{port}": next(numbers) for address in ADDRESS.values() for port in (2379, 2380, 8008, 5432)
        }
        self.certificates = make_certificates(home / "certificates")
        self.etcd = [Etcd(home / f"etcd-{name}", name, self.ports, self.certificates) for name in NAMES]
        self.patroni = home / "patroni" / "bin" / "patroni"
        self.nodes = [Node(home / name, name, self.ports, self.patroni, self.certificates) for name in NAMES]

    @property
    def url(self) -> str:
        """As docs/deployment names all servers."""
        servers = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        tls = f"sslmode=verify-full&sslrootcert={self.certificates / 'ca.crt'}"
        return f"postgresql://fueldepot:third-password@{servers}/fueldepot?target_session_attrs=read-write&{tls}"

    def make(self) -> None:
        """Install Patroni as docs/deployment/high-availability.md says; it makes the data folders itself."""
        installed = self.patroni.parents[1]
        subprocess.run([DEBIAN_PYTHON, "-m", "venv", installed], check=True)
        lock = FILES / "patroni" / "requirements.lock"
        pip = [installed / "bin" / "pip", "install", "--quiet", "--require-hashes", "-r", lock]
        subprocess.run(pip, check=True)

    def ready(self) -> None:
        """Start all, and make role and database of the service."""
        for etcd in self.etcd:
            etcd.start()
        assert eventually(lambda: all(etcd.answers() for etcd in self.etcd), 60), self.etcd[0].log.read_text()[-2000:]
        first, *others = self.nodes
        first.start()
        assert eventually(lambda: first.role() == "primary", ELECTED_S), first.log.read_text()[-3000:]
        for node in others:
            node.start()
        assert eventually(self.is_whole, ELECTED_S), [node.log.read_text()[-1500:] for node in self.nodes]
        for sql in (
            "CREATE ROLE fueldepot LOGIN PASSWORD 'third-password'",
            "CREATE DATABASE fueldepot OWNER fueldepot TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'",
        ):
            # As the superuser, who has the socket only.
            command = ["psql", f"--host={first.home}", f"--port={first.port}", "--quiet", "--command", sql, "postgres"]
            subprocess.run(command, check=True, cwd=first.home, **first.runs_as)

    def is_whole(self) -> bool:
        """Whether there is a primary, two standbys, and one of them synchronous."""
        roles = sorted(node.role() for node in self.nodes)
        return roles == ["primary", "standby", "standby"] and any(node.says_yes("synchronous") for node in self.nodes)

    def primary(self) -> Node:
        (found,) = (node for node in self.nodes if node.role() == "primary")
        return found

    def standby(self) -> Node:
        return next(node for node in self.nodes if node.role() == "standby" and node.says_yes("synchronous"))

    def ask(self, sql: str) -> object:
        return column(self.url, sql)[0]

    def kill(self) -> None:
        for server in (*self.nodes, *self.etcd):
            server.kill()


def missing() -> list[str]:
    has_venv = Path(DEBIAN_PYTHON).exists() and not subprocess.call(
        [DEBIAN_PYTHON, "-c", "import ensurepip"], stderr=subprocess.DEVNULL
    )
    return absent("etcd") + ([] if has_venv else ["python3-venv"])
