"""Price lists as spreadsheets and programs write them."""

import time
from datetime import date
from decimal import Decimal
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.exceptions import ValidationError
from openpyxl import Workbook

from prices.price_list_cells import LONGEST_CELL, bare_number, read_amount, read_day, read_fuel, read_number
from prices.price_list_files import MOST_LINES, MOST_SHEETS, read_table

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


@pytest.mark.parametrize("above", ["", "sep=;\n", "\n;;;;\n", "Cennik paliw, listopad\nważny od dziś\n\n", "\n" * 9])
def test_rows_above_the_names_of_columns_are_passed_over_and_counted(above):
    table = read_table(f'{above}numer składu;"paliwo";cena\n7;pellet;1 640,50\n'.encode())
    ((number, cells),) = table.rows
    assert (number, cells["price"]) == (above.count("\n") + 2, "1 640,50")


def test_the_names_of_columns_stand_in_one_of_the_first_ten_rows():
    assert "więcej pól niż nagłówek" in refusal(("\n" * 10 + "numer składu;paliwo;cena\n7;pellet;1640\n").encode())


def test_the_sheet_with_prices_is_read_wherever_it_stands():
    table = read_table(xlsx(Pusty=[], Ceny=[["Cennik"], HEADER, ROW], Słowniki=[["pellet"]]))
    assert [(number, [*cells.values()]) for number, cells in table.rows] == [(3, ROW)]


def test_of_two_sheets_with_prices_none_is_lost():
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
    for value, is_refused in ((1500, True), (None, False)):
        workbook = Workbook()
        for row in (HEADER, [*ROW[:4], value] if value else [None], ROW):
            workbook.active.append(row)
        workbook.active.row_dimensions[2].hidden = True
        workbook.save(file := BytesIO())
        if is_refused:
            assert refusal(file.getvalue()) == "Arkusz ma ukryte wiersze z danymi. Odkryj je albo usuń."
        else:
            assert len(read_table(file.getvalue()).rows) == 1


def test_a_cell_that_a_merger_left_empty_is_explained():
    with pytest.raises(ValidationError, match="nie ma numeru składu; scalone komórki"):
        read_number(None)


def test_a_small_file_does_not_keep_a_worker_busy_for_minutes():
    workbook = Workbook()
    sheet = workbook.active
    for row in (HEADER, ROW):
        sheet.append(row)
    sheet.cell(2, 16_384, "x")
    sheet.cell(MOST_LINES, 1, 7)
    file = BytesIO()
    workbook.save(file)
    began = time.process_time()
    assert [number for number, _ in read_table(file.getvalue()).rows] == [2, MOST_LINES]
    for number in ("1e999999", "-1e999999", "1e-999999", "inf", "nan"):
        with pytest.raises(ValidationError):
            read_number(number)
    assert read_number("1e3") == 1000
    assert time.process_time() - began < 20
    sheet.cell(MOST_LINES + 1, 1, 7)
    workbook.save(file := BytesIO())
    assert "więcej niż 5000 wierszy" in refusal(file.getvalue())
    assert "Zostaw jeden" in refusal(xlsx(**{f"s{number}": [] for number in range(MOST_SHEETS + 1)}))


@pytest.mark.parametrize(
    ("header", "columns", "unit"),
    [
        ("Rodzaj opału;J.m.;Cena brutto [zł/t];Ważne od", ["fuel", "unit", "price", "day"], "t"),
        ("Lp.;Nazwa towaru;Cena z VAT;Data cennika", ["lp.", "fuel", "price", "day"], ""),
        ("Nazwa;Paliwo;CENA za 1 mp;Oddział", ["nazwa", "fuel", "price", "depot"], "mp"),
        ("Opał;Cena za worek;Waga worka [kg]", ["fuel", "bag_price", "bag_kg"], ""),
        ("Opał;Cena netto;Cena;Cena za kg", ["fuel", "cena netto", "price", "cena za kg"], ""),
        ("Opał;Cena za worek 25 kg;Cena luz", ["fuel", "bag_price", "cena luz"], ""),
        ("Opał;Cena bez VAT;Cena od;Cena zł/m3", ["fuel", "cena bez vat", "cena od", "cena zł/m3"], ""),
    ],
)
def test_columns_have_the_names_that_merchants_give_them(header, columns, unit):
    table = read_table(f"{header}\npellet;1;2\n".encode())
    assert (table.columns, table.unit) == (columns, unit)
    assert table.unread == [name for name in columns if " " in name or name in {"lp.", "nazwa"}]


def test_a_title_that_names_a_fuel_is_no_header():
    for text in ("Opał\nPaliwo,Cena\nPellet,1640\n", "Węgiel;Paliwo\nPaliwo;Cena\nPellet;1640\n"):
        assert [number for number, _ in read_table(text.encode()).rows] == [3]


def test_two_columns_that_may_name_the_fuel_are_not_chosen_from():
    assert refusal(b"Rodzaj;Asortyment;Cena\nW\xeagiel;Orzech;1640\n") == "Kolumna powtarza się: paliwo."


@pytest.mark.parametrize("remark", ["Ceny netto", " netto", "Podane ceny są cenami netto + 23% VAT", "ceny bez VAT"])
def test_prices_without_vat_are_refused_wherever_it_is_said(remark):
    for rows in (f"{remark}\nPaliwo;Cena\npellet;1640\n", f"Paliwo;Cena\npellet;1640\n{remark};\n"):
        assert "mówi o cenach bez VAT. Podaj ceny brutto" in refusal(rows.encode())
    assert read_table(b"Ceny brutto, nie netto\nPaliwo;Cena;Cena netto\npellet;1640;1333\n").rows


def test_an_open_document_is_named():
    with ZipFile(file := BytesIO(), "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    assert refusal(file.getvalue()) == "To arkusz ODS. Zapisz go w programie jako XLSX albo CSV."


@pytest.mark.parametrize(
    ("slug", "texts"),
    [
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
    ],
)
def test_a_fuel_is_known_by_its_description(slug, texts):
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
        assert (read_day(text), read_day("2026-11-12 00:00:00")) == (day, day), text
    # The month stands first elsewhere.
    for text in ("12/11/2026", "11/12/2026", "12.11", "listopad 2026", "31.11.2026", "46338"):
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
        text = f"1{part * (120_000 // len(part))}x"
        assert (read_fuel(text), read_table(f"paliwo;cena\n{text};1".encode()).unit) == (text, "")
        for read in (read_day, read_amount):
            with pytest.raises(ValidationError):
                read(text)
    assert time.process_time() - began < 5
