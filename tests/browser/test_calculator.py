"""The pages of the calculator as one document: links within them, the browser's Back, and answers that cross."""

import pytest

from tests.browser.test_look import advance, calculate

pytestmark = pytest.mark.browser

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


def test_a_link_to_a_mistake_stays_on_the_page(open_window):
    reader = open_window(viewport={"width": 390, "height": 844})
    reader.refused = {400}
    page = reader.page
    calculate(page)
    page.go_back()
    reach(page, "Powierzchnie i koszty")
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


def test_the_result_of_a_whole_plan_prints_on_as_many_pages_as_it_says(open_window):
    page = open_window(viewport={"width": 1366, "height": 768}).page
    calculate(page)
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
