"""Fuels in names of depots: endings, lists, and what only looks like a fuel."""

from hypothesis import given
from hypothesis import strategies as st

from catalog.depots import fuels
from catalog.parsing.fuels_in_names import BRIQUETTE, COAL, COBBLE, DUST, ECO_PEA, NUT, PEA, PELLET, WOOD, fuels_in_name


def test_what_a_name_says():
    expected = {
        "Skład węgla": {COAL},
        "SKLAD WEGLA": {COAL},
        "Węgiel-Trans Malinowski": {COAL},
        "Tartak Stępień – brykiet, pellet": {PELLET, BRIQUETTE},
        "Drewno kominkowe Dąbrowski": {WOOD},
        "AGRO-Jankowski nawozy, węgiel": {COAL},
        "Drewno Nowak": {WOOD},
        "Drewno i opał": {WOOD},
        "Skład drewna": {WOOD},
        "Skład drewna opałowego": {WOOD},
        "Drewno opałowe i kominkowe": {WOOD},
        "Skład drewna budowlanego i opałowego": {WOOD},
        "Skład opału, drewno, materiały budowlane": {WOOD},
        "Tartak, drewno opałowe": {WOOD},
        "Kotły na pellet, skład węgla": {COAL},
        "Węgiel do grilla i drewno kominkowe": {WOOD},
        "Węgiel kamienny i brunatny": {COAL},
        "Węgiel brunatny i kamienny": {COAL},
        "Węgiel orzech": {COAL, NUT},
        "Węgiel Orzech, Kostka": {COAL, COBBLE, NUT},
        "Węgiel: kostka, orzech, groszek": {COAL, COBBLE, NUT, PEA},
        "Skład węgla Orzech": {COAL},
        "Skład węgla Jan Kostka": {COAL},
        "Sprzedaż węgla orzech, kostka": {COAL, COBBLE, NUT},
        "Węgiel, kostka brukowa": {COAL},
        "Węgiel, miał, drewno": {COAL, DUST, WOOD},
        "Miał węglowy i ekogroszek": {ECO_PEA, DUST},
        "Eko-groszek": {ECO_PEA},
        "Eko Groszek Plus": {ECO_PEA},
        "Ekogroszku hurtownia": {ECO_PEA},
        "Skład Węglowy Nr 3": {COAL},
        "węgiel jan kowalski": {COAL},
        "sprzedaż węgla orzech": {COAL, NUT},
        "Skład opałowo-węglowy": {COAL},
        "Orzech II, ekogroszek": {NUT, ECO_PEA},
        "Opał Orzech Kostka Groszek": {COBBLE, NUT, PEA},
        "Sklep z pelletem": {PELLET},
        "Więźby dachowe, drewno opałowe": {WOOD},
        "Stolarnia, drewno, brykiet": {BRIQUETTE},
        "Hurtownia pelletu i brykietu": {PELLET, BRIQUETTE},
        "Pelet i brykiety": {PELLET, BRIQUETTE},
        "Pellety drzewne": {PELLET},
        "EkoPellet": {PELLET},
        "Pellet24.pl": {PELLET},
        "Węgiel Jan Kowalski": {COAL},
        "Skład opału Węgiel Drewno Pellet": {COAL, PELLET, WOOD},
        "SKŁAD OPAŁU WĘGIEL DREWNO": {COAL, WOOD},
        "Skład z węglem i drewnem": {COAL, WOOD},
        "Pellet z drewna": {PELLET},
        "kostka, orzech, groszek": {COBBLE, NUT, PEA},
        "Pellet Jan Kowalski": {PELLET},
        "P.P.H.U. Węgiel": {COAL},
        "Węgiel A. Nowak": {COAL},
        "Drewno do kominka": {WOOD},
        "Drewno na opał": {WOOD},
        "Kopalnia Węgla Kamiennego": {COAL},
        "Skład węgla i pelletu": {COAL, PELLET},
        "węgiel, drzewny pellet": {COAL, PELLET},
        "Węgla, miału i ekogroszku sprzedaż": {COAL, ECO_PEA, DUST},
        "Opał-Drewno": {WOOD},
        "Drewno-Bud": {WOOD},
        "Skład opału Węgiel": {COAL},
        "WĘGIEL": {COAL},
        "wegiel kamienny drewno": {COAL, WOOD},
        "Brykiet drzewny węgiel": {COAL, BRIQUETTE},
        "Drewno, węgiel – Jan Kowalski": {COAL, WOOD},
        "Jan Węgiel – węgiel i pellet": {COAL, PELLET},
        'PHU "DREWNO"': {WOOD},
        "Orzech Jan – węgiel": {COAL},
        "Jan Orzech, węgiel": {COAL},
        "Eko-drewno": {WOOD},
        "Sprzedaż drewna kominkowego, węgla i ekogroszku": {COAL, ECO_PEA, WOOD},
        "Węgiel/drewno/pellet": {COAL, PELLET, WOOD},
        "Węgiel & Drewno": {COAL, WOOD},
        "Brykietu i pelletów skład": {PELLET, BRIQUETTE},
        "Skład miału": {DUST},
        "Węglem i miałem handel": {COAL, DUST},
        "Drewno kominkowe – węgiel kostka": {COAL, COBBLE, WOOD},
        "Ekogroszki, pelety": {ECO_PEA, PELLET},
        "Drewno klejone, pellet": {PELLET},
        "Meble z drewna, pellet": {PELLET},
        "Drzewo opałowe": {WOOD},
        "Ekogroszek Orzech": {ECO_PEA},
        "Kominki, piece na drewno i węgiel – skład pelletu": {PELLET},
    }
    assert {name: set(fuels_in_name(name)) for name in expected} == expected


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


def test_forms_of_a_noun():
    for form in ("pellet", "pelletu", "pellety", "pelletów", "pelletem", "pelety", "PELET", "pellecie", "ekopelletu"):
        assert fuels_in_name(f"Hurtownia {form} Nowak") == (PELLET,)


def test_composed_and_decomposed_letters_are_one():
    assert fuels_in_name("Sk\u0142ad we\u0328gla i mia\u0142u") == (COAL, DUST)


PIECES = (
    *("Węgiel", "drewno", "pellet", "orzech", "kostka", "Jan", "J.", "i", "na", "z", "eko", ",", "–", "-", "(", "24"),
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5)).map(" ".join))
def test_every_text_is_read(text):
    assert set(fuels_in_name(text, place=text[:5])) <= set(fuels.BY_SLUG)


def test_the_order_is_that_of_the_catalog():
    assert fuels_in_name("Drewno, brykiet, pellet, miał, ekogroszek, węgiel") == (
        COAL,
        ECO_PEA,
        DUST,
        PELLET,
        BRIQUETTE,
        WOOD,
    )


def test_a_name_that_repeats_its_place_says_nothing_by_that():
    assert fuels_in_name("Drewno opałowe Drewno", place="Lisie Kąty") == (WOOD,)
    assert fuels_in_name("Skład Drewno", place="Drewno") == ()
