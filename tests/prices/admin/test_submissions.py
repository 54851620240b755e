"""Prices on the page of the submission that brought them."""

from decimal import Decimal

import pytest

from tests import factories
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db


def test_the_page_of_a_submission_shows_its_prices(desk, django_assert_max_num_queries):
    submission = factories.SubmissionFactory()
    for fuel, amount in [("pellet", "1499.50"), ("ekogroszek", "1600")]:
        factories.DepotPriceFactory(
            depot=submission.depot,
            submission=submission,
            fuel=fuel,
            price=Decimal(amount),
            pending=True,
            from_reader=True,
        )
    with django_assert_max_num_queries(19):
        page = desk.get(f"/admin/catalog/submission/{submission.pk}/change/")
    assert "Pellet 1 499,50 zł/t 1 listopada 2026 czeka na decyzję" in text_of(page)
    assert "Ekogroszek 1 600,00 zł/t" in text_of(page)
    assert f'href="/admin/prices/depotprice/?q=%23{submission.depot_id}"' in page.content.decode()
    queue = desk.get("/admin/prices/depotprice/", {"q": f"#{submission.depot_id}"})
    assert "Ekogroszek" in text_of(queue)
    assert f'<a href="/admin/catalog/depot/{submission.depot_id}/change/">' in queue.content.decode()


def test_a_decided_price_shows_its_reason_and_its_bag_and_leads_to_no_queue(desk):
    submission = factories.SubmissionFactory()
    bag = {"bag_price": Decimal("30"), "bag_kg": Decimal("15"), "price": Decimal("2000")}
    factories.DepotPriceFactory(depot=submission.depot, submission=submission, rejected=True, from_reader=True, **bag)
    page = desk.get(f"/admin/catalog/submission/{submission.pk}/change/")
    assert "2 000,00 zł/t worek 15 kg: 30 zł 1 listopada 2026 odrzucona: zła jednostka" in text_of(page)
    assert "/admin/prices/depotprice/?q=" not in page.content.decode()


def test_a_submission_without_prices_has_no_table_of_them(desk):
    page = desk.get(f"/admin/catalog/submission/{factories.SubmissionFactory().pk}/change/")
    assert "Ceny z tego zgłoszenia" not in text_of(page)
