"""`python -m tests.ops.endurance`: minutes of mixed load while an import and moderations are running.

    python -m tests.ops.endurance [--minutes 10] [--data ../shared/data]

Starts a service of its own with the starter data, measures how many mixed requests a second it answers at most, and
then asks for 30 % of that at a steady pace. What somebody waits is counted from the moment when the question was due,
not from when a client was free to send it. Half of the questions are new, half are asked again. After a quarter of the
time a directory of publishers' files is imported, which replaces every depot; 200 moderations are spread over the whole
time. Ends non-zero when an answer was neither 200 nor the 404 of a point abroad, or when two answers under one
validator differ, or an answer is older than one that was given a second before.
"""

import argparse
import hashlib
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from tests import ROOT, SHARED
from tests.bench.__main__ import questions
from tests.bench.load import CLIENTS, ask, measure
from tests.ops.live import Site

SHARE = 0.3
MODERATIONS = 200
PAGES = ["/", "/ceny/", "/ceny/pellet/", "/przepisy/"]
EACH = 20
"""Paths of each endpoint."""

OVERLAP_S = 1.0
"""For which one worker may still give what another no longer gives: data versions are looked at four times a second."""


class Answer(NamedTuple):
    """status: 0 where the connection failed. state: validator and digest of the body, where the question was asked
    before. due, began, ended: moments of `time.monotonic`."""

    path: str
    status: int
    state: tuple[str, str] | None
    due: float
    began: float
    ended: float


def ask_steadily(port: int, paths: Sequence[str], rate: float, seconds: float, client: int) -> list[Answer]:
    """Ask `rate` times a second, every second question anew, in an order of this client."""
    draw, answers = random.Random(client), []  # noqa: S311 - repeatable, not secret
    start = time.monotonic() + client / rate / CLIENTS
    for number in range(int(rate * seconds)):
        due = start + number / rate
        time.sleep(max(0.0, due - time.monotonic()))
        path, again = draw.choice(paths), number % 2 == 1
        began, text = time.monotonic(), b""
        with suppress(OSError):
            text = ask(port, path if again else f"{path}{'&' if '?' in path else '?'}_={client}.{number}")
        head, _, body = text.partition(b"\r\n\r\n")
        tag = head.lower().partition(b"\r\netag: ")[2].partition(b"\r\n")[0].decode()
        state = (tag, hashlib.blake2b(body, digest_size=8).hexdigest()) if again and tag else None
        answers.append(Answer(path, int(head[9:12] or 0), state, due, began, time.monotonic()))
    return answers


def contradictions(answers: Iterable[Answer]) -> list[str]:
    """Addresses with two bodies under one validator, or with an answer that came back after a newer one."""
    digests: dict[tuple[str, str], set[str]] = defaultdict(set)
    # When an answer is known to have been given: from the question's first time to its last.
    times: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for answer in answers:
        if answer.state and answer.status == 200:
            tag, digest = answer.state
            digests[answer.path, tag].add(digest)
            first, last = times[answer.path].get(digest, (answer.ended, answer.began))
            times[answer.path][digest] = min(first, answer.ended), max(last, answer.began)
    print(f"{len(digests)} validators compared")
    wrong = [f"{path}: {len(bodies)} bodies under {tag}" for (path, tag), bodies in digests.items() if len(bodies) > 1]
    for path, states in times.items():
        wrong += [
            f"{path}: an answer was given {last - newer:.1f} s after a newer one"
            for (_, last), (newer, _) in itertools.pairwise(sorted(states.values()))
            if last - newer > OVERLAP_S
        ]
    return wrong


def moderate(number: int) -> None:
    """Approve a price of a depot, unless the import has deleted it meanwhile."""
    from django.contrib.auth import get_user_model
    from django.db import DatabaseError
    from django.utils import timezone

    from catalog.models import Depot
    from prices import services
    from tests import factories

    editor, _ = get_user_model().objects.get_or_create(username="bench", defaults={"is_staff": True})
    depots = Depot.objects.published().order_by("pk")
    with suppress(DatabaseError):
        price = factories.DepotPriceFactory(
            depot=depots[number * 13 % depots.count()],
            price=Decimal(1200 + number),
            day=timezone.localdate(),
            pending=True,
            from_reader=True,
        )
        services.approve_prices(prices=[price], by=editor, on=timezone.now())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    options = parser.parse_args()
    seconds = options.minutes * 60
    with tempfile.TemporaryDirectory() as folder, Site(Path(folder), starter=True).running() as site:
        os.environ |= {"DATABASE_URL": site.database_url, "SECRET_KEY": "bench", "SITE_URL": site.url}
        os.environ["DJANGO_SETTINGS_MODULE"] = "fueldepot.settings"
        import django

        django.setup()
        every = questions()
        del every["/stores/{id}"]  # which the import replaces
        paths = [*PAGES, *(path for paths in every.values() for path in paths[:EACH])]
        random.Random(0).shuffle(paths)  # noqa: S311 - repeatable, not secret
        measure(site.port, paths, seconds=10, new=True)
        most = measure(site.port, paths, seconds=10, new=True).rate
        print(f"at most {most:.0f} req/s; asking {most * SHARE:.0f} req/s for {seconds:.0f} s", flush=True)
        later = f"sleep {seconds / 4}; exec nice -n 19 {sys.executable} manage.py import_data {options.data} --commit"
        with subprocess.Popen(["sh", "-c", later], cwd=ROOT) as importing, get_context("fork").Pool(CLIENTS) as pool:
            steadily = partial(ask_steadily, site.port, paths, most * SHARE / CLIENTS, seconds)
            asking = pool.map_async(steadily, range(CLIENTS))
            for number in range(MODERATIONS):
                moderate(number)
                asking.wait(seconds * 0.9 / MODERATIONS)
                if asking.ready():
                    break
            print(f"{number + 1} of {MODERATIONS} moderations were made meanwhile")
            answers = [answer for client in asking.get() for answer in client]
            imported = importing.wait(120)
    statuses, wrong = Counter(answer.status for answer in answers), contradictions(answers)
    cuts = quantiles([1000 * (answer.ended - answer.due) for answer in answers], n=1000)
    p50, p99, p999 = (cuts[number] for number in (499, 989, 998))
    print(f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, p99.9 {p999:.1f} ms; statuses {dict(statuses)}")
    print(f"the import ended with {imported}", *wrong[:20], sep="\n")
    if statuses.keys() - {200, 404} or wrong or imported:
        sys.exit(1)


if __name__ == "__main__":
    main()
