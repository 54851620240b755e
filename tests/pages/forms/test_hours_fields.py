import pytest
from django.core.exceptions import ValidationError

from pages.forms.fields import read_day


def test_round_the_clock_in_words():
    for typed in ("całą dobę", "Całodobowo", "całodobowe", "24h", " 24/7 "):
        assert read_day(typed) == ("0:00-24:00",), typed
        with pytest.raises(ValidationError):
            read_day(f"{typed} albo później")


def test_closed_in_words_that_imports_know_too():
    for typed in ("", "–", "nieczynne", "Zamknięty"):
        assert read_day(typed) == (), typed
