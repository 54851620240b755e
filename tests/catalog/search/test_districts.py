"""Postcodes of districts, and where they put the districts of the register."""

from itertools import pairwise

import pytest

from catalog.search.entries import DistrictPart, Positions, postcode_prefixes
from catalog.starter import read_places
from catalog.territory.coordinates import distance_m
from catalog.text import fold
from tests.catalog.search.country import PUBLISHED, register_of

LANDMARKS = {
    "0264029": ("Fabryczna", 51.1411, 16.9436),  # stadium
    "0264039": ("Krzyki", 51.0563, 16.9931),  # racecourse at Partynice
    "0264049": ("Psie Pole", 51.1472, 17.1170),  # market place
    "0264059": ("Stare Miasto", 51.1100, 17.0325),  # market place
    "0264069": ("Śródmieście", 51.1069, 17.0773),  # Centennial Hall
    "1061029": ("Bałuty", 51.7905, 19.4520),  # Bałucki Rynek
    "1061039": ("Górna", 51.7120, 19.4800),  # Mother's Memorial Hospital
    "1061049": ("Polesie", 51.7560, 19.4267),  # Atlas Arena
    "1061059": ("Śródmieście", 51.7680, 19.4690),  # EC1
    "1061069": ("Widzew", 51.7650, 19.5120),  # stadium of RTS Widzew
    "3064029": ("Grunwald", 52.3975, 16.8580),  # stadium
    "3064039": ("Jeżyce", 52.4110, 16.9060),  # Rynek Jeżycki
    "3064049": ("Nowe Miasto", 52.4030, 16.9700),  # lake of Malta
    "3064059": ("Stare Miasto", 52.4085, 16.9341),  # town hall
    "3064069": ("Wilda", 52.3930, 16.9220),  # Rynek Wildecki
}
"""Well-known places in districts: name of the district, position."""

FARTHEST_M = 3_500


@pytest.fixture(scope="module", params=["starter", PUBLISHED])
def register(request):
    return register_of(request.param)


@pytest.mark.slow
def test_a_district_is_near_its_landmark_and_farther_from_those_of_others(register):
    positions = Positions(register)
    for district, (name, *_) in LANDMARKS.items():
        # Of SIMC's districts without a part of the same name, only the full one is known: "Wrocław-Stare Miasto".
        places = {place.name for place in register.places if place.district == district}
        name = name if name in places else next(place for place in places if place.endswith(f"-{name}"))
        at = positions.of_place(fold(name), f"{district[:4]}011")
        assert at.source == "postcode", district
        marks = {code: place for code, (_, *place) in LANDMARKS.items() if code[:4] == district[:4]}
        distances = {code: distance_m(at.lat, at.lon, *place) for code, place in marks.items()}
        assert min(distances, key=distances.get) == district
        assert distances[district] < FARTHEST_M, district


def test_all_districts_have_postcodes_and_no_postcode_is_of_two():
    whole = {part.district: codes for part, codes in postcode_prefixes().items() if not part.place}
    assert whole.keys() == {place.unit for place in read_places() if place.id.startswith("terc:")}
    codes = sorted(code for codes in whole.values() for code in codes)
    assert not [(code, longer) for code, longer in pairwise(codes) if longer.startswith(code)]


def test_parts_of_a_housing_estate_share_its_postcodes():
    prefixes = postcode_prefixes()
    assert prefixes[DistrictPart("0264039", "krzyki")] == prefixes[DistrictPart("0264039", "partynice")] == ("53-0",)
    assert {part.district for part in prefixes} == {part.district for part in prefixes if not part.place}
