"""The pages of the calculator: five steps of a form, each sent by POST to the same address, then the result.

Each step carries the answers of the others in hidden fields. The server does not store, log or put them into a URL. A
link may carry the place, the number of people and the present heating into the first step, never an income.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from django.http import QueryDict
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from catalog.api.params import TERYT, Teryt
from catalog.models import Municipality
from catalog.territory.snapshot import territory
from fueldepot.http.params import InvalidParameters, whole, word_for
from fueldepot.http.query import Pairs, Query, field
from pages.page import Page
from pages.subsidy_form import PAGE, demand, describe_errors, missing_areas, parameters, read_values, steps
from subsidy import rules
from subsidy.api.params import HEATINGS, SubsidyQuery
from subsidy.calculator import calculate
from subsidy.household_and_plan import DOCUMENTS, LEVELS, PEOPLE_RANGE, Application, Heating, Item, Level, ProjectType
from subsidy.items_and_eligibility import Result, describe_refusal, refuse_source

GO_ON = "mimo"
"""Hidden field: what stands in the way of a subsidy was read."""

FIRST, RESULT = 1, 6
"""Numbers of the first step and of the result."""

DECIDING = (1, 2)
"""Numbers of the steps that may rule a subsidy out: income and present heating."""

WANTED = "na"
"""Name of the buttons; their values are numbers of steps."""

TITLE = "Kalkulator dotacji Czyste Powietrze"

STATUS = "orientacyjne; przy każdej kwocie zaznaczono, czy potwierdza ją dokument programu"


class StartQuery(Query):
    """What a link may carry into the first step."""

    empty_is_absent = True

    people: Annotated[int | None, whole(*PEOPLE_RANGE), field("A number of people.")] = None
    current_heating: Annotated[Heating | None, word_for(HEATINGS), field("The present heating.")] = None
    teryt: Annotated[Teryt | None, field(TERYT)] = None

    @property
    def values(self) -> dict[str, str]:
        """The answers to begin with; the documents are obligatory, so they are ticked."""
        carried = {"people": self.people, "current_heating": self.current_heating}
        return {name: str(value) for name, value in carried.items() if value} | dict.fromkeys(DOCUMENTS, "1")


@sensitive_variables()
def first_page(query_string: str, today: date) -> Page:
    query, _ = StartQuery.read(query_string)
    return describe_step(query.values, {}, None, FIRST, today, place=find_place(query.teryt or ""))


def find_place(teryt: str) -> Municipality | None:
    """Return the municipality of a code, None for any other text."""
    return territory.get().municipalities.get(teryt) if teryt else None


@sensitive_variables()
def subsidy_page(posted: QueryDict, today: date) -> Page:
    """Return the requested step or the result.

    Going forward stops at the first step with a mistake, and once at the step that rules a subsidy out; going back does
    not. Without the number of a step the result is shown.
    """
    on = rules.current().on(today)
    values = read_values(posted.lists(), on)
    current, target = read_pages(posted)
    pairs, errors = parameters(posted.lists(), on)
    result, obstacle, went_on = None, "", bool(posted.get(GO_ON))
    try:
        query = read_query(pairs, values, on, today)
        result = None if errors else calculate(query.application, on)
        obstacle = obstacle_of(query.application, result, on) if result else ""
    except InvalidParameters as error:
        errors = errors + [
            mistake for mistake in error.errors if mistake.parameter not in {e.parameter for e in errors}
        ]
    if current < target == RESULT and PAGE in posted:
        errors = errors + missing_areas(values)
    messages = describe_errors(values, errors, on)
    wrong = (n for n, step in enumerate(steps(values, on), FIRST) if any(field.name in messages for field in step))
    stopped = next((number for number in wrong if current < target and number < target), None)
    place = find_place(posted.get("teryt", ""))
    if stopped is not None:
        return describe_step(values, messages, None, stopped, today, place=place)
    if current in DECIDING and target == current + 1 and obstacle and not went_on:
        return describe_step(values, {}, result, current, today, place=place, obstacle=obstacle)
    return describe_step(values, {}, result, target, today, place=place, went_on=went_on)


@sensitive_variables()
def read_query(pairs: Pairs, values: Mapping[str, str], on: rules.RulesAt, today: date) -> Any:
    """Return the parameters without unreadable ones that no step shows: costs of works that are not planned.

    Raises InvalidParameters for the others.
    """
    try:
        return SubsidyQuery.parse(pairs, today=today)
    except InvalidParameters as error:
        hidden = {row.parameter for row in error.errors if not describe_errors(values, [row], on)}
        if not hidden:
            raise
        return SubsidyQuery.parse([pair for pair in pairs if pair[0] not in hidden], today=today)


def obstacle_of(application: Application, result: Result, on: rules.RulesAt) -> str:
    """Return why there is no subsidy, or none for a new source, "" where there may be one."""
    if result.shown.level is Level.NONE:
        return result.shown.reason
    if application.heating is Heating.SOLID_FUEL:
        return ""
    return describe_refusal(refuse_source(application, result.shown.project_type), on)


def read_pages(posted: QueryDict) -> tuple[int, int]:
    """Return the numbers of the submitted step (0 without one) and of the requested one (by default RESULT)."""
    pages = {str(number): number for number in range(FIRST, RESULT)}
    return pages.get(posted.get(PAGE, ""), 0), pages.get(posted.get(WANTED, ""), RESULT)


@sensitive_variables()
def describe_step(
    values: Mapping[str, str], errors: Mapping[str, str], result: Result | None, number: int, today: date, **more: Any
) -> Page:
    """Return the page of a step of the form, or of the result.

    errors: messages by name of the field. number: of the step, RESULT for the result. result: of the answers so far;
    None before the first, or with an invalid one. more: place: that a link carried. obstacle: why there is no subsidy,
    or not for a new source, said at the step that decides it. went_on: it was read.

    In the content, hidden: answers of the other steps. on: the rules of today. highest_demand: the index required by
    the highest level. variants: with their index; none when the index was given. items: with their limits by level,
    None where the programme pays nothing. sums: limits of table 3, by project type. source_condition: of every limit of
    a heat source. without_areas: whether the area of a planned work is missing. unpaid: see `unpaid_reason`. remarks:
    see `remarks_of`.
    """
    on = rules.current().on(today)
    all_steps = steps(values, on)
    step = None if number == RESULT else all_steps[number - 1]
    mistakes = [field for field in step or () if field.name in errors]
    heading = "Wynik" if number == RESULT else f"Krok {number} z {len(all_steps)}"
    title = TITLE if number == FIRST else f"{heading} – {TITLE}"
    if mistakes:
        title = f"Popraw dane – {TITLE}"
    return Page(
        template="pages/subsidy",
        query_params=StartQuery.names(),
        title=title,
        description="Policz orientacyjną dotację z programu Czyste Powietrze: poziom, limity pozycji, wkład własny i "
        "warunki, ze źródłem każdej kwoty.",
        path=reverse("subsidy"),
        as_of=on.edition.as_of,
        data_status=STATUS,
        content={
            "place": None,
            "obstacle": "",
            "went_on": False,
            **more,
            "steps": all_steps,
            "values": values,
            "errors": errors,
            "step": step,
            "number": number,
            "hidden": [(name, value) for name, value in values.items() if name not in {row.name for row in step or ()}],
            "mistakes": mistakes,
            "result": result,
            "variants": [(row, demand(row.project_type, on)) for row in result.variants] if result else [],
            "levels": LEVELS,
            "on": on,
            "highest_demand": demand(ProjectType.HIGH, on),
            "items": [(on.items[item], limits(on, f"items/{item}")) for item in Item],
            "sums": [
                (kind.value, demand(kind, on), limits(on, "project_types/table_3_limit", f"{kind.value}/"))
                for kind in ProjectType
            ],
            "source_condition": describe_refusal("row_source_alone", on),
            "today": today,
            "without_areas": bool(missing_areas(values)),
            "unpaid": unpaid_reason(result) if result else "",
            "remarks": remarks_of(result, on) if result else (),
        },
    )


def unpaid_reason(result: Result) -> str:
    """Return why the programme pays for none of the works, whatever the audit says; "" where it may pay."""
    rows = [row for variant in result.variants or (result.shown,) for row in variant.rows]
    return "" if not rows or any(row.eligible for row in rows) else result.shown.rows[0].reason


def remarks_of(result: Result, on: rules.RulesAt) -> tuple[str, ...]:
    """Return the notes without those that the summary and the table of items say already."""
    refused = [row for row in result.shown.rows if not row.eligible]
    stated = {result.shown.reason, *(row.reason for row in refused)}
    stated.update(on.text("note_not_eligible", name=row.name, reason=row.reason) for row in refused)
    return tuple(note for note in result.notes if note not in stated)


def limits(on: rules.RulesAt, key: str, prefix: str = "") -> tuple[rules.Dated | None, ...]:
    return tuple(on.values.get((key, f"{prefix}{level}")) for level in LEVELS)
