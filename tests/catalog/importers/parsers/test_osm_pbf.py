"""An extract in PBF says the same as an Overpass answer about the same objects."""

import json
from datetime import date

import osmium
import pytest
from osmium.osm.mutable import Node, Relation, Way

from catalog.importers.parsers import osm_tags
from catalog.importers.records import BadInput, Note
from catalog.importers.sources.openstreetmap import parse_pbf
from tests.catalog.importers.parsers.helpers import assert_refused, format_of, refusals, shared, write, zipped

TAGS = {"shop": "coal", "name": "Próba", "addr:city": "Kolsko"}
CORNERS = {1: (50.0, 19.0), 2: (50.0, 19.2), 3: (50.1, 19.2), 4: (50.3, 19.9)}


def extract(path, *objects, stamp="2031-10-03T20:21:22Z"):
    header = osmium.io.Header()
    if stamp:
        header.set("osmosis_replication_timestamp", stamp)
    with osmium.SimpleWriter(str(path), header=header, overwrite=True) as writer:
        for number, (lat, lon) in CORNERS.items():
            writer.add_node(Node(id=number, location=(lon, lat)))
        for found in objects:
            {Node: writer.add_node, Way: writer.add_way, Relation: writer.add_relation}[type(found)](found)
    return path


def node(number=11, **changes):
    return Node(**{"id": number, "location": (19.8, 50.1), "tags": TAGS} | changes)


def positions(result):
    return {row.source_id: (row.lat, row.lon) for row in result.rows}


def test_nodes_ways_and_relations(tmp_path):
    path = extract(
        tmp_path / "a.osm.pbf",
        node(),
        Way(id=12, nodes=[1, 2, 3, 1], tags=TAGS),
        Way(id=20, nodes=[2, 3, 4]),
        Relation(id=13, members=[("w", 20, "outer"), ("n", 1, ""), ("r", 99, "")], tags=TAGS),
    )
    result = parse_pbf(path)
    assert positions(result) == {"node/11": (50.1, 19.8), "way/12": (50.05, 19.1), "relation/13": (50.15, 19.45)}
    assert (result.as_of, result.rejected) == (date(2031, 10, 3), ())


def test_the_same_as_an_answer_of_overpass(tmp_path):
    path = extract(tmp_path / "a.osm.pbf", node(), Way(id=12, nodes=[1, 2, 3, 1], tags=TAGS), stamp="")
    elements = [
        {"type": "node", "id": 11, "lat": 50.1, "lon": 19.8, "tags": TAGS},
        {"type": "way", "id": 12, "center": {"lat": 50.05, "lon": 19.1}, "tags": TAGS},
    ]
    answer = write(tmp_path / "a.json", json.dumps({"osm3s": {}, "elements": elements}))
    assert parse_pbf(path) == osm_tags.parse_overpass(answer)
    assert parse_pbf(path).as_of is None


def test_other_objects_are_passed_over(tmp_path):
    others = ({"shop": "bakery"}, {"amenity": "fuel"}, {"shop": "fuel", "fuel:diesel": "yes"})
    objects = [node(30 + number, tags=tags) for number, tags in enumerate(others)]
    assert list(positions(parse_pbf(extract(tmp_path / "a.osm.pbf", node(), *objects)))) == ["node/11"]


def test_depots_abroad_or_with_no_node_in_the_extract_are_rejected(tmp_path):
    path = extract(tmp_path / "a.osm.pbf", node(location=(2.3, 48.8)), Way(id=12, nodes=[97, 98], tags=TAGS))
    result = parse_pbf(path)
    assert result.rows == ()
    assert result.rejected == (
        Note("node/11", "the position is outside Poland: '48.8, 2.3'"),
        Note("way/12", "has no position"),
    )


def test_an_object_twice(tmp_path):
    twice = extract(tmp_path / "a.osm.pbf", node(), node(location=(19.9, 50.1)))
    assert_refused("node/11 is there twice with different content", parse_pbf, twice)
    assert len(parse_pbf(extract(tmp_path / "b.osm.pbf", node(), node())).rows) == 1


def test_what_is_no_extract_of_poland_is_refused(tmp_path):
    header = osmium.io.Header()
    header.has_multiple_object_versions = True
    with osmium.SimpleWriter(str(tmp_path / "a.osh.pbf"), header=header) as writer:
        writer.add_node(node(version=1, visible=True))
    whole = extract(tmp_path / "a.osm.pbf", node()).read_bytes()
    for path, message in (
        (extract(tmp_path / "b.osm.pbf"), "has no depot; is it the extract of Poland"),
        (tmp_path / "a.osh.pbf", "holds the history of objects"),
        (zipped(tmp_path / "a.zip", {"a.osm.pbf": whole}), "is a zip; unpack it"),
    ):
        assert_refused(message, parse_pbf, path)


def test_identifiers_of_drafts_and_damage_are_refused(tmp_path):
    for odd in (
        node(-5),
        Way(id=12, nodes=[1, -2], tags=TAGS),
        Relation(id=13, members=[("w", -4, ""), ("n", 1, "")], tags=TAGS),
        Relation(id=13, members=[("n", 1 << 62, "")], tags=TAGS),
    ):
        assert_refused("which is not OpenStreetMap's", parse_pbf, extract(tmp_path / "a.osm.pbf", odd))


def test_it_is_recognised_whatever_its_name(tmp_path):
    assert format_of(extract(tmp_path / "a.osm.pbf", node()).rename(tmp_path / "depots.json")) == "osm_pbf"
    assert len(parse_pbf(tmp_path / "depots.json").rows) == 1


@pytest.mark.full_scale
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9, 0.999])
def test_an_extract_that_is_cut_off_is_refused(tmp_path, share):
    whole = shared("samples/depots.osm.pbf").read_bytes()
    with pytest.raises(BadInput, match="damaged or cut off"):
        parse_pbf(write(tmp_path / "a.osm.pbf", whole[: int(len(whole) * share)]))


def test_damage_is_one_line(tmp_path):
    whole = extract(tmp_path / "whole.osm.pbf", node(), Way(id=12, nodes=[1, 2, 3, 1], tags=TAGS)).read_bytes()
    assert len(refusals(parse_pbf, tmp_path / "a.osm.pbf", whole, 60)) > 30
