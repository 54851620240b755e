"""Names of towns in the genitive and the locative."""

import csv
from pathlib import Path

import pytest

from catalog.search.query import InflectedNames
from tests.catalog.search.country import search_of, starter_register
from tests.catalog.search.small import found, make_search

with (Path(__file__).parent / "inflected_towns.csv").open() as file:
    CASES = [tuple(row) for row in csv.reader(file)][1:]
"""Folded nominative, genitive and locative of towns."""


def test_names_are_recognised_in_both_cases():
    for name, genitive, locative in CASES:
        names = InflectedNames([name])
        assert names.find(genitive.split()) == names.find(locative.split()) == name
        assert names.find(f"{genitive} x".split()) is None


def test_cases_are_not_mixed():
    assert InflectedNames(["zielona gora"]).find(["zielonej", "gora"]) is None
    assert InflectedNames(["naklo nad notecia"]).find(["nakla", "nad", "noteci"]) is None
    assert InflectedNames(["krakow"]).find([]) is None


@pytest.fixture(scope="module")
def search():
    return search_of(starter_register())


@pytest.mark.slow
@pytest.mark.parametrize(
    "phrases",
    [
        ("{of}", "{at}"),
        ("do {of}", "w {at}"),
        ("pellet koło {of}", "skład opału w {at}"),
        ("centrum {of}", "{at}, Długa 5"),
    ],
)
def test_a_town_is_first_however_its_name_is_inflected(search, phrases):
    missed = []
    for name, of, at in CASES:
        for phrase in phrases:
            text = phrase.format(of=of, at=at)
            numbers = search.find(text, 8).numbers
            if not numbers or search.index.fold(numbers[0]) != name:
                missed.append(text)
    assert len(missed) <= 0.04 * len(CASES) * len(phrases), missed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name", "fuel"),
    [
        ("zakopane krupówki", "zakopane", None),
        ("warszawa marszałkowska 10", "warszawa", None),
        ("Kraków centrum", "krakow", None),
        ("w Nakle nad Notecią", "naklo nad notecia", None),
        ("wood pellets in Cracow", "krakow", "pellet"),
        ("coal Warsaw", "warszawa", "wegiel"),
        ("nut coal Poznań", "poznan", "wegiel-orzech"),
        ("do Śmigla", "smigiel", None),
        ("w Ujeździe", "ujazd", None),
        # A name as it is goes before a form of a small town, but for a preposition.
        ("Sanoka", "sanoka", None),
        ("do Sanoka", "sanok", None),
        ("Konina", "konin", None),
    ],
)
def test_what_people_say_and_type(search, text, name, fuel):
    matches = search.find(text, 8)
    assert (search.index.fold(matches.numbers[0]), matches.fuel) == (name, fuel)


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
