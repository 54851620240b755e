"""The admin on a screen of 1280 pixels: width, keys, maps, decisions, and what is typed while the session ends."""

import re

import pytest

from tests.browser.barriers import findings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LISTS = (
    *(f"catalog/{name}/" for name in ("depot", "submission", "municipality", "dataset")),
    *(f"prices/{name}" for name in ("depotprice/", "depotprice/?status=all", "observation/")),
    *(f"regulations/{name}/" for name in ("legalstate", "deadline", "fuelban", "resolution")),
)
CUT = "(boxes) => boxes.map((one) => one.scrollWidth - one.clientWidth)"
"""JavaScript: by how many pixels the content of boxes is wider than they are."""

SCROLLBAR = 17
"""Pixels of the bar that scrolls a page on Windows; Chromium without windows has none."""

PAGES = (
    *("", "catalog/depot/", "catalog/depot/powtorzenia/", "catalog/submission/", "prices/depotprice/"),
    *("prices/depotprice/import/", "regulations/deadline/", "drugi-skladnik/"),
)
USABLE = ("color-contrast", "link-in-text-block", "target-size")
"""Rules of axe about colours and sizes, of level AA."""


def open_first(desk, path="catalog/depot/"):
    """Open the first row of a list, and wait for the script of its page."""
    desk.goto(f"/admin/{path}")
    desk.locator("#result_list tbody th a").first.click()
    desk.get_by_role("button", name="? klawisze").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_desk_is_legible_and_cuts_no_field_of_a_depot(log_in, scheme):
    desk = log_in(color_scheme=scheme)
    found = []
    for path in PAGES:
        desk.goto(f"/admin/{path}")
        found += findings(desk, *USABLE)
    open_first(desk)
    found += findings(desk, *USABLE)
    assert found == []
    ground = desk.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(ground) < 64) == (scheme == "dark")
    for width in (390, 1280):
        desk.set_viewport_size({"width": width, "height": 900})
        desk.evaluate(f"document.documentElement.style.width = '{width - SCROLLBAR}px'")
        cut = "(rows) => rows.filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.className)"
        assert desk.eval_on_selector_all(".form-row", cut) == []


def test_every_list_fits_beside_a_scrollbar(desk):
    desk.set_viewport_size({"width": 1280 - SCROLLBAR, "height": 900})
    wide = {}
    for path in LISTS:
        desk.goto(f"/admin/{path}")
        assert desk.locator("#changelist").count() == 1, path
        wide[path] = max(desk.eval_on_selector_all(".results", CUT), default=0)
    # A pixel or two is what browsers round.
    assert {path: over for path, over in wide.items() if over > 2} == {}


def test_the_start_page_uses_its_width_and_breaks_no_word_also_with_a_voivodeship_that_is_taken_and_given_back(desk):
    assert desk.evaluate("document.querySelector('#content').getBoundingClientRect().right") == 1280
    cells = ".overview table :is(th, td, .button)"
    lines = "(cells) => cells.filter((one) => getComputedStyle(one).wordBreak !== 'normal').length"
    assert desk.locator(cells).count() > 50
    assert desk.eval_on_selector_all(cells, lines) == 0
    assert max(desk.eval_on_selector_all(".overview .wide", CUT)) <= 2
    row = desk.locator("tr", has_text="małopolskie")
    row.get_by_role("button", name="biorę").click()
    assert "Województwo małopolskie jest Twoje" in desk.locator(".messagelist").inner_text()
    desk.wait_for_load_state()
    for width in (390, 1366):
        desk.set_viewport_size({"width": width, "height": 900})
        assert findings(desk) + findings(desk, *USABLE) == []
        assert set(desk.eval_on_selector_all(".overview .wide", CUT)) == {0}, width
    row.get_by_role("button", name="zwolnij").click()
    row.get_by_role("button", name="biorę").wait_for()


def test_a_bulk_action_asks_first_and_is_turned_down_or_confirmed(desk):
    published = "/admin/catalog/depot/?publication__exact=published"
    for answer in ("Nie, wróć do listy", "Tak, wykonaj"):
        desk.goto(published)
        desk.locator("#action-toggle").check()
        desk.select_option("[name=action]", "remove_duplicate")
        desk.locator(".actions button").click()
        asked = desk.locator("#content-main").inner_text().replace("\xa0", " ")
        assert "Zmieni się: 100 z 100 zaznaczonych. Na razie nic nie zmieniono." in asked
        for width in (390, 1280):
            desk.set_viewport_size({"width": width, "height": 900})
            assert findings(desk) == []
        desk.locator("#reason").fill("Przegląd.")
        desk.get_by_text(answer).click()
        desk.locator("#changelist").wait_for()
        assert (desk.locator(".messagelist").count() == 1) == (answer == "Tak, wykonaj")
    assert "Zmieniono: 100." in desk.locator(".messagelist").inner_text()
    desk.get_by_role("button", name="Cofnij całość").click()
    desk.locator("#content-main dl").wait_for()
    assert "Składy opału: 100." in desk.locator(".messagelist").inner_text()
    assert findings(desk) == []


def test_a_queue_is_worked_through_by_one_key_that_decides_once_when_it_is_held_down(desk):
    open_first(desk, "catalog/depot/?queue=never&unit=12")
    seen, requests = set(), []
    desk.on("request", lambda request: requests.append((request.method, request.is_navigation_request())))
    for _ in range(3):
        seen.add(desk.url.partition("?")[0])
        name = desk.input_value("#id_name")
        desk.locator("h1, #content").first.click()
        desk.keyboard.down("s")
        desk.wait_for_function("name => document.querySelector('#id_name')?.value !== name", arg=name)
        assert "Sprawdzono" in desk.locator(".messagelist").inner_text()
        assert "unit%3D12" in desk.url
        desk.get_by_role("button", name="? klawisze").wait_for()  # by the script
        desk.keyboard.down("s")
        desk.wait_for_timeout(500)
        desk.keyboard.up("s")
    assert len(seen) == requests.count(("POST", True)) == 3


def test_keys_are_turned_off_and_on(desk):
    """WCAG 2.1.4: a program that turns speech into keys would decide."""
    open_first(desk)
    page = desk.url
    for key in ("?", None):
        if key:
            desk.keyboard.press(key)
        else:
            desk.get_by_role("button", name="? klawisze").click()
        dialog = desk.get_by_role("dialog", name="Klawisze")
        assert "Sprawdzony i następny" in dialog.inner_text()
        assert findings(desk) == []
        dialog.get_by_role("checkbox", name="Klawisze działają").set_checked(key is None)
        dialog.get_by_role("button", name="Zamknij").click()
        if key:
            desk.reload()
            for silent in ("?", "n"):
                desk.keyboard.press(silent)
            desk.wait_for_timeout(500)
            assert (dialog.count(), desk.url) == (0, page)
    desk.keyboard.press("n")
    desk.wait_for_url(lambda url: url != page)


def test_enter_in_a_field_decides_nothing(desk, site):
    submission, depot = f"submission/{site.cases['moved']}", f"depot/{site.cases['depot']}"
    for path, field in ((submission, "#reason"), (depot, "#id_name"), (depot, "#note")):
        desk.goto(f"/admin/catalog/{path}/change/")
        desk.locator(field).fill("nie do druku")
        desk.keyboard.press("Enter")
        desk.wait_for_timeout(500)
        assert desk.input_value(field) == "nie do druku"
        assert desk.locator(".messagelist").count() == 0


KEYED = {
    "catalog/depot/?queue=never": {"s": "Sprawdzony i następny", "n": "Pomiń, następny"},
    "catalog/submission/?kind__exact=correct": {"s": "Przyjmij zaznaczone i następne", "n": "Pomiń, następne"},
    "prices/depotprice/": {"s": "Zatwierdź zaznaczone i następne", "n": "Pomiń, następna"},
    "catalog/depot/powtorzenia/": {"1": "Scal, zostaje wpis", "n": "Pomiń, następna para"},
    "catalog/draft/": {"o": "Wycofaj szkic", "n": "Pomiń, następny"},
}
"""Words of keys by list."""


def test_every_case_has_its_place_its_keys_its_decision_and_a_next_one_above_the_fold(desk, site):
    assert site.cases
    desk.set_viewport_size({"width": 1366, "height": 768})
    for path, words in KEYED.items():
        desk.goto(f"/admin/{path}")
        desk.locator("#result_list tbody th a, #content table a:has-text('Porównaj')").first.click()
        place = desk.locator(".place-in-list")
        assert place.inner_text().startswith("1 z\xa0"), path
        desk.wait_for_load_state()
        assert place.bounding_box()["y"] < 200, path
        last = desk.locator("[data-key=s], [data-key=o], [data-key=d]").last.bounding_box()
        assert last["y"] + last["height"] <= 768, path
        desk.get_by_role("button", name="? klawisze").click()
        rows = desk.locator("dialog.keys dt").all_inner_texts()
        labels = [text.replace("\xa0", " ") for text in desk.locator("dialog.keys dd").all_inner_texts()]
        texts = dict(zip(rows, labels, strict=True))
        assert {key: texts[key][: len(label)] for key, label in words.items()} == words
        desk.get_by_role("button", name="Zamknij").click()
        desk.keyboard.press("n")
        place.get_by_text(re.compile("^2 z")).wait_for()


def test_a_long_case_has_its_whole_decision_above_the_fold_and_a_long_word_hides_no_proposed_value(desk, site):
    desk.set_viewport_size({"width": 1366, "height": 768})
    desk.goto(f"/admin/catalog/submission/{site.cases['long']}/change/")
    assert desk.evaluate("document.documentElement.scrollHeight") > 800
    assert desk.get_by_role("heading", name="Komentarze redakcji", level=2).count() == 1
    for choice in (desk.get_by_label("cały wpis sprawdzony"), desk.locator("[data-key=s]"), desk.locator("#reason")):
        box = choice.bounding_box()
        middle = f"document.elementFromPoint({box['x'] + box['width'] / 2}, {box['y'] + box['height'] / 2})"
        assert choice.evaluate(f"(choice) => choice === {middle}")
    for width in (390, 1366):
        desk.set_viewport_size({"width": width, "height": 900})
        desk.reload()
        assert findings(desk) == []
        assert max(desk.eval_on_selector_all(".decide table", CUT)) <= 2


def test_a_pair_that_is_merged_once_and_the_second_factor_fit_a_phone_without_scrolling(desk):
    desk.set_viewport_size({"width": 390, "height": 844})
    desk.goto("/admin/catalog/depot/powtorzenia/")
    link = desk.get_by_role("link", name="Porównaj").first
    box = link.bounding_box()
    assert box["x"] + box["width"] <= 390
    link.click()
    desk.wait_for_url(re.compile(r"/powtorzenia/\d+/\d+/$"))
    assert desk.eval_on_selector_all(".wide", CUT) == [0]
    pair = desk.url
    desk.get_by_role("button", name="Scal, zostaje wpis").first.click()
    assert "prowadzi do niego" in desk.locator(".messagelist").inner_text()
    desk.goto(pair)
    assert "nie ma czego decydować" in desk.locator(".warned").inner_text()
    assert desk.locator("#content button").count() == 0
    desk.goto("/admin/drugi-skladnik/")
    assert desk.get_by_role("button", name="Włącz").bounding_box()["height"] >= 24


def test_a_faulty_price_list_is_told_row_by_row(desk, tmp_path):
    file = tmp_path / "cennik.csv"
    file.write_text("depot;fuel;unit;day;price;bag_price;bag_kg\n1;uran;t;2026-01-01;1500;;\n1;pellet;t;wczoraj;1;;\n")
    desk.goto("/admin/prices/depotprice/import/")
    desk.set_input_files("[type=file]", file)
    desk.get_by_role("button", name="Pokaż podgląd").click()
    desk.locator("h2", has_text="Wiersze do poprawienia: 2").wait_for()
    assert desk.locator("#content table tbody tr", has_text="nie jest dniem").locator("th").inner_text() == "3"


def drag(page, pin):
    pin.scroll_into_view_if_needed()
    box = pin.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 46, steps=5)
    page.mouse.up()


def test_an_author_is_asked_answers_and_the_position_is_seen_on_a_map(desk, open_window, site):
    decision = f"/admin/catalog/submission/{site.cases['moved']}/change/"
    for width in (390, 1366):
        desk.set_viewport_size({"width": width, "height": 900})
        desk.goto(decision)
        desk.locator(".position-picker").scroll_into_view_if_needed()
        desk.locator(".live-map .before").wait_for()
        assert desk.locator(".live-map .marker").count() == 2
        assert "Przesunięcie od zapisanego położenia: 222 m" in desk.locator(".position-picker .said").inner_text()
        assert findings(desk) == []
    proposed = desk.input_value("[name=value-lat]")
    drag(desk, desk.locator(".live-map .chosen"))
    assert desk.input_value("[name=value-lat]") != proposed
    desk.get_by_text("Zapytaj autora przed decyzją").click()
    desk.locator("#question").fill("Czy wjazd jest od ulicy Długiej?")
    desk.get_by_role("button", name="Wyślij pytanie", exact=True).click()
    assert "Pytanie wychodzi listem." in desk.locator(".messagelist").inner_text()
    phone = open_window(viewport={"width": 390, "height": 844})
    phone.goto(site.link("odpowiedz"))
    assert "Czy wjazd jest od ulicy Długiej?" in phone.locator(".asked").inner_text()
    assert findings(phone) == []
    phone.locator("[name=answer]").fill("Tak, od Długiej. " + "x" * 1500)
    phone.wait_for_timeout(3000)  # quicker answers are taken for a machine's
    phone.get_by_role("button", name="Wyślij odpowiedź").click()
    phone.get_by_role("heading", name="Dziękujemy za odpowiedź").wait_for()
    desk.goto(decision)
    assert "Tak, od Długiej." in desk.locator("#content-main").inner_text()
    assert findings(desk) == []
    desk.goto(f"/admin/catalog/depot/{site.cases['depot']}/change/")
    desk.locator(".position-picker").scroll_into_view_if_needed()
    pin = desk.locator(".live-map .chosen")
    pin.wait_for()
    before = desk.input_value("[name=lat]")
    drag(desk, pin)
    assert desk.input_value("[name=lat]") != before
    assert "od zapisanego położenia" in desk.locator(".position-picker .said").inner_text()
    assert findings(desk) == []


def test_a_neighbour_on_the_map_of_a_depot_leads_to_its_page_and_moves_nothing(desk, site):
    page = f"/admin/catalog/depot/{site.cases['with a neighbour']}/change/"
    desk.goto(page)
    desk.locator(".position-picker").scroll_into_view_if_needed()
    neighbours = desk.get_by_role("link", name=re.compile(r", \d+ m"))
    neighbours.first.wait_for()
    edge = desk.locator(".live-map").bounding_box()
    for box in (one.bounding_box() for one in neighbours.all()):
        assert box["width"] > 9
        assert all(edge[at] <= box[at] < edge[at] + edge[size] for at, size in (("x", "width"), ("y", "height")))
    assert desk.locator(".place-name span:visible").count()
    assert findings(desk) == []
    before = desk.input_value("[name=lat]")
    press = "(mark) => { mark.dispatchEvent(new MouseEvent('click', {bubbles: true})); return id_lat.value; }"
    assert neighbours.first.evaluate(press) == before
    desk.wait_for_url(lambda url: page not in url)
    desk.goto(page)
    desk.locator(".position-picker").scroll_into_view_if_needed()
    neighbours.first.focus()
    desk.keyboard.press("Enter")
    desk.wait_for_url(lambda url: page not in url)


# A login in another tab replaces the token, like its loss.
LOST = [("catalog/depot/?queue=never", "#id_street", gone) for gone in ("session", "session|csrf", "csrf")]


@pytest.mark.parametrize(("path", "field", "gone"), [*LOST, ("catalog/submission/", "#reason", "session")])
def test_a_session_that_ends_during_a_form_loses_nothing(log_in, site, path, field, gone):
    desk = log_in(refused={403})
    assert site.cases
    open_first(desk, path)
    opened = desk.url
    desk.locator(field).fill("Nie zgub mnie")
    desk.context.clear_cookies(name=re.compile(gone))
    desk.locator("[data-key=z], [data-key=o]").first.click()
    if "session" in gone:
        site.enter(desk)
        desk.wait_for_url(opened)
    desk.locator(".messagelist").wait_for()
    assert "Sesja wygasła" in desk.locator(".messagelist").inner_text()
    assert desk.input_value(field) == "Nie zgub mnie"


def test_a_session_that_ends_loses_no_choice_of_several(log_in, site):
    desk = log_in(refused={403})
    desk.goto(f"/admin/auth/user/{site.cases['account']}/change/")
    opened = desk.url
    groups = desk.locator("#id_groups_from option").all_inner_texts()
    assert len(groups) == 2
    desk.locator("#id_groups_from").select_option(label=groups)
    desk.locator("#id_groups_add, #id_groups_add_link").click()
    desk.context.clear_cookies(name=re.compile("session"))
    desk.locator("[name=_continue]").click()
    site.enter(desk)
    desk.wait_for_url(opened)
    desk.locator(".messagelist").wait_for()
    assert desk.locator("#id_groups_to option").all_inner_texts() == groups
