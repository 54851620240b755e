"""Editors share the work by voivodeship: taken, shown, filtered by, given back."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from catalog.models import Decision, VoivodeshipClaim
from catalog.services import editors, journal
from catalog.services.editors import CHIEF, EDITOR
from tests import factories
from tests.client import context_of, message_of
from tests.pages.reading import text_of

pytestmark = pytest.mark.django_db

START = reverse("admin:index")


def person(name, role=EDITOR):
    user = factories.member(role, name)
    return user, factories.desk_of(user)


def take(desk, teryt="12"):
    return desk.post(reverse("admin:catalog_voivodeshipclaim_take", args=[teryt]))


def release(desk, claim):
    return desk.post(reverse("admin:catalog_voivodeshipclaim_release", args=[claim.pk]))


def test_one_takes_it_and_everybody_sees_who():
    factories.krakow()
    (ewa, her), (_, his) = person("ewa"), person("adam")
    assert "Województwo małopolskie jest Twoje" in message_of(take(her))
    take(her)
    claim = VoivodeshipClaim.objects.get()
    assert (claim.voivodeship_id, claim.editor) == ("12", ewa)
    assert re.search(r"małopolskie ewa, od \d\d\.\d\d\.\d{4}", text_of(his.get(START)))
    assert "Województwo małopolskie ma już ewa." in message_of(take(his))
    assert VoivodeshipClaim.objects.count() == 1
    assert release(his, claim).status_code == 403
    assert "Oddano województwo małopolskie" in message_of(release(her, claim))
    assert "oddano już wcześniej" in message_of(release(her, claim))
    take(his)
    listed = text_of(her.get(reverse("admin:catalog_voivodeshipclaim_changelist")))
    assert re.search(r"małopolskie.* adam .* małopolskie.* ewa", listed)


def test_a_release_by_a_chief_that_is_undone_takes_nothing_from_who_has_it_now():
    factories.krakow()
    (_, her), (adam, his), (_, chief) = person("ewa"), person("adam"), person("szefowa", CHIEF)
    take(her)
    release(chief, VoivodeshipClaim.objects.get())
    claim = VoivodeshipClaim.objects.get()
    assert (claim.editor.username, claim.released_by.username) == ("ewa", "szefowa")
    released = Decision.objects.order_by("pk").last()
    take(his)
    with pytest.raises(journal.NothingToRestore):
        journal.undo(decision=released, by=adam, on=timezone.now())
    assert factories.fresh(claim).released_at
    assert VoivodeshipClaim.objects.standing().get().editor == adam


def test_two_cannot_hold_one_and_nobody_gives_back_nothing():
    claim = {"voivodeship": factories.krakow().voivodeship, "editor": factories.UserFactory()}
    editors.take_voivodeship(voivodeship=claim["voivodeship"], by=claim["editor"], on=timezone.now())
    for moments in ({}, {"released_at": timezone.now()}):
        with pytest.raises(IntegrityError, match="voivodeshipclaim_"), transaction.atomic():
            VoivodeshipClaim.objects.create(**claim, taken_at=timezone.now(), **moments)


def test_the_queues_are_filtered_by_what_is_mine_and_counted_by_voivodeship():
    _, desk = person("ewa")
    here, there = factories.DepotFactory(), factories.DepotFactory(municipality=factories.bielsko_biala(), lat=49.8)
    wanted = {"name": "Nowy", "municipality": here.municipality_id}
    missing = factories.SubmissionFactory(add=True, proposed=wanted)
    asked = [factories.SubmissionFactory(depot=depot) for depot in (here, there)]
    prices = [factories.DepotPriceFactory(depot=depot, pending=True) for depot in (here, there)]
    lists = {
        "catalog_depot": ([here], [here, there]),
        "catalog_submission": ([missing, asked[0]], [missing, *asked]),
        "prices_depotprice": ([prices[0]], prices),
    }

    def listed(name, unit):
        return set(context_of(desk, reverse(f"admin:{name}_changelist"), {"unit": unit})["cl"].result_list)

    for name in lists:
        assert listed(name, "mine") == set()
    take(desk)
    for name, (mine, both) in lists.items():
        assert listed(name, "mine") == listed(name, "12") == set(mine)
        assert listed(name, "24") == set(both) - set(mine)
    assert re.search(r"małopolskie ewa, od \S+ zwolnij 2 1 1 śląskie biorę 1 1 1", text_of(desk.get(START)))
