"""`python -m tests.bench.prices`: whether approving and reading prices slow down with the number of prices.

    python -m tests.bench.prices [--seconds 3] [--rounds 3] [--approvals 200]

Makes scratch databases with the starter's depots and 2,000 or 200,000 prices. Approves new prices in both, one by one
and turn by turn, and says what that makes a process read anew. Then serves both, and measures `/prices/{fuel}` turn by
turn beside the bare view.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from urllib.parse import urlsplit, urlunsplit

from fueldepot import local
from fueldepot.local.serve import prepare_site
from tests.bench.__main__ import served
from tests.bench.load import Measured, measure

SIZES = (2_000, 200_000)
DAYS = 720
"""Days of the stored prices; the new ones are of earlier days."""

BLOCK = 20
"""Approvals in one database before the turn of the other."""


def fill(count: int) -> None:
    """Give the database depots and `count` approved prices."""
    from decimal import Decimal

    from django.core.management import call_command
    from django.db import connection, connections
    from django.utils import timezone

    from catalog.depots.fuels import BY_SLUG
    from catalog.models import Depot
    from fueldepot.data.history import insert
    from prices import services
    from prices.models import DepotPrice
    from prices.starter import LEVELS

    call_command("migrate", verbosity=0)
    call_command("load_starter", stdout=StringIO())
    DepotPrice.objects.all().delete()
    draw, now, today = random.Random(20261121), timezone.now(), timezone.localdate()  # noqa: S311 - repeatable
    depots = list(Depot.objects.order_by("pk").values_list("pk", flat=True))
    seen: set[tuple[int, str, int]] = set()
    while len(seen) < count:
        seen.add((draw.choice(depots), draw.choice(list(LEVELS)), draw.randrange(1, DAYS)))
    columns = ("depot_id", "fuel", "price", "unit", "day", "origin", "submitted_at", "status", "reason", "decided_at")
    rows = (
        (
            depot,
            fuel,
            Decimal(round(LEVELS[fuel][-1][1] * draw.uniform(0.85, 1.15), -1)),
            BY_SLUG[fuel].unit,
            today - timedelta(ago),
            "price_list",
            datetime(2026, 1, 1, tzinfo=UTC),
            "approved",
            "",
            now,
        )
        for depot, fuel, ago in sorted(seen)
    )
    insert(DepotPrice, columns, rows)
    services.record_prices(today, approved=count)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as the server does by itself within minutes
    connections.close_all()


def submit(number: int, first: int) -> list[int]:
    """Submit prices of readers, for days and depots without one. Returns their ids."""
    from decimal import Decimal

    from django.utils import timezone

    from catalog.models import Depot
    from prices import services, validation
    from prices.models import DepotPrice

    depots = list(Depot.objects.published().order_by("pk")[first : first + number])
    now = timezone.now()
    quote = validation.PriceInput("ekogroszek", timezone.localdate(now) - timedelta(DAYS), "t", Decimal(1500))
    origin = DepotPrice.Origin.SUBMISSION
    return [services.submit_price(depot=depot, quote=quote, origin=origin, by=None, on=now).pk for depot in depots]


def approve(numbers: Sequence[int]) -> list[float]:
    """Approve prices one by one, as an editor who looks at each. Returns milliseconds of each."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from prices import services
    from prices.models import DepotPrice

    editor, _ = get_user_model().objects.get_or_create(username="bench")
    took = []
    for number in numbers:
        before = time.perf_counter()
        services.approve_prices(prices=DepotPrice.objects.filter(pk=number), by=editor, on=timezone.now())
        took.append((time.perf_counter() - before) * 1000)
    return took


def rebuilding_ms() -> float:
    """Return the median of milliseconds to rebuild the snapshot of prices after an approval."""
    from catalog.models import Dataset
    from fueldepot.data import snapshot

    snapshot.invalidate()
    snapshot.refresh()
    took = []
    for _ in range(5):
        Dataset.objects.bump_version(Dataset.Slug.PRICES)
        before = time.perf_counter()
        snapshot.refresh()
        took.append((time.perf_counter() - before) * 1000)
    return statistics.median(took)


def compare_approvals(urls: Sequence[str], number: int) -> None:
    """Approve in every database, turn by turn, and print the times and their ratio."""
    took: list[list[float]] = [[] for _ in urls]
    for block in range(0, number + BLOCK, BLOCK):
        for url, found in zip(urls, took, strict=True):
            use(url)
            times = approve(submit(BLOCK, block))
            found += times if block else []  # the first turn warms up
    anew = []
    for url in urls:
        use(url)
        anew.append(rebuilding_ms())
    for count, found, rebuilding in zip(SIZES, took, anew, strict=True):
        print(
            f"{count:7} prices: {len(found)} approvals one by one in {sum(found) / 1000:.2f} s, "
            f"median {statistics.median(found):.2f} ms each; {rebuilding:.0f} ms to build the snapshot after one",
            flush=True,
        )
    few, many = map(statistics.median, (took[0], took[-1]))
    print(f"an approval among {SIZES[-1] // SIZES[0]} times the prices: {many / few:.2f} times the time", flush=True)


def address(admin_url: str, name: str) -> str:
    return urlunsplit(urlsplit(admin_url)._replace(path=f"/{name}"))


@contextmanager
def scratch(admin_url: str) -> Iterator[list[str]]:
    """Addresses of empty databases, one for each size, that are removed in the end."""
    import psycopg

    names = [f"bench_prices_{count}" for count in SIZES]
    with psycopg.connect(admin_url, autocommit=True) as connection:
        for name in names:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {name}")
    try:
        yield [address(admin_url, name) for name in names]
    finally:
        with psycopg.connect(admin_url, autocommit=True) as connection:
            for name in names:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def use(url: str) -> None:
    """Point Django and the servers started from here to a database."""
    from django.conf import settings
    from django.db import connections

    connections.close_all()
    os.environ["DATABASE_URL"] = url
    settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = urlsplit(url).path[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--approvals", type=int, default=200)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    local.prepare()
    prepare_site("")
    from catalog.depots.fuels import BY_SLUG

    paths = [f"/api/v1/prices/{slug}" for slug in BY_SLUG]
    how = {"clients": 8, "seconds": options.seconds}
    with ExitStack() as stack:
        urls = stack.enter_context(scratch(os.environ["DATABASE_URL"]))
        for url, count in zip(urls, SIZES, strict=True):
            use(url)
            fill(count)
        compare_approvals(urls, options.approvals)
        ports = []
        for url in urls:
            use(url)
            ports.append(stack.enter_context(served("tests.bench.app", 2))[0])
        for port in ports:
            measure(port, paths, clients=8, seconds=2, new=True)  # what is worked out once for each state of the data
        bare: list[Measured] = []
        rounds: list[list[Measured]] = [[] for _ in SIZES]
        for _ in range(options.rounds):
            bare.append(measure(ports[0], ["/bare"], **how))
            for port, found in zip(ports, rounds, strict=True):
                found.append(measure(port, paths, **how, new=True))
        for count, found in zip(SIZES, rounds, strict=True):
            ratio = statistics.median(m.rate / b.rate for m, b in zip(found, bare, strict=True))
            rate = statistics.median(m.rate for m in found)
            p99 = statistics.median(m.p99_ms for m in found)
            failed = sum(m.failed for m in found)
            print(
                f"{count:7} prices: {rate:.0f} req/s, {ratio:.2f} of the bare view, p99 {p99:.1f} ms, {failed} failed"
            )


if __name__ == "__main__":
    main()
