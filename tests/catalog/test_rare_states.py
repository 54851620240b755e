"""What the catalog does when others come in between, and what it refuses beforehand."""

import pytest
from django.db import IntegrityError

from catalog import boundaries
from catalog.models import DepotRequest
from catalog.request_body import MAX_BODY_BYTES, BodyTooLarge, read_pairs
from catalog.requests import LinkForgotten, confirm_request
from catalog.requests.secrecy import new_token
from fueldepot.logins import name_key
from prices import actions, starter
from tests import factories
from tests.catalog.requests.test_actions import NOW

pytestmark = pytest.mark.django_db


def test_a_point_inside_a_municipality_is_nearest_to_that_one():
    factories.BoundaryFactory()
    index = boundaries.BoundaryIndex.load()
    assert index.nearest(50.06, 19.94) == index.find(50.06, 19.94).teryt == "1261011"
    assert index.nearest(54.0, 14.0) == "1261011"


def test_a_body_that_is_too_large_is_not_looked_into():
    with pytest.raises(BodyTooLarge):
        read_pairs("application/json", b"x" * (MAX_BODY_BYTES + 1))


def test_a_link_whose_request_was_deleted_meanwhile():
    request = factories.DepotRequestFactory(unconfirmed=True)
    token, _ = new_token(request.pk, NOW)
    DepotRequest.objects.all().delete()
    with pytest.raises(LinkForgotten):
        confirm_request(token=token, on=NOW)


def test_a_name_is_hashed_the_same_from_the_form_and_from_what_was_read_of_it(rf):
    typed = rf.post("/admin/login/", {"username": "ewa", "password": "x"})
    assert name_key(typed, None) == name_key(None, {"username": "ewa"}) == name_key(typed, {})
    assert name_key(typed, None) != name_key(rf.post("/admin/login/", {}), None)
    assert "ewa" not in name_key(typed, None)


def test_a_price_that_breaks_another_rule_is_no_duplicate():
    price = factories.DepotPriceFactory.build(depot=factories.DepotFactory(), unit="mp")
    with pytest.raises(IntegrityError, match="depotprice_unit_of_the_fuel"):
        actions.save(price, None)


def test_invented_prices_of_the_future_are_those_of_today():
    assert starter.level("pellet", -1) == starter.level("pellet", 0) == starter.LEVELS["pellet"][-1][1]


def test_a_price_without_its_fuel_is_shown_again_with_what_is_missing(admin_client):
    answer = admin_client.post("/admin/prices/depotprice/add/", {"price": "1500", "origin": "price_list"})
    assert answer.status_code == 200
    assert {"depot", "fuel", "day"} <= set(answer.context["adminform"].form.errors)
