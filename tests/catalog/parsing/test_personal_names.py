"""Names that are only a person's, and names that say more."""

from hypothesis import given
from hypothesis import strategies as st

from catalog.parsing.contacts import GIVEN_NAMES, is_personal_name


def test_the_name_of_a_person_is_recognised():
    for name in (
        *("Jan Kowalski", "KOWALSKI JAN", "jan kowalski", " Jan  Kowalski ", "„Jan Kowalski”", "Lukasz Wojcik"),
        *("Anna Maria Nowak-Wiśniewska", "Nowak-Wiśniewska Anna Maria", "Zofia Król", "Jan Bąk", "Pan Jan Kowalski"),
        *("Pani Anna Nowak", "mgr inż. Jan Kowalski", "J. Kowalski", "Kowalski J.", "J.M. Kowalski", "J. Wróbel"),
        *("Jan M. Kowalski", "Jan i Anna Kowalscy", "Jan Kowalski & Adam Nowak", "Jan Kowalski, Adam Nowak"),
        *("Kowalski, Jan", "Adam Filip", "Jan K.", "J. M. Kowalski", "Jan, Anna i Piotr Nowak"),
    ):
        assert is_personal_name(name)


def test_surname_that_resembles_a_trade_or_a_town():
    for surname in (
        *("Opaliński", "Drewniak", "Paliwoda", "Gazda", "Kominek", "Węglarz", "Składowski", "Budzyński", "Orzech"),
        *("Kostka", "Rolnik", "Piła", "Handzlik", "Krakowski", "Brzeziński"),
    ):
        assert is_personal_name(f"Jan {surname}")


def test_the_name_of_a_business_is_not_that_of_a_person():
    for name in (
        *("PHU Jan Kowalski", "Jan Kowalski P.P.H.U.", "P.P.H.U. Kowalski", "F.H. Kowalski", "FHU Jan Kowalski"),
        *("P. H. Kowalski", "P.H. Kowalski J.", "P.W. Kowalski", "firma Jan Kowalski", "Jan Kowalski skład"),
        *("Opał Jan Kowalski", "Jan Kowalski Węgiel", "Usługi Jan Kowalski", "Tartak Jan Kowalski"),
        *("Jan Kowalski Transport", "Handel Jan Kowalski", "Jan Kowalski sp. z o.o.", "Jan Kowalski sp.j."),
        *("Jan Kowalski s.c.", "Jan Kowalski i Syn", "Jan Kowalski Eko-Opał", "Jan-Bud Kowalski"),
        *("Jan Kowalski – opał", 'Zakład "Jan Kowalski"', "Jan Kowalski 24h", "Jan Dobra Chata", "Jan Kowalski 2"),
        "Jan Kowalski (Dęby)",
    ):
        assert not is_personal_name(name)


def test_second_word_is_a_fuel_a_town_or_a_brand():
    for name in (
        *("Pellet Brzeg", "Król Opał", "Maria Pellet", "Jan Brzeg", "Barbara Kraków", "Hanna Bielsko-Biała"),
        *("Anna Plus", "Jan Transport", "Jan Opałowy", "Jan Bud-Nowak", "Jan Spółdzielnia"),
    ):
        assert not is_personal_name(name)


def test_not_a_full_name():
    for name in ("", " . ", "Jan", "Kowalski", "Nowak-Wiśniewska", "J. K.", "J. Opoka", "J. Tek", "Jan Paweł II"):
        assert not is_personal_name(name)


def test_usual_names_of_depots():
    for name in ("Skład węgla", "Skład opału", "Hurtownia opału Kowalski", "Węgiel-Trans Malinowski"):
        assert not is_personal_name(name)


def given_names():
    return [line for line in GIVEN_NAMES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_no_given_name_is_taken_for_a_trade():
    assert [name for name in given_names() if not is_personal_name(f"{name} Kowalski")] == []


def test_given_names_are_single_words_once_each():
    names = given_names()
    assert len(names) > 350
    assert len(names) == len(set(names))
    assert all(name.isalpha() and name.istitle() for name in names)


@given(st.text())
def test_any_text_has_an_answer(name):
    assert is_personal_name(name) in {True, False}


@given(st.sampled_from(["PHU", "F.H.U.", "skład opału", "sp. z o.o.", "Pellet"]), st.booleans())
def test_a_word_of_trade_frees_a_person_on_either_side(word, first):
    assert is_personal_name("Jan Kowalski")
    assert not is_personal_name(f"{word} Jan Kowalski" if first else f"Jan Kowalski {word}")
