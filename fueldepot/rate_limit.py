"""At most so many requests of one address to the API: a token bucket, and the headers that tell of it.

The bucket is kept as one number, the moment at which it will be full again (the "generic cell rate algorithm"): every
request moves that moment on by the time of one token, and is refused when it would lie more than the whole window
ahead. Where `CACHE_URL` names a Redis, all workers of all machines share the buckets; without one, or while it does
not answer, every worker process has an equal share of the limit and counts for itself. A caller whose connection stays
with one worker then has that share only: too little rather than N times too much.

Headers: draft-ietf-httpapi-ratelimit-headers, sections 3 and 4. `q` is the size of the bucket, `w` the seconds in which
an empty one fills: the limit of the service. `r` is what is left with the worker that answers, `t` the seconds until
its bucket is full again, or with `r=0` until another request is allowed. Pages are not limited: they are for people,
and a proxy can keep them.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from ipaddress import IPv6Address, ip_network
from math import ceil
from threading import Lock
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from catalog import shared_cache
from fueldepot.errors import is_api, too_many_requests
from fueldepot.proxies import read_address
from fueldepot.rate_limit_setting import Limit

MOST_ADDRESSES = 20_000
"""That a process remembers, a few megabytes. Beyond, the ones that have been quiet longest are forgotten."""

IPV6_PREFIX = 64
"""A household or a machine has a whole network of this size, and could take a new address for every request."""


worker_count = 1
"""Workers of this server, of which each has its share; see `post_fork` in `fueldepot/gunicorn.py`."""


class Verdict(NamedTuple):
    """Whether a request may pass. full_in_s: when the bucket will be full again. limit: size and rate of the bucket."""

    allowed: bool
    full_in_s: float
    limit: Limit

    @property
    def left(self) -> int:
        """How many more requests may pass at once."""
        return max(int((self.limit.window_s - self.full_in_s) / self.limit.step_s + 1e-6), 0)

    @property
    def next_in_s(self) -> int:
        """Whole seconds until another request is allowed for certain; at least 1."""
        return max(ceil(self.full_in_s + self.limit.step_s - self.limit.window_s - 1e-6), 1)


class Buckets:
    """Buckets in the memory of a process, for any number of threads."""

    def __init__(self, most: int = MOST_ADDRESSES, clock: Callable[[], float] = time.monotonic) -> None:
        self.full_at: OrderedDict[str, float] = OrderedDict()
        self.most, self.clock, self.lock = most, clock, Lock()

    def take(self, key: str, limit: Limit) -> Verdict:
        """Take a token out of a bucket, if one is there."""
        with self.lock:
            now = self.clock()
            full_at = max(self.full_at.get(key, now), now)
            if full_at + limit.step_s - now > limit.window_s + 1e-9:
                return Verdict(False, full_at - now, limit)
            self.full_at[key] = full_at + limit.step_s
            self.full_at.move_to_end(key)
            # Two at a time: memory of a wave of addresses goes as fast as it came.
            for _ in range(2):
                oldest = next(iter(self.full_at))
                if len(self.full_at) > self.most or (self.full_at[oldest] <= now and oldest != key):
                    del self.full_at[oldest]
            return Verdict(True, full_at + limit.step_s - now, limit)


TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local step, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local full_at = math.max(tonumber(redis.call('GET', KEYS[1])) or now, now)
-- What nobody here can have written counts as nothing.
if not (full_at <= now + window) then
    full_at = now
end
if full_at + step - now > window then
    return {0, full_at - now}
end
redis.call('SET', KEYS[1], string.format('%.0f', full_at + step), 'PX', math.ceil((full_at + step - now) / 1000))
return {1, full_at + step - now}
"""
"""The same in Redis, in one step and by its clock, in microseconds. The key goes when the bucket is full."""


def take_shared(key: str, limit: Limit) -> Verdict | None:
    """Take a token out of a bucket that all workers share; None where nothing is shared."""
    arguments = (round(limit.step_s * 1e6), round(limit.window_s * 1e6))
    name = f"fueldepot:rate:{limit.requests}/{limit.window_s}:{key}"
    answer: Any = shared_cache.ask(lambda client: client.register_script(TAKE)(keys=[name], args=arguments))
    return None if answer is None else Verdict(bool(answer[0]), answer[1] / 1e6, limit)


def bucket_key(address: str) -> str:
    """What a bucket belongs to: an IPv4 address, or the network of an IPv6 address."""
    if ":" not in address:
        return address
    known = read_address(address)
    if isinstance(known, IPv6Address):
        return str(ip_network((known, IPV6_PREFIX), strict=False).network_address)
    return str(known) if known else address


@cache
def buckets() -> Buckets:
    """The buckets of this process."""
    return Buckets()


def take(address: str, limit: Limit) -> Verdict:
    """Take a token for a request of an address: of the bucket that all share, or of this worker's."""
    key = bucket_key(address)
    shared = take_shared(key, limit) if settings.CACHE_URL else None
    return shared or buckets().take(key, limit.share(worker_count))


def limit_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Count requests to the API, tell callers what is left, and answer 429 when nothing is."""

    def answer(request: HttpRequest) -> HttpResponse:
        limit: Limit | None = settings.RATE_LIMIT
        if limit is None or not is_api(request):
            return get_response(request)
        verdict = take(request.META.get("REMOTE_ADDR", ""), limit)
        response = get_response(request) if verdict.allowed else too_many_requests(request, verdict.next_in_s)
        wait_s = ceil(verdict.full_in_s - 1e-6) if verdict.left else verdict.next_in_s
        response["RateLimit-Policy"] = f'"default";q={limit.requests};w={limit.window_s}'
        response["RateLimit"] = f'"default";r={verdict.left};t={wait_s}'
        return response

    return answer
