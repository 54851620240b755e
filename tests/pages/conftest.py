import pytest

from tests import factories


@pytest.fixture
def depot():
    return factories.DepotFactory(whole=True, verified=True, approximate=True)


@pytest.fixture
def depot_page(depot):
    return f"/sklad/{depot.pk}-opal-zar-syn/"


@pytest.fixture
def prices():
    return factories.price_depots(1400, 1500, 1600)


@pytest.fixture
def demonstration():
    return factories.DepotFactory(demonstration=True)
