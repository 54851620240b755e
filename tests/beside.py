"""What others do at the same moment: threads with connections of their own, and acts just before rows are locked."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from django.db import connection, connections, transaction

BLOCKED = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def beside(act):
    """Begin an act in a thread with a connection of its own, as another process would. Returns its future."""

    def work():
        try:
            return act()
        finally:
            connections.close_all()

    return ThreadPoolExecutor(1).submit(work)


def at_once(*acts):
    """Run acts together. Returns what each returned, or the name of what it raised."""
    barrier = threading.Barrier(len(acts))

    def run(act):
        barrier.wait(30)
        return act()

    begun = [beside(partial(run, act)) for act in acts]
    return [type(error).__name__ if (error := each.exception(60)) else each.result() for each in begun]


def before_locking(act):
    """A context in which the first statement that locks rows comes after an act of somebody else."""
    found = []

    def note(execute, sql, *args):
        if not found and "UPDATE OF" in sql:
            found.append(sql)
            act()
        return execute(sql, *args)

    return connection.execute_wrapper(note)


def begin_blocked(*acts):
    """Begin acts in other connections and wait until locks held here block them all. Returns their futures."""
    begun, waiting, deadline = [beside(act) for act in acts], 0, time.monotonic() + 30
    with connection.cursor() as cursor:
        while waiting < len(acts) and not any(act.done() for act in begun) and time.monotonic() < deadline:
            cursor.execute(BLOCKED)
            (waiting,) = cursor.fetchone()
    assert waiting == len(acts)
    return begun


@contextmanager
def held_up(rows, act):
    """While these rows are locked here, another connection runs into them and waits."""
    with transaction.atomic():
        list(rows.select_for_update(of=("self",)))
        (begun,) = begin_blocked(act)
        yield
    begun.result(30)


def lockable(act, held, rows):
    """Return the ids of `rows`, locked while `act` waits for the rows `held`; fails if one of them is locked."""
    with held_up(held, act):
        return list(rows.select_for_update(of=("self",), nowait=True).order_by("pk").values_list("pk", flat=True))
