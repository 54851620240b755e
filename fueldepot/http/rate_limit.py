"""Rate limit of the API and of logins by address: a token bucket, and its response headers.

A bucket is stored as one number, the theoretical arrival time (generic cell rate algorithm): the moment at which it
will be full. Every request moves it on by the time of one token, and is refused if it would be more than the window
ahead. If `CACHE_URL` names a Redis, all workers of all machines share the buckets; without it, or while it is away,
every worker has an equal share of the limit and counts separately. A caller whose connection stays with one worker then
has that share only: too little rather than N times too much. A call of Redis waits at most `WAIT_S`, and after a
failure it is not used for `PAUSE_S`, so a missing, frozen or full Redis costs next to nothing.

Headers: draft-ietf-httpapi-ratelimit-headers, sections 3 and 4. `q` is the size of the bucket, `w` the seconds in which
an empty one fills: the limit of the service. `r` is the rest with the worker that answers, `t` the seconds until its
bucket is full, or with `r=0` until another request is allowed. Pages are not limited: they are for people, and a proxy
can cache them.
"""

import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from fueldepot.http.caller_address import network_of
from fueldepot.http.error_body import is_api, too_many_requests

if TYPE_CHECKING:
    import redis

logger = logging.getLogger("fueldepot.http.shared_cache")

MOST_ADDRESSES = 20_000
"""Addresses kept by a process, a few megabytes. Beyond, the least recently active are dropped."""

IPV6_PREFIX = 64
"""A customer has a whole network of this size, and could use another address for every request."""

WAIT_S = 0.1
"""Timeout of connections to Redis, and of its responses."""

PAUSE_S = 5.0
"""Pause after a failure of Redis."""

WINDOWS_S = {"sec": 1, "min": 60, "hour": 3600}

worker_count = 1
"""Number of workers that share the limit; see `post_fork` in `fueldepot/gunicorn.py`."""


class RateLimit(NamedTuple):
    """Number of requests per window; all of them may come at once."""

    requests: int
    window_s: float

    @property
    def step_s(self) -> float:
        """Seconds until one token returns."""
        return self.window_s / self.requests

    def share(self, workers: int) -> "RateLimit":
        """Return the limit of each of several workers that count separately: together they never exceed the rate.

        A burst is split into equal parts, rounded down, but at least one request each.
        """
        each = max(self.requests // workers, 1)
        return RateLimit(each, each * self.step_s * workers)


LOGINS = RateLimit(20, 60)
"""Attempts to log in: each hashes a password, which keeps a core busy for a quarter of a second."""


def read_limit(text: str) -> RateLimit | None:
    """Parse the setting RATE_LIMIT, such as `60/min`, None for `off`. Raises ValueError."""
    if text == "off":
        return None
    match = re.fullmatch("([1-9][0-9]{0,6})/(sec|min|hour)", text)
    if match is None:
        raise ValueError(text)
    return RateLimit(int(match[1]), WINDOWS_S[match[2]])


class RateDecision(NamedTuple):
    """Decision about a request. full_in_s: time until the bucket is full. limit: size and rate of the bucket."""

    allowed: bool
    full_in_s: float
    limit: RateLimit

    @property
    def left(self) -> int:
        """Number of requests that may follow at once."""
        return max(int((self.limit.window_s - self.full_in_s) / self.limit.step_s + 1e-6), 0)

    @property
    def next_in_s(self) -> int:
        """Whole seconds until another request is certainly allowed; at least 1."""
        return max(ceil(self.full_in_s + self.limit.step_s - self.limit.window_s - 1e-6), 1)


class GcraStore:
    """Buckets in process memory; thread-safe."""

    def __init__(self, most: int = MOST_ADDRESSES, clock: Callable[[], float] = time.monotonic) -> None:
        self.tat: OrderedDict[str, float] = OrderedDict()
        self.most, self.clock, self.lock = most, clock, Lock()

    def consume(self, key: str, limit: RateLimit) -> RateDecision:
        with self.lock:
            now = self.clock()
            tat = max(self.tat.get(key, now), now)
            if tat + limit.step_s - now > limit.window_s + 1e-9:
                return RateDecision(False, tat - now, limit)
            self.tat[key] = tat + limit.step_s
            self.tat.move_to_end(key)
            # Drop two at a time: memory of a wave of addresses is freed as fast as it grew.
            for _ in range(2):
                oldest = next(iter(self.tat))
                if len(self.tat) > self.most or (self.tat[oldest] <= now and oldest != key):
                    del self.tat[oldest]
            return RateDecision(True, tat + limit.step_s - now, limit)


CONSUME = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local step, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local tat = math.max(tonumber(redis.call('GET', KEYS[1])) or now, now)
-- What nobody here can have written counts as nothing.
if not (tat <= now + window) then
    tat = now
end
if tat + step - now > window then
    return {0, tat - now}
end
redis.call('SET', KEYS[1], string.format('%.0f', tat + step), 'PX', math.ceil((tat + step - now) / 1000))
return {1, tat + step - now}
"""
"""The same atomically in Redis, by its clock, in microseconds. The key expires when the bucket is full."""


@cache
def client() -> "redis.Redis":
    """Return the client of this process with its connection pool. Connects at the first command."""
    # The library takes seven megabytes, so only processes with a Redis import it.
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


_redis_away_until = 0.0


def consume_shared(key: str, limit: RateLimit) -> RateDecision | None:
    """Take a token from a bucket shared by all workers; None without a Redis, or if it does not answer now."""
    global _redis_away_until
    if not settings.CACHE_URL or time.monotonic() < _redis_away_until:
        return None
    from redis.exceptions import RedisError

    arguments = (round(limit.step_s * 1e6), round(limit.window_s * 1e6))
    try:
        answer: Any = client().register_script(CONSUME)(keys=[f"fueldepot:rate:{key}"], args=arguments)
    except (RedisError, OSError) as error:
        _redis_away_until = time.monotonic() + PAUSE_S
        logger.warning("the shared cache does not answer (%s); working without it", type(error).__name__)
        return None
    return RateDecision(bool(answer[0]), answer[1] / 1e6, limit)


own_buckets = GcraStore()
"""Of this worker: each has a copy, since it was forked."""


def consume(address: str, limit: RateLimit, of: str = "") -> RateDecision:
    """Take a token for an address: from the shared bucket, or from this worker's. of: what is limited, "" for the API.

    Equal limits of different things have buckets of their own.
    """
    key = f"{of}{limit.requests}/{limit.window_s}:{network_of(address, IPV6_PREFIX)}"
    return consume_shared(key, limit) or own_buckets.consume(key, limit.share(worker_count))


def limit_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Limit requests to the API: set the headers, and answer 429 when no token is left."""

    def answer(request: HttpRequest) -> HttpResponse:
        limit: RateLimit | None = settings.RATE_LIMIT
        if limit is None or not is_api(request):
            return get_response(request)
        decision = consume(request.META.get("REMOTE_ADDR", ""), limit)
        response = get_response(request) if decision.allowed else too_many_requests(decision.next_in_s)
        wait_s = ceil(decision.full_in_s - 1e-6) if decision.left else decision.next_in_s
        response["RateLimit-Policy"] = f'"default";q={limit.requests};w={limit.window_s}'
        response["RateLimit"] = f'"default";r={decision.left};t={wait_s}'
        return response

    return answer
