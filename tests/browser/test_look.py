"""Every kind of page on phone and desktop, light and dark: accessibility, width, colours, console."""

import math
import re

import psycopg
import pytest

from pages.svg.scales_and_outlines import SHADES
from tests.browser.barriers import findings
from tests.fueldepot.sharers import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDTHS = (
    pytest.param(390, id="phone"),
    pytest.param(768, id="tablet", marks=pytest.mark.release),
    pytest.param(1366, id="desk", marks=pytest.mark.release),
)
LARGE_TEXT = [(320, "100%"), (320, "200%"), (390, "200%"), (640, "200%"), (1366, "200%")]
"""Widths of windows in pixels, and sizes of text: WCAG 2.2, 1.4.10 and 1.4.4, and larger windows with large text."""
TABLE_WIDTHS = (320, 390, 1366)
"""On the narrowest, a long word of a heading may break, a number may not."""


@pytest.fixture(scope="module")
def depot(site):
    return site.read("/api/v1/stores?teryt=1261011")[0]


def change(site, depot, values):
    """Change a depot behind the service, which then reads it again. values: in SQL."""
    with psycopg.connect(site.database_url) as connection:
        connection.execute(f"UPDATE catalog_depot SET {values} WHERE id = %s", [depot["id"]])  # noqa: S608
        connection.execute("UPDATE catalog_dataset SET version = version + 1, changed_at = now() WHERE slug = 'depots'")


@pytest.fixture(scope="module")
def changed(site):
    """Pages of a depot that is gone, and of one with a telephone and a website, which invented ones have not."""
    gone, *_, reachable = site.read("/api/v1/stores?teryt=1217011")
    change(site, gone, "publication = 'removed', removal_reason = 'owner', removed_at = now()")
    change(site, reachable, "source = 'osm', phone = '+48 18 201 00 00', website = 'https://sklad.example/'")
    paths = [depot["url"].removeprefix(site.url) for depot in (gone, reachable)]
    assert eventually(lambda: {answer.status for answer in site.get_all(paths[:1] * 8)} == {410})
    assert eventually(lambda: all("tel:" in answer.body for answer in site.get_all(paths[1:] * 8)))
    return paths


def addresses(depot, site):
    own = f"/sklad/{depot['id']}"
    return [
        *("/", "/?q=nowy", "/?q=zzzqqq", "/en/", "/api/", "/api/v1/docs", "/dane/", "/prywatnosc/", "/dotacja/"),
        *("/sklady/malopolskie/", "/sklady/malopolskie/krakow-1261011/", depot["url"].removeprefix(site.url)),
        "/sklady/malopolskie/krakow-1261011/?kod=30-001",
        *("/ceny/", "/ceny/pellet/", "/ceny/pellet/malopolskie/", "/ceny/pellet/?kolejnosc=-mediana"),
        *("/ceny/gus/", "/ceny/porownanie/", "/ceny/porownanie/?miejsce=Zakopane&cena_pellet=1640"),
        *("/osadz/gmina/1261011/", f"/osadz{own}/", "/osadz/ceny/pellet/"),
        *("/przepisy/", "/przepisy/malopolskie/", "/przepisy/malopolskie/?teryt=1217011"),
        *("/przepisy/sprawdz/", "/przepisy/sprawdz/?miejsce=Zakopane&piec=fireplace"),
        *(f"{own}/{form}" for form in ("popraw/", "przejmij/", "usun/", "cena/", "zglos/")),
        *("/sklady/dodaj/", "/powiadomienia/", "/dla-wlascicieli/", "/zgloszenia/potwierdz/?odnosnik=x"),
        "/nie-ma-takiej-strony/",
    ]


def advance(page, title):
    """Press the first button of the form, and wait for the page of a title."""
    page.locator("form.calculator button[type=submit]").first.click()
    page.get_by_role("heading", name=title).wait_for()
    page.wait_for_load_state()


def calculate(page, look=lambda: None):
    """Walk through the calculator's five pages to the result. look: called on each of them."""
    page.goto("/dotacja/")
    page.locator("[name=people]").fill("3")
    page.locator("[name=income]").fill("2000")
    advance(page, "Dom dzisiaj")
    look()
    advance(page, "Nowe źródło ciepła")
    page.get_by_label("Kocioł na pellet").check()
    look()
    advance(page, "Inne prace i dokumenty")
    page.get_by_label("Ściany").check()
    look()
    advance(page, "Powierzchnie i koszty")
    page.get_by_label("Ściany").first.fill("100")
    page.get_by_text("Znam koszty").click()
    page.locator("[name=cost_walls]").fill("30000")
    look()
    advance(page, "Twoja dotacja")
    look()


@pytest.fixture
def open_all(open_window, site, depot, changed):
    """Return a function that opens every kind of page, and each of the calculator, and gives what `look` finds."""

    def walk(look, width):
        page = open_window(viewport={"width": width, "height": 900}, color_scheme="light", refused={400, 404, 410})
        problems = []
        for address in [*addresses(depot, site), *changed]:
            page.goto(address)
            problems += look(page)
        calculate(page, lambda: problems.extend(look(page)))
        return problems

    return walk


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_accessible_and_fits(open_all, width):
    def look(page):
        problems = findings(page)
        page.emulate_media(color_scheme="dark")  # other colours, and otherwise the same page
        problems += findings(page, "cat.color")
        page.emulate_media(color_scheme="light")
        return problems

    assert open_all(look, width) == []


BROKEN_WORDS = """() => {
  const broken = [], range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, cell = node.parentElement.closest("td, th");
    if (!cell || node.parentElement.closest("a[href^=http], code, svg")) continue;
    if (getComputedStyle(cell.closest("thead, tbody, tfoot")).clipPath !== "none") continue;
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N},]+/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word);
    }
  }
  return broken;
}"""
"""JavaScript: the words and numbers that cells of tables break over two lines, without addresses and unseen heads."""


def test_no_page_is_wider_than_its_window_and_no_table_breaks_a_word(open_all):
    """Each page is opened once, as narrow as it gets, and then seen in the other windows."""

    def look(page):
        problems = []
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        for width, text in LARGE_TEXT:
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(f"document.documentElement.style.fontSize = '{text}'")
            taken = page.evaluate("document.documentElement.scrollWidth")
            problems += [f"{page.url}: {taken} px of {width} at {text}"] if taken > width else []
        page.evaluate("document.documentElement.style.fontSize = ''")
        for width in TABLE_WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            broken = [word for word in page.evaluate(BROKEN_WORDS) if width > 320 or word.isdecimal()]
            problems += [f"{page.url}: {word} at {width} px" for word in broken]
        page.set_viewport_size({"width": LARGE_TEXT[0][0], "height": 900})
        return problems

    assert open_all(look, LARGE_TEXT[0][0]) == []


def test_the_ring_around_a_chip_is_not_cut_off(page):
    page.goto("/ceny/")
    page.keyboard.press("Tab")
    chip = page.locator(".chips a").nth(1)
    chip.focus()
    ring = "((style) => parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset))(getComputedStyle(chip))"
    top = "chip.getBoundingClientRect().top - chip.closest('.chips').getBoundingClientRect().top"
    assert chip.evaluate(f"(chip) => {top} >= {ring} && {ring} > 0")


def test_no_number_of_a_table_is_broken_with_large_text(page):
    for address in ("/", "/ceny/", "/ceny/pellet/", "/dotacja/"):
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert [word for word in page.evaluate(BROKEN_WORDS) if word.isdecimal()] == [], address


def test_an_address_amid_the_words_of_a_table_stays_among_them(page, changed):
    page.goto("/dane/")
    address = page.locator("#pochodzenie + table a").first
    assert address.evaluate("(link) => getComputedStyle(link).display") == "inline"


def test_fields_show_a_whole_price(page, depot):
    for address in (f"/sklad/{depot['id']}/cena/", "/ceny/porownanie/"):
        page.goto(address)
        field = page.locator("[name^=price-], [name^=cena_]").first
        field.fill("1 450,50")
        assert field.evaluate("(field) => field.scrollWidth <= field.clientWidth"), address


def test_the_name_of_an_appliance_is_not_cut_on_a_phone_and_printed_with_its_day_and_without_the_search(page):
    page.goto("/przepisy/sprawdz/?miejsce=Zakopane&piec=boiler_below_class_3")
    room, words = page.locator("main select").evaluate("""select => {
        const style = getComputedStyle(select), pen = document.createElement("canvas").getContext("2d");
        pen.font = `${style.fontSize} ${style.fontFamily}`;
        const arrow = 24, blank = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + arrow;
        return [select.clientWidth - blank, pen.measureText(select.selectedOptions[0].text).width];
    }""")
    assert room >= words
    page.emulate_media(media="print")
    assert page.get_by_text("Stan na").last.is_visible()
    assert not any(one.is_visible() for one in page.locator(".search, .top nav").all())


def test_paper_has_the_telephone_of_a_depot_and_no_other_button(page, changed):
    page.goto(changed[1])
    page.emulate_media(media="print")
    acts = [" ".join(one.inner_text().split()) for one in page.locator(".act").all() if one.is_visible()]
    assert acts == ["Zadzwoń +48 18 201 00 00"]
    assert page.locator(".main-acts .main").evaluate("(act) => getComputedStyle(act).color") == "rgb(0, 0, 0)"


def test_the_bar_of_a_depot_is_not_higher_than_what_is_kept_free_for_it_also_with_large_text(page, changed):
    page.goto(changed[1])
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 844})
        free = page.evaluate("parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom)")
        assert page.locator(".act-bar").bounding_box()["height"] <= free


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_citation_is_copied_or_marked_by_the_browser_or_read(open_window, script):
    page = open_window(permissions=["clipboard-read", "clipboard-write"], java_script_enabled=script)
    page.goto("/przepisy/malopolskie/")
    quote = page.locator("details.quote", has_text="Cytuj")
    quote.locator("summary").click()
    words = quote.locator("p")
    assert "Składy opału" in words.inner_text()
    button = quote.get_by_role("button")
    assert button.count() == script
    if script:
        button.click()
        quote.get_by_role("button", name="Skopiowano").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == words.text_content()
        assert findings(page) == []
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new DOMException()); }")
        button.click()
        quote.get_by_role("button", name="Przeglądarka odmówiła").wait_for()
        assert page.evaluate("getSelection().toString()").strip() == words.inner_text().strip()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_the_calculator_leads_to_its_result(open_window, script):
    page = open_window(viewport={"width": 390, "height": 844}, java_script_enabled=script)
    calculate(page)
    assert page.url.endswith("/dotacja/")
    assert "zł" in page.locator(".subsidy-summary").inner_text()
    assert page.locator(".variants li").count() == 3
    assert page.evaluate("document.documentElement.scrollHeight") < 5_000
    # The own way back works in both.
    page.get_by_role("button", name="Kto mieszka i jaki ma dochód").click()
    assert page.locator("[name=income]").input_value() == "2000"


FINGER_PX = 44
TAPPED = ".chips a, .windows a, .bottom a, .columns a, .option, .steps button, summary"
"""What is tapped on a phone, without links within a text."""


SHIFTS = """() => new Promise((resolve) => {
  const take = (list) => resolve(list.getEntries().map(({ value, sources }) => [value, sources[0]?.node?.className]));
  new PerformanceObserver(take).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve([]), 500);
})"""
"""JavaScript: what has moved since the page was first drawn, and how much."""


@pytest.mark.parametrize("address", ["/", "/nie-ma-takiej-strony/"])
def test_nothing_moves_when_the_script_shows_its_button(open_window, address):
    page = open_window(viewport={"width": 390, "height": 844}, refused={404})
    # A script that comes late, so that the page is drawn before.
    page.route("**/search*.js", lambda route: (page.wait_for_timeout(500), route.continue_()))
    page.goto(address)
    assert page.get_by_role("button", name="Użyj mojej pozycji").is_visible()
    assert page.evaluate(SHIFTS) == []


def test_what_is_tapped_on_a_phone_is_as_high_as_a_finger_and_long_lists_are_folded(page, depot):
    found, lengths = {}, {}
    places = "/sklady/malopolskie/", "/sklady/malopolskie/krakow-1261011/", f"/sklad/{depot['id']}/popraw/"
    for address in ("/", "/ceny/pellet/", *places, "/api/", "/dotacja/"):
        page.goto(address)
        lengths[address] = page.evaluate("document.documentElement.scrollHeight")
        heights = page.locator(TAPPED).evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().height)")
        found[address] = min(height for height in heights if height)
    assert {address: height for address, height in found.items() if round(height, 1) < FINGER_PX} == {}
    assert max(lengths["/api/"], lengths["/sklady/malopolskie/"]) < 7_000


@pytest.mark.release
def test_every_operation_can_be_tried(open_window, site):
    """What is prefilled answers, under our policy on content."""
    page = open_window()
    page.goto("/api/v1/docs")
    operations = page.locator(".opblock")
    operations.first.wait_for()
    assert operations.count() == sum(map(len, site.read("/api/v1/openapi.json")["paths"].values()))
    for operation in operations.all():
        switch = operation.locator(".opblock-summary-control").first
        switch.click()
        operation.locator("button.execute").click()
        status = operation.locator(".live-responses-table .response .response-col_status").first
        status.wait_for()
        assert status.inner_text().split()[0] == "200", operation.locator(".opblock-summary-path").inner_text()
        switch.click()  # a short page opens the next operation more quickly
    assert findings(page) == []


SCHEMES = ("light", "dark")


def colours(page, selector="body", part=""):
    """Ground of an element, and text of it or of a part of it, each as red, green, blue from 0 to 255."""
    element = f"document.querySelector('{selector}')"
    read = "(text) => text.match(/\\d+/g).slice(0, 3).map(Number)"
    pair = f"[getComputedStyle({element}).backgroundColor, getComputedStyle({element}, '{part}').color]"
    return page.evaluate(f"{pair}.map({read})")


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = [value / 255 for value in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ground, text):
    light, dark = sorted(map(luminance, (ground, text)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_dark_is_dark_and_legible(open_window):
    grounds = {}
    for scheme in SCHEMES:
        page = open_window(color_scheme=scheme)
        page.goto("/")
        assert contrast(*colours(page)) > 7, scheme
        assert contrast(*colours(page, ".field input", "::placeholder")) >= 4.5, scheme  # axe does not look there
        grounds[scheme] = luminance(colours(page)[0])
    assert grounds["dark"] < 0.05 < 0.8 < grounds["light"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_colours_of_the_map_of_prices_grow_stronger(open_window, scheme):
    """The caption says that a stronger colour is dearer, so each shade is farther from the ground of the map."""
    page = open_window(color_scheme=scheme)
    page.goto("/ceny/pellet/")
    ground = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--land')").strip()
    ground = [int(ground[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    distances = []
    for shade in range(1, SHADES + 1):
        fill = page.locator(f".shade-{shade}").first.evaluate("(path) => getComputedStyle(path).fill")
        distances.append(math.dist(ground, [float(value) for value in re.findall(r"\d*\.\d+", fill)[:3]]))
    assert distances == sorted(set(distances))
