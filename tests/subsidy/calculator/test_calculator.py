"""Properties of the calculator for any application, and how its amounts are rounded and written."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsidy import household_and_plan, rules
from subsidy.calculator import calculate, make_variant
from subsidy.household_and_plan import DOCUMENTS, ENVELOPE, SOURCES, Application, Heating, Item, Level, ProjectType
from subsidy.items_and_eligibility import make_rows, truncate_to_grosz

GROSZ = Decimal("0.01")
DAYS = st.dates(date(2025, 3, 31), date(2031, 12, 31))
MONEY = st.decimals(0, 10_000_000, places=3)
AREAS = st.decimals(Decimal("0.001"), 5000, places=3)


@st.composite
def applications(draw, **fixed):
    """Generate any application that the parameters allow."""
    scope = {item: draw(AREAS) for item in draw(st.sets(st.sampled_from(ENVELOPE)))}
    pieces = [Item.CENTRAL_HEATING_DHW, Item.VENTILATION, *DOCUMENTS]
    chosen = [*draw(st.sets(st.sampled_from(pieces))), *draw(st.lists(st.sampled_from(SOURCES), max_size=1))]
    scope |= dict.fromkeys(chosen, Decimal(1))
    people = draw(st.none() | st.integers(1, 20))
    return Application(
        people=people,
        income=None if people is None else draw(st.none() | st.decimals(0, 5000, places=2) | MONEY),
        income_type=draw(st.sampled_from(household_and_plan.IncomeType)),
        benefit=draw(st.booleans()),
        annual_income=draw(st.none() | MONEY),
        business=draw(st.booleans()),
        heating=draw(st.sampled_from(Heating)),
        project_type=fixed.get("project_type", draw(st.none() | st.sampled_from(ProjectType))),
        scope=scope,
        costs={item: draw(MONEY) for item in draw(st.sets(st.sampled_from(Item)))},
    )


@given(applications(), DAYS)
def test_rows_have_their_bounds_and_sums_agree_to_the_grosz(application, day):
    result = calculate(application, rules.current().on(day))
    for variant in (result.shown, *result.variants):
        for row in variant.rows:
            assert 0 <= row.subsidy_pln <= row.limit_pln
            assert row.eligible or row.subsidy_pln == 0
            assert row.eligible == (not row.reason) == (row.binding is not None)
            if row.net_cost_pln is not None:
                assert row.subsidy_pln <= row.net_cost_pln * variant.intensity
                assert row.net_cost_pln <= application.costs[row.item]
            elif row.eligible:
                assert row.subsidy_pln == row.limit_pln
            if row.limit is not None:
                assert row.limit_pln <= row.limit.number * row.quantity
        envelope = sum(row.subsidy_pln for row in variant.rows if row.table == 3)
        others = sum(row.subsidy_pln for row in variant.rows if row.table != 3)
        assert variant.table_3_sum_pln == envelope
        assert variant.max_subsidy_pln == others + min(envelope, variant.table_3_limit_pln) >= 0
        for amount in (variant.table_3_sum_pln, variant.table_3_limit_pln, variant.max_subsidy_pln):
            assert amount == amount.quantize(GROSZ)


@given(applications(), DAYS)
def test_own_contribution(application, day):
    shown = calculate(application, rules.current().on(day)).shown
    with_cost = [row for row in shown.rows if row.net_cost_pln is not None]
    if not with_cost:
        assert shown.own_contribution_pln is None
        return
    costs = sum(row.net_cost_pln for row in with_cost)
    assert 0 <= shown.own_contribution_pln <= costs
    share = Decimal(1)
    if shown.table_3_sum_pln > shown.table_3_limit_pln:
        share = shown.table_3_limit_pln / shown.table_3_sum_pln
    paid = sum(row.subsidy_pln * (share if row.table == 3 else 1) for row in with_cost)
    assert abs(costs - paid - shown.own_contribution_pln) <= GROSZ / 2 + Decimal("1e-12")
    if len(with_cost) == len(shown.rows):
        assert abs(costs - shown.max_subsidy_pln - shown.own_contribution_pln) < GROSZ


@given(applications(project_type=ProjectType.HIGH), DAYS)
def test_a_higher_level_never_pays_less(application, day):
    on = rules.current().on(day)
    totals, granted = [], []
    for level in Level:
        intensity = Decimal(0) if level is Level.NONE else on.number("levels/intensity", level)
        made = make_rows(application, level, ProjectType.HIGH, intensity, on)
        granted.append([row.subsidy_pln for row in made])
        cap = 0 if level is Level.NONE else on.number("project_types/table_3_limit", f"3/{level}")
        envelope = sum(row.subsidy_pln for row in made if row.table == 3)
        totals.append(sum(row.subsidy_pln for row in made if row.table != 3) + min(envelope, cap))
    assert totals == sorted(totals)
    for lower, higher in pairwise(granted):
        assert all(a <= b for a, b in zip(lower, higher, strict=True))


@given(applications(project_type=None), DAYS)
def test_an_unknown_index_has_three_variants_and_shows_one(application, day):
    on = rules.current().on(day)
    result = calculate(application, on)
    assert [variant.project_type for variant in result.variants] == [1, 2, 3]
    expected = 3 if any(item in application.scope for item in ENVELOPE) else 2
    assert result.shown is result.variants[expected - 1]
    for variant in result.variants:
        assert variant == make_variant(application, variant.project_type, on)


def test_amounts_are_unconfirmed_where_the_limit_of_table_3_or_of_another_result_of_the_audit_is():
    on = rules.current().on(date(2026, 12, 1))
    poor = Application(people=1, income=Decimal(0), scope={Item.PELLET_BOILER: Decimal(1), Item.WALLS: Decimal(9)})
    for unverified, is_shown_confirmed in (("elevated", True), ("3/highest", False)):
        values = {key: value.model_copy(update={"verified": key[1] != unverified}) for key, value in on.values.items()}
        result = calculate(poor, replace(on, values=values))
        assert (result.shown.confirmed, result.confirmed) == (is_shown_confirmed, False)


@given(applications(), DAYS)
def test_every_sentence_is_complete_and_amounts_are_confirmed_where_every_limit_used_is(application, day):
    on = rules.current().on(day)
    official = replace(
        on, values={key: value.model_copy(update={"verified": True}) for key, value in on.values.items()}
    )
    assert calculate(application, official).confirmed
    result = calculate(application, on)
    granted = [row for variant in (result.shown, *result.variants) for row in variant.rows if row.eligible]
    assert result.confirmed is not any(row.limit and not row.limit.verified for row in granted)
    sentences = [*result.notes, *(one.text for one in result.conditions), result.shown.condition or ""]
    assert len(set(result.notes)) == len(result.notes)
    assert all("{" not in sentence and "  " not in sentence and "None" not in sentence for sentence in sentences)
    if result.shown.level is Level.NONE:
        assert result.shown.reason in result.notes
        assert result.shown.intensity == result.shown.max_subsidy_pln == 0
        assert not any(row.eligible for row in result.shown.rows)


@given(applications())
def test_no_representation_holds_an_income(application):
    for income in (application.income, application.annual_income):
        if income is not None and income > 100:
            shown = repr(application).replace(repr(dict(application.costs)), "").replace(repr(application.scope), "")
            assert str(income) not in shown


def test_income_needs_people():
    with pytest.raises(ValueError, match="people"):
        Application(income=Decimal(1000))


def test_subsidies_are_cut():
    assert [truncate_to_grosz(Decimal(amount)) for amount in ("1.019", "1.011")] == [Decimal("1.01")] * 2
