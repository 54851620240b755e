"""Configuration of gunicorn, for `make run` and production. The command line adds address and workers."""

import ctypes
import gc
import logging
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from gunicorn import util
from gunicorn.http import message

from fueldepot.environment import PROMETHEUS_DIR, read_bool

worker_class = "gthread"
threads = 4
keepalive = 5
# Workers notice the death of the master within half of this.
timeout = 30
# Long enough for the API to answer an over-long parameter with its own error body.
limit_request_line = message.MAX_REQUEST_LINE = 65_536
# Accept raw UTF-8 in a query, as sent by `curl` and scripts: gunicorn would answer with a page of its own. Blanks and
# control characters stay refused.
message.RFC9112_TARGET_INVALID = re.compile(r"[\x00-\x20\x7f]")
# In a path, too: gunicorn would encode its bytes, which it has read as Latin-1, once more.
util.unquote_to_wsgi_str = lambda path: unquote_to_bytes(path.encode("latin-1")).decode("latin-1")
preload_app = True
# TRUSTED_PROXIES alone decides whose forwarded headers are trusted.
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""
# The control socket would be in the home directory and shared by all instances.
control_socket_disable = True
# Keep queries with incomes and places out of the logs.
logger_class = "fueldepot.http.request_log.QueryFreeLogger"

# glibc's malloc.h. M_MMAP_THRESHOLD: allocations from this size are returned to the system at once. By default it grows
# with the largest allocation, and building snapshots would leave twenty megabytes in every worker. M_ARENA_MAX: one
# arena for all threads, which rarely allocate at once; otherwise every thread keeps free memory of its own.
M_MMAP_THRESHOLD, LARGE_BYTES = -3, 128 * 1024
M_ARENA_MAX = -8
with suppress(AttributeError):
    libc = ctypes.CDLL(None)
    libc.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
    libc.mallopt(M_ARENA_MAX, 1)

# Snapshots are rebuilt in a thread of the worker. Other threads get the GIL after half a millisecond instead of five: a
# request waits for it several times, after each read and write of its socket.
sys.setswitchinterval(0.0005)

# No line of the log names a thread or a place in the code, so none is looked up: "Optimization" of Python's Logging
# HOWTO. The process stays, for gunicorn's lines to a syslog.
logging._srcfile = None
logging.logThreads = logging.logMultiprocessing = False


COUNTS = "fueldepot-metrics-"
# prometheus-client reads this at import. This file is executed again at every HUP.
if read_bool("METRICS") and PROMETHEUS_DIR not in os.environ:
    os.environ[PROMETHEUS_DIR] = tempfile.mkdtemp(prefix=COUNTS)


def post_worker_init(worker: Any) -> None:
    """Start the threads of a worker: current snapshots, letters, and the embedded database of `make run`.

    In every worker: threads do not survive a fork.
    """
    from catalog.submissions import letters
    from fueldepot.data import snapshot
    from fueldepot.local import embedded

    snapshot.store.start_polling()
    letters.start()
    embedded.keep_running()


def post_fork(server: Any, worker: Any) -> None:
    """Tell a worker their number. Running workers learn of a change when they are restarted (HUP)."""
    from fueldepot.http import rate_limit

    rate_limit.worker_count = server.num_workers


def on_starting(server: Any) -> None:
    """Build the snapshots and draw the country before the workers are forked, so that they share the memory.

    Nothing listens yet: a proxy asks another machine instead of waiting for seconds. Templates are compiled here as
    well. The release is that of the loaded code, also for workers that start once its files are replaced.
    """
    from django.db import connections

    from fueldepot.checks import refuse_unfit_database
    from fueldepot.data import snapshot
    from fueldepot.http.cache_control import version_and_release
    from pages import rendering
    from pages.svg import cached_maps
    from subsidy import rules

    version_and_release()
    rules.current()
    rendering.warm_up()
    refuse_unfit_database()
    snapshot.refresh()
    cached_maps.warm_up()
    connections.close_all()
    # Objects so far live as long as the process: collecting them would cost time and unshare memory.
    gc.collect()
    gc.freeze()


def child_exit(server: Any, worker: Any) -> None:
    from django.conf import settings

    if settings.METRICS_DIR:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid, path=settings.METRICS_DIR)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:
    folder = os.environ.get(PROMETHEUS_DIR, "")
    if Path(folder).name.startswith(COUNTS):
        shutil.rmtree(folder, ignore_errors=True)
