"""`python -m tests.bench.depots`: whether the nearest depots take longer to find among ten times as many.

    python -m tests.bench.depots [--times 10]

Makes two scratch databases, one with the starter's depots and one where each has nine neighbours (65,860 in all),
serves both, and asks both for the nearest 20 of the same new points, turn by turn beside the bare view. Says too what
an edit costs a process: reading the snapshot of the depots anew.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from catalog.territory.coordinates import LAT_RANGE, LON_RANGE
from tests.bench.__main__ import memory_mb, prepare, questions, served
from tests.bench.load import measure, ratio
from tests.bench.scratch import compare, multiply, rebuilding_ms, scratch, use

ROUNDS, SECONDS = 5, 3.0
EDIT_EVERY_S = 3
MOVED = {
    "source_id": "d.source_id || '/' || n",
    "lat": f"least(greatest(d.lat + 0.05 * (2 * random() - 1), {LAT_RANGE[0]}), {LAT_RANGE[1]})",
    "lon": f"least(greatest(d.lon + 0.05 * (2 * random() - 1), {LON_RANGE[0]}), {LON_RANGE[1]})",
}
"""What differs in a neighbour, which is near enough for towns to stay dense."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10, help="default: %(default)s")
    options = parser.parse_args()
    prepare()
    from catalog.models import Dataset, Depot

    def edit(number: int) -> None:
        Depot.objects.filter(pk=Depot.objects.published().values("pk")[:1]).update(street=f"Nowa {number}")

    with ExitStack() as stack:
        urls = stack.enter_context(scratch("bench_depots_few", "bench_depots_many"))
        ports, servers, rebuilding = {}, {}, {}
        for url, times in zip(urls, (1, options.times), strict=True):
            use(url)
            multiply(Depot, "depots", times, **MOVED)
            name = f"{Depot.objects.published().count()} depots"
            rebuilding[name] = rebuilding_ms("depots", edit)
            use(url)
            ports[name], servers[name] = stack.enter_context(served("fueldepot.wsgi"))
        use(urls[0])
        paths = questions()["/stores near, 20"]
        few, many = compare(ports, paths, rounds=ROUNDS, seconds=SECONDS)
        for (name, port), url in zip(ports.items(), urls, strict=True):
            memory = max(rss for rss, _ in memory_mb(servers[name].pid))
            print(f"{name}: {memory:.0f} MB, {rebuilding[name]:.0f} ms to build the snapshot after an edit")
            how = {"clients": 2, "seconds": 5 * SECONDS, "new": True}
            rest = measure(port, paths, **how)
            use(url)
            with ThreadPoolExecutor(1) as pool:
                busy = pool.submit(measure, port, paths, **how)
                while not busy.done():
                    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
                    time.sleep(EDIT_EVERY_S)
            print(f"{name}: p99 {rest.p99_ms:.0f} ms at rest, {busy.result().p99_ms:.0f} ms while depots are edited")
        print(f"nearest 20 among {options.times} times the depots: {ratio(few, many):.2f} times the time (aim 1.5)")


if __name__ == "__main__":
    main()
