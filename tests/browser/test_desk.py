"""The editors' desk on a screen of 1280 pixels: every list fits beside menu and filters, and a pair is merged once."""

import pytest

from tests.browser.barriers import findings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LISTS = (
    "catalog/depot/",
    "catalog/depotrequest/",
    "catalog/municipality/",
    "catalog/dataset/",
    "prices/depotprice/",
    "prices/depotprice/?status=all",
    "prices/observation/",
    "regulations/legalstate/",
    "regulations/deadline/",
    "regulations/fuelban/",
    "regulations/resolution/",
)
OVERFLOW = "[...document.querySelectorAll('.results')].map((list) => list.scrollWidth - list.clientWidth)"


@pytest.fixture
def desk(open_window, site):
    """A window of somebody who is logged in."""
    name, password = site.editor()
    page = open_window(viewport={"width": 1280, "height": 900}).page
    page.goto("/admin/")
    page.locator("[name=username]").fill(name)
    page.locator("[name=password]").fill(password)
    page.locator("[type=submit]").click()
    page.locator("#content-main").wait_for()
    return page


def test_every_list_fits(desk):
    wide = {}
    for path in LISTS:
        desk.goto(f"/admin/{path}")
        assert desk.locator("#changelist").count() == 1, path
        wide[path] = max(desk.evaluate(OVERFLOW), default=0)
    # A pixel or two is what browsers round.
    assert {path: over for path, over in wide.items() if over > 2} == {}


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
        desk.get_by_text(answer).click()
        desk.locator("#changelist").wait_for()
        assert (desk.locator(".messagelist").count() == 1) == (answer == "Tak, wykonaj")
    assert "Zmieniono: 100." in desk.locator(".messagelist").inner_text()
    # The other tests find everything as it was.
    desk.goto("/admin/catalog/depot/?publication__exact=removed")
    desk.locator("#action-toggle").check()
    desk.select_option("[name=action]", "publish")
    desk.locator(".actions button").click()
    desk.get_by_text("Tak, wykonaj").click()
    desk.locator(".messagelist").wait_for()


def test_a_pair_is_merged_once(desk):
    desk.goto("/admin/catalog/depot/powtorzenia/")
    desk.get_by_role("link", name="Porównaj").first.click()
    pair = desk.url
    desk.get_by_role("button", name="Scal, zostaje wpis").first.click()
    assert "prowadzi do niego" in desk.locator(".messagelist").inner_text()
    desk.goto(pair)
    assert "nie ma czego decydować" in desk.locator(".warned").inner_text()
    assert desk.locator("#content button").count() == 0


def test_a_faulty_price_list_is_told_row_by_row(desk, tmp_path):
    file = tmp_path / "cennik.csv"
    file.write_text("depot;fuel;unit;day;price;bag_price;bag_kg\n1;uran;t;2026-01-01;1500;;\n1;pellet;t;wczoraj;1;;\n")
    desk.goto("/admin/prices/depotprice/import/")
    desk.set_input_files("[type=file]", file)
    desk.get_by_role("button", name="Pokaż podgląd").click()
    desk.locator("h2", has_text="Wiersze do poprawienia: 2").wait_for()
    assert desk.locator("#content table tbody tr", has_text="nie jest dniem").locator("th").inner_text() == "3"
