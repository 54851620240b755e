#!/usr/bin/python3
"""systemctl where there is no systemd: does what the unit files of the catalog say, and knows Debian's own by name.

start, restart, stop and `enable --now` of services, with their user, environment, arguments and READY=1; timers are
read and not kept. Standard library only.
"""

import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

UNITS = Path("/etc/systemd/system")
STATE = Path("/run/units")
START_REDIS = """install -d -o redis -g redis /run/redis
runuser -u redis -- redis-server /etc/redis/redis.conf --bind 127.0.0.1 > /dev/null
until redis-cli ping > /dev/null; do sleep 0.1; done"""
DEBIAN = {
    ("start", "postgresql"): "pg_ctlcluster $(pg_lsclusters --no-header | head -n 1 | cut -d ' ' -f 1,2) start",
    ("start", "nginx"): "nginx",
    ("start", "redis-server"): START_REDIS,
    ("restart", "redis-server"): f"redis-cli shutdown; {START_REDIS}",
    ("reload", "nginx"): "nginx -s reload",
}
START_S = 60.0


def read(unit):
    """Lines of a unit by key, `%i` filled in."""
    name, _, kind = unit.rpartition(".")
    template, _, instance = name.partition("@")
    file = UNITS / (f"{template}@.{kind}" if instance else unit)
    found = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", file.read_text(), re.MULTILINE):
        found.setdefault(key, []).append(value.replace("%i", instance))
    return found


def environment(lines):
    """Of a service: its own lines, then its file, as systemd reads both."""
    found = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"}
    for line in lines.get("Environment", []):
        found.update(pair.split("=", 1) for pair in shlex.split(line))
    for file in lines.get("EnvironmentFile", []):
        for line in Path(file).read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.partition("=")
                found[name] = value[1:-1] if value[:1] in {"'", '"'} and value[-1] == value[0] else value
    return found


def start(unit):
    """Start a service; return when it is ready, or, of `oneshot`, when it has ended."""
    lines = read(unit)
    settings = environment(lines)
    command = [
        re.sub(r"\$\{(\w+)\}", lambda match: settings[match[1]], word) for word in shlex.split(lines["ExecStart"][0])
    ]
    STATE.mkdir(exist_ok=True)
    how = {
        "cwd": lines["WorkingDirectory"][0],
        "user": lines["User"][0],
        "group": lines["Group"][0],
        "extra_groups": [],
    }
    kind = lines["Type"][0]
    if kind == "oneshot":
        if subprocess.run(command, env=settings, **how).returncode:
            sys.exit(f"{unit} failed")
        return
    assert kind == "notify", kind
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as told:
        told.bind(f"\0{unit}")
        settings["NOTIFY_SOCKET"] = f"@{unit}"
        told.settimeout(START_S)
        with (STATE / f"{unit}.log").open("ab") as log:
            process = subprocess.Popen(command, env=settings, stdout=log, stderr=log, start_new_session=True, **how)
        (STATE / unit).write_text(f"{process.pid}\n")
        try:
            while b"READY=1" not in told.recv(4096):
                pass
        except TimeoutError:
            sys.exit(f"{unit} was not ready in time:\n" + (STATE / f"{unit}.log").read_text()[-3000:])


def stop(unit):
    pid = int((STATE / unit).read_text())
    os.kill(pid, signal.SIGTERM)
    while Path(f"/proc/{pid}").exists() and ") Z" not in Path(f"/proc/{pid}/stat").read_text():
        time.sleep(0.02)


ACTS = {"start": (start,), "stop": (stop,), "restart": (stop, start)}


def main():
    verb, *units = [word for word in sys.argv[1:] if word != "--now"]
    if verb == "enable":
        verb = "start"
    for given in units:
        unit = given if given.endswith((".service", ".timer")) else f"{given}.service"
        if (verb, given) in DEBIAN:
            if subprocess.run(["sh", "-c", DEBIAN[verb, given]]).returncode:
                sys.exit(f"{given} does not {verb}")
        elif unit.endswith(".timer"):
            assert read(unit)["OnCalendar"]
            read(unit.replace(".timer", ".service"))
        elif verb in ACTS:
            for act in ACTS[verb]:
                act(unit)
        else:
            sys.exit(f"what is {verb} of {unit}?")


main()
