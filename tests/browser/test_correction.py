"""A correction from the owner's form to the published entry."""

import json

import pytest

from pages.forms.fields import MIN_FILL
from tests.browser.barriers import findings
from tests.fueldepot.sharers import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_correction_from_the_form_to_the_public(open_window, site):
    depot = json.loads(site.get("/api/v1/stores?teryt=1261011").body)[-1]
    page = open_window().page
    page.goto(depot["url"])
    page.get_by_role("link", name="Popraw").first.click()
    page.wait_for_timeout(MIN_FILL.total_seconds() * 1000 + 500)
    page.locator("[name=name]").fill("DEMO Skład po poprawce")
    page.locator("[name=email]").fill("jan@opal-nowak.pl")
    page.locator("form.stranger button[type=submit]").click()
    page.get_by_text("wiadomość z odnośnikiem").first.wait_for()
    assert findings(page) == []

    page.goto(site.link())
    assert findings(page) == []
    page.get_by_role("button", name="Potwierdzam").click()
    page.get_by_text("czeka na decyzję redakcji").first.wait_for()
    assert findings(page) == []
    assert json.loads(site.get(f"/api/v1/stores/{depot['id']}").body)["name"] == depot["name"]

    name, password = site.editor
    desk = open_window().page
    desk.goto("/admin/catalog/submission/")
    desk.locator("[name=username]").fill(name)
    desk.locator("[name=password]").fill(password)
    desk.locator("[type=submit]").click()
    desk.locator("#result_list tbody tr", has_text=depot["name"]).locator("a").first.click()
    desk.get_by_label("cały wpis sprawdzony").check()
    desk.get_by_role("button", name="Przyjmij zaznaczone", exact=True).click()
    desk.locator(".messagelist").wait_for()

    def public() -> list[dict]:
        """What every worker answers: those that the desk did not ask follow a moment later."""
        return [json.loads(answer.body) for answer in site.get_all([f"/api/v1/stores/{depot['id']}"] * 8)]

    assert eventually(lambda: {one["name"] for one in public()} == {"DEMO Skład po poprawce"})
    assert public()[0]["source"]["data_status"] == "verified"

    def heading() -> str:
        page.goto(public()[0]["url"])
        return page.locator("h1").inner_text()

    # A worker that asked late still leads to the old address.
    assert eventually(lambda: heading() == "DEMO Skład po poprawce")
