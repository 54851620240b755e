"""Answers of the calculator: fields, and the functions that make them. Amounts have at most two decimals."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Annotated, Literal, NotRequired, cast

from django.template.loader import render_to_string
from typing_extensions import TypedDict

from fueldepot.http.links import route_url
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Url, example
from subsidy.api.params import PlanQuery
from subsidy.household_and_plan import Household, Item, Level
from subsidy.items_and_eligibility import Binding, ItemRow, Result, Variant
from subsidy.rules import UNITS, RulesAt

PROGRAMME = "https://czystepowietrze.gov.pl/"
MOST_UNKNOWN, LONGEST_UNKNOWN = 5, 40

DOCUMENTS = "Czyste Powietrze: dokumenty obowiązujące"

Verified = Annotated[bool, example(True, "Whether an official source confirms it.")]
SourceName = Annotated[str, example(DOCUMENTS, "Name of the source.")]
SourceUrl = Annotated[Url, example(PROGRAMME, "Address of the source.")]
CalculatorPage = Annotated[Url, example(f"{EXAMPLE_SITE}/dotacja/", "Page of the calculator.")]
Fragment = Annotated[str, example("<p>…</p>", "A part of the result as HTML.")]


def optional(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


class LimitSourceJson(TypedDict):
    """Where the limit of an item stands; null where there is no limit."""

    unit_limit_pln: Annotated[float, example(192.5, ge=0)]
    """Limit of one piece or square metre."""
    valid_from: Annotated[Day, example("2026-07-20")]
    """First day of this limit."""
    verified: Verified
    name: SourceName
    url: SourceUrl


class SubsidyItemJson(TypedDict):
    """One item of the plan."""

    item: Annotated[str, OneOf(*Item), example("walls")]
    """Identifier of the item."""
    name: Annotated[str, example("Ocieplenie ścian")]
    """Polish name of the item."""
    clause: Annotated[str, example("załącznik nr 2 do programu, tabela 3")]
    """Where the programme says so."""
    quantity: Annotated[float, example(150.0, ge=0)]
    """Quantity in the unit of the item."""
    unit: Annotated[str, OneOf(*sorted(UNITS)), example("m2")]
    """Pieces or square metres."""
    limit_pln: Annotated[float, example(28875.0, ge=0)]
    """Limit of the item."""
    net_cost_pln: Annotated[float | None, example(40000.0, ge=0)]
    """Net cost as given; null without one."""
    subsidy_pln: Annotated[float, example(28000.0, ge=0)]
    """Subsidy of the item, before the limit of table 3."""
    eligible: Annotated[bool, example(True)]
    """Whether the programme pays for it."""
    binding: Annotated[str | None, OneOf(*Binding, None), example("limit")]
    """Which bound decided; null where nothing is paid."""
    reason: Annotated[str | None, example("Dochód jest zbyt wysoki.")]
    """Why it is not eligible, in Polish; null when it is."""
    limit_source: LimitSourceJson | None


def describe_item(row: ItemRow) -> SubsidyItemJson:
    """Return an item. Not in the specification: binding, reason, limit_source."""
    limit = row.limit
    return {
        "item": row.item,
        "name": row.name,
        "clause": row.clause,
        "quantity": float(row.quantity),
        "unit": row.unit,
        "limit_pln": float(row.limit_pln),
        "net_cost_pln": optional(row.net_cost_pln),
        "subsidy_pln": float(row.subsidy_pln),
        "eligible": row.eligible,
        "binding": row.binding,
        "reason": row.reason or None,
        "limit_source": None
        if limit is None
        else {
            "unit_limit_pln": float(limit.number),
            "valid_from": limit.valid_from,
            "verified": limit.verified,
            "name": limit.source.title,
            "url": cast(str, limit.source.url),
        },
    }


class SubsidyOutcomeJson(TypedDict):
    """The result for one project type."""

    level: Annotated[str, OneOf(*Level), example("elevated")]
    """Level of funding."""
    level_name: Annotated[str, example("podwyższony")]
    """Polish name of the level."""
    level_reason: Annotated[str, example("Dochód na osobę nie przekracza progu 2 250 zł miesięcznie.")]
    """Why this level, in Polish."""
    condition: Annotated[str | None, example("Dochód roczny…")]
    """What must hold besides what was stated, in Polish; null when nothing."""
    intensity: Annotated[float, example(0.7, ge=0, le=1)]
    """Funding share as a fraction."""
    household: Annotated[str, OneOf(*Household), example("multi_person")]
    """`unknown` when `people` was not given."""
    project_type: Annotated[Literal[1, 2, 3], example(3)]
    """Project type; matches the classes of `eu`."""
    table_3_sum_pln: Annotated[float, example(28875.0, ge=0)]
    """Sum of the subsidy for items of the envelope."""
    table_3_limit_pln: Annotated[float, example(58100.0, ge=0)]
    """Limit of that sum."""
    max_subsidy_pln: Annotated[float, example(43225.0, ge=0)]
    """Most the programme would pay in all."""
    own_contribution_net_pln: Annotated[float | None, example(12375.0, ge=0)]
    """Own contribution over the items with a cost; null without any cost."""


class SubsidyVariantJson(SubsidyOutcomeJson):
    """The result for one project type."""

    items: list[SubsidyItemJson]
    """What was asked for, item by item."""


def describe_variant(variant: Variant) -> SubsidyVariantJson:
    """Return the fields from level to own contribution. Not in the specification: level_reason."""
    return {
        "level": variant.level,
        "level_name": variant.level_name,
        "level_reason": variant.reason,
        "condition": variant.condition,
        "intensity": float(variant.intensity),
        "household": variant.household,
        "project_type": cast("Literal[1, 2, 3]", int(variant.project_type)),
        "items": [describe_item(row) for row in variant.rows],
        "table_3_sum_pln": float(variant.table_3_sum_pln),
        "table_3_limit_pln": float(variant.table_3_limit_pln),
        "max_subsidy_pln": float(variant.max_subsidy_pln),
        "own_contribution_net_pln": optional(variant.own_contribution_pln),
    }


class SubsidyConditionJson(TypedDict):
    """A condition of the programme."""

    text: Annotated[str, example("Dom jest jednorodzinny.")]
    """The condition, in Polish."""
    clause: Annotated[str, example("program Czyste Powietrze")]
    """Where the programme says so."""
    verified: Verified
    source_url: SourceUrl


class SubsidyProgramJson(TypedDict):
    """The edition of the programme."""

    version_from: Annotated[Day, example("2026-07-20")]
    """First day of the edition in force."""
    as_of: Annotated[Day, example("2026-10-01")]
    """Day to which the edition is described."""


class SubsidySourceJson(TypedDict):
    """A source of the rules."""

    name: SourceName
    url: SourceUrl


class SubsidyHtmlJson(TypedDict):
    """HTML fragments of the result, in Polish. Only with `html` true."""

    summary: Fragment
    items: Fragment
    conditions: Fragment


class SubsidyJson(SubsidyOutcomeJson):
    """An indicative result; the regional environmental-protection fund decides."""

    items: NotRequired[list[SubsidyItemJson]]
    """What was asked for, item by item. Absent with `brief`."""
    audit_variants: NotRequired[list[SubsidyVariantJson]]
    """Results of project types 1, 2 and 3 when `eu` is unknown; else empty. Absent with `brief`."""
    max_subsidy_range_pln: NotRequired[list[Annotated[float, example(14000.0, ge=0)]]]
    """Lowest and highest `max_subsidy_pln` of the variants, equal when `eu` is given. Only with `brief`."""
    notes: list[Annotated[str, example("Limity obcinamy do pełnego grosza.", "A remark in Polish.")]]
    """Remarks on the result; the first of them name parameters that are not known and were ignored."""
    conditions: NotRequired[list[SubsidyConditionJson]]
    """Conditions of the programme that concern this plan. Absent with `brief`."""
    disclaimer: Annotated[str, example("Wynik jest orientacyjny.")]
    """How far the result can be relied on, in Polish."""
    program: SubsidyProgramJson
    sources: NotRequired[list[SubsidySourceJson]]
    """Sources of the rules. Absent with `brief`."""
    page: CalculatorPage
    business_revenue_limit_pln: Annotated[float | None, example(192240.0, ge=0)]
    """Revenue limit of a business; null without `business`."""
    html: NotRequired[SubsidyHtmlJson]


def describe_subsidy(result: Result, *, notes: Sequence[str], html: bool, brief: bool) -> SubsidyJson:
    """Return the whole answer. notes: those that come first. brief: leave out the lists."""
    variant = describe_variant(result.shown)
    body: SubsidyJson = {
        **variant,  # type: ignore[typeddict-item] # mypy wants `html`, which may be absent
        "audit_variants": [describe_variant(variant) for variant in result.variants],
        "notes": [*notes, *result.notes],
        "conditions": [
            {"text": row.text, "clause": row.clause, "verified": row.verified, "source_url": cast(str, row.source.url)}
            for row in result.conditions
        ],
        "disclaimer": result.disclaimer,
        "program": {"version_from": result.edition.valid_from, "as_of": result.edition.as_of},
        "sources": [{"name": source.title, "url": cast(str, source.url)} for source in result.sources],
        "page": route_url("subsidy"),
        "business_revenue_limit_pln": optional(result.business_revenue_limit_pln),
    }
    if brief:
        del body["items"], body["audit_variants"], body["conditions"], body["sources"]
        body["max_subsidy_range_pln"] = [float(amount) for amount in result.amounts_pln]
    if html:
        context = {"result": result, "shown": result.shown}
        body["html"] = {
            "summary": render_to_string("subsidy/_summary.html", context).strip(),
            "items": render_to_string("subsidy/_items.html", context).strip(),
            "conditions": render_to_string("subsidy/_conditions.html", context).strip(),
        }
    return body


class SubsidyLimitJson(TypedDict):
    """A threshold, share or limit of the programme in force."""

    parameter: Annotated[str, example("levels/monthly_income")]
    """What it is: `levels/monthly_income`, `levels/intensity`, `project_types/table_3_limit`, `items/walls` and so
    on."""
    key: Annotated[str, example("elevated/multi_person")]
    """For whom: a level, `level/household`, or `project type/level`."""
    value: Annotated[float, example(2250.0, ge=0)]
    """The number in its unit."""
    unit: Annotated[str, example("PLN/person/month")]
    """Unit of the number."""
    valid_from: Annotated[Day, example("2025-03-31")]
    """First day of this number."""
    verified: Verified
    source_url: Annotated[Url | None, example(PROGRAMME)]
    """Address of the source; null where it has none."""


class SubsidyLimitsJson(TypedDict):
    """Thresholds, shares and limits of the programme as data. The documents of the programme bind."""

    program: SubsidyProgramJson
    limits: list[SubsidyLimitJson]
    """The numbers in force, by parameter."""
    page: CalculatorPage


def describe_limits(on: RulesAt, about: str | None) -> SubsidyLimitsJson:
    """Return the numbers in force. about: a group of them, None for all."""
    return {
        "program": {"version_from": on.edition.valid_from, "as_of": on.edition.as_of},
        "limits": [
            {
                "parameter": parameter,
                "key": key,
                "value": float(number.number),
                "unit": number.unit,
                "valid_from": number.valid_from,
                "verified": number.verified,
                "source_url": number.source.url or None,
            }
            for (parameter, key), number in sorted(on.values.items())
            if about in (None, parameter.partition("/")[0])
        ],
        "page": route_url("subsidy"),
    }


def describe_unknown(query: PlanQuery, on: RulesAt) -> Iterator[str]:
    """Yield notes on the first MOST_UNKNOWN ignored parameters, shortened and without control characters."""
    for name in query.ignored[:MOST_UNKNOWN]:
        text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[:LONGEST_UNKNOWN])
        names = sorted({*query.names(), *query.synonyms})
        nearest = get_close_matches(text.strip().lower(), names, n=1, cutoff=0.7)
        text += "…" if len(name) > LONGEST_UNKNOWN else ""
        if nearest:
            yield on.text("note_parameter_misspelt", name=text, nearest=nearest[0])
        else:
            yield on.text("note_parameter_unknown", name=text)
    if (more := len(query.ignored) - MOST_UNKNOWN) > 0:
        yield on.text("note_parameters_unknown", count=more)
