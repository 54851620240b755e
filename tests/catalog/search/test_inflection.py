"""Names of towns in the genitive and the locative."""

import csv
from pathlib import Path

import pytest

from catalog.search.query import InflectedNames
from tests.catalog.search.country import search_of, starter_register

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
    found = search.find(text, 8)
    assert (search.index.fold(found.numbers[0]), found.fuel) == (name, fuel)
