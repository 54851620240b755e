"""A throw-away cluster of an installed PostgreSQL, for running the suite on another server than the embedded one.

python -m tests.debian_postgres start BIN DATA    prints the DATABASE_URL
python -m tests.debian_postgres stop BIN DATA
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

USER = "postgres"


def as_server(*command: str) -> None:
    """Run a command as the user of the server: PostgreSQL refuses to run as root."""
    prefix = ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []
    subprocess.run([*prefix, *command], check=True, stdout=subprocess.DEVNULL, cwd="/")


def start(bin_: Path, data: Path) -> str:
    """Make the cluster anew and start it. Its files lie outside the checkout, where the server's user may go."""
    home = Path(tempfile.mkdtemp(prefix="fueldepot-postgres-"))
    if os.geteuid() == 0:
        os.chown(home, pwd.getpwnam(USER).pw_uid, -1)
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text(str(home))
    cluster = home / "data"
    as_server(str(bin_ / "initdb"), "-D", str(cluster), "-U", USER, "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
    options = f"-c listen_addresses= -c unix_socket_directories={home} -c fsync=off"
    options += " -c synchronous_commit=off -c full_page_writes=off"  # what it holds is thrown away
    as_server(str(bin_ / "pg_ctl"), "-D", str(cluster), "-l", str(home / "log"), "-w", "-o", options, "start")
    return f"postgresql://{USER}@/postgres?host={home}"


def stop(bin_: Path, data: Path) -> None:
    home = Path(data.read_text())
    as_server(str(bin_ / "pg_ctl"), "-D", str(home / "data"), "-m", "fast", "-w", "stop")
    shutil.rmtree(home)
    data.unlink()


if __name__ == "__main__":
    action, bin_, data = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if action == "start":
        print(start(bin_, data))
    else:
        stop(bin_, data)
