"""Weeks of opening hours: written in the standard format, and stored."""

from catalog.parsing.opening_hours import CLOSED, DAYS, daily_ranges, ranges_of_week, to_osm_string, weekly_hours


def test_a_week_is_written_in_the_standards_form_and_read_as_the_same():
    for days, text in (
        (dict.fromkeys(DAYS, ("7:00-15:00",)), "Mo-Su 07:00-15:00"),
        ({"mon": ("7:00-15:00",), "wed": ("7:00-15:00",)}, "Mo 07:00-15:00; We 07:00-15:00"),
        (
            {**dict.fromkeys(DAYS[:5], ("7:00-12:00", "13:00-15:00")), "sat": ("8:00-13:00",)},
            "Mo-Fr 07:00-12:00,13:00-15:00; Sa 08:00-13:00",
        ),
    ):
        assert to_osm_string(days) == text, days
        assert daily_ranges(text) == {day: days.get(day, ()) for day in DAYS}


def test_a_week_without_hours_is_written_as_nothing():
    assert to_osm_string({"mon": ()}) == ""


def test_a_stored_week_has_its_ranges_without_its_text():
    hours = {**dict.fromkeys(DAYS, CLOSED), "mon": "8:00-16:00"}
    assert ranges_of_week(hours, "") == {**dict.fromkeys(DAYS, ()), "mon": ("8:00-16:00",)}


def test_days_of_several_ranges_are_read_again_from_the_text_of_the_stored_week():
    text = "Mo 08:00-12:00,13:00-16:00; Tu 08:00-12:00"
    assert ranges_of_week(weekly_hours(text), text) == daily_ranges(text)
    assert ranges_of_week(weekly_hours(text), "Mo 08:00-12:00,13:00-16:00") is None
