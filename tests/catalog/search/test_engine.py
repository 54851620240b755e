"""From a text to hits: which way of searching wins, which hit is clear, and what is guessed."""

from catalog.search import index
from catalog.search.index import MAX_SUGGESTIONS
from catalog.search.query import MOST_WORDS, normalize_punctuation, read_after_street
from fueldepot.http.params import MAX_VALUE_LENGTH
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


def labels(search, hits):
    return [search.index.labels[number] for number in hits.numbers]


def is_clear(search, text):
    return search.is_clear(search.find(text))


def guessed(search, text):
    """The names of the guesses, and the fuels that they carry."""
    rows = search.guess(text)
    return {row.fuel for row in rows}, [row.label for row in rows]


def test_a_municipality_of_exactly_the_typed_letters_goes_before_a_larger_one():
    units = {"08": "x", "0801": "a", "0801012": "Brójce", "32": "y", "3201": "b", "3201012": "Brojce"}
    search = make_search(units | {"0801022": "Zabno", "3201022": "Żabno"})
    assert found(search, "brojce") == ["Brojce", "Brójce"]
    assert found(search, "BRÓJCE") == found(search, "brój") == ["Brójce", "Brojce"]
    assert found(search, "żab") == ["Żabno", "Zabno"]


def test_villages_of_the_typed_diacritics_go_first_however_many_are_larger():
    search = make_search(PLACES, *((f"Zrodlo {letter}", ROPA) for letter in "abcdefghij"), ("Źródło J", SEKOWA))
    assert found(search, "źród")[:2] == ["Źródło J", "Zrodlo a"]
    assert found(search, "zrod")[0] == found(search, "malopolskie zrod")[0] == "Zrodlo a"
    assert found(search, "małopolskie źród")[0] == "Źródło J"


def test_a_village_as_typed_goes_before_towns_that_begin_with_the_letters_without_diacritics():
    search = make_search(PLACES | {SEKOWA: "Żabno", ROPA: "Ząbki"}, ("Ząb", ZAKOPANE), ("Zab", ROPA))
    assert found(search, "ząb") == ["Ząbki", "Ząb", "Zab", "Żabno"]
    assert found(search, "zab")[:2] == found(search, "Zab")[:2] == ["Ząbki", "Żabno"]
    assert found(make_search(PLACES | {SEKOWA: "Żabno"}, ("Zab", ROPA)), "ząb") == ["Żabno", "Zab"]


def test_a_place_with_its_whole_unit_comes_after_a_name_that_begins_so():
    search = make_search(PLACES, ("Targ", ZAKOPANE), ("Targ Zakopanecki", ROPA))
    assert found(search, "targ zakopane") == ["Targ Zakopanecki", "Targ"]
    assert found(search, "targ zakop") == ["Targ Zakopanecki"]


def test_units_of_four_letters_and_more_are_searched_beside_a_name_that_begins_so():
    for unit, hits in (("Nura", ["Targ Nuraski", "Targ"]), ("Nur", ["Targ Nurski"])):
        search = make_search(UNITS | {ROPA: unit}, ("Targ", ROPA), (f"Targ {unit}ski", ROPA))
        assert found(search, f"targ {unit}") == hits


def test_a_place_with_its_unit_is_not_searched_beside_exactly_the_name_or_part_of_one_beside_its_beginning():
    longer = ("Targ Ropa", ZAKOPANE), ("Targ Ropa Górna", ZAKOPANE)
    assert found(make_search(PLACES, ("Targ", ROPA), *longer), "targ ropa") == ["Targ Ropa", "Targ Ropa Górna"]
    assert found(make_search(PLACES, ("Targ Górny", ROPA), ("Targ Ropażan", ZAKOPANE)), "targ ropa") == ["Targ Ropażan"]


def test_joined_words_are_split_and_unknown_ones_corrected_and_fragments_found_before_errors_are_forgiven():
    for villages, text, names, forgiven in (
        ([("Stara Góra", ROPA), ("Sturagora", SEKOWA)], "staragora", ["Stara Góra"], True),
        ([("Rota", ZAKOPANE)], "ropa zakpane", ["Rota"], True),
        ([("Stara Góra", ROPA), ("Tara Gora", SEKOWA)], "tara go", ["Tara Gora"], False),
        ([("Stara Góra", ROPA), ("Tara Gora", SEKOWA)], "ara go", ["Stara Góra", "Tara Gora"], False),
    ):
        search = make_search(PLACES, *villages)
        hits = search.find(text)
        assert (labels(search, hits), hits.forgiven) == (names, forgiven)


def test_at_most_as_many_hits_as_suggestions():
    units = PLACES | {f"12170{number}2": f"Jar {number}" for number in range(2, 9)}
    search = make_search(units, *((f"Targ {letter}", ROPA) for letter in "abcdefgh"), ("Targ", ZAKOPANE))
    for text in ("targ", "malopolskie targ", "województwo małopolskie", "arg", "malopolskie tagr"):
        assert len(search.find(text).numbers) == MAX_SUGGESTIONS


def test_one_name_of_exactly_the_text_is_clear():
    for villages, clear, unclear in (
        ([("Biała Niżna", ROPA)], ["biala n"], ["zakpane", "xqzv"]),  # the only hit; corrected ones, and nothing
        ([("Biała", ROPA), ("Biała Niżna", ROPA)], ["ropa biala", "biala"], ["bial"]),  # the only best match
        ([("Biała", ROPA), ("Biała", SEKOWA)], [], ["gorlicki biala", "biala"]),
        # parts of names
        ([(name, ROPA) for name in ("Biała", "Białka", "Biała Niżna", "Niżna Nowa")], [], ["ropa bial", "ropa niz"]),
    ):
        search = make_search(PLACES, *villages)
        expected = dict.fromkeys(clear, True) | dict.fromkeys(unclear, False)
        assert {text: is_clear(search, text) for text in expected} == expected


def test_a_large_municipality_or_a_town_is_clear_beside_villages_of_its_name(monkeypatch):
    for largest, code, clear in ((400, "1205082", True), (0, "1205081", True), (0, "1205082", False)):
        monkeypatch.setattr(index, "LARGEST", largest)
        search = make_search(UNITS | {code: "Targ", ZAKOPANE: "Zakopane"}, ("Targ", ZAKOPANE))
        assert (units_found(search, "targ"), is_clear(search, "targ")) == ([code, ZAKOPANE], clear)


def test_neither_a_large_municipality_before_a_village_of_the_text_nor_one_of_two_is_clear():
    search = make_search(UNITS | {ROPA: "Targowa"}, ("Targ", ROPA))
    assert (found(search, "targ"), is_clear(search, "targ")) == (["Targowa", "Targ"], False)
    assert not is_clear(make_search(UNITS | {"1205081": "Targ", "1205092": "Targ"}), "targ")


def test_three_municipalities_at_most_are_guessed_likeliest_first():
    names = {"1205012": "Zakopiec", "1205022": "Zakopany", "1205032": "Zakop", "1205042": "Zakopianek"}
    assert guessed(make_search(UNITS | names), "zakopanny") == ({None}, ["Zakopany", "Zakopianek", "Zakop"])


def test_a_municipality_is_guessed_if_half_of_its_name_is_alike():
    search = make_search(PLACES, ("Ropa", ZAKOPANE))
    assert guessed(search, "roqq") == ({None}, ["Ropa"])
    assert [row.teryt for row in search.guess("ropq")] == [ROPA]
    assert guessed(search, "rqqq") == (set(), [])
    assert guessed(search, "pellet ropq, zakopane") == ({"pellet"}, ["Ropa"])  # before a comma, without its fuel


def test_municipalities_named_in_the_text_are_guessed_before_similar_ones_the_longest_name_first():
    search = make_search(PLACES | {"1205012": "Ropa Górna", "1205022": "Targropa"}, ("Wrzeszcz", SEKOWA))
    assert guessed(search, "targ ropa gorna") == ({None}, ["Ropa Górna", "Ropa", "Targropa"])
    assert guessed(search, "zakopane wrzeszcz")[1][0] == "Zakopane"


def test_a_place_named_in_the_text_is_guessed_if_few_have_its_name():
    wesola = [("Wesoła", code) for code in (ROPA, SEKOWA, NOWY_TARG, ZAKOPANE)]
    search = make_search(PLACES, ("Korbielów", ROPA), ("Korbielów", SEKOWA), *wesola)
    assert guessed(search, "wesola korbielow") == ({None}, ["Korbielów", "Korbielów"])
    assert guessed(search, "pellet korbielow ropa")[1] == ["Ropa", "Korbielów", "Korbielów"]


def test_nicknames_of_cities_and_words_of_wishes_are_understood():
    units = {"14": "mazowieckie", "1465": "a", "1465011": "Warszawa", "1401012": "Wąwał", "1401": "b"}
    search = make_search(units, ("W Wąwozie", "1401012"), ("Stare Miasto", "1465011"))
    texts = ("wawa", "Wawa", "WWA", "W-wa", "w–wa", "pellet wawa", "pellet W-wa", "gmina wawa")
    formal = ("m.st. Warszawa", "M. St. Warszawa", "m.st.warszawie", "pellet w m.st. Warszawie", "gmina m.st. Warszawa")
    for text in (*texts, *formal, "najtańszy pellet w warszawie"):
        assert found(search, text)[0] == "Warszawa", text
    assert found(search, "Stare Miasto, m.st. Warszawa") == ["Stare Miasto"]


def test_digits_alone_are_the_beginning_of_a_postcode_before_the_number_of_a_house_too():
    search = make_search(PLACES, postcodes={"38-300": (ROPA,), "38-400": (SEKOWA,)})
    assert units_found(search, "38") == units_found(search, "38-") == [ROPA, SEKOWA]
    assert units_found(search, "38 4") == units_found(search, "8-4") == [SEKOWA]
    for text in ("38-300 12", "38-300, 12", "38-300 12/5", "38–300 125"):
        assert units_found(search, text) == [ROPA], text
    assert found(search, "38-300 12 34") == []  # a telephone number


def test_a_place_beside_a_postcode_goes_first_only_from_another_municipality_of_the_code():
    search = make_search(PLACES, ("Targ", ZAKOPANE), ("Targ", SEKOWA), postcodes={"38-300": (ROPA,)})
    assert units_found(search, "38-300 targ") == [ROPA]
    search = make_search(PLACES, ("Targ", ROPA), ("Targ", ZAKOPANE), postcodes={"38-300": (ROPA,)})
    assert units_found(search, "38-300 targ") == units_found(search, "38-300") == [ROPA]


def test_of_places_beside_a_postcode_the_most_important_goes_first():
    villages = ("Targ", SEKOWA), ("Targ", ZAKOPANE)
    search = make_search(PLACES, *villages, postcodes={"38-300": (ROPA, SEKOWA, ZAKOPANE)})
    assert units_found(search, "38-300 targ") == [SEKOWA, ROPA]
    assert is_clear(search, "38-300 targ")


def test_an_address_with_a_postcode_is_where_its_names_are():
    villages = ("Targ", ZAKOPANE), ("Targ", SEKOWA), ("Wola", SEKOWA), ("Wieś", ROPA)
    search = make_search(PLACES, *villages, postcodes={"38-300": (ROPA, SEKOWA, ZAKOPANE)})
    in_targ = "ul. Targ 3, 38-300 Sękowa", "Targ 3/4, 38-300 gm. Sękowa"
    for text in ("Wola 12, 38-300 Wola", "Wola 12a, 38-300", *in_targ):
        assert (units_found(search, text), is_clear(search, text)) == ([SEKOWA, ROPA], True), text
    # A village with the town of its post office, and names of the code's first municipality.
    text = "Wola 12, 38-300 Zakopane"
    assert (units_found(search, text), is_clear(search, text)) == ([SEKOWA, ROPA], False)
    for text in ("Wieś 12, 38-300 Zakopane", "Lipowa 12, 38-300 Ropa", "Lipowa 12, 38-300"):
        assert units_found(search, text) == [ROPA], text


def test_beside_a_street_and_a_postcode_a_name_is_the_town_and_not_its_rural_namesake():
    rural = "1217022"
    search = make_search(PLACES | {rural: "Zakopane"}, ("Wola", rural), postcodes={"34-500": (rural, ZAKOPANE)})
    for text in ("Lipowa, 34-500 Zakopane", "ul. Lipowa 5, 34-500 Zakopane"):
        assert units_found(search, text) == [ZAKOPANE, rural], text
    for text in ("34-500 Zakopane", "Wola 5, 34-500 Zakopane", "Wola nr 5, 34-500 Zakopane"):
        assert units_found(search, text) == [rural], text


def test_an_address_without_streets_is_in_its_village():
    villages = ("Wola", ROPA), ("Wola", SEKOWA), ("Wola Górna", ROPA), ("Targ", "1205012"), ("Wola k. Ropy", SEKOWA)
    search = make_search(PLACES | {"1205012": "Stara Ropa"}, *villages)
    addresses = {"Wola 12, Ropa": ROPA, "Wola 12 Sękowa": SEKOWA, "Wola 12a/3, gm. Ropa": ROPA}
    addresses |= {"Targ 5, Stara Ropa": "1205012", "Wola 7, Ropa, powiat gorlicki": ROPA, "Wola nr 7, Ropa": ROPA}
    addresses |= {"Wola k. Ropy 3, Sękowa": SEKOWA}
    for text, code in addresses.items():
        assert (units_found(search, text), is_clear(search, text)) == ([code], True), text
        assert text.startswith(found(search, text)[0]), text
    # Streets, and what only begins or has the words of a name, are no villages.
    assert found(search, "ul. Wola 12, Ropa")[0] == found(search, "Górna 12, Ropa")[0] == "Ropa"
    assert found(search, "Lipowa 12, Sękowa") == ["Sękowa"]
    assert not is_clear(search, "Wola 12, powiat gorlicki")
    # The municipality may stand in front; its name may be an adjective, too.
    assert found(search, "gm. Ropa, wieś Wola 12") == found(search, "Ropa, Wola 12") == ["Wola"]
    search = make_search(UNITS | {ROPA: "Ropa", "1205011": "Gorlicko"}, ("Wola", ROPA), ("Rynek", ROPA))
    assert found(search, "Wola 5 Gorlicko")[0] == "Gorlicko"
    assert found(search, "Rynek 5, Ropa") == ["Ropa"]


def test_a_municipality_behind_a_comma_goes_before_places_elsewhere_that_are_like_the_street(monkeypatch):
    monkeypatch.setattr(index, "LARGEST", 0)
    search = make_search(PLACES, ("Kolonia Lipowa", SEKOWA), ("Kolonia Leśna", "1205082"), ("Lipowa", ZAKOPANE))
    for text in ("Lipowa, Ropa", "Zielona Lipowa, Ropa"):
        assert found(search, text)[0] == "Ropa", text
    assert not is_clear(search, "Lipowa, Ropa")


def test_a_large_town_behind_a_street_goes_before_names_like_both():
    units = UNITS | {ZAKOPANE: "Zakopane", ROPA: "Zakopanne", SEKOWA: "Stare Zakopane"}
    search = make_search(units, ("Krupówka", ROPA))
    places = {"Krupówki Zakopane": ["Zakopane", "Krupówka"], "Starre Zakopane": ["Stare Zakopane"]}
    assert {text: found(search, text) for text in places} == places
    # Not in the town is what is in the municipality around it, of the same name.
    search = make_search(PLACES | {"1217022": "Zakopane"}, ("Dolna", "1217022"), ("Polna", SEKOWA))
    assert units_found(search, "Polna Zakopane") == [ZAKOPANE, "1217022", "1217022"]
    # A word that is no name is a misspelt one.
    assert found(search, "Dollna Zakopane") == ["Dolna"]


def test_a_town_behind_a_street_goes_before_what_the_street_and_its_county_begin_like(monkeypatch):
    # Of a town named like the street, one in the same voivodeship stays, since the other may tell where it is.
    monkeypatch.setattr(index, "LARGEST", 4)
    units = PLACES | {"1217021": "Zielona", "24": "zakopaneckie", "2401": "lebski", "2401022": "Ustroń"}
    units |= {"26": "świętokrzyskie", "2601": "buski", "2601011": "Leśna"}
    search = make_search(units, ("Sękówka", "2401022"), ("Zakopanówka", "2401022"))
    places = dict.fromkeys(("Lebska Zakopane", "Leśna Zakopane", "Zakopane Leśna"), "Zakopane")
    places |= {"Zielona Zakopane": "Zielona", "powiat lebski": "Ustroń", "Ustroń Zakopanówka": "Zakopanówka"}
    assert {text: found(search, text)[0] for text in places} == places


def test_a_long_address_costs_few_readings():
    assert len(read_after_street("ul. " + "a b c " * 16)) <= 2 * MOST_WORDS


def test_characters_that_stand_for_words_make_no_text_longer_than_a_parameter():
    words = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * MAX_VALUE_LENGTH
    assert len(normalize_punctuation(words)) == MAX_VALUE_LENGTH


def test_neither_a_street_alone_nor_the_number_of_a_depot_is_a_place():
    villages = ("Długa Wieś", ROPA), ("Maja", ROPA), ("Nipkowie", ROPA), ("Telatyn", SEKOWA), ("Płock", ZAKOPANE)
    search = make_search(PLACES, *villages, postcodes={"12-300": (ROPA,)})
    streets = "ul. Długa", "ul. Długa 5", "ul. 3 Długa", "ul. 3 Maja", "ul.", "5", "woj. powiat", "powiat 5 powiat"
    for text in (*streets, "NIP 676-248-45-60", "pl 6762484560", "tel. 601 202 303", "(12) 300 67 89"):
        assert found(search, text) == [], text


def test_a_river_is_written_behind_a_stroke():
    search = make_search(PLACES | {ROPA: "Krosno nad Dunajcem"}, ("Niwki", ROPA))
    assert found(search, "Krosno n/Dunajcem") == found(search, "pellet KROSNO N/ D") == ["Krosno nad Dunajcem"]


def test_the_abbreviation_of_near_has_a_full_stop_or_not():
    search = make_search(PLACES, ("Krzywa", SEKOWA))
    for near in ("k.", "k", "koło"):
        assert found(search, f"Sękowa {near} Gorlic") == ["Sękowa"], near


GORLICE = "1205011"
LOCATED = ("Gorlice", GORLICE, 49.66, 21.16), ("Ropa", ROPA, 49.60, 21.04), ("Zakopane", ZAKOPANE, 49.30, 19.95)


def test_the_place_of_a_name_near_a_town_goes_first_however_their_nearness_is_told():
    krzywa = [("Krzywa", ROPA, 49.50, 20.90), ("Krzywa", ZAKOPANE, 49.25, 19.85), ("Krzywa", SEKOWA, 49.60, 21.20)]
    search = make_search(PLACES | {GORLICE: "Gorlice"}, *LOCATED, *krzywa, ("Zagórze", ROPA, 49.60, 20.50))
    near = ("k. Gorlic", "k/Gorlic", "koło Gorlic", "pod Gorlicami", "w okolicy Gorlic, małopolskie", "k. Gorlice")
    beside = ("Krzywa, Gorlice", "Krzywa Gorlice", "Gorlice Krzywa", "Gorlice, Krzywa", "Krzywa 12, Gorlice")
    for text in (*(f"pellet Krzywa {town}" for town in near), *beside):
        assert units_found(search, text)[0] == SEKOWA, text
    away = "Krzywa k. Zakopanego"
    assert (found(search, away)[0], units_found(search, away)[0]) == ("Krzywa", ZAKOPANE)
    # Near is said of a place 50 km away, too; two names beside each other are a street and its town beyond 20 km.
    assert found(search, "Zagórze k. Gorlic")[0] == "Zagórze"
    assert (is_clear(search, "Zagórze k. Gorlic"), is_clear(search, "Krzywa k. Gorlic")) == (True, False)
    for text in ("Zagórze, Gorlice", "ul. Krzywa 5, Gorlice"):
        assert found(search, text)[0] == "Gorlice", text


def test_a_village_near_a_town_goes_before_its_well_known_namesake_far_away():
    namesakes = [(name, SEKOWA, 49.62, 21.20) for name in ("Zakopane", "Ropa", "Targ", "Gorlice Targ")]
    search = make_search(PLACES | {GORLICE: "Gorlice"}, *LOCATED, *namesakes)
    for text in ("Zakopane, Gorlice", "Zakopane Gorlice", "Gorlice, Zakopane", "Zakopane 12, Gorlice"):
        assert units_found(search, text)[0] == SEKOWA, text
    # Itself near the town it is meant, as is what has both names.
    assert (units_found(search, "Ropa, Gorlice")[0], found(search, "Gorlice Targ")) == (ROPA, ["Gorlice Targ"])


def test_a_small_municipality_near_a_town_goes_before_its_well_known_namesake_far_away(monkeypatch):
    monkeypatch.setattr(index, "LARGEST", 2)
    units = UNITS | {GORLICE: "Gorlice", ZAKOPANE: "Zakopane", SEKOWA: "Zakopane"}
    search = make_search(units, *LOCATED[::2], ("Zakopane", SEKOWA, 49.60, 21.20))
    for text in ("Zakopane Gorlice", "Zakopane, Gorlice"):
        assert units_found(search, text)[0] == SEKOWA, text


def test_names_of_places_and_towns_may_be_short_where_a_word_says_that_they_are_near():
    units = UNITS | {GORLICE: "Gorlice Zdrój", ZAKOPANE: "Sucha Górska"}
    places = ("Gorlice Zdrój", GORLICE, 49.66, 21.16), ("Sucha Górska", ZAKOPANE, 49.60, 21.20)
    search = make_search(units, *places, ("Krzywa", ZAKOPANE, 49.60, 21.20), ("Sucha", GORLICE, 48.9, 21.16))
    for near in ("k. Gorlic", "przy Gorlicach"):
        assert found(search, f"Krzywa {near}")[0] == "Krzywa", near
        assert found(search, f"Sucha {near}")[0] == "Sucha Górska", near
    # Without it a street is likelier.
    assert search.towns.places_near("sucha, gorlice zdroj") == ()


def test_a_word_for_a_municipality_says_that_a_place_is_in_it_not_near_it(monkeypatch):
    own = [("Krzywa", code, 49.56, 21.30) for code in (GORLICE, "1205042")]
    units = PLACES | {GORLICE: "Gorlice", "1205042": "Gorlice"}
    search = make_search(units, *LOCATED, *own, ("Krzywa", SEKOWA, 49.66, 21.18))
    kinds = {GORLICE: "część miasta", "1205042": "część"}
    monkeypatch.setattr(search.index, "description", lambda number: kinds.get(search.index.teryt(number), "wieś"))
    assert units_found(search, "Krzywa Gorlice")[0] == SEKOWA
    for text in ("Krzywa gmina Gorlice", "pellet Krzywa gm. Gorlice"):
        assert units_found(search, text) == [GORLICE, "1205042"], text


def test_streets_of_a_town_are_no_places_near_it(monkeypatch):
    zielona = ("Zielona", SEKOWA, 49.60, 21.20)
    search = make_search(PLACES | {GORLICE: "Gorlice"}, *LOCATED, zielona, ("Rynek", SEKOWA, 49.65, 21.16))
    for text in ("Gorlice, Zielona 5", "Gorlice Zielona 5a", "Rynek 1, Gorlice", "Rynek, Gorlice", "Gorlice, Rynek 1"):
        assert found(search, text)[0] == "Gorlice", text
    assert units_found(search, "Zielona 5, Gorlice")[0] == SEKOWA
    # Parts of villages have no addresses of their own.
    monkeypatch.setattr(search.index, "description", lambda number: "część, gmina wiejska Sękowa")
    assert found(search, "Zielona 5, Gorlice")[0] == "Gorlice"
    assert units_found(search, "Zielona k. Gorlic")[0] == SEKOWA


def test_the_feminine_of_a_county_is_a_street():
    search = make_search(PLACES, ("Zakopane", SEKOWA))
    assert units_found(search, "Zakopane, gorlicki")[0] == units_found(search, "Zakopane gorlickie")[0] == SEKOWA
    for text in ("Gorlicka, Zakopane", "Zakopane, Gorlicka 5"):
        assert units_found(search, text)[0] == ZAKOPANE, text


def test_after_a_preposition_rural_municipalities_are_inflected_too():
    search = make_search(PLACES | {ROPA: "Jabłonka", SEKOWA: "Suchy Las"}, ("Jabłoniec", SEKOWA))
    for text, name in (("pellet w Jabłonce", "Jabłonka"), ("w Suchym Lesie", "Suchy Las"), ("k. Jabłonki", "Jabłonka")):
        assert found(search, text)[0] == name, text


def test_after_a_preposition_a_case_of_a_name_goes_before_names_that_begin_like_it():
    villages = ("Bystra", ROPA), ("Bystrzyk", SEKOWA), ("Czarna Góra", ROPA), ("Czarnów", SEKOWA), ("Nowa Wieś", ROPA)
    search = make_search(PLACES | {ZAKOPANE: "Skawina"}, ("Skawa", ROPA), *villages)
    cases = {"w Bystrej": "Bystra", "pellet w Czarnej Górze": "Czarna Góra", "do Skawy": "Skawa", "w Skawie": "Skawa"}
    cases |= {"w Nowej Wsi": "Nowa Wieś", "w Bystrej, gmina Ropa": "Bystra"}
    assert {text: found(search, text)[0] for text in cases} == cases
    # What is no case of a name is still the beginning of one.
    assert found(search, "w Skawin") == ["Skawina"]


def test_after_a_preposition_the_first_word_of_a_towns_name_is_enough():
    units = PLACES | {ZAKOPANE: "Rabka-Zdrój", ROPA: "Krynice", "1205011": "Krynica-Zdrój"}
    search = make_search(units, ("Rabczyn", ROPA))
    cases = {"w Rabce": "Rabka-Zdrój", "w Krynicy": "Krynica-Zdrój", "w Krynicach": "Krynice"}
    assert {text: found(search, text)[0] for text in cases} == cases


def test_after_a_preposition_districts_of_the_largest_cities_are_inflected_too():
    units = UNITS | {"1261": "Kraków", "1261011": "Kraków", SEKOWA: "Sękowa"}
    search = make_search(units, ("Kraków-Nowa Huta", "1261011"), ("Hucisko", SEKOWA), kind="delegatura")
    for text in ("w Nowej Hucie", "pellet na Nowej Hucie", "do Nowej Huty"):
        assert found(search, text) == ["Kraków-Nowa Huta"], text
