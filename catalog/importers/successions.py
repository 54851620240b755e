"""Successors of municipalities that leave the register, and the transfer of their data.

The register states no successors. A change of kind keeps the first six digits of a code; a move to another county keeps
the name; a merger or division keeps only the position.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import shapely
from django.db.models import Case, Exists, OuterRef, Value, When

from catalog.importers.records import Options, UnitRecord
from catalog.models import Boundary, Dataset, Depot, FormerMunicipality, Place, PostcodeMunicipality, Subscription
from catalog.text import is_city_with_county_rights
from fueldepot.data import history
from fueldepot.data.history import insert, upsert

Units = Mapping[str, UnitRecord]

Candidates = Mapping[UnitRecord, tuple[str, ...]]
"""Merged or divided municipalities, by code, with those that took them over, likeliest first; none: the map tells."""

LIKENESSES = (("kind", "county", "voivodeship"), ("kind", "voivodeship"), ("voivodeship",), ("kind", "county"))
"""What two municipalities with one name must have in common to be the same, strictest first."""


@dataclass(frozen=True, slots=True)
class Heirs:
    """Successors of a code, that of redirects and the others by code. whole: the same municipality, newly coded."""

    successor: str
    others: tuple[str, ...] = ()
    whole: bool = True

    @property
    def all(self) -> tuple[str, ...]:
        return (self.successor, *self.others)

    def followed_by(self, later: Mapping[str, "Heirs"]) -> "Heirs":
        """Return the successors after some of them left the register too."""
        chain = [after for code in self.all for after in (later[code].all if code in later else (code,))]
        successor, *others = dict.fromkeys(chain)
        whole = self.whole and (self.successor not in later or later[self.successor].whole)
        return Heirs(successor, tuple(sorted(others)), whole)


@dataclass(frozen=True, slots=True)
class Departure:
    """A code that leaves the register, or is reused for another municipality.

    reused: whether the code stays in the register. moves: depot → code; other depots follow the successor.
    """

    unit: UnitRecord
    heirs: Heirs
    reused: bool = False
    moves: Mapping[int, str] = field(default_factory=dict)


def municipalities(units: Iterable[UnitRecord]) -> dict[str, UnitRecord]:
    return {unit.teryt: unit for unit in units if len(unit.teryt) == 7}


def find_successions(stored: Units, incoming: Units) -> tuple[list[Departure], Candidates]:
    """Return the departures of the codes whose municipality goes on under another one, and what leaves otherwise."""
    old, new = municipalities(stored.values()), municipalities(incoming.values())
    gone = without(old, new)
    heirs = same_number(gone, new)
    free = without(without(new, old), heirs.values())
    # A number may be another municipality's now; without a namesake elsewhere the kind and the name have changed.
    unsure = {code: unit for code, unit in gone.items() if code not in heirs or new[heirs[code]].name != unit.name}
    heirs |= same_name(unsure, free, stored, incoming)
    free = without(without(new, old), heirs.values())
    renamed = {code: unit for code, unit in old.items() if code in new and new[code].name != unit.name}
    reused = same_name(renamed, free, stored, incoming)
    free = without(free, reused.values())
    departures = [Departure(gone[code], Heirs(heir)) for code, heir in heirs.items()]
    departures += [Departure(old[code], Heirs(heir), reused=True) for code, heir in reused.items()]
    dissolved = [unit for _, unit in sorted(without(gone, heirs).items())]
    return departures, {unit: likely_candidates(unit, free, new) for unit in dissolved}


def without(units: Units, codes: Iterable[str]) -> dict[str, UnitRecord]:
    taken = set(codes)
    return {code: unit for code, unit in units.items() if code not in taken}


def same_number(gone: Units, new: Units) -> dict[str, str]:
    by_number = {code[:6]: code for code in new}
    return {code: by_number[code[:6]] for code in gone if code[:6] in by_number}


def same_name(gone: Units, free: Units, stored: Units, incoming: Units) -> dict[str, str]:
    """Return codes with a new municipality of the same name as heir, each heir once.

    A town and its rural municipality share a name, and a voivodeship may have several equal names, so the closest
    matches go first, and ambiguous ones are skipped.
    """
    heirs: dict[str, str] = {}
    for likeness in LIKENESSES:
        old = alike(without(gone, heirs), stored, likeness)
        new = alike(without(free, heirs.values()), incoming, likeness)
        heirs |= {codes[0]: new[key][0] for key, codes in old.items() if len(codes) == len(new[key]) == 1}
    return heirs


def alike(municipalities: Units, units: Units, likeness: Iterable[str]) -> defaultdict[tuple[object, ...], list[str]]:
    """Return codes of municipalities by name and further properties. units: with their counties."""
    codes = defaultdict(list)
    for code, unit in municipalities.items():
        values = {"kind": unit.kind, "county": units[code[:4]].name, "voivodeship": code[:2]}
        codes[unit.name, *(values[name] for name in likeness)].append(code)
    return codes


def likely_candidates(unit: UnitRecord, free: Units, new: Units) -> tuple[str, ...]:
    """Return likely successors of a merged or divided municipality, by codes and names.

    New ones of its county that follow no other; else a town of its name, in the county or with county rights.
    """
    fresh = tuple(sorted(code for code in free if code[:4] == unit.teryt[:4]))
    if fresh:
        return fresh
    namesakes = [
        code
        for code, other in new.items()
        if other.name == unit.name
        and code[:2] == unit.teryt[:2]
        and (code[:4] == unit.teryt[:4] or is_city_with_county_rights(code))
    ]
    return tuple(namesakes) if len(namesakes) == 1 else ()


def most_common(codes: Iterable[str]) -> str:
    counts = Counter(codes)
    return min(counts, key=lambda code: (-counts[code], code))


def county_heirs(codes: Collection[str], heirs: Mapping[str, str]) -> dict[str, str]:
    """Map former counties or voivodeships to the unit that most of their municipalities moved to.

    heirs: municipality → its successor. Units without known municipalities are omitted.
    """
    followers = {code: [heir[: len(code)] for old, heir in heirs.items() if old.startswith(code)] for code in codes}
    return {code: most_common(units) for code, units in followers.items() if units}


REVIEW = "Gmina, do której należał skład, zniknęła z rejestru: sprawdź, w której leży teraz."


CodeChangeHandler = Callable[[Mapping[str, Heirs], Options], list[str]]

CODE_CHANGE_HANDLERS: list[CodeChangeHandler] = []
"""What apps above the catalog do when codes change; each returns lines for the report, and writes only if told to:

- `follow_codes` of `regulations/services.py` (`regulations/apps.py`): codes in the scopes of rules
"""


def hand_over(departures: Sequence[Departure], options: Options) -> None:
    """Transfer all data of departing municipalities, between writing their successors and deleting them."""
    if not departures:
        return
    heirs = {departure.unit.teryt: departure.heirs for departure in departures}
    successors = {code: after.successor for code, after in heirs.items()}
    if hand_over_depots(departures, options):
        Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    # Letters too: the code may be another municipality's one day.
    for rows, column in ((Place.objects, "municipality"), (Subscription.objects, "teryt")):
        moved = Case(*(When(**{column: old}, then=Value(new)) for old, new in successors.items()))
        rows.filter(**{f"{column}__in": successors}).update(**{column: moved})
    delete_equal_subscriptions(successors.values())
    hand_over_postcodes(successors)
    if hand_over_boundaries(heirs):
        Dataset.objects.bump_version(Dataset.Slug.BOUNDARIES)
    remember(departures, heirs, options)


def hand_over_depots(departures: Sequence[Departure], options: Options) -> int:
    """Move depots, including removed and held ones. Returns their number.

    A confirmed municipality is kept under its new code. After a merger or division the new one is not confirmed: the
    confirmation ends, and the depot is marked for review.
    """
    by_code = {departure.unit.teryt: departure for departure in departures}
    depots = list(history.locking(Depot.objects.filter(municipality__in=by_code)))
    for depot in depots:
        departure = by_code[depot.municipality_id]
        depot.municipality_id = departure.moves.get(depot.pk, departure.heirs.successor)
        depot.updated_at = options.today
        if not departure.heirs.whole and "municipality" in depot.confirmed_fields:
            depot.confirmed_fields.remove("municipality")
            if depot.publication != Depot.Publication.HELD:  # its remark says why, until an editor decides
                depot.review = REVIEW
    columns = ["municipality", "updated_at", "confirmed_fields", "review"]
    Depot.objects.bulk_update(depots, columns, batch_size=500)
    reason = f"{history.IMPORTED}: gmina zniknęła z rejestru"
    history.record_bulk(Depot, [depot.pk for depot in depots], by=None, reason=reason)
    return len(depots)


def delete_equal_subscriptions(codes: Iterable[str]) -> None:
    """Keep one of a reader's subscriptions to municipalities that are one now. One statement."""
    rows = Subscription.objects.confirmed().filter(teryt__in=set(codes))
    same = {name: OuterRef(name) for name in ("email_hash", "teryt", "fuel", "voivodeship")}
    rows.filter(Exists(Subscription.objects.confirmed().filter(**same, pk__lt=OuterRef("pk")))).delete()


def hand_over_postcodes(successors: Mapping[str, str]) -> None:
    """Move shares of postcodes, adding up numbers of addresses. Three queries."""
    shares = PostcodeMunicipality.objects.filter(municipality__in={*successors, *successors.values()})
    sums: Counter[tuple[str, str]] = Counter()
    for postcode, code, addresses in shares.values_list("postcode_id", "municipality_id", "addresses"):
        sums[postcode, successors.get(code, code)] += addresses
    shares.delete()
    rows = ((*key, addresses) for key, addresses in sums.items())
    insert(PostcodeMunicipality, ("postcode_id", "municipality_id", "addresses"), rows)


def hand_over_boundaries(heirs: Mapping[str, Heirs]) -> bool:
    """Move areas to the successors. Returns whether there were any. At most three queries.

    The same municipality keeps its area. That of a merged or divided one goes to its successor as a whole, marked
    approximate until the next import of boundaries: a hole in the map would be worse.
    """
    stored = Boundary.objects.in_bulk({*heirs, *(after.successor for after in heirs.values())})
    parts: dict[str, list[Boundary]] = defaultdict(list)
    for code, after in heirs.items():
        if row := stored.pop(code, None):
            row.approximate |= not after.whole
            parts[after.successor].append(row)
    for code, rows in parts.items():
        if code in stored:
            rows.append(stored[code])
    Boundary.objects.filter(pk__in=heirs).delete()
    upsert(
        [
            Boundary(
                municipality_id=code,
                area=shapely.to_wkb(shapely.union_all(shapely.from_wkb([bytes(row.area) for row in rows]))),
                approximate=len(rows) > 1 or rows[0].approximate,
            )
            for code, rows in parts.items()
        ],
        ["area", "approximate"],
    )
    return bool(parts)


def remember(departures: Sequence[Departure], heirs: Mapping[str, Heirs], options: Options) -> None:
    """Record the old codes, and redirect older ones to the newest successors. At most three queries."""
    touched = []
    for row in FormerMunicipality.objects.order_by("pk"):
        before = Heirs(row.successor_id, tuple(row.others), row.whole)
        if heirs.keys() & set(before.all):
            after = before.followed_by(heirs)
            row.successor_id, row.others, row.whole = after.successor, list(after.others), after.whole
            touched.append(row)
    touched += [
        FormerMunicipality(
            teryt=departure.unit.teryt,
            name=departure.unit.name,
            successor_id=departure.heirs.successor,
            others=list(departure.heirs.others),
            whole=departure.heirs.whole,
            left_on=options.today,
        )
        for departure in departures
        if not departure.reused
    ]
    upsert(touched, ["name", "successor", "others", "whole", "left_on"])
