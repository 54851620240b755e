"""Depots in memory, held against measuring every one of them."""

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.depots import fuels
from catalog.depots.snapshot import DepotNotFound, Depots, read_depots
from catalog.territory.coordinates import Point
from tests import factories
from tests.factories import depot_row

SLUGS = list(fuels.BY_SLUG)


def haversine_m(*degrees):
    """The great-circle distance by the textbook, with the mean radius of the IUGG."""
    phi1, lam1, phi2, lam2 = map(math.radians, degrees)
    half = math.sin((phi2 - phi1) / 2) ** 2 + math.cos(phi1) * math.cos(phi2) * math.sin((lam2 - lam1) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(min(1.0, math.sqrt(half)))


LATS, LONS = st.floats(48.8, 55.1), st.floats(13.9, 24.3)
PLACED = st.lists(st.tuples(LATS, LONS, st.sets(st.sampled_from(SLUGS))), max_size=60)
ROWS = PLACED.map(lambda rows: [depot_row(n, lat=y, lon=x, fuels=[*sold]) for n, (y, x, sold) in enumerate(rows, 1)])


@given(ROWS, LATS, LONS, st.integers(1, 900), st.integers(1, 100), st.sampled_from([None, *SLUGS]))
def test_the_nearest_are_those_that_measuring_every_depot_finds(rows, lat, lon, radius_km, limit, fuel):
    found = Depots(rows).near(Point(lat, lon), radius_km=radius_km, fuel=fuel, limit=limit)
    offering = [one for one in rows if fuel is None or set(fuels.assortments(fuel)) & set(one.fuels)]
    metres = {one.id: haversine_m(lat, lon, one.lat, one.lon) for one in offering}
    inside = [number for number, far in metres.items() if far <= radius_km * 1000]
    assert (found.total, len(found.rows)) == (len(inside), min(limit, len(inside)))
    for one, distance_m in found.measured():
        assert distance_m == pytest.approx(metres[one.id], abs=1e-6)
    told = [metres[one.id] for one in found.rows]
    assert told == pytest.approx(sorted(metres[number] for number in inside)[:limit], abs=1e-6)


@given(ROWS.filter(bool), st.integers(1, 20))
def test_equal_distances_come_by_number_also_at_the_cut(rows, limit):
    same = [one._replace(lat=rows[0].lat, lon=rows[0].lon) for one in rows]
    found = Depots(same[::-1]).near(Point(rows[0].lat, rows[0].lon), radius_km=1, limit=limit)
    assert [one.id for one in found.rows] == sorted(one.id for one in rows)[:limit]
    assert set(found.distances_m) == {0}


def test_without_depots_every_question_has_an_empty_answer():
    known = Depots([])
    assert known.near(Point(50, 20), radius_km=50, fuel="pellet", limit=5) == ([], 0, [])
    assert (known.in_unit("12"), known.find(1)) == (([], 0, None), None)


def test_depots_of_one_name_are_namesakes():
    known = Depots([depot_row(1, name="A"), depot_row(2, name="A"), depot_row(3, name="B")])
    assert [known.has_namesake(one) for one in known.rows] == [True, True, False]


def test_a_telephone_is_found_by_its_number_without_the_extension():
    depots = Depots([depot_row(1, phone="+48 500 100 200, +48 12 345 67 89 ext. 12")])
    assert [depots.matching(text).total for text in ("12 345 67 89", "500100200", "345678912")] == [1, 1, 0]


def test_words_of_a_place_are_searched_beside_a_word_of_the_name_alone():
    depots = Depots([depot_row(1, name="Skład Nowak", place="Kraków")])
    totals = [depots.matching("nowak kraków", of_name=words).total for words in ((), ("nowak",), ("krakow",))]
    assert totals == [0, 1, 0]


def test_a_unit_lists_its_own_in_the_order_of_the_rows():
    known = Depots([depot_row(3), depot_row(1, teryt="1217011"), depot_row(2, teryt="1465011", fuels=["ekogroszek"])])
    assert [one.id for one in known.in_unit("12").rows] == [3, 1]
    assert [one.id for one in known.in_unit("1217").rows] == [1]
    assert known.in_unit("12", limit=1) == ([known.rows[0]], 2, None)
    assert [one.id for one in known.in_unit("14", fuel="wegiel").rows] == [2]
    assert known.in_unit("14", fuel="pellet").total == 0
    assert (known.count_in("1261011"), known.count_in("99")) == (1, 0)


@pytest.mark.django_db
def test_only_published_depots_are_read_in_polish_order():
    for day, name in enumerate(("Żak", "Łoś", "Lis", "Zając"), 1):
        factories.DepotFactory(name=name, updated_at=date(2026, 9, day))
    removed = factories.DepotFactory(name="Usunięty", removed=True)
    known = read_depots()
    assert known.rows[0].fuels is known.rows[1].fuels  # equal lists are one
    assert ([one.name for one in known.rows], known.updated_at) == (["Lis", "Łoś", "Zając", "Żak"], date(2026, 9, 4))
    with pytest.raises(DepotNotFound):
        known.get(removed.pk)
    with pytest.raises(DepotNotFound):
        known.get(2**70)
