"""Postcodes: two sources, one of which is better."""

import pytest

from catalog import models
from catalog.importers.records import Extract, PostcodeRecord
from catalog.importers.sync_postcodes import sync_postcodes
from tests import factories

pytestmark = pytest.mark.django_db

PRG = PostcodeRecord("30-001", (("1261011", 8),), ("Kraków",), 50.07, 19.94, "prg")
GEONAMES = PostcodeRecord("30-001", (("126101", 1),), ("Krakow",), 50.0, 19.9, "geonames")


def test_second_run_finds_nothing(options):
    factories.krakow()
    assert sync_postcodes(Extract((PRG,)), options).added == 1
    assert sync_postcodes(Extract((PRG,)), options).changes == 0


@pytest.mark.parametrize("order", [(PRG, GEONAMES), (GEONAMES, PRG)])
def test_the_address_register_wins_in_any_order(options, order):
    factories.krakow()
    for record in order:
        sync_postcodes(Extract((record,)), options)
    assert models.Postcode.objects.get().source == "prg"


def test_shares_are_summed_by_municipality_and_unknown_ones_left_out(options):
    factories.krakow()
    factories.zakopane()
    record = PostcodeRecord(
        "30-001", (("1261029", 3), ("1217011", 5), ("1261011", 4), ("9999999", 9)), (), 50, 20, "prg"
    )
    sync_postcodes(Extract((record,)), options)
    shares = models.PostcodeMunicipality.objects.order_by("-addresses").values_list("municipality_id", "addresses")
    assert list(shares) == [("1261011", 7), ("1217011", 5)]


def test_a_code_of_unknown_municipalities_only_is_rejected(options):
    report = sync_postcodes(Extract((PRG,)), options)
    assert [note.key for note in report.rejected] == ["30-001"]
    assert not models.Postcode.objects.exists()


def test_a_changed_share_replaces_the_old_ones(options):
    factories.krakow()
    factories.zakopane()
    sync_postcodes(Extract((PRG,)), options)
    changed = PostcodeRecord("30-001", (("1217011", 5),), ("Zakopane",), 49.3, 19.95, "prg")
    assert sync_postcodes(Extract((changed,)), options).changed == 1
    assert models.PostcodeMunicipality.objects.get().municipality_id == "1217011"
