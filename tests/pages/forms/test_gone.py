"""The report that a depot is gone: two taps for a reader, evidence for an editor."""

from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from catalog.models import GoneReport, Submission
from catalog.services import moderation
from catalog.submissions import gone_reports_and_subscriptions, retention
from catalog.submissions.gone_reports_and_subscriptions import find_evidence
from tests import factories
from tests.client import context_of
from tests.pages.reading import expect


@pytest.fixture
def path(nowak):
    return f"/sklad/{nowak.pk}/zglos/"


def report(stranger, path, reason="closed", client="10.0.0.1", email=""):
    return stranger.fill(path, network=client, reason=reason, email=email)


def test_two_taps_without_an_address(stranger, nowak, path):
    assert set(stranger.show(path)) - {"stamp", "email"} <= {"reason", "strona_www"}
    expect(report(stranger, path), "Dziękujemy za zgłoszenie")
    (row,) = GoneReport.objects.all()
    assert (row.depot_id, row.reason) == (nowak.pk, "closed")
    assert "10.0.0.1" not in row.client_hash
    assert mail.outbox == []
    assert not Submission.objects.exists()
    assert factories.fresh(nowak).publication == "published"


def test_a_reason_is_chosen_and_an_address_may_be_left_but_not_a_wrong_one(stranger, path):
    expect(report(stranger, path, reason=""), "Wybierz, co się stało.", status=400)
    assert report(stranger, path, email="nikt").status_code == 400
    assert report(stranger, path, email="ewa@example.pl").status_code == 200
    assert (GoneReport.objects.get().email, mail.outbox) == ("ewa@example.pl", [])


def test_a_network_counts_once_also_after_a_verification_long_ago(stranger):
    depot = factories.DepotFactory(verified=True)
    path = f"/sklad/{depot.pk}/zglos/"
    for client, reason in [("10.0.0.1", "closed"), ("10.0.0.1", "moved"), ("10.0.0.2", "closed")]:
        report(stranger, path, reason, client)
    evidence = find_evidence(depot)
    assert (evidence["networks"], dict(evidence["reasons"])) == (2, {"przeniósł się": 1, "zamknięto go na stałe": 1})


def test_a_network_has_a_limit(stranger, path, monkeypatch):
    monkeypatch.setattr(gone_reports_and_subscriptions, "PER_NETWORK", 2)
    for row in factories.DepotFactory.create_batch(2):
        assert report(stranger, f"/sklad/{row.pk}/zglos/").status_code == 200
    answer = report(stranger, path)
    assert (answer.status_code, bool(answer["Retry-After"])) == (429, True)
    assert report(stranger, path, client="10.0.0.2").status_code == 200


def test_an_editor_sees_the_evidence_until_the_entry_is_verified(stranger, admin_client, nowak, path):
    report(stranger, path)
    report(stranger, path, "no_fuel", "10.0.0.2", "ewa@example.pl")
    evidence = "że tego składu nie ma, z 2 sieci komputerowych (", "nie sprzedaje opału: 1"
    page = admin_client.get(reverse("admin:catalog_depot_change", args=[nowak.pk]))
    expect(page, *evidence, "do zapytania: ewa@example.pl")
    queue = reverse("admin:catalog_depot_changelist") + "?queue=gone"
    assert list(context_of(admin_client, queue)["cl"].result_list) == [nowak]
    moderation.verify_depot(depot=nowak, by=factories.UserFactory(), on=timezone.localdate(stranger.clock.now))
    assert find_evidence(nowak) is None
    assert list(context_of(admin_client, queue)["cl"].result_list) == []
    stranger.clock.move(days=2)
    report(stranger, path, client="10.0.0.3")
    assert find_evidence(nowak)["networks"] == 1


def test_reports_are_deleted_in_time_and_with_their_depot(stranger, nowak, path):
    report(stranger, path)
    retention.purge_submissions(on=stranger.clock.now + retention.KEPT - timedelta(hours=1))
    assert GoneReport.objects.exists()
    retention.purge_submissions(on=stranger.clock.now + retention.KEPT)
    assert not GoneReport.objects.exists()
