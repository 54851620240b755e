from datetime import date, timedelta

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils import timezone

from regulations.models import Source, read_sources, validate_sources, write_sources
from regulations.snapshot import year_after
from tests import factories
from tests.regulations.factories import (
    AmendmentFactory,
    DeadlineFactory,
    FuelBanFactory,
    LegalStateFactory,
    ResolutionFactory,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("factory", [ResolutionFactory, DeadlineFactory, FuelBanFactory])
@pytest.mark.parametrize("values", [{"area": "listed"}, {"area": "towns", "units": ["1261011"]}])
def test_a_scope_lists_units_when_it_is_a_list_and_only_then(factory, values):
    with pytest.raises(IntegrityError, match="units"):
        factory(**values)


@pytest.mark.parametrize("factory", [DeadlineFactory, FuelBanFactory])
def test_a_rule_ends_after_it_begins(factory):
    with pytest.raises(IntegrityError, match="validity_in_order"):
        factory(valid_from=date(2026, 1, 1), valid_to=date(2026, 1, 1))


def test_a_key_stands_once():
    DeadlineFactory(key="a")
    DeadlineFactory(key="")
    DeadlineFactory(key="")
    with pytest.raises(IntegrityError, match="key"):
        DeadlineFactory(key="a")


def test_sources_are_read_as_they_were_written_each_with_a_name_and_an_address():
    sources = (Source("Gmina A | B", "https://example.pl/?a=1"), Source("C", "http://example.pl"))
    assert read_sources(write_sources(sources)) == sources
    assert read_sources("\n \n") == ()
    for text in ("https://example.pl", "bez adresu", "nazwa | nie-adres", " | https://example.pl"):
        with pytest.raises(ValidationError):
            validate_sources(text)


def found(databases=("default",)):
    messages = run_checks(databases=databases, tags=["database"])
    return {message.id: message.msg for message in messages if message.id.startswith("regulations")}


def test_stale_states_warn_from_the_181st_day():
    today = timezone.localdate()
    LegalStateFactory(as_of=today - timedelta(days=180))
    assert found() == {}
    old = today - timedelta(days=181)
    LegalStateFactory(voivodeship=factories.VoivodeshipFactory(teryt="24"), as_of=old)
    assert "1 voivodeships" in found()["regulations.W001"]
    assert f"śląskie ({old})" in found()["regulations.W001"]
    assert year_after(date(2028, 2, 29)) == date(2029, 2, 28)


def test_codes_that_left_the_register_warn():
    factories.krakow()
    state = LegalStateFactory(as_of=timezone.localdate())
    DeadlineFactory(state=state, area="listed", units=["1261011", "1261", "1217011"])
    assert found() == {"regulations.W002": "regulations name units that are not in the register: 1217011"}


def test_without_a_database_nothing_is_read(django_assert_num_queries):
    LegalStateFactory(as_of=timezone.localdate() - timedelta(days=999))
    with django_assert_num_queries(0):
        assert found(databases=None) == {}


def test_an_amendment_without_number_and_day_is_told_by_what_it_changes():
    known = {"number": "II/2/26", "adopted": date(2026, 11, 2)}
    names = [
        str(AmendmentFactory.build(**known | without, changes="Termin kotłów bezklasowych przesunięty. " * 3))
        for without in ({}, {"number": ""}, {"adopted": None}, {"number": "", "adopted": None})
    ]
    assert names[:2] == ["nr II/2/26 z 02.11.2026", "bez numeru z 02.11.2026"]
    assert names[2].startswith("nr II/2/26, dzień nieznany: Termin kotłów bezklasowych")
    assert names[3].startswith("bez numeru, dzień nieznany: Termin kotłów bezklasowych")
    assert max(map(len, names)) < 100
