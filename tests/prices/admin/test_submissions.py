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
    with django_assert_max_num_queries(11):
        page = desk.get(f"/admin/catalog/submission/{submission.pk}/change/")
    assert "Pellet 1 499,50 zł/t 1 listopada 2026 czeka na decyzję" in text_of(page)
    assert "Ekogroszek 1 600,00 zł/t" in text_of(page)


def test_a_submission_without_prices_has_no_table_of_them(desk):
    page = desk.get(f"/admin/catalog/submission/{factories.SubmissionFactory().pk}/change/")
    assert "Ceny z tego zgłoszenia" not in text_of(page)
