"""What readers ask for: that somebody looks whether a depot is gone, and letters about a place or a price.

A subscription begins with a confirmed link and ends with its row; `pages.alerts` says what there is to write about.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import CharField, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from catalog.models import Decision, DecisionLine, Depot, GoneReport, Subscription, SubscriptionQuerySet
from catalog.services import Refusal
from catalog.services.editing import REPEAT
from catalog.services.moderation import locked
from catalog.submissions import letters, limits, tokens
from catalog.submissions.intake import check_published
from catalog.submissions.limits import (
    PER_NETWORK,
    PER_READER,
    PERIOD,
    TooManyRequests,
    hash_client,
    hash_mailbox,
    wait_for_turn,
)
from fueldepot.data.history import lock_rows


@transaction.atomic
def report_gone(*, depot: Depot, reason: GoneReport.Reason, email: str, client: str, on: datetime) -> GoneReport:
    """Store a report; the next one of the same network about the same depot replaces it.

    email: "" for none. client: network address. Raises DepotIsRemoved, DepotIsErased, and TooManyRequests after
    PER_NETWORK reports of a network in PERIOD.
    """
    client_hash = hash_client(client)
    wait_for_turn(client_hash)
    depot = locked(depot)
    check_published(depot)
    recent = GoneReport.objects.filter(client_hash=client_hash, created_at__gt=on - PERIOD).exclude(depot=depot)
    if recent.count() >= PER_NETWORK:
        raise TooManyRequests(on + PERIOD)
    values = {"reason": reason, "email": email, "created_at": on}
    report, _ = GoneReport.objects.update_or_create(depot=depot, client_hash=client_hash, defaults=values)
    return report


def open_reports() -> QuerySet[GoneReport]:
    """Return the reports that neither a check of their depots nor a restoring has answered.

    A check has a day; its decision has its moment.
    """
    of_depot = DecisionLine.objects.filter(model=Depot._meta.label_lower, key=Cast(OuterRef("depot"), CharField()))
    later = of_depot.filter(decision__decided_at__gte=OuterRef("created_at"))
    checked = later.filter(vouches__contains=["verified_at"])
    published = later.filter(decision__kind=Decision.Kind.PUBLISH, decision__undone_at=None)
    unanswered = Q(~Exists(checked), created_at__date__gte=F("depot__verified_at"))
    return GoneReport.objects.filter(Q(depot__verified_at=None) | unanswered).exclude(Exists(published))


def find_evidence(depot: Depot) -> dict[str, Any] | None:
    """Return what readers have reported since the depot was last verified, None without a report. One query.

    networks: they came from, as each counts once. reasons: with their numbers. last: time of the latest. emails: of
    readers who may be asked.
    """
    reports = list(open_reports().filter(depot=depot).order_by("created_at"))
    if not reports:
        return None
    return {
        "networks": len(reports),
        "reasons": Counter(GoneReport.Reason(report.reason).label for report in reports).most_common(),
        "last": reports[-1].created_at,
        "emails": [report.email for report in reports if report.email],
    }


class SubscriptionNotFound(Refusal):
    """The link is incomplete or older than its life, or the subscription has ended."""

    status, title = 404, "Odnośnik nie działa"
    reason = (
        f"Jest niepełny, ma więcej niż {limits.LINK_HOURS} godzin albo powiadomienia już się skończyły. Możesz "
        "poprosić o nie jeszcze raz."
    )
    onward, onward_label = "alerts", "Poproś o powiadomienia"


class TooManySubscriptions(Refusal):
    title = "Masz już bardzo wiele powiadomień"
    reason = f"Na jeden adres piszemy najwyżej w {PER_READER} sprawach. Zakończ którąś z nich i spróbuj jeszcze raz."


@transaction.atomic
def request_letters(*, email: str, client: str, teryt: str, fuel: str, voivodeship: str, on: datetime) -> None:
    """Store a subscription and have its link sent; the same for an address that has it already.

    A form sent twice within `REPEAT` from one network is one letter.

    teryt: "" for none. fuel, voivodeship: slug and 2 digits, both "" for none. Raises TooManyRequests after PER_NETWORK
    unconfirmed ones of a network in PERIOD. The letters of a mailbox are limited as all others are.
    """
    client_hash = hash_client(client)
    wait_for_turn(client_hash, hash_mailbox(email))
    columns = tokens.address(email) | {"teryt": teryt, "fuel": fuel, "voivodeship": voivodeship}
    recent = Subscription.objects.filter(client_hash=client_hash, confirmed_at=None, created_at__gt=on - PERIOD)
    if recent.filter(**columns, created_at__gt=on - REPEAT).exists():
        return
    if recent.count() >= PER_NETWORK:
        raise TooManyRequests(on + PERIOD)
    Subscription.objects.create(**columns, client_hash=client_hash, created_at=on)
    letters.send_soon()


def get_requested(token: str) -> Subscription:
    """Return the subscription of a link. Raises SubscriptionNotFound. One query."""
    try:
        return Subscription.objects.get(pk=tokens.SUBSCRIPTION.read(token))
    except (tokens.InvalidToken, Subscription.DoesNotExist):
        raise SubscriptionNotFound(None) from None


@transaction.atomic
def confirm_subscription(*, subscription: Subscription, content: Mapping[str, Any], on: datetime) -> None:
    """Confirm a subscription. content: what the pages say now. It takes the place of an equal confirmed one.

    The last letter to its address counts for its week, too.

    Raises TooManySubscriptions, and SubscriptionNotFound if it ended while this waited.
    """
    wait_for_turn(subscription.email_hash)
    lock_rows(Subscription.objects.filter(email_hash=subscription.email_hash))  # a letter may be leaving
    stored = Subscription.objects.filter(pk=subscription.pk).first()
    if stored is None:
        raise SubscriptionNotFound(None)
    confirmed = Subscription.objects.confirmed().filter(email_hash=stored.email_hash)
    others = confirmed.exclude(pk=stored.pk)
    about = {name: getattr(stored, name) for name in ("teryt", "fuel", "voivodeship")}
    equal = others.filter(**about).first()
    if equal is None and others.count() >= PER_READER:
        raise TooManySubscriptions
    values: dict[str, Any] = {"confirmed_at": on, "asked_at": None, "client_hash": ""}
    values |= confirmed.aggregate(sent_at=Max("sent_at"))
    if equal is not None:
        values["content"] = equal.content
        equal.delete()
    elif stored.confirmed_at is None:
        values["content"] = dict(content)
    Subscription.objects.filter(pk=stored.pk).update(**values)


def of_reader(token: str) -> SubscriptionQuerySet:
    """Return what the address of a token has asked for, also unconfirmed. Raises SubscriptionNotFound."""
    email_hash = tokens.READER.read(token, SubscriptionNotFound(None))
    return Subscription.objects.filter(email_hash=email_hash).order_by("pk")
