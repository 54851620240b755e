"""Configuration of gunicorn, for `make run` and for production alike. The command line adds address and workers."""

import ctypes
import gc
import re
from contextlib import suppress
from typing import Any

from gunicorn.http import message

worker_class = "gthread"
threads = 4
keepalive = 5
# A worker whose master was killed notices within half of this.
timeout = 30
# Long enough that an over-long parameter is answered by the API, with its error body, and not by the server.
limit_request_line = message.MAX_REQUEST_LINE = 65_536
# Polish letters in a query as `curl` and scripts send them, in UTF-8 and without percent signs: gunicorn would answer
# with a page of its own. Blanks and control characters stay refused.
message.RFC9112_TARGET_INVALID = re.compile(r"[\x00-\x20\x7f]")
preload_app = True
# Whose word is taken for the caller's address and scheme is decided by TRUSTED_PROXIES alone.
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""
# The control socket would be written into the home directory and shared by every instance.
control_socket_disable = True
# Incomes and places that were asked for stay out of the logs.
logger_class = "fueldepot.access_log.QueryFreeLogger"

# Of glibc, malloc.h: from how many bytes on a piece of memory goes back to the system as soon as it is free. Left alone
# it grows with the largest piece there was, and building snapshots would leave twenty megabytes in every worker.
M_MMAP_THRESHOLD, LARGE_BYTES = -3, 128 * 1024
with suppress(AttributeError):
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)


def post_worker_init(worker: Any) -> None:
    """Keep the snapshots of a worker current, and the embedded database of `make run` alive.

    Threads do both, and those do not survive a fork.
    """
    from fueldepot import embedded
    from fueldepot.data import snapshot

    snapshot.start_polling()
    embedded.watch_keeper()


def post_fork(server: Any, worker: Any) -> None:
    """Tell a worker how many there are. Those that run already learn it when they are started anew (HUP)."""
    from fueldepot import rate_limit

    rate_limit.worker_count = server.num_workers


def on_starting(server: Any) -> None:
    """Build the snapshots and draw the country before the workers are forked, so that they share the memory.

    Nothing listens yet: a proxy asks another machine, where it would else wait for seconds. Templates are compiled here
    as well.
    """
    from django.db import connections

    from fueldepot import templating
    from fueldepot.checks import refuse_unfit_database
    from fueldepot.data import snapshot
    from pages.pictures import territory
    from subsidy import rules

    rules.current()
    templating.prepare()
    refuse_unfit_database()
    snapshot.refresh()
    territory.prepare()
    connections.close_all()
    # What is here now lives as long as the process: looking through it for garbage would cost time and unshare memory.
    gc.collect()
    gc.freeze()
