"""Demonstration depots, to try out a catalog without data.

Realistic in number and distribution, and marked as invented: every name begins with `MARK`, and none has a tax number,
telephone or website. Deterministic: the same units and places give the same depots.
"""

import hashlib
import math
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import shapely
from shapely import Geometry

from catalog.depots.fuels import in_order
from catalog.importers.records import DepotRecord, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.parsing.opening_hours import weekly_hours
from catalog.territory.projection import project, unproject
from catalog.territory.teryt import is_city_with_county_rights

MARK = "DEMO"
CREDIT = "wpisy demonstracyjne, zmyślone"

DEPOTS = 6_586
MUNICIPALITIES = 1_959

SPREAD_M = 1_400
"""Maximum distance of a depot from its place."""

ATTEMPTS = 16

SEED = "fueldepot demonstration 1"
"""Seed of all choices."""

# Weights of large municipalities; others follow from kind and places.
LARGE = {
    "1465011": 130.0,  # Warszawa
    "1261011": 80.0,  # Kraków
    "1061011": 65.0,  # Łódź
    "0264011": 65.0,  # Wrocław
    "3064011": 55.0,  # Poznań
    "2261011": 45.0,  # Gdańsk
    "3262011": 40.0,  # Szczecin
    "0461011": 35.0,  # Bydgoszcz
    "0663011": 35.0,  # Lublin
    "2061011": 30.0,  # Białystok
    "2469011": 30.0,  # Katowice
    "2466011": 22.0,  # Gliwice
    "1217011": 14.0,  # Zakopane
    "1211011": 14.0,  # Nowy Targ
}
CITY_SIZE, TOWN_SIZE, MIXED_SIZE, RURAL_SIZE = 16.0, 6.0, 2.0, 0.3
PLACES_PER_DEPOT = 20


@dataclass(frozen=True, slots=True)
class _Kind:
    """Names and assortment of a kind of depot."""

    name: str
    share: int
    assortments: tuple[frozenset[str], ...]


_COAL = frozenset({"wegiel", "ekogroszek", "wegiel-kostka", "wegiel-orzech"})
_WOOD = frozenset({"pellet", "brykiet", "drewno-kominkowe"})

KINDS = (
    _Kind(
        "Skład opału",
        45,
        (
            _COAL | {"mial-weglowy"},
            _COAL | {"pellet"},
            frozenset({"wegiel", "ekogroszek", "pellet"}),
            _COAL | {"wegiel-groszek", "mial-weglowy", "pellet", "brykiet", "drewno-kominkowe"},
            frozenset({"wegiel"}),
            frozenset({"wegiel", "drewno-kominkowe"}),
        ),
    ),
    _Kind(
        "Skład węgla",
        25,
        (
            _COAL,
            frozenset({"wegiel", "ekogroszek"}),
            frozenset({"wegiel", "wegiel-kostka", "wegiel-orzech", "mial-weglowy"}),
            frozenset({"wegiel-groszek", "ekogroszek", "wegiel-orzech"}),
        ),
    ),
    _Kind(
        "Hurtownia pelletu i brykietu",
        15,
        (frozenset({"pellet"}), frozenset({"pellet", "brykiet"}), frozenset({"pellet", "brykiet", "ekogroszek"})),
    ),
    _Kind(
        "Drewno opałowe",
        15,
        (frozenset({"drewno-kominkowe"}), frozenset({"drewno-kominkowe", "brykiet"}), _WOOD),
    ),
)

HOURS = (
    ("Mo-Fr 07:00-15:00", 22),
    ("Mo-Fr 08:00-16:00; Sa 08:00-13:00", 22),
    ("Mo-Fr 07:00-17:00; Sa 07:00-14:00", 14),
    ("Mo-Sa 08:00-18:00", 6),
    ("Mo-Fr 08:00-12:00,13:00-17:00; Sa 08:00-12:00", 7),
    ("Mo-Th 08:00-16:00; Fr 08:00-12:00,12:30-16:00", 3),
    ("Mo,We,Fr 09:00-16:00", 4),
    ("24/7", 2),
    ("", 20),
)
"""Opening hours in the format of OpenStreetMap with their shares; "" for unknown."""

STREETS = ("ul. Przykładowa", "ul. Demonstracyjna", "ul. Próbna")


def demonstration_depots(
    units: Iterable[UnitRecord],
    places: Iterable[PlaceRecord],
    areas: Mapping[str, Geometry] | None = None,
    postcodes: Iterable[PostcodeRecord] = (),
    *,
    count: int = DEPOTS,
    spread: int = MUNICIPALITIES,
) -> list[tuple[str, DepotRecord]]:
    """Create `count` depots in `spread` municipalities. Returns (code of the municipality, depot), by code.

    areas: code → area in metres on the plane; depots of a municipality with an area lie inside it.

    postcodes: source of the addresses; only those in a single municipality are used. One of a single place also gives
    the position, so that depots of a city do not crowd its centre.

    The order of the inputs does not matter. `source_id` is "demo/1", "demo/2" and so on.

    Raises ValueError if fewer municipalities than `spread` have a place with a position, or count < spread.
    """
    names = {unit.teryt: unit.name for unit in units if len(unit.teryt) == 7}
    by_unit: dict[str, list[PlaceRecord]] = defaultdict(list)
    for place in places:
        if place.unit in names and place.lat is not None and place.lon is not None:
            by_unit[place.unit].append(place)
    if not spread <= min(count, len(by_unit)):
        raise ValueError(f"cannot put {count} depots into {spread} municipalities: {len(by_unit)} have places")
    codes = _postcodes(postcodes)
    numbered: Counter[str] = Counter()
    result: list[tuple[str, DepotRecord]] = []
    for teryt, number in sorted(_allocate(by_unit, count, spread).items()):
        here = sorted(by_unit[teryt], key=lambda place: (place.name != names[teryt], place.kind, place.id))
        area = (areas or {}).get(teryt)
        if area is not None:
            shapely.prepare(area)
        for index in range(number):
            dice = _SeededRandom(f"{teryt}/{index}")
            depot = _depot(dice, len(result) + 1, here, area, codes.get(teryt, {}), numbered)
            result.append((teryt, depot))
    return result


class _SeededRandom:
    """Deterministic random numbers by name: stateless, so a new draw changes none of the others."""

    def __init__(self, who: str) -> None:
        self.who = who

    def roll(self, what: str) -> float:
        """Return a number in [0, 1)."""
        text = f"{SEED}/{self.who}/{what}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48

    def pick(self, what: str, shares: Sequence[int]) -> int:
        """Return the index of a share, by weight."""
        return bisect(list(accumulate(shares)), self.roll(what) * sum(shares))


def _size(teryt: str, places: int) -> float:
    if teryt in LARGE:
        return LARGE[teryt]
    if is_city_with_county_rights(teryt):
        return CITY_SIZE
    if teryt[6] == "1":
        return TOWN_SIZE
    return (MIXED_SIZE if teryt[6] == "3" else RURAL_SIZE) + places / PLACES_PER_DEPOT


def _allocate(by_unit: Mapping[str, Sequence[PlaceRecord]], count: int, spread: int) -> dict[str, int]:
    """Return the number of depots of `spread` municipalities: one each, the rest by weight."""
    sizes = {teryt: _size(teryt, len(places)) for teryt, places in by_unit.items()}

    def order(teryt: str) -> tuple[bool, float, str]:
        # Weighted sampling without replacement: the smallest -log(chance) / weight.
        return teryt not in LARGE, -math.log(1 - _SeededRandom(teryt).roll("chosen")) / sizes[teryt], teryt

    chosen = sorted(sizes, key=order)[:spread]
    total = sum(sizes[teryt] for teryt in sorted(chosen))
    shares = {teryt: (count - spread) * sizes[teryt] / total for teryt in chosen}
    result = {teryt: 1 + math.floor(share) for teryt, share in shares.items()}
    left = count - sum(result.values())
    for teryt in sorted(chosen, key=lambda teryt: (math.floor(shares[teryt]) - shares[teryt], teryt))[:left]:
        result[teryt] += 1
    return result


def _postcodes(postcodes: Iterable[PostcodeRecord]) -> dict[str, dict[str, list[PostcodeRecord]]]:
    """Return postcodes by municipality and place."""
    found: dict[str, dict[str, list[PostcodeRecord]]] = defaultdict(lambda: defaultdict(list))
    for postcode in sorted(postcodes, key=lambda postcode: postcode.code):
        if len(postcode.municipalities) == 1:
            for name in postcode.places:
                found[postcode.municipalities[0][0]][name].append(postcode)
    return found


def _depot(
    dice: _SeededRandom,
    number: int,
    places: Sequence[PlaceRecord],
    area: Geometry | None,
    postcodes: Mapping[str, Sequence[PostcodeRecord]],
    numbered: Counter[str],
) -> DepotRecord:
    """Create one depot. places: seat of the municipality first. numbered: number of depots by name so far."""
    seat = dice.roll("seat") < 0.4
    place = places[0 if seat else math.floor(dice.roll("place") * len(places))]
    kind = KINDS[dice.pick("kind", [kind.share for kind in KINDS])]
    name = f"{MARK} {kind.name} {place.name}"
    numbered[name] += 1
    text = HOURS[dice.pick("hours", [share for _, share in HOURS])][0]
    approximate = dice.roll("approximate") < 0.2
    known = postcodes.get(place.name, ())
    postcode = known[math.floor(dice.roll("postcode") * len(known))] if known else None
    near: PlaceRecord | PostcodeRecord = place
    if postcode is not None and len(postcode.places) == 1:
        near = postcode
    lat, lon = _position(dice, near, area)
    # Half of them have no street, like real ones.
    addressed = dice.roll("address") < 0.5
    fuels = kind.assortments[math.floor(dice.roll("fuels") * len(kind.assortments))]
    return DepotRecord(
        source_id=f"demo/{number}",
        name=f"{name} {numbered[name]}",
        lat=lat,
        lon=lon,
        street=STREETS[math.floor(dice.roll("street") * len(STREETS))] if addressed else "",
        house_number=str(1 + math.floor(dice.roll("house") * 99)) if addressed else "",
        postcode=postcode.code if postcode else "",
        place=place.name,
        fuels=in_order(fuels),
        hours=weekly_hours(text) if text else None,
        opening_hours=text,
        location_approximate=approximate,
    )


def _position(dice: _SeededRandom, near: PlaceRecord | PostcodeRecord, area: Geometry | None) -> tuple[float, float]:
    """Return latitude and longitude near a point and inside the area, if any; five decimals, a metre."""
    if near.lat is None or near.lon is None:
        raise ValueError(f"no position to be near to: {near}")
    x, y = project(near.lat, near.lon)
    for attempt in range(ATTEMPTS):
        angle = 2 * math.pi * dice.roll(f"angle {attempt}")
        # Closer with every attempt: the point may be near the edge.
        away = SPREAD_M * math.sqrt(dice.roll(f"away {attempt}")) * (1 - attempt / ATTEMPTS)
        lat, lon = unproject(x + away * math.cos(angle), y + away * math.sin(angle))
        lat, lon = round(lat, 5), round(lon, 5)
        if area is None or shapely.contains_xy(area, *project(lat, lon)):
            return lat, lon
    if area is None or shapely.contains_xy(area, x, y):
        return near.lat, near.lon
    inner = shapely.point_on_surface(area)
    return unproject(shapely.get_x(inner), shapely.get_y(inner))
