"""Measure every endpoint beside a bare Django view, turn by turn in one run, with the same clients.

The bare view is Django alone, without any middleware, in as many workers of the same class: what a request costs at
least.

    python -m tests.bench [--seconds 2] [--rounds 3] [--only NAME]

Serves the catalog of `make run`, which gets the starter data where it is empty. Figures are medians of the rounds; read
the ratios, not the absolute numbers, since the generator shares the machine with the server.
"""

import argparse
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from fueldepot import local
from fueldepot.local.serve import prepare_site
from tests import ROOT
from tests.bench.load import ask, in_turn, measure, show, show_headings
from tests.fueldepot.sharers import children_of, eventually, listens
from tests.ports import free_port

SMALLEST = "tests.bench.smallest"
FRAGMENTS = (
    *("lodz", "krak", "nowy targ", "bielsko biala", "30-0", "zakop"),
    *("wa", "sto", "grod", "34-500", "pozn", "brzez"),
)

UNCHANGED = "/api/v1/stores?teryt=1261011"
"""Endpoints measured with a validator."""

HOUSEHOLDS = (
    "people=4&income=2000&eu=3&new_source=pellet_boiler&central_heating_dhw=1&walls=150&cost_walls=45000&audit=1",
    "people=2&income=1000&walls=120,5&windows=18&doors=2",
    "annual_income=100000&eu=2&new_source=heat_pump_ground&cost_heat_pump_ground=50000",
    "benefit=1&eu=3&current_heating=other&ceiling=90&ventilation=1",
)


@contextmanager
def served(
    application: str, *options: str, code: Path = ROOT, log: int | IO[bytes] = subprocess.DEVNULL, **settings: str
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Port and process of gunicorn with an application of a checkout, in the configuration that `make run` uses."""
    port, python = free_port(), code / ".venv/bin/python" if code != ROOT else sys.executable
    command = [python, "-m", "gunicorn", application, f"--bind=127.0.0.1:{port}", "--workers=2"]
    hook = [] if application == SMALLEST else ["--config=fueldepot/gunicorn.py"]
    same = ["--worker-class=gthread", "--threads=4", "--keep-alive=5", "--preload", "--no-control-socket"]
    how = {"cwd": code, "env": os.environ | {"RATE_LIMIT": "off"} | settings, "stdout": log, "stderr": log}
    # The log is written as in production, so that the rate includes its cost.
    with subprocess.Popen([*command, *hook, *same, *options], **how) as server:
        try:
            assert eventually(lambda: server.poll() is not None or listens(port))
            yield port, server
        finally:
            server.terminate()


def memory_mb(pid: int) -> list[tuple[float, float]]:
    """Resident and private memory of each worker, in MB; the embedded server is none."""
    memory = []
    for process in (Path(f"/proc/{child}") for child in children_of(pid)):
        if (process / "comm").read_text() != "postgres\n":
            rollup = (process / "smaps_rollup").read_text()
            values = {line.split(":")[0]: int(line.split()[1]) for line in rollup.splitlines()[1:]}
            memory.append((values["Rss"] / 1024, (values["Private_Clean"] + values["Private_Dirty"]) / 1024))
    return memory


def prepare() -> None:
    """Set up Django on the catalog of `make run`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fueldepot.settings")
    local.prepare()
    prepare_site("")


def questions() -> dict[str, list[str]]:
    """Return the paths per endpoint, drawn from the catalog, the same in every run."""
    from django.db import connections

    from catalog.depots.fuels import BY_SLUG
    from catalog.links import municipality_path
    from catalog.models import Depot, Municipality

    draw = random.Random(20261121)  # noqa: S311 - repeatable, not secret
    depots = list(Depot.objects.published().order_by("pk").values_list("pk", "lat", "lon"))
    chosen = draw.sample(depots, min(2_000, len(depots)))
    points = [(lat + draw.uniform(-0.05, 0.05), lon + draw.uniform(-0.05, 0.05)) for _, lat, lon in chosen]
    near = [f"/api/v1/stores?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in points]
    chosen_units = draw.sample(list(Municipality.objects.order_by("pk").values_list("pk", flat=True)), 100)
    units = Municipality.objects.filter(pk__in=chosen_units).values_list("voivodeship__slug", "slug", "teryt")
    units = list(units.order_by("pk"))
    connections.close_all()
    # Points that lie in the country for certain: on its depots, and a step of some metres aside.
    inland = [(lat + draw.uniform(-1e-4, 1e-4), lon + draw.uniform(-1e-4, 1e-4)) for _, lat, lon in chosen]
    return {
        "/locate": [f"/api/v1/locate?lat={lat:.5f}&lon={lon:.5f}" for lat, lon in inland],
        "/locations": [f"/api/v1/locations?q={text.replace(' ', '+')}" for text in FRAGMENTS],
        "/stores near, 20": near,
        "/stores near, 100": [f"{path}&radius=50&limit=100" for path in near],
        "/stores by unit, 20": [f"/api/v1/stores?teryt={code:02}" for code in range(2, 33, 2)],
        "/stores/{id}": [f"/api/v1/stores/{pk}" for pk, _, _ in chosen],
        "/subsidy": [f"/api/v1/subsidy?{query}" for query in HOUSEHOLDS],
        "/regulations": [f"/api/v1/regulations?voivodeship={code:02}" for code in range(2, 33, 2)],
        "/regulations of voivodeships": [f"/api/v1/regulations?teryt={code:02}" for code in range(2, 33, 2)],
        "/regulations of municipalities": [f"/api/v1/regulations?teryt={teryt}" for _, _, teryt in units],
        "municipality page": [municipality_path(*row) for row in units],
        "/prices": ["/api/v1/prices"],
        "/prices/{fuel}": [f"/api/v1/prices/{slug}" for slug in BY_SLUG],
        "/prices by voivodeship": [f"/api/v1/prices/pellet?voivodeship={code:02}" for code in range(2, 33, 2)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="measure endpoints whose name contains this")
    options = parser.parse_args()
    prepare()
    every = questions()
    asked = {name: paths for name, paths in every.items() if options.only in name}
    if not asked:
        parser.error(f"--only {options.only}: no such endpoint; there are: {'; '.join(every)}")
    with served(SMALLEST) as (bare_port, _), served("fueldepot.wsgi") as (port, server):
        measure(port, [path for paths in asked.values() for path in paths], seconds=2)
        show_headings()
        bare_view = partial(measure, bare_port, ["/bare"], seconds=options.seconds)
        known = re.search(rb"\r\nETag: (.*)\r\n", ask(port, UNCHANGED))[1].decode()
        kinds = [
            (f"{name}{again}", paths, {"new": not again}) for name, paths in asked.items() for again in ("", ", again")
        ]
        for name, paths, kind in [*kinds, ("304", [UNCHANGED], {"known": known})]:
            # What a process makes once for each state of the data is made by then.
            measure(port, paths, seconds=0.5, new=True)
            view = partial(measure, port, paths, seconds=options.seconds, **kind)
            bare, rounds = in_turn([bare_view, view], options.rounds)
            show(name, rounds, bare)
        show("bare view", bare, bare)
        for rss, private in memory_mb(server.pid):
            print(f"worker: {rss:.0f} MB resident, {private:.0f} MB of it private")


if __name__ == "__main__":
    main()
