"""Answers about rules: acts, deadlines and bans with their scopes; and their short form (`binding`)."""

from collections.abc import Collection, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict

from fueldepot.http.query import Day, OneOf, Url, example, field
from regulations.codes import Appliance, Condition, Exemption, FuelCode, read_spared
from regulations.models import STALE_AFTER, Amendment, Deadline, FuelBan, Provision, Resolution, Scope, read_sources
from regulations.queries import DeadlineStatus, Law, Regulation

GAZETTE = "https://edziennik.malopolska.uw.gov.pl/WDU_K/2017/787/akt.pdf"

UnitCodes = list[
    Annotated[
        str,
        example("1261011", "TERYT code of a county (4 digits) or municipality (7).", pattern="^[0-9]{4}([0-9]{3})?$"),
    ]
]
ApplianceCodes = list[Annotated[str, OneOf(*Appliance.values), example(Appliance.BOILER_CLASS_3.value)]]
FuelCodes = list[Annotated[str, OneOf(*FuelCode.values), example(FuelCode.HARD_COAL.value)]]
ExemptionCodes = list[Annotated[str, OneOf(*Exemption.values), example(Exemption.ECODESIGN.value)]]
Place = Annotated[str, example("województwo małopolskie bez Krakowa", "Whom and where it binds, in Polish.")]
DeadlineDay = Annotated[Day, example("2027-01-01", "First day on which it holds.")]
Subject = Annotated[str, example("kotły klasy 3 i 4", "What it is about, in Polish.")]
Meaning = Annotated[str, example("Nie wolno ich używać.", "What it means, in Polish.")]
DeadlineKind = Annotated[
    str, OneOf(*Deadline.Kind.values), example(Deadline.Kind.EXISTING_BOILERS.value, "Kind of deadline.")
]
Overdue = Annotated[
    bool,
    example(
        False, f"Whether it comes within a year in a legal state that nobody has confirmed for {STALE_AFTER.days} days."
    ),
]
NextDeadlineStatus = Annotated[
    str,
    OneOf(*DeadlineStatus),
    example(
        DeadlineStatus.UPCOMING.value,
        "Why `next_deadline` is what it is: there is one; all are known and past; an act binds whose deadlines are not "
        "known; no act binds; nothing is known of the voivodeship.",
    ),
]


class ReadSourceJson(TypedDict):
    """Where something was read."""

    name: Annotated[str, example("Dziennik Urzędowy Województwa Małopolskiego")]
    """Name of the source."""
    url: Annotated[Url, example(GAZETTE)]
    """Address of the source."""


ReadSources = Annotated[list[ReadSourceJson], field("Where this was read.")]


def describe_sources(text: str) -> list[ReadSourceJson]:
    return [{"name": source.name, "url": source.url} for source in read_sources(text)]


class ScopeJson(TypedDict):
    """Where a rule binds."""

    scope: NotRequired[Place]
    area: NotRequired[Annotated[str, OneOf(*Scope.Area.values), example(Scope.Area.VOIVODESHIP.value)]]
    """The same as a code: the whole voivodeship, the units in `teryt`, its towns, or what lies outside them."""
    uncertain: NotRequired[Annotated[bool, example(False)]]
    """Whether sources contradict each other about it binding anywhere in its area; `caveat` says how."""
    teryt: NotRequired[UnitCodes]
    """Units that a local rule binds, in whole or in part; empty for a wide one."""
    teryt_partly: NotRequired[UnitCodes]
    """Those of `teryt` of which only a part is bound."""
    teryt_excluded: NotRequired[UnitCodes]
    """Units where a wide rule does not bind."""
    caveat: NotRequired[Annotated[str | None, example("Bez strefy uzdrowiskowej.")]]
    """What is uncertain about the rule or its scope; null when nothing is. For a unit without what concerns other
    places. With `binding` it stands with the first rule of its scope."""


def describe_scope(regulation: Regulation, row: Scope) -> ScopeJson:
    return {
        "scope": row.scope,
        "area": row.area,
        "uncertain": row.uncertain,
        "teryt": sorted({*row.units, *row.partly}) if row.area == Scope.Area.LISTED else [],
        "teryt_partly": sorted(row.partly),
        "teryt_excluded": sorted(row.excluded),
        "caveat": regulation.caveat_of(row) or None,
    }


class PublishedActJson(TypedDict):
    """Fields shared by acts and amendments. Fields that may be absent are so only with `binding`."""

    number: NotRequired[Annotated[str | None, example("XXXII/452/17")]]
    """Number of the act; null when not known."""
    adopted: NotRequired[Annotated[Day | None, example("2017-01-23")]]
    """Day of adoption; null when not known."""
    publication: NotRequired[Annotated[str | None, example("Dz. Urz. Woj. Małopolskiego z 2017 r. poz. 787")]]
    """Position in the gazette; null when not known."""
    text: NotRequired[Annotated[Url | None, example(GAZETTE)]]
    """Official text; null when its address is not known."""
    in_force_from: NotRequired[Annotated[Day | None, example("2017-07-01")]]
    """First day in force; null when not known."""


def describe_publication(act: Resolution | Amendment) -> PublishedActJson:
    return {
        "number": act.number or None,
        "adopted": act.adopted,
        "publication": act.publication or None,
        "text": act.text_url or None,
        "in_force_from": act.in_force_from,
    }


class AmendmentJson(PublishedActJson):
    """An amendment of an act."""

    changes: Annotated[str, example("Przesunięto termin wymiany kotłów.")]
    """What it changed, in Polish."""
    note: NotRequired[Annotated[str | None, example("Przyjęta we wrześniu 2022 r.")]]
    """Remark in Polish; null without one."""
    sources: NotRequired[ReadSources]


class ActJson(PublishedActJson, ScopeJson):
    """One act."""

    title: NotRequired[Annotated[str, example("Uchwała w sprawie ograniczeń i zakazów")]]
    """Title of the act."""
    note: NotRequired[Annotated[str | None, example("Tekst jednolity z 2022 r.")]]
    """Remark in Polish; null without one."""
    amendments: NotRequired[list[AmendmentJson]]
    """Amendments of the act."""
    sources: NotRequired[ReadSources]


def describe_act(regulation: Regulation, law: Law) -> ActJson:
    act = law.resolution
    return {
        "title": act.title,
        **describe_publication(act),
        **describe_scope(regulation, act),
        "note": act.note or None,
        "amendments": [
            {
                **describe_publication(amendment),
                "changes": amendment.changes,
                "note": amendment.note or None,
                "sources": describe_sources(amendment.sources),
            }
            for amendment in law.amendments
        ],
        "sources": describe_sources(act.sources),
    }


def publication(law: Law) -> str:
    """Return the gazette references of an act and its amendments, in Polish."""
    return ", ".join([reference(law.resolution), *(f"zm. {reference(amendment)}" for amendment in law.amendments)])


def reference(row: Resolution | Amendment) -> str:
    """Return the gazette position; without one, number and day, and without a number the scope.

    An act that amends stands in the instrumental, after "zm.".
    """
    if row.publication:
        return row.publication
    words = ["uchwała" if isinstance(row, Resolution) else "uchwałą"]
    if row.number:
        words.append(f"nr {row.number}")
    if row.adopted:
        words.append(f"z {row.adopted:%d.%m.%Y}")
    if isinstance(row, Resolution) and not row.number:
        words.append(f"({row.scope})")
    return " ".join(words) if len(words) > 1 else "uchwałą o nieznanym numerze"


class ProvisionJson(ScopeJson):
    """A rule: what deadlines and bans have in common. Fields that may be absent are so only with `binding`."""

    sources: NotRequired[ReadSources]
    binds_requested_unit: NotRequired[Annotated[bool | None, example(True)]]
    """Whether it binds the unit asked for; null where it binds a part only, or where that is not known: `caveat`
    says which. Absent without `teryt` or `postcode`."""


def describe_provision(regulation: Regulation, row: Provision) -> ProvisionJson:
    """Return what deadlines and bans have in common; `binds_requested_unit` only with a requested unit."""
    body = cast("ProvisionJson", {**describe_scope(regulation, row), "sources": describe_sources(row.sources)})
    if regulation.unit:
        body["binds_requested_unit"] = regulation.binds(row)
    return body


class SparedApplianceJson(TypedDict):
    """An appliance that may stay in use."""

    appliance: Annotated[str, OneOf(*Appliance.values), example(Appliance.FIREPLACE.value)]
    """Code of the appliance."""
    started_before: Annotated[Day | None, example("2017-07-01")]
    """Only if it was put to use before this day; null without such a bound."""


class DeadlineJson(ProvisionJson):
    """A day from which something must not be used or must be done.

    As `next_deadline` the nearest that is left: of the voivodeship in `resolution`, of the unit asked for in
    `requested_unit`; null when none is left or when the dates of an act are not known.
    """

    date: DeadlineDay
    applies_to: Subject
    description: Meaning
    kind: DeadlineKind
    appliances: NotRequired[ApplianceCodes]
    """Appliances that it ends or limits; empty for a deadline about fuels alone. Class 5 is without ecodesign, which
    has a code of its own; below class 3 includes boilers without a class."""
    unclear_appliances: NotRequired[ApplianceCodes]
    """Appliances about which sources contradict each other; `caveat` says how."""
    fuels: NotRequired[FuelCodes]
    """It binds with these fuels only; empty for any solid fuel."""
    conditions: NotRequired[list[Annotated[str, OneOf(*Condition.values), example(Condition.NETWORK_AVAILABLE.value)]]]
    """It binds only where all of these are true."""
    exemptions: NotRequired[ExemptionCodes]
    """What frees a single appliance; one of them is enough."""
    started_before: NotRequired[Annotated[Day | None, example("2018-05-01")]]
    """It binds only appliances put to use before this day; null for all."""
    spared: NotRequired[list[SparedApplianceJson]]
    """Appliances that, according to the sources, may stay in use without a time limit."""
    confirmation_overdue: NotRequired[Overdue]


def describe_deadline(regulation: Regulation, row: Deadline) -> DeadlineJson:
    return {
        "date": row.date,
        "applies_to": row.applies_to,
        "description": row.description,
        "kind": row.kind,
        "appliances": row.appliances,
        "unclear_appliances": row.unclear_appliances,
        "fuels": row.fuels,
        "conditions": row.conditions,
        "exemptions": row.exemptions,
        "started_before": row.started_before,
        "spared": [
            {"appliance": item.appliance, "started_before": item.started_before} for item in read_spared(row.spared)
        ],
        "confirmation_overdue": regulation.is_overdue(row),
        **describe_provision(regulation, row),
    }


class FuelBanJson(ProvisionJson):
    """A fuel that must not be burnt."""

    fuel: Annotated[str, example("muły węglowe")]
    """The fuel, in Polish."""
    fuels: NotRequired[FuelCodes]
    """The same as codes."""
    detail: NotRequired[Annotated[str | None, example("wilgotność ponad 20%")]]
    """What exactly is meant, in Polish; null when the name says it."""
    from_date: Annotated[Day | None, example("2019-09-01")]
    """First day of the ban; null when not known."""


def describe_ban(regulation: Regulation, row: FuelBan) -> FuelBanJson:
    return {
        "fuel": row.fuel,
        "fuels": row.fuels,
        "detail": row.detail or None,
        "from_date": row.from_date,
        **describe_provision(regulation, row),
    }


ALWAYS = {"binds_requested_unit", "from_date"}
"""Fields of rules that stay when empty."""

ELSEWHERE = {"sources", "area", "teryt", "teryt_partly", "teryt_excluded"}
"""Fields that are left out: sources stand once in the entry, the others distinguish units."""

OF_RESOLUTION = {"title", "publication", "text"}
"""Fields of an act that the resolution repeats where the act is the only one."""

OF_NEXT_DEADLINE = ("date", "applies_to", "description", "kind", "binds_requested_unit")
"""Fields of the unit's next deadline, which stands in full among the deadlines."""


def only_binding(body: dict[str, Any]) -> dict[str, Any]:
    """Return the short form of an entry. body: of `Regulation.of_unit`, with only the rules that bind, or may bind.

    Each source stands once, in the entry; each caveat once, with the first rule of its scope. Rules and acts leave out
    empty fields and ELSEWHERE. With a single act, rules leave out a scope and caveat equal to those of the act, and the
    act leaves out OF_RESOLUTION. The nearest deadline is that of the unit, as OF_NEXT_DEADLINE.
    """
    resolution, unit = body["resolution"], body["requested_unit"]
    if resolution is None:
        return body
    rules = {name: resolution[name] for name in ("deadlines", "banned_fuels")}
    acts = resolution["acts"]
    is_single = len(acts) == 1
    shared = {name: acts[0][name] for name in ("scope", "caveat")} if is_single else {}
    changes = [change for act in acts for change in act["amendments"]]
    sourced = chain(*rules.values(), acts, changes)
    sources = {source["url"]: source for row in sourced for source in row["sources"]}
    following = unit["next_deadline"] and {name: unit["next_deadline"][name] for name in OF_NEXT_DEADLINE}
    return {
        **body,
        "resolution": {
            **resolution,
            "next_deadline": following,
            "deadline_status": unit["deadline_status"],
            **{name: shorten_rules(rows, shared) for name, rows in rules.items()},
            "acts": [
                {
                    **shorten(act, elsewhere=ELSEWHERE | OF_RESOLUTION if is_single else ELSEWHERE),
                    "amendments": [shorten(change) for change in act["amendments"]],
                }
                for act in acts
            ],
        },
        "requested_unit": {**unit, "next_deadline": following},
        "sources": [*sources.values()],
    }


def shorten_rules(rows: list[dict[str, Any]], shared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return rules in short: without a caveat that an earlier rule of the same scope has."""
    explained: set[tuple[str, str]] = set()
    short = []
    for row in rows:
        key = row["scope"], row["caveat"]
        short.append(shorten({**row, "caveat": None} if key in explained else row, shared))
        explained.add(key)
    return short


def shorten(
    row: dict[str, Any], shared: Mapping[str, Any] = MappingProxyType({}), *, elsewhere: Collection[str] = ELSEWHERE
) -> dict[str, Any]:
    """Return a rule or an act without empty fields, `elsewhere`, and values equal to `shared`."""
    return {
        name: value
        for name, value in row.items()
        if name in ALWAYS
        or not (name in elsewhere or value in (None, False, []) or (name in shared and shared[name] == value))
    }
