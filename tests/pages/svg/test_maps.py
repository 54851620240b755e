"""Maps of invented areas: frames, outlines, circles, and dots without overlaps."""

import itertools
import math
import re
from itertools import combinations

import numpy as np
import pytest
import shapely
from hypothesis import example, given
from hypothesis import strategies as st

from pages.svg import maps
from pages.svg import scales_and_outlines as outlines
from pages.svg.scales_and_outlines import HEIGHTS, MARGIN, MOST_MARKS, RADIUS, WIDTH, fit

METRES = st.floats(-4e5, 4e5)


def areas(*shapes):
    return np.array(shapes, dtype=object)


def points_of(path):
    lines = []
    for start, rest in re.findall(r"M(-?\d+ -?\d+)l([-\d ]*)", path):
        x, y = map(int, start.split())
        points = [(x, y)]
        steps = [int(number) for number in re.findall(r"-?\d+", rest)]
        for dx, dy in zip(steps[::2], steps[1::2], strict=True):
            x, y = x + dx, y + dy
            points.append((x, y))
        lines.append(points)
    return lines


@given(METRES, METRES, st.floats(0, 6e5), st.floats(0, 6e5))
def test_a_frame_shows_all_it_must(left, bottom, across, up):
    frame = fit((left, bottom, left + across, bottom + up))
    assert HEIGHTS[0] <= frame.height <= HEIGHTS[1]
    for x, y in [(left, bottom), (left + across, bottom + up)]:
        at_x, at_y = frame.place(x, y)
        assert MARGIN - 1 <= at_x <= WIDTH - MARGIN + 1
        assert MARGIN - 1 <= at_y <= frame.height - MARGIN + 1


@given(st.lists(st.tuples(METRES, METRES), min_size=1, max_size=12))
def test_every_depot_lies_inside_the_frame(places):
    frame = maps.depot_frame(None, places)
    for x, y in (frame.place(*place) for place in places):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= frame.height


def test_north_is_up():
    assert maps.depot_frame(None, []) is None, "nothing to show"
    frame = fit((0, 0, 1000, 1000))
    assert frame.place(0, 1000)[1] < frame.place(0, 0)[1]
    assert frame.place(0, 0)[0] < frame.place(1000, 0)[0]


def test_a_hole_and_an_island_are_drawn():
    area = shapely.MultiPolygon(
        [shapely.box(0, 0, 10_000, 10_000) - shapely.box(3000, 3000, 6000, 6000), shapely.box(12_000, 0, 14_000, 2000)]
    )
    lines = points_of(outlines.area_path(area, fit(shapely.bounds(area).tolist())))
    assert len(lines) == 3
    # Closed by the letter z, so no point is repeated.
    assert all(len(points) == 4 for points in lines)


def test_neighbours_share_their_border():
    wavy = [(5000 + 300 * math.sin(y / 700), y) for y in range(0, 10_001, 20)]
    west = shapely.Polygon([(0, 0), *wavy, (0, 10_000)])
    east = shapely.Polygon([(10_000, 0), *wavy, (10_000, 10_000)])
    frame = fit((0, 0, 10_000, 10_000))
    simple = outlines.simplify(areas(west, east), frame.metres_per_unit)
    one, other = (set(points_of(outlines.path(area, frame))[0]) for area in simple)
    assert len(one & other) > 5
    assert sum(shapely.get_num_coordinates(simple)) < 300 < sum(shapely.get_num_coordinates(areas(west, east)))


@given(st.floats(1, 400), st.floats(1, 400))
def test_the_smallest_area_is_still_to_be_seen(across, up):
    assert outlines.area_path(shapely.box(1e5, 1e5, 1e5 + across, 1e5 + up), fit((0, 0, 250_000, 250_000)))


def test_areas_that_overlap_can_be_drawn():
    shapes = areas(*(shapely.Point(x * 700, y * 900).buffer(800, 5) for x in range(6) for y in range(6)))
    frame = fit(shapely.total_bounds(shapes).tolist())
    assert shapely.is_valid(outlines.simplify(shapes, frame.metres_per_unit * 10)).all()
    names = [str(i) for i in range(len(shapes))]
    below = maps.ground(frame, shapes, own=0, names=names, counties=names, approximate=True)
    picture = maps.depot_map(frame, below, depots=[], credit_osm=False)
    assert all((picture.approximate, picture.ground.land, picture.ground.borders))
    both = outlines.union(areas(shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3)))
    assert (both.is_valid, both.area) == (True, pytest.approx(7))


def test_a_municipality_with_depots():
    west, east = shapely.box(0, 0, 5000, 8000), shapely.box(5000, 0, 10_000, 8000)
    depots = [(1, (1000.0, 1000.0)), (2, (1000.0, 1010.0))]
    named = {"names": ["Zachodnia", "Wschodnia"], "counties": ["1001", "1002"]}
    frame = maps.depot_frame(west.bounds, [place for _, place in depots])
    below = maps.ground(frame, areas(west, east), own=0, approximate=False, **named)
    picture = maps.depot_map(frame, below, depots=depots, credit_osm=True, origin=(1000.0, 1005.0))
    assert [dot.label for dot in picture.dots] == ["1", "2"]
    assert picture.moved
    assert picture.groups == ()
    assert all(math.dist(picture.origin, (dot.x, dot.y)) > 17 for dot in picture.dots)
    assert len(points_of(picture.ground.outline)) == 1
    assert all((picture.ground.borders, picture.ground.land))


def test_neighbours_are_named_where_there_is_room():
    west = shapely.box(0, 0, 8000, 8000)
    east = shapely.box(8000, 0, 9000, 8000)
    south = shapely.box(0, -900, 8000, 0)
    frame = fit((-3000, -3000, 11_000, 11_000))
    sides = [("Wschodnia", east), ("Południowa", south), ("Gmina o bardzo długiej nazwie nad bardzo długą rzeką", west)]
    spots = [maps.name_spots(frame, *side) for side in sides]
    (name,) = maps.place_names(spots, [])
    assert name.text == "Południowa"
    assert maps.place_names(spots, [(name.x, name.y)]) == ()
    assert maps.place_names([spots[1], spots[1]], []) == (name,)


def test_without_a_boundary_the_depots_remain():
    frame = maps.depot_frame(None, [(0.0, 0.0)])
    below = maps.ground(frame, areas(), own=None, names=[], counties=[], approximate=False)
    picture = maps.depot_map(frame, below, depots=[(1, (0.0, 0.0))], credit_osm=False)
    assert (picture.ground.outline, picture.ground.land, picture.ground.borders) == ("", "", "")
    assert [dot.label for dot in picture.dots] == ["1"]


def test_a_wide_map_draws_counties():
    cells = [shapely.box(x, y, x + 1000, y + 1000) for x in range(0, 8000, 1000) for y in range(0, 8000, 1000)]
    counties = [str(int(shapely.get_x(shapely.centroid(cell)) > 4000)) for cell in cells]
    frame = fit((0, 0, 8000, 8000))
    below = maps.ground(frame, areas(*cells), own=5, names=counties, counties=counties, approximate=False)
    picture = maps.depot_map(frame, below, depots=[], credit_osm=False)
    edges = {round(10 * frame.place(metres, 0)[0]) for metres in (0, 4000, 8000)}
    ends = {round(10 * frame.place(0, metres)[1]) for metres in (0, 8000)}
    points = [point for line in points_of(picture.ground.borders) for point in line]
    assert points
    assert all(x in edges or y in ends for x, y in points)
    assert picture.ground.outline


def squares(counts):
    shapes = areas(*(shapely.box(i * 1000, 0, i * 1000 + 1000, 1000) for i in range(len(counts))))
    units = [maps.MapUnit(f"/{i}/", f"gmina {i}", number) for i, number in enumerate(counts)]
    return maps.area_map(maps.draw_areas(shapes, [unit.href for unit in units], approximate=True), units)


@example([0, 0])
@given(st.lists(st.integers(0, 400), min_size=1, max_size=12))
def test_areas_of_circles_grow_with_their_counts(counts):
    picture = squares(counts)
    assert bool(picture.legend) is any(counts)
    assert sorted(circle.count for circle in picture.circles) == sorted(number for number in counts if number)
    for circle in picture.circles:
        assert circle.r <= maps.LARGEST_CIRCLE + 0.1
        most = picture.circles[0]
        assert circle.r == pytest.approx(most.r * math.sqrt(circle.count / most.count), abs=0.11)
    assert [link.unit.href for link in picture.links] == [f"/{i}/" for i in range(len(counts))]


@given(st.integers(1, 5000))
def test_a_legend_stays_in_its_strip(most):
    legend = maps.circle_legend(most, maps.circle_size(most), right=356.0, middle=10.0)
    assert legend[0].count == 1
    assert all(circle.count <= most and circle.r <= maps.STRIP / 2 for circle in legend)
    for before, after in itertools.pairwise(legend):
        assert before.x + before.r < after.x - after.r
    # The scale bar and the arrow have the left half.
    assert legend[0].x - legend[0].r > WIDTH / 2


def test_labels_stand_in_the_largest_part():
    island = shapely.MultiPolygon([shapely.box(0, 0, 100, 100), shapely.box(1000, 0, 9000, 8000)])
    drawn = maps.draw_areas(areas(island), ["a"], approximate=False)
    ((x, _),) = drawn.middles
    assert x > drawn.frame.place(1000, 0)[0]


def test_labels_stay_inside_the_picture_and_compound_names_take_two_lines():
    shapes = areas(shapely.box(0, 0, 300, 8000), shapely.box(300, 0, 8000, 8000), shapely.box(8000, 0, 8300, 8000))
    units = [
        maps.MapUnit(f"/{name}/", name, 0, label=(name,)) for name in ("zachodniopomorskie", "małe", "podkarpackie")
    ]
    picture = maps.area_map(maps.draw_areas(shapes, [unit.href for unit in units], approximate=True), units)
    for link in picture.links:
        half = outlines.text_width(link.unit.title, maps.NAME_SIZE) / 2
        assert half < link.x < picture.frame.width - half
    assert maps.name_lines("kujawsko-pomorskie") == ("kujawsko-", "pomorskie")
    assert maps.name_lines("lubelskie") == ("lubelskie",)


def test_lines_are_drawn_whatever_they_come_in():
    line, ring = shapely.LineString([(0, 0), (10, 0)]), shapely.box(0, 0, 10, 10)
    frame = fit((0, 0, 10, 10))
    together = shapely.GeometryCollection([shapely.Point(5, 5), shapely.GeometryCollection([ring]), line])
    assert outlines.path(together, frame) == outlines.path(ring, frame) + outlines.path(line, frame) != ""


PLACES = st.lists(st.tuples(st.floats(0, WIDTH), st.floats(0, HEIGHTS[0])), max_size=250)
CROWDED = st.lists(st.tuples(st.floats(150, 156), st.floats(100, 104)), max_size=90)


def arranged(places, obstacles=()):
    return outlines.arrange(list(enumerate(places, start=1)), width=WIDTH, height=HEIGHTS[0], obstacles=obstacles)


@given(PLACES | CROWDED, st.lists(st.tuples(st.floats(20, 340), st.floats(20, 200)), max_size=1))
def test_no_dot_covers_another_or_leaves_the_picture(places, obstacles):
    drawn = arranged(places, obstacles)
    for one, other in combinations([(dot.x, dot.y) for dot in drawn], 2):
        assert math.dist(one, other) >= 2 * RADIUS
    for dot in drawn:
        assert RADIUS - 0.1 <= dot.x <= WIDTH - RADIUS + 0.1
        assert RADIUS - 0.1 <= dot.y <= HEIGHTS[0] - RADIUS + 0.1
        assert all(math.dist((dot.x, dot.y), other) >= 2 * RADIUS for other in obstacles)


@given(PLACES)
def test_every_number_is_shown_once(places):
    drawn = arranged(places)
    assert sorted(number for dot in drawn for number in dot.numbers) == list(range(1, len(places) + 1))
    assert len(drawn) <= MOST_MARKS
    assert len({dot.label for dot in drawn}) == len(drawn)
    if len(places) <= MOST_MARKS:
        assert [dot.label for dot in drawn] == [str(number) for number in range(1, len(places) + 1)]


def test_dots_with_room_stay_at_their_place_and_one_that_gives_way_keeps_its_own():
    (one, two) = arranged([(100.0, 100.0), (200.0, 100.0)])
    assert (one.x, one.y, one.moved, two.moved) == (100.0, 100.0, False, False)
    (_, second) = arranged([(100.0, 100.0), (101.0, 100.0)])
    assert second.moved
    assert (second.at_x, second.at_y) == (101.0, 100.0)
    assert math.dist((second.x, second.y), (101.0, 100.0)) < 3 * RADIUS


def test_many_at_one_place_share_a_letter():
    drawn = arranged([(100.0, 100.0)] * 80 + [(300.0, 50.0)])
    assert [dot.label for dot in drawn] == ["A", "81"]
    assert drawn[0].is_group
    assert drawn[0].numbers == tuple(range(1, 81))
    assert [outlines.letter(number) for number in (0, 25, 26, 51, 52, 702)] == ["A", "Z", "AA", "AZ", "BA", "AAA"]


def test_a_full_picture_is_drawn_all_the_same():
    taken = [(float(x), float(y)) for x in range(0, 361, 9) for y in range(0, 221, 9)]
    assert outlines.free_spot((5.0, 500.0), taken, WIDTH, HEIGHTS[0]) == (RADIUS, HEIGHTS[0] - RADIUS)
