from datetime import date

import pytest

from catalog.importers.records import cut, parse_day, parse_degrees, tidy
from catalog.territory.coordinates import in_poland


def test_a_day_is_read_and_what_is_none_is_refused():
    assert parse_day("2031-02-28") == date(2031, 2, 28)
    for text in ("", "2031-2-8", "20310228", "2031-02-29", "28.02.2031", "2031-02-28\n", "٢٠٣١-٠٢-٢٨"):
        with pytest.raises(ValueError, match="is not a day"):
            parse_day(text)


def test_degrees_are_read_and_what_is_no_number_is_refused():
    assert (parse_degrees("51.3504"), parse_degrees("-7")) == (51.3504, -7)
    for text in ("", ".", "1e5", "inf", "nan", "1,5", "+1", "1.", "1" * 30, "١"):
        with pytest.raises(ValueError, match="is not a number of degrees"):
            parse_degrees(text)


def test_box_around_poland():
    assert in_poland(48.8, 13.9)
    assert in_poland(55.1, 24.3)
    outside = (48.79999, 19), (55.10001, 19), (52, 13.89999), (52, 24.30001), (float("nan"), 19), (52, float("inf"))
    assert not any(in_poland(*point) for point in outside)


def test_a_text_is_tidied():
    clean = {"  Skład \t opału\n": "Skład opału", "Sk\x00ład": "Sk ład", "Sk\u200bład\u202e": "Skład"}
    clean |= {"o\u0301": "ó", "a\u00a0b": "a b", "\ue000": ""}
    assert {text: tidy(text) for text in clean} == clean


def test_a_text_over_its_limit_is_cut():
    for text, limit, short in (
        ("Skład opału", 11, "Skład opału"),
        ("Skład opału", 10, "Skład…"),
        ("Składopału", 5, "Skła…"),
        ("a bcdefghijk", 8, "a bcdef…"),
    ):
        assert cut(text, limit) == short, text
        assert len(short) <= limit
