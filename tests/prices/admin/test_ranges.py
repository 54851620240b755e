"""The range of plausible prices of a fuel, at the desk."""

from decimal import Decimal

import pytest

from catalog.models import Dataset, Draft
from catalog.services.editors import CHIEF, EDITOR
from prices.models import PlausibleRange
from tests import factories
from tests.drafts import approve
from tests.pages.reading import html_of
from tests.prices.helpers import approve_three

pytestmark = pytest.mark.django_db

API = "/api/v1/prices/pellet"
PAGE, ADD_RANGE = "/admin/prices/plausiblerange/pellet/change/", "/admin/prices/plausiblerange/add/"


def pellet():
    return PlausibleRange.objects.get(pk="pellet")


def typed(low, high="4000"):
    return {"low": low, "high": high}


def test_a_range_is_written_with_a_decimal_comma_and_refused_in_one_sentence(desk):
    approve(desk, desk.post(PAGE, typed("650,50", "3900")))
    assert (pellet().low, pellet().high) == (Decimal("650.50"), 3900)
    assert 'value="650,50"' in desk.get(PAGE).content.decode()
    for low, high in (("5000", "4000"), ("0", "10"), ("-1", "10")):
        refused = html_of(desk.post(PAGE, typed(low, high)))
        assert "musi być dodatni" in refused
        assert "plausiblerange_ends_in_order" not in refused


def test_an_earlier_range_is_put_back(desk, client):
    approve_three(desk)
    for low in ("600", "1450"):
        approve(desk, desk.post(PAGE, typed(low, "3900")))
    assert client.get(API).json()["rejected"] == 1
    version = f"/admin/prices/plausiblerange/pellet/history/{pellet().history.earliest().pk}/"
    approve(desk, desk.post(version, shown(desk, version)))
    assert pellet().low == 600
    assert client.get(API).json()["rejected"] == 0


def shown(desk, page):
    form = desk.get(page).context["adminform"].form
    return {name: form[name].value() for name in ("low", "high")}


def test_who_may_only_see_a_range_makes_no_draft_of_an_earlier_one():
    version = f"/admin/prices/plausiblerange/pellet/history/{pellet().history.earliest().pk}/"
    assert factories.desk_of(factories.member(EDITOR)).post(version, typed("1450")).status_code == 403
    assert not Draft.objects.exists()


def test_nobody_adds_a_range():
    for user in (factories.UserFactory(), factories.member(CHIEF, "adam"), factories.member(EDITOR)):
        desk = factories.desk_of(user)
        assert desk.get("/admin/prices/plausiblerange/").status_code == 200
        assert desk.get(ADD_RANGE).status_code == desk.post(ADD_RANGE, typed("1", "2")).status_code == 403
    assert pellet().low == 600


def test_a_range_saved_as_it_was_is_no_change(desk):
    before = Dataset.objects.filter(slug="prices").first()
    assert desk.post(PAGE, shown(desk, PAGE)).status_code == 302
    assert pellet().history.count() == 1
    assert Dataset.objects.filter(slug="prices").first() == before
