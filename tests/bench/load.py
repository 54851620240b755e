"""A small load generator: processes that ask one address after another over kept connections."""

import http.client
import itertools
import multiprocessing
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class Measured:
    """Requests per second, and latencies in milliseconds."""

    rate: float
    p50_ms: float
    p99_ms: float
    failed: int


def ask_in_turn(port: int, paths: Sequence[str], seconds: float, start: int) -> tuple[list[float], int]:
    """Ask for `seconds`, beginning at path number `start`. Returns latencies in seconds, and how many failed."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    latencies, failed = [], 0
    end = time.perf_counter() + seconds
    for path in itertools.islice(itertools.cycle(paths), start, None):
        before = time.perf_counter()
        if before > end:
            break
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        latencies.append(time.perf_counter() - before)
        failed += answer.status >= 400
    connection.close()
    return latencies, failed


def measure(port: int, paths: Sequence[str], *, clients: int, seconds: float) -> Measured:
    """Ask with several clients at once."""
    with multiprocessing.get_context("fork").Pool(clients) as pool:
        jobs = [(port, paths, seconds, number * 7) for number in range(clients)]
        results = pool.starmap(ask_in_turn, jobs)
    latencies = [latency for found, _ in results for latency in found]
    cuts = quantiles(latencies, n=100)
    return Measured(
        rate=len(latencies) / seconds,
        p50_ms=cuts[49] * 1000,
        p99_ms=cuts[98] * 1000,
        failed=sum(failed for _, failed in results),
    )
