"""A small load generator: processes that ask one address after another, each over a connection of its own.

A new connection per request is how single calls and a reverse proxy without keep-alive arrive.
"""

import itertools
import multiprocessing
import socket
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


def ask(port: int, path: str, known: str = "") -> int:
    """One GET request over a new connection. Returns the status. Plain sockets, because http.client costs more.

    known: the validator of an answer that the caller has.
    """
    condition = f"If-None-Match: {known}\r\n" if known else ""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{condition}Connection: close\r\n\r\n".encode())
        head = connection.recv(65536)
        while connection.recv(65536):
            pass
    return int(head[9:12])


def ask_in_turn(
    port: int, paths: Sequence[str], seconds: float, start: int, new: bool, known: str
) -> tuple[list[float], int]:
    """Ask for `seconds`, beginning at path number `start`. Returns latencies in seconds, and how many failed.

    new: every question is one that nobody has asked, so that no cache answers; an ignored parameter differs.
    """
    numbers = itertools.count()
    tail = f"_={start}.{time.time_ns()}."
    latencies, failed = [], 0
    end = time.perf_counter() + seconds
    for path in itertools.islice(itertools.cycle(paths), start, None):
        before = time.perf_counter()
        if before > end:
            break
        asked = f"{path}{'&' if '?' in path else '?'}{tail}{next(numbers)}" if new else path
        status = ask(port, asked, known)
        latencies.append(time.perf_counter() - before)
        failed += status >= 400
    return latencies, failed


def measure(
    port: int, paths: Sequence[str], *, clients: int, seconds: float, new: bool = False, known: str = ""
) -> Measured:
    with multiprocessing.get_context("fork").Pool(clients) as pool:
        jobs = [(port, paths, seconds, number * 7, new, known) for number in range(clients)]
        results = pool.starmap(ask_in_turn, jobs)
    latencies = [latency for found, _ in results for latency in found]
    cuts = quantiles(latencies, n=100)
    return Measured(
        rate=len(latencies) / seconds,
        p50_ms=cuts[49] * 1000,
        p99_ms=cuts[98] * 1000,
        failed=sum(failed for _, failed in results),
    )
