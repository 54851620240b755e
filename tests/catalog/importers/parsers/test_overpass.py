import json
from datetime import date

import pytest

from catalog.importers.parsers import osm_tags
from catalog.importers.records import Note
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, shared, text, write


def answer(path, *elements, **header):
    """Parse an answer with the slice's header and other elements."""
    document = json.loads(text("overpass.json")) | header
    document["elements"] = list(elements)
    return osm_tags.parse_overpass(write(path / "overpass.json", json.dumps(document)))


def node(number=1, **changes):
    return {"type": "node", "id": number, "lat": 50.1, "lon": 19.8, "tags": {"shop": "coal", "name": "Próba"}} | changes


def way(**changes):
    return {"type": "way", "id": 2, "tags": {"shop": "coal", "name": "Próba"}} | changes


def test_nodes_ways_and_relations():
    extract = osm_tags.parse_overpass(DATA / "overpass.json")
    positions = {row.source_id: (row.lat, row.lon) for row in extract.rows}
    assert positions == {"node/11": (50.1, 19.8), "way/12": (50.2, 19.9), "relation/13": (50.3, 19.7)}
    assert (extract.rejected, extract.as_of) == ((), date(2021, 10, 3))


def test_way_without_a_centre_is_rejected(tmp_path):
    centres = ({}, None, {"lat": 50.1}, {"lat": "50.1", "lon": "19.8"}, {"lat": True, "lon": 1}, [])
    for element in (way(), *(way(center=centre) for centre in centres)):
        extract = answer(tmp_path, node(), element)
        assert [row.source_id for row in extract.rows] == ["node/1"], element
        assert extract.rejected == (Note("way/2", "has no position"),)
    assert len(answer(tmp_path, way(center={})).rejected) == 1


def test_an_element_counts_once_and_a_way_of_its_number_besides(tmp_path):
    assert len(answer(tmp_path, node(2), way(center={"lat": 50.1, "lon": 19.8})).rows) == 2
    assert len(answer(tmp_path, node(), node()).rows) == 1
    # The skeleton of the same node.
    assert len(answer(tmp_path, node(), {"type": "node", "id": 1, "lat": 50.1, "lon": 19.8}).rows) == 1


def test_elements_that_are_refused(tmp_path):
    for elements, message in (
        ([node(), node(lat=50.2)], "row 2: node/1 is there twice with different content"),
        ([node(tags={"shop": "florist"})], "no depot among 1 elements"),
        ([], "no depot among 0 elements"),
        ([node(), "x"], "row 2: the element 'x' is not an object"),
        ([node(), {"remark": "runtime error"}], "not whole"),
        *(([node(number)], r"row 1: the id .* of a node") for number in (None, "1", 0, -1, True, 1.0)),
        *(([node(tags=tags)], "row 1: the tags of node/1 are not texts") for tags in ([], "shop=coal", {"shop": 1})),
    ):
        assert_refused(message, answer, tmp_path, *elements)
    timed_out = 'runtime error: Query timed out in "query" at line 4.'
    message = "not whole, it says: runtime error: Query timed out"
    assert_refused(message, answer, tmp_path, node(), remark=timed_out)
    # A tag of that name is an ordinary one.
    assert len(answer(tmp_path, node(tags={"shop": "coal", "remark": "od podwórza"})).rows) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *((content, "not an answer of the Overpass API") for content in ('{"a": 1}', '{"elements": {}}', "[]", "1")),
        ('{"remark": "runtime error", ' + text("overpass.json").lstrip()[1:], "not whole, it says: runtime error"),
        ("<html><body>Too many requests</body></html>", "not complete JSON"),
        (text("overpass.json")[:-20], "not complete JSON, is it cut off"),
    ],
)
def test_what_is_no_whole_answer_is_refused(tmp_path, content, message):
    assert_refused(message, osm_tags.parse_overpass, write(tmp_path / "a.json", content))


def test_a_day_that_is_none_is_refused_and_a_missing_one_is_not_known(tmp_path):
    for stamp in ("3 October", "2031-13-03T21:04:02Z", 5):
        assert_refused("timestamp_osm_base", answer, tmp_path, node(), osm3s={"timestamp_osm_base": stamp})
    assert answer(tmp_path, node(), osm3s={}).as_of is None


@pytest.mark.full_scale
@pytest.mark.slow
def test_what_depots_of_the_whole_country_sell():
    extract = osm_tags.parse_overpass(shared("depots.overpass.json"))
    assert (extract.rejected, extract.as_of) == ((), date(2026, 10, 3))
    sold = [row.fuels for row in extract.rows]
    counts = {fuel: sum(fuel in fuels for fuels in sold) for fuel in ("wegiel", "drewno-kominkowe")}
    assert counts | {"none": sold.count(())} == {"wegiel": 5240, "drewno-kominkowe": 1620, "none": 1020}
    assert sum(row.nip is not None for row in extract.rows) == 1987
