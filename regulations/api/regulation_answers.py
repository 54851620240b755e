"""Answers of the regulation endpoints: published fields, and what makes them."""

from typing import Annotated, NotRequired, cast

from django.urls import reverse
from typing_extensions import TypedDict

from catalog.api.place_answers import VoivodeshipCode, VoivodeshipSlug
from catalog.links import municipality_url
from catalog.models import Municipality
from catalog.territory.snapshot import Unit, territory
from fueldepot.http.links import route_url, site_url
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Url, example
from regulations.api import rule_answers as rules
from regulations.appliance_check import ApplianceStatus, check_appliance
from regulations.appliance_sentences import (
    STATE_UNKNOWN,
    describe_check,
    describe_limit,
    last_day,
    of_a_later_state,
    without_deadline,
)
from regulations.codes import Appliance
from regulations.models import STALE_AFTER, Deadline
from regulations.queries import Regulation

LEVELS = {2: "voivodeship", 4: "county", 7: "municipality"}
"""Levels of units by the number of digits of their codes."""

StateDay = Annotated[Day, example("2026-10-01", "Day to which the legal state is current.")]
RegulationsPage = Annotated[
    Url, example(f"{EXAMPLE_SITE}/przepisy/malopolskie/", "Page with the regulations of the voivodeship.")
]


class RequestedUnitJson(TypedDict):
    """The unit asked for.

    Comes with `teryt` or `postcode`; for a postcode it is the municipality with most addresses there.
    """

    name: Annotated[str, example("Kraków")]
    """Name of the unit."""
    level: Annotated[str, OneOf(*LEVELS.values()), example("municipality")]
    """Level of the unit."""
    teryt: Annotated[str, example("1261011", pattern="^[0-9]{2}([0-9]{2}([0-9]{3})?)?$")]
    """TERYT code of the unit."""
    url: Annotated[Url, example(f"{EXAMPLE_SITE}/sklady/malopolskie/krakow-1261011/")]
    """Page of the unit; of a county, the page of its voivodeship."""
    next_deadline: rules.DeadlineJson | None
    deadline_status: rules.NextDeadlineStatus
    confirmation_overdue: Annotated[bool | None, example(False)]
    """The same as of the voivodeship, of the deadlines that bind the unit or a part of it."""
    note: Annotated[str | None, example("Terminów tej uchwały nie znamy.")]
    """Why `next_deadline` is null, in Polish: the known deadlines have passed, no act binds, the dates of one that does
    are not known, or the whole legal state is not. Null with a deadline, and where there is no resolution."""


def describe_unit(regulation: Regulation, unit: Unit) -> RequestedUnitJson:
    deadline = regulation.of_unit.next_deadline
    return {
        "name": unit.name,
        "level": LEVELS[len(unit.teryt)],
        "teryt": unit.teryt,
        "url": unit_url(unit),
        "next_deadline": rules.describe_deadline(regulation, deadline) if deadline else None,
        "deadline_status": regulation.deadline_status_of_unit,
        "confirmation_overdue": bool(regulation.of_unit.overdue) if regulation.state else None,
        "note": None if deadline else without_deadline(regulation) or None,
    }


class ResolutionJson(TypedDict):
    """The acts of a voivodeship taken together; null where there is none, or where none is known.

    The text of the acts binds, not this summary. With `binding` it is about what binds the unit asked for, null where
    nothing does; `next_deadline` is then that of `requested_unit`.
    """

    title: Annotated[str, example("Uchwała w sprawie ograniczeń i zakazów")]
    """Title of the act, or titles of the acts."""
    publication: Annotated[str, example("Dz. Urz. Woj. Małopolskiego z 2017 r. poz. 787")]
    """Gazette references, amendments included. An act whose position is not known comes with its number and day."""
    text: Annotated[Url | None, example(rules.GAZETTE)]
    """Official text of the act of the whole voivodeship; null when its address is not known."""
    as_of: StateDay
    summary: Annotated[str, example("Co i do kiedy wolno.")]
    """Plain-language summary in Polish of the newest state. For an earlier day with other acts or rules it says
    first that it is of a later one."""
    page: RegulationsPage
    next_deadline: rules.DeadlineJson | None
    deadline_status: rules.NextDeadlineStatus
    deadlines: list[rules.DeadlineJson]
    """Every deadline of the voivodeship, the earliest first."""
    banned_fuels: list[rules.FuelBanJson]
    """Fuels that must not be burnt."""
    acts: list[rules.ActJson]
    """The acts one by one."""
    calendar: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/regulations/malopolskie.ics")]
    """The deadlines as a calendar."""


def describe_resolution(regulation: Regulation) -> ResolutionJson | None:
    state, main = regulation.state, regulation.main
    if state is None or main is None:
        return None
    deadline = regulation.next_deadline
    return {
        "title": "; ".join(law.resolution.title for law in regulation.laws),
        "publication": "; ".join(rules.publication(law) for law in regulation.laws),
        "text": main.text_url or None,
        "as_of": state.as_of,
        "summary": of_a_later_state(regulation, state.summary),
        "page": route_url("regulation", regulation.voivodeship.slug),
        "next_deadline": rules.describe_deadline(regulation, deadline) if deadline else None,
        "deadline_status": regulation.deadline_status,
        "deadlines": [rules.describe_deadline(regulation, row) for row in regulation.deadlines],
        "banned_fuels": [rules.describe_ban(regulation, row) for row in regulation.bans],
        "acts": [rules.describe_act(regulation, law) for law in regulation.laws],
        "calendar": route_url("v1:regulations-calendar", regulation.voivodeship.slug),
    }


class ApplianceLimitJson(TypedDict):
    """A deadline for some fuels, buildings, appliances or parts of the municipality only."""

    last_day: Annotated[Day, example("2029-12-31")]
    """Last day of use where it binds."""
    sentence: Annotated[str, example("Do 31 grudnia 2029 r., jeśli paliwo to węgiel kamienny.")]
    """The same as a sentence in Polish."""
    exemptions: rules.ExemptionCodes
    """What frees a single appliance; one of them is enough."""
    deadline: rules.DeadlineJson


class RequestedApplianceJson(TypedDict):
    """Until when the appliance asked for may be used in the requested municipality. Comes with `appliance`."""

    appliance: Annotated[str, OneOf(*Appliance.values), example(Appliance.BOILER_CLASS_3.value)]
    """Code of the appliance."""
    name: Annotated[str, example(Appliance.BOILER_CLASS_3.label)]
    """Its name in Polish."""
    status: Annotated[str, OneOf(*ApplianceStatus), example(ApplianceStatus.ENDS.value)]
    """What is known. `ends`, `ended`: the deciding deadline is ahead, or has passed. `stays`: a source says that it
    may be used without a time limit. `limited`: the deadlines are for some fuels, buildings or parts of the
    municipality only. `contradicted`: sources contradict each other. `not_named`: no known deadline is about it.
    `dates_unknown`: an act binds, its deadlines are not known. `state_unknown`: nothing was ever imported. None
    of the last three is a permission. `no_resolution`: no act binds."""
    last_day: Annotated[Day | None, example("2026-12-31")]
    """Last day of use with `ends` and `ended`; null otherwise."""
    sentence: Annotated[str, example("Zakopane, kocioł klasy 3: wolno używać do 31 grudnia 2026 r.")]
    """The answer as one sentence in Polish."""
    today: Annotated[str | None, example("Zapytaj w gminie.")]
    """What that means today, in Polish; null where there is nothing to add."""
    exemptions: rules.ExemptionCodes
    """What frees a single appliance from the deciding deadline; one of them is enough."""
    stays_if_started_before: Annotated[Day | None, example("2017-07-01")]
    """Appliances put to use before this day may stay; null without such a rule."""
    deadline: rules.DeadlineJson | None
    limits: list[ApplianceLimitJson]
    """Further deadlines of the appliance, the earliest first."""
    page: Annotated[Url, example(f"{EXAMPLE_SITE}/przepisy/sprawdz/?miejsce=1217011&piec=boiler_class_3")]
    """Page of the check."""


def describe_appliance(regulation: Regulation, unit: Unit, appliance: Appliance) -> RequestedApplianceJson:
    check = check_appliance(regulation, appliance)
    verdict = describe_check(check, unit.name, regulation.on)
    deciding = check.deciding
    return {
        "appliance": appliance,
        "name": appliance.label,
        "status": check.status,
        "last_day": last_day(deciding) if deciding else None,
        "sentence": verdict.sentence,
        "today": verdict.today or None,
        "exemptions": [*deciding.exemptions] if deciding else [],
        "stays_if_started_before": check.stays_if_started_before,
        "deadline": rules.describe_deadline(regulation, deciding.deadline) if deciding else None,
        "limits": [
            {
                "last_day": last_day(limit),
                "sentence": describe_limit(limit, regulation.on),
                "exemptions": [*limit.exemptions],
                "deadline": rules.describe_deadline(regulation, limit.deadline),
            }
            for limit in check.limited
        ],
        "page": site_url(f"{reverse('stove-check')}?miejsce={unit.teryt}&piec={appliance}"),
    }


class RegulationJson(TypedDict):
    """The legal state of a voivodeship."""

    voivodeship: VoivodeshipSlug
    teryt: VoivodeshipCode
    has_resolution: Annotated[bool | None, example(True)]
    """Whether the voivodeship has an anti-smog resolution; null when not known, because no legal state of it was
    ever imported."""
    resolution: ResolutionJson | None
    page: RegulationsPage
    as_of: Annotated[Day | None, example("2026-10-01")]
    """Day to which the legal state is current; null when nothing is known of the voivodeship."""
    confirmation_overdue: Annotated[
        bool | None,
        example(
            False,
            "Whether a deadline comes within a year although nobody has confirmed the legal state for "
            f"{STALE_AFTER.days} days: check it in the gazette. With `binding` of the deadlines that bind the unit. "
            "Null when nothing is known of the voivodeship.",
        ),
    ]
    confirmed_days_ago: Annotated[int | None, example(52)]
    """Days from `as_of` to the day of the answer, whether or not a deadline is near: negative for an earlier day.
    Null when nothing is known of the voivodeship."""
    describes_later_state: Annotated[bool, example(False)]
    """Whether acts or rules changed after the day of the answer: then `as_of`, `note` and `summary` describe a later
    state."""
    note: Annotated[str | None, example("Nie ma uchwały antysmogowej.")]
    """What else is known, in Polish; null when nothing is. For an earlier day with other acts or rules it says first
    that it is of a later state."""
    sources: rules.ReadSources
    requested_unit: NotRequired[RequestedUnitJson]
    requested_appliance: NotRequired[RequestedApplianceJson]


def describe_regulation(
    regulation: Regulation, *, appliance: Appliance | None = None, binding: bool = False
) -> RegulationJson:
    """Return the legal state of a voivodeship. appliance: to check in the unit. binding: the short form."""
    state, described = regulation.state, regulation.of_unit if binding else regulation
    body: RegulationJson = {
        "voivodeship": regulation.voivodeship.slug,
        "teryt": regulation.voivodeship.teryt,
        "has_resolution": regulation.has_resolution,
        "resolution": describe_resolution(described),
        "page": route_url("regulation", regulation.voivodeship.slug),
        "as_of": state.as_of if state else None,
        "confirmation_overdue": bool(described.overdue) if state else None,
        "confirmed_days_ago": (regulation.on - state.as_of).days if state else None,
        "describes_later_state": regulation.changed_since,
        "note": of_a_later_state(regulation, state.note) or None if state else STATE_UNKNOWN,
        "sources": rules.describe_sources(state.sources) if state else [],
    }
    if regulation.unit:
        body["requested_unit"] = describe_unit(regulation, regulation.unit)
        if appliance:
            body["requested_appliance"] = describe_appliance(regulation, regulation.unit, appliance)
    return cast("RegulationJson", rules.only_binding({**body})) if binding else body


class ComingDeadlineJson(TypedDict):
    """A deadline in short, with the voivodeship that it belongs to. The text of the act binds."""

    date: rules.DeadlineDay
    voivodeship: VoivodeshipSlug
    scope: rules.Place
    applies_to: rules.Subject
    description: rules.Meaning
    kind: rules.DeadlineKind
    appliances: rules.ApplianceCodes
    """Appliances that it ends or limits; empty for a deadline about fuels alone."""
    unclear_appliances: rules.ApplianceCodes
    """Appliances about which sources contradict each other, or are vague; `caveat` says how."""
    uncertain: Annotated[bool, example(False)]
    """Whether sources contradict each other about it binding anywhere in its area; `caveat` says how."""
    caveat: Annotated[str | None, example("Bez strefy uzdrowiskowej.")]
    """What is uncertain about it or its scope, in Polish; null when nothing is."""
    confirmation_overdue: rules.Overdue
    as_of: StateDay
    page: Annotated[Url, example(f"{EXAMPLE_SITE}/przepisy/malopolskie/")]
    """Page with the regulations of the voivodeship, to be named in a quotation."""


def describe_coming_deadline(regulation: Regulation, deadline: Deadline) -> ComingDeadlineJson:
    assert regulation.state is not None  # noqa: S101 - deadlines belong to a state
    return {
        "date": deadline.date,
        "voivodeship": regulation.voivodeship.slug,
        "scope": deadline.scope,
        "applies_to": deadline.applies_to,
        "description": deadline.description,
        "kind": deadline.kind,
        "appliances": deadline.appliances,
        "unclear_appliances": deadline.unclear_appliances,
        "uncertain": deadline.uncertain,
        "caveat": regulation.caveat_of(deadline) or None,
        "confirmation_overdue": regulation.is_overdue(deadline),
        "as_of": regulation.state.as_of,
        "page": route_url("regulation", regulation.voivodeship.slug),
    }


def unit_url(unit: Unit) -> str:
    if isinstance(unit, Municipality):
        return municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt)
    return route_url("voivodeship", territory.get().voivodeships[unit.teryt[:2]].slug)
