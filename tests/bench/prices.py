"""`python -m tests.bench.prices`: whether `/prices/{fuel}` slows down with the number of prices.

    python -m tests.bench.prices [--seconds 3] [--rounds 3]

Makes scratch databases with the starter's depots and 2,000 or 200,000 prices, serves both, and measures turn by turn
beside the bare view. Says too how long one approval takes.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from urllib.parse import urlsplit, urlunsplit

from fueldepot import local
from tests.bench.__main__ import served
from tests.bench.load import Measured, measure

SIZES = (2_000, 200_000)


def fill(count: int) -> float:
    """Give the database depots and `count` approved prices. Returns seconds of one approval."""
    from decimal import Decimal

    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.utils import timezone

    from catalog.bulk import insert
    from catalog.fuels import BY_SLUG
    from catalog.models import Depot
    from prices import actions
    from prices.models import DepotPrice
    from prices.starter import LEVELS

    call_command("migrate", verbosity=0)
    call_command("load_starter", stdout=StringIO())
    DepotPrice.objects.all().delete()
    draw, now, today = random.Random(20261121), timezone.now(), timezone.localdate()  # noqa: S311 - repeatable
    depots = list(Depot.objects.order_by("pk").values_list("pk", flat=True))
    seen: set[tuple[int, str, int]] = set()
    while len(seen) < count:
        seen.add((draw.choice(depots), draw.choice(list(LEVELS)), draw.randrange(1, 720)))
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
    actions.record_prices(today, approved=count)
    editor, _ = get_user_model().objects.get_or_create(username="bench")
    quote = actions.Quote("ekogroszek", today, "t", Decimal(1500))
    price = actions.submit_price(
        depot=Depot.objects.get(pk=depots[0]), quote=quote, origin=DepotPrice.Origin.PRICE_LIST, by=editor, on=now
    )
    before = time.perf_counter()
    actions.approve_price(price=price, by=editor, on=now)
    return time.perf_counter() - before


def address(admin_url: str, name: str) -> str:
    """The address of another database of the same server."""
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
    """Let Django here, and servers started from here, use a database."""
    from django.conf import settings
    from django.db import connections

    connections.close_all()
    os.environ["DATABASE_URL"] = url
    settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = urlsplit(url).path[1:]


def main() -> None:
    """Fill, measure, print, clean up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    local.prepare()
    import django

    django.setup()
    from django.db import connections

    from catalog.fuels import BY_SLUG

    paths = [f"/api/v1/prices/{slug}" for slug in BY_SLUG]
    how = {"clients": 8, "seconds": options.seconds}
    with ExitStack() as stack:
        ports = []
        for url, count in zip(stack.enter_context(scratch(os.environ["DATABASE_URL"])), SIZES, strict=True):
            use(url)
            print(f"{count:7} prices: one approval takes {fill(count):.2f} s", flush=True)
            connections.close_all()
            ports.append(stack.enter_context(served("tests.bench.app", 2))[0])
        bare: list[Measured] = []
        rounds: list[list[Measured]] = [[] for _ in SIZES]
        for _ in range(options.rounds):
            bare.append(measure(ports[0], ["/bare"], **how))
            for port, found in zip(ports, rounds, strict=True):
                found.append(measure(port, paths, **how))
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
