"""Municipalities by their codes, former ones included."""

from datetime import date

import pytest

from catalog.importers.sync.resolve import MunicipalityCodes
from catalog.models import FormerMunicipality
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_vanished_municipality_is_found_by_its_successor():
    FormerMunicipality.objects.create(
        teryt="1206952", name="Dawna", successor=factories.krakow(), left_on=date(2020, 1, 1)
    )
    codes = MunicipalityCodes()
    assert (codes.find("1206952"), codes.find("1206962")) == ("1261011", None)
