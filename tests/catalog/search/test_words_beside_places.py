"""Words beside a name: of fuels, wishes, prices and addresses, which are no places."""

from tests.catalog.search.country import NOWY_TARG, PLACES, ROPA, SEKOWA, found, make_search


def test_words_that_may_be_part_of_a_name_are_kept_longer_than_words_beside_it():
    search = make_search(PLACES | {"1205012": "Nowa Sarzyna"}, ("Nowa Wieś", SEKOWA))
    texts = ("skład opału Nowa Wieś", "Nowa Wieś, skład opału", "tani pellet Nowa Wieś", "skład w Nowej Wsi")
    for text in (*texts, "w miejscowości Nowa Wieś", "na osiedlu Nowa Wieś"):
        assert found(search, text) == ["Nowa Wieś"], text


def test_a_text_of_a_fuel_and_a_name_searches_the_name_and_a_fuel_in_a_name_is_none():
    search = make_search(PLACES, ("Węgiel", ROPA))
    hits = search.find("pellet ropa")
    assert (hits.fuel, hits.typed, found(search, "pellet ropa")) == ("pellet", "ropa", ["Ropa"])
    assert (search.find("węgiel").fuel, found(search, "węgiel")) == (None, ["Węgiel"])


def test_a_depot_is_no_place_called_depot():
    search = make_search(PLACES, ("Skład", ROPA), ("Składy", ROPA))
    for text in ("skład Ropa", "składy Ropa", "Ropa skład", "skład opału Ropa", "najbliższy skład Ropa"):
        assert found(search, text) == ["Ropa"], text
    for text in ("skład węgla Ropa", "składy węgla Ropa", "Ropa skład węgla"):
        assert (search.find(text).fuel, found(search, text)) == ("wegiel", ["Ropa"]), text
    assert (search.find("skład węgla").fuel, found(search, "skład węgla")) == ("wegiel", [])
    assert found(search, "Skład, Ropa") == ["Skład"]


def test_words_about_a_fuel_begin_no_name():
    search = make_search(PLACES, ("Tanibórz", ROPA), ("Ceny", ROPA))
    for text in ("tani pellet", "pellet najtaniej", "gdzie kupić pellet", "where to buy pellets"):
        assert (search.find(text).fuel, found(search, text)) == ("pellet", []), text
    assert found(search, "pellet tanib") == found(search, "tani") == ["Tanibórz"]
    assert found(search, "pellet ceny") == ["Ceny"]
    for text in ("tani pellet ropa", "pellet price Ropa", "fuel depot Ropa", "ile kosztuje pellet w Ropie"):
        assert found(search, text) == ["Ropa"], text
    for text in ("pellet w workach Ropa", "pellet luzem Ropa", "pellet z dowozem Ropa", "pellet z dostawą w Ropie"):
        assert (search.find(text).fuel, found(search, text)) == ("pellet", ["Ropa"]), text


def test_a_name_behind_a_preposition_of_another_word_is_no_form_of_another_name():
    search = make_search(PLACES | {"1205032": "Jedwabno", "1205043": "Jedwabne"})
    for text in ("pellet z dowozem Jedwabne", "otwarte w sobotę Jedwabne"):
        assert found(search, text)[:1] == ["Jedwabne"], text
    assert found(search, "pellet w Jedwabnie")[:1] == ["Jedwabno"]


def test_words_about_the_price_the_season_and_the_delivery_are_no_places():
    search = make_search(PLACES, ("Zimna Woda", ROPA), ("Domaszowice", ROPA), ("Huby za Torem", ROPA))
    for text in ("węgiel na zimę Ropa", "węgiel z dostawą do domu Ropa", "cena węgla za tonę Ropa"):
        assert (search.find(text).fuel, found(search, text)) == ("wegiel", ["Ropa"]), text
    assert found(search, "huby za") == ["Huby za Torem"]


def test_a_country_behind_a_comma_narrows_to_no_municipality_of_that_name():
    search = make_search(PLACES | {"1205053": "Jawornik Polski"}, ("Łazy", "1205053"), ("Ropa", "1205053"))
    for text in ("Ropa, Polska", "Dworcowa 3a, Ropa, Polska", "Ropa, Poland"):
        assert found(search, text)[:1] == ["Ropa"], text
        assert search.suggest(text).found[0].teryt == ROPA, text
    assert found(search, "łazy polska") == ["Łazy"]


def test_a_town_amid_other_words_is_found_and_words_that_do_not_locate_are_no_place():
    search = make_search(PLACES | {"1205011": "Biecz"}, ("Odrowąż", ROPA), ("Kolonia Mnich", ROPA), ("Olejnica", ROPA))
    for text in ("promocja pellet Zakopane transport", "pellet od producenta Zakopane ceny 2026"):
        assert (search.find(text).fuel, found(search, text)) == ("pellet", ["Zakopane"]), text
    assert found(search, "węgiel między Bieczem a Zakopanem") == ["Biecz"]
    beside = ("koło mnie", "skład opału blisko mnie", "olej opałowy")
    for text in (*beside, "Odrowąż Kobyla Biecz Nowa", "pellet od 2026", "producent pelletu transport"):
        assert found(search, text) == [], text


def test_what_is_no_name_beside_the_place_is_ignored():
    search = make_search(PLACES, ("Targ", ROPA), ("Polan", NOWY_TARG))
    streets = ("ul. Długa 5", "ul. Długa", "ul. 3 Maja 12a", "ul. 3 Maja", "3 Maja 12a", "ul. Jana Pawła II 7 m. 2")
    before = (*streets, "Długa 5", "Długa 5/7", "os. Targ 5/7", "34-4", "34-,", "skład opału ul. Długa")
    after = ("Nowy\u200b Ta\u00adrg\u200f", "Nowy Targ niedziela", "Nowy Targ w niedzielę", "Nowy Targ Poland")
    for text in (*(f"{words} Nowy Targ" for words in before), *after):
        assert found(search, text) == ["Nowy Targ"], text


def test_what_follows_a_number_is_no_place_unless_it_is_one_as_a_whole():
    search = make_search(PLACES, ("Majaczewice", ROPA), ("Annopol", ROPA), ("Bystra", ROPA), ("Wola", SEKOWA))
    streets = ("3 Maja", "15 A", "5 lok B", "5 lok. Wola", "31 Gorlicka", "Krupówki")
    places = {f"Zakopane {street}": ["Zakopane"] for street in streets}
    places |= {"Krupówki Zakopane": ["Zakopane"], "ul. Krupówki Zakopane": ["Zakopane"]}
    places |= {"Ropa Krupówki 5": ["Ropa"], "ul. Maj": [], "Jana Pawła 5, Sękowa, gorlicki": ["Sękowa"]}
    assert {text: found(search, text) for text in places} == places
