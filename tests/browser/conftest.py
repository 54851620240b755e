"""Chromium with a real service and starter data; skipped where either is missing."""

import json
import re
import shutil
import urllib.parse
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.fueldepot.sharers import eventually, output_of, run_python
from tests.ops.live import Site

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The shell renders as Chromium does, without its windows, for a third of the processor time."""
QUIET = ["--no-sandbox", "--no-first-run"]
QUIET += [f"--disable-{what}" for what in ("gpu", "background-networking", "component-update", "sync")]


CASES = """
import json
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone
from catalog.admin.evidence import find_neighbours
from catalog.models import Depot, Draft
from regulations.models import Deadline
from tests import factories

now = timezone.now()
published = Depot.objects.published().order_by("pk")
in_krakow = published.filter(municipality="1261011")

def submit(depot, email, **values):
    when = dict.fromkeys(["created_at", "mailed_at", "confirmed_at"], now)
    return factories.SubmissionFactory(depot=depot, email=email, **when, **values).pk

for depot in published.reverse()[:2]:
    phone = {"proposed": {"phone": "+48 600 000 001"}, "stored": {"phone": depot.phone}}
    submit(depot, f"jan@opal{depot.pk}.pl", message="Z tabliczki. " * 60, **phone)
    factories.DepotPriceFactory(depot=depot, day=now.date(), submitted_at=now, pending=True)
for deadline in Deadline.objects.order_by("pk")[:2]:
    Draft.objects.create(
        content_type=ContentType.objects.get_for_model(Deadline), object_id=deadline.pk, title="termin", deletion=True,
        state="waiting", reason="Uchylony.", drafted_at=now, drafted_by=User.objects.first(),
    )
depot = published.first()
stored = {"name": depot.name, "street": depot.street}
proposed = {"name": "Ąę" * 90, "street": "Morawskiego"}
long = submit(depot, "dlugi@opal.pl", proposed=proposed, stored=stored, message="Z tabliczki. " * 40)
depot = in_krakow.first()
place = {"lat": depot.lat, "lon": depot.lon, "location_approximate": True, "municipality": "1261011"}
stored = place | {"name": depot.name}
moved = stored | {"name": "Skład" * 40, "lat": depot.lat + 0.002, "location_approximate": False}
print(json.dumps({
    "long": long,
    "moved": submit(depot, "jan@opal.pl", proposed=moved, stored=stored),
    "depot": depot.pk,
    "with a neighbour": next(depot.pk for depot in in_krakow if find_neighbours(depot)),
    "account": User.objects.create_user("nowa").pk,
}))
"""
"""Makes two of each case, a correction with long words, and one that moves a depot; then a new account."""


class Service(Site):
    """The service with the starter data, and letters in a folder."""

    def __init__(self, root: Path) -> None:
        self.letters = root / "letters"
        self.letters.mkdir()
        super().__init__(root, starter=True, EMAIL_URL=f"filemail://{self.letters}")

        self.opened: set[str] = set()

    def link(self, page: str = "potwierdz") -> str:
        """The newest address of a page in the letters that was not returned before; letters leave after the answer."""
        pattern = re.compile(rf"{re.escape(self.url)}/zgloszenia/{page}/\?(?:odnosnik|znak)=[\w:.-]+")

        def new() -> list[str]:
            files = sorted(self.letters.iterdir(), key=lambda file: file.stat().st_mtime)
            links = pattern.findall("".join(file.read_text() for file in files))
            return [link for link in links if link not in self.opened]

        assert eventually(lambda: bool(new())), f"no letter with a new link to {page}"
        link = new()[-1]
        self.opened.add(link)
        return link

    def manage(self, *command: str) -> str:
        """A command of manage.py on its database. Returns what it printed."""
        return output_of(run_python("manage.py", *command, DATABASE_URL=self.database_url))

    @cached_property
    def editor(self) -> dict[str, str]:
        """What a chief editor types to log in."""
        return dict(re.findall(r"(login|password): +(\S+)", self.manage("create_editor")))

    def enter(self, page: Any) -> None:
        """Log the editor in on the page that asks for it."""
        page.locator("[name=username]").fill(self.editor["login"])
        page.locator("[name=password]").fill(self.editor["password"])
        page.locator("#login-form [type=submit]").click()

    def read(self, path: str) -> Any:
        """The JSON of an address."""
        return json.loads(self.get(path).body)

    @cached_property
    def cases(self) -> dict[str, int]:
        """Numbers of rows that the desk decides about, by what they are; see CASES."""
        return json.loads(self.manage("shell", "-v0", "-c", CASES))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; on Debian: apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all tests; started only where there is a browser."""
    with Service(tmp_path_factory.mktemp("service")).running() as site:
        yield site


@pytest.fixture
def open_window(chromium: Any, site: Service) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a window. It takes options of playwright, and statuses that may be answered.

    Errors and warnings of the console, of scripts too, and requests to other machines fail the test.
    """
    host, wrong, contexts = urllib.parse.urlsplit(site.url).netloc, [], []

    def note_request(request: Any) -> None:
        parts = urllib.parse.urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != host:
            wrong.append(f"asked another machine: {request.url}")

    def open_one(refused: Collection[int] = (), **options: Any) -> Any:
        def note_message(message: Any) -> None:
            expected = any(f"status of {status} " in message.text for status in refused)
            if message.type in {"error", "warning"} and not expected:
                wrong.append(f"console: {message.text} ({message.location['url']})")

        context = chromium.new_context(**({"base_url": site.url, "locale": "pl-PL"} | options))
        contexts.append(context)
        context.on("request", note_request)
        context.on("console", note_message)
        context.on("weberror", lambda error: wrong.append(f"script failed: {error.error}"))
        return context.new_page()

    yield open_one
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(open_window: Any) -> Any:
    """A window as wide as a phone's."""
    return open_window(viewport={"width": 390, "height": 844})


@pytest.fixture
def log_in(open_window: Any, site: Service) -> Callable[..., Any]:
    """Return a function that opens a window with a login, as `open_window` does."""

    def open_desk(**options: Any) -> Any:
        desk = open_window(viewport={"width": 1280, "height": 900}, **options)
        desk.goto("/admin/")
        site.enter(desk)
        desk.locator("#content-main").wait_for()
        desk.wait_for_load_state()
        return desk

    return open_desk


@pytest.fixture
def desk(log_in: Callable[..., Any]) -> Any:
    return log_in()
