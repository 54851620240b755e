"""How many requests a second one and two application processes answer, what nginx answers alone, and what they cost.

"kept" is what has been asked before: nginx answers it, and asks the application once a second. The bare view is Django
alone, in two workers, asked past nginx.

python -m tests.ops.machines.measure

The callers share the cores with all servers, so what a request costs each of them in processor time says more than the
rates do. nginx is asked without TLS and over a new connection for every request.
"""

import os
from pathlib import Path
from statistics import median

from tests.bench.__main__ import SMALLEST, served
from tests.bench.load import measure
from tests.fueldepot.sharers import eventually
from tests.ops.machines.callers import HOST
from tests.ops.machines.servers import Server, open_folder
from tests.ops.machines.service import PATHS, Service

ROUNDS, SECONDS, CLIENTS = 3, 4.0, 8
TICKS = os.sysconf("SC_CLK_TCK")


def spent_s(server: Server) -> float:
    """Processor time of a server and its children so far, those that have ended included."""
    assert server.process is not None
    pids = [server.process.pid]
    for pid in pids:
        children = Path(f"/proc/{pid}/task/{pid}/children")
        pids += map(int, children.read_text().split()) if children.exists() else []
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks += sum(map(int, fields[11:15] if pid == server.process.pid else fields[11:13]))
    return ticks / TICKS


def arrange(service: Service, *, applications: int) -> None:
    """Start the servers anew, with one or both of the application processes."""
    _, second = service.applications
    for server in (*service.applications, service.nginx):
        server.kill()
    site = service.nginx.home / "site"
    text = site.read_text().replace(f"127.0.0.1:{second.port} down", f"127.0.0.1:{second.port} max_fails=3")
    if applications == 1:
        text = text.replace(f"127.0.0.1:{second.port} max_fails=3", f"127.0.0.1:{second.port} down")
    site.write_text(text)
    for application in service.applications[:applications]:
        application.ready()
    service.nginx.ready()
    assert eventually(lambda: all(one.ask("/readyz") for one in service.applications[:applications]))


def main() -> None:
    with open_folder("measured") as home:
        service = Service(home)
        for application in service.applications:
            application.settings |= {"ALLOWED_HOSTS": f"{HOST},127.0.0.1", "RATE_LIMIT": "off"}
        site = service.nginx.home / "site"
        lines = [line for line in site.read_text().replace(" ssl http2;", ";").splitlines() if "ssl_" not in line]
        site.write_text("\n".join(lines).replace("$scheme", "https"))
        with service.running():
            compare(service)


def compare(service: Service) -> None:
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for _ in range(ROUNDS):
        for name, applications in (("one process", 1), ("two processes", 2)):
            arrange(service, applications=applications)
            for kind in ("new", "kept"):
                measure(service.nginx.port, PATHS, clients=CLIENTS, seconds=1.0)
                servers = [service.applications[:applications], [service.database]]
                before = [sum(map(spent_s, some)) for some in servers]
                seen = measure(service.nginx.port, PATHS, clients=CLIENTS, seconds=SECONDS, new=kind == "new")
                assert not seen.failed
                after = [sum(map(spent_s, some)) for some in servers]
                number = seen.rate * SECONDS
                costs = [1000 * (then - now) / number for now, then in zip(before, after, strict=True)]
                found.setdefault((kind, name), []).append((seen.rate, seen.p99_ms, *costs))
    print("| | requests/s | p99 ms | application ms | database ms |\n|---|---|---|---|---|")
    for _ in range(ROUNDS):
        with served(SMALLEST, 2) as (port, _):
            measure(port, ["/bare"], clients=CLIENTS, seconds=1.0)
            bare = measure(port, ["/bare"], clients=CLIENTS, seconds=SECONDS)
            found.setdefault(("-", "bare view"), []).append((bare.rate, bare.p99_ms, 1000 / bare.rate, 0))
    for (kind, name), rounds in sorted(found.items(), reverse=True):
        middle = [median(column) for column in zip(*rounds, strict=True)]
        print(f"| {kind}, {name} | {middle[0]:.0f} | {middle[1]:.0f} | " + " | ".join(f"{c:.2f}" for c in middle[2:]))


if __name__ == "__main__":
    main()
