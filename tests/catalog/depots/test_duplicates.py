import pytest
from django.db import transaction

from catalog.depots import duplicates
from catalog.models import Depot
from tests import factories
from tests.factories import TODAY


@pytest.fixture
def one(db):
    return factories.DepotFactory(name="Skład opału Nowak", nip="5260250274")


@pytest.fixture
def other(one):
    return factories.DepotFactory(name="Skład opału Nowak s.c.", lat=one.lat + 0.0005)


def test_near_ones_with_similar_names_or_one_tax_number_are_a_pair_also_a_held_one_but_no_removed_one(one, other):
    pair = one.pk, other.pk
    for changed, pairs in (
        ({}, [(*pair, False)]),
        ({"publication": "held"}, [(*pair, False)]),
        ({"publication": "held", "nip": one.nip, "lat": 54.0, "name": "Inna"}, [(*pair, True)]),
        ({"lat": one.lat + 0.0014}, []),
        ({"name": "Auto Części Bis"}, []),
        ({"publication": "removed", "removed_at": TODAY, "removal_reason": "closed"}, []),
    ):
        with transaction.atomic():
            Depot.objects.filter(pk=other.pk).update(**changed)
            assert [(row.first, row.second, bool(row.same_nip)) for row in duplicates.find_pairs()] == pairs, changed
            transaction.set_rollback(True)


def test_near_ones_come_before_branches_of_one_company(one, other):
    Depot.objects.filter(pk=other.pk).update(lat=one.lat + 0.0003)
    branch = factories.DepotFactory(name=one.name, nip=one.nip, lat=one.lat + 0.045)
    near, far = pairs = duplicates.find_pairs()
    counterparts = {one: {other.pk: near, branch.pk: far}, other: {one.pk: near}, branch: {one.pk: far}}
    assert {depot: duplicates.find_for(depot.pk, pairs) for depot in counterparts} == counterparts
