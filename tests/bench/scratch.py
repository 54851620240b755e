"""Scratch databases of the benchmarks: what a change of their data costs, and how fast they are served."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from urllib.parse import urlsplit, urlunsplit

from tests.bench.load import Measured, measure

STARTER = "bench_starter"


@contextmanager
def scratch(admin_url: str, names: Sequence[str]) -> Iterator[list[str]]:
    """Addresses of databases with the starter data, which are removed in the end."""
    import psycopg
    from django.core.management import call_command

    def execute(command: str, *names: str) -> None:
        with psycopg.connect(admin_url, autocommit=True) as connection:
            for name in names:
                connection.execute(command.format(name))

    first, *rest = [urlunsplit(urlsplit(admin_url)._replace(path=f"/{name}")) for name in (STARTER, *names)]
    drop = "DROP DATABASE IF EXISTS {} WITH (FORCE)"
    execute(drop, STARTER, *names)
    execute("CREATE DATABASE {}", STARTER)
    try:
        use(first)
        call_command("migrate", verbosity=0)
        call_command("load_starter", stdout=StringIO())
        settle()
        execute(f"CREATE DATABASE {{}} TEMPLATE {STARTER}", *names)
        yield rest
    finally:
        execute(drop, STARTER, *names)


def use(url: str) -> None:
    """Point Django and the servers started from here to a database."""
    from django.conf import settings
    from django.db import connections

    connections.close_all()
    os.environ["DATABASE_URL"] = url
    settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = urlsplit(url).path[1:]


def settle() -> None:
    """Run VACUUM ANALYZE, which the server would run within minutes, and close the connection."""
    from django.db import connection, connections

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    connections.close_all()


def rebuilding_ms(dataset: str, change: Callable[[int], object] = lambda number: None) -> float:
    """Return the median of milliseconds to rebuild the snapshots after a change of a data set."""
    from django.db import connections

    from catalog.models import Dataset
    from fueldepot.data import snapshot

    snapshot.invalidate()
    snapshot.refresh()
    took = []
    for number in range(5):
        change(number)
        Dataset.objects.bump_version(Dataset.Slug(dataset))
        before = time.perf_counter()
        snapshot.refresh()
        took.append((time.perf_counter() - before) * 1000)
    connections.close_all()
    return statistics.median(took)


def in_turn(
    ports: Sequence[int], paths: Sequence[str], *, rounds: int, seconds: float
) -> list[tuple[list[Measured], str]]:
    """Measure services turn by turn beside the bare view. Returns the rounds of each, and its figures in words."""
    for port in ports:
        measure(port, paths, clients=8, seconds=max(seconds, 2), new=True)  # what is worked out once for each state
    bare: list[Measured] = []
    every: list[list[Measured]] = [[] for _ in ports]
    for _ in range(rounds):
        bare.append(measure(ports[0], ["/bare"], clients=8, seconds=seconds))
        for port, found in zip(ports, every, strict=True):
            found.append(measure(port, paths, clients=8, seconds=seconds, new=True))
    told = []
    for found in every:
        rate = statistics.median(m.rate for m in found)
        ratio = statistics.median(m.rate / b.rate for m, b in zip(found, bare, strict=True))
        p50, p99 = (statistics.median(getattr(m, name) for m in found) for name in ("p50_ms", "p99_ms"))
        words = f"{rate:.0f} req/s, {ratio:.2f} of the bare view, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
        told.append((found, f"{words}, {sum(m.failed for m in found)} failed"))
    return told
