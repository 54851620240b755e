"""What is typed at the desk while the session ends."""

import re

import pytest

from tests.browser.test_desk import open_first

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DEPOT = ("catalog/depot/?queue=never", "#id_street")


# A login in another tab replaces the token, like its loss.
@pytest.mark.parametrize(
    ("path", "field", "gone"),
    [
        (*DEPOT, "session"),
        ("catalog/submission/", "#reason", "session"),
        (*DEPOT, "session|csrf"),
        (*DEPOT, "csrf"),
    ],
)
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
