"""Every page type on a phone and on a desk, light and dark: accessible, within its width, silent."""

import json

import psycopg
import pytest

from tests.browser.barriers import findings
from tests.fueldepot.sharers import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDTHS = {"phone": 390, "desk": 1280}
SCHEMES = ("light", "dark")
DIFFERS = {"light": (), "dark": ("cat.color",)}
"""Tags of the rules to try in a scheme: the dark one has other colours and is otherwise the same page."""


@pytest.fixture(scope="module")
def depot(site):
    return json.loads(site.get("/api/v1/stores?teryt=1261011").body)[0]


@pytest.fixture(scope="module")
def removed(site):
    """The address of an entry that its owner had removed."""
    depot = json.loads(site.get("/api/v1/stores?teryt=1217011").body)[0]
    with psycopg.connect(site.database_url) as connection:
        connection.execute(
            "UPDATE catalog_depot SET publication = 'removed', removal_reason = 'owner', removed_at = now()"
            " WHERE id = %s",
            [depot["id"]],
        )
        connection.execute("UPDATE catalog_dataset SET version = version + 1, changed_at = now() WHERE slug = 'depots'")
    path = depot["url"].removeprefix(site.url)
    assert eventually(lambda: {answer.status for answer in site.get_all([path] * 8)} == {410})
    return depot["url"]


def addresses(depot, site):
    own = f"/sklad/{depot['id']}"
    return [
        "/",
        "/?q=nowy",
        "/?q=zzzqqq",
        "/sklady/malopolskie/",
        "/sklady/malopolskie/krakow-1261011/",
        "/sklady/malopolskie/krakow-1261011/?kod=30-001",
        depot["url"].removeprefix(site.url),
        "/ceny/",
        "/ceny/pellet/",
        "/ceny/pellet/malopolskie/",
        "/przepisy/",
        "/przepisy/malopolskie/",
        "/dotacja/",
        "/api/",
        "/api/v1/docs",
        "/dane/",
        "/prywatnosc/",
        "/sklady/dodaj/",
        f"{own}/popraw/",
        f"{own}/przejmij/",
        f"{own}/usun/",
        f"{own}/cena/",
        "/zgloszenia/potwierdz/?odnosnik=x",
        "/nie-ma-takiej-strony/",
    ]


def calculate(page):
    page.goto("/dotacja/")
    for name, value in {"people": "3", "income": "2000", "walls": "100", "cost_walls": "30000"}.items():
        page.locator(f"[name={name}]").fill(value)
    page.locator("form.calculator button[type=submit]").first.click()
    page.locator(".subsidy-summary").wait_for()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_every_page_is_accessible_and_fits(open_window, site, depot, removed, width, scheme):
    reader = open_window(viewport={"width": width, "height": 900}, color_scheme=scheme)
    reader.refused = {400, 404, 410}
    found = []
    for address in [*addresses(depot, site), removed]:
        reader.page.goto(address)
        found += findings(reader.page, *DIFFERS[scheme])
    calculate(reader.page)
    assert findings(reader.page, *DIFFERS[scheme]) + found == []


@pytest.mark.parametrize(("width", "text"), [(320, "100%"), (640, "200%"), (1366, "200%")])
def test_no_page_is_wider_than_its_window(open_window, site, depot, removed, width, text):
    """WCAG 2.2, 1.4.10 and 1.4.4: as narrow as 320 px, and with the reader's text at 200 %."""
    reader = open_window(viewport={"width": width, "height": 900})
    reader.refused = {400, 404, 410}
    too_wide = []
    for address in [*addresses(depot, site), removed]:
        reader.page.goto(address)
        reader.page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
        taken = reader.page.evaluate("document.documentElement.scrollWidth")
        too_wide += [f"{address}: {taken} px"] if taken > width else []
    assert too_wide == []


def test_open_suggestions_are_accessible(page):
    page.goto("/")
    page.get_by_role("combobox").press_sequentially("nowy")
    page.get_by_role("listbox").wait_for()
    page.keyboard.press("ArrowDown")
    assert findings(page) == []


def test_the_calculator_answers_where_its_result_is(page):
    calculate(page)
    assert page.url.endswith("/dotacja/#wynik")
    assert "zł" in page.locator(".subsidy-summary").inner_text()
    assert page.locator(".variants li").count() == 3


def colours(page):
    """Ground and text of the page, each as red, green, blue from 0 to 255."""
    style = "getComputedStyle(document.body)"
    read = "(text) => text.match(/\\d+/g).slice(0, 3).map(Number)"
    return page.evaluate(f"[{style}.backgroundColor, {style}.color].map({read})")


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = [value / 255 for value in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_dark_is_dark_and_legible(open_window):
    grounds = {}
    for scheme in SCHEMES:
        page = open_window(color_scheme=scheme).page
        page.goto("/")
        light, dark = sorted(map(luminance, colours(page)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 7, scheme
        grounds[scheme] = luminance(colours(page)[0])
    assert grounds["dark"] < 0.05 < 0.8 < grounds["light"]
