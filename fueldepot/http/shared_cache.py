"""Optional Redis, if `CACHE_URL` names one.

Callers have a fallback. A call waits at most `WAIT_S`, and after a failure Redis is not used for `PAUSE_S`, so a
missing, frozen or full Redis costs next to nothing.
"""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings

# The library takes seven megabytes, so only processes with a Redis import it.
if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)

WAIT_S = 0.1
"""Timeout of connections and responses."""

PAUSE_S = 5.0
"""Pause after a failure."""

T = TypeVar("T")


class _State:
    away_until = 0.0


@cache
def client() -> "redis.Redis":
    """Return the client of this process with its connection pool. Connects at the first command."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.Redis.from_url(
        settings.CACHE_URL,
        socket_connect_timeout=WAIT_S,
        socket_timeout=WAIT_S,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )


def ask(question: Callable[["redis.Redis"], T]) -> T | None:
    """Return the answer of Redis; None without a Redis, or if it does not answer now.

    question: one command or script; may be sent twice if the connection turns out to be closed.
    """
    if not settings.CACHE_URL or time.monotonic() < _State.away_until:
        return None
    from redis.exceptions import RedisError

    try:
        return question(client())
    except (RedisError, OSError) as error:
        _State.away_until = time.monotonic() + PAUSE_S
        logger.warning("the shared cache does not answer (%s); working without it", type(error).__name__)
        return None


def invalidate() -> None:
    """Try again at the next call, with new connections."""
    _State.away_until = 0.0
    client.cache_clear()
