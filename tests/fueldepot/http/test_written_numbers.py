from decimal import Decimal

import pytest

from fueldepot.http.params import AmbiguousNumber, read_decimal


def test_a_number_with_one_reading():
    numbers = {
        "0": "0",
        "2000": "2000",
        "2000.50": "2000.5",
        "2000,5": "2000.5",
        "0,125": "0.125",
        "2000.125": "2000.125",
        "12.5000": "12.5",
        "-0,01": "-0.01",
        "140 000": "140000",
        "140\N{NO-BREAK SPACE}000": "140000",
        "1\N{NARROW NO-BREAK SPACE}234\N{THIN SPACE}567,89": "1234567.89",
        " 2 000 ": "2000",
        "1.234,56": "1234.56",
        "1,234.56": "1234.56",
        "1 234.56": "1234.56",
        "1.234,567": "1234.567",
        "1.234.567": "1234567",
        "1,234,567.8": "1234567.8",
        "1'234,5": "1234.5",
        "1’234’567": "1234567",
        "-1 000": "-1000",
    }
    for three_digits in ("refused", "thousands", "decimals"):
        read = {text: read_decimal(text, three_digits) for text in numbers}
        assert read == {text: Decimal(number) for text, number in numbers.items()}


def test_three_digits_behind_the_only_mark():
    for text, decimal, thousands in (
        ("140.000", "140", "140000"),
        ("140,000", "140", "140000"),
        ("2.000", "2", "2000"),
        ("1.640", "1.64", "1640"),
        ("1,234", "1.2340", "1234"),
        ("999.999", "999.9990", "999999"),
    ):
        with pytest.raises(AmbiguousNumber) as error:
            read_decimal(text)
        assert (error.value.decimal, error.value.thousands) == (decimal, thousands), text
        assert read_decimal(text, "thousands") == Decimal(thousands) == read_decimal(thousands)
        assert read_decimal(text, "decimals") == Decimal(decimal) == read_decimal(decimal)


def test_what_is_not_a_number_is_refused():
    for text in (
        *("", " ", ".", "x", ".5", "5.", "1e3", "nan", "+5", "--5", "1,2,3", "9" * 21, "140 000\n", "\u0661\u0664"),
        *("1 2", "12 50", "1 0000", "1234 567", "0 500", "1 234 567 89", "1.23.456", "1.000 000", "1 000.000 000"),
        *("1.234,567,8", "1,234.567.890"),
    ):
        with pytest.raises(ValueError, match="not a number"):
            read_decimal(text)
