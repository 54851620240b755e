"""Starter data of prices: published official averages, and invented prices, the same on every machine."""

import csv
import hashlib
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

from catalog.depots.fuels import BY_SLUG, Fuel
from catalog.importers.records import Extract, Options, Report
from catalog.importers.runner import ImportStep
from catalog.models import Dataset, Depot
from fueldepot.data import history
from prices import medians
from prices.bdl import ObservationRecord
from prices.models import DepotPrice, Observation
from prices.sources import sync_series

OFFICIAL = Path(__file__).parent / "data" / "official.csv"
OFFICIAL_CREDIT = "GUS: Monitor Polski i Bank Danych Lokalnych, po części za źródłami wtórnymi"
DEMONSTRATION_CREDIT = "ceny demonstracyjne, zmyślone"

SEED = "fueldepot demonstration prices 1"

# By fuel: (months ago, zł), interpolated linearly; levels reported by the press in 2025 and 2026.
LEVELS: dict[str, tuple[tuple[int, int], ...]] = {
    "wegiel": ((25, 1350), (12, 1450), (0, 1500)),
    "ekogroszek": ((25, 1300), (14, 1400), (9, 1500), (0, 1520)),
    "wegiel-kostka": ((25, 1450), (9, 1600), (0, 1620)),
    "wegiel-orzech": ((25, 1350), (9, 1480), (0, 1520)),
    "wegiel-groszek": ((25, 1350), (9, 1550), (0, 1600)),
    "mial-weglowy": ((25, 950), (9, 1050), (0, 1080)),
    "pellet": ((25, 1000), (13, 1350), (10, 1700), (9, 2200), (5, 1900), (0, 1600)),
    "brykiet": ((25, 1250), (9, 1550), (0, 1500)),
    "drewno-kominkowe": ((25, 450), (9, 540), (0, 520)),
}

PRICED = 0.25

KEPT_UP = 0.35
"""Share of the months with a price, for such a depot."""

DAYS_APART = 30
STEPS = 25
DEPOT_SPREAD = 0.22
AREA_SPREAD = 0.08
PRICE_LIST_SHARE = 0.7
BAG_SHARE = 0.25
SLIP_SHARE = 0.004
HIGH_SHARE = 0.003
WAITING_SHARE = 0.004


def missing_steps() -> Iterator[ImportStep]:
    """Yield a step for the averages and one for the invented prices, where the table is empty."""
    present = set(Dataset.objects.values_list("slug", flat=True))
    if Dataset.Slug.SERIES not in present and not Observation.objects.exists():
        yield ImportStep(Dataset.Slug.SERIES, OFFICIAL_CREDIT, load_official, Observation.objects.all)
    # Removed demonstration data do not come back: their data set stays known.
    if Dataset.Slug.PRICES not in present and not DepotPrice.objects.exists():
        yield ImportStep(Dataset.Slug.PRICES, DEMONSTRATION_CREDIT, load_demonstration, DepotPrice.objects.approved)


def load_official(options: Options) -> Report:
    return sync_series(Extract(tuple(read_official())), options)


def read_official() -> Iterator[ObservationRecord]:
    """Yield the official averages of the file, from primary and secondary sources."""
    with OFFICIAL.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            yield ObservationRecord(row["series"], row["teryt"], int(row["year"]), Decimal(row["value"]), row["source"])


def load_demonstration(options: Options) -> Report:
    """Import invented prices of the demonstration depots over STEPS × DAYS_APART days, some of them implausible."""
    depots = Depot.objects.demonstration().published().order_by("pk")
    rows = [
        row
        for pk, source_id, fuels, area in depots.values_list("pk", "source_id", "fuels", "municipality_id")
        for row in prices_of(pk, source_id, fuels, area[:2], options.today)
    ]
    if options.write and rows:
        history.insert(DepotPrice, tuple(rows[0]), (tuple(row.values()) for row in rows))
        # Undoing a decision on a price restores what its history says it was before.
        every = list(DepotPrice.objects.values_list("pk", flat=True))
        reason = f"{history.IMPORTED}: {Depot.Source.DEMO.label}"
        history.record_bulk(DepotPrice, every, by=None, reason=reason, kind=history.CREATED)
    return Report("prices (demonstration)", as_of=options.today, added=len(rows))


def prices_of(pk: int, name: str, fuels: list[str], area: str, today: date) -> Iterator[dict[str, Any]]:
    """Yield the prices of one depot. name: seeds the draws, so that they do not depend on ids."""
    if roll(name, "priced") >= PRICED:
        return
    for slug in fuels:
        fuel = BY_SLUG[slug]
        own = 1 + DEPOT_SPREAD * (roll(name, slug) - 0.5) + AREA_SPREAD * (roll(area, slug) - 0.5)
        first = True
        for step in range(STEPS):
            who = f"{name}/{slug}/{step}"
            if not first and roll(who, "told") >= KEPT_UP:
                continue
            ago = step * DAYS_APART + math.floor(roll(who, "day") * DAYS_APART)
            yield price_row(pk, fuel, who, today - timedelta(ago), level(slug, ago / 30.4) * own, waiting=first)
            first = False


def price_row(depot_id: int, fuel: Fuel, who: str, day: date, amount: float, *, waiting: bool) -> dict[str, Any]:
    """Return one price. waiting: whether it may be pending."""
    slip, high = roll(who, "slip") < SLIP_SHARE, roll(who, "high") < HIGH_SHARE
    # A slip is a price per 100 kg; a high price is plausible, but an outlier.
    price = Decimal(round(amount * (0.1 if slip else 1.9 if high else 1), -1)).quantize(medians.GROSZ)
    bag_price = bag_kg = None
    if fuel.bag_kg is not None and roll(who, "bag") < BAG_SHARE:
        bag_kg = Decimal(fuel.bag_kg)
        bag_price = medians.bag_price(price, fuel.bag_kg)
        price = medians.per_tonne(bag_price, bag_kg)
    undecided = waiting and roll(who, "waiting") < WAITING_SHARE
    by_list = not undecided and roll(who, "origin") < PRICE_LIST_SHARE
    return {
        "depot_id": depot_id,
        "fuel": fuel.slug,
        "price": price,
        "unit": fuel.unit,
        "bag_price": bag_price,
        "bag_kg": bag_kg,
        "day": day,
        "origin": DepotPrice.Origin.PRICE_LIST.value if by_list else DepotPrice.Origin.SUBMISSION.value,
        "submitted_at": datetime.combine(day, time(9), UTC),
        "status": DepotPrice.Status.PENDING.value if undecided else DepotPrice.Status.APPROVED.value,
        "reason": "",
        "decided_at": None if undecided else datetime.combine(day, time(15), UTC),
    }


def level(slug: str, months_ago: float) -> float:
    """Return the price level of a fuel in zł, interpolated between the two surrounding points."""
    points = LEVELS[slug]
    for (earlier, before), (later, after) in pairwise(points):
        if months_ago >= later:
            share = (min(months_ago, earlier) - later) / (earlier - later)
            return after + (before - after) * share
    return points[-1][1]


def roll(who: str, what: str) -> float:
    """Return a deterministic pseudo-random number in [0, 1) for a name and a purpose."""
    return int.from_bytes(hashlib.sha256(f"{SEED}/{who}/{what}".encode()).digest()[:6], "big") / 2**48
