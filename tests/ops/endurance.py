"""`python -m tests.ops.endurance`: minutes of mixed load while an import and moderations are running.

    python -m tests.ops.endurance [--minutes 10] [--share 0.3] [--data ../shared/data] [--moderations 200]

Starts a service of its own with the starter data, measures how many mixed requests a second it answers at most, and
then asks for a share of that at a steady pace. What somebody waits is counted from the moment when the question was
due, not from when a client was free to send it. Half of the questions are new, half are asked again. After a quarter of
the time a directory of publishers' files is imported, where there is one, which replaces every depot; moderations are
spread over the whole time. Ends non-zero when an answer was neither 200 nor the 404 of a point abroad, or when two
answers under one validator differ, or an answer is older than one that was given a second before.
"""

import argparse
import hashlib
import itertools
import multiprocessing
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread

from tests.bench.__main__ import HOUSEHOLDS, ROOT, memory_mb
from tests.ops.live import Site

CLIENTS = 8
WARM_UP_S = 10.0
AT_MOST = 1e6
"""Requests per second beyond the capacity of the service, so that clients never pause."""

OVERLAP_S = 1.0
"""For which one worker may still give what another no longer gives: data versions are looked at four times a second."""

MODERATE = """
import os, sys, time
sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "fueldepot.settings"
import django
django.setup()
from decimal import Decimal
from django.contrib.auth import get_user_model
from django.db import DatabaseError
from django.utils import timezone
from catalog.models import Depot
from prices import services
from tests import factories
count, pause = int(sys.argv[1]), float(sys.argv[2])
editor, _ = get_user_model().objects.get_or_create(username="bench", defaults={"is_staff": True})
done = tries = 0
while done < count:
    tries += 1
    depots = Depot.objects.published()
    depot = depots.order_by("pk")[tries * 13 % depots.count()]
    try:
        price = factories.DepotPriceFactory(
            depot=depot, price=Decimal(1200 + done), day=timezone.localdate(), pending=True, from_reader=True
        )
        if not services.approve_prices(prices=[price], by=editor, on=timezone.now()).changed:
            continue  # the import has deleted the depot with its prices
    except DatabaseError as error:
        print(type(error).__name__, flush=True)  # the import has deleted the depot meanwhile
        continue
    done += 1
    print(done, flush=True)
    time.sleep(pause)
"""


@dataclass
class Seen:
    """The results of a client.

    latencies: in seconds since the question was due, by kind of question. bodies: by address and validator, their
    digests. times: by address, when each digest was first and last given. missing: 404s by address.
    """

    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    late: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    bodies: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    times: dict[str, dict[str, tuple[float, float]]] = field(default_factory=lambda: defaultdict(dict))


def kind_of(path: str) -> str:
    """A question without what differs from one to the next: endpoint and names of parameters, or level of a page."""
    address, _, query = path.partition("?")
    if not path.startswith("/api/"):
        return f"page of level {address.count('/') - 1}"
    names = ",".join(sorted(part.partition("=")[0] for part in query.split("&"))) if query else ""
    return "/".join(address.split("/")[3:4]) + (f"?{names}" if names and "subsidy" not in address else "")


def ask(port: int, path: str) -> tuple[int, str, str]:
    """GET over a new connection: status (0 where the connection failed), validator, digest of the body."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := connection.recv(1 << 16):
                answer += piece
    except OSError:
        return 0, "", ""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head:
        return 0, "", ""
    found = [line[6:] for line in head.split(b"\r\n") if line[:6].lower() == b"etag: "]
    return int(head[9:12]), (found or [b""])[0].decode(), hashlib.blake2b(body, digest_size=8).hexdigest()


def load(port: int, paths: Sequence[str], *, rate: float, seconds: float) -> list[Seen]:
    with multiprocessing.get_context("fork").Pool(CLIENTS) as pool:
        jobs = [(port, paths, rate / CLIENTS, seconds, client) for client in range(CLIENTS)]
        return pool.starmap(ask_steadily, jobs)


def ask_steadily(port: int, paths: Sequence[str], rate: float, seconds: float, client: int) -> Seen:
    """Ask `rate` times a second, every second question anew, in an order of this client."""
    draw, seen = random.Random(client), Seen()  # noqa: S311 - repeatable, not secret
    start = time.monotonic() + client / rate / CLIENTS
    end = start + seconds
    for number in itertools.count():
        due = start + number / rate
        if due > end or time.monotonic() > end:
            return seen
        if (wait := due - time.monotonic()) > 0:
            time.sleep(wait)
        seen.late += wait < -1
        path, again = draw.choice(paths), number % 2 == 1
        asked = path if again else f"{path}{'&' if '?' in path else '?'}_={client}.{number}"
        before = time.monotonic()
        status, tag, digest = ask(port, asked)
        after = time.monotonic()
        seen.latencies[kind_of(path) + (", again" if again else "")].append(after - due)
        seen.statuses[status] += 1
        if status == 404:
            seen.missing[path] += 1
        if again and status == 200 and tag:
            seen.bodies[path, tag].add(digest)
            # When the answer is known to have been given: from the question's first time to its last.
            first, _ = seen.times[path].get(digest, (after, before))
            seen.times[path][digest] = first, before
    raise AssertionError("counting does not end")


def by_kind(clients: Iterable[Seen]) -> dict[str, list[float]]:
    """Latencies of all clients in milliseconds."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for seen in clients:
        for kind, latencies in seen.latencies.items():
            kinds[kind] += [latency * 1000 for latency in latencies]
    return kinds


def contradictions(clients: Iterable[Seen]) -> list[str]:
    """Addresses with two bodies under one validator, or with an answer that came back after a newer one."""
    bodies: dict[tuple[str, str], set[str]] = defaultdict(set)
    times: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for seen in clients:
        for key, digests in seen.bodies.items():
            bodies[key] |= digests
        for path, found in seen.times.items():
            for digest, (first, last) in found.items():
                known = times[path].get(digest, (first, last))
                times[path][digest] = min(known[0], first), max(known[1], last)
    told = [f"{path}: {len(found)} bodies under {tag}" for (path, tag), found in bodies.items() if len(found) > 1]
    for path, states in times.items():
        ordered = sorted(states.values())
        told += [
            f"{path}: an answer was given {last - newer:.1f} s after a newer one"
            for (_, last), (newer, _) in itertools.pairwise(ordered)
            if last - newer > OVERLAP_S
        ]
    return told


def mixture(site: Site) -> list[str]:
    """Return paths in realistic proportions."""
    draw = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    points = [(draw.uniform(49.9, 53.5), draw.uniform(16.0, 22.5)) for _ in range(60)]
    units = [f"{code:02}" for code in range(2, 33, 2)]
    page = site.get("/sklady/malopolskie/").body.decode()
    towns = sorted({part.split('"')[0] for part in page.split('href="')[1:] if part.startswith("/sklady/malopolskie/")})
    return [
        *(f"/api/v1/stores?lat={lat:.4f}&lon={lon:.4f}" for lat, lon in points),
        *(f"/api/v1/locate?lat={lat:.4f}&lon={lon:.4f}" for lat, lon in points),
        *(f"/api/v1/locations?q={text}" for text in ("krak", "nowy+targ", "lodz", "30-0", "zakop", "bielsk") * 6),
        *(f"/api/v1/stores?teryt={code}" for code in units),
        *(f"/api/v1/regulations?voivodeship={code}" for code in units),
        *(f"/api/v1/prices/pellet?voivodeship={code}" for code in units),
        *["/api/v1/prices", "/api/v1/prices/pellet", "/api/v1/prices/wegiel-orzech"] * 4,
        *(f"/api/v1/subsidy?{query}" for query in HOUSEHOLDS * 4),
        *draw.sample([town for town in towns if town.count("/") == 4], 20),
        *["/", "/ceny/", "/ceny/pellet/", "/przepisy/"] * 2,
    ]


def run_beside(command: list[str], site: Site, log: Path) -> subprocess.Popen[bytes]:
    """A process that works on the service's database, with as little of the processor as it can have."""
    with log.open("wb") as out:
        nice = ["nice", "-n", "19", sys.executable, *command]
        settings = {"DATABASE_URL": site.database_url, "SECRET_KEY": "bench", "SITE_URL": site.url}
        return subprocess.Popen(nice, env=os.environ | settings, cwd=ROOT, stdout=out, stderr=out)


def end(job: subprocess.Popen[bytes]) -> int:
    """Return the exit status of a process, which has two minutes to finish; negative if it was killed then."""
    try:
        return job.wait(120)
    except subprocess.TimeoutExpired:
        job.kill()
        return job.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--share", type=float, default=0.3, help="of the most that the service answers")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--moderations", type=int, default=200)
    options = parser.parse_args()
    seconds = options.minutes * 60
    with tempfile.TemporaryDirectory() as folder, Site(Path(folder), starter=True).running() as site:
        paths = mixture(site)
        load(site.port, paths, rate=AT_MOST, seconds=WARM_UP_S)
        answered = sum(map(len, by_kind(load(site.port, paths, rate=AT_MOST, seconds=WARM_UP_S)).values()))
        rate = answered / WARM_UP_S * options.share
        print(f"at most {answered / WARM_UP_S:.0f} req/s; asking {rate:.0f} req/s for {seconds:.0f} s", flush=True)
        pause_s = seconds * 0.9 / max(options.moderations, 1)
        log, moderations = Path(folder) / "import", Path(folder) / "moderations"
        moderating = run_beside(["-c", MODERATE, str(options.moderations), str(pause_s)], site, moderations)
        over, imported = Event(), []
        import_at_s = seconds / 4 if options.data.is_dir() else float("inf")

        def import_and_watch() -> None:
            began = time.monotonic()
            while not over.wait(min(seconds / 10, 30)):
                now_s = time.monotonic() - began
                workers = sorted(memory_mb(site.process.pid))
                memory = ", ".join(f"{rss:.0f} MB ({own:.0f} its own)" for rss, own in workers)
                print(f"{now_s:5.0f} s: workers of {memory}", flush=True)
                if not imported and now_s > import_at_s:
                    print(f"{now_s:5.0f} s: import begins", flush=True)
                    command = ["manage.py", "import_data", str(options.data), "--commit"]
                    imported.append(run_beside(command, site, log))

        watching = Thread(target=import_and_watch)
        watching.start()
        clients = load(site.port, paths, rate=rate, seconds=seconds)
        over.set()
        watching.join()
        done = [end(job) for job in (moderating, *imported)]
        moderated = moderations.read_text().splitlines()[-1:]
        said = log.read_text() if any(done) and log.exists() else ""
    statuses = sum((seen.statuses for seen in clients), Counter())
    kinds = by_kind(clients)
    cuts = quantiles([latency for found in kinds.values() for latency in found], n=1000)
    told = contradictions(clients)
    compared = sum(len(seen.bodies) for seen in clients)
    asked = sum(statuses.values())
    late = sum(seen.late for seen in clients)
    print(f"{asked} asked of {rate * seconds:.0f} that were due, {late} over a second late")
    print(f"statuses: {dict(sorted(statuses.items()))}")
    for path, count in sorted(sum((seen.missing for seen in clients), Counter()).items()):
        print(f"  404 {count} times: {path}")
    p50, p99, p999 = (cuts[number] for number in (499, 989, 998))
    print(f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, p99.9 {p999:.1f} ms, p99/p50 {p99 / p50:.1f}")
    for kind, found in sorted(kinds.items()):
        print(f"  {kind:36} {len(found):8} p50 {median(found):6.1f} ms, p99 {quantiles(found, n=100)[98]:6.1f} ms")
    print(f"{compared} validators compared, {len(told)} contradictions")
    print(f"exits of moderations and import: {done}; moderated: {moderated}")
    if said:
        print(f"the import said:\n{said}")
    if not imported:
        print(f"nothing was imported from {options.data}: it is not there, or the time was too short")
    print("\n".join(told[:20]))
    if statuses.keys() - {200, 404} or told or any(done):
        sys.exit(1)


if __name__ == "__main__":
    main()
