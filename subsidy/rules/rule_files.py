"""Parser of the rule files. A missing, misspelt or mistyped entry stops the start; the message names file and row."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from fueldepot.data.yaml_reader import InvalidYaml, Number, StrictModel, Text, check_days, read_yaml
from subsidy.household_and_plan import Item
from subsidy.rules import (
    Dated,
    DatedValue,
    Edition,
    ItemRule,
    RuleCondition,
    Rules,
    RulesError,
    RuleSource,
    SourcedRule,
    TextName,
    Values,
)

LEVELS = ("basic", "elevated", "highest")

REQUIRED_KEYS = {
    "levels/intensity": LEVELS,
    "levels/monthly_income": tuple(
        f"{level}/{household}" for level in LEVELS[1:] for household in ("multi_person", "single_person")
    ),
    "levels/annual_income": LEVELS[:1],
    "levels/business_revenue": LEVELS[1:],
    "levels/minimum_wage": ("monthly",),
    "levels/prefinancing": ("costs_percent", "days_for_works"),
    "project_types/heating_demand": ("type_2_from", "type_2_to"),
    "project_types/table_3_limit": tuple(
        f"{kind}/{level}" for kind in (1, 2, 3) for level in LEVELS if level != "highest" or kind == 3
    ),
}
"""Keys that the calculator needs, apart from the limits of items."""

ItemUnit = Literal["PLN/pcs", "PLN/m2"]
UNITS = tuple(unit.removeprefix("PLN/") for unit in get_args(ItemUnit))


class DatedEntry(SourcedRule):
    """A value from a day on; null ends the parameter. unit, clause: override those of the file."""

    valid_from: date
    value: Number | None
    unit: Text | None = None
    clause: Text | None = None
    notes: list[TextName] = []


class ParameterFile(StrictModel):
    """A file of dated values. Its validators know the keys that the calculator needs, and when the programme began."""

    description: Text
    unit: Text
    clause: Text
    values: dict[str, Annotated[list[DatedEntry], Field(min_length=1), AfterValidator(check_days)]]

    @field_validator("values")
    @classmethod
    def check_values(cls, values: dict[str, list[DatedEntry]], info: ValidationInfo) -> dict[str, list[DatedEntry]]:
        required, begins = (info.context or {})["required"], (info.context or {})["begins"]
        late = {key: entries[0].valid_from for key, entries in values.items() if entries[0].valid_from > begins}
        mistakes = [f"{key} begins on {day}, after the programme ({begins})" for key, day in late.items()]
        if missing := sorted(set(required) - values.keys()):
            mistakes.append(f"lack {', '.join(missing)}")
        if mistakes:
            raise ValueError("; ".join(mistakes))
        return values


class ItemFile(ParameterFile):
    name: Text
    table: Literal[1, 2, 3]
    unit: ItemUnit


Editions = Annotated[list[Edition], Field(min_length=1), AfterValidator(check_days)]
"""Editions of the programme, the oldest first."""

Model = TypeVar("Model")


def read_rules(folder: Path) -> Rules:
    """Return the rules of a folder. Raises RulesError with every mistake of every file."""
    problems: list[str] = []

    def read(name: str, model: type[Model], **context: object) -> Model | None:
        """Return a file as its model; None for an invalid file, after noting the problem."""
        try:
            return read_yaml(folder / name, model, context=context)
        except InvalidYaml as error:
            problems.append(str(error))
            return None

    texts, sources = read("texts.yaml", dict[str, Text]), read("sources.yaml", dict[str, RuleSource])
    if texts is None or sources is None:
        raise RulesError("; ".join(problems))
    editions = read("editions.yaml", Editions, texts=texts, sources=sources)
    conditions = read("conditions.yaml", list[RuleCondition], sources=sources)
    begins = editions[0].valid_from if editions else date.max
    required = REQUIRED_KEYS | {f"items/{item}": LEVELS for item in Item}
    files: dict[str, ParameterFile] = {}
    for file in sorted(folder.glob("*/*.yaml")):
        name = file.relative_to(folder).with_suffix("").as_posix()
        model = ItemFile if file.parent.name == "items" else ParameterFile
        keys = required.get(name, ())
        content = read(f"{name}.yaml", model, texts=texts, sources=sources, required=keys, begins=begins)
        if content is not None:
            files[name] = content
    problems += [f"{folder / name}.yaml: is missing" for name in required if not (folder / f"{name}.yaml").is_file()]
    if problems or editions is None or conditions is None:
        raise RulesError("; ".join(problems))
    return make_rules(files, editions, conditions, texts)


def make_rules(
    files: Mapping[str, ParameterFile],
    editions: list[Edition],
    conditions: list[RuleCondition],
    texts: Mapping[str, str],
) -> Rules:
    parameters = {
        name: {key: tuple(make_dated(entry, file) for entry in values) for key, values in file.values.items()}
        for name, file in files.items()
    }
    return Rules(
        parameters=parameters,
        items={
            name.removeprefix("items/"): ItemRule(file.name, file.table, file.unit.removeprefix("PLN/"), file.clause)
            for name, file in files.items()
            if isinstance(file, ItemFile)
        },
        editions=editions,
        conditions=conditions,
        texts=texts,
        changes=days_of_changes(parameters, editions, conditions),
    )


def make_dated(entry: DatedEntry, file: ParameterFile) -> Dated:
    unit, clause, notes = entry.unit or file.unit, entry.clause or file.clause, tuple(entry.notes)
    facts = (entry.valid_from, unit, clause, entry.source, entry.verified, notes)
    return Dated(None, *facts) if entry.value is None else DatedValue(Decimal(entry.value), *facts)


def days_of_changes(
    parameters: Mapping[str, Values], editions: list[Edition], conditions: list[RuleCondition]
) -> tuple[date, ...]:
    """Return the days on which a rule changes, ascending, from the first edition on."""
    days = {edition.valid_from for edition in editions}
    days |= {edition.contracts_until + timedelta(days=1) for edition in editions}
    days |= {entry.valid_from for keys in parameters.values() for values in keys.values() for entry in values}
    days |= {day for condition in conditions for day in (condition.valid_from, condition.valid_to) if day}
    return tuple(sorted(day for day in days if day >= editions[0].valid_from))
