"""`python -m tests.bench.prices`: whether approving and reading prices slow down with the number of prices.

Makes scratch databases with the starter's prices, some 50,000, and ten times as many. Approves new prices in both, one
by one and turn by turn, and says what that makes a process read anew. Then serves both, and measures `/prices/{fuel}`
turn by turn beside the bare view.
"""

import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta

from tests.bench.__main__ import prepare, questions, served
from tests.bench.scratch import compare, multiply, rebuilding_ms, scratch, use

ROUNDS, SECONDS = 3, 3.0
TIMES = {"few": 1, "many": 10}
APPROVALS = 200
BLOCK = 20
"""Approvals in one database before the turn of the other."""

DAYS = 1000
"""Age of the prices to be approved: the others are younger."""


def submit(number: int, first: int) -> list[int]:
    """Submit prices of readers, for a day without one. Returns their ids."""
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


def compare_approvals(urls: Sequence[str]) -> None:
    """Approve in every database, turn by turn, and print the times and their ratio."""
    took: list[list[float]] = [[] for _ in urls]
    for block in range(0, APPROVALS + BLOCK, BLOCK):
        for url, found in zip(urls, took, strict=True):
            use(url)
            times = approve(submit(BLOCK, block))
            found += times if block else []  # the first turn warms up
    few, many = map(statistics.median, took)
    for name, url, each in zip(TIMES, urls, (few, many), strict=True):
        use(url)
        print(f"{name} prices: {each:.2f} ms to approve, {rebuilding_ms('prices'):.0f} ms to build the snapshot anew")
    print(f"an approval among {TIMES['many']} times the prices: {many / few:.2f} times the time", flush=True)


def main() -> None:
    prepare()
    from prices.models import DepotPrice

    with ExitStack() as stack:
        urls = stack.enter_context(scratch(*(f"bench_prices_{name}" for name in TIMES)))
        for url, times in zip(urls, TIMES.values(), strict=True):
            use(url)
            multiply(DepotPrice, "prices", times, day="d.day - n")
        compare_approvals(urls)
        ports = {}
        for name, url in zip(TIMES, urls, strict=True):
            use(url)
            ports[f"{name} prices"], _ = stack.enter_context(served("fueldepot.wsgi"))
        compare(ports, questions()["/prices/{fuel}"], rounds=ROUNDS, seconds=SECONDS)


if __name__ == "__main__":
    main()
