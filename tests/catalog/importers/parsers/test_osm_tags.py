import re

from catalog.depots import fuels
from catalog.importers.parsers import osm_tags
from catalog.importers.parsers.osm_tags import FUEL_OF, fuels_of
from catalog.importers.records import DepotRecord, Note


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
        (
            {"wegiel", "drewno-kominkowe"},
            ({"shop": "fuel", "fuel": "coal, wood"}, {"shop": "fuel", "fuel": "węgiel;drewno"}),
        ),
        # Solid fuels beside those of the catalog.
        (set(), ({"shop": "fuel", "fuel:coke": "yes"}, {"shop": "fuel", "fuel": "solid"})),
    ):
        for tags in tagss:
            assert fuels_of(tags) == sold
    assert set(FUEL_OF.values()) <= set(fuels.BY_SLUG)


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
    person = "nazwa wygląda na imię i nazwisko"
    for tags, name, kind, held, review in (
        ({"name": " Skład\t\u200bPróbny \n"}, "Skład Próbny", "", False, ""),
        ({"name": None, "name__pl": "Skład Próbny"}, "Skład Próbny", "", False, ""),
        ({"name": "\u200b \u202e"}, "Skład węgla", "Skład węgla", False, "źródło nie podaje nazwy"),
        ({"name": "PHU Kowalski Skład opału"}, "PHU Kowalski Skład opału", "", False, ""),
        ({"name": "Jan Kowalski"}, "Jan Kowalski", "", True, person),
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
    assert record.phone == "+48 12 345 67 89"
    assert reasons(record) == ["phone: not a valid telephone number: '12 345'"]


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


def test_notes_do_not_make_records_differ():
    assert depot(ref__nip="1") == depot()
