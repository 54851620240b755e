"""The map on the page of a depot at the desk."""

import re

import pytest

from tests.browser.barriers import findings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NEIGHBOURS = """
from catalog.admin.evidence import find_neighbours
from catalog.models import Depot
depots = Depot.objects.published().filter(municipality="1261011").order_by("pk")
print(next(depot.pk for depot in depots if find_neighbours(depot)))
"""


def test_a_neighbour_on_the_map_leads_to_its_page_and_moves_nothing(desk, site):
    [depot] = site.shell(NEIGHBOURS)
    page = f"/admin/catalog/depot/{depot}/change/"
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
