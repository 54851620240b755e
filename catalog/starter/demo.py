"""Invented depots, so that a catalog without data of its own can be tried out.

They look like the real thing in number and spread, and say of themselves that they are not: every name begins with
`MARK`, and none has a tax number, a telephone or a web site. Nothing here is random: the same units and places give
the same depots on every machine.
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

from catalog.fuels import in_order
from catalog.importers.records import DepotRecord, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.plane import from_plane, to_plane
from catalog.reading.hours import weekly_hours
from catalog.teryt import is_city_county

MARK = "DEMO"
CREDIT = "wpisy demonstracyjne, zmyślone"

DEPOTS = 6_586
MUNICIPALITIES = 1_959

SPREAD_M = 1_400
"""How far from the point of a place a depot lies at most."""

ATTEMPTS = 16

SEED = "fueldepot demonstration 1"
"""Another text gives other depots."""

# Municipalities by size, in depots that they would attract beside the first; the rest goes by kind and places.
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
    """What a depot is called and may sell: one of the assortments, by chance."""

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
"""Opening hours in the form of OpenStreetMap, each with its share; "" for unknown."""

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
    """Make `count` depots in `spread` municipalities. Returns (code of the municipality, depot), by code.

    areas: code -> area in metres on `catalog.plane`; depots of a municipality with an area lie inside it.
    postcodes: where addresses take theirs from; only those in a single municipality are taken. One of a single place
    also says where the depot is, or all those of a city would crowd in its middle.
    The order of the inputs does not matter. `source_id` is "demo/1", "demo/2" and so on.
    Raises ValueError when fewer municipalities than `spread` have a place with a position, or count < spread.
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
            dice = _Dice(f"{teryt}/{index}")
            depot = _depot(dice, len(result) + 1, here, area, codes.get(teryt, {}), numbered)
            result.append((teryt, depot))
    return result


class _Dice:
    """Chances drawn by name from a text, the same for ever: no state, so a new draw changes none of the others."""

    def __init__(self, who: str) -> None:
        self.who = who

    def roll(self, what: str) -> float:
        """At least 0 and less than 1."""
        text = f"{SEED}/{self.who}/{what}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48

    def pick(self, what: str, shares: Sequence[int]) -> int:
        """The index of one of the shares."""
        return bisect(list(accumulate(shares)), self.roll(what) * sum(shares))


def _size(teryt: str, places: int) -> float:
    if teryt in LARGE:
        return LARGE[teryt]
    if is_city_county(teryt):
        return CITY_SIZE
    if teryt[6] == "1":
        return TOWN_SIZE
    return (MIXED_SIZE if teryt[6] == "3" else RURAL_SIZE) + places / PLACES_PER_DEPOT


def _allocate(by_unit: Mapping[str, Sequence[PlaceRecord]], count: int, spread: int) -> dict[str, int]:
    """How many depots each of `spread` municipalities gets: one, and of the rest a share by size."""
    sizes = {teryt: _size(teryt, len(places)) for teryt, places in by_unit.items()}

    def order(teryt: str) -> tuple[bool, float, str]:
        # Drawing without putting back, by weight: the smallest -log(chance) / weight.
        return teryt not in LARGE, -math.log(1 - _Dice(teryt).roll("chosen")) / sizes[teryt], teryt

    chosen = sorted(sizes, key=order)[:spread]
    total = sum(sizes[teryt] for teryt in sorted(chosen))
    shares = {teryt: (count - spread) * sizes[teryt] / total for teryt in chosen}
    result = {teryt: 1 + math.floor(share) for teryt, share in shares.items()}
    left = count - sum(result.values())
    for teryt in sorted(chosen, key=lambda teryt: (math.floor(shares[teryt]) - shares[teryt], teryt))[:left]:
        result[teryt] += 1
    return result


def _postcodes(postcodes: Iterable[PostcodeRecord]) -> dict[str, dict[str, list[PostcodeRecord]]]:
    """Municipality -> place -> postcodes."""
    found: dict[str, dict[str, list[PostcodeRecord]]] = defaultdict(lambda: defaultdict(list))
    for postcode in sorted(postcodes, key=lambda postcode: postcode.code):
        if len(postcode.municipalities) == 1:
            for name in postcode.places:
                found[postcode.municipalities[0][0]][name].append(postcode)
    return found


def _depot(
    dice: _Dice,
    number: int,
    places: Sequence[PlaceRecord],
    area: Geometry | None,
    postcodes: Mapping[str, Sequence[PostcodeRecord]],
    numbered: Counter[str],
) -> DepotRecord:
    """One depot. places: the seat of the municipality first. numbered: how many depots bear a name already."""
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
    # Half of them have no street, like the real ones.
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


def _position(dice: _Dice, near: PlaceRecord | PostcodeRecord, area: Geometry | None) -> tuple[float, float]:
    """Latitude and longitude near a known point and, where there is an area, inside it; five decimals, a metre."""
    if near.lat is None or near.lon is None:
        raise ValueError(f"no position to be near to: {near}")
    x, y = to_plane(near.lat, near.lon)
    for attempt in range(ATTEMPTS):
        angle = 2 * math.pi * dice.roll(f"angle {attempt}")
        # Nearer with every attempt: the point may lie close to the edge.
        away = SPREAD_M * math.sqrt(dice.roll(f"away {attempt}")) * (1 - attempt / ATTEMPTS)
        lat, lon = from_plane(x + away * math.cos(angle), y + away * math.sin(angle))
        lat, lon = round(lat, 5), round(lon, 5)
        if area is None or shapely.contains_xy(area, *to_plane(lat, lon)):
            return lat, lon
    if area is None or shapely.contains_xy(area, x, y):
        return near.lat, near.lon
    inner = shapely.point_on_surface(area)
    return from_plane(shapely.get_x(inner), shapely.get_y(inner))
