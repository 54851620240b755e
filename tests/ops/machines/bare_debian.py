"""A Debian whose files are thrown away: this machine's own, with everything that is written kept apart.

Namespaces of Linux: mounts (an overlay over `/`, in memory), processes, and the network, which has the loopback only.
Needs root.
"""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import ROOT
from tests.fueldepot.sharers import children_of
from tests.ops.machines.servers import absent

ENTER = """
set -e
mount --make-rprivate /
mount -t tmpfs none {home}
mkdir {home}/upper {home}/work {home}/root
mount -t overlay overlay -o lowerdir=/,upperdir={home}/upper,workdir={home}/work {home}/root
mount -t proc proc {home}/root/proc
mount --rbind /dev {home}/root/dev
mount --rbind /sys {home}/root/sys
mount -t tmpfs none {home}/root/run
mount -t tmpfs none {home}/root/tmp
chmod 1777 {home}/root/tmp
{binds}
ip link set lo up
echo ready
exec chroot {home}/root sleep infinity
"""
"""`/` of an overlay shows no other mounts of this machine."""


NEEDED = ("unshare", "nsenter", "chroot", "ip", "pg_createcluster", "curl", "git", "adduser", "runuser", "nft")


def why_not() -> list[str]:
    """Return what keeps this machine from making one."""
    missing = absent(*NEEDED)
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        missing.append("mounts of its own")
    return missing


class Debian:
    """One that runs. pid: of its first process, as this machine counts."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def run(self, script: str) -> "subprocess.CompletedProcess[str]":
        """Run a script of bash there, as root."""
        enter = ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--net", "--root", "--wd"]
        path = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
        how = {"env": {"PATH": path, "HOME": "/root", "LC_ALL": "C.UTF-8"}, "text": True}
        command = [*enter, "bash", "-c", script]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)


@contextmanager
def bare_debian() -> Iterator[Debian]:
    """A Debian until the block ends, when all its processes are killed.

    Its `/tmp` is its own, so a checkout below it is mounted.
    """
    home = Path(tempfile.mkdtemp(prefix="fueldepot-debian-"))
    hidden = [ROOT] if Path("/tmp") in ROOT.parents else []  # noqa: S108 - where it is hidden
    binds = "\n".join(f"mkdir -p {home}/root{f} && mount --rbind {f} {home}/root{f}" for f in hidden)
    command = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
    with subprocess.Popen(
        [*command, "sh", "-c", ENTER.format(home=home, binds=binds)], stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout.readline() == "ready\n"
            [first] = children_of(holder.pid)
            yield Debian(first)
        finally:
            holder.send_signal(signal.SIGKILL)
            holder.wait()
    home.rmdir()
