"""What is typed at the desk while the session ends."""

import re

import pytest

from tests.browser.test_desk import CORRECTION

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def log_in_again(desk, site, opened):
    name, password = site.editor
    desk.locator("[name=username]").fill(name)
    desk.locator("[name=password]").fill(password)
    desk.locator("#login-form [type=submit]").click()
    desk.wait_for_url(opened)


NEVER_CHECKED = ("catalog/depot/?queue=never", "#id_street")


# A login in another tab replaces the token, like its loss.
@pytest.mark.parametrize(
    ("path", "field", "gone"),
    [
        (*NEVER_CHECKED, "session"),
        (None, "#reason", "session"),
        (*NEVER_CHECKED, "session|csrf"),
        (*NEVER_CHECKED, "csrf"),
    ],
)
def test_a_session_that_ends_during_a_form_loses_nothing(log_in, site, path, field, gone):
    desk = log_in(refused={403})
    if path is None:
        submission, _ = site.shell(CORRECTION)
        desk.goto(f"/admin/catalog/submission/{submission}/change/")
    else:
        desk.goto(f"/admin/{path}")
        desk.locator("#result_list tbody th a").first.click()
    opened = desk.url
    desk.locator(field).fill("Nie zgub mnie")
    desk.context.clear_cookies(name=re.compile(gone))
    desk.locator("[data-key=z], [data-key=o]").first.click()
    if "session" in gone:
        log_in_again(desk, site, opened)
    desk.locator(".messagelist").wait_for()
    assert "Sesja wygasła" in desk.locator(".messagelist").inner_text()
    assert desk.input_value(field) == "Nie zgub mnie"


ACCOUNT = """
from django.contrib.auth.models import User
print(User.objects.create_user("nowa").pk)
"""


def test_a_session_that_ends_loses_no_choice_of_several(log_in, site):
    (account,) = site.shell(ACCOUNT)
    desk = log_in(refused={403})
    desk.goto(f"/admin/auth/user/{account}/change/")
    opened = desk.url
    groups = desk.locator("#id_groups_from option").all_inner_texts()
    assert len(groups) == 2
    desk.locator("#id_groups_from").select_option(label=groups)
    desk.locator("#id_groups_add, #id_groups_add_link").click()
    desk.context.clear_cookies(name=re.compile("session"))
    desk.locator("[name=_continue]").click()
    log_in_again(desk, site, opened)
    desk.locator(".messagelist").wait_for()
    assert desk.locator("#id_groups_to option").all_inner_texts() == groups
