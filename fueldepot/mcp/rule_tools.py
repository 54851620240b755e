"""Tools about the rules of resolutions and subsidies."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from fueldepot.http.params import InvalidParameters, ParameterError
from fueldepot.mcp.answers import Arguments, Citation, Findings, Row, read_arguments, route_url
from pages.regulations import basis_of
from regulations.api.params import DeadlinesQuery, RegulationsQuery
from regulations.appliance_check import check_appliance
from regulations.appliance_descriptions import describe_check
from regulations.freshness import STALE_AFTER
from regulations.models import Deadline
from regulations.queries import Regulation, find_deadlines, find_regulations
from subsidy import rules
from subsidy.api.params import SubsidyQuery
from subsidy.api.serializers import describe_unknown
from subsidy.application import DOCUMENTS
from subsidy.calculator import Result, Variant, calculate

MOST_DEADLINES = 6

STALE = f"not confirmed for over {STALE_AFTER.days} days: check with the municipality or the gazette before a decision"
"""About legal states that are stale, see `regulations.freshness`."""

END_OF_SENTENCE = re.compile(r"(?<=\.) (?=[A-ZĆŁŚŹŻ])")
"""A small letter after a full stop belongs to an abbreviation ("2022 r. i")."""


def rules_at(arguments: Arguments) -> Findings:
    """Return the rules of a unit: deadlines, banned fuels, and until when an appliance may be used.

    Where the answer is too long, deadlines lose their descriptions from the last on before any is left out; the first
    keeps it unless the sentence about an appliance says the same.
    """
    query = RegulationsQuery.parse(read_arguments(arguments), today=timezone.localdate())
    if query.teryt is None and query.postcode is None:
        message = "no place is given; give teryt or postcode"
        raise InvalidParameters([ParameterError("teryt", "missing", message)])
    rules = [Row(entry, describe_rules(entry, query)) for entry in find_regulations(query)]
    rows = [row for entry in rules for row in entry["deadlines"]]
    return Findings(rules, cite_states, details=rows if query.appliance else rows[1:])


def cite_states(entries: list[Regulation]) -> Citation:
    """Return the citation of legal states, each given once or more."""
    basis = basis_of([*{entry.voivodeship.pk: entry for entry in entries}.values()])
    return Citation(
        basis.title,
        basis.url,
        basis.first,
        basis.publications or ["redakcja serwisu"],
        last=basis.last,
        stale=f"{', '.join(basis.stale)}: {STALE}" if basis.stale else "",
    )


def describe_rules(entry: Regulation, query: RegulationsQuery) -> dict[str, Any]:
    """Return the rules of a unit in one voivodeship: future deadlines first, then past ones."""
    assert entry.unit is not None  # noqa: S101 - the parameters want one
    shown = entry.of_unit
    coming = [row for row in shown.deadlines if row.date > entry.on]
    passed = [row for row in reversed(shown.deadlines) if row.date <= entry.on]
    body: dict[str, Any] = {
        "unit": f"{entry.unit.name} ({entry.unit.teryt})",
        "voivodeship": entry.voivodeship.slug,
        "has_resolution": entry.has_resolution,
        "deadline_status": entry.deadline_status_of_unit,
    }
    if query.appliance:
        check = check_appliance(entry, query.appliance)
        verdict = describe_check(check, entry.unit.name, entry.on)
        body |= {"appliance": query.appliance, "status": check.status, "sentence": verdict.sentence}
    return body | {
        "deadlines": list(describe_deadlines(entry, (*coming, *passed))),
        "banned_fuels": [row.fuel for row in shown.bans],
    }


def describe_deadlines(entry: Regulation, rows: Iterable[Deadline]) -> Iterator[dict[str, Any]]:
    """Yield deadlines in short; a caveat of several stands with the first."""
    said = {""}
    for row in rows:
        body = {
            "from": row.date,
            "what": row.applies_to,
            "description": first_sentence(row.description),
            "binds": "all" if entry.binds(row) else "part or uncertain",
        }
        caveat = entry.caveat_of(row)
        yield body if caveat in said else body | {"caveat": first_sentence(caveat)}
        said.add(caveat)


def deadlines(arguments: Arguments) -> Findings:
    """Return the coming deadlines of all voivodeships or one, the earliest first, a page of all of them."""
    today = timezone.localdate()
    query = DeadlinesQuery.parse(read_arguments({"limit": MOST_DEADLINES, **arguments}), today=today)
    found, total = find_deadlines(query, today=today)
    content = {"total": total, "deadlines": [describe_coming(entry, row) for entry, row in found]}
    return Findings(content, cite_states, page="deadlines", offset=query.offset)


def describe_coming(entry: Regulation, row: Deadline) -> Row:
    """Return a deadline of one of several voivodeships in short."""
    body = {"from": row.date, "voivodeship": entry.voivodeship.slug, "where": row.scope, "what": row.applies_to}
    caveat = entry.caveat_of(row)
    return Row(entry, body | ({"caveat": first_sentence(caveat)} if caveat else {}))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, with an ellipsis where others follow."""
    first, *rest = END_OF_SENTENCE.split(text, maxsplit=1)
    return f"{first} […]" if rest else first


@sensitive_variables()
def get_subsidy(arguments: Arguments) -> Findings:
    """Return level, share and maximum subsidy of the clean-air programme. No argument is stored."""
    query = SubsidyQuery.parse(read_arguments(arguments), today=timezone.localdate())
    on = rules.current().on(query.on)
    result = calculate(query.application, on)
    shown = result.shown
    found = {
        "level": shown.level,
        "level_name": shown.level_name,
        "why": shown.reason,
        "condition": shown.condition,
        "share": float(shown.intensity),
        **describe_amounts(result),
        "notes": [*describe_unknown(query, on), *describe_works(shown, on)],
        "disclaimer": result.disclaimer,
    }
    citation = Citation(
        "Kalkulator dotacji Czyste Powietrze",
        route_url("subsidy"),
        on.edition.as_of,
        [source.title for source in on.edition.sources],
    )
    return Findings(found, lambda _: citation)


def describe_works(shown: Variant, on: rules.RulesAt) -> Iterator[str]:
    """Yield that no works are given, or documents only, and why works are refused, after their names as parameters."""
    if not shown.rows:
        yield on.text("note_no_works")
    elif all(row.item in DOCUMENTS for row in shown.rows):
        yield on.text("note_documents_alone")
    refused = [row for row in shown.rows if not row.eligible]
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
