"""Reports of readers that a depot is gone."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from catalog.models import Depot, GoneReport
from catalog.services.moderation import locked
from catalog.submissions import tokens
from catalog.submissions.intake import check_published
from catalog.submissions.limits import PER_NETWORK, PERIOD, TooManyRequests, wait_for_turn


@dataclass(frozen=True, slots=True)
class GoneEvidence:
    """The open reports about a depot. networks: they came from, as each counts once. reasons: with their numbers.

    last: time of the latest. emails: of readers who may be asked.
    """

    networks: int
    reasons: tuple[tuple[str, int], ...]
    last: datetime
    emails: tuple[str, ...]


@transaction.atomic
def report_gone(*, depot: Depot, reason: GoneReport.Reason, email: str, client: str, on: datetime) -> GoneReport:
    """Store a report; the next one of the same network about the same depot replaces it.

    email: "" for none. client: network address. Raises DepotIsRemoved, DepotIsHeld, and TooManyRequests after
    PER_NETWORK reports of a network in PERIOD.
    """
    client_hash = tokens.hash_client(client)
    wait_for_turn(client_hash)
    depot = locked(depot)
    check_published(depot)
    recent = GoneReport.objects.filter(client_hash=client_hash, created_at__gt=on - PERIOD).exclude(depot=depot)
    if recent.count() >= PER_NETWORK:
        raise TooManyRequests(on + PERIOD)
    values = {"reason": reason, "email": email, "created_at": on}
    report, _ = GoneReport.objects.update_or_create(depot=depot, client_hash=client_hash, defaults=values)
    return report


def find_evidence(depot: Depot) -> GoneEvidence | None:
    """Return what readers have reported since the depot was last verified, None without a report. One query."""
    reports = list(GoneReport.objects.open().filter(depot=depot).order_by("created_at"))
    if not reports:
        return None
    reasons = Counter(GoneReport.Reason(report.reason).label for report in reports)
    emails = tuple(report.email for report in reports if report.email)
    return GoneEvidence(len(reports), tuple(reasons.most_common()), reports[-1].created_at, emails)
