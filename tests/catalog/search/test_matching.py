"""Matching by words: one rule per test, on registers of a few names."""

from catalog.depots.fuels import FUELS
from catalog.search import index
from catalog.search.matching import Mode, max_edits, stem
from catalog.search.query import Reading, Token, split_fuel
from catalog.search.vocabulary import ContextScope
from catalog.text import plain
from tests.catalog.search.country import (
    NOWY_TARG,
    PLACES,
    ROPA,
    SEKOWA,
    UNITS,
    ZAKOPANE,
    found,
    make_search,
    units_found,
)
from tests.memory import is_freed_at_once


def matched(search, mode, words):
    matches = search.words.find(Reading(tuple(map(Token, words.split()))), mode)
    return [search.index.labels[match.number] for match in matches]


def respaced(search, words):
    readings = search.words.respaced(Reading(tuple(map(Token, words.split()))))
    return [" ".join(token.text for token in reading.tokens) for reading in readings]


def test_a_replaced_index_is_freed_at_once():

    def use():
        search = make_search(PLACES)
        assert found(search, "Ropa") == ["Ropa"]
        return search.words

    assert is_freed_at_once(use)


def test_long_words_may_have_two_edits_short_ones_none():
    edits = {"ab": 0, "abc": 1, "abcdefg": 1, "abcdefgh": 2, "abcdefghijklmnop": 2}
    assert {word: max_edits(word) for word in edits} == edits


def test_adjectives_alone_lose_their_ending():
    roots = {"nowotarski": "nowotarsk", "nowotarskiego": "nowotarsk", "gorlickim": "gorlick"}
    roots |= {"grudziadzka": "grudziadzk"} | {word: word for word in ("gdansk", "krakowa", "zakopane")}
    assert {word: stem(word) for word in roots} == roots


def test_every_fuel_is_searched_by_its_own_name():
    for fuel in FUELS:
        for name in (fuel.name, fuel.slug):
            assert split_fuel(plain(f"{name} Zakopane")) == (fuel.slug, "zakopane")
    assert split_fuel("eko-groszek") == ("ekogroszek", "")
    assert split_fuel("drzewo opalowe limanowa") == ("drewno-kominkowe", "limanowa")
    assert split_fuel("drzewo") == (None, "drzewo")


def test_a_whole_name_goes_before_part_of_a_name():
    search = make_search(PLACES, ("Biała Niżna", ROPA), ("Biała", SEKOWA))
    assert found(search, "malopolskie biala") == ["Biała", "Biała Niżna"]


def test_a_municipality_of_exactly_the_name_goes_before_larger_ones_with_the_word():
    assert found(make_search(UNITS | {ROPA: "Duży Targ", SEKOWA: "Targ"}), "malopolskie targ") == ["Targ", "Duży Targ"]


def test_a_large_municipality_or_a_town_goes_before_a_village_of_the_whole_name(monkeypatch):
    for largest, code, names, text in (
        (400, "1205082", ["Duży Targ", "Targ"], "targ"),  # large
        (0, "1205081", ["Duży Targ", "Targ"], "targ"),  # a town
        (0, "1205083", ["Duży Targ", "Targ"], "targ"),  # with a town in it
        (0, "1205082", ["Targ", "Duży Targ"], "targ"),
        (0, NOWY_TARG, ["Tar", "Duży Targ"], "tar"),  # of the town's name only the beginning was typed
        (0, ROPA, ["Targ", "Targowa"], "targ"),
    ):
        monkeypatch.setattr(index, "LARGEST", largest)
        village, municipality = sorted(names, key=len)
        assert found(make_search(UNITS | {code: municipality}, (village, code)), f"malopolskie {text}") == names


def test_words_of_the_name_go_before_words_of_the_units_around_it():
    search = make_search(UNITS | {ROPA: "Nowy", SEKOWA: "Sękowa"}, ("Targ", ROPA), ("Nowy Targ", SEKOWA))
    assert found(search, "targ nowy") == ["Nowy Targ", "Targ"]


def test_the_whole_name_of_a_unit_goes_before_a_word_of_it():
    search = make_search(UNITS | {ROPA: "Sucha Górna", SEKOWA: "Sucha"}, ("Targ", ROPA), ("Targ", SEKOWA))
    assert units_found(search, "targ sucha") == [SEKOWA, ROPA]


def test_a_form_of_a_units_name_goes_before_the_beginning_of_another():
    counties = {"12": "małopolskie", "1205": "nowotarskowiejski", "1211": "nowotarski"}
    search = make_search(counties | {ROPA: "Ropa", "1211022": "Czorsztyn"}, ("Targ", ROPA), ("Targ", "1211022"))
    assert units_found(search, "targ nowotarsk") == ["1211022", ROPA]


def test_only_names_with_the_fewest_edits_are_found():
    assert found(make_search(PLACES, ("Zakopazz", ROPA)), "zakopanx") == ["Zakopane"]


def test_all_words_together_may_have_two_edits():
    search = make_search(PLACES, ("Kazimierza Wielka", ROPA))
    assert found(search, "kazimirza wilka") == ["Kazimierza Wielka"]
    assert found(search, "kazmirza wilka") == []


def test_a_word_that_names_the_unit_is_no_error_in_the_name_and_units_alone_are_no_match():
    search = make_search(PLACES, ("Rota", ROPA), ("Rotna", ROPA))
    assert matched(search, Mode.ALL_WORDS, "ropa rotta") == ["Rota", "Rotna"]
    assert matched(search, Mode.ALL_WORDS, "ropa") == ["Ropa"]


def test_the_kind_of_municipality_counts_only_if_one_is_of_that_kind():
    search = make_search(PLACES | {"1211092": "Nowy Targ", "1211103": "Nowy Targ"}, ("Nowy Targ", ROPA))
    for kind, code in (("wiejska", "1211092"), ("miejsko-wiejska", "1211103"), ("miejska", NOWY_TARG)):
        assert units_found(search, f"gmina {kind} nowy targ") == [code]
    assert found(search, "gmina wiejska zakopane") == ["Zakopane"]


def test_words_that_are_known_are_corrected_only_after_unknown_ones_forms_of_units_too():
    search = make_search(PLACES, ("Rota", ZAKOPANE), ("Gorlickigo", ZAKOPANE))
    for mode, words, names in (
        (Mode.UNKNOWN_WORDS, "ropa zakpane", []),
        (Mode.ALL_WORDS, "ropa zakpane", ["Rota"]),
        (Mode.UNKNOWN_WORDS, "gorlickiego", []),
        (Mode.UNKNOWN_WORDS, "gorlickygo", ["Gorlickigo"]),
    ):
        assert matched(search, mode, words) == names


def test_words_before_the_last_are_whole_unless_nothing_fits():
    search = make_search(PLACES, ("Targ", ZAKOPANE), ("Targowa", ZAKOPANE))
    assert matched(search, Mode.WORDS, "targ zakopane") == ["Targ"]
    assert matched(search, Mode.PREFIXES, "targ zakopane") == ["Targ", "Targowa"]


def test_the_last_word_may_be_begun_with_an_error_from_four_letters_on():
    search = make_search(PLACES)
    assert found(search, "zkop") == found(search, "malopolskie zkop") == ["Zakopane"]
    assert found(search, "zok") == found(search, "zkop malopolskie") == []


def test_a_whole_word_with_an_error_goes_before_a_begun_one():
    search = make_search(UNITS | {ROPA: "Ropa", SEKOWA: "Sękowa"}, ("Zakopane", ROPA), ("Zakopa", SEKOWA))
    assert found(search, "zakpa") == ["Zakopa", "Zakopane"]


def test_two_letters_begin_a_unit_and_one_does_not():
    search = make_search(PLACES)
    assert found(search, "ropa go") == ["Ropa"]
    assert matched(search, Mode.PREFIXES, "ropa g") == []


def test_a_county_is_neither_a_municipality_nor_a_village_of_its_name():
    units = {"12": "małopolskie", "1202": "brzeski", "1205": "gorlicki", "1202022": "Borzęcin", ROPA: "Brzeski"}
    search = make_search(units, ("Targ", ROPA), ("Targ", "1202022"), ("Brzeski", "1202022"))
    for text in ("targ powiat brzeski", "targ brzeski powiat"):
        assert units_found(search, text) == ["1202022"], text
    for text in ("powiat brzeski", "brzeski powiat", "w powiecie brzeskim"):
        assert found(search, text) == ["Borzęcin"], text


def test_a_house_number_is_no_beginning_of_a_postcode():
    assert found(make_search(PLACES, postcodes={"34-500": (ZAKOPANE,)}), "zakopane 34") == ["Zakopane"]


def test_the_seat_of_a_county_goes_first():
    two = {"08": "opolskie", "0801": "brzeski", "0801011": "Brzeg", "0801022": "Biała"}
    two |= {"12": "małopolskie", "1202": "brzeski", "1202022": "Borzęcin", "1202033": "Brzesko"}
    for units, county, names in (
        # The seat is the municipality whose name begins like the county's by at least three letters,
        ({**PLACES, "1211021": "Biały Dunajec", "1211032": "Nowina"}, "nowotarski", "Nowy Targ, Nowina, Biały Dunajec"),
        # perhaps with all of its name,
        ({"10": "łódzkie", "1003": "łaski", "1003011": "Buczek", "1003023": "Łask"}, "łaski", "Łask, Buczek"),
        # else a town.
        ({**PLACES, "1217032": "Tarnawa", "1217042": "Dunajec"}, "tatrzanski", "Zakopane, Dunajec, Tarnawa"),
        # Of two counties of one name each has its own.
        (two, "brzeski", "Brzesko, Brzeg, Biała, Borzęcin"),
    ):
        assert ", ".join(found(make_search(units), f"powiat {county}")) == names


def test_municipalities_of_a_voivodeship_come_by_importance_without_seats():
    search = make_search(UNITS | {ROPA: "Bobowa", NOWY_TARG: "Nowy Targ"})
    assert found(search, "województwo małopolskie") == ["Bobowa", "Nowy Targ"]


def test_a_form_of_a_county_excludes_counties_that_begin_like_it():
    units = {"12": "małopolskie", "1205": "nowotarskowiejski", "1211": "nowotarski"}
    search = make_search(units | {ROPA: "Ropa", NOWY_TARG: "Nowy Targ"})
    assert found(search, "powiat nowotarskiego") == found(search, "powiat nowotarsk") == ["Nowy Targ"]


def test_respaced_words_keep_the_level_and_the_kind_of_unit():
    words = make_search(PLACES).words
    county = ContextScope.COUNTY
    (split,) = words.respaced(Reading((Token("nowytarg", scope=county),), kind=2))
    assert split == Reading((Token("nowy", scope=county), Token("targ", scope=county)), kind=2)
    (joined,) = words.respaced(Reading((Token("zako", scope=county), Token("pane")), kind=2))
    assert joined == Reading((Token("zakopane", scope=county),), kind=2)


def test_words_are_split_and_joined_where_they_stand_four_of_two_letters_or_more():
    search = make_search(PLACES, *((name, ROPA) for name in ("Ada Ewa Iga Ola Ula", "Ow Nowa", "A Nowa")))
    expected = {"ropa nowytarg nowy": ["ropa nowy targ nowy"], "nowy zako pane targ": ["nowy zakopane targ"]}
    expected |= {"adaewaigaola": ["ada ewa iga ola"], "ownowa": ["ow nowa"], "nowaow": ["nowa ow"]}
    expected |= {words: [] for words in ("adaewaigaolaula", "anowa", "nowaa")}
    assert {words: respaced(search, words) for words in expected} == expected


def test_errors_in_joined_words_are_forgiven_in_names_of_municipalities_alone():
    search = make_search(PLACES, ("Stara Góra", ROPA))
    assert found(search, "nowytrg") == ["Nowy Targ"]
    assert found(search, "stargora") == []


def test_regions_are_units_also_in_the_locative():
    search = make_search(PLACES | {"1205011": "Gorlice"}, ("Wola", ZAKOPANE), ("Wola", ROPA), ("Na Kopcu", ROPA))
    for text in ("Podhale", "tani węgiel na Podhalu"):
        assert {*found(search, text)} == {"Nowy Targ", "Zakopane"}, text
    assert units_found(search, "Wola na Podhalu") == [ZAKOPANE]
    assert found(search, "w Małopolsce") == found(search, "na terenie województwa małopolskiego")
    assert found(search, "pellet na Woli") == ["Wola", "Wola"]


def test_voivodeships_are_known_by_their_english_names_and_former_ones_by_their_counties():
    search = make_search(PLACES, ("Nowy Lubusz", ROPA), ("Wola", ZAKOPANE))
    assert {*found(search, "pellets Lesser Poland")} == {"Nowy Targ", "Zakopane", "Ropa", "Sękowa"}
    assert units_found(search, "Wola, Lesser Poland") == [ZAKOPANE]
    assert found(search, "lubusz") == ["Nowy Lubusz"]
    assert found(search, "Greater Poland") == []
    assert found(search, "Woj. nowotarskie") == ["Nowy Targ"]
    assert found(search, "Wola, woj. nowotarskie") == ["Wola"]


def test_errors_are_forgiven_in_cases_too_and_a_town_in_a_case_goes_before_misspelt_villages():
    units = PLACES | {"1205011": "Gorlice", "1205021": "Biecz"}
    search = make_search(units, ("Gorzyce", ROPA), ("Zakopce", ROPA), ("Dobrów", "1205011"))
    cases = {"w Gorilcach": "Gorlice", "do Zakopnego": "Zakopane", "pellet w Nowym Tragu": "Nowy Targ"}
    cases |= {"w Gorlicach Dobrwo": "Gorlice", "Gorlice Dobrwo": "Dobrów", "w Dobrwie": "Dobrów"}
    assert {text: found(search, text)[0] for text in cases} == cases
