"""Which words of an address without numbers and commas name its town."""

import pytest

from catalog.search import index
from tests.catalog.search.country import make_search, units_found

UNITS = {"12": "małopolskie", "1205": "gorlicki", "14": "mazowieckie", "1411": "makowski"}
BIECZ, ROZAN, RURAL_BIECZ = "1205013", "1411073", "1411022"


@pytest.fixture
def search(monkeypatch):
    """Two towns that are not well known. Biecz has a rural namesake with more addresses."""
    monkeypatch.setattr(index, "LARGEST", 0)
    codes = {"06-200": (RURAL_BIECZ,), "06-201": (RURAL_BIECZ,), "38-250": (BIECZ,)}
    return make_search(UNITS | {BIECZ: "Biecz", ROZAN: "Różan", RURAL_BIECZ: "Biecz"}, postcodes=codes)


def test_a_town_is_found_beside_a_street_though_its_rural_namesake_is_more_important(search):
    assert units_found(search, "biecz") == [RURAL_BIECZ, BIECZ]
    for text in ("Biecz Wyspiańskiego", "Wyspiańskiego Biecz", "1 Maja Biecz"):
        assert units_found(search, text) == [RURAL_BIECZ, BIECZ], text


def test_a_case_of_a_town_before_another_town_is_a_street_without_a_preposition(search):
    assert units_found(search, "Różana Biecz") == units_found(search, "Biecz Różana") == [RURAL_BIECZ, BIECZ]
    assert units_found(search, "w Różanie Biecz") == units_found(search, "Różan Biecz") == [ROZAN]
    village = make_search(UNITS | {BIECZ: "Biecz", ROZAN: "Różan"}, ("Biecza", ROZAN))
    assert units_found(village, "Biecza") == [ROZAN]
