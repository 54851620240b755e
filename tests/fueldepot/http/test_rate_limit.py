"""The rate limit and its headers, with and without Redis."""

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest
from django.test import Client

from fueldepot.http import rate_limit
from fueldepot.http.caller_address import network_of
from fueldepot.http.rate_limit import IPV6_PREFIX, GcraStore, RateLimit, consume, read_limit
from tests.client import try_redis_again
from tests.fueldepot.sharers import eventually, redis_server
from tests.ops.live import Site

PATH = "/api/v1/subsidy?people=2"
A_MINUTE = RateLimit(60, 60)
SLOW = RateLimit(60, 60 * 3600)
"""A token comes back in an hour: a slow machine does not count."""


@pytest.fixture(autouse=True)
def _fresh(settings, monkeypatch):
    """Every test has empty buckets, by a clock that stands still unless the test moves it; Redis has its own clock."""
    monkeypatch.setattr(rate_limit.own_buckets, "clock", Clock())
    settings.CACHE_URL = ""
    settings.RATE_LIMIT = A_MINUTE
    rate_limit.own_buckets.tat.clear()
    try_redis_again()


@pytest.fixture
def caller():
    return Client(REMOTE_ADDR="203.0.113.5")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_what_the_setting_may_not_say():
    for text in ("", "0/min", "60", "60/day", "-1/min", "6 0/min", "60/min ", "٦/min", "99999999/min"):
        with pytest.raises(ValueError, match=r"^.{0,20}$"):
            read_limit(text)


def test_a_burst_then_one_a_second():
    clock = Clock()
    buckets = GcraStore(clock=clock)
    decisions = [buckets.consume("a", A_MINUTE) for _ in range(1000)]
    assert [decision.allowed for decision in decisions] == [True] * 60 + [False] * 940
    assert [decisions[n].full_in_s for n in (0, 59)] == pytest.approx([1, 60])
    assert [decisions[n].left for n in (0, 59)] == [59, 0]
    assert decisions[59].next_in_s == decisions[60].next_in_s == 1
    assert buckets.consume("b", A_MINUTE).allowed
    clock.now += 1  # what was refused has cost nothing
    assert [buckets.consume("a", A_MINUTE).allowed for _ in range(2)] == [True, False]
    clock.now += 3600
    assert buckets.consume("a", A_MINUTE).full_in_s == pytest.approx(1)


def test_memory_is_bounded_and_full_buckets_are_forgotten():
    clock = Clock()
    buckets = GcraStore(most=100, clock=clock)
    for number in range(1000):
        buckets.consume(str(number), A_MINUTE)
    assert (len(buckets.tat), list(buckets.tat)[-1]) == (100, "999")
    clock.now += 120
    for _ in range(100):
        buckets.consume("caller", A_MINUTE)
    assert list(buckets.tat) == ["caller"]


def test_threads_count_exactly():
    buckets = GcraStore(clock=Clock())

    def hammer(_):
        return sum(buckets.consume("a", RateLimit(1000, 3600)).allowed for _ in range(500))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(hammer, range(4))) == 1000


def test_a_bucket_is_of_an_ipv4_address_or_an_ipv6_network():
    key = {
        "203.0.113.5": "203.0.113.5",
        "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
        "2001:db8:1:2::": "2001:db8:1:2::/64",
        "2001:db8:1:3::1": "2001:db8:1:3::/64",
        "::ffff:203.0.113.5": "203.0.113.5",
        "": "",
    }
    assert {address: network_of(address, IPV6_PREFIX) for address in key} == key


@pytest.mark.django_db
def test_headers_on_every_answer(caller):
    for path, status in ((PATH, 200), ("/api/v1/subsidy?people=x", 400), ("/api/v1/nothing", 404)):
        answer = caller.get(path)
        assert (answer.status_code, answer["RateLimit-Policy"]) == (status, '"default";q=60;w=60')
    assert answer["RateLimit"] == '"default";r=57;t=3'
    assert caller.put(PATH)["RateLimit"].startswith('"default";r=56;')
    known = caller.get("/api/v1/locations?q=krak")
    again = caller.get("/api/v1/locations?q=krak", headers={"if-none-match": known["ETag"]})
    assert (again.status_code, again["RateLimit"][:14]) == (304, '"default";r=54')


@pytest.mark.django_db
def test_a_request_over_the_limit_is_answered_429(caller, settings):
    settings.RATE_LIMIT = RateLimit(2, 60)
    answers = [caller.get(PATH) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    # With nothing left, t is the time until the next request.
    assert [answer["RateLimit"] for answer in answers] == [f'"default";r={left};t=30' for left in (1, 0, 0, 0)]
    refused = answers[3]
    assert refused.json()["code"] == "too_many_requests"
    assert (refused["Retry-After"], refused["Cache-Control"]) == ("30", "no-store")
    assert refused["Access-Control-Allow-Origin"] == "*"
    assert Client(REMOTE_ADDR="203.0.113.6").get(PATH).status_code == 200
    forged = {"x-forwarded-for": "198.51.100.1", "forwarded": "for=1.1.1.1"}
    assert caller.get(PATH, headers=forged).status_code == 429
    # Preflight requests are the browser's, and the rest is not the API.
    preflight = {"origin": "https://a.example", "access-control-request-method": "GET"}
    assert caller.options(PATH, headers=preflight).status_code == 204
    assert caller.get("/healthz").status_code == 200
    assert "RateLimit" not in caller.get("/dotacja/")


@pytest.mark.parametrize(
    ("limit", "workers", "each"),
    [(A_MINUTE, 1, 60), (A_MINUTE, 2, 30), (A_MINUTE, 7, 8), (RateLimit(5, 1), 4, 1), (RateLimit(1, 60), 4, 1)],
)
def test_workers_that_count_apart_keep_the_limit_together(limit, workers, each):
    clock, share = Clock(), limit.share(workers)
    assert (share.requests, workers / share.step_s) == (each, pytest.approx(1 / limit.step_s))
    apart = [GcraStore(clock=clock) for _ in range(workers)]
    began, allowed = clock.now, 0
    while clock.now < began + 5 * limit.window_s:
        allowed += sum(one.consume("a", share).allowed for one in apart)
        clock.now += limit.step_s / 3
    at_the_rate = limit.requests * 6  # a whole bucket, and what comes back in five windows
    assert -2 * workers < allowed - at_the_rate <= workers


def test_a_worker_tells_of_its_share_and_of_the_limit_of_all(caller, monkeypatch):
    monkeypatch.setattr(rate_limit, "worker_count", 4)
    answers = [caller.get(PATH) for _ in range(16)]
    assert [answer.status_code for answer in answers] == [200] * 15 + [429]
    assert [answer["RateLimit"] for answer in (answers[0], answers[14])] == ['"default";r=14;t=4', '"default";r=0;t=4']
    assert {answer["RateLimit-Policy"] for answer in answers} == {'"default";q=60;w=60'}
    assert answers[15]["Retry-After"] == "4"


def test_a_redis_that_never_was_is_no_failure_and_without_a_limit_no_header_tells_of_one(caller, settings):
    settings.CACHE_URL = "redis://127.0.0.1:1/0"
    answer = caller.get(PATH)
    assert (answer.status_code, answer["RateLimit"]) == (200, '"default";r=59;t=1')
    settings.RATE_LIMIT = None
    assert "RateLimit" not in caller.get(PATH)


def test_redis_counts_for_all_workers_as_each_counts_alone(redis):
    allowed = []
    for _ in range(8):
        rate_limit.own_buckets.tat.clear()  # what another worker would find
        allowed.append(consume("203.0.113.5", RateLimit(5, 3600)).allowed)
    assert allowed == [True] * 5 + [False] * 3
    (key,) = rate_limit.client().keys()
    assert 3590 < rate_limit.client().pttl(key) / 1000 <= 3600
    memory = GcraStore()
    for limit in (RateLimit(3, 6000), RateLimit(7, 9000), RateLimit(1000, 360_000)):
        for _ in range(10):
            ours, shared = memory.consume(str(limit), limit), consume("a", limit)
            assert (ours.allowed, ours.full_in_s) == (shared.allowed, pytest.approx(shared.full_in_s, abs=60))


def test_rubbish_in_redis_counts_as_nothing(redis):
    for rubbish in ("", "x", "nan", "inf", "-1", "9" * 400):
        rate_limit.client().set(f"fueldepot:rate:60/{SLOW.window_s}:a", rubbish)
        assert consume("a", SLOW).full_in_s == pytest.approx(3600, abs=60), rubbish
        assert consume("a", SLOW).full_in_s == pytest.approx(7200, abs=60), rubbish


@pytest.mark.slow
@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_without_redis_each_worker_counts_and_nobody_waits(redis, fault, monkeypatch):
    monkeypatch.setattr(rate_limit, "PAUSE_S", 0.5)
    monkeypatch.setattr(rate_limit, "WAIT_S", wait_s := 0.1)
    assert consume("a", A_MINUTE).full_in_s == pytest.approx(1, abs=0.5)
    redis.send_signal(fault)
    began = time.monotonic()
    decisions = [consume("a", A_MINUTE) for _ in range(20)]
    assert time.monotonic() - began < wait_s * len(decisions)
    assert all(decision.allowed for decision in decisions)
    assert decisions[-1].full_in_s == pytest.approx(20, abs=2)
    if fault == signal.SIGSTOP:
        redis.send_signal(signal.SIGCONT)
        # It is asked again by itself, and still knows what it counted.
        assert eventually(lambda: consume("a", A_MINUTE).full_in_s < 10)


APART = pytest.param("4 workers", marks=pytest.mark.release)


@pytest.fixture(scope="module", params=["2 workers", APART, "4 workers and Redis"])
def limited(request, tmp_path_factory):
    """A service with a limit of 60 a minute, what of a burst a worker allows, and the same without Redis."""
    workers, together = int(request.param[0]), "Redis" in request.param
    root = tmp_path_factory.mktemp("limited")
    with ExitStack() as stack:
        address = stack.enter_context(redis_server(root))[0] if together else ""
        site = Site(root, RATE_LIMIT="60/min", CACHE_URL=address, workers=workers)
        yield stack.enter_context(site.running()), 60 if together else 60 // workers, 60 // workers


def client_at(site, address, *, keep=True):
    """A client at an address. keep: that asks over one connection."""
    limits = httpx2.Limits(max_keepalive_connections=int(keep))
    transport = httpx2.HTTPTransport(local_address=address, limits=limits)
    return httpx2.Client(base_url=site.url, transport=transport, timeout=20)


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False])
def test_workers_keep_one_limit(limited, keep):
    site, share, own = limited
    began = time.monotonic()
    callers = 1 if keep else 8

    def call(_):
        with client_at(site, f"127.0.2.{callers}", keep=keep) as client:
            return [client.get(PATH) for _ in range(160 // callers)]

    with ThreadPoolExecutor(callers) as pool:
        answers = [answer for part in pool.map(call, range(callers)) for answer in part]
    came_back = time.monotonic() - began
    passed = [answer.status_code for answer in answers].count(200)
    # Each worker counts for itself while Redis is late, as on a machine that is busy with other work.
    late = site.log.read_text().count("the shared cache does not answer")
    assert share <= passed <= 60 + came_back + 2 + late * own
    if keep:  # with one worker, which has its share, and its share of what comes back
        assert passed <= share + came_back * share / 60 + 1 + late * own
    for answer in answers:
        assert answer.headers["RateLimit-Policy"] == '"default";q=60;w=60'
        left, wait_s = map(int, re.fullmatch(r'"default";r=(\d+);t=(\d+)', answer.headers["RateLimit"]).groups())
        assert left < share
        assert (answer.status_code == 429) <= (left == 0)
        if answer.status_code == 429:
            assert str(wait_s) == answer.headers["Retry-After"]
            assert 1 <= wait_s <= 60 // (own if late else share) + 1


@pytest.mark.slow
def test_who_waits_as_long_as_told_is_answered(limited):
    site, share, _ = limited
    with client_at(site, "127.0.2.9") as client:
        answers = [client.get(PATH) for _ in range(share)]
        for _ in range(2):
            left, wait_s = map(int, re.findall(r"\d+", answers[-1].headers["RateLimit"]))
            if left == 0:
                time.sleep(wait_s)
            answers.append(client.get(PATH))
    assert {answer.status_code for answer in answers} == {200}
