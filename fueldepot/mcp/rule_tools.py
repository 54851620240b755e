"""Tools about rules: of resolutions, of subsidies, and of the use of the data."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any, NotRequired

import orjson
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from typing_extensions import TypedDict

from catalog.depots.attribution import LICENCES
from fueldepot.http.links import route_url, site_url
from fueldepot.http.params import ParameterError, whole
from fueldepot.http.query import Query, field
from fueldepot.mcp.answers import Citation, Findings, tool
from pages import api_and_text_pages
from pages.datasets import datasets_page
from pages.page import publisher
from pages.regulations import LIST_TITLE, days_of, path_of, title_of
from pages.subsidy import TITLE as CALCULATOR
from regulations.api.params import DeadlinesQuery, RegulationsQuery
from regulations.api.rule_answers import publication
from regulations.appliance_check import check_appliance
from regulations.appliance_sentences import describe_check
from regulations.models import STALE_AFTER, Deadline
from regulations.queries import Regulation, find_deadlines, find_regulations
from subsidy import rules
from subsidy.api.params import SubsidyQuery
from subsidy.calculator import calculate
from subsidy.household_and_plan import DOCUMENTS
from subsidy.items_and_eligibility import Result, Variant

MOST_DEADLINES = 6

MOST_STALE = 3
"""Most voivodeships that a warning names; more are counted."""

STALE = f"not confirmed for over {STALE_AFTER.days} days: check with the municipality or the gazette before a decision"
"""About legal states that are stale, see `regulations.snapshot`."""

END_OF_SENTENCE = re.compile(r"(?<=\.) (?=[A-ZĆŁŚŹŻ])")
"""A small letter after a full stop belongs to an abbreviation ("2022 r. i")."""


class PlaceRulesQuery(RegulationsQuery):
    hidden = ("voivodeship", "binding")

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterator[ParameterError]:
        if errors or {"teryt", "postcode"} & texts.keys():
            yield from super().compare(texts, errors)
        else:
            yield ParameterError("teryt", "missing", "no place is given; give teryt or postcode")


DeadlineRow = TypedDict(
    "DeadlineRow",
    {"from": date, "what": str, "description": NotRequired[str], "binds": str, "caveat": NotRequired[str]},
)


class ApplianceVerdict(TypedDict, total=False):
    appliance: str
    status: str
    sentence: str


class PlaceRules(ApplianceVerdict):
    """Rules that bind a unit, future deadlines first, with a verdict on an appliance."""

    unit: str
    voivodeship: str
    has_resolution: bool | None
    deadline_status: str
    deadlines: list[DeadlineRow]
    banned_fuels: list[str]


@tool("Anti-smog rules that bind in a place, and until when a stove or boiler may be used there.", list[PlaceRules])
def rules_at(query: PlaceRulesQuery) -> Findings:
    """Return the rules of a unit: deadlines, banned fuels, and until when an appliance may be used.

    Where the answer is too long, deadlines lose their descriptions from the last on before any is left out; the first
    keeps it unless the sentence about an appliance says the same.
    """
    entries = find_regulations(query)
    content = [describe_rules(entry, query) for entry in entries]
    rows = [row for body in content for row in body["deadlines"]]
    return Findings(content, partial(cite_states, entries), rows=content, details=rows if query.appliance else rows[1:])


def cite_states(entries: Sequence[Regulation], left: int) -> Citation:
    """Return the citation of the first `left` legal states, each given once or more."""
    cited = [*{entry.voivodeship.pk: entry for entry in entries[:left]}.values()]
    title, path = (title_of(cited[0]), path_of(cited[0])) if len(cited) == 1 else (LIST_TITLE, reverse("regulations"))
    first, last = days_of(cited)
    sources = [*dict.fromkeys(publication(law) for entry in cited for law in entry.of_unit.laws)]
    slugs = [entry.voivodeship.slug for entry in cited if entry.is_stale]
    stale = ", ".join(slugs) if len(slugs) <= MOST_STALE else f"{len(slugs)} voivodeships"
    return Citation(
        title,
        site_url(path),
        first,
        sources or ["redakcja serwisu"],
        last=last,
        stale=f"{stale}: {STALE}" if slugs else "",
    )


def describe_rules(entry: Regulation, query: PlaceRulesQuery) -> PlaceRules:
    """Return the rules of a unit in one voivodeship: future deadlines first, then past ones.

    Those that decide about a requested appliance stand before both: the others are left out first.
    """
    of_unit = entry.of_unit
    coming = [row for row in of_unit.deadlines if not row.holds_on(entry.on)]
    passed = [row for row in reversed(of_unit.deadlines) if row.holds_on(entry.on)]
    rows, verdict = [*coming, *passed], ApplianceVerdict()
    if query.appliance:
        check = check_appliance(entry, query.appliance)
        sentence = describe_check(check, entry.place, entry.on).sentence
        verdict = {"appliance": query.appliance, "status": check.status, "sentence": sentence}
        deciding = {row.deadline for row in (check.deciding, *check.limited, *check.spared_by) if row}
        rows.sort(key=lambda row: row not in deciding)
    return {
        "unit": f"{entry.place} ({entry.teryt})",
        "voivodeship": entry.voivodeship.slug,
        "has_resolution": entry.has_resolution,
        "deadline_status": entry.deadline_status_of_unit,
        **verdict,
        "deadlines": list(describe_deadlines(entry, rows)),
        "banned_fuels": [row.fuel for row in of_unit.bans],
    }


def describe_deadlines(entry: Regulation, rows: Iterable[Deadline]) -> Iterator[DeadlineRow]:
    """Yield deadlines in short; a caveat of several stands with the first."""
    caveats = {""}
    for row in rows:
        body: DeadlineRow = {
            "from": row.date,
            "what": row.applies_to,
            "description": first_sentence(row.description),
            "binds": "all" if entry.binds(row) else "part or uncertain",
        }
        caveat = entry.caveat_of(row)
        if caveat not in caveats:
            body["caveat"] = first_sentence(caveat)
        caveats.add(caveat)
        yield body


class StatesQuery(RegulationsQuery):
    hidden = ("teryt", "postcode", "voivodeship", "appliance", "binding")


@tool(
    "All voivodeships: whether each has an anti-smog resolution, its next deadline, the day it was confirmed.",
    columns=str,
    states=list[str],
)
def states(query: StatesQuery) -> Findings:
    entries = find_regulations(query)
    rows = []
    for entry in entries:
        has_resolution = orjson.dumps(entry.has_resolution).decode()
        deadline = entry.next_deadline.date if entry.next_deadline else "null"
        as_of = entry.state.as_of if entry.state else "null"
        rows.append(f"{entry.voivodeship.slug},{has_resolution},{deadline},{as_of}")
    content = {"columns": "voivodeship,has_resolution,next_deadline,as_of", "states": rows}
    return Findings(content, partial(cite_states, entries), rows=rows)


class ComingQuery(DeadlinesQuery):
    limit: Annotated[int, whole(1, MOST_DEADLINES), field("A number of deadlines.")] = MOST_DEADLINES


ComingRow = TypedDict(
    "ComingRow", {"from": date, "voivodeship": str, "where": str, "what": str, "caveat": NotRequired[str]}
)


@tool(
    "Coming deadlines of the anti-smog resolutions, the earliest first, of all voivodeships or one. "
    f"At most {MOST_DEADLINES}, fewer where they are long; read on with offset from `next_offset`.",
    total=int,
    deadlines=list[ComingRow],
    why_empty=NotRequired[str],
    next_offset=int | None,
)
def deadlines(query: ComingQuery) -> Findings:
    coming, total = find_deadlines(query, today=timezone.localdate())
    rows = [describe_coming(entry, row) for entry, row in coming]
    content: dict[str, Any] = {"total": total, "deadlines": rows}
    if total and not rows:
        content["why_empty"] = f"offset {query.offset} is past the end; the last deadline is at {total - 1}"
    elif not rows:
        content["why_empty"] = "no such deadline is known; rules_at also has those that have passed"
    return Findings(content, partial(cite_states, [entry for entry, _ in coming]), rows=rows, offset=query.offset)


def describe_coming(entry: Regulation, row: Deadline) -> ComingRow:
    slug, caveat = entry.voivodeship.slug, entry.caveat_of(row)
    body: ComingRow = {"from": row.date, "voivodeship": slug, "where": row.scope, "what": row.applies_to}
    if caveat:
        body["caveat"] = first_sentence(caveat)
    return body


def first_sentence(text: str) -> str:
    first, *rest = END_OF_SENTENCE.split(text, maxsplit=1)
    return f"{first} […]" if rest else first


class HouseholdQuery(SubsidyQuery):  # type: ignore[misc,valid-type] # made by create_model
    """Parameters of `subsidy`: without costs, and without what changes the form of the answer."""

    hidden = ("html", "brief", "dochod_typ", *(name for name in SubsidyQuery.names() if name.startswith("cost_")))


@tool(
    "Indicative clean-air subsidy (Czyste Powietrze) for a household and its plan. Nothing is kept.",
    level=str,
    level_name=str,
    why=str,
    condition=str | None,
    share=float,
    max_subsidy_pln=NotRequired[float],
    between_pln=NotRequired[tuple[float, float]],
    confirmed=NotRequired[bool],
    business_revenue_limit_pln=NotRequired[float],
    notes=list[str],
    disclaimer=str,
)
@sensitive_variables()
def subsidy(query: HouseholdQuery) -> Findings:
    on = rules.current().on(query.on)
    result = calculate(query.application, on)
    variant = result.shown
    content = {
        "level": variant.level,
        "level_name": variant.level_name,
        "why": variant.reason,
        "condition": variant.condition,
        "share": float(variant.intensity),
        **describe_amounts(result),
        "notes": [*describe_works(variant, on), *(row.text for row in result.conditions if "business" in row.applies)],
        "disclaimer": result.disclaimer,
    }
    if (revenue := result.business_revenue_limit_pln) is not None:
        content["business_revenue_limit_pln"] = float(revenue)
    sources = [source.title for source in on.edition.sources]
    return Findings(content, Citation(CALCULATOR, route_url("subsidy"), on.edition.as_of, sources))


def describe_works(variant: Variant, on: rules.RulesAt) -> Iterator[str]:
    """Yield that no works are given, or documents only, and why works are refused, after their names as parameters."""
    if not variant.rows:
        yield on.text("note_no_works")
    elif all(row.item in DOCUMENTS for row in variant.rows):
        yield on.text("note_documents_alone")
    refused = [row for row in variant.rows if not row.eligible]
    for reason in dict.fromkeys(row.reason for row in refused):
        yield f"{', '.join(row.item for row in refused if row.reason == reason)}: {reason}"


def describe_amounts(result: Result) -> dict[str, Any]:
    """Return the most that is paid and its range over the variants; nothing without works.

    confirmed: whether an official text confirms the limits; absent where nothing is paid, because no limit decides.
    """
    if not result.shown.rows:
        return {}
    lowest, highest = map(float, result.amounts_pln)
    # A tuple: answers are shortened at their lists.
    body = {"max_subsidy_pln": float(result.shown.max_subsidy_pln), "between_pln": (lowest, highest)}
    return body | ({"confirmed": result.confirmed} if highest else {})


class UseQuery(Query):
    rule: Annotated[
        int | None,
        whole(1, api_and_text_pages.NUMBER_OF_RULES),
        field("A number of a rule, for its text. Without it all titles."),
    ] = None


@tool(
    "Rules of use of these data, in order, and the data sets and origins of depots under each licence. With rule the "
    "text of that one.",
    rules=NotRequired[list[str]],
    licences=NotRequired[dict[str, list[str]]],
    text=NotRequired[str],
)
def rules_of_use(query: UseQuery) -> Findings:
    """Return the rules of use as the page of the API says them, and licences as the page of the data sets does."""
    page, rules = api_and_text_pages.rules_page(), api_and_text_pages.rules_of_use()
    content: dict[str, Any] = {"rules": [title for title, _ in rules], "licences": {}}
    for row in datasets_page(timezone.localdate()).content["sets"]:
        content["licences"].setdefault(row["licence"], []).append(str(row["slug"]))
    for source, licence in LICENCES.items():
        content["licences"].setdefault(licence, []).append(f"depots/{source}")
    if query.rule:
        content = {"text": " ".join(rules[query.rule - 1])}
    return Findings(content, Citation(page.title, page.canonical, page.as_of, [publisher()["name"]]))
