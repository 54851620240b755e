"""The pages of the calculator as one document: links within them, the browser's Back, and answers that cross."""

import pytest

from tests.browser.test_look import BROKEN_WORDS, advance, calculate

pytestmark = pytest.mark.browser

BACK = ("Inne prace i dokumenty", "Nowe źródło ciepła", "Dom dzisiaj", "Kto mieszka i jaki ma dochód")
LATE = """() => {
    const [ask, waits] = [window.fetch, [1000]];
    window.fetch = async (...asked) => {
        const wait = waits.shift() ?? 0;
        const answer = await ask(...asked);
        await new Promise((resolve) => setTimeout(resolve, wait));
        return answer;
    };
}"""
"""Holds back the next answer for a second."""


def reach(page, title):
    page.get_by_role("heading", name=title).wait_for()


def test_back_in_the_browser_keeps_the_answers(page):
    calculate(page)
    for title in ("Powierzchnie i koszty", *BACK):
        page.go_back()
        reach(page, title)
    assert page.locator("[name=income]").input_value() == "2000"
    page.locator("[name=income]").fill("2100")
    page.go_forward()
    reach(page, "Dom dzisiaj")
    page.go_back()
    reach(page, "Kto mieszka i jaki ma dochód")
    assert page.locator("[name=income]").input_value() == "2100"
    assert "2100" not in page.evaluate("JSON.stringify([localStorage, sessionStorage, history.state, document.cookie])")


def test_a_link_to_a_mistake_stays_on_the_page(open_window):
    page = open_window(viewport={"width": 390, "height": 844}, refused={400})
    calculate(page)
    page.go_back()
    reach(page, "Powierzchnie i koszty")
    assert page.locator("[name=walls]").input_value() == "100"
    page.locator("[name=walls]").fill("sto")
    page.locator("form.calculator button[type=submit]").first.click()
    page.locator(".mistakes a").click()
    page.wait_for_timeout(1000)
    assert page.locator("[name=walls]").input_value() == "sto"
    page.locator("[name=walls]").fill("90")
    advance(page, "Twoja dotacja")
    page.go_back()
    reach(page, "Powierzchnie i koszty")
    assert page.locator("[name=walls]").input_value() == "90"


def test_the_last_page_asked_for_is_shown_whatever_answer_comes_last(page):
    calculate(page)
    page.evaluate(LATE)
    page.evaluate("history.back()")
    page.wait_for_timeout(200)
    page.evaluate("history.back()")
    reach(page, "Inne prace i dokumenty")
    page.wait_for_timeout(1500)
    reach(page, "Inne prace i dokumenty")
    page.go_forward()
    reach(page, "Powierzchnie i koszty")
    assert page.locator("[name=walls]").input_value() == "100"


def test_the_result_fits_a_phone_both_halves_of_a_wide_screen_and_as_many_pages_of_paper_as_it_says(page):
    calculate(page)
    page.evaluate("document.querySelector('.subsidy-items tfoot strong').textContent = '135\\u00a0000\\u00a0zł'")
    assert page.evaluate(BROKEN_WORDS) == []
    page.set_viewport_size({"width": 1366, "height": 768})
    left, right = (page.get_by_role("heading", name=name).bounding_box() for name in ("Pozycje", "Co dalej"))
    assert left["x"] < 1366 / 2 < right["x"]
    assert right["y"] < 768
    # Each note of the table stands on one line.
    assert len({note.bounding_box()["height"] for note in page.locator(".subsidy-items small").all()}) == 1
    assert page.pdf(format="A4").count(b"/Type /Page\n") <= 2
    # On paper a note stands on the line of what it is about, but not against its last letter.
    page.emulate_media(media="print")
    margins = "notes => notes.map(note => parseFloat(getComputedStyle(note).marginLeft))"
    assert min(page.locator(".subsidy-items br + small").evaluate_all(margins)) > 1
    page.emulate_media(media="null")
    page.get_by_role("button", name="Inne prace i dokumenty").click()
    reach(page, "Inne prace i dokumenty")
    for box in page.locator("form.calculator input[type=checkbox]").all():
        box.check()
    advance(page, "Powierzchnie i koszty")
    for work in ("ceiling", "floor", "windows", "doors", "gates"):
        page.locator(f"[name={work}]").fill("100")
    advance(page, "Twoja dotacja")
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 3
    assert page.get_by_text("zajmie dwie lub trzy strony").is_visible()


def test_a_double_click_is_one_step(page):
    page.goto("/dotacja/")
    page.locator("[name=people]").fill("3")
    page.locator("[name=income]").fill("2000")
    page.locator("form.calculator button[type=submit]").first.dblclick()
    reach(page, "Dom dzisiaj")
    page.wait_for_timeout(1000)
    page.go_back()
    reach(page, "Kto mieszka i jaki ma dochód")
