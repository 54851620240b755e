from datetime import date

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from regulations.models import Source, read_sources, validate_sources, write_sources
from tests.regulations.factories import DeadlineFactory, FuelBanFactory, ResolutionFactory

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


def test_sources_are_read_as_they_were_written():
    sources = (Source("Gmina A | B", "https://example.pl/?a=1"), Source("C", "http://example.pl"))
    assert read_sources(write_sources(sources)) == sources
    assert read_sources("\n \n") == ()


def test_a_source_has_a_name_and_an_address():
    for text in ("https://example.pl", "bez adresu", "nazwa | nie-adres", " | https://example.pl"):
        with pytest.raises(ValidationError):
            validate_sources(text)
