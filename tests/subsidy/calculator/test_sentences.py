"""Sentences of results, by name in the rule files and placeholders.

The wording is tried by the golden answers; here a sentence is its name and its values, so that a case says which one.
"""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from string import Formatter

import pytest

from subsidy import rules
from subsidy.calculator import calculate
from subsidy.household_and_plan import Application, Heating, IncomeType, Item, Level, ProjectType

DAY = date(2026, 11, 21)
LOW, MIDDLE, HIGH = ProjectType


def named(day=DAY):
    """Return the rules of a day with names in place of sentences, and one condition of each situation."""
    on = rules.current().on(day)
    texts = {}
    for name, text in on.texts.items():
        fields = [field for _, field, _, _ in Formatter().parse(text) if field]
        texts[name] = " ".join([name, *(f"{{{field}}}" for field in fields)])
    texts_of = {condition.applies: condition.applies for condition in on.conditions}
    texts_of["business_limited"] += " {multiple}{amount}"
    kinds = {row.applies: row.model_copy(update={"text": texts_of[row.applies]}) for row in on.conditions}
    return replace(on, texts=texts, conditions=tuple(kinds.values()))


def plain(text):
    return None if text is None else text.replace("\N{NO-BREAK SPACE}", " ")


def answer(day=DAY, *, items=(Item.WALLS,), costs=(), **stated):
    scope = dict.fromkeys(items, Decimal(1))
    numbers = {key: Decimal(value) if key in {"income", "annual_income"} else value for key, value in stated.items()}
    return calculate(Application(scope=scope, costs={item: Decimal(100) for item in costs}, **numbers), named(day))


def with_values(on, texts=None, **parts):
    """Rules with other numbers and texts. values, ended: by parameter and key."""
    changed = {name: {**getattr(on, name), **values} for name, values in parts.items()}
    return replace(on, texts={**on.texts, **(texts or {})}, **changed)


HIGHEST = {"people": 2, "income": 1000}
ELEVATED = {"people": 2, "income": 2000}
TOO_HIGH = {"people": 2, "income": 9000}
NONE = {"annual_income": 135_001}
UP_TO_1300 = "reason_income 1 300 najwyższym household_multi_person"
UP_TO_2250 = "reason_income 2 250 podwyższonym household_multi_person"
UP_TO_3150 = "reason_income 3 150 podwyższonym household_single_person"


def test_a_level_has_a_reason_and_perhaps_a_condition():
    for stated, kind, level, reason, condition in (
        (HIGHEST, HIGH, "highest", UP_TO_1300, None),
        (HIGHEST, MIDDLE, "elevated", "reason_only_above 140 2", None),
        (HIGHEST, LOW, "elevated", "reason_only_above 140 1", None),
        ({"people": 2, "income": 1300}, HIGH, "highest", UP_TO_1300, None),
        ({"people": 2, "income": "1300.01"}, HIGH, "elevated", UP_TO_2250, None),
        ({"people": 1, "income": 2500}, HIGH, "elevated", UP_TO_3150, None),
        ({"people": 2, "income": 2600, "income_type": IncomeType.HOUSEHOLD}, HIGH, "highest", UP_TO_1300, None),
        (ELEVATED, MIDDLE, "elevated", UP_TO_2250, None),
        (ELEVATED, None, "elevated", UP_TO_2250, None),
        ({"benefit": True}, HIGH, "highest", "reason_benefit", None),
        ({"benefit": True}, MIDDLE, "elevated", "reason_only_above 140 2", None),
        (TOO_HIGH, HIGH, "basic", "reason_too_high 2 250", "condition_annual 135 000"),
        ({**TOO_HIGH, "annual_income": 135_000}, HIGH, "basic", "reason_annual 135 000", None),
        ({}, None, "basic", "reason_unstated", "condition_annual 135 000"),
        (NONE, None, "none", "reason_none 135 000", None),
    ):
        shown = answer(**stated, project_type=kind).shown
        assert (shown.level, plain(shown.reason), plain(shown.condition)) == (level, reason, condition), stated
        assert shown.level_name == f"level_{level}"


def test_without_a_type_each_variant_says_when_another_level_applies():
    elevated, highest = (Level.ELEVATED, "condition_higher_above 140"), (Level.HIGHEST, "condition_only_above 140")
    for stated in (HIGHEST, {"benefit": True}):
        variants = answer(**stated).variants
        assert [(variant.level, variant.condition) for variant in variants] == [elevated, elevated, highest], stated


STAYS, REPLACED = {"old_source_stays", "old_source_goes"}, {"source_replaced", "old_source_goes"}
WALLS, PELLET, PUMP, HEATING = Item.WALLS, Item.PELLET_BOILER, Item.HEAT_PUMP_GROUND, Item.CENTRAL_HEATING_DHW
AUDIT, AIR, CLASS_5 = Item.AUDIT, Item.VENTILATION, Heating.SOLID_FUEL_CLASS_5


def test_a_refused_row_says_why():
    for items, kind, heating, reasons in (
        ((WALLS, PELLET, HEATING, AUDIT), HIGH, Heating.SOLID_FUEL, ["", "", "", ""]),
        ((PELLET,), HIGH, Heating.SOLID_FUEL, ["row_source_alone 140"]),
        ((PELLET,), MIDDLE, Heating.SOLID_FUEL, [""]),
        ((PUMP, AIR), HIGH, Heating.SOLID_FUEL, ["", "", ""]),
        ((PUMP,), MIDDLE, CLASS_5, ["row_source_efficient", "row_source_efficient"]),
        ((HEATING,), MIDDLE, Heating.SOLID_FUEL, ["row_installation_alone"]),
        ((PELLET, HEATING), HIGH, Heating.SOLID_FUEL, ["row_source_alone 140", "row_installation_alone"]),
        ((PELLET, HEATING, WALLS), MIDDLE, CLASS_5, ["row_source_efficient", "row_installation_alone", ""]),
        ((PELLET, WALLS, AIR), LOW, Heating.SOLID_FUEL, ["", "row_type_1 80", "row_type_1 80"]),
        ((PUMP, WALLS), LOW, CLASS_5, ["note_type_1_efficient", "note_type_1_efficient", "row_type_1 80"]),
        ((AUDIT,), LOW, Heating.SOLID_FUEL, [""]),
        ((AUDIT,), LOW, CLASS_5, ["row_no_project"]),
        ((AUDIT,), MIDDLE, CLASS_5, [""]),
        ((WALLS, AUDIT), LOW, Heating.SOLID_FUEL, ["row_type_1 80", "row_no_project"]),
        ((PELLET, AUDIT), HIGH, Heating.SOLID_FUEL, ["row_source_alone 140", "row_no_project"]),
        ((PELLET, WALLS, AUDIT), LOW, Heating.SOLID_FUEL, ["", "row_type_1 80", ""]),
    ):
        rows = answer(items=items, **ELEVATED, project_type=kind, heating=heating).shown.rows
        assert [row.reason for row in rows] == reasons, items
    rows = answer(items=(PELLET, WALLS, AUDIT), **NONE, project_type=HIGH).shown.rows
    assert [row.reason for row in rows] == ["row_level_none"] * 3


def notes(**given):
    """Return the notes without the reason and those on the numbers used."""
    result = answer(**given)
    assert result.notes[0] == result.shown.reason
    return [plain(note) for note in result.notes if note.startswith("note_")]


PAID = ["note_without_costs", "note_vat", "note_rounding"]
REFUSED_AUDIT = "note_not_eligible Audyt energetyczny"
REFUSED_HEATING = "note_not_eligible Instalacja centralnego ogrzewania i ciepłej wody użytkowej"
IGNORED_COSTS = "note_cost_ignored Stolarka drzwiowa (drzwi zewnętrzne), Audyt energetyczny"


def test_notes_on_the_calculation():
    documents = "note_type_1_efficient", "note_documents_inferred", "note_documents_alone"
    refused = {**NONE, "items": (HEATING, AUDIT), "heating": Heating.OTHER}
    for kind, given, expected in (
        (HIGH, {}, PAID),
        (HIGH, {"costs": (WALLS,)}, ["note_vat", "note_rounding"]),
        (HIGH, {"items": ()}, ["note_no_works"]),
        (HIGH, {**NONE, "items": ()}, []),
        (None, {}, ["note_variants 3", "note_type_of_variant", *PAID]),
        (None, {"items": (PELLET,)}, ["note_variants 2", "note_type_of_variant", *PAID]),
        (MIDDLE, {"benefit": True}, ["note_benefit_inferred 140", *PAID]),
        (HIGH, {"benefit": True}, PAID),
        (MIDDLE, ELEVATED, PAID),
        (MIDDLE, {"items": (HEATING,)}, [f"{REFUSED_HEATING} row_installation_alone", "note_installation_inferred"]),
        (MIDDLE, {"heating": Heating.OTHER}, ["note_heating_inferred", *PAID]),
        (MIDDLE, {"heating": CLASS_5}, PAID),
        (LOW, {"heating": CLASS_5, "items": (AUDIT,)}, [f"{REFUSED_AUDIT} row_no_project", *documents]),
        (LOW, {"items": (AUDIT,)}, ["note_documents_alone", *PAID]),
        (LOW, {"items": (PELLET, AUDIT)}, PAID),
        (HIGH, {"costs": (WALLS, Item.DOORS, AUDIT)}, [IGNORED_COSTS, "note_vat", "note_rounding"]),
        (LOW, refused, [f"{REFUSED_HEATING} row_level_none", f"{REFUSED_AUDIT} row_level_none"]),
    ):
        assert notes(project_type=kind, **given) == expected, (kind, given)


def test_a_sum_above_the_limit_of_its_table_is_told():
    given = Application(scope={WALLS: Decimal(1000)}, project_type=MIDDLE)
    found = [plain(note) for note in calculate(given, named()).notes]
    (told,) = [note for note in found if note.startswith("note_table_3_cut")]
    assert told.endswith(" 19 200")


@pytest.mark.parametrize("stated", [{}, HIGHEST, NONE])
@pytest.mark.parametrize("kind", [None, HIGH])
def test_agreements_can_be_signed_until_a_day(stated, kind):
    last = rules.current().on(DAY).edition.contracts_until
    assert last == date(2030, 12, 31)
    told = f"reason_contracts_ended {last:%d.%m.%Y}"
    assert plain(answer(last, **stated, project_type=kind).shown.reason) != told
    ended = answer(date(2031, 1, 1), **stated, project_type=kind, items=(WALLS, PELLET))
    for shown in (ended.shown, *ended.variants):
        assert (shown.level, plain(shown.reason), shown.condition) == (Level.NONE, told, None)
        assert (shown.max_subsidy_pln, shown.intensity) == (0, 0)
        assert [plain(row.reason) for row in shown.rows] == ["row_contracts_ended"] * 2
    assert plain(ended.notes[0]) == told
    assert ended.conditions == ()


def test_that_ventilation_counts_as_thermo_modernisation_is_said_as_inferred():
    for items, kind, heating, told in (
        ((PELLET, AIR), HIGH, Heating.SOLID_FUEL, True),
        ((AIR,), HIGH, Heating.SOLID_FUEL, True),
        ((AIR,), MIDDLE, CLASS_5, True),
        ((AIR, WALLS), HIGH, Heating.SOLID_FUEL, False),
        ((PELLET, AIR), LOW, Heating.SOLID_FUEL, False),
    ):
        found = [plain(note) for note in answer(items=items, project_type=kind, heating=heating).notes]
        assert ("note_ventilation_inferred" in found) is told, items


def test_conditions_of_an_answer():
    business = {"heating": CLASS_5, "business": True}
    forty, twelve = "business_limited 40, czyli 192 240 zł", "business_limited 12, czyli 57 672 zł"
    assert answer(**NONE).conditions == ()
    for kind, given, kinds in (
        (HIGH, {}, {*STAYS, "type_3"}),
        (HIGH, ELEVATED, {"upper", *STAYS, "type_3"}),
        (HIGH, HIGHEST, {"upper", "highest", *STAYS, "type_3"}),
        (HIGH, {"heating": CLASS_5}, {"type_3"}),
        (HIGH, {"items": (PELLET, WALLS)}, {*REPLACED, "type_3"}),
        (HIGH, {"items": (PELLET, AIR)}, {*REPLACED, "type_3"}),
        (HIGH, {"items": (PELLET,)}, {*STAYS, "type_3"}),
        (MIDDLE, {"items": (PELLET,)}, {*REPLACED, "type_2_without_envelope"}),
        (MIDDLE, {"items": (PELLET, WALLS)}, {*REPLACED, "type_2_with_envelope"}),
        (MIDDLE, {"items": (AIR,)}, {*STAYS, "type_2_with_envelope"}),
        (LOW, {"items": (PELLET,)}, {*REPLACED, "type_1"}),
        (HIGH, business, {"type_3", "business", "business_unlimited"}),
        (HIGH, business | ELEVATED, {"type_3", "upper", "business", forty}),
        (HIGH, business | HIGHEST, {"type_3", "upper", "highest", "business", twelve}),
    ):
        found = {plain(one.text) for one in answer(project_type=kind, **given).conditions}
        assert found == {"always", *kinds}, (kind, given)


def test_a_row_names_the_clause_of_its_number():
    on = named()
    amended = {("items/walls", "basic"): on.values["items/walls", "basic"].model_copy(update={"clause": "aneks"})}
    for rules_of_day, clause in ((on, on.items[WALLS].clause), (with_values(on, values=amended), "aneks")):
        (row,) = calculate(WALLS_ALONE, rules_of_day).shown.rows
        assert row.clause == clause


@pytest.mark.parametrize(
    ("items", "used"),
    [((WALLS,), ["walls", "table 3"]), ((PELLET,), ["pellet"]), ((PELLET, WALLS), ["pellet", "walls", "table 3"])],
)
def test_sources_and_notes_are_those_of_the_edition_and_of_the_numbers_used(items, used):
    on = named()
    numbers = {
        ("items/walls", "basic"): "walls",
        ("items/pellet_boiler", "basic"): "pellet",
        ("project_types/table_3_limit", "2/basic"): "table 3",
        ("project_types/table_3_limit", "3/basic"): "never",
    }

    def source_of(name):
        return rules.RuleSource(title=name, url=f"https://example.pl/{name}", official=True, read_on=None)

    values = {
        key: on.values[key].model_copy(update={"source": source_of(name), "notes": [name]})
        for key, name in numbers.items()
    }
    edition = on.edition.model_copy(update={"sources": [source_of("edition")], "notes": ["edition"]})
    texts = {name: name for name in ("edition", *numbers.values())}
    on = replace(with_values(on, texts, values=values), edition=edition)
    application = Application(scope=dict.fromkeys(items, Decimal(1)), project_type=MIDDLE)
    result = calculate(application, on)
    assert [source.url for source in result.sources] == [f"https://example.pl/{name}" for name in ("edition", *used)]
    assert [note for note in result.notes if note in texts] == ["edition", *used]


WAGE = "levels/minimum_wage", "monthly"
WALLS_ALONE = Application(scope={WALLS: Decimal(1)}, project_type=HIGH)


@pytest.mark.parametrize(
    ("income", "business", "told"), [(2000, True, True), (1000, True, True), (9000, True, False), (2000, False, False)]
)
def test_notes_on_the_wage_and_its_source_stand_where_the_wage_is_used(income, business, told):
    on = named()
    on = with_values(on, {"wage": "wage"}, values={WAGE: on.values[WAGE].model_copy(update={"notes": ["wage"]})})
    result = calculate(replace(WALLS_ALONE, people=2, income=Decimal(income), business=business), on)
    found = result.notes
    assert ("wage" in found) is told
    assert (on.values[WAGE].source in result.sources) is told
    assert ("note_business_spouse" in found) is told
    assert set(on.edition.notes) <= set(found)


def test_of_a_number_that_has_ended_the_notes_stay():
    on = named()
    values = dict(on.values)
    gone = {
        key: values.pop(key).model_copy(update={"value": None, "notes": [key[1]]})
        for key in (("items/walls", "basic"), WAGE)
    }
    on = replace(with_values(on, {"basic": "walls ended", "monthly": "wage ended"}, ended=gone), values=values)
    result = calculate(WALLS_ALONE, on)
    assert [row.reason for row in result.shown.rows] == ["row_ended"]
    assert {*on.edition.notes, "walls ended"} <= set(result.notes)
    elevated = replace(WALLS_ALONE, people=2, income=Decimal(2000), business=True)
    assert {*on.edition.notes, "wage ended"} <= set(calculate(elevated, on).notes)
    assert "walls ended" not in calculate(replace(WALLS_ALONE, annual_income=Decimal(200_000)), on).notes


def test_of_a_year_with_an_unknown_wage_only_the_multiple_is_told():
    result = answer(date(2028, 6, 1), **ELEVATED, project_type=HIGH, business=True)
    assert "business_limited 40" in {one.text for one in result.conditions}
    assert result.business_revenue_limit_pln is None
