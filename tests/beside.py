"""What others do at the same moment: threads with connections of their own, and acts just before rows are locked."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connection, connections


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
