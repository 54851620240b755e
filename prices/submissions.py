"""Prices sent with submissions: how these store them, and services that write both, each in one transaction.

What the catalog calls when a decision is undone.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import OuterRef, Q
from django.utils import timezone
from django.utils.formats import date_format
from pydantic import TypeAdapter

from catalog.depots import fuels
from catalog.models import Dataset, Decision, Depot, Submission
from catalog.services import Refusal, journal
from catalog.services.editing import check_edit_version
from catalog.services.journal import UNDONE, Undoing
from catalog.services.undoing import reopen, restore_depots, store_reopened
from catalog.submissions import intake, limits
from catalog.submissions.decisions import PartDecision, decide
from catalog.submissions.field_groups import describe_decided
from catalog.text import short_zloty
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking
from prices import services
from prices.models import DepotPrice, PlausibleRange
from prices.services import WITHDRAWN, match_twin, record_prices, set_status, update_offers
from prices.snapshot import read_ranges
from prices.validation import InvalidPrice, PriceInput, describe_bag, find_doubts, unit_price

State = Submission.State


class NoPriceAccepted(Refusal):
    """Nothing of a visit is left to confirm, because its only prices are not acceptable."""

    title = "Nie możemy przyjąć tej ceny"


class PriceDecidedMeanwhile(Refusal):
    reason = "ktoś zdecydował już o jednej z tych cen; obejrzyj je jeszcze raz"


_json = TypeAdapter(PriceInput)


def price_to_json(price: PriceInput) -> dict[str, Any]:
    """Return a price for `Submission.proposed`; amounts as text, without loss."""
    return cast("dict[str, Any]", _json.dump_python(price, mode="json"))


def prices_from_json(proposed: Mapping[str, Any]) -> list[PriceInput]:
    """Return the prices of `Submission.proposed`; none once they were erased. A single price may stand alone."""
    return [_json.validate_python(row) for row in proposed.get("prices", [proposed] if "fuel" in proposed else [])]


def describe_price(price: PriceInput) -> tuple[str, str]:
    """Return the name of the fuel, and the price with its day, in Polish."""
    fuel = fuels.BY_SLUG[price.fuel]
    if price.price is not None:
        amount = f"{short_zloty(price.price)}/{fuel.unit}"
    else:
        amount = describe_bag(price.bag_price or Decimal(), price.bag_kg or Decimal())
    day = date_format(price.day).replace(" ", "\N{NO-BREAK SPACE}")
    return fuel.name, f"{amount}, {day}"


@transaction.atomic
def confirm_visit(*, token: str, on: datetime) -> Submission:
    """Confirm all submissions of a visit, and put their prices into the moderation queue.

    An invalid price does not prevent the others. Raises NoPriceAccepted, with nothing changed, if nothing else is left,
    and what `intake.confirm_submission` raises.
    """
    confirmed = intake.confirm_submission(token=token, on=on)
    parts = list(Submission.objects.of_visits([confirmed.pk]).select_related("depot").order_by("pk"))
    for part in parts:
        if part.kind == Submission.Kind.PRICE and part.state == State.PASSED_ON:
            _queue_prices(part, parts, on)
    return confirmed


def _queue_prices(submission: Submission, parts: Sequence[Submission], on: datetime) -> None:
    """Put the prices of a submission into the moderation queue; those sent with a claim beside those of readers.

    parts: of the visit.
    """
    assert submission.depot is not None  # noqa: S101 - a constraint of the table
    quotes = prices_from_json(submission.proposed)
    refused: list[services.PriceOutcome] = []
    is_owners = any(part.kind == Submission.Kind.CLAIM for part in parts)
    origin = DepotPrice.Origin.CLAIM if is_owners else DepotPrice.Origin.SUBMISSION
    where: dict[str, Any] = {"depot": submission.depot, "origin": origin}
    for quote in quotes:
        try:
            services.submit_price(**where, quote=quote, submission=submission, by=None, on=on)
        except InvalidPrice as error:
            refused.append((*describe_price(quote), f"{error}"))
    if not refused:
        return
    if len(refused) < len(quotes):
        submission.proposed = submission.proposed | {"refused": refused}
        submission.save(update_fields=["proposed"])
    elif len(parts) == 1:
        raise NoPriceAccepted(reason=f"Powód: {refused[0][-1]}. Dziękujemy za zgłoszenie.")
    else:
        services.record_price_outcomes({submission.pk: refused}, on=on)


@transaction.atomic
def decide_visit(
    *,
    parts: Sequence[PartDecision],
    prices: Mapping[int, bool],
    reason: str,
    corrected: Mapping[int, Decimal | None] | None = None,
    opened: int | None = None,
    by: AbstractBaseUser,
    on: datetime,
    **options: Any,
) -> tuple[int, Decision | None]:
    """Decide submissions of one author about one depot, with their prices, all or none.

    Returns how many were decided (of prices alone: prices), and the decision in the journal.

    prices: whether a pending price is accepted, by its id; the editor has seen the doubts about each. corrected: by id
    the amount per unit of the fuel, in zł, that replaces that of an accepted price. opened: `edit_version` of the depot
    that the editor saw, None not to compare. options: as `decide` takes them. The author gets one letter. Depots are
    locked first, then prices, then submissions. Each corrected price takes two statements more, and all one.

    Raises DepotEditConflict, PriceDecidedMeanwhile, ReasonMissing, what `decide` raises, and Refusal if nothing was
    chosen, for a corrected amount that is no possible price or not a plausible one, or for an accepted price of an
    entry that is, or is thereby, removed.
    """
    if not parts and not prices:
        raise Refusal(reason="wybierz, co przyjmujesz albo odrzucasz")
    limits.wait_for_turn(limits.MERGING)
    submissions = Submission.objects.filter(pk__in=[part.submission for part in parts])
    of_prices = DepotPrice.objects.filter(pk__in=prices)
    of_visit = Q(pk__in=submissions.values("depot")) | Q(pk__in=of_prices.values("depot"))
    lock_rows(Depot.objects.filter(of_visit))
    waiting = submissions.filter(state=State.WAITING, depot__isnull=False).select_related("depot").first()
    if opened is not None and waiting and waiting.depot:
        check_edit_version(waiting.depot, opened)  # before the prices add their fuels to the depot
    rows = list(locking(of_prices.pending()))
    if len(rows) < len(prices):
        raise PriceDecidedMeanwhile
    accepted, refused = ([row for row in rows if prices[row.pk] is choice] for choice in (True, False))
    changed = {row: change for row in accepted if (change := _correct(row, (corrected or {}).get(row.pk), on))}
    ranges = read_ranges() if changed else {}
    for row in changed:
        # The editor has seen the doubts about the day, but none about the amount that replaces the sent one.
        if doubts := find_doubts(row.fuel, row.price, row.day, ranges, today=row.day):
            raise Refusal(reason=f"poprawiona cena {short_zloty(row.price)}/{row.unit} jest {doubts[0]}")
    kind = Decision.Kind.SUBMISSION if parts else Decision.Kind.PRICES
    with journal.recording(kind, by=by, on=on, reason=reason) as record:
        for row, change in changed.items():
            services.save(row, by, f"poprawiono: {change}")
        # Before the prices, which add their fuels to those that a correction states.
        decided = decide(parts=parts, reason=reason, explained=bool(refused), by=by, on=on, **options).changed
        if accepted:
            for _, why in services.approve_prices(prices=accepted, seen=True, by=by, on=on).unchanged:
                raise Refusal(reason=f"ceny można tylko odrzucić albo zostawić na później: {why}")
        if refused:
            services.reject_prices(prices=refused, reason=reason, by=by, on=on)
        titles = [describe_decided(decided)] if decided else []
        titles += [f"Poprawiono: {'; '.join(changed.values())}"] if changed else []
        outcomes = (accepted, DepotPrice.Status.APPROVED), (refused, DepotPrice.Status.REJECTED)
        titles += [services.describe_decided(some, status) for some, status in outcomes if some]
        record.title = "; ".join(titles)
    of_prices_decided = {row.submission_id for row in rows} if parts else rows
    return len(decided) + len(of_prices_decided), record.decision


def _correct(price: DepotPrice, amount: Decimal | None, on: datetime) -> str:
    """Set another amount on a price without saving it. Returns the change in words, "" for none.

    The first amount is kept as sent, a bag only in the history. Raises Refusal for what is no possible price.
    """
    if amount is None or amount == price.price:
        return ""
    try:
        unit_price(PriceInput(price.fuel, price.day, price.unit, amount), timezone.localdate(on))
    except InvalidPrice as error:
        raise Refusal(reason=str(error)) from error
    change = f"{fuels.BY_SLUG[price.fuel].name.lower()} {short_zloty(price.price)} → {short_zloty(amount)}/{price.unit}"
    price.sent_price = price.sent_price or price.price
    price.price, price.bag_price, price.bag_kg = amount, None, None
    return change


@transaction.atomic
def withdraw(*, submission: Submission, on: datetime) -> None:
    """Withdraw a submission with its pending prices, as far as it is not decided."""
    lock_rows(Depot.objects.filter(submissions=submission.pk))
    # It may have been confirmed, or deleted, while this waited for the lock.
    stored = Submission.objects.filter(pk=submission.pk).first()
    if stored is None or (stored.state == State.PASSED_ON and not services.withdraw_prices(submission=stored, on=on)):
        return
    intake.withdraw_submission(submission=stored, on=on)


def undo_prices(undoing: Undoing) -> None:
    """Restore the state of the prices of a decision; those that it added are withdrawn. Two dozen statements.

    A price decided again since is left alone, as is a rejected one that another price has replaced. Submissions whose
    authors were notified wait for another decision, unless they were erased; authors of prices that were decided before
    hear of that decision again.
    """
    by, on = undoing.by, undoing.on
    spans = undoing.spans(DepotPrice)
    prices = DepotPrice.objects.filter(pk__in=among(spans))
    lock_rows(Depot.objects.filter(Q(pk__in=prices.values("depot")) | Q(pk__in=among(undoing.spans(Depot)))))
    lock_rows(prices)
    added = set(undoing.added(DepotPrice))
    reason = WITHDRAWN if undoing.decision.kind == Decision.Kind.PRICE_LIST else UNDONE
    restored: list[int] = []
    if added:
        restored += history.find_untouched(DepotPrice, [spans[key] for key in added], ignored=journal.UNCOMPARED)
        set_status(restored, DepotPrice.Status.REJECTED, reason, reason, by=by, on=on)
    undoing.changed[DepotPrice] += len(restored)
    if len(added) < len(spans):
        barred = {price.pk for price in find_replaced(undoing)}
        changed = [span for key, span in spans.items() if key not in barred and key not in added]
        again = history.restore(DepotPrice, changed)
        history.record_bulk(DepotPrice, again, by=by, reason=undoing.reason)
        record_prices(timezone.localdate(on))
        undoing.changed[DepotPrice] += len(again)
        restored += again
        _reopen(undoing)
        _tell_of_former(undoing, again)
    _undo_offers(undoing, restored, reason)
    undoing.left += prices.exclude(pk__in=among(restored)).select_related("depot").order_by("pk")


def find_replaced(undoing: Undoing) -> list[DepotPrice]:
    """Return the rejected prices of a decision that another price has replaced since. One query."""
    prices = DepotPrice.objects.filter(match_twin(), pk__in=among(undoing.spans(DepotPrice)))
    return list(prices.filter(status=DepotPrice.Status.REJECTED).select_related("depot").order_by("pk"))


def _undo_offers(undoing: Undoing, prices: Collection[int], reason: str) -> None:
    """Restore the offers of depots as they were before the decision; where prices have changed since, by these.

    prices: ids of the restored ones.
    """
    offers = undoing.spans(Depot)
    changed, stating = _find_changed(undoing, prices)
    if undoing.decision.kind in {Decision.Kind.PRICES, Decision.Kind.PRICE_LIST}:
        restored = restore_depots(undoing, offers.keys() - changed)
        if restored:
            Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
        changed |= offers.keys() - {*restored}
    else:  # the handler of depots has restored these
        changed |= {row.pk for row in undoing.left if isinstance(row, Depot)}
    rows = DepotPrice.objects.filter(pk__in=among(prices), depot__in=among(changed)).values_list("pk", flat=True)
    update_offers([*rows, *stating], by=undoing.by, on=timezone.localdate(undoing.on), reason=reason)


def _find_changed(undoing: Undoing, restored: Collection[int]) -> tuple[set[int], list[int]]:
    """Return the depots whose published prices have changed since the decision, and ids of such prices. One query.

    A price has changed if it is published elsewhere, or no longer, or was decided again. restored: ids of the prices
    that are as they were before it; they count where they have moved to another depot.
    """
    spans, approved = undoing.spans(DepotPrice), DepotPrice.Status.APPROVED
    until = max((span.last for span in spans.values()), default=0)
    then = DepotPrice.history.filter(id=OuterRef("pk"), history_id__lte=until).order_by("-history_id")
    own = DepotPrice.objects.filter(pk__in=among(spans)).values("depot")
    rows = DepotPrice.objects.filter(Q(depot__in=own) | Q(depot__in=among(undoing.spans(Depot))))
    columns = "pk", "depot", "status", then.values("depot")[:1], then.values("status")[:1]
    restored, depots, stating = {*restored}, set[int](), list[int]()
    for key, depot, status, former_depot, former_status in rows.values_list(*columns):
        is_restored = key in restored
        place = depot if is_restored or status == approved else None
        former_place = former_depot if is_restored or former_status == approved else None
        if place != former_place or (key in spans and not is_restored):
            depots |= {depot, former_depot or depot}
            if status == approved and not is_restored:
                stating.append(key)
    return depots, stating


def _reopen(undoing: Undoing) -> None:
    """Reopen the submissions that have a pending price again. At most three statements."""
    answered = Submission.objects.filter(erased_at__isnull=True, answered_at__isnull=False)
    pending = DepotPrice.objects.pending().filter(pk__in=among(undoing.spans(DepotPrice))).values("submission")
    pending_again = answered.filter(pk__in=pending)
    rows = list(locking(pending_again))
    for row in rows:
        reopen(row)
        row.answered_at = None
        row.proposed = {name: value for name, value in row.proposed.items() if name not in {"outcomes", "told"}}
    store_reopened(rows, undoing)


def _tell_of_former(undoing: Undoing, restored: Collection[int]) -> None:
    """Write to the authors of prices that are decided as before the decision undone. Four statements at most.

    restored: ids of prices.
    """
    decided = DepotPrice.objects.filter(pk__in=among(restored), submission__isnull=False)
    numbers = services.notify_authors(list(decided.exclude(status=DepotPrice.Status.PENDING)), undoing.on)
    authors = Submission.objects.filter(pk__in=numbers, notification_pending=True).values_list("email_hash", flat=True)
    undoing.letters |= {*authors}


def undo_ranges(undoing: Undoing) -> None:
    journal.restore_rows(PlausibleRange, undoing)
    record_prices(timezone.localdate(undoing.on))
