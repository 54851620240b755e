"""Tax numbers, telephone numbers, web addresses, names of persons and fuels in names, as sources write them."""

import re
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from catalog.depots import fuels
from catalog.parsing import contacts_and_names
from catalog.parsing.contacts_and_names import clean_nip, clean_phone, clean_website, is_personal_name, typed_digits
from catalog.parsing.fuels_in_names import BRIQUETTE, COAL, COBBLE, DUST, ECO_PEA, NUT, PEA, PELLET, WOOD, fuels_in_name

# A made-up number with a right check digit: 6·1+5·2+7·3+2·4+3·5+4·6+5·7+6·8+7·1 = 174, 174 mod 11 = 9.
NIP = "1234567819"


def test_a_nip_is_ten_digits_however_written():
    for text in (
        *(NIP, f"PL{NIP}", f"pl {NIP}", "123-456-78-19", "123 456 78 19", "PL 123–456–78–19", f" {NIP}\n"),
        *(f"NIP: {NIP}", "nip PL 123.456.78.19", "VAT PL 123-456-78-19", f"VAT UE: {NIP}", f"Nr NIP: PL {NIP}"),
    ):
        assert clean_nip(text) == (NIP, "")


def test_the_digits_of_a_typed_number_are_read_however_written():
    for digits, texts in (
        (NIP, (NIP, f"NIP {NIP}", f"nip: pl{NIP}", f"NIP PL {NIP}", "123-456-78-19", "(12) 345-67-819", f"00{NIP}")),
        ("4812345", ("+48 12 345", "tel. 4812345", "telefon: 48/12345", "Tel.:4812345")),
        ("123456789", ("12-345 6789", "12-345 67 89", "123–456–789", "(+123) 456 789", "123\N{NO-BREAK SPACE}456 789")),
        ("", ("", "NIP", "tel.", "Telatyn 4812345", "Plac 48 12345", "4812345 Kraków", "٤٨١٢٣٤٥")),
        ("", ("30-001 12", "30-001  1/25")),  # a postcode with the number of a house
    ):
        assert {text: typed_digits(text) for text in texts} == dict.fromkeys(texts, digits)


def test_absent_is_no_fault():
    for clean in (clean_nip, clean_phone, clean_website):
        assert [clean(text) for text in (None, "", "  \n")] == [(None, "")] * 3


def test_what_is_not_a_nip_is_refused():
    for reason, texts in (
        ("check digit", ("1234567818",)),
        ("placeholder", ("0000000000", "1111111111")),
        ("ten digits", ("123456781", "12345678190", "DE1234567819", "PLPL1234567819", "١٢٣٤٥٦٧٨١٩", "brak")),
    ):
        for text in texts:
            value, why = clean_nip(text)
            assert value is None, text
            assert reason in why
            assert text in why


def test_a_telephone_has_one_form_however_written():
    for text in (
        *("+48 552 784 686", "552784686", "55-278-46-86", "(55) 278 46 86", "(0-55) 278 46 86", "055 278 46 86"),
        *("+48 (0) 55 278 46 86", "0048 55 278 46 86", "tel. 55 278 46 86", "Telefon: 55 278 46 86", "55/278-46-86"),
        *("tel./fax: 55 278 46 86", "Tel/fax 55 278 46 86", "nr tel. 55 278 46 86", "telefon stacjonarny 55 278 46 86"),
        *("biuro: 55 278 46 86", "Skład – 55 278 46 86", "tel. biuro 55 278 46 86", "sprzedaż: 55 278 46 86"),
    ):
        assert clean_phone(text) == ("+48 55 278 46 86", "")


def test_several_telephones_are_read_and_a_good_one_survives_a_bad_one():
    for value, texts in (
        ("+48 600 100 200, +48 600 100 201", ("600100200; 600100201", "600100200, 600100201", "600100200/600100201")),
        ("+48 600 100 200, +48 600 100 201", ("600100200 lub 600100201", "600100200\n600100201")),
        ("+48 600 100 200", ("600100200; +48 600-100-200;", "kom. 600 100 200")),
        ("+48 61 331 99 69, +48 600 100 200", ("61/331-99-69 / 600100200", "0-61/331 99 69/tel./fax 600100200")),
        ("+48 600 100 200, +48 61 331 99 69", ("M: 600 100 200 oraz T. 61 / 331-99-69",)),
        ("+48 55 278 46 86 ext. 12", ("55 278 46 86 wew. 12",)),
        ("+420 601 123 456", ("+420 601 123 456",)),
        ("+39 06 6982", ("+39 06 6982",)),
    ):
        for text in texts:
            assert clean_phone(text) == (value, ""), text
    value, why = clean_phone("600100200; 123; 600100201/9")
    assert (value, "'123', '9'" in why) == ("+48 600 100 200, +48 600 100 201", True)


def test_what_is_not_a_telephone_is_refused():
    short = ("331-99-69", "643 27 85", "12345", "112", "600 100 20", "+48 010 100 200", "fax 55 278 46 86", ";/,")
    letters = ("brak", "+48 800 OPAL12", "600 100 200 biuro", "Jan 600 100 200", "REGON: 600100200")
    # The last but one is in a range that the numbering plan does not hand out.
    for text in (*short, *letters, "+48 200 100 200", "600100200;" * 31):
        value, why = clean_phone(text)
        assert value is None, text
        assert (text.strip() if text in short else "longer than" if len(text) > 99 else "") in why


def test_a_website_has_one_form_however_written():
    for text, value in (
        ("https://opal.pl/", "https://opal.pl/"),
        ("http://opal.pl/", "http://opal.pl/"),
        ("HTTPS://WWW.Opal.PL/Cennik", "https://www.opal.pl/Cennik"),
        ("www.opal.pl", "https://www.opal.pl/"),
        ("//opal.pl/a", "https://opal.pl/a"),
        (" opal.pl\n", "https://opal.pl/"),
        ("opal.pl:8080/a", "https://opal.pl:8080/a"),
        ("opal.pl.", "https://opal.pl/"),
        ("opal.pl/?a=1&b=%20#c", "https://opal.pl/?a=1&b=%20#c"),
        ("skład-opału.pl", "https://xn--skad-opau-rubg.pl/"),
        ("opal.pl/węgiel?ą#ś", "https://opal.pl/w%C4%99giel?%C4%85#%C5%9B"),
        ('opal.pl/"><b>', "https://opal.pl/%22%3E%3Cb%3E"),
    ):
        assert clean_website(text) == clean_website(value) == (value, "")


def test_what_is_not_a_website_is_refused():
    for reason, texts in (
        ("neither http", ("javascript:alert(1)", "JavaScript:alert(1)//opal.pl", "data:text/html,x")),
        ("neither http", ("ftp://opal.pl", "mailto:jan@opal.pl", "http:/opal.pl", "ht.tp://opal.pl")),
        ("malformed", ("java.script:alert(1)", "opal.pl:99999", "https://[opal.pl")),
        ("credentials", ("https://jan:haslo@opal.pl", "jan@opal.pl")),
        ("backslashes", ("https://opal.pl\\@evil.pl",)),
        ("blanks", ("opal.pl/a b", "opal\t.pl", "opal.pl/\u202e", "https://opal.pl/\x00")),
        ("host name", ("localhost", "drukarka.local", "192.168.0.1", "https://[::1]/", "https:///opal.pl")),
        ("host name", ("opal..pl", "-opal.pl", "opal_.pl", "opal.p", "opal.pl:0", "straße.de", f"{'a' * 64}.pl")),
        ("host name", (f"{'.'.join(['a' * 63] * 4)}.pl", "a.pl;b.pl", "opal.test", "opal.onion", "1.10.in-addr.arpa")),
        ("longer than", (f"opal.pl/{'a' * contacts_and_names.MAX_TEXT}",)),
        ("when encoded", (f"opal.pl/{'ą' * 60}",)),
    ):
        for text in texts:
            value, why = clean_website(text)
            assert value is None, text
            assert reason in why
    assert "haslo" not in clean_website("https://jan:haslo@opal.pl")[1]
    why = clean_website("opal.pl/\n" + "a" * 200)[1]
    assert (len(why) < 150, why.isprintable()) == (True, True)


@given(st.text() | st.from_regex(r"[+0-9 ()/;,-]{5,30}", fullmatch=True))
@example("+48 600 100 200; x")
def test_a_phone_is_international_and_a_nip_ten_digits_or_both_are_refused(text):
    value, reason = clean_nip(text)
    assert value is None or (re.fullmatch("[0-9]{10}", value) and not reason)
    value, reason = clean_phone(text)
    assert value or reason or not text.strip()
    assert value is None or re.fullmatch(r"\+[0-9][0-9 -]*( ext\. [0-9]+)?(, \+[0-9][0-9 -]*( ext\. [0-9]+)?)*", value)


@given(st.text() | st.text().map("https://{}.pl".format) | st.text().map("opal.pl/{}".format))
@example("opal.pl")
def test_website_is_a_plain_address_that_stays_as_it_is_or_refused(text):
    value, reason = clean_website(text)
    assert bool(value) != bool(reason) or not text.strip()
    assert value is None or re.fullmatch(r"https?://[a-z0-9.-]+\.[a-z0-9-]+(:[0-9]+)?/[!-~]*", value)
    assert value is None or (len(value) <= contacts_and_names.MAX_TEXT and not set(value) & set('"<>\\`{}|^'))
    assert clean_website(value) == (value, "")


LIKE_A_TRADE_OR_A_TOWN = (
    *("Opaliński", "Drewniak", "Paliwoda", "Gazda", "Kominek", "Węglarz", "Składowski", "Budzyński", "Orzech"),
    *("Kostka", "Rolnik", "Piła", "Handzlik", "Krakowski", "Brzeziński", "Bochnia", "Kalisz", "Mielec", "Prudnik"),
)


def given_names():
    lines = Path(contacts_and_names.__file__).with_name("given_names.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_the_name_of_a_person_is_recognised():
    for name in (
        *("Jan Kowalski", "KOWALSKI JAN", "jan kowalski", " Jan  Kowalski ", "„Jan Kowalski”", "Lukasz Wojcik"),
        *("Anna Maria Nowak-Wiśniewska", "Nowak-Wiśniewska Anna Maria", "Zofia Król", "Jan Bąk", "Pan Jan Kowalski"),
        *("Pani Anna Nowak", "mgr inż. Jan Kowalski", "J. Kowalski", "Kowalski J.", "J.M. Kowalski", "J. Wróbel"),
        *("Jan M. Kowalski", "Jan i Anna Kowalscy", "Jan Kowalski & Adam Nowak", "Jan Kowalski, Adam Nowak"),
        *("Kowalski, Jan", "Adam Filip", "Jan K.", "J. M. Kowalski", "Jan, Anna i Piotr Nowak"),
        *("Eliza Nowak", "Nowak Luiza", "Manfred Nowak"),
        *(f"Jan {surname}" for surname in LIKE_A_TRADE_OR_A_TOWN),
        *(f"{name} Kowalski" for name in given_names()),
    ):
        assert is_personal_name(name), name


def test_the_name_of_a_business_is_not_that_of_a_person():
    for name in (
        *("PHU Jan Kowalski", "Jan Kowalski P.P.H.U.", "P.P.H.U. Kowalski", "F.H. Kowalski", "FHU Jan Kowalski"),
        *("Jan Kowalski PHU", "F.H.U. Jan Kowalski", "skład opału Jan Kowalski", "Jan Kowalski skład opału"),
        *("sp. z o.o. Jan Kowalski", "Pellet Jan Kowalski", "Jan Kowalski Pellet"),
        *("P. H. Kowalski", "P.H. Kowalski J.", "P.W. Kowalski", "firma Jan Kowalski", "Jan Kowalski skład"),
        *("Opał Jan Kowalski", "Jan Kowalski Węgiel", "Usługi Jan Kowalski", "Tartak Jan Kowalski"),
        *("Jan Kowalski Transport", "Handel Jan Kowalski", "Jan Kowalski sp. z o.o.", "Jan Kowalski sp.j."),
        *("Jan Kowalski s.c.", "Jan Kowalski i Syn", "Jan Kowalski Eko-Opał", "Jan-Bud Kowalski"),
        *("Jan Kowalski – opał", 'Zakład "Jan Kowalski"', "Jan Kowalski 24h", "Jan Dobra Chata", "Jan Kowalski 2"),
        "Jan Kowalski (Dęby)",
        # The second word is a fuel, a town or a brand.
        *("Pellet Brzeg", "Król Opał", "Maria Pellet", "Jan Brzeg", "Barbara Kraków", "Hanna Bielsko-Biała"),
        *("Anna Plus", "Jan Transport", "Jan Opałowy", "Jan Bud-Nowak", "Jan Spółdzielnia"),
        # Not a full name.
        *("", " . ", "Jan", "Kowalski", "Nowak-Wiśniewska", "J. K.", "J. Opoka", "J. Tek", "Jan Paweł II"),
        *("Skład węgla", "Skład opału", "Hurtownia opału Kowalski", "Węgiel-Trans Malinowski", "X-Lent Kowalski"),
    ):
        assert not is_personal_name(name), name


def test_given_names_are_single_words_once_each():
    names = given_names()
    assert len(names) > 350
    assert len(names) == len(set(names))
    assert all(name.isalpha() and name.istitle() for name in names)


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
        ({PELLET, WOOD}, ("PHU Drewno Pellet",)),
        ({WOOD}, ("Kowalski skład drewna", "Hurtownia opału drewno", "Hurtownia opału Drewna")),
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
        *("Pelletowe kotły", "Drewno Marek", "Drzewa owocowe"),
    ):
        assert fuels_in_name(name) == ()


def test_forms_of_a_noun_and_of_letters():
    for form in ("pellet", "pelletu", "pellety", "pelletów", "pelletem", "pelety", "PELET", "pellecie", "ekopelletu"):
        assert fuels_in_name(f"Hurtownia {form} Nowak") == (PELLET,)
    for fuel in fuels.FUELS:
        assert fuel.slug in fuels_in_name(f"Skład opału, {fuel.name}")
    assert fuels_in_name("Sk\u0142ad we\u0328gla i mia\u0142u") == (COAL, DUST)  # composed or not


PARTS = ["Węgiel", "drewno", "pellet", "orzech", "kostka", "Jan", "J.", "i", "na", "z", "eko", ",", "–", "-", "(", "24"]


@given(st.text() | st.lists(st.sampled_from(PARTS) | st.text(max_size=5)).map(" ".join))
def test_every_text_is_read(text):
    assert set(fuels_in_name(text, place=text[:5])) <= set(fuels.BY_SLUG)
    assert is_personal_name(text) in {True, False}


def test_fuels_come_in_the_order_of_the_catalog_and_a_name_says_none_by_repeating_its_place():
    ordered = (COAL, ECO_PEA, DUST, PELLET, BRIQUETTE, WOOD)
    assert fuels_in_name("Drewno, brykiet, pellet, miał, ekogroszek, węgiel") == ordered
    assert fuels_in_name("Drewno opałowe Drewno", place="Lisie Kąty") == (WOOD,)
    assert fuels_in_name("Skład Drewno", place="Drewno") == ()
