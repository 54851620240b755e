"""What people do to prices. Admin, forms, imports and commands all call these; each is one transaction.

`on` is the moment of the act. Changes of several prices lock them in the order of their numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from catalog import fuels, history
from catalog.bulk import among
from catalog.models import Dataset, Depot
from fueldepot.data import versions
from prices import medians, wording
from prices.medians import Range
from prices.models import DepotPrice, PlausibleRange
from prices.snapshot import read_ranges

PUBLISHER = "cenniki składów i zgłoszenia czytelników"

LARGEST = Decimal(100_000)
"""No price is larger: beyond it is a slip of the pen that the column could not hold."""

PRICE_LIST = "cennik z pliku"
"""What the history says of a price that came in a file."""


class PriceRefused(Exception):
    """A price cannot be taken as given; the message says why, in Polish, for whoever gave it."""


class DuplicatePrice(PriceRefused):
    """The depot already has a price of that fuel, day and origin, waiting or approved."""


class PriceAlreadyDecided(Exception):
    """The price is in the wanted state already."""


class ReasonMissing(Exception):
    """A rejection has to say why."""


class RangeRefused(Exception):
    """The ends of a plausible range are not positive or not in order."""


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody says a depot asks. Either `price` per unit of the fuel, or `bag_price` and `bag_kg`."""

    fuel: str
    day: date
    unit: str
    price: Decimal | None = None
    bag_price: Decimal | None = None
    bag_kg: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of several prices at once. unchanged: with the reason in Polish."""

    changed: tuple[DepotPrice, ...]
    unchanged: tuple[tuple[DepotPrice, str], ...]


@transaction.atomic
def submit_price(
    *, depot: Depot, quote: Quote, origin: DepotPrice.Origin, by: AbstractBaseUser | None, on: datetime
) -> DepotPrice:
    """Take a price in for moderation. by: the editor, None for a reader. Raises PriceRefused and DuplicatePrice."""
    row = _row_of(depot, quote, origin, on)
    if DepotPrice.objects.standing(depot, quote.fuel, quote.day, origin).exists():
        raise DuplicatePrice(f"skład ma już cenę tego paliwa z dnia {quote.day}")
    save(row, by)
    return row


@transaction.atomic
def publish_price_list(
    *, quotes: Sequence[tuple[Depot, Quote]], by: AbstractBaseUser, on: datetime
) -> list[DepotPrice]:
    """Take prices of price lists in and approve them: all or none, in as many statements as for one.

    Doubtful ones too: the caller has shown them. Raises PriceRefused and DuplicatePrice.
    """
    rows = [_row_of(depot, quote, DepotPrice.Origin.PRICE_LIST, on) for depot, quote in quotes]
    if not rows:
        return rows
    try:
        with transaction.atomic():
            DepotPrice.objects.bulk_create(rows, batch_size=1000)
    except IntegrityError as error:
        if "depotprice_once_a_day" not in str(error):
            raise
        raise DuplicatePrice("skład ma już jedną z tych cen: ktoś dodał ją przed chwilą") from error
    keys = [row.pk for row in rows]
    history.record(DepotPrice, keys, by=by, reason=PRICE_LIST, kind=history.ADDED)
    decision = {"status": DepotPrice.Status.APPROVED, "decided_at": on, "decided_by": by}
    DepotPrice.objects.filter(pk__in=keys).update(**decision)
    history.record(DepotPrice, keys, by=by, reason=PRICE_LIST)
    record_prices(timezone.localdate(on), approved=len(rows))
    return rows


def _row_of(depot: Depot, quote: Quote, origin: DepotPrice.Origin, on: datetime) -> DepotPrice:
    """A price that waits, not saved yet. Raises PriceRefused."""
    price = price_of(quote, timezone.localdate(on))
    if depot.publication != Depot.Publication.PUBLISHED:
        raise PriceRefused("skład nie jest opublikowany")
    return DepotPrice(
        depot=depot,
        fuel=quote.fuel,
        price=price,
        unit=quote.unit,
        bag_price=quote.bag_price,
        bag_kg=quote.bag_kg,
        day=quote.day,
        origin=origin,
        submitted_at=on,
    )


def price_of(quote: Quote, today: date) -> Decimal:
    """The price per unit that a quote states. Raises PriceRefused."""
    fuel = fuels.BY_SLUG.get(quote.fuel)
    if fuel is None:
        raise PriceRefused(f"nieznane paliwo {quote.fuel}; podaj jedno z: {', '.join(fuels.BY_SLUG)}")
    if quote.unit != fuel.unit:
        raise PriceRefused(f"{fuel.name}: jednostką jest {fuel.unit}, nie {quote.unit}; cen nie przeliczamy")
    if quote.day > today:
        raise PriceRefused(f"dzień {quote.day} jeszcze nie nadszedł")
    if not all(amount is None or amount.is_finite() for amount in (quote.price, quote.bag_price, quote.bag_kg)):
        raise PriceRefused("cena i waga muszą być liczbami")
    by_bag = quote.bag_price is not None or quote.bag_kg is not None
    if by_bag == (quote.price is not None):
        raise PriceRefused("podaj albo cenę za jednostkę, albo cenę i wagę worka")
    if quote.price is not None:
        price = quote.price
    else:
        if quote.bag_price is None or quote.bag_kg is None:
            raise PriceRefused("do ceny worka podaj jego wagę, a do wagi cenę")
        if fuel.unit != "t":
            raise PriceRefused(f"{fuel.name}: ceny worka nie da się przeliczyć; podaj cenę za {wording.PER[fuel.unit]}")
        if not 0 < quote.bag_kg <= 1000 or quote.bag_price <= 0:
            raise PriceRefused("cena worka musi być dodatnia, a waga większa od 0 i nie większa niż 1000 kg")
        if any(amount != medians.rounded(amount) for amount in (quote.bag_price, quote.bag_kg)):
            raise PriceRefused("cenę worka podaj z dokładnością do grosza, a wagę do dwóch miejsc po przecinku")
        price = medians.per_tonne(quote.bag_price, quote.bag_kg)
    if not 0 < price < LARGEST or price != medians.rounded(price):
        raise PriceRefused(
            f"cena {price} nie jest dodatnią kwotą poniżej {LARGEST} zł, podaną z dokładnością do grosza"
        )
    return price


def find_doubts(fuel: str, price: Decimal, day: date, ranges: Mapping[str, Range], today: date) -> tuple[str, ...]:
    """Why a price should not be published unseen, in Polish; empty where nothing is odd. ranges: by fuel."""
    doubts = []
    plausible = ranges.get(fuel)
    if plausible is not None and not plausible.low <= price <= plausible.high:
        low, high, unit = wording.exact(plausible.low), wording.exact(plausible.high), fuels.BY_SLUG[fuel].unit
        doubts.append(f"poza wiarygodnym przedziałem {low}–{high} zł/{unit}")
    if day < medians.window_start(today):
        doubts.append(f"starsza niż {medians.WINDOW_MONTHS} miesięcy")
    return tuple(doubts)


def approve_price(*, price: DepotPrice, by: AbstractBaseUser, on: datetime) -> DepotPrice:
    """Let a price count; a rejected one too. Raises PriceAlreadyDecided and DuplicatePrice."""
    with transaction.atomic():
        stored = _approve(price, by, on)
        record_prices(timezone.localdate(on), approved=1)
    return stored


def reject_price(*, price: DepotPrice, reason: str, by: AbstractBaseUser, on: datetime) -> DepotPrice:
    """Let a price not count; an approved one is taken back out. Raises PriceAlreadyDecided and ReasonMissing."""
    with transaction.atomic():
        stored, counted = _reject(price, reason, by, on)
        record_prices(timezone.localdate(on), approved=-counted)
    return stored


def approve_prices(*, prices: Iterable[DepotPrice], by: AbstractBaseUser, on: datetime) -> Decided:
    """Approve all that can be, in as many statements as for one.

    Those that cannot be are named, and bar none of the others. Among several a doubtful price is not approved, since
    nobody may have looked at it; alone it is. Raises DuplicatePrice, with nothing changed, when one is submitted at the
    same moment that bars a rejected one.
    """
    with transaction.atomic():
        chosen = _locked(prices)
        obstacles = find_approval_obstacles(chosen, timezone.localdate(on))
        return _decide(chosen, obstacles, DepotPrice.Status.APPROVED, "", by, on)


def find_approval_obstacles(prices: Sequence[DepotPrice], today: date) -> list[str]:
    """Return why each of the prices is not approved together with the others, in Polish, "" where it is.

    Among several a doubtful price is not. Two queries at most.
    """
    ranges = read_ranges() if len(prices) > 1 else {}
    rejected = [price.depot_id for price in prices if price.status == DepotPrice.Status.REJECTED]
    rows = DepotPrice.objects.filter(depot__in=among(rejected)).exclude(status=DepotPrice.Status.REJECTED)
    standing = set(rows.values_list("depot", "fuel", "day", "origin")) if rejected else set()

    def obstacle(price: DepotPrice) -> str:
        if price.status == DepotPrice.Status.APPROVED:
            return "zatwierdzone już wcześniej"
        doubts = find_doubts(price.fuel, price.price, price.day, ranges, today) if len(prices) > 1 else ()
        if doubts:
            return f"{', '.join(doubts)}; zatwierdź osobno"
        if price.status == DepotPrice.Status.REJECTED:
            place = (price.depot_id, price.fuel, price.day, price.origin)
            if place in standing:
                return f"skład ma już cenę tego paliwa z dnia {price.day}"
            standing.add(place)
        return ""

    return [obstacle(price) for price in prices]


def reject_prices(*, prices: Iterable[DepotPrice], reason: str, by: AbstractBaseUser, on: datetime) -> Decided:
    """Reject all that are not rejected yet, in as many statements as for one. Raises ReasonMissing."""
    if not reason.strip():
        raise ReasonMissing

    with transaction.atomic():
        chosen = _locked(prices)
        obstacles = [why_not_rejected(price) for price in chosen]
        return _decide(chosen, obstacles, DepotPrice.Status.REJECTED, reason.strip(), by, on)


def why_not_rejected(price: DepotPrice) -> str:
    """Return why a price cannot be rejected, in Polish, "" where it can."""
    return "odrzucone już wcześniej" if price.status == DepotPrice.Status.REJECTED else ""


def change_range(*, fuel: str, low: Decimal, high: Decimal, by: AbstractBaseUser, on: datetime) -> PlausibleRange:
    """Set the plausible range of a fuel, ends included. Raises RangeRefused."""
    if not 0 < low <= high < LARGEST:
        raise RangeRefused(f"przedział od {low} do {high} zł nie jest dodatni i rosnący")
    with transaction.atomic():
        stored = PlausibleRange.objects.filter(pk=fuel).first() or PlausibleRange(fuel=fuel)
        stored.low, stored.high = low, high
        stored._history_user = by  # type: ignore[attr-defined] # read by simple-history
        stored.save()
        record_prices(timezone.localdate(on))
    return stored


def _locked(prices: Iterable[DepotPrice]) -> list[DepotPrice]:
    """Prices as they are now, locked in the order of their numbers. One query."""
    rows = DepotPrice.objects.select_for_update(of=("self",))
    return list(rows.filter(pk__in=among([price.pk for price in prices])).order_by("pk"))


def _decide(
    chosen: Sequence[DepotPrice],
    obstacles: Sequence[str],
    status: DepotPrice.Status,
    reason: str,
    by: AbstractBaseUser,
    on: datetime,
) -> Decided:
    """Set the status of all prices that have no obstacle: update, history, version."""
    changed, unchanged = [], []
    for price, why in zip(chosen, obstacles, strict=True):
        if why:
            unchanged.append((price, why))
        else:
            changed.append(price)
    if changed:
        keys = [price.pk for price in changed]
        with refusing_duplicates("skład ma już jedną z tych cen: ktoś dodał ją przed chwilą"):
            DepotPrice.objects.filter(pk__in=among(keys)).update(
                status=status, reason=reason, decided_at=on, decided_by=by
            )
        history.record(DepotPrice, keys, by=by, reason=status.label)
        counted = sum(price.status == DepotPrice.Status.APPROVED for price in changed)
        count = len(changed) if status == DepotPrice.Status.APPROVED else 0
        record_prices(timezone.localdate(on), approved=count - counted)
    return Decided(tuple(changed), tuple(unchanged))


def _approve(price: DepotPrice, by: AbstractBaseUser, on: datetime) -> DepotPrice:
    stored = DepotPrice.objects.select_for_update(of=("self",)).get(pk=price.pk)
    if stored.status == DepotPrice.Status.APPROVED:
        raise PriceAlreadyDecided(stored.pk)
    stored.status, stored.reason = DepotPrice.Status.APPROVED, ""
    stored.decided_at, stored.decided_by_id = on, by.pk
    save(stored, by)
    return stored


def _reject(price: DepotPrice, reason: str, by: AbstractBaseUser, on: datetime) -> tuple[DepotPrice, bool]:
    """Reject a price. Returns it, and whether it counted before."""
    if not reason.strip():
        raise ReasonMissing
    stored = DepotPrice.objects.select_for_update(of=("self",)).get(pk=price.pk)
    if stored.status == DepotPrice.Status.REJECTED:
        raise PriceAlreadyDecided(stored.pk)
    counted = stored.status == DepotPrice.Status.APPROVED
    stored.status, stored.reason = DepotPrice.Status.REJECTED, reason.strip()
    stored.decided_at, stored.decided_by_id = on, by.pk
    save(stored, by)
    return stored, counted


def record_prices(today: date, *, approved: int = 0) -> None:
    """Note that prices changed, in the transaction of the change. approved: how many more of them count now."""
    versions.bump_version(Dataset.Slug.PRICES, as_of=today, source=PUBLISHER)
    Dataset.objects.filter(slug=Dataset.Slug.PRICES).update(row_count=F("row_count") + approved)


def save(price: DepotPrice, by: AbstractBaseUser | None) -> None:
    """Write a price with its line of history. Raises DuplicatePrice where another one stands in its place."""
    price._history_user = by  # type: ignore[attr-defined] # read by simple-history
    with refusing_duplicates(f"skład ma już cenę tego paliwa z dnia {price.day}"):
        price.save()


@contextmanager
def refusing_duplicates(message: str) -> Iterator[None]:
    """Raise DuplicatePrice, with the writes of the block undone, where another price stands in the place of one."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "depotprice_once_a_day" not in str(error):
            raise
        raise DuplicatePrice(message) from error
