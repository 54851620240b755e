import pytest

from pages.forms.fields import HoursUnreadable, read_day


@pytest.mark.parametrize("typed", ["całą dobę", "Całodobowo", "24h", " 24/7 "])
def test_round_the_clock_in_words(typed):
    assert read_day(typed) == ("0:00-24:00",)
    with pytest.raises(HoursUnreadable):
        read_day(f"{typed} albo później")
