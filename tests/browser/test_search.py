"""Search by name, postcode, position, by keyboard, and without scripts."""

import re

import pytest

from tests.browser.barriers import findings, is_outlined

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KRAKOW = re.compile(r"/sklady/malopolskie/krakow-1261011/")
NOWY_TARG = re.compile(r"/sklady/malopolskie/nowy-targ-1211011/")


def suggestions(page):
    return page.get_by_role("listbox", name="Podpowiedzi")


def test_suggestions_are_accessible_and_one_leads_to_its_place(page):
    page.goto("/")
    box = page.get_by_role("combobox")
    assert box.get_attribute("aria-expanded") == "false"
    box.press_sequentially("nowy t", delay=20)
    suggestions(page).wait_for()
    assert box.get_attribute("aria-expanded") == "true"
    assert re.fullmatch(r"\d+ podpowiedzi\. Wybierz strzałkami\.", page.locator(".search .unseen").inner_text())
    edge = suggestions(page).bounding_box()
    assert edge["x"] >= 0
    assert edge["x"] + edge["width"] <= 390
    page.keyboard.press("ArrowDown")
    assert findings(page) == []
    suggestions(page).get_by_role("option", name="Nowy Targ gmina miejska, powiat nowotarski").click()
    page.wait_for_url(NOWY_TARG)


def test_forced_colours_tell_the_chosen_suggestion_from_the_others(open_window):
    page = open_window(forced_colors="active")
    page.goto("/")
    page.get_by_role("combobox").press_sequentially("nowy t", delay=20)
    suggestions(page).wait_for()
    page.keyboard.press("ArrowDown")
    assert is_outlined(suggestions(page).get_by_role("option", selected=True))
    assert not is_outlined(suggestions(page).get_by_role("option", selected=False).first)


def test_keys_alone_reach_a_place(page):
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "tresc"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("kraków", delay=20)
    suggestions(page).wait_for()
    page.keyboard.press("Escape")
    assert suggestions(page).is_hidden()
    assert page.get_by_role("combobox").input_value() == "kraków"
    page.keyboard.press("Backspace")
    suggestions(page).wait_for()
    page.keyboard.press("ArrowDown")
    active = page.get_by_role("combobox").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    page.wait_for_url(KRAKOW)


def test_enter_without_a_choice_goes_to_the_one_clear_answer_or_lists_what_may_be_meant(page):
    page.goto("/")
    page.get_by_role("combobox").fill("pellet 30-001")
    page.keyboard.press("Enter")
    page.wait_for_url(KRAKOW)
    assert page.url.endswith("?kod=30-001&paliwo=pellet")
    page.goto("/")
    page.get_by_role("combobox").fill("nowy targ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=nowy+targ")
    page.locator(".results a").first.click()
    page.wait_for_url(NOWY_TARG)


def test_a_list_that_fails_leaves_the_form(open_window):
    page = open_window(refused={503})
    page.context.route("**/api/v1/locations*", lambda route: route.fulfill(status=503, body="{}"))
    page.goto("/")
    with page.expect_response("**/api/v1/locations*"):
        page.get_by_role("combobox").press_sequentially("krak")
    assert suggestions(page).is_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=krak")


TYPE_AT_ONCE = """(field, text) => [...text].forEach((letter) => {
    field.value += letter
    field.dispatchEvent(new Event("input", { bubbles: true }))
})"""
"""Letters in one turn of the browser: between keys that Playwright presses a busy machine may let seconds pass."""


@pytest.mark.parametrize("path", ["/", "/ceny/porownanie/"])
def test_a_field_asks_about_the_newest_text_and_not_about_a_letter_or_nothing(page, path):
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/locations" in request.url else None)
    page.goto(path)
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    box = page.locator("main [data-locations]")
    for text in ("k", ""):
        box.fill(text)
        page.wait_for_timeout(400)
    assert asked == []
    box.evaluate(TYPE_AT_ONCE, "krak")
    suggestions(page).wait_for()
    assert [url.partition("?")[2] for url in asked] == ["q=krak"]
    box.fill("k")
    suggestions(page).wait_for(state="hidden")
    page.wait_for_timeout(400)
    assert len(asked) == 1


def test_the_position_leads_to_its_municipality(open_window):
    page = open_window(permissions=["geolocation"], geolocation={"latitude": 50.0614, "longitude": 19.9366})
    page.goto("/")
    page.get_by_role("button", name="Użyj mojej pozycji").click()
    page.wait_for_url(KRAKOW)
    page.goto("/?q=pellet+blisko")
    page.get_by_role("button", name="Użyj mojej pozycji").click()
    page.wait_for_url(KRAKOW)
    assert page.url.endswith("?p=50.0614,19.9366&paliwo=pellet")


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        ({}, 0, "Przeglądarka nie udostępniła położenia."),
        ({"geolocation": {"latitude": 48.2, "longitude": 16.4}}, 400, "poza Polską"),
        ({"geolocation": {"latitude": 50.0755, "longitude": 14.4378}}, 404, "poza Polską"),
    ],
    ids=["denied", "beyond the ranges", "in no municipality"],
)
def test_why_a_position_does_not_help(open_window, options, status, told):
    page = open_window(permissions=["geolocation"] if options else [], refused={status}, **options)
    page.goto("/")
    # A screen reader tells what changes in a region that it knows already.
    assert page.get_by_role("status").and_(page.locator(".position")).count() == 1
    page.get_by_role("button", name="Użyj mojej pozycji").click()
    page.locator(".position", has_text=told).wait_for()
    assert page.get_by_role("button", name="Użyj mojej pozycji").is_enabled()


def test_a_position_that_nobody_allows_or_refuses_leaves_the_button_and_no_waiting_behind(page):
    """Firefox calls no function then, and brings the page back by Back as it was left."""
    page.add_init_script("navigator.geolocation.getCurrentPosition = () => {}")
    page.goto("/")
    button, told = page.get_by_role("button", name="Użyj mojej pozycji"), page.locator(".position")
    button.click()
    assert told.inner_text() == "Ustalamy położenie…"
    assert button.is_enabled()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert told.text_content() == ""


@pytest.mark.parametrize(
    ("path", "field", "typed"),
    [
        ("/ceny/pellet/", "#dzien", "2026-05-01"),
        ("/ceny/porownanie/", "#kwh", "9000"),
        ("/przepisy/", "#piec", "boiler_class_3"),
    ],
)
def test_a_field_says_again_what_the_page_is_about(page, path, field, typed):
    """Firefox brings back what was typed by reloading, too."""
    page.goto(path)
    before = page.input_value(field)
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    (page.select_option if field == "#piec" else page.fill)(field, typed)
    page.goto("/dane/")
    page.go_back()
    assert page.input_value(field) == before


def test_without_scripts_the_form_searches(open_window):
    page = open_window(java_script_enabled=False)
    page.goto("/")
    assert page.get_by_role("button", name="Użyj mojej pozycji").is_hidden()
    page.get_by_role("searchbox").fill("kraków")
    page.get_by_role("button", name="Szukaj").click()
    page.wait_for_url(KRAKOW)


def test_from_home_to_a_depot(page):
    page.goto("/")
    page.locator(".columns").get_by_role("link", name="małopolskie").click()
    # A wide page shows what its folded counties hold; Playwright takes it for hidden.
    page.locator(".county a", has_text=re.compile("^Kraków$")).evaluate("link => link.click()")
    page.wait_for_url(KRAKOW)
    depot = page.locator(".depots h3 a").first
    name = depot.inner_text()
    depot.click()
    page.wait_for_url("**/sklad/**")
    assert page.locator("h1").inner_text() == name


def test_the_comparison_of_heating_suggests_places(page):
    page.goto("/ceny/porownanie/")
    page.locator(".house summary").click()
    box = page.get_by_label("Miejscowość lub kod pocztowy")
    box.press_sequentially("zakop", delay=20)
    suggestions(page).get_by_role("option").first.click()
    assert box.input_value() == "Zakopane"


def test_the_check_of_a_stove_suggests_places_and_keeps_the_one_that_was_chosen(page):
    page.goto("/przepisy/sprawdz/")
    box = page.get_by_label("Miejscowość lub kod pocztowy")
    box.press_sequentially("nowy t", delay=20)
    suggestions(page).wait_for()
    edge = suggestions(page).bounding_box()
    assert edge["x"] >= 0
    assert edge["x"] + edge["width"] <= 390
    suggestions(page).get_by_role("option", name="Nowy Targ gmina wiejska").click()
    assert box.input_value() == "Nowy Targ"
    assert page.evaluate("document.activeElement.id") == "piec"
    page.select_option("#piec", "boiler_class_3")
    page.get_by_role("button", name="Sprawdź").click()
    page.wait_for_url(re.compile(r"miejsce=Nowy\+Targ&piec=boiler_class_3&teryt=1211\d\d2$"))
    assert "Nowy Targ, kocioł klasy 3" in page.locator(".answer").inner_text()
    # Another name is another place.
    box = page.get_by_label("Miejscowość lub kod pocztowy")
    box.fill("Zakopane")
    box.press("Escape")
    page.get_by_role("button", name="Sprawdź").click()
    page.wait_for_url(re.compile(r"miejsce=Zakopane&piec=boiler_class_3$"))
    assert "Zakopane, kocioł klasy 3" in page.locator(".answer").inner_text()
