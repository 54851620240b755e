from catalog.models import Depot
from prices.models import DepotPrice
from tests import factories
from tests.bench import depots, prices, scratch


def test_rows_to_measure_are_multiplied_and_prices_approved(monkeypatch, db):
    monkeypatch.setattr(scratch, "settle", lambda: None)  # would close the connection of the test
    factories.DepotPriceFactory()
    scratch.multiply(Depot, "depots", 3, **depots.MOVED)
    scratch.multiply(DepotPrice, "prices", 2, day="d.day - n")
    assert len(prices.approve(prices.submit(2, 0))) == 2
    assert (Depot.objects.published().count(), DepotPrice.objects.approved().count()) == (3, 4)
