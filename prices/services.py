"""Writing of prices, each operation one transaction at the moment `on`; rows are locked in the order of ids.

Ends with what the catalog calls when depots are merged, restored or erased.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Dataset, Decision, Depot, Submission
from catalog.services import journal
from catalog.services.journal import Outcome
from catalog.services.moderation import locked
from catalog.services.publishing import add_fuels, take_fuels_back
from catalog.submissions import letters, limits
from catalog.submissions.decisions import ReasonMissing
from catalog.text import one_line, short_zloty
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking
from prices.models import LONGEST_REASON, DepotPrice
from prices.snapshot import read_ranges
from prices.validation import InvalidPrice, PriceInput, describe_bag, find_doubts, unit_price

PUBLISHER = "cenniki składów i zgłoszenia czytelników"

LABELS = {DepotPrice.Status.APPROVED: "zatwierdzono ceny", DepotPrice.Status.REJECTED: "odrzucono ceny"}

PRICE_LIST = Decision.Kind.PRICE_LIST.label
"""Label of the decision on a price list, and reason in the history of its prices."""

WITHDRAWN = f"wycofano {PRICE_LIST}"

AS_SENT = "w zgłoszeniu"
"""Begins what an outcome says of the amount that its author sent, where an editor corrected it."""

PriceOutcome = tuple[str, str, str]
"""Decision about one price: fuel and value in words, and why it was refused, "" if accepted."""


UNPUBLISHED = "skład nie jest opublikowany"
"""Why a price is neither taken nor approved."""


class DuplicatePrice(InvalidPrice):
    """The depot already has a price of that fuel, day and origin, pending or approved."""


@transaction.atomic
def submit_price(
    *,
    depot: Depot,
    quote: PriceInput,
    origin: DepotPrice.Origin,
    submission: Submission | None = None,
    by: AbstractBaseUser | None,
    on: datetime,
) -> DepotPrice:
    """Store a price for moderation. by: None for a reader. Raises InvalidPrice, DuplicatePrice and DepotIsErased."""
    row = row_of(locked(depot), quote, origin, on)
    row.submission = submission
    save(row, by)
    return row


@transaction.atomic
def publish_price_list(
    *, quotes: Sequence[tuple[Depot, PriceInput]], by: AbstractBaseUser, on: datetime
) -> Decision | None:
    """Publish prices of lists, doubtful ones too, in fixed statements. Raises InvalidPrice, DuplicatePrice."""
    if not quotes:
        return None
    names = {depot.pk: depot.name for depot, _ in quotes}
    depots = locking(Depot.objects.filter(pk__in=among(names))).in_bulk()  # one may have been removed or merged since
    if len(depots) < len(names):
        raise InvalidPrice("jednego ze składów już nie ma")
    rows = [row_of(depots[depot.pk], quote, DepotPrice.Origin.PRICE_LIST, on) for depot, quote in quotes]
    title = f"{journal.titled(PRICE_LIST, names.values())} – ceny: {len(rows)}"
    with journal.recording(Decision.Kind.PRICE_LIST, by=by, on=on, title=title) as record:
        with refusing_duplicates("skład ma już jedną z tych cen: ktoś dodał ją przed chwilą"):
            DepotPrice.objects.bulk_create(rows, batch_size=1000)
        keys = [row.pk for row in rows]
        history.record_bulk(DepotPrice, keys, by=by, reason=PRICE_LIST, kind=history.CREATED)
        set_status(keys, DepotPrice.Status.APPROVED, "", PRICE_LIST, by=by, on=on)
        update_offers(keys, by=by, on=timezone.localdate(on), reason=PRICE_LIST)
        record.concern(Depot, names)
    return record.decision


def set_status(
    ids: Collection[int], status: DepotPrice.Status, reason: str, log: str, *, by: AbstractBaseUser | None, on: datetime
) -> None:
    """Decide prices, whose rows and depots the caller has locked. log: words of the history. The offers stay."""
    DepotPrice.objects.filter(pk__in=among(ids)).update(status=status, reason=reason, decided_at=on, decided_by=by)
    history.record_bulk(DepotPrice, ids, by=by, reason=log)
    record_prices(timezone.localdate(on))


def row_of(depot: Depot, quote: PriceInput, origin: DepotPrice.Origin, on: datetime) -> DepotPrice:
    """Return a pending price, not saved. Raises InvalidPrice."""
    price = unit_price(quote, timezone.localdate(on))
    if depot.publication != Depot.Publication.PUBLISHED:
        raise InvalidPrice(UNPUBLISHED)
    return DepotPrice(depot=depot, **asdict(quote) | {"price": price}, origin=origin, submitted_at=on)


@transaction.atomic
def approve_prices(
    *, prices: Iterable[DepotPrice], seen: bool = False, by: AbstractBaseUser, on: datetime
) -> Outcome[DepotPrice]:
    """Approve prices without obstacle, in a fixed number of statements.

    seen: whether the editor has seen the doubts about each.
    """
    chosen = _locked(prices)
    obstacles = find_approval_obstacles(chosen, timezone.localdate(on), seen=seen)
    return _decide(chosen, obstacles, DepotPrice.Status.APPROVED, "", by, on)


def find_approval_obstacles(prices: Sequence[DepotPrice], today: date, *, seen: bool = False) -> list[str]:
    """Return why each price cannot be approved with the others, "" for none. Two queries.

    Doubtful ones only alone, unless their doubts were `seen`. prices: with their depots.
    """
    in_bulk = len(prices) > 1 and not seen
    ranges = read_ranges() if in_bulk else {}
    rejected = [price.depot_id for price in prices if price.status == DepotPrice.Status.REJECTED]
    rows = DepotPrice.objects.standing().filter(depot__in=among(rejected))
    standing = set(rows.values_list("depot", "fuel", "day", "origin")) if rejected else set()

    def obstacle(price: DepotPrice) -> str:
        if price.status == DepotPrice.Status.APPROVED:
            return "zatwierdzone już wcześniej"
        if price.depot.publication != Depot.Publication.PUBLISHED:
            return UNPUBLISHED
        doubts = find_doubts(price.fuel, price.price, price.day, ranges, today) if in_bulk else ()
        if doubts:
            return f"{', '.join(doubts)}; zatwierdź osobno"
        if price.status == DepotPrice.Status.REJECTED:
            place = (price.depot_id, price.fuel, price.day, price.origin)
            if place in standing:
                return describe_duplicate(price.day)
            standing.add(place)
        return ""

    return [obstacle(price) for price in prices]


@transaction.atomic
def reject_prices(
    *, prices: Iterable[DepotPrice], reason: str, by: AbstractBaseUser, on: datetime
) -> Outcome[DepotPrice]:
    """Reject pending and approved prices, in a fixed number of statements. reason: cut. Raises ReasonMissing."""
    reason = one_line(reason, LONGEST_REASON)
    if not reason:
        raise ReasonMissing
    chosen = _locked(prices)
    obstacles = [why_not_rejected(price) for price in chosen]
    return _decide(chosen, obstacles, DepotPrice.Status.REJECTED, reason, by, on)


def why_not_rejected(price: DepotPrice) -> str:
    """Return why a price cannot be rejected, in Polish; "" where it can."""
    return "odrzucone już wcześniej" if price.status == DepotPrice.Status.REJECTED else ""


def _locked(prices: Iterable[DepotPrice]) -> list[DepotPrice]:
    """Return the stored prices with their depots, locked in the order of their ids. Three queries."""
    limits.wait_for_turn(limits.MERGING)
    rows = DepotPrice.objects.filter(pk__in=among([price.pk for price in prices]))
    lock_rows(Depot.objects.filter(pk__in=rows.values("depot")))  # everything that locks both locks the depots first
    return list(locking(rows.select_related("depot")))


def _decide(
    chosen: Sequence[DepotPrice],
    obstacles: Sequence[str],
    status: DepotPrice.Status,
    reason: str,
    by: AbstractBaseUser,
    on: datetime,
) -> Outcome[DepotPrice]:
    """Set the status of all prices without an obstacle: update, history, version, notifications."""
    changed = [price for price, why in zip(chosen, obstacles, strict=True) if not why]
    unchanged = [(price, why) for price, why in zip(chosen, obstacles, strict=True) if why]
    if not changed:
        return Outcome((), unchanged)
    keys = [price.pk for price in changed]
    title = describe_decided(changed, status)
    with journal.recording(Decision.Kind.PRICES, by=by, on=on, title=title, reason=reason) as record:
        log = f"{status.label}: {reason}" if reason else str(status.label)
        set_status(keys, status, reason, log, by=by, on=on)
        update_offers(keys, by=by, on=timezone.localdate(on), reason=LABELS[status])
        record.concern(Submission, notify_authors(changed, on))
        record.concern(Depot, {price.depot_id for price in changed})
        record.waiting_since += [price.submitted_at for price in changed if price.status == DepotPrice.Status.PENDING]
    return Outcome(changed, unchanged, record.decision)


def describe_decided(prices: Sequence[DepotPrice], status: DepotPrice.Status) -> str:
    """Return the title of a decision on prices. One query."""
    names = dict(Depot.objects.filter(pk__in=among({price.depot_id for price in prices})).values_list("pk", "name"))
    first = prices[0]
    worth = f"{fuels.BY_SLUG[first.fuel].name.lower()} {short_zloty(first.price)}/{first.unit}"
    what = worth if len(prices) == 1 else f"ceny: {len(prices)}"
    return f"{journal.titled(LABELS[status], names.values())} – {what}"


def notify_authors(decided: Sequence[DepotPrice], on: datetime) -> list[int]:
    """Notify readers once no price of a submission is pending. Returns ids of these submissions. Three statements."""
    numbers = {price.submission_id for price in decided if price.submission_id}
    outcomes: dict[int, list[PriceOutcome]] = {}
    waiting = set()
    for price in DepotPrice.objects.filter(submission__in=numbers).order_by("pk"):
        assert price.submission_id is not None  # noqa: S101 - by the filter
        if price.status == DepotPrice.Status.PENDING:
            waiting.add(price.submission_id)
        sent = f" ({AS_SENT} {short_zloty(price.sent_price)})" if price.sent_price else ""
        bag = f" ({describe_bag(price.bag_price, price.bag_kg)})" if price.bag_price and price.bag_kg else ""
        value = f"{short_zloty(price.price)}/{price.unit}{bag}, {price.day:%d.%m.%Y}{sent}"
        outcomes.setdefault(price.submission_id, []).append((fuels.BY_SLUG[price.fuel].name, value, price.reason))
    whole = {key: rows for key, rows in outcomes.items() if key not in waiting}
    record_price_outcomes(whole, on=on)
    return list(whole)


def record_price_outcomes(outcomes: Mapping[int, Sequence[PriceOutcome]], *, on: datetime) -> None:
    """Record decisions on all prices of submissions, by id; letters leave after the commit. Two statements.

    No letter leaves that would say what the last one said, as when a decision is undone before its letter has left.
    """
    if not outcomes:
        return
    rows = list(locking(Submission.objects.filter(pk__in=outcomes, erased_at__isnull=True)))
    for row in rows:
        decided = [*row.proposed.get("refused", []), *map(list, outcomes[row.pk])]
        last = row.proposed.get("told" if row.notification_pending else "outcomes")
        if row.letter_tried_at is not None:
            last = None  # a letter that is under way may say either
        row.proposed = row.proposed | {"outcomes": decided, "told": last}
        row.answered_at, row.notification_pending = on, decided != last
    Submission.objects.bulk_update(rows, ["proposed", "answered_at", "notification_pending"], batch_size=500)
    letters.send_soon()


@transaction.atomic
def withdraw_prices(*, submission: Submission, on: datetime) -> bool:
    """Delete the pending prices of a submission. Returns whether no other was decided, else notifies the author."""
    rows = list(locking(DepotPrice.objects.filter(submission=submission)))
    decided = [row for row in rows if row.status != DepotPrice.Status.PENDING]
    for row in rows:
        if row.status == DepotPrice.Status.PENDING:
            row.delete()
    if decided and len(decided) < len(rows):
        notify_authors(decided, on)
    return not decided


def record_prices(today: date | None) -> None:
    """Bump the version of the data set, and count the approved prices. Takes four statements."""
    # Offers and hours change with prices, before or after them: all lock the versions of both data sets in one order.
    lock_rows(Dataset.objects.filter(slug=Dataset.Slug.DEPOTS))
    Dataset.objects.bump_version(Dataset.Slug.PRICES, as_of=today, source=PUBLISHER)
    # Counted once the data set is locked, so that changes at the same time are in it.
    Dataset.objects.filter(slug=Dataset.Slug.PRICES).update(row_count=DepotPrice.objects.approved().count())


def save(price: DepotPrice, by: AbstractBaseUser | None, reason: str | None = None) -> None:
    """Save a price with its line of history. Raises DuplicatePrice."""
    with refusing_duplicates(describe_duplicate(price.day)):
        history.save(price, by=by, reason=reason)


def describe_duplicate(day: date) -> str:
    return f"skład ma już cenę tego paliwa z dnia {day:%d.%m.%Y} albo taka cena czeka na decyzję"


@contextmanager
def refusing_duplicates(message: str) -> Iterator[None]:
    """Turn a violation of `depotprice_once_a_day` into DuplicatePrice and roll the block back."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "depotprice_once_a_day" not in str(error):
            raise
        raise DuplicatePrice(message) from error


def update_offers(keys: Collection[int], *, by: AbstractBaseUser | None, on: date, reason: str) -> None:
    """Bring the offers in line with prices just decided, by ids of these, in a fixed number of statements.

    Approved ones add their fuels; those of others are taken back where no other price states them.
    """
    stated: defaultdict[int, dict[str, date]] = defaultdict(dict)
    unpriced = []
    columns = ("depot", "fuel", "status", "day")
    for depot, fuel, status, day in DepotPrice.objects.filter(pk__in=among(keys)).values_list(*columns):
        if status == DepotPrice.Status.APPROVED:
            stated[depot][fuel] = max(day, stated[depot].get(fuel, day))
        else:
            unpriced.append((depot, fuel))
    if stated:
        add_fuels(stated, by=by, on=on, reason=reason)
    if unpriced:
        _take_back(unpriced, by=by, on=on, reason=reason)


def _take_back(offers: Collection[tuple[int, str]], *, by: AbstractBaseUser | None, on: date, reason: str) -> None:
    """Take fuels back that no published price of the depot states any more. offers: ids of depots with a fuel."""
    unpriced: defaultdict[int, set[str]] = defaultdict(set)
    for depot, fuel in offers:
        unpriced[depot].add(fuel)
    approved = DepotPrice.objects.approved().filter(depot__in=among(unpriced)).order_by()
    for depot, fuel in approved.values_list("depot", "fuel").distinct():
        unpriced[depot].discard(fuel)
    take_fuels_back(unpriced, by=by, on=on, reason=reason)


def move_prices(loser: int, survivor: int, by: AbstractBaseUser, on: date) -> list[int]:
    """Move the prices of a merged depot to the survivor. Returns their ids.

    A price stays where the survivor has one of the same fuel, day and origin. It no longer counts, since its depot is
    not published. Published ones bring their fuels along, as far as the loser offered these.
    """
    reason = f"scalono skład {loser} z {survivor}"
    moved = _hand_over(DepotPrice.objects.filter(depot=loser), survivor, reason, by, on)
    offered = DepotPrice.objects.approved().filter(pk__in=among(moved), fuel__in=Depot.objects.get(pk=loser).fuels)
    update_offers(offered.values_list("pk", flat=True), by=by, on=on, reason=reason)
    return moved


def bring_prices_back(
    numbers: Collection[int], heirs: Collection[int], depot: int, by: AbstractBaseUser | None, on: date
) -> None:
    """Move prices back to a restored depot. numbers: ids of the prices. heirs: depots that may hold them now.

    Their fuels leave the offer of the survivor where no other price states them; the restored depot gains or loses
    those of prices that were decided meanwhile.
    """
    reason = f"przywrócono skład {depot}"
    earlier = DepotPrice.history.filter(id=OuterRef("pk"), depot=depot).order_by("-history_id")
    rows = DepotPrice.objects.filter(pk__in=numbers, depot__in=heirs).annotate(former=earlier.values("status")[:1])
    # A survivor that was merged since has its own prices elsewhere; its offer is looked at when it is restored.
    standing = rows.filter(depot__merged_into=None).values_list("pk", "depot", "fuel")
    places = {key: (place, fuel) for key, place, fuel in standing}
    decided = set(rows.exclude(former=F("status")).values_list("pk", flat=True))
    moved = _hand_over(rows, depot, reason, by, on)
    update_offers(decided.intersection(moved), by=by, on=on, reason=reason)
    priced = [(depot, fuel) for fuel in Depot.objects.get(pk=depot).fuels_priced]
    _take_back([*priced, *(places[key] for key in moved if key in places)], by=by, on=on, reason=reason)


def count_prices(depots: Collection[int]) -> int:
    """Return the number of approved and pending prices of some depots. One query."""
    return DepotPrice.objects.standing().filter(depot__in=among(depots)).count()


def _hand_over(rows: QuerySet[DepotPrice], to: int, reason: str, by: AbstractBaseUser | None, on: date) -> list[int]:
    """Move prices to a depot, except those it has already, with a line of history each. Returns the ids of moved ones.

    Four statements, one of which bumps the version of the data set.
    """
    candidates = rows.annotate(twin=match_twin(depot=to)).values_list("pk", "status", "twin")
    moving = [pk for pk, status, has_twin in candidates if not has_twin or status == DepotPrice.Status.REJECTED]
    if moving:
        DepotPrice.objects.filter(pk__in=moving).update(depot=to)
        history.record_bulk(DepotPrice, moving, by=by, reason=reason)
        record_prices(on)
    return moving


def match_twin(**place: Any) -> Exists:
    """Match prices with a twin: one of the same fuel, day and origin, not rejected, at their depot or at `depot`."""
    place = {name: OuterRef(name) for name in ("depot", "fuel", "day", "origin")} | place
    return Exists(DepotPrice.objects.standing().filter(**place))
