"""Fuels in names of depots: endings, lists, and what only looks like a fuel."""

from hypothesis import given
from hypothesis import strategies as st

from catalog.depots import fuels
from catalog.parsing.fuels_in_names import BRIQUETTE, COAL, COBBLE, DUST, ECO_PEA, NUT, PEA, PELLET, WOOD, fuels_in_name


def test_what_a_name_says():
    for expected, names in (
        ({COAL}, ("Skład węgla", "SKLAD WEGLA", "Węgiel-Trans Malinowski", "AGRO-Jankowski nawozy, węgiel")),
        ({COAL}, ("Kotły na pellet, skład węgla", "Węgiel kamienny i brunatny", "Węgiel brunatny i kamienny")),
        ({COAL}, ("Skład węgla Orzech", "Skład węgla Jan Kostka", "Węgiel, kostka brukowa", "Skład Węglowy Nr 3")),
        ({COAL}, ("węgiel jan kowalski", "Skład opałowo-węglowy", "Węgiel Jan Kowalski", "P.P.H.U. Węgiel")),
        ({COAL}, ("Węgiel A. Nowak", "Kopalnia Węgla Kamiennego", "Skład opału Węgiel", "WĘGIEL")),
        ({COAL}, ("Orzech Jan – węgiel", "Jan Orzech, węgiel")),
        ({PELLET, BRIQUETTE}, ("Tartak Stępień – brykiet, pellet", "Hurtownia pelletu i brykietu")),
        ({PELLET, BRIQUETTE}, ("Pelet i brykiety", "Brykietu i pelletów skład")),
        ({WOOD}, ("Drewno kominkowe Dąbrowski", "Drewno Nowak", "Drewno i opał", "Skład drewna")),
        ({WOOD}, ("Skład drewna opałowego", "Drewno opałowe i kominkowe", "Skład drewna budowlanego i opałowego")),
        ({WOOD}, ("Skład opału, drewno, materiały budowlane", "Tartak, drewno opałowe")),
        ({WOOD}, ("Węgiel do grilla i drewno kominkowe", "Więźby dachowe, drewno opałowe", "Drewno do kominka")),
        ({WOOD}, ("Drewno na opał", "Opał-Drewno", "Drewno-Bud", 'PHU "DREWNO"', "Eko-drewno", "Drzewo opałowe")),
        ({COAL, NUT}, ("Węgiel orzech", "sprzedaż węgla orzech")),
        ({COAL, COBBLE, NUT}, ("Węgiel Orzech, Kostka", "Sprzedaż węgla orzech, kostka")),
        ({COAL, COBBLE, NUT, PEA}, ("Węgiel: kostka, orzech, groszek",)),
        ({COAL, DUST, WOOD}, ("Węgiel, miał, drewno",)),
        ({ECO_PEA, DUST}, ("Miał węglowy i ekogroszek",)),
        ({ECO_PEA}, ("Eko-groszek", "Eko Groszek Plus", "Ekogroszku hurtownia", "Ekogroszek Orzech")),
        ({NUT, ECO_PEA}, ("Orzech II, ekogroszek",)),
        ({COBBLE, NUT, PEA}, ("Opał Orzech Kostka Groszek", "kostka, orzech, groszek")),
        ({PELLET}, ("Sklep z pelletem", "Pellety drzewne", "EkoPellet", "Pellet24.pl", "Pellet z drewna")),
        ({PELLET}, ("Pellet Jan Kowalski", "Drewno klejone, pellet", "Meble z drewna, pellet")),
        ({PELLET}, ("Kominki, piece na drewno i węgiel – skład pelletu",)),
        ({BRIQUETTE}, ("Stolarnia, drewno, brykiet",)),
        ({COAL, PELLET, WOOD}, ("Skład opału Węgiel Drewno Pellet", "Węgiel/drewno/pellet")),
        ({COAL, WOOD}, ("SKŁAD OPAŁU WĘGIEL DREWNO", "Skład z węglem i drewnem", "wegiel kamienny drewno")),
        ({COAL, WOOD}, ("Drewno, węgiel – Jan Kowalski", "Węgiel & Drewno")),
        ({COAL, PELLET}, ("Skład węgla i pelletu", "węgiel, drzewny pellet", "Jan Węgiel – węgiel i pellet")),
        ({COAL, ECO_PEA, DUST}, ("Węgla, miału i ekogroszku sprzedaż",)),
        ({COAL, BRIQUETTE}, ("Brykiet drzewny węgiel",)),
        ({COAL, ECO_PEA, WOOD}, ("Sprzedaż drewna kominkowego, węgla i ekogroszku",)),
        ({DUST}, ("Skład miału",)),
        ({COAL, DUST}, ("Węglem i miałem handel",)),
        ({COAL, COBBLE, WOOD}, ("Drewno kominkowe – węgiel kostka",)),
        ({ECO_PEA, PELLET}, ("Ekogroszki, pelety",)),
    ):
        for name in names:
            assert set(fuels_in_name(name)) == expected, name


def test_what_only_looks_like_a_fuel():
    for name in (
        "Skład opału i materiałów budowlanych Pawłowski",
        *('Gminna Spółdzielnia "Samopomoc Chłopska" Dęblin – skład opału', "Węgielna", "Skład opału Węgielna 5"),
        *("Drewnica", "Pelletownia", "Skład w Drewnie", "PW Drewno", "jan drewno", "SKŁAD OPAŁU JAN DREWNO"),
        *("Skład Węglowa 5", "Pellet dla koni", "Maszyny do pelletu", "Skład Opału Kostka i Orzech"),
        *("Skład drewna budowlanego", "Jan Drewno", "PHU Drewno Zbigniew", "F.H.U. Jan Drewno Skład opału"),
        *("Skład opału Jan Drewno", "Skład opału Drewno", "Usługi Transportowe Drewno Stanisław"),
        *("Skład drewna i materiałów budowlanych", "Tartak – drewno konstrukcyjne", "Tartak Nowak – drewno"),
        *("Kotły na pellet", "Opał i kotły na pellet i ekogroszek", "Węgiel drzewny", "Węgiel drzewny do grilla"),
        *("Brykiet z węgla drzewnego", "Węgiel brunatny", "Skład opału, kostka brukowa", "Miał drzewny"),
        *("Roksana Węgiel", "Węgiel Jan", "Bracia Węgiel", "Domy z drewna", "Bez węgla", "Orzech", "Groszek"),
        *("Sklep Groszek – opał", "Kostka i Orzech s.c.", "A. Węgiel", "Skład Jana Węgla", "Drewno i Syn"),
        *("Drewno do wędzenia", "Wiaty na drewno", "Skup drewna", "Węgliniec Opał", "Węglokoks", "Drewniana Chata"),
        *("Pelletowe kotły", "Drewno Marek"),
    ):
        assert fuels_in_name(name) == ()


def test_forms_of_a_noun_and_of_letters():
    for form in ("pellet", "pelletu", "pellety", "pelletów", "pelletem", "pelety", "PELET", "pellecie", "ekopelletu"):
        assert fuels_in_name(f"Hurtownia {form} Nowak") == (PELLET,)
    for fuel in fuels.FUELS:
        assert fuel.slug in fuels_in_name(f"Skład opału, {fuel.name}")
    assert fuels_in_name("Sk\u0142ad we\u0328gla i mia\u0142u") == (COAL, DUST)  # composed or not


PIECES = (
    *("Węgiel", "drewno", "pellet", "orzech", "kostka", "Jan", "J.", "i", "na", "z", "eko", ",", "–", "-", "(", "24"),
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5)).map(" ".join))
def test_every_text_is_read(text):
    assert set(fuels_in_name(text, place=text[:5])) <= set(fuels.BY_SLUG)


def test_the_order_is_that_of_the_catalog():
    ordered = (COAL, ECO_PEA, DUST, PELLET, BRIQUETTE, WOOD)
    assert fuels_in_name("Drewno, brykiet, pellet, miał, ekogroszek, węgiel") == ordered


def test_a_name_that_repeats_its_place_says_nothing_by_that():
    assert fuels_in_name("Drewno opałowe Drewno", place="Lisie Kąty") == (WOOD,)
    assert fuels_in_name("Skład Drewno", place="Drewno") == ()
