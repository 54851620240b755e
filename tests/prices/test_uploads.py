"""Price lists as spreadsheets and programs write them."""

from io import BytesIO

import pytest
from django.core.exceptions import ValidationError
from openpyxl import Workbook

from prices.uploads import read_number, read_table

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


@pytest.mark.parametrize("above", ["", "sep=;\n", "\n;;;;\n", "Cennik paliw, listopad\nważny od dziś\n\n"])
def test_rows_above_the_names_of_columns_are_passed_over_and_counted(above):
    table = read_table(f'{above}numer składu;"paliwo";cena\n7;pellet;1 640,50\n'.encode())
    ((number, cells),) = table.rows
    assert (number, cells["price"]) == (above.count("\n") + 2, "1 640,50")


def test_the_sheet_with_prices_is_read_wherever_it_stands():
    table = read_table(xlsx(Pusty=[], Ceny=[["Cennik"], HEADER, ROW], Słowniki=[["pellet"]]))
    assert [(number, [*cells.values()]) for number, cells in table.rows] == [(3, ROW)]


def test_of_two_sheets_with_prices_none_is_lost():
    assert "kilka arkuszy z danymi: „Opole”, „Nysa”. Zostaw jeden" in refusal(
        xlsx(Opole=[HEADER, ROW], Nysa=[HEADER, ROW])
    )


def test_a_formula_without_a_result_is_named():
    row = [*ROW[:4], "=1600+40"]
    assert refusal(xlsx(Ceny=[HEADER, ROW, row])).startswith("Wiersz 3: w pliku nie ma wyniku formuły =1600+40. Otwórz")


def test_a_cell_that_a_merger_left_empty_is_explained():
    with pytest.raises(ValidationError, match="nie ma numeru składu; scalone komórki"):
        read_number(None)
