"""Words beside a name that are no places, or more than one thing: wishes, streets, regions, rivers, other towns."""

import pytest

from catalog.search import index
from tests.catalog.search.country import NOWY_TARG, PLACES, ROPA, SEKOWA, ZAKOPANE, found, make_search, units_found


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


def test_a_word_that_resembles_no_name_is_left_out_beside_a_whole_name_where_nothing_else_fits():
    search = make_search(PLACES, ("Korbielów", ROPA), ("Korbielówka", SEKOWA))
    texts = ("pellet promocja Korbielów", "Korbielów telefon", "pellet cennik w Korbielowie", "dowóz do Korbielowa")
    for text in texts:
        assert (found(search, text), search.find(text).forgiven) == (["Korbielów"], True), text
    assert found(search, "promocja Korb") == found(search, "promocja, woj. Mazowieckie") == []


def test_what_is_no_name_beside_the_place_is_ignored():
    search = make_search(PLACES, ("Targ", ROPA), ("Polan", NOWY_TARG))
    streets = ("ul. Długa 5", "ul. Długa", "ul. 3 Maja 12a", "ul. 3 Maja", "3 Maja 12a", "ul. Jana Pawła II 7 m. 2")
    before = (*streets, "Długa 5", "Długa 5/7", "os. Targ 5/7", "34-4", "34-,", "skład opału ul. Długa")
    after = ("Nowy\u200b Ta\u00adrg\u200f", "Nowy Targ niedziela", "Nowy Targ w niedzielę", "Nowy Targ Poland")
    for text in (*(f"{words} Nowy Targ" for words in before), *after):
        assert found(search, text) == ["Nowy Targ"], text


def test_a_village_is_found_behind_part_of_a_postcode_and_before_a_street_and_its_municipality():
    search = make_search(PLACES, ("Lipnik", ROPA))
    for text in ("34-4 Lipnik", "34-40; Lipnik", "Lipnik ul. Ogrodowa 5 A, Ropa", "Lipnik pl. Szkolny, Ropa"):
        assert found(search, text)[:1] == ["Lipnik"], text


def test_what_follows_a_number_is_no_place_unless_it_is_one_as_a_whole():
    search = make_search(PLACES, ("Majaczewice", ROPA), ("Annopol", ROPA), ("Bystra", ROPA), ("Wola", SEKOWA))
    streets = ("3 Maja", "15 A", "5 lok B", "5 lok. Wola", "31 Gorlicka", "Krupówki")
    places = {f"Zakopane {street}": ["Zakopane"] for street in streets}
    places |= {"Krupówki Zakopane": ["Zakopane"], "ul. Krupówki Zakopane": ["Zakopane"]}
    places |= {"Ropa Krupówki 5": ["Ropa"], "ul. Maj": [], "Jana Pawła 5, Sękowa, gorlicki": ["Sękowa"]}
    assert {text: found(search, text) for text in places} == places


def test_a_region_goes_before_hamlets_of_its_name_unless_a_unit_tells_them_from_it():
    units = PLACES | {"1211102": "Aba", "14": "mazowieckie", "1401": "białobrzeski", "1401011": "Wyśmierzyce"}
    search = make_search(units, ("Podhale", ROPA), ("Podhale", SEKOWA), ("Mazowsze", ROPA))
    # Of its counties the seats go first.
    for text in ("Podhale", "pellet Podhale", "tani węgiel, Podhale"):
        names = ["Nowy Targ", "Zakopane", "Aba", "Podhale", "Podhale"]
        assert (found(search, text), search.suggest(text).clear) == (names, False), text
    assert found(search, "Mazowsze") == ["Wyśmierzyce", "Mazowsze"]
    for text in ("Podhale, Ropa", "Podhale gm. Ropa"):
        assert units_found(search, text) == [ROPA], text


def test_hamlets_keep_half_of_the_suggestions_beside_a_large_region():
    codes = [f"12110{number}2" for number in range(1, 10)]
    search = make_search(PLACES | {code: f"Gmina {code[5]}" for code in codes}, *(("Podhale", code) for code in codes))
    assert found(search, "Podhale") == ["Nowy Targ", "Zakopane", "Gmina 1", "Gmina 2", *["Podhale"] * 4]


def test_a_river_behind_a_name_is_left_out_unless_it_is_in_the_name():
    units = PLACES | {"1205011": "Wisła", "1205031": "Kostrzyn nad Odrą"}
    search = make_search(units, ("Osiek", SEKOWA), ("Osiek nad Wisłą", NOWY_TARG), ("Dębki", ZAKOPANE))
    names = {"Dębki nad morzem": "Dębki", "pellet Dębki nad Wisłą": "Dębki", "Ropa nad Wisłą": "Ropa"}
    names |= {"Zakopane nad Wisłą": "Zakopane", "Wisła": "Wisła"}
    names |= {"Osiek nad Wisłą": "Osiek nad Wisłą", "do Osieka nad Wisłą": "Osiek nad Wisłą"}
    names |= {"Kostrzyn nad Odrą Krótka": "Kostrzyn nad Odrą", "Kostrzin nad Odrą": "Kostrzyn nad Odrą"}
    assert {text: found(search, text)[0] for text in names} == names
    assert found(search, "Xqzv nad Wisłą") == []


def test_the_kind_of_a_municipality_may_follow_its_name():
    search = make_search(PLACES | {"1211092": "Nowy Targ"}, ("Wiejska", ROPA))
    for text in ("gmina Nowy Targ wiejska", "gm. Nowy Targ, wiejska"):
        assert units_found(search, text) == ["1211092"], text
    assert units_found(search, "gmina Nowy Targ miejska") == [NOWY_TARG]
    assert found(search, "Wiejska, Ropa") == ["Wiejska"]


def test_abbreviations_without_vowels_are_understood():
    search = make_search(PLACES | {ROPA: "Ropa Wielka", SEKOWA: "Środa Wielkopolska"})
    names = {
        "Nw. Targ": "Nowy Targ",
        "nw targ": "Nowy Targ",
        "Ropa Wlk.": "Ropa Wielka",
        "Środa Wlk": "Środa Wielkopolska",
    }
    assert {text: found(search, text)[0] for text in names} == names


def test_words_that_are_all_names_are_a_street_and_its_town_before_they_are_misspelt():
    units = PLACES | {"1205011": "Nysa", "1217021": "Śrem", "1205031": "Kłodzko", "1205042": "Kłodzko"}
    villages = ("Polna", ROPA), ("Dolna", "1205011"), ("Dolna", "1205042"), ("Gorlicko", "1217021")
    search = make_search(units, *villages, ("Nysar", SEKOWA))
    names = {"Nysa Polna": ["Nysa", "Dolna"], "Polna Nysa": ["Nysa", "Dolna"], "Śrem Gorlicka": ["Śrem", "Gorlicko"]}
    names |= {"Kłodzko Polna": ["Kłodzko", "Kłodzko", "Dolna"]}
    for text in names:
        assert (found(search, text), search.find(text).forgiven) == (names[text], True), text
    # A word that is no name is misspelt.
    assert found(search, "Nysa Dolns") == ["Dolna"]


UNITS = {"12": "małopolskie", "1205": "gorlicki", "14": "mazowieckie", "1411": "makowski"}
BIECZ, ROZAN, RURAL_BIECZ = "1205013", "1411073", "1411022"


@pytest.fixture
def search(monkeypatch):
    """Two towns that are not well known. Biecz has a rural namesake with more addresses."""
    monkeypatch.setattr(index, "LARGEST", 0)
    codes = {"06-200": (RURAL_BIECZ,), "06-201": (RURAL_BIECZ,), "38-250": (BIECZ,)}
    return make_search(UNITS | {BIECZ: "Biecz", ROZAN: "Różan", RURAL_BIECZ: "Biecz"}, postcodes=codes)


def test_a_town_is_found_beside_a_street_though_its_rural_namesake_is_more_important(search):
    assert units_found(search, "biecz") == [RURAL_BIECZ, BIECZ]
    for text in ("Biecz Wyspiańskiego", "Wyspiańskiego Biecz", "1 Maja Biecz"):
        assert units_found(search, text) == [RURAL_BIECZ, BIECZ], text


def test_a_case_of_a_town_before_another_town_is_a_street_without_a_preposition(search):
    assert units_found(search, "Różana Biecz") == units_found(search, "Biecz Różana") == [RURAL_BIECZ, BIECZ]
    assert units_found(search, "w Różanie Biecz") == units_found(search, "Różan Biecz") == [ROZAN]
    village = make_search(UNITS | {BIECZ: "Biecz", ROZAN: "Różan"}, ("Biecza", ROZAN))
    assert units_found(village, "Biecza") == [ROZAN]
