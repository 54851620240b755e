"""What heat costs at a place: prices, defaults and rules put together, for the API and the page."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from catalog.depots import fuels
from catalog.models import Municipality, Voivodeship
from catalog.text import sort_key
from fueldepot.http.links import site_url
from pages.polish import area_name
from pages.regulations import state_of
from pages.stove_check import PERMITTED, check_path
from prices.api.series_answers import POLAND
from prices.heating_costs import (
    Estimate,
    HeatCost,
    HeatSource,
    group_overlapping,
    heat_cost,
    heat_sources,
    read_defaults,
)
from prices.medians import per_tonne, rounded
from prices.snapshot import official, prices
from regulations.appliance_check import BURNS_COAL, ApplianceCheck, ApplianceStatus, Facts, check_appliance
from regulations.appliance_sentences import WITHOUT_FIRE, describe_check, exemptions_of
from regulations.codes import Appliance
from regulations.queries import Regulation

APPLIANCES: Mapping[str, tuple[Appliance, ...]] = {
    "hand_fed_boiler": (Appliance.BOILER_BELOW_CLASS_3,),
    "feeder_boiler": (Appliance.BOILER_CLASS_3, Appliance.BOILER_CLASS_4),
    "class_5_boiler": (Appliance.BOILER_CLASS_5, Appliance.BOILER_ECODESIGN),
    "pellet_boiler": (Appliance.BOILER_CLASS_5, Appliance.BOILER_ECODESIGN),
    "gasification_boiler": (Appliance.BOILER_CLASS_5, Appliance.BOILER_ECODESIGN),
    "fireplace": (Appliance.FIREPLACE,),
}
"""What the rules call the devices that burn solid fuel."""

LAW = "https://isap.sejm.gov.pl/isap.nsf/DocDetails.xsp?id=WDU20010620627"

NOTES = tuple(read_defaults().notes)


class OwnInput(NamedTuple):
    """What the reader knows better than the defaults. price: per unit of the source, bag: of its usual bag, in zł."""

    price: Decimal | None = None
    bag: Decimal | None = None
    efficiency: Decimal | None = None


class SourcePrice(NamedTuple):
    """A price of a source. kind: "own", "median" or "official". first, last: the window of a median.

    year: of an official average. n: number of prices behind a median. demonstration: some of them are invented.
    """

    amount: Decimal
    kind: str
    area: str = ""
    first: date | None = None
    last: date | None = None
    year: int | None = None
    n: int | None = None
    origin: str = ""
    demonstration: bool = False


class RuleVerdict(NamedTuple):
    """Whether a source is permitted, None where it depends or is not known; the sentence and the URL of the rule.

    until: the first last day of use to come, None without one.
    """

    allowed: bool | None
    sentence: str
    url: str
    until: date | None = None


class HeatingRow(NamedTuple):
    """A source with its price, cost and rule. group: see `group_overlapping`, None without a price."""

    source: HeatSource
    price: SourcePrice | None
    own: OwnInput
    cost: HeatCost
    group: int | None
    rule: RuleVerdict


def heating_rows(
    on: date,
    *,
    demand: Decimal,
    voivodeship: Voivodeship | None,
    municipality: Municipality | None,
    own: Mapping[str, OwnInput],
) -> list[HeatingRow]:
    """Return all sources: by group, those without a price last, each group in Polish order.

    demand: kWh of heat a year. municipality: whose rules count, None for none. own: by source.
    """
    entry = state_of(municipality, on) if municipality else None
    rows = []
    for source in heat_sources(on):
        mine = own.get(source.slug, OwnInput())
        price = own_price(source, mine)
        if price is None and source.series:
            price = find_average(source.series, voivodeship)
        elif price is None and source.fuel:
            price = find_median(source.fuel, voivodeship, on)
        cost = heat_cost(source, price.amount if price else None, demand=demand, efficiency=mine.efficiency)
        rows.append(HeatingRow(source, price, mine, cost, None, judge(source, entry)))
    costs = {row.source.slug: published_cost(row.cost.per_kwh) for row in rows if row.cost.per_kwh}
    groups = dict(zip(costs, group_overlapping([*costs.values()]), strict=True))
    rows = [row._replace(group=groups.get(row.source.slug)) for row in rows]
    return sorted(rows, key=lambda row: (row.group is None, row.group or 0, sort_key(row.source.name)))


def published_cost(span: Estimate) -> Estimate:
    """Return ends rounded to the grosz, since the inputs are no more exact; ranges are grouped as they look then."""
    return Estimate(*map(rounded, span))


def own_price(source: HeatSource, mine: OwnInput) -> SourcePrice | None:
    """Return the reader's own price, also by the bag; None without one."""
    kg = bag_kg(source)
    if mine.price is None and mine.bag is not None and kg:
        return SourcePrice(per_tonne(mine.bag, Decimal(kg)), "own")
    return None if mine.price is None else SourcePrice(mine.price, "own")


def bag_kg(source: HeatSource) -> int | None:
    return fuels.BY_SLUG[source.fuel].bag_kg if source.fuel else None


def find_median(fuel: str, voivodeship: Voivodeship | None, on: date) -> SourcePrice | None:
    """Return the median of the voivodeship, else of Poland; None for neither."""
    figures = prices.get().figures(fuel, on)
    summary, area = figures.country, POLAND
    if voivodeship and (own := figures.of_voivodeship(voivodeship.teryt)).median is not None:
        summary, area = own, area_name(voivodeship)
    if summary.median is None:
        return None
    return SourcePrice(
        summary.median,
        "median",
        area,
        figures.start,
        figures.end,
        n=summary.n,
        demonstration=summary.demonstration,
    )


def find_average(series: str, voivodeship: Voivodeship | None) -> SourcePrice | None:
    """Return the newest average of a series; of the voivodeship where it is as new as that of Poland."""
    areas = {"", voivodeship.teryt} if voivodeship else {""}
    rows = [row for row in official.get().observations if row.series_id == series and row.teryt in areas]
    if not rows:
        return None
    row = max(rows, key=lambda row: (row.year, bool(row.teryt)))
    return SourcePrice(row.value, "official", area_name(row.voivodeship), year=row.year, origin=row.source)


def judge(source: HeatSource, entry: Regulation | None) -> RuleVerdict:
    if source.device in {"direct_electric", "heat_pump_air", "heat_pump_ground"}:
        return RuleVerdict(True, WITHOUT_FIRE, LAW)
    if source.device not in APPLIANCES:
        return RuleVerdict(None, "Zebrane przepisy mówią o paliwach stałych. O gaz zapytaj w urzędzie gminy.", "")
    if entry is None or entry.unit is None:
        return RuleVerdict(None, "Zależy od gminy: podaj miejsce.", "")
    facts: Facts = {BURNS_COAL: source.fuel in fuels.COALS}
    checks = [check_appliance(entry, appliance, facts) for appliance in APPLIANCES[source.device]]
    permitted = {is_permitted(check, entry.on) for check in checks}
    verdicts = [describe_check(check, entry.unit.name, entry.on) for check in checks]
    return RuleVerdict(
        allowed=permitted.pop() if len(permitted) == 1 else None,
        sentence=" ".join(verdict.sentence for verdict in verdicts),
        url=site_url(check_path(entry.unit.teryt, APPLIANCES[source.device][0])),
        until=min((verdict.until for verdict in verdicts if verdict.until), default=None),
    )


def is_permitted(check: ApplianceCheck, on: date) -> bool | None:
    """Return whether an appliance may be used on a day; None where that depends on more, or is not known."""
    if check.status is ApplianceStatus.ENDED and check.deciding:
        return None if exemptions_of(check.deciding) else False
    if check.status not in PERMITTED or any(row.deadline.holds_on(on) for row in check.limited):
        return None
    return None if check.status is ApplianceStatus.STAYS and check.stays_if_started_before else True


def is_demonstration(rows: Sequence[HeatingRow]) -> bool:
    return any(row.price is not None and row.price.demonstration for row in rows)
