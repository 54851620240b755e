"""A correction from the form to the published entry, and an owner's claim with prices."""

import json
import time
from datetime import date, timedelta

import pytest

from catalog.submissions.limits import MIN_FILL
from tests.browser.barriers import findings
from tests.fueldepot.sharers import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_correction_from_the_form_to_the_public(open_window, log_in, site):
    depot = site.read("/api/v1/stores?teryt=1261011")[-1]
    page = open_window()
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
    assert site.read(f"/api/v1/stores/{depot['id']}")["name"] == depot["name"]

    desk = log_in()
    desk.goto("/admin/catalog/submission/")
    desk.locator("#result_list tbody tr", has_text=depot["name"]).locator("a").first.click()
    desk.get_by_label("cały wpis sprawdzony").check()
    desk.get_by_role("button", name="Przyjmij zaznaczone", exact=True).click()
    desk.locator(".messagelist").wait_for()

    def public() -> list[dict]:
        """What every worker answers: those that the desk did not ask follow a moment later."""
        return [json.loads(answer.body) for answer in site.get_all([f"/api/v1/stores/{depot['id']}"] * 8)]

    decided = {("DEMO Skład po poprawce", "verified")}
    assert eventually(lambda: {(row["name"], row["source"]["data_status"]) for row in public()} == decided)

    def heading() -> str:
        page.goto(public()[0]["url"])
        return page.locator("h1").inner_text()

    # A worker that asked late still leads to the old address.
    assert eventually(lambda: heading() == "DEMO Skład po poprawce")


@pytest.mark.parametrize("form", ["cena", "odnosnik"])
def test_mistakes_have_the_focus_and_lead_to_their_fields(open_window, site, form):
    page = open_window(refused={400})
    page.goto(f"/sklad/{site.read('/api/v1/stores?teryt=1261011')[0]['id']}/{form}/")
    page.locator("[name=email]").fill("jan@")
    page.locator("form.stranger button[type=submit]").click()
    page.locator(".mistakes:focus").wait_for()
    page.locator(".mistakes a", has_text="adres e-mail").click()
    assert page.evaluate("document.activeElement.name") == "email"
    assert findings(page) == []


SEVEN = ("pellet", "brykiet", "wegiel", "ekogroszek", "wegiel-orzech", "wegiel-kostka", "wegiel-groszek")


def unfold(page):
    page.wait_for_load_state()
    closed = page.locator(":is(.fold, .others):not([open]) > summary")
    while closed.count():
        closed.first.click()


SLOW_POSITION = """() => {
    const coords = { latitude: 50.0655, longitude: 19.95, accuracy: 10 };
    navigator.geolocation.getCurrentPosition = (found) => setTimeout(found, 500, { coords });
}"""


def test_a_late_position_does_not_replace_what_was_typed_meanwhile(page):
    page.goto("/sklady/dodaj/")
    unfold(page)
    page.evaluate(SLOW_POSITION)
    for typed, said, lat in (("51,1", "nie wpisaliśmy", "51,1"), ("", "Wpisaliśmy Twoją pozycję", "50,065500")):
        page.get_by_role("button", name="Użyj mojej pozycji").click()
        if typed:
            page.locator("[name=lat]").fill(typed)
        page.locator(".said", has_text=said).wait_for()
        assert page.locator("[name=lat]").input_value() == lat


def test_an_owner_claims_with_all_prices_and_keeps_them_up_to_date(open_window, log_in, site):
    depot = site.read("/api/v1/stores?teryt=1261011")[0]
    where = {"latitude": 50.0655, "longitude": 19.95}
    phone = {"viewport": {"width": 390, "height": 844}, "geolocation": where, "permissions": ["geolocation"]}
    page = open_window(**phone)
    page.goto(f"/sklad/{depot['id']}/przejmij/")
    unfold(page)
    page.get_by_role("button", name="Użyj mojej pozycji").click()
    page.wait_for_function("document.querySelector('[name=lat]').value === '50,065500'")
    page.locator(".marker .pin").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("[name=role][value=owner]").check()
    page.locator("[name=claimant_nip]").fill("526-025-02-74")
    page.locator("[name=price-pellet]").fill("24")
    page.locator("[name=bag-pellet]").fill("15")
    page.locator("[name=agreed]").check()
    page.locator("[name=email]").fill("anna@opal-nowak.pl")
    page.wait_for_timeout(MIN_FILL.total_seconds() * 1000 + 500)
    page.get_by_role("button", name="Wyślij").click()
    page.get_by_text("wiadomość z odnośnikiem").first.wait_for()
    assert findings(page) == []
    page.goto(site.link())
    page.get_by_role("button", name="Potwierdzam").click()
    page.get_by_text("czeka na decyzję redakcji").first.wait_for()

    desk = log_in()
    desk.goto("/admin/catalog/submission/?kind__exact=claim")
    desk.locator("#result_list tbody a").first.click()
    desk.get_by_role("button", name="Zdecyduj", exact=True).click()
    desk.locator(".messagelist").wait_for()

    began, pages = time.monotonic(), []
    page.on("framenavigated", lambda frame: pages.append(frame.url))
    page.goto(site.link("moj-sklad"))
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390  # with the field of a file
    for fuel in SEVEN:
        page.locator(f"[name=price-{fuel}]").fill("1555")
    page.wait_for_timeout(MIN_FILL.total_seconds() * 1000 + 500)
    page.get_by_role("button", name="Zapisz").click()
    page.get_by_text("Zmiany są już na stronie składu").wait_for()
    assert len(pages) <= 4
    assert time.monotonic() - began < 60
    assert findings(page) == []

    def prices():
        return {one["fuel"] for one in site.read(f"/api/v1/stores/{depot['id']}")["price_list"] if one["price"] == 1555}

    assert eventually(lambda: prices() == set(SEVEN))

    day = date.today() - timedelta(days=1)  # noqa: DTZ011 - a day that is over everywhere
    rows = f"numer składu;paliwo;jednostka;dzień;cena\n{depot['id']};Drewno kominkowe;mp;{day};540\n"
    unfold(page)
    page.locator("[type=file]").set_input_files({"name": "c.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    page.locator("[name=plik]").click()
    page.get_by_text("Do wczytania: 1 cena").wait_for()
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
