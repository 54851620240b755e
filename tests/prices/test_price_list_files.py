"""Price lists as spreadsheets and programs write them."""

import time
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.exceptions import ValidationError
from openpyxl import Workbook

from prices.price_list_files import MOST_LINES, MOST_SHEETS, read_number, read_table

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
