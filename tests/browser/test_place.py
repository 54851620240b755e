"""Pages of a municipality and of a depot: first screen, weight, interactive map."""

import base64
import gzip
import math
import random
import re
from itertools import combinations, product

import psycopg
import pytest

from tests.browser.barriers import findings, is_outlined
from tests.fueldepot.sharers import eventually
from tests.ops.live import Site
from tests.pages.reading import missing

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCREENS = {"desk": (1366, 768), "phone": (390, 844)}
KRAKOW = "/sklady/malopolskie/krakow-1261011/"
MOST_BYTES = 120_000
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

TARGET_PX = 24
FOCUS = """() => {
  const focus = document.activeElement, { left, top } = focus.getBoundingClientRect();
  return focus.closest("main") && [left, top];
}"""
"""JavaScript: where what has the focus begins, null beyond the content."""

HIDDEN_LINES = "(names) => names.map((name) => name.scrollHeight - name.clientHeight)"
"""JavaScript: by how many pixels names are higher than what is seen of them."""

WIDEST_REM = 78
"""Measure of the content."""


@pytest.fixture(scope="module")
def municipalities(site):
    """Paths of forty municipalities, the same in every run."""
    with psycopg.connect(site.database_url) as connection:
        rows = connection.execute(
            "SELECT v.slug, m.slug, m.teryt FROM catalog_municipality m"
            " JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id ORDER BY m.teryt"
        ).fetchall()
    chosen = random.Random(22).sample(rows, 40)  # noqa: S311 - repeatable, not secret
    return [f"/sklady/{voivodeship}/{slug}-{teryt}/" for voivodeship, slug, teryt in chosen]


@pytest.fixture(scope="module")
def depot(site):
    return site.read("/api/v1/stores?teryt=1261011")[0]["url"].removeprefix(site.url)


@pytest.fixture
def krakow(open_window):
    """The page of Kraków on a wide screen."""
    page = open_window(viewport={"width": 1366, "height": 768})
    page.goto(KRAKOW)
    return page


@pytest.mark.parametrize(("screen", "most", "without"), [("desk", 330, 270), ("phone", 560, 490)])
def test_the_first_depot_is_high_on_the_first_screen(open_window, municipalities, screen, most, without):
    """most, without: pixels above the first card in 95 % of municipalities, with the notice of invented data or not."""
    width, height = SCREENS[screen]
    page = open_window(viewport={"width": width, "height": height})
    tops: list[tuple[float, float]] = []
    for path in municipalities:
        page.goto(path, wait_until="domcontentloaded")
        card, notice = page.locator(".depots > li").first, page.locator(".demonstration")
        top = card.bounding_box()["y"]
        notice.evaluate("element => element.hidden = true")
        tops.append((top, card.bounding_box()["y"]))
    for limit, measured in zip((most, without), zip(*tops, strict=True), strict=True):
        assert sum(top <= limit for top in measured) >= 0.95 * len(municipalities), sorted(measured)


@pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS)
def test_the_first_screen_of_a_depot_has_state_prices_and_ways(open_window, depot, screen):
    width, height = screen
    page = open_window(viewport={"width": width, "height": height})
    page.goto(depot)
    for wanted in (".now .state", ".main-acts a", ".prices tbody tr"):
        box = page.locator(wanted).first.bounding_box()
        assert box["y"] + box["height"] <= height, wanted
    assert page.locator(".act-bar").is_visible() == (width == 390)
    assert page.locator("#mapa .depot-map").is_visible() == (width == 1366)
    if width == 390:
        bar = page.locator(".act-bar").bounding_box()
        assert round(bar["y"] + bar["height"]) == height
        assert page.locator(".act-bar a[rel='noopener']").is_visible()


def test_what_has_the_focus_is_not_hidden_by_the_bar_of_a_depot_nor_beyond_a_row_that_scrolls(open_window, depot):
    """WCAG 2.4.11."""
    page = open_window(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    for path in (depot, "/sklady/malopolskie/"):
        page.goto(path)
        page.locator(".page a:visible").first.focus()
        bottom = page.evaluate("document.querySelector('.act-bar')?.getBoundingClientRect().top ?? innerHeight")
        while place := page.evaluate(FOCUS):
            left, top = place
            assert (left <= 390 - TARGET_PX, top <= bottom - TARGET_PX) == (True, True), (path, place)
            page.keyboard.press("Tab")


@pytest.mark.parametrize("path", [KRAKOW, "/", None])
def test_a_page_weighs_little(open_window, depot, path):
    page = open_window(viewport={"width": 1366, "height": 768})
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    received = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    answer = page.goto(path or depot, wait_until="networkidle")
    # The service leaves pages to the proxy to compress (docs/deployment).
    received.append(len(gzip.compress(answer.body())) - len(answer.body()))
    if path != "/":
        page.locator(".marker[role=button]").first.wait_for()
    assert 10_000 < sum(received) < MOST_BYTES


def test_nothing_of_the_map_is_loaded_on_a_phone_that_does_not_unfold_it(page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(KRAKOW, wait_until="networkidle")
    assert not [url for url in asked if "leaflet" in url or "granice" in url]
    page.locator(".to-map a").click()
    page.locator(".marker[role=button]").first.wait_for()
    assert findings(page) == []


def test_map_and_cards_lead_to_each_other(krakow):
    krakow.locator(".marker[role=button]").first.wait_for()
    assert krakow.locator(".live-map path.own").count() == 1
    assert krakow.locator(".marker[role=button]").count() == krakow.locator(".depots > li").count()
    assert findings(krakow) == []

    name = krakow.locator("#sklad-2").locator("h3 a").inner_text()
    krakow.get_by_role("button", name="Pokaż na mapie: 2", exact=True).click()
    assert krakow.get_by_role("heading", name=f"Pokaż na mapie: 2 {name}", exact=True).count() == 1
    marker = krakow.locator(".marker.chosen")
    assert marker.get_attribute("aria-label") == f"2. {name}"
    assert marker.evaluate("element => element === document.activeElement")
    krakow.emulate_media(forced_colors="active")
    assert is_outlined(marker.locator(".pin"))
    assert "img" not in krakow.locator(".live-map").aria_snapshot()

    other = krakow.locator(".marker[role=button]:not(.under, .chosen)").last
    number = other.get_attribute("aria-label").split(".")[0]
    other.focus()
    krakow.keyboard.press("Enter")
    card = krakow.locator(f"#sklad-{number}")
    assert "chosen" in card.get_attribute("class")
    assert card.locator("h3 a").evaluate("element => element === document.activeElement")


AXES = (("x", "width"), ("y", "height"))


def overlaps(page):
    """Return how many pairs of markers that can be pressed are nearer than the least size of a target (WCAG 2.5.8)."""
    boxes = [one.bounding_box() for one in page.locator(".marker[role=button]:not(.under)").all()]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    return len(boxes), sum(math.dist(one, other) < 24 for one, other in combinations(middles, 2))


def test_no_marker_covers_another_that_can_be_pressed(krakow):
    krakow.locator(".marker[role=button]").first.wait_for()
    before, crowded = overlaps(krakow)
    assert crowded == 0
    assert before < krakow.locator(".depots > li").count()
    under = krakow.locator(".marker.under").first
    assert under.get_attribute("tabindex") == "-1"
    name = under.get_attribute("aria-label")
    # What the list names is found on the map nevertheless.
    krakow.get_by_role("button", name=f"Pokaż na mapie: {name.partition('.')[0]}", exact=True).click()
    assert krakow.locator(".marker.chosen:not(.under)").get_attribute("aria-label") == name
    assert overlaps(krakow)[1] == 0
    assert findings(krakow) == []


def meet(one, other):
    return all(one[at] < other[at] + other[size] and other[at] < one[at] + one[size] for at, size in AXES)


def open_picker(page, depot):
    """Show the map in the form of a correction."""
    page.goto(f"/sklad/{depot.split('/')[2].split('-')[0]}/popraw/")
    page.locator(".position-picker").evaluate("element => element.closest('details')?.setAttribute('open', '')")
    page.locator(".position-picker").scroll_into_view_if_needed()


def test_maps_without_tiles_name_towns_and_that_of_a_form_postcodes(krakow, depot):
    names = krakow.locator(".place-name span:visible")
    names.first.wait_for()
    assert {"Niepołomice", "Skawina"} <= set(names.all_inner_texts())
    marks = [one.bounding_box() for one in krakow.locator(".marker[role=button]:not(.under) .pin").all()]
    edge = krakow.locator(".live-map").bounding_box()
    for name in names.all():
        box = name.bounding_box()
        assert not [mark for mark in marks if meet(box, mark)], name.inner_text()
        for at, size in AXES:
            assert edge[at] <= box[at], name.inner_text()
            assert box[at] + box[size] <= edge[at] + edge[size], name.inner_text()
    krakow.goto(depot)
    names.first.wait_for()
    here = krakow.locator(".marker.here .pin").bounding_box()
    assert not [name.inner_text() for name in names.all() if meet(name.bounding_box(), here)]
    open_picker(krakow, depot)
    names.first.wait_for()
    assert any(re.fullmatch(r"3\d-\d{3}", text) for text in names.all_inner_texts())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_script_the_map_is_drawn_and_choices_work(open_window, scheme):
    page = open_window(viewport={"width": 1366, "height": 768}, java_script_enabled=False, color_scheme=scheme)
    page.goto(KRAKOW)
    assert page.locator(".depot-map > figure > svg").is_visible()
    page.get_by_role("link", name="według nazwy").click()
    page.get_by_role("list", name="Paliwo").get_by_role("link", name="Pellet").click()
    page.wait_for_url("**/?paliwo=pellet&kolejnosc=nazwa")
    assert page.locator(".depots.first h3 a").all_inner_texts()


def test_the_map_is_moved_by_keys_and_paper_has_a_drawn_one_with_its_outline_and_the_numbers_of_the_list(krakow):
    marker = krakow.locator(".marker[role=button]").first
    marker.wait_for()
    before = marker.bounding_box()["x"]
    krakow.locator(".live-map").focus()
    krakow.keyboard.press("ArrowRight")
    assert eventually(lambda: marker.bounding_box()["x"] < before - 30)
    drawn = krakow.locator(".depot-map figure > svg")
    assert not drawn.is_visible()
    krakow.emulate_media(media="print")
    assert drawn.locator(".own").is_visible()
    assert krakow.locator("#sklad-1 .pin").is_visible()
    assert not krakow.locator(".live-map").is_visible()


def test_paper_asks_for_no_width_of_a_container_and_has_a_price_right_of_the_name(krakow):
    """Firefox 153 lays out paper as if no such query matched, and cut letters that one made larger."""
    krakow.emulate_media(media="print")
    containers = "(boxes) => boxes.map((box) => getComputedStyle(box).containerType)"
    assert krakow.eval_on_selector_all(".top, .page", containers) == ["normal", "normal"]
    # In one step: the map puts buttons in the place of the numbers.
    pin = "getComputedStyle(document.querySelector('#sklad-1 .pin')).color"
    assert krakow.evaluate(pin) == "rgb(0, 0, 0)"
    card = krakow.locator(".depots > li:has(.price)").first
    price, name = (card.locator(part).bounding_box() for part in (".price", "h3"))
    assert name["x"] + name["width"] <= price["x"]
    assert name["y"] + name["height"] > price["y"]


@pytest.mark.parametrize(("absent", "pins"), [("**/leaflet*.js", 0), ("**/granice.geojson", 1)])
def test_a_form_without_leaflet_promises_no_map_and_without_borders_has_a_pin(page, depot, absent, pins):
    page.route(absent, lambda route: route.fulfill(status=204))
    open_picker(page, depot)
    assert eventually(lambda: page.locator(".live-map .marker").count() == pins)
    assert eventually(lambda: page.locator(".position-picker").get_by_text("na mapie").count() == pins)


def test_no_pin_stands_where_a_form_names_no_place(page, depot):
    open_picker(page, depot)
    pin = page.locator(".live-map .chosen")
    pin.wait_for()
    place = page.input_value("[name=lat]")
    for typed, pins in (("", 0), (place, 1)):
        page.fill("[name=lat]", typed)
        page.locator("[name=lat]").blur()
        assert pin.count() == pins


def test_containers_use_the_screen_and_never_more(open_window, depot):
    page = open_window()
    for path in (KRAKOW, f"{KRAKOW}?p=50.06,19.94&paliwo=wegiel", depot, "/", "/sklady/malopolskie/"):
        for width, text in product([320, 390, 640, 1366, 1920], ["100%", "200%"]):
            page.set_viewport_size({"width": width, "height": 900})
            if (width, text) in {(320, "100%"), (1366, "100%")}:  # as a phone and a desktop load it
                page.goto(path)
            page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, text)
            assert max(page.eval_on_selector_all(".depots h3 a", HIDDEN_LINES), default=0) <= 0, (path, text)
            if width >= 1366:
                widest = WIDEST_REM * 16 * int(text.removesuffix("%")) / 100
                assert page.locator(".page").bounding_box()["width"] >= min(0.78 * width, widest), (path, text)


def test_tiles_only_where_the_operator_names_a_server(chromium, tmp_path):
    tiles, asked = "http://tiles.example.pl", []

    def answer(route):
        asked.append((route.request.url.removeprefix(tiles), route.request.headers.get("referer")))
        route.fulfill(body=PIXEL, content_type="image/png")

    with Site(tmp_path, starter=True, MAP_TILES_URL=f"{tiles}/{{z}}/{{x}}/{{y}}.png").running() as running:
        context = chromium.new_context(base_url=running.url, viewport={"width": 1366, "height": 768})
        context.route(f"{tiles}/**", answer)
        page = context.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        place = page.goto(KRAKOW, wait_until="networkidle")
        assert f"img-src 'self' {tiles} data:" in place.headers["content-security-policy"]
        page.locator(".leaflet-tile-loaded").first.wait_for()
        credit = page.locator(".leaflet-control-attribution").inner_text()
        assert not missing(credit, "© autorzy OpenStreetMap", "tiles.example.pl")
        assert (page.locator(".live-map path.own").count(), page.locator(".place-name").count()) == (1, 0)
        assert (findings(page), said) == ([], [])
        context.close()
    assert len(asked) >= 4
    assert all(re.fullmatch(r"/\d+/\d+/\d+\.png", path) for path, _ in asked)
    assert {referer for _, referer in asked} == {f"{running.url}/"}
