"""Hours and prices that owners publish by their link, without an editor: typed, confirmed for today, or from a file.

Each service is one transaction and one decision of the journal. It locks the depots first and reads the link after
that: the link may have been revoked, or a depot merged or removed, while it waited.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime

from django.db import transaction
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Decision, Depot, OwnerLink
from catalog.services import Refusal, journal
from catalog.submissions import owner_links
from catalog.text import short_zloty
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking
from prices import services
from prices.models import DepotPrice
from prices.services import update_offers
from prices.snapshot import read_ranges
from prices.validation import InvalidPrice, PriceInput, find_doubts


class NothingPublished(Refusal):
    reason = "Niczego nie zmieniono: godziny są takie same i nie ma nowej ceny."


class PricesChangedMeanwhile(Refusal):
    reason = "Ceny zmieniły się, odkąd otwarto tę stronę. Niczego nie zapisaliśmy: sprawdź je jeszcze raz."


@transaction.atomic
def publish_changes(
    *, token: str, depot: Depot, hours: Mapping[str, object], quotes: Sequence[tuple[Depot, PriceInput]], on: datetime
) -> Decision:
    """Publish changed hours of a depot, and prices of depots of the same owner, all or none. Returns the decision.

    hours: as `owner_links.change_hours` takes them, empty for unchanged ones. If the token is of a new link, the former
    one ends. The owners of the depots are told by a letter.

    Raises OwnerLinkInvalid, PricesChangedMeanwhile, NothingPublished, ValueRefused, and Refusal for an invalid price.
    """
    keys = {depot.pk, *(row.pk for row, _ in quotes)}
    link, branches = _locked(token, keys, on)
    with journal.recording(Decision.Kind.OWNER, by=None, on=on) as record:
        lines: dict[int, list[str]] = {}
        if hours and (changed := owner_links.change_hours(depot=branches[depot.pk].depot, values=hours, on=on)):
            lines[depot.pk] = [*changed]
        try:
            published = publish_prices(quotes=[(branches[row.pk].depot, quote) for row, quote in quotes], on=on)
        except InvalidPrice as error:
            raise Refusal(reason=f"Nie możemy przyjąć ceny: {error}.") from error
        for key, some in published.items():
            lines.setdefault(key, []).extend(some)
        if not lines:
            raise NothingPublished(link.pk)
        names = [branches[key].depot.name for key in lines]
        labels = dict.fromkeys(line.partition(":")[0] for some in lines.values() for line in some)
        record.title = f"{journal.titled('właściciel zmienił', names)} – {', '.join(labels)}"
        record.details["links"] = owner_links.links_to_tell(lines)
        record.concern(Depot, lines)
    assert record.decision is not None  # noqa: S101 - depots are named
    owner_links.end_former(link, token)
    owner_links.note_change(link=link, lines=lines, decision=record.decision, on=on)
    return record.decision


@transaction.atomic
def confirm_prices(*, token: str, prices: Collection[int], on: datetime) -> Decision:
    """Publish prices again, as of today. prices: ids of the newest ones, as the owner saw them.

    Raises OwnerLinkInvalid, PricesChangedMeanwhile, and Refusal for what is confirmed already, or not valid today.
    """
    chosen = DepotPrice.objects.filter(pk__in=among(prices))
    keys = set(chosen.values_list("depot", flat=True))
    link, branches = _locked(token, keys, on)
    today = timezone.localdate(on)
    rows = list(DepotPrice.objects.newest(today).filter(depot__in=among(keys)))
    if not keys or not set(prices) <= {row.pk for row in rows}:
        raise PricesChangedMeanwhile(link.pk)
    quotes = [(branches[row.depot_id].depot, _again(row, today)) for row in rows if row.pk in prices]
    try:
        return publish_changes(token=token, depot=quotes[0][0], hours={}, quotes=quotes, on=on)
    except NothingPublished:
        raise Refusal(reason="Ceny są już potwierdzone na dziś.") from None


def _again(price: DepotPrice, today: date) -> PriceInput:
    amount = price.price if price.bag_kg is None else None
    return PriceInput(price.fuel, today, price.unit, amount, price.bag_price, price.bag_kg)


def _locked(token: str, depots: Collection[int], on: datetime) -> tuple[OwnerLink, dict[int, OwnerLink]]:
    """Lock depots, and return the link of a token with the owner's links by depot.

    Raises OwnerLinkInvalid, and PricesChangedMeanwhile if another depot is no longer the owner's.
    """
    number = owner_links.read_link(token, on=on).depot_id
    lock_rows(Depot.objects.filter(pk__in=among({number, *depots})))
    link = owner_links.read_link(token, on=on)
    branches = owner_links.read_branches(link)
    if not branches.keys() >= set(depots):
        raise PricesChangedMeanwhile(link.pk)
    return link, branches


OWNERS_COLUMNS = ("price", "bag_price", "bag_kg", "submitted_at", "status", "decided_at", "decided_by")
"""Columns of a price that an owner replaces."""


@transaction.atomic
def publish_prices(*, quotes: Sequence[tuple[Depot, PriceInput]], on: datetime) -> dict[int, list[str]]:
    """Publish prices of an owner without moderation, all or none. Prices outside plausible ranges are refused.

    Replaces a price of the same fuel and day, also one that an editor entered. Returns a line for each change, by id of
    the depot. The number of statements does not depend on that of prices. Lock the depots before. Raises InvalidPrice.
    """
    ranges, today = read_ranges(), timezone.localdate(on)
    keys = among({depot.pk for depot, _ in quotes})
    lists = DepotPrice.objects.filter(depot__in=keys, origin=DepotPrice.Origin.PRICE_LIST)
    standing = lists.standing().filter(day__in={quote.day for _, quote in quotes})
    stored = {(row.depot_id, row.fuel, row.day): row for row in locking(standing)}
    newest = {(row.depot_id, row.fuel): row for row in DepotPrice.objects.newest(today).filter(depot__in=keys)}
    added: list[DepotPrice] = []
    replaced: list[DepotPrice] = []
    changes: dict[tuple[int, str, date], str] = {}
    for depot, quote in quotes:
        row, place = services.row_of(depot, quote, DepotPrice.Origin.PRICE_LIST, on), (depot.pk, quote.fuel, quote.day)
        if doubts := find_doubts(quote.fuel, row.price, quote.day, ranges, today):
            raise InvalidPrice(f"{fuels.BY_SLUG[quote.fuel].name}: {', '.join(doubts)}")
        former = stored.get(place)
        if former and former.status == DepotPrice.Status.APPROVED and former.price == row.price:
            continue
        row.pk = None if former is None else former.pk
        row.status, row.decided_at = DepotPrice.Status.APPROVED, on
        (added if former is None else replaced).append(row)
        changes[place] = describe_change(newest.get((depot.pk, quote.fuel)), row)
    DepotPrice.objects.bulk_create(added)
    DepotPrice.objects.bulk_update(replaced, OWNERS_COLUMNS)
    lines = history.record_bulk(
        DepotPrice, [row.pk for row in added], by=None, reason=history.OWNER, kind=history.CREATED
    )
    lines += history.record_bulk(DepotPrice, [row.pk for row in replaced], by=None, reason=history.OWNER)
    written = list(DepotPrice.history.filter(history_id__in=among(lines)))
    for line in written:
        line.history_change_reason = f"{history.OWNER}: {changes[line.depot_id, line.fuel, line.day]}"
    DepotPrice.history.bulk_update(written, ["history_change_reason"])
    if lines:
        services.record_prices(today)
        update_offers([row.pk for row in (*added, *replaced)], by=None, on=today, reason=history.OWNER)
    described: dict[int, list[str]] = {}
    for (depot_id, fuel, day), change in changes.items():
        described.setdefault(depot_id, []).append(f"{fuels.BY_SLUG[fuel].name}: {change} ({day:%d.%m.%Y})")
    return described


def describe_change(before: DepotPrice | None, price: DepotPrice) -> str:
    """Return what a new price changes on the page of its depot, in Polish. before: the newest one of the fuel there."""
    now = f"{short_zloty(price.price)}/{price.unit}"
    if before is None:
        return f"brak ceny → {now}"
    if before.day > price.day:  # the page goes on showing the newest price
        return f"{now}, na stronie zostaje nowsza {short_zloty(before.price)}"
    return f"bez zmian, {now}" if before.price == price.price else f"{short_zloty(before.price)} → {now}"
