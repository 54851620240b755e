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
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

from fueldepot import local
from fueldepot.local.serve import prepare_site
from tests.bench.__main__ import served
from tests.bench.scratch import in_turn, rebuilding_ms, scratch, settle, use

SIZES = (2_000, 200_000)
DAYS = 720
"""Days of the stored prices; the new ones are of earlier days."""

BLOCK = 20
"""Approvals in one database before the turn of the other."""


def fill(count: int) -> None:
    from decimal import Decimal

    from django.db import transaction
    from django.utils import timezone

    from catalog.depots.fuels import BY_SLUG
    from catalog.models import Depot
    from fueldepot.data.history import insert
    from prices import services
    from prices.models import DepotPrice
    from prices.starter import LEVELS

    DepotPrice.objects.all().delete()
    draw, now, today = random.Random(20261121), timezone.now(), timezone.localdate()  # noqa: S311 - repeatable
    depots = list(Depot.objects.order_by("pk").values_list("pk", flat=True))
    seen: set[tuple[int, str, int]] = set()
    while len(seen) < count:
        seen.add((draw.choice(depots), draw.choice(list(LEVELS)), draw.randrange(1, DAYS)))
    columns = ("depot_id", "fuel", "price", "unit", "day", "origin", "submitted_at", "status", "reason", "decided_at")
    prices = {key: Decimal(round(LEVELS[key[1]][-1][1] * draw.uniform(0.85, 1.15), -1)) for key in sorted(seen)}
    alike = ("price_list", datetime(2026, 1, 1, tzinfo=UTC), "approved", "", now)
    rows = (
        (depot, fuel, price, BY_SLUG[fuel].unit, today - timedelta(ago), *alike)
        for (depot, fuel, ago), price in prices.items()
    )
    with transaction.atomic():
        insert(DepotPrice, columns, rows)
        services.record_prices(today)
    settle()


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
        anew.append(rebuilding_ms("prices"))
    for count, found, rebuilding in zip(SIZES, took, anew, strict=True):
        print(
            f"{count:7} prices: {len(found)} approvals one by one in {sum(found) / 1000:.2f} s, "
            f"median {statistics.median(found):.2f} ms each; {rebuilding:.0f} ms to build the snapshot after one",
            flush=True,
        )
    few, many = map(statistics.median, (took[0], took[-1]))
    print(f"an approval among {SIZES[-1] // SIZES[0]} times the prices: {many / few:.2f} times the time", flush=True)


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
    with ExitStack() as stack:
        urls = stack.enter_context(scratch(os.environ["DATABASE_URL"], [f"bench_prices_{count}" for count in SIZES]))
        for url, count in zip(urls, SIZES, strict=True):
            use(url)
            fill(count)
        compare_approvals(urls, options.approvals)
        ports = []
        for url in urls:
            use(url)
            ports.append(stack.enter_context(served("tests.bench.app", 2))[0])
        told = in_turn(ports, paths, rounds=options.rounds, seconds=options.seconds)
        for count, (_, words) in zip(SIZES, told, strict=True):
            print(f"{count:7} prices: {words}")


if __name__ == "__main__":
    main()
