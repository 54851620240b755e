import pytest
from django.core.exceptions import ValidationError

from catalog.parsing.opening_hours import weekly_hours
from pages.forms.fields import read_day
from tests import factories


def test_round_the_clock_in_words():
    for typed in ("całą dobę", "Całodobowo", "całodobowe", "24h", " 24/7 "):
        assert read_day(typed) == ("0:00-24:00",), typed
        with pytest.raises(ValidationError):
            read_day(f"{typed} albo później")


def test_closed_in_words_that_imports_know_too():
    for typed in ("", "–", "nieczynne", "Zamknięty"):
        assert read_day(typed) == (), typed


def test_folded_hours_keep_each_run_of_days_on_one_line(client, db):
    source = "Mo-Fr 08:00-16:00; Sa 08:00-12:00"
    depot = factories.DepotFactory(hours=weekly_hours(source), opening_hours=source)
    page = client.get(f"/sklad/{depot.pk}/przejmij/").content.decode()
    assert '<span class="together">pn.–pt. 8:00-16:00,</span> <span class="together">sob. 8:00-12:00' in page
