from datetime import date

import pytest

from catalog.importers.records import cut, in_poland, parse_day, parse_degrees, tidy


def test_a_day_is_read():
    assert parse_day("2031-02-28") == date(2031, 2, 28)


@pytest.mark.parametrize("text", ["", "2031-2-8", "20310228", "2031-02-29", "28.02.2031", "2031-02-28\n", "٢٠٣١-٠٢-٢٨"])
def test_what_is_not_a_day_is_refused(text):
    with pytest.raises(ValueError, match="is not a day"):
        parse_day(text)


def test_degrees_are_read():
    assert parse_degrees("51.3504") == 51.3504
    assert parse_degrees("-7") == -7


@pytest.mark.parametrize("text", ["", ".", "1e5", "inf", "nan", "1,5", "+1", "1.", "1" * 30, "١"])
def test_what_is_no_number_of_degrees_is_refused(text):
    with pytest.raises(ValueError, match="is not a number of degrees"):
        parse_degrees(text)


@pytest.mark.parametrize(
    ("lat", "lon", "inside"),
    [
        (48.8, 13.9, True),
        (55.1, 24.3, True),
        (48.79999, 19, False),
        (55.10001, 19, False),
        (52, 13.89999, False),
        (52, 24.30001, False),
        (float("nan"), 19, False),
        (52, float("inf"), False),
    ],
)
def test_box_around_poland(lat, lon, inside):
    assert in_poland(lat, lon) is inside


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("  Skład \t opału\n", "Skład opału"),
        ("Sk\x00ład", "Sk ład"),
        ("Sk\u200bład\u202e", "Skład"),
        ("o\u0301", "ó"),
        ("a\u00a0b", "a b"),
        ("\ue000", ""),
    ],
)
def test_a_text_is_tidied(text, clean):
    assert tidy(text) == clean


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("Skład opału", 11, "Skład opału"),
        ("Skład opału", 10, "Skład…"),
        ("Składopału", 5, "Skła…"),
        ("a bcdefghijk", 8, "a bcdef…"),
    ],
)
def test_a_text_over_its_limit_is_cut(text, limit, short):
    assert cut(text, limit) == short
    assert len(short) <= limit
