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
    assert depot(
        shop="fuel",
        fuel__coal="yes",
        fuel__wood="yes",
        addr__street="Próbna",
        addr__housenumber="7a",
        addr__city="Dolna Próba",
        addr__postcode="98-701",
        phone="12 345 67 89",
        website="sklad.example.org",
        ref__vatin="PL1234563218",
        opening_hours="Mo-Fr 07:00-15:00",
    ) == DepotRecord(
        source_id="node/1",
        name="Skład Próbny",
        lat=50.1,
        lon=19.8,
        street="Próbna",
        house_number="7a",
        postcode="98-701",
        place="Dolna Próba",
        nip="1234563218",
        phone="+48 12 345 67 89",
        website="https://sklad.example.org/",
        fuels=("wegiel", "drewno-kominkowe"),
        hours=dict.fromkeys(("mon", "tue", "wed", "thu", "fri"), "7:00-15:00")
        | dict.fromkeys(("sat", "sun"), "nieczynne"),
        opening_hours="Mo-Fr 07:00-15:00",
    )


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
    ):
        for tags in tagss:
            assert fuels_of(tags) == sold


def test_every_fuel_of_the_map_is_in_the_catalog():
    assert set(FUEL_OF.values()) <= set(fuels.BY_SLUG)


def test_what_is_no_depot():
    assert osm_tags.depot("node/1", 50.1, 19.8, {"shop": "florist"}) is None


def test_an_element_without_a_position_is_left_out():
    for lat, lon in ((None, 19.8), (50.1, None)):
        assert osm_tags.depot("way/1", lat, lon, {"shop": "coal"}) == Note("way/1", "has no position")


def test_an_element_outside_poland_is_left_out():
    for lat, lon in ((48.79, 19.8), (55.11, 19.8), (50.1, 13.89), (50.1, 24.31)):
        assert osm_tags.depot("node/1", lat, lon, {"shop": "coal"}) == Note(
            "node/1", f"the position is outside Poland: '{lat}, {lon}'"
        )


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
        assert record.review == "the source gives no name"


def test_name_of_invisible_characters_is_none():
    assert depot(name="\u200b \u202e").kind_name == "Skład węgla"


def test_polish_name_stands_in():
    record = depot(name=None, name__pl="Skład Próbny")
    assert (record.name, record.kind_name, record.review) == ("Skład Próbny", "", "")


def test_private_person_is_held_back():
    record = depot(name="Jan Kowalski")
    assert (record.name, record.held) == ("Jan Kowalski", True)
    assert record.review == "the name looks like that of a private person"


def test_firm_with_a_surname_is_not_held_back():
    record = depot(name="PHU Kowalski Skład opału")
    assert (record.held, record.review) == (False, "")


def test_name_is_tidied():
    assert depot(name=" Skład\t\u200bPróbny \n").name == "Skład Próbny"


def test_street_without_a_name():
    for street in ("ul.", "ul", "Ulica"):
        record = depot(addr__street=street, addr__city="Próba", addr__housenumber="5")
        assert (record.street, record.house_number, record.place) == ("", "5", "Próba"), street
        assert reasons(record) == [f"street is only {street!r}"]


def test_village_without_streets():
    record = depot(addr__place="Próbka", addr__city="Dolna Próba", addr__housenumber="5")
    assert (record.street, record.place) == ("", "Próbka")


def test_town_with_streets():
    record = depot(addr__street="Próbna", addr__place="Osiedle", addr__city="Dolna Próba")
    assert (record.street, record.place) == ("Próbna", "Dolna Próba")


def test_postcode_without_its_dash():
    assert depot(addr__postcode="98701").postcode == "98-701"


def test_what_is_not_a_postcode_is_left_out_and_told():
    record = depot(addr__postcode="987-01")
    assert record.postcode == ""
    assert reasons(record)[0].startswith("not a postcode: '987-01'")


def test_tax_number_with_a_wrong_check_digit():
    record = depot(ref__vatin="PL1234563219")
    assert record.nip is None
    assert "wrong check digit" in reasons(record)[0]
    assert reasons(record)[0].startswith("ref:vatin: ")


def test_keys_of_the_tax_number():
    for key in ("ref__vatin", "ref__nip", "ref__NIP"):
        assert depot(**{key: "123-456-32-18"}).nip == "1234563218"


def test_keys_of_the_telephone():
    for key in ("phone", "contact__phone", "contact__mobile"):
        assert depot(**{key: "+48123456789"}).phone == "+48 12 345 67 89"


def test_keys_of_the_web_site():
    for key in ("website", "contact__website", "url"):
        assert depot(**{key: "http://example.org/a"}).website == "http://example.org/a"


def test_second_telephone_stands_in_for_a_bad_one():
    record = depot(phone="12 345", contact__phone="12 345 67 89")
    assert record.phone == "+48 12 345 67 89"
    assert reasons(record) == ["phone: not a valid telephone number: '12 345'"]


def test_script_is_no_web_site():
    record = depot(website="javascript:alert(1)")
    assert record.website == ""
    assert "neither http nor https" in reasons(record)[0]


def test_hours_that_say_no_week_keep_their_text():
    record = depot(opening_hours='"po uzgodnieniu telefonicznym"')
    assert (record.hours, record.opening_hours) == (None, '"po uzgodnieniu telefonicznym"')
    assert reasons(record) == ["opening hours say no plain week: '\"po uzgodnieniu telefonicznym\"'"]


def test_notes_do_not_make_records_differ():
    assert depot(ref__nip="1") == depot()
