"""Who calls the service: one at a time, or several all the time, with every failure and every validator noted."""

import hashlib
import itertools
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.cookiejar import DefaultCookiePolicy

import httpx2

from catalog.submissions.limits import MIN_FILL
from tests.fueldepot.sharers import eventually
from tests.ops.live import Answer, answer_to
from tests.ops.machines.servers import Nginx

HOST = "sklady.example.pl"
SITE_URL = f"https://{HOST}"
WAIT_S = 30.0
SETTLED, SETTLED_S = 60, 3.0
"""Answers and seconds after which nginx has tried a machine again: longer than fail_timeout of docs/deployment."""

TLS = httpx2.create_ssl_context(verify=False)
"""The certificate of these tests is signed by itself, so it cannot be verified."""


class Caller:
    """Somebody with an address, a connection for every request, and the cookies that he was given.

    direct: calls one gunicorn, past the proxy but as if by it.
    """

    def __init__(self, port: int, address: str = "127.0.0.1", *, direct: bool = False) -> None:
        headers = {"Host": HOST, "Referer": f"{SITE_URL}/", "Accept-Encoding": "identity"}
        if direct:
            headers["X-Forwarded-Proto"] = "https"
        limits = httpx2.Limits(max_keepalive_connections=0)
        transport = httpx2.HTTPTransport(verify=TLS, local_address=address, limits=limits)
        url = f"{'http' if direct else 'https'}://127.0.0.1:{port}"
        self.client = httpx2.Client(base_url=url, headers=headers, transport=transport, timeout=WAIT_S)
        self.client.cookies.jar.set_policy(DefaultCookiePolicy(secure_protocols=("http", "https")))

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        return answer_to(self.client.request, method, path, data=form, headers=headers)

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, form: dict[str, str]) -> Answer:
        """Send a form as a browser does, with the token of the site."""
        return self.ask("POST", path, {**form, "csrfmiddlewaretoken": self.client.cookies.get("csrftoken", "")})


def ask(
    server: Nginx,
    path: str,
    address: str = "127.0.0.1",
    method: str = "GET",
    form: dict[str, str] | None = None,
    **headers: str,
) -> Answer:
    """The answer to a caller who comes once."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return Caller(server.port, address).ask(method, path, form, **headers)


class PriceReport:
    """A reader's price, filled in and not yet sent. number: of the reader, who has an e-mail address of his own."""

    def __init__(self, caller: Caller, number: int, depot: int) -> None:
        self.path = f"/sklad/{depot}/cena/"
        self.caller = caller
        shown = self.caller.get(self.path)
        assert shown.status == 200, shown
        written = dict(re.findall(r'name="(stamp|day)" value="([^"]+)"', shown.body))
        assert written.keys() == {"stamp", "day"}
        self.form = {"price-pellet": "1650", "email": f"czytelnik{number}@poczta.pl", **written}

    def send(self) -> Answer:
        """302 when it was taken."""
        return self.caller.post(self.path, self.form)

    def send_until_taken(self, limit_s: float) -> list[int]:
        """Send it again and again. Returns the statuses, the last one 302."""
        statuses: list[int] = []
        taken = eventually(lambda: statuses.append(self.send().status) or statuses[-1] == 302, limit_s)
        assert taken, f"it was not taken within {limit_s} s: {Counter(statuses)}"
        return statuses


def fill_in(caller_at: Callable[[str], Caller], network: str, depots: Iterable[int]) -> list[PriceReport]:
    """Reports of readers, each at an address of his own in a network, which need not wait any more to be sent."""
    reports = [PriceReport(caller_at(f"{network}.{number}"), number, depot) for number, depot in enumerate(depots, 1)]
    time.sleep(MIN_FILL.total_seconds() + 0.2)
    return reports


class Busy:
    """Those who do something all the time, each in a thread, while a block runs; each stops when `stop` is set."""

    def __init__(self, *acts: Callable[[], None]) -> None:
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=act) for act in acts]

    @contextmanager
    def running(self) -> Iterator[None]:
        for thread in self.threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in self.threads:
                thread.join()


class Load(Busy):
    """Callers who read all the time: half of it what nobody has asked before. No request may fail, whatever happens.

    answers: with their addresses. bodies: by address and validator, the digests of what came under it.
    """

    def __init__(self, port: int, paths: list[str], callers: int) -> None:
        self.answers: list[tuple[str, Answer]] = []
        self.bodies: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.numbers = itertools.count(1)
        each = [Caller(port, f"127.0.2.{number + 1}") for number in range(callers)]
        super().__init__(*(partial(self.read, caller, paths[at:] + paths) for at, caller in enumerate(each)))

    def read(self, caller: Caller, paths: list[str]) -> None:
        for path, new in itertools.cycle(itertools.product(paths, (True, False))):
            if self.stop.is_set():
                break
            asked = f"{path}{'&' if '?' in path else '?'}_={next(self.numbers)}" if new else path
            answer = caller.get(asked)
            self.answers.append((path, answer._replace(body=answer.body[:200])))
            if not new and answer.status == 200:
                self.bodies[path, answer.headers["ETag"]].add(hashlib.sha256(answer.body.encode()).hexdigest())

    def go_through(self, phase: str, event: Callable[[], object], *, cuts: bool = False) -> None:
        """Let something happen, and go on for some seconds and some answers after it. No read may fail.

        cuts: a gunicorn is killed, which may break off the answer that it is sending to a caller: what he has got of it
        nginx cannot take back and ask another machine for.
        """
        first = len(self.answers)
        event()
        ended = time.monotonic()
        settled = eventually(lambda: len(self.answers) - first > SETTLED and time.monotonic() > ended + SETTLED_S)
        assert settled, f"{phase}: the callers get no answers"
        lost = [
            (path, answer.status, answer.began - ended, answer.ended - ended, answer.body)
            for path, answer in self.answers[first:]
            if answer.status != 200
        ]
        assert len(lost) <= cuts * len(self.threads), f"{phase}: {len(lost)} failed reads: {lost[:5]}"
        assert all(status == 0 for _, status, *_ in lost), f"{phase}: {lost}"

    def figures(self) -> dict[str, object]:
        """Statuses, and how long anybody waited for an answer."""
        longest_s = max(answer.took_s for _, answer in self.answers)
        return {"read": Counter(answer.status for _, answer in self.answers), "longest wait": round(longest_s, 2)}
