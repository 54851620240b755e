"""Depots of OpenStreetMap: their tags, and answers of Overpass and extracts in PBF, which say the same."""

import json
import re
from datetime import date

import osmium
import pytest
from osmium.osm.mutable import Node, Relation, Way

from catalog.depots import fuels
from catalog.importers.parsers import osm_tags
from catalog.importers.records import DepotRecord, Note
from catalog.importers.sources.openstreetmap import parse_pbf
from tests.catalog.importers.parsers import helpers
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, format_of, refusals, shared, write, zipped


def depot(**tags):
    """A depot near Kraków; "__" stands for the colon of a key."""
    named = {"shop": "coal", "name": "Skład Próbny"} | {key.replace("__", ":"): value for key, value in tags.items()}
    record = osm_tags.depot("node/1", 50.1, 19.8, {key: value for key, value in named.items() if value is not None})
    assert isinstance(record, DepotRecord)
    return record


def reasons(record):
    assert all(note.key == record.source_id for note in record.notes)
    return [note.reason for note in record.notes]


def test_what_the_source_says_is_not_sold():
    for tags, denied in (
        ({"fuel__pellets": "no"}, ("pellet",)),
        ({"sells__wood": "No "}, ("drewno-kominkowe",)),
        ({"fuel__coal": "no", "fuel__wood": "yes"}, fuels.assortments("wegiel")),
        ({"fuel__ekogroszek": "no"}, ("ekogroszek",)),
        ({"fuel__pellets": "unknown", "fuel__wood": ""}, ()),
        ({"fuel__diesel": "no"}, ()),
    ):
        assert depot(shop="fuel", **tags).denied_fuels == denied


def test_every_tag_that_is_used_is_read():
    address = {"addr__street": "Próbna", "addr__housenumber": "7a", "addr__city": "Dolna Próba"}
    contact = {"phone": "12 345 67 89", "website": "sklad.example.org", "ref__vatin": "PL1234563218"}
    more = {"fuel__coal": "yes", "fuel__wood": "yes", "addr__postcode": "98-701"}
    expected = {"street": "Próbna", "house_number": "7a", "postcode": "98-701", "place": "Dolna Próba"}
    expected |= {"nip": "1234563218", "phone": "+48 12 345 67 89", "website": "https://sklad.example.org/"}
    expected |= {"fuels": ("wegiel", "drewno-kominkowe"), "opening_hours": "Mo-Fr 07:00-15:00"}
    week = dict.fromkeys(("mon", "tue", "wed", "thu", "fri"), "7:00-15:00") | dict.fromkeys(("sat", "sun"), "nieczynne")
    record = depot(shop="fuel", opening_hours="Mo-Fr 07:00-15:00", **more, **address, **contact)
    assert record == DepotRecord("node/1", "Skład Próbny", 50.1, 19.8, hours=week, **expected)


def test_what_is_a_depot_and_what_it_sells():
    for sold, tagss in (
        (set(), ({"shop": "fuel"}, {"shop": "fuel", "fuel:charcoal": "yes"}, {"shop": "fuel", "fuel:coal": "no"})),
        (set(), ({"shop": "fuel", "fuel:coal": "None"}, {"shop": "fuel", "fuel:diesel": "no"})),
        (set(), ({"shop": "fuel", "fuel": "yes"},)),
        ({"wegiel"}, ({"shop": "fuel", "fuel:coal": "yes"},)),
        ({"wegiel"}, ({"shop": "fuel", "fuel:coal": "yes", "fuel:diesel": "yes"}, {"shop": "coal"})),
        ({"wegiel"}, ({"shop": "agrarian", "sells:coal": "yes"}, {"shop": "coal", "disused": "no"})),
        (None, ({"shop": "fuel", "fuel:diesel": "yes"}, {"shop": "fuel", "fuel:lpg": "yes", "fuel:wood": "no"})),
        (None, ({"shop": "agrarian", "sells:coal": "no"}, {"shop": "agrarian"})),
        (None, ({"shop": "agrarian", "sells:charcoal": "yes"}, {"shop": "convenience", "sells:firewood": "yes"})),
        (None, ({"amenity": "fuel", "fuel:coal": "yes"}, {"amenity": "bbq", "fuel": "wood"})),
        (None, ({"disused:shop": "coal"}, {"shop": "coal", "disused": "yes"}, {})),
        ({"drewno-kominkowe"}, ({"shop": "fuel", "sells:firewood": "yes"},)),
        ({"drewno-kominkowe"}, ({"shop": "coal", "fuel:coal": "no", "fuel:wood": "yes"}, {"shop": "firewood"})),
        ({"pellet"}, ({"shop": "fuel", "fuel:wood_pellets": "only"},)),
        ({"wegiel-groszek"}, ({"shop": "fuel", "fuel:Pea coal": "yes"},)),
        ({"ekogroszek"}, ({"shop": "fuel", "fuel:ekogroszek": "yes"},)),
        ({"brykiet"}, ({"shop": "fuel", "fuel:briquettes": "YES"},)),
        ({"wegiel", "drewno-kominkowe"}, ({"shop": "fuel", "fuel": "coal; wood"}, {"shop": "coal;firewood"})),
        ({"wegiel", "pellet"}, ({"shop": "coal", "sells:pellets": "yes"},)),
        ({"wegiel", "drewno-kominkowe"}, ({"shop": "fuel", "fuel": "coal, wood"},)),
        ({"wegiel", "drewno-kominkowe"}, ({"shop": "fuel", "fuel": "węgiel;drewno"},)),
        # Solid fuels beside those of the catalog.
        (set(), ({"shop": "fuel", "fuel:coke": "yes"}, {"shop": "fuel", "fuel": "solid"})),
    ):
        for tags in tagss:
            assert osm_tags.fuels_of(tags) == sold
    assert set(osm_tags.FUEL_OF.values()) <= set(fuels.BY_SLUG)


def test_the_first_of_several_websites_is_read():
    for text, website in (
        ("https://opal.pl/;https://wegiel.pl/", "https://opal.pl/"),
        ("http://opal.pl; www.wegiel.pl", "http://opal.pl/"),
        ("brak;opal.pl", "https://opal.pl/"),
        ("https://opal.pl/sklep;id=1", "https://opal.pl/sklep;id=1"),
    ):
        record = depot(website=text)
        assert (record.website, reasons(record)) == (website, [])
    assert [reason[:30] for reason in reasons(depot(website="brak;nie ma"))] == ["website: web site 'brak;nie ma"]


def test_what_is_no_depot_or_lies_nowhere_in_poland_is_left_out():
    assert osm_tags.depot("node/1", 50.1, 19.8, {"shop": "florist"}) is None
    for lat, lon in ((None, 19.8), (50.1, None)):
        assert osm_tags.depot("way/1", lat, lon, {"shop": "coal"}) == Note("way/1", "has no position")
    for lat, lon in ((48.79, 19.8), (55.11, 19.8), (50.1, 13.89), (50.1, 24.31)):
        note = Note("node/1", f"the position is outside Poland: '{lat}, {lon}'")
        assert osm_tags.depot("node/1", lat, lon, {"shop": "coal"}) == note


def test_depot_without_a_name():
    for tags, kind, name in (
        ({"shop": "coal", "addr__city": "Próba"}, "Skład węgla", "Skład węgla, Próba"),
        ({"shop": "firewood", "addr__place": "Próbka"}, "Drewno opałowe", "Drewno opałowe, Próbka"),
        ({"shop": "fuel", "fuel__wood": "yes"}, "Drewno opałowe", "Drewno opałowe"),
        ({"shop": "fuel", "fuel__ekogroszek": "yes"}, "Skład węgla", "Skład węgla"),
        ({"shop": "fuel", "fuel__coal": "yes", "fuel__wood": "yes"}, "Skład opału", "Skład opału"),
        ({"shop": "fuel"}, "Skład opału", "Skład opału"),
    ):
        record = depot(**({"name": None} | tags))
        assert (record.kind_name, record.name, record.held) == (kind, name, False), tags
        assert record.review == "źródło nie podaje nazwy"


def test_a_name_is_tidied_and_that_of_a_person_held_back():
    for tags, name, kind, held, review in (
        ({"name": " Skład\t\u200bPróbny \n"}, "Skład Próbny", "", False, ""),
        ({"name": None, "name__pl": "Skład Próbny"}, "Skład Próbny", "", False, ""),
        ({"name": "\u200b \u202e"}, "Skład węgla", "Skład węgla", False, "źródło nie podaje nazwy"),
        ({"name": "PHU Kowalski Skład opału"}, "PHU Kowalski Skład opału", "", False, ""),
        ({"name": "Jan Kowalski"}, "Jan Kowalski", "", True, "nazwa wygląda na imię i nazwisko"),
    ):
        record = depot(**tags)
        assert (record.name, record.kind_name, record.held, record.review) == (name, kind, held, review)


def test_street_without_a_name():
    for street in ("ul.", "ul", "Ulica"):
        record = depot(addr__street=street, addr__city="Próba", addr__housenumber="5")
        assert (record.street, record.house_number, record.place) == ("", "5", "Próba"), street
        assert reasons(record) == [f"street is only {street!r}"]


def test_a_village_without_streets_is_the_place_and_part_of_a_town_is_not():
    for tags, street, place in (
        ({"addr__place": "Próbka", "addr__housenumber": "5"}, "", "Próbka"),
        ({"addr__place": "Osiedle", "addr__street": "Próbna"}, "Próbna", "Dolna Próba"),
    ):
        record = depot(addr__city="Dolna Próba", **tags)
        assert (record.street, record.place) == (street, place)


def test_contacts_and_hours_are_read_from_any_of_their_keys():
    for field, keys, text, value in (
        ("postcode", ("addr__postcode",), "98701", "98-701"),
        ("nip", ("ref__vatin", "ref__nip", "ref__NIP"), "123-456-32-18", "1234563218"),
        ("phone", ("phone", "contact__phone", "contact__mobile"), "+48123456789", "+48 12 345 67 89"),
        ("website", ("website", "contact__website", "url"), "http://example.org/a", "http://example.org/a"),
    ):
        for key in keys:
            assert getattr(depot(**{key: text}), field) == value, key
    # The second stands in for a bad one.
    record = depot(phone="12 345", contact__phone="12 345 67 89")
    assert (record.phone, reasons(record)) == ("+48 12 345 67 89", ["phone: not a valid telephone number: '12 345'"])


def test_what_cannot_be_read_is_left_out_and_told():
    vague = '"po uzgodnieniu telefonicznym"'
    for tags, field, value, reason in (
        ({"addr__postcode": "987-01"}, "postcode", "", "not a postcode: '987-01'"),
        ({"ref__vatin": "PL1234563219"}, "nip", None, "ref:vatin: .*wrong check digit"),
        ({"website": "javascript:alert(1)"}, "website", "", ".*neither http nor https"),
        ({"opening_hours": vague}, "hours", None, f"opening hours say no plain week: '{vague}'$"),
    ):
        record = depot(**tags)
        assert getattr(record, field) == value
        assert re.match(reason, reasons(record)[0]), reasons(record)
    assert (record.opening_hours, len(record.notes)) == (vague, 1)
    assert depot(ref__nip="1") == depot()  # a note makes no difference


def answer(path, *elements, **header):
    """Parse an answer with the slice's header and other elements."""
    document = json.loads(helpers.text("overpass.json")) | header
    document["elements"] = list(elements)
    return osm_tags.parse_overpass(write(path / "overpass.json", json.dumps(document)))


def node(number=1, **changes):
    return {"type": "node", "id": number, "lat": 50.1, "lon": 19.8, "tags": {"shop": "coal", "name": "Próba"}} | changes


def way(**changes):
    return {"type": "way", "id": 2, "tags": {"shop": "coal", "name": "Próba"}} | changes


def test_nodes_ways_and_relations_of_an_answer():
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


def test_what_is_no_whole_answer_is_refused(tmp_path):
    whole = helpers.text("overpass.json")
    for content, message in (
        *((content, "not an answer of the Overpass API") for content in ('{"a": 1}', '{"elements": {}}', "[]", "1")),
        ('{"remark": "runtime error", ' + whole.lstrip()[1:], "not whole, it says: runtime error"),
        ("<html><body>Too many requests</body></html>", "not complete JSON"),
        (whole[:-20], "not complete JSON, is it cut off"),
    ):
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


def pbf_node(number=11, **changes):
    return Node(**{"id": number, "location": (19.8, 50.1), "tags": TAGS} | changes)


def test_an_extract_says_the_same_as_an_answer_of_overpass_with_a_day_of_its_own_or_none(tmp_path):
    others = ({"shop": "bakery"}, {"amenity": "fuel"}, {"shop": "fuel", "fuel:diesel": "yes"})
    objects = (
        *(pbf_node(), pbf_node(), *(pbf_node(30 + number, tags=tags) for number, tags in enumerate(others))),
        *(Way(id=12, nodes=[1, 2, 3, 1], tags=TAGS), Way(id=20, nodes=[2, 3, 4])),
        Relation(id=13, members=[("w", 20, "outer"), ("n", 1, ""), ("r", 99, "")], tags=TAGS),
    )
    elements = [
        {"type": "node", "id": 11, "lat": 50.1, "lon": 19.8, "tags": TAGS},
        {"type": "way", "id": 12, "center": {"lat": 50.05, "lon": 19.1}, "tags": TAGS},
        {"type": "relation", "id": 13, "center": {"lat": 50.15, "lon": 19.45}, "tags": TAGS},
    ]
    answer = write(tmp_path / "a.json", json.dumps({"osm3s": {}, "elements": elements}))
    result = parse_pbf(extract(tmp_path / "a.osm.pbf", *objects, stamp=""))
    assert (result, result.as_of, len(result.rows)) == (osm_tags.parse_overpass(answer), None, 3)
    assert parse_pbf(extract(tmp_path / "a.osm.pbf", *objects)).as_of == date(2031, 10, 3)


def test_depots_abroad_or_with_no_node_in_the_extract_are_rejected(tmp_path):
    path = extract(tmp_path / "a.osm.pbf", pbf_node(location=(2.3, 48.8)), Way(id=12, nodes=[97, 98], tags=TAGS))
    result = parse_pbf(path)
    abroad, nowhere = Note("node/11", "the position is outside Poland: '48.8, 2.3'"), Note("way/12", "has no position")
    assert (result.rows, result.rejected) == ((), (abroad, nowhere))


def test_what_is_no_extract_of_poland_is_refused(tmp_path):
    header = osmium.io.Header()
    header.has_multiple_object_versions = True
    with osmium.SimpleWriter(str(tmp_path / "a.osh.pbf"), header=header) as writer:
        writer.add_node(pbf_node(version=1, visible=True))
    whole = extract(tmp_path / "a.osm.pbf", pbf_node()).read_bytes()
    for path, message in (
        (extract(tmp_path / "b.osm.pbf"), "has no depot; is it the extract of Poland"),
        (tmp_path / "a.osh.pbf", "holds the history of objects"),
        (zipped(tmp_path / "a.zip", {"a.osm.pbf": whole}), "is a zip; unpack it"),
    ):
        assert_refused(message, parse_pbf, path)
    other = "which is not OpenStreetMap's"  # identifiers of drafts, and by damage
    for objects, message in (
        ((pbf_node(), pbf_node(location=(19.9, 50.1))), "node/11 is there twice with different content; give an extr"),
        ((pbf_node(-5),), other),
        ((Way(id=12, nodes=[1, -2], tags=TAGS),), other),
        ((Relation(id=13, members=[("w", -4, ""), ("n", 1, "")], tags=TAGS),), other),
        ((Relation(id=13, members=[("n", 1 << 62, "")], tags=TAGS),), other),
        ((Way(id=20, nodes=[2, -5]), Relation(id=13, members=[("w", 20, "")], tags=TAGS)), "the PBF is damaged"),
    ):
        assert_refused(message, parse_pbf, extract(tmp_path / "a.osm.pbf", *objects))


def test_it_is_recognised_whatever_its_name(tmp_path):
    assert format_of(extract(tmp_path / "a.osm.pbf", pbf_node()).rename(tmp_path / "depots.json")) == "osm_pbf"
    assert len(parse_pbf(tmp_path / "depots.json").rows) == 1


@pytest.mark.full_scale
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9, 0.999])
def test_an_extract_that_is_cut_off_is_refused(tmp_path, share):
    whole = shared("samples/depots.osm.pbf").read_bytes()
    path = write(tmp_path / "a.osm.pbf", whole[: int(len(whole) * share)])
    assert_refused("damaged or cut off", parse_pbf, path)


def test_damage_is_one_line(tmp_path):
    whole = extract(tmp_path / "whole.osm.pbf", pbf_node(), Way(id=12, nodes=[1, 2, 3, 1], tags=TAGS)).read_bytes()
    assert len(refusals(parse_pbf, tmp_path / "a.osm.pbf", whole, 60)) > 30
