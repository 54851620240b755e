import pytest

from catalog.parsing.opening_hours import DAYS
from tests import factories


@pytest.fixture
def depot():
    return factories.DepotFactory(
        verified=True,
        name="Opał „Żar” & Syn",
        street="ul. Długa",
        house_number="5",
        postcode="30-001",
        place="Kraków",
        nip="5260250274",
        phone="+48 12 345 67 89, +48 601 234 567",
        website="https://www.example.pl/opal",
        fuels=["ekogroszek", "pellet"],
        hours=dict.fromkeys(DAYS, "7:00-15:00") | {"tue": "", "sat": "0:00-24:00", "sun": "nieczynne"},
        opening_hours="Mo-Fr 07:00-15:00; Tu 07:00-10:00,12:00-15:00; Sa 24/7",
        location_approximate=True,
    )


@pytest.fixture
def depot_page(depot):
    return f"/sklad/{depot.pk}-opal-zar-syn/"


@pytest.fixture
def prices():
    return factories.price_depots(1400, 1500, 1600)


@pytest.fixture
def demonstration():
    return factories.DepotFactory(demonstration=True)
