"""Names that are more than one thing: regions that are hamlets, towns that are rivers, kinds that are streets."""

from tests.catalog.search.country import NOWY_TARG, PLACES, ROPA, SEKOWA, ZAKOPANE, found, make_search, units_found


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
