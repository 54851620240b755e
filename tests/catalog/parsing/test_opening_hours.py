"""Opening hours: what is read, what is repaired, what stays unknown, and how weeks are written and stored."""

import re

from hypothesis import given
from hypothesis import strategies as st

from catalog.parsing import opening_hours
from catalog.parsing.opening_hours import DAYS, MAX_TEXT, daily_ranges, ranges_of_week, to_osm_string, weekly_hours

CLOSED = "nieczynne"
WORK = ["8:00-16:00"] * 5
OFF = [CLOSED, CLOSED]
ALWAYS = ["0:00-24:00"] * 7
BREAK = ["", *[CLOSED] * 6]

VALUE = re.compile(r"|nieczynne|(1?[0-9]|2[0-3]):[0-5][0-9]-(1?[0-9]|2[0-4]):[0-5][0-9]")


def week(text):
    hours = weekly_hours(text)
    return None if hours is None else list(hours.values())


def test_keys_are_the_days_from_monday_and_an_answer_can_be_changed_without_changing_the_next():
    hours = weekly_hours("Mo 08:00-16:00")
    assert tuple(hours) == DAYS == ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    hours["mon"] = "x"
    assert weekly_hours("Mo 08:00-16:00")["mon"] == "8:00-16:00"


def test_the_written_form_of_the_standard_and_round_the_clock_are_read():
    expected = {
        "Mo-Fr 08:00-16:00": WORK + OFF,
        "Mo-Fr 8:00-16:00; Sa 8:00-13:00": [*WORK, "8:00-13:00", CLOSED],
        "Mo-Fr 08:00-16:00, Sa 08:00-13:00": [*WORK, "8:00-13:00", CLOSED],
        "Mo-Sa 08:00-16:00; Sa 08:00-13:00": [*WORK, "8:00-13:00", CLOSED],
        "Mo-Sa 08:00-16:00; Sa off": WORK + OFF,
        "Mo-Fr 08:00-16:00 open": WORK + OFF,
        "mo-fr 08:00-16:00;": WORK + OFF,
        "Mo, We 08:00-12:00": ["8:00-12:00", CLOSED, "8:00-12:00", CLOSED, CLOSED, CLOSED, CLOSED],
        "Fr-Mo 08:00-12:00": ["8:00-12:00", CLOSED, CLOSED, CLOSED, "8:00-12:00", "8:00-12:00", "8:00-12:00"],
        "08:00-16:00": ["8:00-16:00"] * 7,
        "Mo-Fr 08:00-16:00, Fr 15:00-18:00": [*WORK[:4], "8:00-18:00", *OFF],
        "Mo-Fr 08:00-16:00, Fr 06:00-09:00": [*WORK[:4], "6:00-16:00", *OFF],
        "Mo-Fr 08:00-16:00, Sa 08:00-12:00, Mo 17:00-18:00": ["", *WORK[:4], "8:00-12:00", CLOSED],
        "Jan,Feb-Dec Mo-Fr 08:00-16:00": WORK + OFF,
        "08:00-16:00; PH off": ["8:00-16:00"] * 7,
        "Jan-Dec Mo-Fr 08:00-16:00": WORK + OFF,
        "Oct-Mar Mo-Fr 08:00-16:00; Apr-Sep Mo-Fr 08:00-16:00": WORK + OFF,
        "Mo 07:05-15:30": ["7:05-15:30", *[CLOSED] * 6],
        "codziennie 8-18": ["8:00-18:00"] * 7,
        "pn. 0 - 1": ["0:00-1:00", *[CLOSED] * 6],
        "Poniedziałek 23 do 24": ["23:00-24:00", *[CLOSED] * 6],
        "Mo-Fr 7.30-15.45": ["7:30-15:45"] * 5 + OFF,
        # Ranges that touch are one, days with two have none.
        "Mo 08:00-12:00,12:00-16:00": ["8:00-16:00", *[CLOSED] * 6],
        **dict.fromkeys(("Mo 08:00-12:00,13:00-16:00", "Mo 08:00-12:00, Mo 13:00-16:00"), BREAK),
        **dict.fromkeys(("pn 8-12 i 13-16", "pn 8-12; pn 13-16"), BREAK),
        # Round the clock.
        **dict.fromkeys(("24/7", "całodobowo", "24h", "0-24"), ALWAYS),
        **dict.fromkeys(("Mo-Fr 00:00-24:00", "Pn-Pt całą dobę"), ALWAYS[:5] + OFF),
        "24/7; Su off": [*ALWAYS[:6], CLOSED],
        "Mo-Fr 00:00-24:00; Sa 00:00-13:00": [*ALWAYS[:5], "0:00-13:00", CLOSED],
    }
    assert {text: week(text) for text in expected} == expected


def test_hours_past_midnight_are_read():
    nights = ["22:00-6:00"] * 5
    expected = {
        "Mo-Fr 22:00-06:00": nights + OFF,
        # A closed Saturday does not end the night before it.
        "Mo-Fr 22:00-06:00; Sa off": nights + OFF,
        "Mo-Fr 22:00-06:00; Sa 08:00-12:00": [*nights, "8:00-12:00", CLOSED],
        "Su 22:00-06:00": [*[CLOSED] * 6, "22:00-6:00"],
        "Mo 20:00-26:00": ["20:00-2:00", *[CLOSED] * 6],
        "Mo 08:00-32:00": ["8:00-24:00", "0:00-8:00", *[CLOSED] * 5],
        "Mo 14:00-24:00": ["14:00-24:00", *[CLOSED] * 6],
        # By the standard a later rule replaces an earlier one, unless that ends on the next day.
        "Mo-Fr 14:00-24:00; Fr 08:00-12:00": [*["14:00-24:00"] * 4, "8:00-12:00", *OFF],
        # Two days that meet at midnight are not one night.
        "Mo 14:00-24:00; Tu 00:00-10:00": ["14:00-24:00", "0:00-10:00", *[CLOSED] * 5],
    }
    assert {text: week(text) for text in expected} == expected


def test_usual_mistakes_are_mended_and_holidays_do_not_matter():
    for text in (
        *("Mo-Fr 08:00-16:00; PH off", "Mo-Fr 08:00-16:00; PH 09:00-12:00", "Mo-Fr 08:00-16:00; PH 17:00-18:00"),
        *("Mo-Fr,PH 08:00-16:00", "Mo-Fr 08:00-16:00; SH off", "Mo-Fr 08:00-16:00; Su,PH off"),
        "pn-pt 8-16, niedziela i święta nieczynne",
        *("Mo-Fr 8-16", "Mo-Fr 8–16", "Mo—Fr 8:00 — 16:00", "Mo-Fr 8.00-16.00", "Mo-Fr 8:00 - 16:00"),
        *("Mo-Fr: 8:00-16:00", "Mo-Fr 8⁰⁰-16⁰⁰", "Mo-Fr 8-16:00", "Monday-Friday 8-16", "Pn-Pt 8-16"),
        *("pn - pt 8 - 16", "pon.-pt. 8-16", "PON.–PT.: 8.00–16.00.", "poniedziałek-piątek, 8-16"),
        *("Poniedziałek – Piątek 8:00–16:00", "od poniedziałku do piątku od 8 do 16", "od pn do pt od 8:00 do 16:00"),
        *("czynne: pn-pt w godz. 8-16", "godziny otwarcia pn-pt 8h-16h", "pn, wt, śr, czw, pt 8-16"),
        *("pn,wt,sr,cz,pią 8-16", "pn-pt 8-16; sob nieczynne", "pn-pt 8-16, sob. i nd. nie czynne"),
        *("pn-pt 8-16, so-nie zamknięte", "pn-pt:\n8-16\nsob-niedz:\nnieczynne"),
        *("pn.-pt. – 8-16, sob. – nieczynne", "Zapraszamy: pon - pt - 8.00-16.00", "pn, wt, śr, czw, pt - 8-16"),
        *("pn-pt, od 8 do 16, sob, nieczynne",),
        'Mo-Fr 08:00-16:00; Su off "zapraszamy w tygodniu"',
    ):
        assert week(text) == WORK + OFF


def test_groups_of_days_are_read():
    for text in (
        *("Pn-Pt 8-16, Sob 8-13", "Pn-Pt 8-16; Sb 8-13", "Pn-Pt 8-16 Sob 8-13", "Mo-Fr 08:00-16:00 Sa 08:00-13:00"),
        *("Pn-Pt 8-16\nSob 8-13", "Pn-Sob 8-16, Sob 8-13", "Mo-Sa 08:00-16:00 Sa 08:00-13:00"),
        *("Mo-Sa: 08:00-16:00; Sa: 08:00-13:00", "pn-pt 8-16 oraz w soboty 8-13"),
        "Mo-Sa, 08:00-16:00, Sa, 08:00-13:00",
    ):
        assert week(text) == [*WORK, "8:00-13:00", CLOSED]


def test_a_text_without_one_week_of_hours_or_that_is_ambiguous_or_very_long_is_unknown():
    for text in (
        *("", "  ", "zadzwoń", '"po uzgodnieniu"', '"po uzgodnieniu telefonicznym"', "po uzgodnieniu", "off"),
        *("closed", "nieczynne", "Mo-Su off", "PH off", "PH 08:00-12:00", "open", "unknown", "24/7 unknown", "Mo-Fr"),
        *("Mo-Fr open", "Mo-Fr; Sa 08:00-12:00", "Mo-Fr, Sa", 'Mo-Fr 08:00-16:00 "po telefonie"'),
        *('Mo-Fr 08:00-16:00 || "po telefonie"', "Mo-Fr 08:00-16:00 unknown", "Mo-Fr 08:00-16:00 off"),
        # no definite end
        *("08:00+", "Mo-Fr 08:00+", "Mo-Fr 08:00-16:00+", "Mo-Fr 08:00", "pn-pt od 8", "pn-pt do 16", "pn - 8"),
        "czynne 08:00-16:00",  # on Sundays?
        *("sunrise-sunset", "Mo-Fr 08:00-sunset", "Mo-Fr 10:00-16:00/02:00"),
        # by season, week or date
        *("Oct-Mar Mo-Fr 07:00-17:00; Apr-Sep Mo-Fr 08:00-16:00; Sa 08:00-13:00", "Oct-Mar Mo-Fr 08:00-16:00"),
        *("Oct-Mar 08:00-16:00", "Mo-Fr 08:00-16:00; Dec off", "24/7; Jul off"),
        *("Mo-Fr 08:00-16:00; Sa[1] 08:00-12:00", "week 1-53/2 Mo-Fr 08:00-16:00", "Mo-Fr 08:00-16:00; Dec 24 off"),
        *("2026 Mo-Fr 08:00-16:00", "2050 Mo 08:00-09:00; Tu 08:00-12:00", "easter off; Mo-Fr 08:00-16:00"),
        *("SH Mo-Fr 08:00-12:00", "Mo-Fr 08:00-16:00; PH -1 day 08:00-12:00", "październik-marzec pn-pt 8-16"),
        # Days of a month, or hours?
        *("8-16", "8.00-16.00", "Oct 8-16", "Oct-Mar 8-16", "Mo 1-3 08:00-12:00", "Jan Jul Feb-Dec Mo 08:00-16:00"),
        # Dates, or hours?
        *("01.10-31.03 pn-pt 8-16", "pn-pt 01.04-15.09 8-16", "pn-pt 8-16, 24.12 nieczynne"),
        # Twelve-hour clock, or until the next morning?
        *("Mo-Fr 8-4", "Mo-Fr 8-4:00", "Mo-Fr 8:00-4", "Mo-Fr 22-6", "pn. 22–6", "Poniedziałek 8 do 4", "Mo 8-8"),
        # Closed, round the clock, or a slip?
        *("Mo-Fr 08:00-08:00", "Mo-Fr 00:00-00:00"),
        # Instead of the earlier hours, or besides them?
        *("pn-pt 8-16, pt 15-18", "Mo-Fr 08:00-16:00 Fr 15:00-18:00", "pn-pt 8-16; pn-pt 9-15"),
        *("Su off; Mo-Su 08:00-16:00", "Su off 24/7", "Mo-Fr 08:00-12:00; Mo-Fr 13:00-16:00"),
        *("Mo-Fr 08:00-12:00; 13:00-15:00", "Mo-Sa 08:00-16:00, Sa 08:00-13:00", "Mo-Sa 08:00-16:00, Sa 10:00-16:00"),
        *("pt-nd 6-12, nd 15-22; śr-sob 13-22", "Mo-Sa 08:00-12:00,13:00-17:00, Sa 08:00-12:00"),
        *("Mo-Fr 22:00-06:00; Fr 20:00-23:00", "17:00-06:00; Su off", "Mo-Sa 17:00-06:00; Sa 17:00-02:00"),
        # Sunday, or "not"?
        *("nie pracujemy", "sob nie, pn-pt 8-16", "pn-sob nie 8-16"),
        # Whose are these?
        *("8-16 pn-pt", "pn-pt 8-16, 9-13", "pn-pt 8-16; 9-13", "pn-pt 8-16 9-13", "niedziela nieczynne 8-16"),
        *("pn-pt 8-16 przerwa 12-13", "pn-pt 8-16 i", "dni robocze 8-16", "pn-pt 1⁰-16", "pn-pt 8:00:00-16:00:00"),
        *("pn-pt 8-26", "pn-pt 25:00-26:00", "Mo 08:00-47:00", "pn-pt 8-16: sob 8-13", "czynne pn-pt 8-16: sob 8-13"),
        *(": 08:00-16:00", "Mo-Fr 08:00-16:00,15:00-18:00", "monitoring 24h", "Mo-Fr 08:00am-4pm", "pn 24:00-8:00"),
    ):
        assert weekly_hours(text) is None, text
    text = "Mo-Fr 08:00-16:00" + " " * MAX_TEXT
    assert (week(text), week(text[:MAX_TEXT])) == (None, WORK + OFF)


TOKENS = [
    *("Mo", "Fr", "Su", "PH", "SH", "Oct", "Mar", "pn", "pt.", "sob", "nie", "nieczynne", "codziennie", "off"),
    *("open", "24/7", "od", "do", "i", "w", "8", "16", "08:00", "22:00", "6.30", "24:00", "30:00", "8⁰⁰", "-"),
    *("–", ",", ";", ":", "\n", "+", '"', "[1]", "24h", "czynne"),
]
WORDS = st.sampled_from(TOKENS)


@given(st.text() | st.lists(WORDS, max_size=12).map(" ".join) | st.lists(WORDS, max_size=12).map("".join))
def test_always_a_whole_week_or_nothing(text):
    hours = weekly_hours(text)
    if hours is not None:
        assert tuple(hours) == DAYS
        assert all(VALUE.fullmatch(value) for value in hours.values())
        assert set(hours.values()) != {CLOSED}


@given(st.integers(0, 23 * 60 + 59), st.integers(0, 23 * 60 + 59))
def test_hours_come_back_as_written(start, end):
    text = f"Mo {start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"
    value = f"{start // 60}:{start % 60:02d}-{end // 60}:{end % 60:02d}"
    if end == 0 and start:
        value = value.replace("-0:00", "-24:00")
    assert week(text) == (None if start == end else [value, *[CLOSED] * 6])


def test_a_week_is_written_in_the_standards_form_and_read_as_the_same():
    breaks = dict.fromkeys(DAYS[:5], ("7:00-12:00", "13:00-15:00"))
    for days, text in (
        (dict.fromkeys(DAYS, ("7:00-15:00",)), "Mo-Su 07:00-15:00"),
        ({"mon": ("7:00-15:00",), "wed": ("7:00-15:00",)}, "Mo 07:00-15:00; We 07:00-15:00"),
        ({**breaks, "sat": ("8:00-13:00",)}, "Mo-Fr 07:00-12:00,13:00-15:00; Sa 08:00-13:00"),
    ):
        assert to_osm_string(days) == text, days
        assert daily_ranges(text) == {day: days.get(day, ()) for day in DAYS}
    assert to_osm_string({"mon": ()}) == ""


def test_a_stored_week_has_its_ranges_without_its_text_and_several_a_day_from_a_text_of_the_same_week():
    hours = {**dict.fromkeys(DAYS, CLOSED), "mon": "8:00-16:00"}
    assert ranges_of_week(hours, "") == {**dict.fromkeys(DAYS, ()), "mon": ("8:00-16:00",)}
    assert opening_hours.texts_of_week(hours, "") == hours
    text = "Mo 08:00-12:00,13:00-16:00; Tu 08:00-12:00"
    assert ranges_of_week(weekly_hours(text), text) == daily_ranges(text)
    assert ranges_of_week(weekly_hours(text), "Mo 08:00-12:00,13:00-16:00") is None
