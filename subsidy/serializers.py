"""The wire shapes of `/subsidy`, field by field. Amounts are JSON numbers of at most two decimals."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse

from catalog.links import site_url
from subsidy.calculator import Result, Row, Variant
from subsidy.params import SubsidyQuery
from subsidy.rules import RulesOn


@lru_cache
def page_url() -> str:
    """The calculator's page."""
    return site_url(reverse("subsidy"))


def optional(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def row(row: Row) -> dict[str, Any]:
    """An item. Beyond the specification: binding, reason, and where the limit stands."""
    return {
        "item": row.item.value,
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
        if row.limit is None
        else {
            "unit_limit_pln": float(row.limit.value),
            "valid_from": row.limit.valid_from,
            "verified": row.limit.verified,
            "name": row.limit.source.title,
            "url": row.limit.source.url,
        },
    }


def variant(variant: Variant) -> dict[str, Any]:
    """The result for one project type; the fields from level to own contribution. level_reason is beyond them."""
    return {
        "level": variant.level.value,
        "level_name": variant.level_name,
        "level_reason": variant.reason,
        "condition": variant.condition,
        "intensity": float(variant.intensity),
        "household": variant.household.value,
        "project_type": int(variant.project_type),
        "items": [row(one) for one in variant.rows],
        "table_3_sum_pln": float(variant.table_3_sum_pln),
        "table_3_limit_pln": float(variant.table_3_limit_pln),
        "max_subsidy_pln": float(variant.max_subsidy_pln),
        "own_contribution_net_pln": optional(variant.own_contribution_pln),
    }


def unknown_notes(query: SubsidyQuery, on: RulesOn) -> Iterator[str]:
    """Which parameters were ignored because no parameter has their name."""
    for one in query.unknown:
        if one.nearest:
            yield on.text("note_parameter_misspelt", name=one.name, nearest=one.nearest)
        else:
            yield on.text("note_parameter_unknown", name=one.name)
    if query.more_unknown:
        yield on.text("note_parameters_unknown", count=query.more_unknown)


def result(result: Result, *, html: bool, ignored: Iterable[str] = ()) -> dict[str, Any]:
    """The whole answer. html: with fragments. ignored: notes that come first.

    business_revenue_limit_pln is beyond the specification.
    """
    answer = {
        **variant(result.shown),
        "audit_variants": [variant(one) for one in result.variants],
        "notes": [*ignored, *result.notes],
        "conditions": [
            {"text": one.text, "clause": one.clause, "verified": one.verified, "source_url": one.source.url}
            for one in result.conditions
        ],
        "disclaimer": result.disclaimer,
        "program": {"version_from": result.edition.valid_from, "as_of": result.edition.as_of},
        "sources": [{"name": source.title, "url": source.url} for source in result.sources],
        "page": page_url(),
        "business_revenue_limit_pln": optional(result.business_revenue_limit_pln),
    }
    if html:
        answer["html"] = {
            part: render_to_string(f"subsidy/_{part}.html", {"result": result, "shown": result.shown}).strip()
            for part in ("summary", "items", "conditions")
        }
    return answer
