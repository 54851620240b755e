"""Prices that readers and owners send: how submissions store them, and services that write both.

Each service is one transaction, since the catalog's own services know no prices.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format

from catalog.depots import fuels
from catalog.models import Decision, Depot, OwnerLink, Submission
from catalog.services import journal
from catalog.services.editing import check_edit_version
from catalog.services.moderation import lock_depots
from catalog.services.refusal import Refusal
from catalog.submissions import intake, owner_links
from catalog.submissions.decisions import PartDecision, decide
from catalog.submissions.field_groups import describe_decided
from catalog.text import zloty
from prices import services
from prices.models import DepotPrice
from prices.snapshot import read_ranges
from prices.validation import InvalidPrice, PriceInput, find_doubts

State = Submission.State


class NoPriceAccepted(Refusal):
    """Nothing of a visit is left to confirm, because its only prices are not acceptable."""

    title = "Nie możemy przyjąć tej ceny"

    def __init__(self, why: str) -> None:
        self.reason = f"Powód: {why}. Dziękujemy za zgłoszenie."
        super().__init__(why)


class NothingPublished(Refusal):
    """The hours of an owner equal the stored ones, and there is no new price."""

    status = 400
    reason = "Niczego nie zmieniono: godziny są takie same i nie ma nowej ceny."


class NothingDecided(Refusal):
    """All submissions of a visit were left for later."""

    reason = "wybierz, co przyjmujesz albo odrzucasz"


class PriceDecidedMeanwhile(Refusal):
    """A price of the visit is not pending any more."""

    reason = "ktoś zdecydował już o jednej z tych cen; obejrzyj je jeszcze raz"


class OwnerPriceRefused(Refusal):
    """A price of an owner is not acceptable."""

    status = 400

    def __init__(self, why: str) -> None:
        self.reason = f"Nie możemy przyjąć ceny: {why}."
        super().__init__(why)


def price_to_json(price: PriceInput) -> dict[str, Any]:
    """Return a price for `Submission.proposed`; amounts as text, without loss."""
    amounts = {name: getattr(price, name) for name in ("price", "bag_price", "bag_kg")}
    texts = {name: None if amount is None else str(amount) for name, amount in amounts.items()}
    return {"fuel": price.fuel, "day": price.day.isoformat(), "unit": price.unit, **texts}


def prices_from_json(proposed: Mapping[str, Any]) -> list[PriceInput]:
    """Return the prices of `Submission.proposed`; none once they were erased. A single price may stand alone."""
    return [_price_from_json(one) for one in proposed.get("prices", [proposed] if "fuel" in proposed else [])]


def _price_from_json(one: Mapping[str, Any]) -> PriceInput:
    amounts = {name: None if one[name] is None else Decimal(one[name]) for name in ("price", "bag_price", "bag_kg")}
    return PriceInput(one["fuel"], date.fromisoformat(one["day"]), one["unit"], **amounts)


def describe_price(price: PriceInput) -> tuple[str, str]:
    """Return the name of the fuel, and the price with its day, in Polish."""
    fuel = fuels.BY_SLUG[price.fuel]
    if price.price is not None:
        amount = f"{zloty(float(price.price))} {fuels.PER_UNIT[fuel.unit]}"
    else:
        amount = f"worek {(price.bag_kg or Decimal()).normalize():f} kg za {zloty(float(price.bag_price or 0))}"
    day = date_format(price.day, "j E Y \\r.").replace(" ", "\N{NO-BREAK SPACE}")
    return fuel.name, f"{amount}, {day}"


@transaction.atomic
def confirm_visit(*, token: str, on: datetime) -> Submission:
    """Confirm all submissions of a visit, and put their prices into the moderation queue.

    An invalid price does not prevent the others. Raises NoPriceAccepted, with nothing changed, if nothing else is left,
    and what `intake.confirm_submission` raises.
    """
    confirmed = intake.confirm_submission(token=token, on=on)
    of_visit = Submission.objects.filter(Q(pk=confirmed.pk) | Q(visit=confirmed.pk)).order_by("pk")
    parts = list(of_visit.select_related("depot"))
    for part in parts:
        if part.kind == Submission.Kind.PRICE and part.state == State.PASSED_ON:
            _queue_prices(part, on, alone=len(parts) == 1)
    return confirmed


def _queue_prices(submission: Submission, on: datetime, *, alone: bool) -> None:
    """Put the prices of a submission into the moderation queue. alone: whether the visit has no other part."""
    assert submission.depot is not None  # noqa: S101 - a constraint of the table
    quotes = prices_from_json(submission.proposed)
    refused: list[services.PriceOutcome] = []
    for quote in quotes:
        origin = DepotPrice.Origin.SUBMISSION
        try:
            services.submit_price(
                depot=submission.depot, quote=quote, origin=origin, submission=submission, by=None, on=on
            )
        except InvalidPrice as error:
            refused.append((*describe_price(quote), f"{error}"))
    if not refused:
        return
    if len(refused) < len(quotes):
        submission.proposed = submission.proposed | {"refused": refused}
        submission.save(update_fields=["proposed"])
    elif alone:
        raise NoPriceAccepted(refused[0][-1])
    else:
        services.record_price_outcomes({submission.pk: refused}, on=on)


@transaction.atomic
def decide_visit(
    *,
    parts: Sequence[PartDecision],
    prices: Mapping[int, bool],
    reason: str,
    opened: int | None = None,
    by: AbstractBaseUser,
    on: datetime,
    **options: Any,
) -> tuple[int, Decision | None]:
    """Decide submissions of one author about one depot, with their prices, all or none.

    Returns how many were decided, and the decision in the journal.

    prices: whether a pending price is accepted, by its id; the editor has seen the doubts about each. opened and
    options: as `decide` takes them. The author gets one letter. Depots are locked first, then prices, then submissions.

    Raises NothingDecided, PriceDecidedMeanwhile, ReasonMissing and what `decide` raises.
    """
    if not parts and not prices:
        raise NothingDecided
    submissions = Submission.objects.filter(pk__in=[part.submission for part in parts])
    of_prices = DepotPrice.objects.filter(pk__in=prices)
    of_visit = Q(pk__in=submissions.values("depot")) | Q(pk__in=of_prices.values("depot"))
    lock_depots(Depot.objects.filter(of_visit))
    waiting = submissions.filter(state=State.WAITING, depot__isnull=False).select_related("depot").first()
    if opened is not None and waiting and waiting.depot:
        check_edit_version(waiting.depot, opened)  # before the prices add their fuels to the depot
    rows = list(of_prices.pending().select_for_update(of=("self",)).order_by("pk"))
    if len(rows) < len(prices):
        raise PriceDecidedMeanwhile
    ranges, today = read_ranges(), timezone.localdate(on)
    certain: list[DepotPrice] = []
    doubtful: list[DepotPrice] = []
    refused: list[DepotPrice] = []
    for row in rows:
        doubts = prices[row.pk] and find_doubts(row.fuel, row.price, row.day, ranges, today)
        (refused if not prices[row.pk] else doubtful if doubts else certain).append(row)
    with journal.recording(Decision.Kind.SUBMISSION, by=by, on=on, reason=reason) as record:
        for accepted in (certain, *([row] for row in doubtful)):  # a doubtful price is approved only alone
            if accepted:
                services.approve_prices(prices=accepted, by=by, on=on)
        if refused:
            services.reject_prices(prices=refused, reason=reason, by=by, on=on)
        decided = decide(parts=parts, reason=reason, explained=bool(refused), by=by, on=on, **options).changed
        titles = [describe_decided(decided)] if decided else []
        titles += [
            services.describe_decided(some, status)
            for some, status in (
                (certain + doubtful, DepotPrice.Status.APPROVED),
                (refused, DepotPrice.Status.REJECTED),
            )
            if some
        ]
        record.title = "; ".join(titles)
    return len(decided) + len({row.submission_id for row in rows}), record.decision


@transaction.atomic
def withdraw(*, submission: Submission, on: datetime) -> None:
    """Withdraw a submission with its pending prices, as far as it is not decided."""
    if submission.state == State.PASSED_ON and not services.withdraw_prices(submission=submission, on=on):
        return
    with suppress(intake.AlreadyClosed):
        intake.withdraw_submission(submission=submission, on=on)


@transaction.atomic
def publish_owner_changes(
    *, link: OwnerLink, token: str, hours: Mapping[str, object], quotes: Sequence[PriceInput], on: datetime
) -> None:
    """Publish the changed hours and prices of an owner, all or none; if the token is of a new link, end the former.

    hours: as `owner_links.change_hours` takes them, empty for unchanged ones. Raises NothingPublished and
    OwnerPriceRefused.
    """
    with journal.recording(Decision.Kind.OWNER, by=None, on=on) as record:
        lines = [*owner_links.change_hours(link=link, values=hours, on=on)] if hours else []
        try:
            lines += services.publish_owner_prices(depot=link.depot, quotes=quotes, on=on)
        except InvalidPrice as error:
            raise OwnerPriceRefused(str(error)) from error
        if not lines:
            raise NothingPublished(link.pk)
        record.title = f"Właściciel zmienił: {link.depot.name} – {', '.join(line.partition(':')[0] for line in lines)}"
        record.concern(Depot, [link.depot_id])
    owner_links.end_former(link, token)
    owner_links.note_change(link=link, lines=lines, on=on)
