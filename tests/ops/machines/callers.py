"""Who calls the service: one at a time, or several all the time, with every failure and every validator noted."""

import hashlib
import http.client
import itertools
import re
import ssl
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple
from urllib.parse import urlencode

from tests.ops.machines.servers import Nginx

HOST = "sklady.example.pl"
SITE_URL = f"https://{HOST}"
WAIT_S = 30.0
SETTLED, SETTLED_S = 60, 3.0
"""Answers and seconds after which nginx has tried a machine again: longer than fail_timeout of docs/deployment."""

_tls = ssl.create_default_context()
_tls.check_hostname = False
_tls.verify_mode = ssl.CERT_NONE  # the key was made a moment ago, and nobody vouches for it


class Answer(NamedTuple):
    """status: 0 where the connection failed. began, ended: moments of `time.monotonic`."""

    status: int
    headers: dict[str, str]
    body: str
    began: float
    ended: float


class Caller:
    """Somebody with an address, a connection that stays open, and the cookies that he was given.

    direct: calls one gunicorn, past the proxy but as if by it.
    """

    def __init__(self, port: int, address: str = "127.0.0.1", *, direct: bool = False) -> None:
        self.port, self.address, self.direct = port, address, direct
        self.cookies: dict[str, str] = {}
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        """Ask once; never again by itself."""
        sent = {"Host": HOST, "Referer": f"{SITE_URL}/", **headers}
        if self.direct:
            sent["X-Forwarded-Proto"] = "https"
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if form is not None:
            body = urlencode(form)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        began = time.monotonic()
        try:
            if self._connection is None:
                to = {"host": "127.0.0.1", "port": self.port, "timeout": WAIT_S, "source_address": (self.address, 0)}
                self._connection = (
                    http.client.HTTPConnection(**to) if self.direct else http.client.HTTPSConnection(**to, context=_tls)
                )
            self._connection.request(method, path, body, sent)
            found = self._connection.getresponse()
            text = found.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            self.close()
            return Answer(0, {}, "", began, time.monotonic())
        for cookie in found.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        # A connection that nginx closes after many requests is no failure of the next one.
        if found.headers.get("Connection") == "close":
            self.close()
        headers = {name: ", ".join(found.headers.get_all(name, [])) for name in found.headers}
        return Answer(found.status, headers, text, began, time.monotonic())

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, form: dict[str, str]) -> Answer:
        """Send a form as a browser does, with the token of the site."""
        return self.ask("POST", path, {**form, "csrfmiddlewaretoken": self.cookies.get("csrftoken", "")})

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def ask(server: Nginx, path: str, address: str = "127.0.0.1", method: str = "GET", **headers: str) -> Answer:
    """One answer, over a connection of its own."""
    with closing(Caller(server.port, address)) as caller:
        return caller.ask(method, path, **{name.replace("_", "-"): value for name, value in headers.items()})


class PriceReport:
    """A reader's price, filled in and not yet sent. number: of the reader, who has an e-mail address of his own."""

    def __init__(self, caller: Caller, number: int, depot: int) -> None:
        self.path = f"/sklad/{depot}/cena/"
        self.caller = caller
        shown = self.caller.get(self.path)
        assert shown.status == 200, shown
        stamp = re.search(r'name="stamp" value="([^"]+)"', shown.body)
        day = re.search(r'name="day" value="([^"]+)"', shown.body)
        assert stamp is not None
        assert day is not None
        self.form = {"price-pellet": "1650", "day": day[1], "email": f"czytelnik{number}@poczta.pl", "stamp": stamp[1]}

    def send(self) -> Answer:
        """302 when it was taken. Over a new connection: nginx closes those that were idle for long."""
        self.caller.close()
        return self.caller.post(self.path, self.form)

    def send_until_taken(self, limit_s: float) -> list[int]:
        """Send it again and again. Returns the statuses, the last one 302."""
        statuses: list[int] = []
        deadline = time.monotonic() + limit_s
        while 302 not in statuses:
            assert time.monotonic() < deadline, f"it was not taken within {limit_s} s: {Counter(statuses)}"
            statuses.append(self.send().status)
            time.sleep(0 if statuses[-1] == 302 else 0.02)
        return statuses


class Load:
    """Callers who read all the time: half of it what nobody has asked before. No request may fail, whatever happens.

    answers: with the phase that each began in. bodies: by address and validator, the digests of what came under it.
    """

    def __init__(self, port: int, paths: list[str], callers: int) -> None:
        self.phase = "quiet"
        self.answers: list[tuple[str, str, Answer]] = []
        self.bodies: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.numbers = itertools.count(1)
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._read, args=[Caller(port, f"127.0.2.{number + 1}"), paths[number:] + paths])
            for number in range(callers)
        ]

    def _read(self, caller: Caller, paths: list[str]) -> None:
        for path, new in itertools.cycle(itertools.product(paths, (True, False))):
            if self._stop.is_set():
                break
            phase = self.phase
            asked = f"{path}{'&' if '?' in path else '?'}_={next(self.numbers)}" if new else path
            answer = caller.get(asked)
            self.answers.append((phase, path, answer._replace(body=answer.body[:200])))
            if not new and answer.status == 200:
                self.bodies[path, answer.headers["ETag"]].add(hashlib.sha256(answer.body.encode()).hexdigest())
        caller.close()

    @contextmanager
    def running(self) -> Iterator["Load"]:
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()

    def go_through(self, phase: str, event: Callable[[], object], *, cuts: bool = False) -> None:
        """Let something happen, and go on for some seconds and some answers after it. No read may fail.

        cuts: a gunicorn is killed, which may break off the answer that it is sending to a caller: what he has got of it
        nginx cannot take back and ask another machine for.
        """
        self.phase = phase
        first = len(self.answers)
        event()
        ended = time.monotonic()
        deadline = ended + 60
        while len(self.answers) - first < SETTLED or time.monotonic() < ended + SETTLED_S:
            assert time.monotonic() < deadline, f"{phase}: the callers get no answers"
            time.sleep(0.05)
        lost = [
            (path, answer.status, answer.began - ended, answer.ended - ended, answer.body)
            for _, path, answer in self.answers[first:]
            if answer.status != 200
        ]
        assert len(lost) <= cuts * len(self._threads), f"{phase}: {len(lost)} failed reads: {lost[:5]}"
        assert all(status == 0 for _, status, *_ in lost), f"{phase}: {lost}"

    def counts(self) -> dict[str, Counter[int]]:
        """Statuses by phase, the phases in order."""
        found: dict[str, Counter[int]] = {}
        for phase, _, answer in self.answers:
            found.setdefault(phase, Counter())[answer.status] += 1
        return found

    def longest_s(self) -> dict[str, float]:
        """How long anybody waited for an answer, by phase."""
        found: dict[str, float] = {}
        for phase, _, answer in self.answers:
            found[phase] = max(found.get(phase, 0.0), round(answer.ended - answer.began, 2))
        return found
