"""Price lists as spreadsheets and programs write them."""

import time
from datetime import date
from decimal import Decimal
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.exceptions import ValidationError
from openpyxl import Workbook

from prices import price_list_files
from prices.price_list_cells import LONGEST_CELL, bare_number, read_amount, read_day, read_fuel, read_number
from prices.price_list_files import MOST_SHEETS, MOST_TAGS, read_table
from tests.small_country import zipped

HEADER = ["numer składu", "paliwo", "jednostka", "dzień", "cena"]
ROW = [7, "pellet", "t", "2026-11-25", 1640]


def xlsx(**sheets):
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if name == "Słowniki" else "visible"
    file = BytesIO()
    workbook.save(file)
    return file.getvalue()


def refusal(content):
    with pytest.raises(ValidationError) as error:
        read_table(content)
    return " ".join(error.value.messages)


NAMES = b"depot,fuel,unit,day,price"


def test_what_is_no_table_or_would_do_harm_is_refused_in_polish():
    for content, reason in (
        (b"\x81\x83\x90", "nie jest tekstem w kodowaniu"),
        (b"\xff\xfe\x00", "nie jest tekstem w kodowaniu"),
        ("depot,fuel\n1,pellet".encode("utf-16-le"), "nie jest tekstem w kodowaniu"),
        (b'depot,fuel\n1,"pellet', "czy cudzysłowy mają parę"),
        (NAMES + b"\n", "nie ma ani jednego wiersza z ceną pod wierszem z nazwami kolumn."),
        (NAMES + b"\n,,,,\n\n", "ani jednego wiersza z cen"),
        (NAMES + b",Price\n1,pellet,t,2026-11-20,1,2", "Kolumna powtarza się: cena."),
        (NAMES + b"\n\n1,pellet,t,2026-11-20,1650,50", "Wiersz 3 ma więcej pól niż nagłówek"),
        (NAMES + b"\n1,pellet,t,2026-11-20,1" * 5_001, "więcej niż 5000 wierszy"),
        (NAMES + b"\n" * 20_002 + b"1,pellet,t,2026-11-20,1", "więcej niż 5000 wierszy"),
        (b",".join(b"%x" % number for number in range(101)) + b"\n1", "więcej niż 100 kolumn"),
        (b"x" * 600_001, "więcej niż 600 kB"),
        (zipped("xl/worksheets/sheet1.xml", b"0" * 30_000_000), "rozpakowuje się do zbyt wielu danych"),
        (zipped("xl/a.xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), "definicje XML"),
        (zipped("xl/a.xml", "<!DOCTYPE a><a/>".encode("utf-16")), "definicje XML"),
        (zipped("a.txt", b"x"), "nie jest arkuszem XLSX"),
        (b"PK\x03\x04 cut off", "nie jest arkuszem XLSX"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "formatu XLS"),
        *(
            (first + bytes(500), "To PDF, obraz albo dokument")
            for first in (b"%PDF-1.7", b"\xff\xd8\xff\xe0", b"\x89PNG")
        ),
        (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "To arkusz ODS. Zapisz go"),
    ):
        assert reason in refusal(content), content[:100]


ROWS = [
    ["Depot ", "FUEL", "unit", "day", "price", "uwagi"],
    ["7", "pellet", "t", "25.11.2026", "1650,50", "żółć"],
    [""] * 6,
    [" 7 ", "ekogroszek", "t", "2026-11-25", "33"],
    [],
]


@pytest.mark.parametrize(
    ("encoding", "separator"), [("utf-8", "\t"), ("utf-8-sig", ";"), ("cp1250", ";"), ("utf-16", "\t"), ("xlsx", "")]
)
def test_what_polish_spreadsheets_save_is_read_with_the_numbers_of_its_rows_and_without_empty_ones(encoding, separator):
    text = "\r\n".join(separator.join(row) for row in ROWS)
    table = read_table(xlsx(Ceny=ROWS) if encoding == "xlsx" else text.encode(encoding))
    assert [(number, *cells.values()) for number, cells in table.rows] == [
        (2, *ROWS[1]),
        (4, "7", *ROWS[3][1:], ""),
    ]


@pytest.mark.parametrize("above", ["", "sep=;\n", "\n;;;;\n", "Cennik paliw, listopad\nważny od dziś\n\n", "\n" * 9])
def test_up_to_ten_rows_above_the_names_of_columns_are_passed_over_and_counted(above):
    ((number, cells),) = read_table(f'{above}numer składu;"paliwo";cena\n7;pellet;1 640,50\n'.encode()).rows
    assert (number, cells["price"]) == (above.count("\n") + 2, "1 640,50")
    assert "więcej pól niż nagłówek" in refusal(("\n" * 10 + "numer składu;paliwo;cena\n7;pellet;1640\n").encode())


def test_the_sheet_with_prices_is_read_wherever_it_stands_and_of_two_none_is_lost():
    table = read_table(xlsx(Pusty=[], Ceny=[["Cennik"], HEADER, ROW], Słowniki=[["pellet"]]))
    assert [(number, [*cells.values()]) for number, cells in table.rows] == [(3, ROW)]
    both = xlsx(Opole=[HEADER, ROW], Nysa=[HEADER, ROW])
    assert "kilka arkuszy z danymi: „Opole”, „Nysa”. Zostaw jeden" in refusal(both)


def test_a_formula_without_a_result_is_named():
    content = xlsx(Ceny=[HEADER, ROW, [*ROW[:4], "=1600+40"]])
    assert refusal(content).startswith("Wiersz 3: w pliku nie ma wyniku formuły =1600+40. Otwórz")
    # The result is an empty text, as spreadsheets write it.
    with ZipFile(BytesIO(content)) as archive, ZipFile(file := BytesIO(), "w") as result:
        for name in archive.namelist():
            result.writestr(name, archive.read(name).replace(b'"E3">', b'"E3" t="str">'))
    assert read_table(file.getvalue()).rows[1][1]["price"] == ""


def test_prices_in_hidden_rows_are_not_taken_unseen():
    def hiding(hidden):
        workbook = Workbook()
        for row in (HEADER, hidden, ROW):
            workbook.active.append(row)
        workbook.active.row_dimensions[2].hidden = True
        workbook.save(file := BytesIO())
        return file.getvalue()

    assert refusal(hiding(ROW)) == "Arkusz ma ukryte wiersze z danymi. Odkryj je albo usuń."
    assert len(read_table(hiding([None])).rows) == 1


def test_a_cell_that_a_merger_left_empty_is_explained():
    with pytest.raises(ValidationError, match="nie ma numeru składu; scalone komórki"):
        read_number(None)


@pytest.mark.parametrize("number", ["1_0", "_1"])
def test_an_underscore_is_no_part_of_a_depot_number(number):
    with pytest.raises(ValidationError, match="nie jest numerem składu"):
        read_number(number)


def test_a_small_file_does_not_keep_a_worker_busy_for_minutes(monkeypatch):
    monkeypatch.setattr(price_list_files, "MOST_LINES", 2000)
    workbook = Workbook()
    sheet = workbook.active
    for row in (HEADER, ROW):
        sheet.append(row)
    sheet.cell(2, 16_384, "x")
    sheet.cell(2000, 1, 7)
    workbook.save(file := BytesIO())
    began = time.process_time()
    assert [number for number, _ in read_table(file.getvalue()).rows] == [2, 2000]
    for number in ("1e999999", "-1e999999", "1e-999999", "inf", "nan"):
        with pytest.raises(ValidationError):
            read_number(number)
    assert read_number("1e3") == 1000
    assert "uszkodzony" in refusal(zipped("xl/a.xml", b"<row " + b'hidden="1" ' * 30_000 + b">" + b"x" * 30_000))
    assert "zbyt wiele komórek" in refusal(zipped("xl/worksheets/sheet1.xml", b"<c/>" * (MOST_TAGS + 1)))
    assert time.process_time() - began < 5
    assert "Zostaw jeden" in refusal(xlsx(**{f"s{number}": [] for number in range(MOST_SHEETS + 1)}))
    monkeypatch.setattr(price_list_files, "MOST_LINES", 2)
    for sheets in ({"Ceny": [HEADER, ROW, ROW]}, {"Pusty": [[""]], "Ceny": [HEADER, ROW]}):
        assert "więcej niż 5000 wierszy" in refusal(xlsx(**sheets))


def test_columns_have_the_names_that_merchants_give_them():
    for header, columns, unit in (
        ("Skład;Paliwo;Jednostka;Data;Cena;Waga worka (kg)", ["depot", "fuel", "unit", "day", "price", "bag_kg"], ""),
        ("Rodzaj opału;J.m.;Cena brutto [zł/t];Ważne od", ["fuel", "unit", "price", "day"], "t"),
        ("Lp.;Nazwa towaru;Cena z VAT;Data cennika", ["lp.", "fuel", "price", "day"], ""),
        ("Nazwa;Paliwo;CENA za 1 mp;Oddział", ["nazwa", "fuel", "price", "depot"], "mp"),
        ("Opał;Cena za worek;Waga worka [kg]", ["fuel", "bag_price", "bag_kg"], ""),
        ("Opał;Cena netto;Cena;Cena za kg", ["fuel", "cena netto", "price", "cena za kg"], ""),
        ("Opał;Cena za worek 25 kg;Cena luz", ["fuel", "bag_price", "cena luz"], ""),
        ("Opał;Cena bez VAT;Cena od;Cena zł/m3", ["fuel", "cena bez vat", "cena od", "cena zł/m3"], ""),
    ):
        table = read_table(f"{header}\npellet;1;2\n".encode())
        assert (table.columns, table.unit) == (columns, unit)
        assert table.unread == [name for name in columns if " " in name or name in {"lp.", "nazwa"}]


def test_a_title_that_names_a_fuel_is_no_header_and_of_two_columns_of_fuels_none_is_chosen():
    for text in ("Opał\nPaliwo,Cena\nPellet,1640\n", "Węgiel;Paliwo\nPaliwo;Cena\nPellet;1640\n"):
        assert [number for number, _ in read_table(text.encode()).rows] == [3]
    assert refusal(b"Rodzaj;Asortyment;Cena\nW\xeagiel;Orzech;1640\n") == "Kolumna powtarza się: paliwo."


@pytest.mark.parametrize("text", ["Ceny za m³", "Cennik (ceny w zł/m3)", "CENY ZA 1 METR SZEŚCIENNY", "Cena za paletę"])
def test_a_remark_that_prices_are_of_another_quantity_refuses_the_file(text):
    for rows in (f"{text}\npaliwo;cena\ndrewno;300\n", f"paliwo;cena\ndrewno;300\n{text}\n"):
        assert "mówi o cenach za inną ilość. Przelicz je" in refusal(rows.encode())
    others = "Dostawa 50 zł za m3", "Cennik; do 24 palet gratis", "Ceny za metr przestrzenny (0,65 m3)", "Ceny za tonę"
    for other in others:
        assert len(read_table(f"{other}\npaliwo;cena\ndrewno;300\n".encode()).rows) == 1, other


@pytest.mark.parametrize("remark", ["Ceny netto", " netto", "Podane ceny są cenami netto + 23% VAT", "ceny bez VAT"])
def test_prices_without_vat_are_refused_wherever_it_is_said(remark):
    for rows in (f"{remark}\nPaliwo;Cena\npellet;1640\n", f"Paliwo;Cena\npellet;1640\n{remark};\n"):
        assert "mówi o cenach bez VAT. Podaj ceny brutto" in refusal(rows.encode())
    assert read_table(b"Ceny brutto, nie netto\nPaliwo;Cena;Cena netto\npellet;1640;1333\n").rows


def test_a_fuel_is_known_by_its_description():
    for slug, texts in (
        ("ekogroszek", "Ekogroszek Retopal, eko-groszek, Ekogroszek 25 kg worek, EKOGROSZEK 28 MJ/kg"),
        ("ekogroszek", "Ekogroszek 1000 kg"),
        ("wegiel-groszek", "groszek, Groszek II, Węgiel - groszek luzem"),
        ("wegiel-orzech", "orzech II, Węgiel kamienny orzech, Orzech kl. 28"),
        ("wegiel-kostka", "kostka I, Węgiel kostka"),
        ("mial-weglowy", "Miał, Miał II A"),
        ("wegiel", "węgiel kamienny"),
        ("pellet", "pelet, pellet A1, Pellet sosnowy 6 mm worek 15kg"),
        ("brykiet", "brykiet RUF, Brykiet Pini-Kay"),
        ("drewno-kominkowe", "Drewno kominkowe dąb 1 mp, drewno opałowe, Drewno kominkowe 30 cm"),
    ):
        assert {text: read_fuel(text) for text in texts.split(", ")} == dict.fromkeys(texts.split(", "), slug)


def test_other_goods_several_fuels_and_other_quantities_are_no_fuel():
    others = ("Koks orzech", "Węgiel brunatny orzech", "Kostka brukowa", "Orzech/kostka", "Razem", "")
    for text in (*others, "pellet" + "x" * (LONGEST_CELL - 5)):
        assert read_fuel(text) == text
    for text in (
        *("Pellet paleta 975 kg", "Pellet 65 x 15 kg", "Pellet 15kg ×65", "Pellet 72 worki", "Pellet 2 t"),
        *("Ekogroszek big-bag", "Ekogroszek 500 kg", "Drewno kominkowe m³", "drewno 1m3", "Drewno m sześc."),
        *("drewno mps", "Drewno kominkowe skrzynia 1,2 mp"),
    ):
        with pytest.raises(ValidationError, match="to inna ilość niż tona albo metr przestrzenny"):
            read_fuel(text)


def test_days_as_people_write_them():
    day = date(2026, 11, 12)
    dots = "12.11.2026 r.", "12.11.2026r", "12.11.26", "12-11-2026"
    for text in (*dots, "12 listopada 2026", "12 LISTOPADA 2026\xa0r."):
        assert (read_day(text), read_day("2026-11-12 00:00:00"), read_day(day)) == (day, day, day), text
    # As spreadsheets number days.
    assert {read_day(number) for number in (46338, 46338.375, "46338")} == {day}
    assert (read_day("13/11/2026"), read_day("11/11/2026 r.")) == (date(2026, 11, 13), date(2026, 11, 11))
    # The month stands first elsewhere.
    for text in ("12/11/2026", "11/12/2026", "11/13/2026", "12.11", "listopad 2026", "31.11.2026", "4633", "96338"):
        with pytest.raises(ValidationError, match="nie jest dniem"):
            read_day(text)


def test_amounts_as_people_write_them():
    dashes = "1640,-", "1 640,- zł", "1640.-"
    for text in (*dashes, "1640 zl", "1640 PLN", "1640\u202fzł brutto", "1640 zł / t", "1640 zł za tonę"):
        assert read_amount(text, "zł", "t") == Decimal(1640), text
    units = "1640 zł/mp", "1640 zł/worek", "1,64 zł/kg", "1640 zł/", "/t"
    for text in (*units, "1640 netto", "od 1640", "1640-1700", ",-"):
        with pytest.raises(ValidationError, match="nie jest liczbą"):
            read_amount(text, "zł", "t")
    assert (bare_number("25 KG", "kg", ""), bare_number("25 zł", "kg", "")) == ("25", "25 zł")


def test_long_cells_are_refused_in_no_time():
    began = time.process_time()
    for part in (" ", "za ", "/", "1 ", ",-", "1 kg ", "węgiel orzech ", "ceny "):
        text = f"1{part * (40_000 // len(part))}x"
        assert (read_fuel(text), read_table(f"paliwo;cena\n{text};1".encode()).unit) == (text, "")
        for read in (read_day, read_amount):
            with pytest.raises(ValidationError):
                read(text)
    assert time.process_time() - began < 5
