"""Medians: any prices in columns beside a plain count of their rows, and cases calculated by hand up to the answer."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.depots import fuels
from fueldepot.data.yaml_reader import read_yaml
from prices import medians, services, validation
from prices.medians import Range
from prices.models import DepotPrice
from prices.snapshot import Prices
from tests import factories
from tests.memory import is_freed_at_once
from tests.prices.helpers import ask
from tests.yaml_files import AnyContent

TODAY = date(2026, 11, 21)
RANGES = {"pellet": Range(Decimal(600), Decimal(4000))}


class Price(NamedTuple):
    """An approved price. area: voivodeship, 2 digits."""

    id: int
    depot: int
    fuel: str
    area: str
    day: date
    amount: Decimal
    price_list: bool
    demonstration: bool = False


def precedence(price):
    """Return the sort key of prices of one depot, fuel and day; the greatest counts. Stored are two at most."""
    return price.price_list, price.id


def columns_of(prices):
    rows = sorted(prices, key=lambda price: (price.depot, price.day, precedence(price)))
    names = tuple(dict.fromkeys(price.fuel for price in rows))
    return medians.PriceColumns(
        names,
        np.array([price.depot for price in rows], np.int64),
        np.array([names.index(price.fuel) for price in rows], np.int32),
        np.array([int(price.area) for price in rows], np.int32),
        np.array([price.day.toordinal() for price in rows], np.int32),
        np.array([int(price.amount * 100) for price in rows], np.int64),
        np.array([price.price_list for price in rows], bool),
        np.array([price.demonstration for price in rows], bool),
    )


def count_row_by_row(prices, today):
    """The statistics of prices. Fences and quartiles of amounts are those of `medians`, which are tried apart."""
    start, first_month = medians.months_before(today, medians.WINDOW_MONTHS), medians.months_start(today)
    known = [price for price in prices if first_month <= price.day <= today]
    plausible = [price for price in known if price.fuel not in RANGES or 600 <= price.amount <= 4000]
    considered, counted = ([price for price in rows if price.day >= start] for rows in (known, plausible))
    newest = by_depot(counted)
    fences = medians.tukey_fences(int(price.amount * 100) for price in newest)
    accepted = [price for price in newest if fences is None or fences.low <= price.amount <= fences.high]
    months = {f"{price.day:%Y-%m}": [] for price in sorted(plausible, key=lambda price: price.day)}
    for price in plausible:
        months[f"{price.day:%Y-%m}"].append(price)
    summaries = {month: summarise(by_depot(own)) for month, own in months.items()}
    areas = sorted({price.area for price in accepted})
    return medians.PriceStatistics(
        start=start,
        end=today,
        considered=len(considered),
        implausible=len(considered) - len(counted),
        superseded=len(counted) - len(newest),
        outliers=len(newest) - len(accepted),
        accepted=tuple(sorted(int(price.amount * 100) for price in accepted)),
        price_lists=sum(price.price_list for price in accepted),
        fences=fences,
        country=summarise(accepted),
        voivodeships={area: summarise([price for price in accepted if price.area == area]) for area in areas},
        months=tuple(medians.Month(month, s.median, s.n) for month, s in summaries.items() if s.median is not None),
        demonstration=any(price.demonstration for price in known),
    )


def by_depot(prices):
    """The one price by which each depot counts: the median of its newest ones of a day, one of each fuel."""
    rows = []
    for depot in sorted({price.depot for price in prices}):
        own = sorted((price for price in prices if price.depot == depot), key=precedence)
        last = max(price.day for price in own)
        newest = list({price.fuel: price for price in own if price.day == last}.values())
        values = {name: any(getattr(price, name) for price in newest) for name in ("price_list", "demonstration")}
        rows.append(newest[0]._replace(amount=medians.rounded(median(price.amount for price in newest)), **values))
    return rows


def summarise(rows):
    summary = medians.summarise(int(price.amount * 100) for price in rows)
    return summary._replace(demonstration=any(price.demonstration for price in rows))


def price(number, amount, *, depot=None, fuel="pellet", area="12", days=0, price_list=True, **more):
    own = number if depot is None else depot
    return Price(number, own, fuel, area, TODAY - timedelta(days), Decimal(amount), price_list, **more)


AMOUNTS = st.integers(1, 500_000).map(lambda grosze: Decimal(grosze) / 100)
PRICES = st.lists(
    st.builds(
        Price,
        id=st.integers(1, 1_000_000),
        depot=st.integers(1, 20),
        fuel=st.sampled_from(["pellet", "brykiet"]),
        area=st.just("12"),
        day=st.integers(0, 800).map(lambda days: TODAY - timedelta(days)),
        amount=AMOUNTS,
        price_list=st.booleans(),
        demonstration=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda price: price.id,
)


@given(st.lists(AMOUNTS, min_size=medians.FEWEST_FOR_MEDIAN, max_size=40))
def test_quartiles_and_fences_are_those_of_the_standard_library(amounts):
    first, middle, third = quantiles(amounts, n=4, method="inclusive")
    grosze, reach = [int(amount * 100) for amount in amounts], medians.FENCE * (third - first)
    assert medians.summarise(grosze)[1:4] == tuple(map(medians.rounded, (middle, first, third)))
    if len(amounts) >= medians.FEWEST_FOR_FENCES:
        assert medians.tukey_fences(grosze) == (first - reach, third + reach)


def test_months_before():
    for day, months, expected in (
        ((2026, 11, 21), 6, (2026, 5, 21)),
        ((2026, 8, 31), 6, (2026, 2, 28)),
        ((2028, 8, 31), 6, (2028, 2, 29)),
        ((2028, 8, 29), 6, (2028, 2, 29)),
        ((2026, 12, 31), 6, (2026, 6, 30)),
        ((2026, 3, 31), 6, (2025, 9, 30)),
        ((2026, 1, 1), 1, (2025, 12, 1)),
        ((2024, 2, 29), 12, (2023, 2, 28)),
        ((2026, 12, 1), 23, (2025, 1, 1)),
    ):
        assert medians.months_before(date(*day), months) == date(*expected)


STEPS = [
    price(0, 1200, area="14"),  # areas are in the order of their codes, not of the depots
    price(1, 1000, days=9),
    price(2, 1200, depot=1),  # takes the place of the one before
    price(3, 15),  # implausible
    price(12, 16),
    *(price(number, 1200) for number in range(4, 10)),
    price(10, 3900),  # beyond the fences
    price(11, 1000, days=200),  # before the window
    price(13, 1000, days=-1),  # of tomorrow
]


OF_SEVERAL_FUELS = [
    price(1, 1500, depot=1, price_list=False),
    price(2, 1200, depot=1, fuel="brykiet"),
    price(3, 1300, depot=1, fuel="wegiel", price_list=False, demonstration=True),
]


@example(OF_SEVERAL_FUELS, TODAY)
@example(STEPS, TODAY)
@given(PRICES, st.integers(0, 400).map(lambda days: TODAY - timedelta(days)))
def test_columns_give_what_counting_row_by_row_gives(prices, today):
    figures, expected = medians.compute(columns_of(prices), RANGES, today), count_row_by_row(prices, today)
    assert (figures, [*figures.voivodeships]) == (expected, [*expected.voivodeships])


def test_statistics_of_replaced_prices_are_freed_at_once():
    def use():
        prices = Prices(columns_of(price(number, 1000) for number in range(5)), RANGES)
        assert prices.figures("pellet", TODAY).country.n == len(prices.months_of_areas("pellet", TODAY)["12"]) * 5 == 5
        assert [listed.price for listed in prices.price_list(3, TODAY)] == [1000]
        return prices

    assert is_freed_at_once(use)


FILE = Path(__file__).parent / "cases.yaml"
CASES = read_yaml(FILE, AnyContent).root


def depots_of(case):
    """Create the depots of a case by short name: k in Małopolskie, w in Mazowieckie."""
    towns = {"k": factories.krakow(), "w": factories.warszawa()}
    names = sorted({row[0] for row in case["prices"]})
    return {name: factories.DepotFactory(name=name, municipality=towns[name[0]]) for name in names}


def enter(case):
    """All prices of a day are approved together, doubtful ones alone."""
    depots, editor = depots_of(case), factories.UserFactory()
    for day in sorted({row[2] for row in case["prices"]}):
        moment, prices = datetime.combine(day, time(12), UTC), []
        for name, fuel, _, amount, *rest in (row for row in case["prices"] if row[2] == day):
            bag = amount if isinstance(amount, dict) else {}
            quote = validation.PriceInput(
                fuel=fuel,
                day=day,
                unit=fuels.BY_SLUG[fuel].unit,
                price=None if bag else Decimal(str(amount)),
                **{key: Decimal(str(value)) for key, value in bag.items()},
            )
            origin = DepotPrice.Origin(rest[0]) if rest else DepotPrice.Origin.PRICE_LIST
            sent = {"depot": depots[name], "quote": quote, "origin": origin, "by": editor, "on": moment}
            prices.append(services.submit_price(**sent))
        for price, _ in services.approve_prices(prices=prices, by=editor, on=moment).unchanged:
            services.approve_prices(prices=[price], by=editor, on=moment)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(db, case):
    enter(case)
    answer = ask(case["fuel"], case["today"], values=True)
    for month in answer["months"]:
        assert month.pop("complete") is (month["month"] < f"{case['today']:%Y-%m}")
    expected = {key: value.isoformat() if key in {"from", "to"} else value for key, value in case["expect"].items()}
    assert {key: answer[key] for key in expected} == expected
    assert answer["price_lists"] + answer["submissions"] == answer["n"]
    steps = answer["arithmetic"]
    assert steps["considered"] - steps["implausible"] - steps["superseded"] - steps["outliers"] == answer["n"]
