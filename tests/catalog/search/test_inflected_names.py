"""The cases that names of towns and villages stand in: recognised, and found by."""

import csv
from pathlib import Path

import pytest

from catalog.search.query import spoken_name
from catalog.search.vocabulary import InflectedNames
from tests.catalog.search.country import (
    NOWY_TARG,
    PLACES,
    ROPA,
    SEKOWA,
    ZAKOPANE,
    found,
    make_search,
    search_of,
    starter_register,
)

with (Path(__file__).parent / "inflected_towns.csv").open() as file:
    CASES = [tuple(row) for row in csv.reader(file)][1:]
"""Folded nominative, genitive and locative of towns."""


def test_names_are_recognised_in_both_cases():
    for name, genitive, locative in CASES:
        names = InflectedNames([name])
        assert names.find(genitive.split()) == names.find(locative.split()) == name
        assert names.find(f"{genitive} x".split()) is None


def test_the_instrumental_is_recognised_after_a_preposition_alone():
    for name, form in (
        *(("krakow", "krakowem"), ("slupsk", "slupskiem"), ("torun", "toruniem"), ("lodz", "lodzia")),
        *(("zywiec", "zywcem"), ("bialystok", "bialymstokiem"), ("nowy sacz", "nowym saczem")),
        *(("bydgoszcz", "bydgoszcza"), ("bielsko biala", "bielskiem biala"), ("krosno", "krosnem")),
        *(("opole", "opolem"), ("kielce", "kielcami"), ("konskie", "konskimi"), ("suwalki", "suwalkami")),
    ):
        assert InflectedNames([name]).find(form.split(), spoken=True) == name
    assert InflectedNames(["lodz"]).find(["lodzia"]) is None
    texts = ("pod krakowem", "centrum krakowa", "sklad krakowem", "krakowem")
    assert [spoken_name(text)[1] for text in texts] == [True, True, False, False]
    # A preposition inflects the word behind it alone.
    texts = ("z dowozem krakow", "w sobote krakow", "z dowozem do krakowa", "na terenie krakowa")
    assert [spoken_name(text)[1] for text in texts] == [False, False, True, True]
    # Cases are not mixed.
    for name, words in (("zielona gora", "zielonej gora"), ("naklo nad notecia", "nakla nad noteci"), ("krakow", "")):
        assert InflectedNames([name]).find(words.split()) is None


def test_the_name_behind_every_preposition_is_a_case():
    search = make_search(PLACES | {ROPA: "Opole"}, ("Okół", ROPA), ("Opolan", SEKOWA), ("Żelechowa", ZAKOPANE))
    for text in ("wokół Opola", "około Opola", "spod Opola", "ze Opola", "przed Opolem", "poza Opolem"):
        assert found(search, text) == ["Opole"], text


def test_words_behind_an_inflected_one_may_be_abbreviated():
    for name, text in (
        *(("sroda wielkopolska", "srodzie wlkp"), ("ruda slaska", "rudzie sl"), ("rawa mazowiecka", "rawy maz")),
        *(("ostrow mazowiecka", "ostrowi maz"), ("nowy dwor mazowiecki", "nowym dworze maz")),
    ):
        assert InflectedNames([name]).find(text.split()) == name
    for name, text in (("zielona gora", "zielonej g"), ("zielona gora", "ziel gorze"), ("ruda slaska", "rudzie st")):
        assert InflectedNames([name]).find(text.split()) is None


@pytest.fixture(scope="module")
def search():
    return search_of(starter_register())


@pytest.mark.slow
def test_a_town_is_first_however_its_name_is_inflected(search):
    pairs = ("{of}", "{at}"), ("do {of}", "w {at}"), ("pellet koło {of}", "skład opału w {at}")
    for phrases in (*pairs, ("centrum {of}", "{at}, Długa 5")):
        missed = []
        for name, of, at in CASES:
            for phrase in phrases:
                text = phrase.format(of=of, at=at)
                numbers = search.find(text).numbers
                if not numbers or search.index.fold(numbers[0]) != name:
                    missed.append(text)
        assert len(missed) <= 0.04 * len(CASES) * len(phrases), missed


with (Path(__file__).parent / "inflected_villages.csv").open() as file:
    VILLAGES = [tuple(row) for row in csv.reader(file)][1:]
"""Questions with a case of a village or of the first word of a town, and the folded name, or its first words."""


@pytest.mark.slow
def test_a_village_is_first_however_its_name_is_inflected(search):
    first = {text: search.index.fold(search.find(text).numbers[0]) for text, _ in VILLAGES}
    assert [text for text, name in VILLAGES if not f"{first[text]} ".startswith(f"{name} ")] == []


@pytest.mark.slow
def test_what_people_say_and_type(search):
    for text, name, fuel in (
        ("zakopane krupówki", "zakopane", None),
        ("warszawa marszałkowska 10", "warszawa", None),
        ("Kraków centrum", "krakow", None),
        ("w Nakle nad Notecią", "naklo nad notecia", None),
        ("wood pellets in Cracow", "krakow", "pellet"),
        ("coal Warsaw", "warszawa", "wegiel"),
        ("nut coal Poznań", "poznan", "wegiel-orzech"),
        ("do Śmigla", "smigiel", None),
        ("pod Łodzią", "lodz", None),
        ("pod Żywcem", "zywiec", None),
        ("w okolicach Kielc", "kielce", None),
        ("w Ujeździe", "ujazd", None),
        ("w Nowej Hucie", "nowa huta", None),
        ("na Jeżycach", "jezyce", None),
        ("pellet na Woli", "wola", "pellet"),
        # A name as it is goes before a form of a small town, but for a preposition.
        ("Sanoka", "sanoka", None),
        ("do Sanoka", "sanok", None),
        ("Konina", "konin", None),
    ):
        matches = search.find(text)
        assert (search.index.fold(matches.numbers[0]), matches.fuel) == (name, fuel), text


def test_a_form_that_begins_other_names_hides_none_of_them():
    towns = {"1205011": "Koło", "1205021": "Nowe", "1205031": "Nowy Targ", "1205041": "Tychy", "1205051": "Błonie"}
    villages = {"1205062": "Kołaczyce", "1205072": "Tychowo"}
    places = [(name, "1205062") for name in ("Na Błoniu", "Kolada", "Szkolny")]
    search = make_search({"12": "małopolskie", "1205": "gorlicki"} | towns | villages, *places)
    assert found(search, "koła") == ["Koło", "Kołaczyce", "Kolada"]
    assert not search.suggest("koła").clear
    assert found(search, "do koła") == ["Koło"]
    assert search.suggest("do koła").clear
    # First words of a municipality, and first letters of the town, are no form.
    assert found(search, "nowy") == ["Nowy Targ"]
    assert found(search, "pellet nowego") == ["Nowe"]
    assert {*found(search, "tych")} == {"Tychy", "Tychowo"}
    # A place may be called so with its preposition.
    assert found(search, "na błoniu") == ["Na Błoniu"]
    assert found(search, "w błoniu") == ["Błonie"]


def test_a_unit_after_a_comma_tells_the_name_of_a_locality_from_a_form():
    search = make_search(PLACES | {NOWY_TARG: "Konin"}, ("Konina", SEKOWA), ("Pod Koninem", ROPA))
    for text in ("Konina, Sękowa", "Konina (Sękowa)", "pellet Konina, gm. Sękowa"):
        assert (found(search, text), search.suggest(text).clear) == (["Konina"], True), text
    assert found(search, "Pod Koninem, Ropa") == ["Pod Koninem"]
    # Neither a street nor a unit without a locality of the name is one.
    for text in ("Konina", "Konina, ul. Ropa 5"):
        assert (found(search, text), search.suggest(text).clear) == (["Konin", "Konina"], False), text
    assert found(search, "Konina, Zakopane")[:2] == ["Zakopane", "Konin"]
    assert found(search, "pod Koninem, Zakopane")[:2] == ["Zakopane", "Konin"]


def test_a_municipality_in_a_case_goes_before_misspelt_names_and_a_village_after_them():
    search = make_search(PLACES | {ROPA: "Gorzów Nowy", SEKOWA: "Pcim"}, ("Gorzowia", ZAKOPANE), ("Skawa", ROPA))
    for text, name in (("gorzowie", "Gorzów Nowy"), ("pellet Pcimiu", "Pcim"), ("Skawie", "Skawa")):
        assert found(search, text)[:1] == [name], text
    assert found(make_search(PLACES, ("Skawia", ROPA), ("Skawa", ROPA)), "skawie") == ["Skawia"]


def test_a_whole_name_with_its_preposition_is_not_one_without():
    search = make_search(PLACES, ("Pod Lasem", ROPA), ("Lasy", ROPA), ("W Łęgu", SEKOWA))
    for text in ("Pod Lasem, Ropa", "pod lasem ropa", "pellet Pod Lasem gm. Ropa", "Pod Lasem, powiat gorlicki"):
        assert found(search, text) == ["Pod Lasem"], text
    assert found(search, "w lasach Ropa")[0] == "Lasy"
    # The preposition of another name does not count.
    assert found(search, "w Sękowa") == ["Sękowa"]


def test_a_town_behind_a_comma_that_narrows_nothing_goes_before_places_elsewhere():
    search = make_search(PLACES, ("Lipowa", ROPA), ("Nowa", SEKOWA))
    for text in ("Lipowa, Zakopane", "pellet Lipowa (Zakopane)"):
        assert found(search, text) == ["Zakopane", "Lipowa"], text
        assert not search.suggest(text).clear, text
    # Not where it narrows, is no town, or stands behind another town.
    for text, name in (("Lipowa, Ropa", "Lipowa"), ("Lipowa, Nowa", "Lipowa"), ("Zakopane, Nowy Targ", "Zakopane")):
        assert found(search, text) == [name], text
