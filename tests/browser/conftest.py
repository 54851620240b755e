"""Chromium with a real service and starter data; skipped where either is missing."""

import re
import shutil
import urllib.parse
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.fueldepot.sharers import eventually, run_python
from tests.ops.live import Site

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""The shell renders as Chromium does, without its windows, for a third of the processor time."""
QUIET = ["--no-sandbox", "--no-first-run"]
QUIET += [f"--disable-{what}" for what in ("gpu", "background-networking", "component-update", "sync")]


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
        done = run_python("manage.py", *command, DATABASE_URL=self.database_url)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shell(self, script: str) -> list[str]:
        """The words that a script of Django printed."""
        return self.manage("shell", "-v0", "-c", script).split()

    @cached_property
    def editor(self) -> tuple[str, str]:
        """Name and password of a chief editor."""
        printed = self.manage("create_editor")
        return tuple(re.search(rf"{name}: +(\S+)", printed)[1] for name in ("login", "password"))  # type: ignore[index, return-value]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave browser tests out of the suite, where they would time out on two cores."""
    if "browser" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason="drives a browser; ask for it with -m browser"))


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


class Reader:
    """A browser window that records console errors and foreign requests."""

    def __init__(self, chromium: Any, site: Service, **options: Any) -> None:
        self.context = chromium.new_context(**({"base_url": site.url, "locale": "pl-PL"} | options))
        self.host = urllib.parse.urlsplit(site.url).netloc
        self.wrong: list[str] = []
        self.refused: set[int] = set()
        self.context.on("request", self._asked)
        self.context.on("console", self._said)
        self.context.on("weberror", lambda error: self.wrong.append(f"script failed: {error.error}"))
        self.page = self.context.new_page()
        self.page.set_default_timeout(10_000)

    def _asked(self, request: Any) -> None:
        parts = urllib.parse.urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self.host:
            self.wrong.append(f"asked another machine: {request.url}")

    def _said(self, message: Any) -> None:
        if message.type in {"error", "warning"} and not any(
            f"status of {one} " in message.text for one in self.refused
        ):
            self.wrong.append(f"console: {message.text} ({message.location['url']})")


@pytest.fixture
def open_window(chromium: Any, site: Service) -> Iterator[Any]:
    """Return a function that opens a window with options of playwright; recorded problems fail the test."""
    opened: list[Reader] = []

    def open_one(**options: Any) -> Reader:
        opened.append(Reader(chromium, site, **options))
        return opened[-1]

    yield open_one
    for reader in opened:
        reader.context.close()
    assert [line for reader in opened for line in reader.wrong] == []


@pytest.fixture
def page(open_window: Any) -> Any:
    """A window as wide as a phone's."""
    return open_window(viewport={"width": 390, "height": 844}).page


@pytest.fixture
def log_in(open_window: Any, site: Service) -> Callable[..., Any]:
    """Return a function that opens a window with a login. It takes options of playwright, and statuses to expect."""

    def open_desk(refused: Collection[int] = (), **options: Any) -> Any:
        name, password = site.editor
        reader = open_window(viewport={"width": 1280, "height": 900}, **options)
        reader.refused = {*refused}
        page = reader.page
        page.goto("/admin/")
        page.locator("[name=username]").fill(name)
        page.locator("[name=password]").fill(password)
        page.locator("[type=submit]").click()
        page.locator("#content-main").wait_for()
        return page

    return open_desk


@pytest.fixture
def desk(log_in: Callable[..., Any]) -> Any:
    return log_in()
