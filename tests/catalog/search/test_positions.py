"""Middles of municipalities, and positions of places without one of their own, districts of cities among them."""

from itertools import pairwise

import numpy as np
import pytest
import shapely

from catalog.importers.sync_places import district_of
from catalog.models import Municipality
from catalog.search.entries import DistrictPart, PlaceRegister, PlaceRow, Positions, PostcodeRow, postcode_prefixes
from catalog.starter import read_places
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.coordinates import distance_m
from catalog.text import fold
from tests.catalog.search.country import PUBLISHED, register_of
from tests.factories import square

KRAKOW, WARSZAWA = "1261011", "1465011"
CENTRE = (50.06, 19.94)


def place(name, unit, lat=None, lon=None, *, main=True):
    city = f"{unit[:4]}011" if district_of(unit) else unit
    return PlaceRow(name, "część miasta", main, city, lat, lon, district_of(unit))


def postcode(code, lat, lon, addresses=1, city=KRAKOW, places=("Miasto",)):
    return PostcodeRow(code, places, lat, lon, ((city, addresses),))


def positions(places=(), postcodes=(), *, side_km=None):
    """Positions in Kraków and Warszawa. side_km: of a square around CENTRE, the boundary of Kraków; None without."""
    units = {code: Municipality(teryt=code, name=name) for code, name in ((KRAKOW, "Kraków"), (WARSZAWA, "Warszawa"))}
    areas = [] if side_km is None else [square(*CENTRE, side_km)]
    index = BoundaryIndex([Municipality(teryt=KRAKOW) for _ in areas], np.array(areas, object), [False for _ in areas])
    return Positions(PlaceRegister(units, places, postcodes, index))


def test_a_municipality_is_where_most_addresses_inside_its_boundary_are_near():
    for rows, side_km, middle in (
        ([(50.06, 19.94, 10), (50.07, 19.95, 5), (49.98, 19.87)], None, (50.06, 19.94)),
        ([(50.0, 19.9, 0), (50.05, 19.9, 0), (50.1, 19.9, 0)], None, (50.05, 19.9)),  # without addresses: one each
        ([(50.30, 19.94, 1000), (50.07, 19.95)], 10, (50.07, 19.95)),
    ):
        codes = [postcode(f"30-00{number}", *row) for number, row in enumerate(rows)]
        assert positions(postcodes=codes, side_km=side_km).of_municipality(KRAKOW) == (*middle, "municipality")


def test_without_postcodes_inside_the_place_of_its_name_then_any_point_inside():
    outside = [postcode("30-001", 50.30, 19.94)]
    seat, stray = place("Kraków", KRAKOW, 50.05, 19.93), place("Kraków", KRAKOW, 50.30, 19.93)
    assert positions([seat], outside, side_km=10).of_municipality(KRAKOW)[:2] == (50.05, 19.93)
    for places in ([], [stray]):
        lat, lon, source = positions(places, outside, side_km=10).of_municipality(KRAKOW)
        assert (round(lat, 3), round(lon, 3), source) == (*CENTRE, "municipality")
    assert positions().of_municipality(KRAKOW) is None


def test_a_place_is_amid_its_postcodes_with_the_fewest_places():
    codes = [postcode(f"32-00{n}", 50 + n / 10, 20.0, places=("Wola",)) for n in (1, 2, 3)]
    codes.append(postcode("32-009", 50.9, 20.0, 99, places=("Wola", "Wólka")))
    known = positions(postcodes=codes)
    assert known.of_place("wola", KRAKOW) == (50.2, 20.0, "postcode")
    assert known.of_place("wolka", KRAKOW) == (50.9, 20.0, "postcode")


def test_of_two_places_of_a_name_the_main_one_counts():
    parts = [place("Wola", KRAKOW, lat, 19.9, main=lat == 50.1) for lat in (50.0, 50.1, 50.2)]
    assert positions(parts).of_place("wola", KRAKOW)[:2] == (50.1, 19.9)


def test_postcodes_far_outside_its_municipality_stand_for_no_place():
    inside = postcode("30-001", *CENTRE)
    for metres, expected in ((4_900, "postcode"), (5_100, "municipality")):
        code = postcode("32-001", CENTRE[0] + (5_000 + metres) / 111_195, CENTRE[1], places=("Wola",))
        lat, lon, source = positions(postcodes=[inside, code], side_km=10).of_place("wola", KRAKOW)
        assert ((lat, lon), source) == ((code.lat, code.lon) if source == "postcode" else CENTRE, expected)
    near = postcode("32-002", 50.1, 19.94, places=("Wola", "Wólka"))
    assert positions(postcodes=[code, near], side_km=10).of_place("wola", KRAKOW)[:2] == (50.1, 19.94)


def test_a_district_is_amid_its_postcodes_and_its_parts_are_there_too():
    codes = [postcode("31-901", 50.07, 20.1, 9), postcode("31-801", 50.09, 20.03), postcode("30-399", 49.98, 19.87, 99)]
    places = [place(name, "1261039") for name in ("Kraków-Nowa Huta", "Lubocza", "Bieńczyce")]
    known = positions([*places, place("Osiedle", KRAKOW)], codes)
    assert known.of_place("krakow nowa huta", KRAKOW) == (50.07, 20.1, "postcode")
    assert known.of_place("lubocza", KRAKOW) == (50.07, 20.1, "postcode")
    assert known.of_place("bienczyce", KRAKOW) == (50.09, 20.03, "postcode")
    assert known.of_place("osiedle", KRAKOW) == (49.98, 19.87, "municipality")


def test_a_name_in_two_districts_is_that_of_the_district_else_of_neither():
    codes = [postcode("01-900", 52.29, 20.93, city=WARSZAWA), postcode("04-800", 52.2, 21.17, 9, city=WARSZAWA)]
    places = [place(name, unit, main=False) for name in ("Bielany", "Zbytki") for unit in ("1465048", "1465148")]
    known = positions([*places, place("Bielany", "1465048")], codes)
    assert known.of_place("bielany", WARSZAWA) == (52.29, 20.93, "postcode")
    assert known.of_place("zbytki", WARSZAWA) == (52.2, 21.17, "municipality")


def test_a_point_on_the_edge_is_inside():
    index = BoundaryIndex([Municipality(teryt=KRAKOW)], np.array([shapely.box(0, 0, 9, 9)], object), [False])
    assert index.covers(KRAKOW, np.array([(0.0, 5.0), (-0.1, 5.0)])).tolist() == [True, False]


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
    known = Positions(register)
    for district, (name, *_) in LANDMARKS.items():
        # Of SIMC's districts without a part of the same name, only the full one is known: "Wrocław-Stare Miasto".
        places = {place.name for place in register.places if place.district == district}
        name = name if name in places else next(place for place in places if place.endswith(f"-{name}"))
        at = known.of_place(fold(name), f"{district[:4]}011")
        assert at.source == "postcode", district
        marks = {code: place for code, (_, *place) in LANDMARKS.items() if code[:4] == district[:4]}
        distances = {code: distance_m(at.lat, at.lon, *place) for code, place in marks.items()}
        assert min(distances, key=distances.get) == district
        assert distances[district] < FARTHEST_M, district


def test_all_districts_have_postcodes_and_no_postcode_is_of_two_and_parts_of_an_estate_share_some():
    prefixes = postcode_prefixes()
    whole = {part.district: codes for part, codes in prefixes.items() if not part.place}
    assert whole.keys() == {place.unit for place in read_places() if place.id.startswith("terc:")}
    codes = sorted(code for codes in whole.values() for code in codes)
    assert not [(code, longer) for code, longer in pairwise(codes) if longer.startswith(code)]
    assert prefixes[DistrictPart("0264039", "krzyki")] == prefixes[DistrictPart("0264039", "partynice")] == ("53-0",)
    assert {part.district for part in prefixes} == whole.keys()
