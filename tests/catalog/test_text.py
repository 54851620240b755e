"""Folding, slugs, Polish order, postcodes and address lines."""

import re
import string
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import text as module
from catalog.text import (
    counted,
    fold,
    fold_company,
    format_address,
    normalise_postcode,
    out_of,
    plain,
    short_amount,
    short_zloty,
    slug,
    sort_key,
    wrapped,
    zloty,
)

LATIN = st.text(st.characters(max_codepoint=0x17F))


def test_case_and_diacritics_fold():
    folded = {"Łódź": "lodz", "ĄĆĘŁŃÓŚŹŻ": "acelnoszz", "Bielsko-Biała": "bielsko biala"}
    folded |= {"Straße": "strasse", "Ørsted": "orsted", "Œuvre Æther": "oeuvre aether", "Đurđevac": "durdevac"}
    folded |= {"100%_a\\b": "100 a b", "„Skład” – opał": "sklad opal", "３０": "30", "z\u0307uk": "zuk", "ǿ": "o"}
    folded |= {"İ": "i", "  Nowa \n Wieś  ": "nowa wies", "ŉ": "n", "\x00": "", "": "", "Краків!": "краків"}
    assert {text: fold(text) for text in folded} == folded
    assert plain("Pon.–Pt.: Śr") == "pon.–pt.: sr"  # which keeps punctuation


def test_initials_of_a_company_are_joined():
    names = {"P.P.H.U. „Nowak”": "pphu nowak", "FHU A. B. Nowak": "fhu ab nowak", "a": "a", "": ""}
    assert {name: fold_company(name) for name in names} == names


@given(st.text())
def test_fold_twice_changes_nothing_and_is_safe_in_a_like_pattern_and_a_slug_is_never_empty(text):
    assert fold(fold(text)) == fold(text)
    assert not set(fold(text)) & set(string.punctuation)
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug(text))


@given(LATIN)
def test_fold_of_latin_is_ascii(text):
    # The micro sign is in Latin-1 but a Greek letter.
    assert re.fullmatch("([a-z0-9]+( [a-z0-9]+)*)?", fold(text.replace("µ", "")))


def test_a_slug_has_letters_digits_and_hyphens():
    slugs = {"Skład „Opał” Łódź": "sklad-opal-lodz", "warmińsko-mazurskie": "warminsko-mazurskie", "--a--": "a"}
    slugs |= {"Вугілля 24": "24", "%%%": "bez-nazwy", "": "bez-nazwy"}
    assert {text: slug(text) for text in slugs} == slugs


def test_sort_key_orders_as_polish_does():
    for ordered in (
        list("aąbcćdeęfghijklłmnńoópqrsśtuvwxyzźż"),
        ["az", "ąb", "ba"],
        ["Łaka", "łania", "Łąka"],
        ["Zab", "zając", "Ząb", "zyto", "źrebię", "żyto"],
        ["Nowa", "Nowa Wieś", "Nowaki"],
        ["Nowa-Ruda", "Nowa Wieś", "Nowaki"],
        ["oda", "ożyna", "óda", "pa"],
        ["1 Maja", "3 Maja", "Aleja"],
        ["Ełk", "Ęk", "Farna"],
    ):
        backwards = ordered[::-1]
        assert sorted(backwards, key=sort_key) == ordered, ordered
    # The keys are made with the last mark.
    for text, equal in (("ŁÓDŹ", "łódź"), ("ą", "a\u0328"), ("é", "e"), ("a-b", "A b"), ("a{", "a")):
        assert sort_key(text) == sort_key(equal)


def test_a_postcode_has_one_form_and_what_is_none_is_refused():
    assert normalise_postcode("30001") == normalise_postcode("30-001") == "30-001"
    for text in ("", "3000", "300011", "300-01", "30-001\n", " 30-001", "30 001", "30–001", "٣٠-٠٠١", "ab-cde"):
        with pytest.raises(ValueError, match="not a postcode"):
            normalise_postcode(text)


def test_an_address_is_written_in_one_line():
    line = {
        ("ul. X", "5", "30-001", "Kraków", "Kraków"): "ul. X 5, 30-001 Kraków",
        ("ul. X", "", "30-001", "Kraków", "Kraków"): "ul. X, 30-001 Kraków",
        ("ul. X", "5", "", "Kraków", "Kraków"): "ul. X 5, Kraków",
        ("", "29", "30-001", "Lipnica", "Bobowa"): "30-001 Lipnica 29",
        ("", "29", "", "Lipnica", "Bobowa"): "Lipnica 29",
        ("", "", "30-001", "Lipnica", "Bobowa"): "30-001 Lipnica",
        ("", "", "", "", "Bobowa"): "Bobowa",
        ("", "29", "", "", "Bobowa"): "Bobowa",
        ("", "", "30-001", "", "Bobowa"): "30-001 Bobowa",
        ("ul. X", "5", "", "", "Bobowa"): "ul. X 5, Bobowa",
    }
    assert {parts: format_address(*parts) for parts in line} == line


@given(st.tuples(*[st.sampled_from(["", part]) for part in ("Długa", "5", "30-001", "Lipnica")]))
def test_address_of_any_parts_is_tidy(parts):
    assert re.fullmatch(r"[^ ,]+(,? [^ ,]+)*", format_address(*parts, "Bobowa"))


def test_amounts_have_grouped_thousands_and_stay_on_one_line():
    written = [zloty(None), zloty(1520.5), zloty(1352.5, 0), short_zloty(Decimal("1613.00")), short_zloty(24.99)]
    shown = [part.replace("\N{NO-BREAK SPACE}", "_") for part in written]
    assert shown == ["–", "1_520,50_zł", "1_353_zł", "1_613_zł", "24,99_zł"]
    texts = {
        "0": "0",
        "140": "140",
        "0.5": "0,50",
        "1.015": "1,02",
        "1500.50": "1_500,50",
        "135000.00": "135_000",
        "1234567.89": "1_234_567,89",
    }
    assert {number: short_amount(Decimal(number)).replace("\N{NO-BREAK SPACE}", "_") for number in texts} == texts


def test_a_number_takes_the_form_of_its_noun():
    forms = {
        "rok": (1,),
        "lata": (2, 4, 22, 102, 104, 44_042),
        "lat": (0, 5, 11, 12, 14, 21, 25, 100, 101, 112, 1_000_000),
    }
    for form, numbers in forms.items():
        assert {counted(number, "rok", "lata", "lat").split(" ")[1] for number in numbers} == {form}
    assert counted(44_042, "wiersz", "wiersze", "wierszy") == "44\N{NO-BREAK SPACE}042 wiersze"


def test_a_preposition_is_longer_before_a_hundred():
    long = {100, 102, 199, 100_000, 143_500}
    numbers = {3, 11, 22, 99, 200, 1_000, 1_265, 10_000, 200_000, *long}
    assert {number for number in numbers if out_of(number).startswith("ze\N{NO-BREAK SPACE}")} == long
    assert out_of(22) == "z\N{NO-BREAK SPACE}22"


def test_a_period_is_said_in_words_where_there_are_some():
    assert [module.lasting(timedelta(days=days)) for days in (180, 365, 200)] == ["pół roku", "rok", "200 dni"]


def test_lines_of_a_letter_are_short_and_addresses_whole():
    address = f"https://example.pl/zgloszenia/stan/?znak={'a-' * 30}"
    item = f"- {'godziny ' * 10}\n  było: {'nieczynne ' * 7}\n"
    assert wrapped(f"\n\nSkład: Opał\n\n{item}\nStan zgłoszenia: {address}\n\n") == (
        f"Skład: Opał\n\n- {'godziny ' * 8}\n  godziny godziny\n  było:{' nieczynne' * 6}\n  nieczynne\n\n"
        f"Stan zgłoszenia:\n{address}\n"
    ).replace(" \n", "\n")


@given(st.lists(st.text(string.ascii_letters + "ąż-/.", min_size=1, max_size=90)), st.sampled_from(["", "- ", "  "]))
def test_a_letter_keeps_its_words_and_only_a_word_alone_is_longer_than_a_line(words, begin):
    lines = wrapped(begin + " ".join(words)).splitlines()
    assert " ".join(lines).split() == f"{begin}{' '.join(words)}".split()
    assert all(len(line) <= module.LETTER_WIDTH or " " not in line.removeprefix(begin).strip() for line in lines)
