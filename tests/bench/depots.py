"""`python -m tests.bench.depots`: whether the nearest depots take longer to find among ten times as many.

    python -m tests.bench.depots [--seconds 3] [--rounds 5] [--times 10]

Makes two scratch databases, one with the starter's depots and one where each has nine neighbours (65,860 in all),
serves both, and asks both for the nearest 20 of the same new points, turn by turn beside the bare view. Says too what
an edit costs a process: reading the snapshot of the depots anew.
"""

import argparse
import os
import random
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from fueldepot import local
from tests.bench.__main__ import memory_mb, served
from tests.bench.load import measure
from tests.bench.scratch import in_turn, rebuilding_ms, scratch, settle, use

EDIT_EVERY_S = 3
SPREAD_DEGREES = 0.05
"""Greatest distance of a neighbour, so that towns stay dense."""

COMPUTED = {"id", "position", "name_key"}
ASKED = 20_000
"""Number of requested points, more than a run uses, so that no request repeats."""


def multiply(times: int) -> None:
    """Give every depot its neighbours, the same in every run."""
    from django.db import connection, transaction

    from catalog.models import Dataset, Depot
    from catalog.territory.coordinates import LAT_RANGE, LON_RANGE

    columns = [field.column for field in Depot._meta.concrete_fields if field.column not in COMPUTED]
    changed = {
        "source_id": "d.source_id || '/' || n",
        "lat": f"least(greatest(d.lat + {SPREAD_DEGREES} * (2 * random() - 1), {LAT_RANGE[0]}), {LAT_RANGE[1]})",
        "lon": f"least(greatest(d.lon + {SPREAD_DEGREES} * (2 * random() - 1), {LON_RANGE[0]}), {LON_RANGE[1]})",
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.20261121)")
        values = ", ".join(changed.get(name, f"d.{name}") for name in columns)
        cursor.execute(
            f"INSERT INTO catalog_depot ({', '.join(columns)}) "  # noqa: S608 - names of columns
            f"SELECT {values} FROM catalog_depot d CROSS JOIN generate_series(1, {times - 1}) n"
        )
        Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    settle()


def points() -> list[str]:
    """Addresses that ask for the nearest 20 near depots of the starter."""
    from django.db import connections

    from catalog.models import Depot

    draw = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    known = list(Depot.objects.published().order_by("pk").values_list("lat", "lon")[:6_000])
    connections.close_all()
    chosen = [draw.choice(known) for _ in range(ASKED)]
    return [
        f"/api/v1/stores?lat={lat + draw.uniform(-0.05, 0.05):.6f}&lon={lon + draw.uniform(-0.05, 0.05):.6f}"
        for lat, lon in chosen
    ]


@contextmanager
def edited(url: str) -> Iterator[None]:
    """Have a depot edited every `EDIT_EVERY_S` during the block, so that each worker builds the snapshot anew."""
    import psycopg

    ended = threading.Event()

    def edit() -> None:
        with psycopg.connect(url) as connection:
            while not ended.wait(EDIT_EVERY_S):
                connection.execute("UPDATE catalog_dataset SET version = version + 1 WHERE slug = 'depots'")
                connection.commit()

    thread = threading.Thread(target=edit)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--times", type=int, default=10, help="default: %(default)s")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    local.prepare()
    import django

    django.setup()
    from catalog.models import Depot

    def edit(number: int) -> None:
        Depot.objects.filter(pk=Depot.objects.published().values("pk")[:1]).update(street=f"Nowa {number}")

    with ExitStack() as stack:
        before = time.perf_counter()
        urls = stack.enter_context(scratch(os.environ["DATABASE_URL"], ["bench_depots_few", "bench_depots_many"]))
        for url, times in zip(urls, (1, options.times), strict=True):
            use(url)
            multiply(times)
        print(f"databases made in {time.perf_counter() - before:.0f} s", flush=True)
        served_at, sizes, rebuilding = [], [], []
        paths: list[str] = []
        for url in urls:
            use(url)
            sizes.append(Depot.objects.published().count())
            paths = paths or points()
            rebuilding.append(rebuilding_ms("depots", edit))
            use(url)
            served_at.append(stack.enter_context(served("tests.bench.app", 2)))
        told = in_turn([port for port, _ in served_at], paths, rounds=options.rounds, seconds=options.seconds)
        for size, (_, words), (_, server), anew in zip(sizes, told, served_at, rebuilding, strict=True):
            memory = max(rss for rss, _ in memory_mb(server.pid))
            print(f"{size:7} depots: {words}, {memory:.0f} MB, {anew:.0f} ms to build the snapshot after an edit")
        for size, url, (port, _) in zip(sizes, urls, served_at, strict=True):
            rest = measure(port, paths, clients=2, seconds=5 * options.seconds, new=True)
            with edited(url):
                busy = measure(port, paths, clients=2, seconds=5 * options.seconds, new=True)
            print(f"{size:7} depots: p99 {rest.p99_ms:.0f} ms at rest, {busy.p99_ms:.0f} ms while depots are edited")
        longer = statistics.median(few.rate / many.rate for few, many in zip(told[0][0], told[1][0], strict=True))
        print(f"nearest 20 among {options.times} times the depots: {longer:.2f} times the time (aim 1.5)")


if __name__ == "__main__":
    main()
