"""Scratch databases of the benchmarks: few rows and many, what a change costs in each, and how fast it is served."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

from tests.bench.__main__ import SMALLEST, served
from tests.bench.load import Measured, in_turn, measure, show, show_headings
from tests.ops.databases import fresh_database, url


@contextmanager
def scratch(*purposes: str) -> Iterator[list[str]]:
    """Addresses of databases with the starter data, which are removed in the end."""
    from django.core.management import call_command

    with ExitStack() as stack:
        starter = stack.enter_context(fresh_database("bench_starter"))
        use(url(starter))
        call_command("migrate", verbosity=0)
        call_command("load_starter", stdout=StringIO())
        settle()
        yield [url(stack.enter_context(fresh_database(purpose, template=starter))) for purpose in purposes]


def use(address: str) -> None:
    """Point Django and the servers started from here to a database."""
    from django.conf import settings
    from django.db import connections

    connections.close_all()
    os.environ["DATABASE_URL"] = address
    settings.DATABASES["default"]["NAME"] = connections["default"].settings_dict["NAME"] = urlsplit(address).path[1:]


def settle() -> None:
    """Run VACUUM ANALYZE, which the server would run within minutes, and close the connection."""
    from django.db import connection, connections

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    connections.close_all()


def multiply(model: Any, dataset: str, times: int, **changes: str) -> None:
    """Give every row `times` - 1 copies, the same in every run. changes: columns of the copy `n` of the row `d`."""
    from django.db import connection, transaction

    from catalog.models import Dataset

    table = model._meta.db_table
    fields = [field for field in model._meta.concrete_fields if not (field.primary_key or field.generated)]
    columns = ", ".join(field.column for field in fields)
    values = ", ".join(changes.get(field.column, f"d.{field.column}") for field in fields)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.20261121)")
        cursor.execute(
            f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} d "  # noqa: S608 - names of columns
            f"CROSS JOIN generate_series(1, {times - 1}) n ON CONFLICT DO NOTHING"
        )
        Dataset.objects.bump_version(Dataset.Slug(dataset))
    settle()


def rebuilding_ms(dataset: str, change: Callable[[int], object] = lambda number: None) -> float:
    """Return the median of milliseconds to rebuild the snapshots after a change of a data set."""
    from django.db import connections

    from catalog.models import Dataset
    from fueldepot.data import snapshot

    snapshot.invalidate()
    snapshot.refresh()
    took = []
    for number in range(5):
        change(number)
        Dataset.objects.bump_version(Dataset.Slug(dataset))
        before = time.perf_counter()
        snapshot.refresh()
        took.append((time.perf_counter() - before) * 1000)
    connections.close_all()
    return statistics.median(took)


def compare(ports: dict[str, int], paths: Sequence[str], *, rounds: int, seconds: float) -> list[list[Measured]]:
    """Measure services by name, turn by turn beside the bare view, and print their figures. Returns the rounds."""
    for port in ports.values():
        measure(port, paths, seconds=max(seconds, 2), new=True)  # what is worked out once for each state
    with served(SMALLEST) as (bare_port, _):
        views = [partial(measure, port, paths, seconds=seconds, new=True) for port in ports.values()]
        bare, *measured = in_turn([partial(measure, bare_port, ["/bare"], seconds=seconds), *views], rounds)
    show_headings()
    for name, found in zip(ports, measured, strict=True):
        show(name, found, bare)
    return measured
