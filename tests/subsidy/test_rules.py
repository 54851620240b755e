"""The rule files: comparison with an independent copy of the limits, and error messages."""

import ast
import csv
import re
import shutil
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from subsidy import rules
from subsidy.household_and_plan import DOCUMENTS, ENVELOPE, Item, Level
from subsidy.rules import FILES, RulesError, read_rules

BEGINS, AMENDED = date(2025, 3, 31), date(2026, 7, 20)
LEVELS = (Level.BASIC, Level.ELEVATED, Level.HIGHEST)

with (Path(__file__).parent / "limits_2025.csv").open(encoding="utf-8") as stream:
    LIMITS = {row.pop("item"): row for row in csv.DictReader(stream)}

RAISED = {  # by the amendment
    "ceiling": ("88", "154", "220"),
    "floor": ("66", "115.5", "165"),
    "walls": ("110", "192.5", "275"),
    "windows": ("528", "924", "1320"),
    "doors": ("1100", "1925", "2750"),
    "gates": ("660", "1155", "1650"),
}


def limit(item, level, day):
    return rules.current().on(day).number(f"items/{item}", level)


@pytest.mark.parametrize(
    ("day", "raised"),
    [(BEGINS, {}), (AMENDED - timedelta(days=1), {}), (AMENDED, RAISED), (date(2026, 12, 31), RAISED)],
)
def test_limits(day, raised):
    for item in Item:
        expected = raised.get(item) or [LIMITS[item][level] for level in LEVELS]
        assert [limit(item, level, day) for level in LEVELS] == [Decimal(value) for value in expected], item


def test_tables_of_the_items():
    items = rules.current().on(AMENDED).items
    tables = {item: items[item].table for item in Item}
    assert {item for item, table in tables.items() if table == 3} == {*ENVELOPE, Item.VENTILATION}
    assert {item for item, table in tables.items() if table == 1} == set(DOCUMENTS)
    assert {item for item in Item if items[item].counted_in == "m2"} == set(ENVELOPE)


SUMS_THRESHOLDS_AND_SHARES = {
    "project_types/table_3_limit": "1/basic 0, 2/basic 19200, 3/basic 33200, 1/elevated 0, 2/elevated 33600, "
    "3/elevated 58100, 3/highest 83000",
    "levels/intensity": "basic 0.4, elevated 0.7, highest 1",
    "levels/monthly_income": "highest/multi_person 1300, highest/single_person 1800, elevated/multi_person 2250, "
    "elevated/single_person 3150",
    "levels/annual_income": "basic 135000",
    "levels/business_revenue": "elevated 40, highest 12",
    "project_types/heating_demand": "type_2_from 80, type_2_to 140",
}


@pytest.mark.parametrize("day", [BEGINS, AMENDED, date(2028, 1, 1)])
def test_sums_thresholds_and_shares(day):
    on = rules.current().on(day)
    for parameter, values in SUMS_THRESHOLDS_AND_SHARES.items():
        expected = dict(pair.split(" ") for pair in values.split(", "))
        assert {key: on.number(parameter, key) for key in expected} == {k: Decimal(v) for k, v in expected.items()}


def test_minimum_wage_and_a_day_before_the_programme():
    wage = {date(2025, 12, 31): 4666, date(2026, 1, 1): 4806, date(2026, 12, 31): 4806, date(2027, 1, 1): 4950}
    assert {day: rules.current().on(day).number("levels/minimum_wage", "monthly") for day in wage} == wage
    with pytest.raises(ValueError, match="after 2025-03-30"):
        rules.current().on(BEGINS - timedelta(days=1))


def entries():
    return [entry for on in rules.current().periods for entry in (*on.values.values(), *on.ended.values())]


def test_every_value_has_a_source_and_none_of_the_amendment_is_called_verified():
    for entry in entries():
        assert all((entry.clause, entry.unit, entry.source.title))
        assert not entry.verified or (entry.source.official and entry.valid_from != AMENDED)


def test_no_number_of_the_programme_in_python():
    numbers = {entry.value for entry in entries()} - {Decimal(0), Decimal(1), None}
    app = FILES.parent
    for file in [app / "household_and_plan.py", *(app / "calculator").rglob("*.py"), *(app / "rules").rglob("*.py")]:
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        written = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
        assert not {text for text in written if re.fullmatch(r"[0-9.]*[0-9]", text) and Decimal(text) in numbers}, file


@pytest.fixture
def files(tmp_path):
    shutil.copytree(FILES, tmp_path / "rules", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return tmp_path / "rules"


def test_a_mistake_is_named_with_its_file(files):
    no_text = "names 'nothing_like_it', which texts.yaml does not have"
    for name, old, new, complaint in (
        ("items/walls.yaml", 'value: "100"', "value: 100", "row 8: values, basic 1, value is 100; it must be text"),
        ("items/walls.yaml", 'value: "100"', 'value: "1e2"', "it must have the form ^[0-9]+"),
        ("items/walls.yaml", 'value: "100", ', "", "basic 1, value is missing"),
        ("items/walls.yaml", "valid_from: 2026-07-20", "valid_from: 2025-03-31", "must ascend"),
        ("items/walls.yaml", "valid_from: 2025-03-31", "valid_from: spring", "valid_from is 'spring'"),
        ("items/walls.yaml", "valid_from: 2025-03-31", "valid_from: 2025-04-01", "after the programme"),
        ("items/walls.yaml", "source: zaliczki", "source: nobody", "source is 'nobody'"),
        ("items/walls.yaml", "verified: no", "verified: yes", "the source is not official"),
        ("items/walls.yaml", "annex_not_seen", "nothing_like_it", no_text),
        ("items/walls.yaml", "verified: no,", "verified: no, limit: 5,", "limit is unknown; row"),
        ("items/walls.yaml", "unit: PLN/m2", "unit: PLN/m3", "it must be 'PLN/pcs' or 'PLN/m2'"),
        ("items/walls.yaml", "table: 3", "table: 4", "it must be 1, 2 or 3"),
        ("items/walls.yaml", "clause:", "clauses:", "clause is missing"),
        ("items/walls.yaml", "  highest:", "  higest:", "values lack highest"),
        ("items/walls.yaml", "values:", "values: [", "walls.yaml"),
        ("levels/prefinancing.yaml", 'value: "180"', "value: null", "days_for_works is null, but every calculation"),
        ("project_types/table_3_limit.yaml", "  1/basic:", "  1/basis:", "values lack 1/basic"),
        ("items/walls.yaml", "table: 3", "table: 3\ntable: 2", "row 4: 'table' stands twice"),
        ("items/walls.yaml", "  elevated:", "  highest:", "row 13: 'highest' stands twice"),
        ("conditions.yaml", "applies: always", "applies: sometimes", "applies is 'sometimes'"),
        ("editions.yaml", "valid_from: 2026-07-20", "valid_from: 2024-07-20", "must ascend"),
        ("sources.yaml", "official: yes", "official: 1", "official is 1"),
        ("texts.yaml", "disclaimer: >-", "disclaimer: 5\nother: >-", "disclaimer is 5"),
    ):
        file = files / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(RulesError) as error:
            read_rules(files)
        assert str(file) in str(error.value)
        assert complaint in str(error.value)
        file.write_text(text, encoding="utf-8")


def test_mistakes_of_several_files_are_named_at_once_and_a_value_or_a_programme_without_dates(files):
    file = files / "items" / "walls.yaml"
    head, values, _ = file.read_text(encoding="utf-8").partition("values:")
    file.write_text(f"{head}{values} {{basic: [], elevated: [], highest: []}}", encoding="utf-8")
    (files / "editions.yaml").write_text("[]", encoding="utf-8")
    (files / "items" / "gates.yaml").unlink()
    with pytest.raises(RulesError) as error:
        read_rules(files)
    named = "values, basic is []; it must not be empty", "editions.yaml: row 1: is []; it must not be empty"
    assert all(mistake in str(error.value) for mistake in (*named, "items/gates.yaml: is missing"))
    assert "\n" not in str(error.value)


def conditions(day):
    return {condition.text: condition for condition in rules.current().on(date.fromisoformat(day)).conditions}


def the_one(day, words):
    """Return the condition of a day with some words."""
    (found,) = [condition for text, condition in conditions(day).items() if words in text]
    return found


def test_prefinancing_is_a_share_of_the_costs_for_some_days():
    """The official text says "do 35% kosztów", of the costs, not of the subsidy."""
    found = the_one("2026-11-22", "prefinansowanie)")
    assert "Do {advance_percent}% kosztów" in found.text
    assert "% dotacji" not in found.text
    assert found.verified
    assert rules.current().on(date(2026, 11, 22)).number("levels/prefinancing", "costs_percent") == 35
    days = {date(2026, 7, 19): 120, AMENDED: 180}
    assert {day: rules.current().on(day).number("levels/prefinancing", "days_for_works") for day in days} == days


def test_what_the_official_answers_say_and_what_they_do_not():
    """A verified condition says no more than the answer it names."""
    fireplace = the_one("2026-11-22", "Kominek rekreacyjny")
    assert (fireplace.applies, fireplace.verified) == ("old_source_goes", True)
    revenue = the_one("2026-11-22", "-krotności minimalnego wynagrodzenia")
    assert "małżon" not in revenue.text
    assert "najm" not in revenue.text
    income = the_one("2026-11-22", "zaświadczenie o dochodach.")
    assert (income.verified, "Jakie dokumenty trzeba złożyć" in income.clause) == (True, True)
    assert not the_one("2026-11-22", "dokument o tym prawie").verified
    # A sentence of two answers names both.
    for words, answers in (
        ("Pozwolenie na budowę", ("Jakie warunki musi spełniać budynek?", "Kiedy dotacja nie zostanie przyznana?")),
        ("6 miesięcy", ("Jak określa się datę rozpoczęcia", "Jaki jest maksymalny czas realizacji")),
        ("poniżej klasy 5", ("Jakie są obowiązki wnioskodawcy?", "Czy mogę wymienić stare źródło ciepła")),
    ):
        assert all(answer in the_one("2026-11-22", words).clause for answer in answers), words


def test_conditions_have_their_days():
    """A person with building qualifications may confirm since the amendment; two secondary sources say so."""
    for words, there in (
        ("uprawnieniami budowlanymi", {"2026-07-19": False, "2026-07-20": True}),
        ("28 maja 2024", {"2025-03-31": True, "2025-07-31": True, "2025-08-01": False}),
        # In the transition costs since 28 May 2024 counted, however long before the application.
        ("6 miesięcy", {"2025-03-31": False, "2025-07-31": False, "2025-08-01": True}),
        ("24 miesięcy", {"2025-03-31": True, "2025-08-01": True}),
    ):
        assert {day: any(words in text for text in conditions(day)) for day in there} == there
    assert not the_one("2026-07-20", "uprawnieniami budowlanymi").verified
