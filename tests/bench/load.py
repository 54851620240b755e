"""A small load generator: processes that ask one address after another, each over a connection of its own.

A new connection per request is how single calls and a reverse proxy without keep-alive arrive.
"""

import itertools
import multiprocessing
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

CLIENTS = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """Requests per second, and latencies in milliseconds."""

    rate: float
    p50_ms: float
    p99_ms: float
    failed: int


def ask(port: int, path: str, known: str = "") -> bytes:
    """Return the answer to one GET request over a new connection. Plain sockets, because http.client costs more.

    known: the validator of an answer that the caller has.
    """
    condition = f"If-None-Match: {known}\r\n" if known else ""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{condition}Connection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


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
        status = int(ask(port, asked, known)[9:12])
        latencies.append(time.perf_counter() - before)
        failed += status >= 400
    return latencies, failed


def measure(
    port: int, paths: Sequence[str], *, seconds: float, clients: int = CLIENTS, new: bool = False, known: str = ""
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


def in_turn(views: Sequence[Callable[[], Measured]], rounds: int) -> list[list[Measured]]:
    """Measure views one after the other, round by round. Returns the rounds of each."""
    return [list(measured) for measured in zip(*([view() for view in views] for _ in range(rounds)), strict=True)]


def ratio(rounds: Sequence[Measured], reference: Sequence[Measured]) -> float:
    return median(m.rate / r.rate for m, r in zip(rounds, reference, strict=True))


def show_headings() -> None:
    print(f"{'':37} " + " ".join(f"{title:>8}" for title in ("req/s", "bare=1", "p50 ms", "p99 ms", "failed")))


def show(name: str, rounds: Sequence[Measured], bare: Sequence[Measured]) -> None:
    """Print medians: requests per second, the ratio to the bare view of the same rounds, latencies; and failures."""
    rate, p50_ms, p99_ms = (median(getattr(m, column) for m in rounds) for column in ("rate", "p50_ms", "p99_ms"))
    failed = sum(m.failed for m in rounds)
    print(f"{name:37} {rate:8.0f} {ratio(rounds, bare):8.2f} {p50_ms:8.2f} {p99_ms:8.2f} {failed:8}", flush=True)
