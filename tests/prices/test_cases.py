"""Cases calculated by hand, from `prices.services` to the response of `/prices/{fuel}`."""

from datetime import UTC, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.depots import fuels
from fueldepot.data.yaml_reader import read_yaml
from prices import services, validation
from prices.models import DepotPrice
from tests import factories
from tests.prices.helpers import ask
from tests.yaml_files import AnyContent

pytestmark = pytest.mark.django_db

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
def test_case(case):
    enter(case)
    answer = ask(case["fuel"], case["today"], values=True)
    for month in answer["months"]:
        assert month.pop("complete") is (month["month"] < f"{case['today']:%Y-%m}")
    expected = {key: value.isoformat() if key in {"from", "to"} else value for key, value in case["expect"].items()}
    assert {key: answer[key] for key in expected} == expected
    assert answer["price_lists"] + answer["submissions"] == answer["n"]
    steps = answer["arithmetic"]
    assert steps["considered"] - steps["implausible"] - steps["superseded"] - steps["outliers"] == answer["n"]
