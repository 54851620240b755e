"""Redis, where `CACHE_URL` names one: a help that nothing depends on.

Whoever uses it says what to do without. A call waits a tenth of a second at most, and after one that failed nobody
tries for some seconds, so a Redis that is gone, frozen or full costs the service next to nothing.
"""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings

# Its library takes seven megabytes, so only those processes load it that have a Redis.
if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)

WAIT_S = 0.1
"""For a connection, and for an answer."""

PAUSE_S = 5.0
"""How long a Redis that failed is left alone."""

T = TypeVar("T")


class _State:
    away_until = 0.0


@cache
def client() -> "redis.Redis":
    """The client of this process, with its pool of connections. Connects at the first command."""
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
    """What Redis answers; None without a Redis, or with one that does not answer now.

    question: one command or script; it may be sent twice, when the connection turns out to have been closed.
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


def forget() -> None:
    """Try again at the next question, with new connections."""
    _State.away_until = 0.0
    client.cache_clear()
