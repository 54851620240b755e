"""Parser of the rule files. A missing, misspelt or mistyped entry stops the start; the message names file and row."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field

from fueldepot.data.yaml_reader import InvalidYaml, Mistake, Number, StrictModel, Text, check_days, read_yaml
from subsidy.household_and_plan import Item
from subsidy.rules import Dated, DatedValue, Edition, ItemRule, RuleCondition, Rules, RulesError, RuleSource, Values

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

Situation = Literal[
    "always",
    "upper",
    "highest",
    "old_source_goes",
    "old_source_stays",
    "source_replaced",
    "type_1",
    "type_2_with_envelope",
    "type_2_without_envelope",
    "type_3",
    "business",
    "business_limited",
    "business_unlimited",
    "limits",
]
"""Situations of `subsidy.calculator.situations`, and `limits` of the table of limits."""


ItemUnit = Literal["PLN/pcs", "PLN/m2"]
UNITS = tuple(unit.removeprefix("PLN/") for unit in get_args(ItemUnit))


class DatedEntry(StrictModel):
    """A value from a day on; null ends the parameter. unit, clause: override those of the file."""

    valid_from: date
    value: Number | None
    unit: Text | None = None
    clause: Text | None = None
    source: Text
    verified: bool
    notes: list[Text] = []


class ParameterFile(StrictModel):
    description: Text
    unit: Text
    clause: Text
    values: dict[str, Annotated[list[DatedEntry], Field(min_length=1)]]


class ItemFile(ParameterFile):
    name: Text
    table: Literal[1, 2, 3]
    unit: ItemUnit


class EditionEntry(StrictModel):
    valid_from: date
    as_of: date
    contracts_until: date
    sources: list[Text] = []
    notes: list[Text] = []


class ConditionEntry(StrictModel):
    text: Text
    clause: Text
    applies: Situation
    valid_from: date
    valid_to: date | None = None
    source: Text
    verified: bool


Editions = Annotated[list[EditionEntry], Field(min_length=1)]
"""Editions of the programme, the oldest first."""

Model = TypeVar("Model")


class RulesReader:
    """Reads the files of a folder and collects their mistakes, so that one error reports all of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self.sources: Mapping[str, RuleSource] = {}
        self.texts: Mapping[str, str] = {}

    def read(
        self, name: str, model: type[Model], check: Callable[[Model], Iterable[Mistake]] | None = None
    ) -> Model | None:
        """Return a file as its model; None for an invalid file, after noting the problem."""
        try:
            return read_yaml(self.folder / name, model, check)
        except InvalidYaml as error:
            self.problems.append(str(error))
            return None

    def stop_if_wrong(self) -> None:
        if self.problems:
            raise RulesError("; ".join(self.problems))

    def check_source(self, name: str, verified: bool, place: tuple[str | int, ...]) -> Iterator[Mistake]:
        if name not in self.sources:
            yield (*place, "source"), f"is {name!r}; sources.yaml has {', '.join(self.sources)}"
        elif verified and not self.sources[name].official:
            yield (*place, "verified"), "is yes, but the source is not official"

    def check_notes(self, names: Iterable[str], place: tuple[str | int, ...]) -> Iterator[Mistake]:
        for number, name in enumerate(names):
            if name not in self.texts:
                yield (*place, "notes", number), f"names {name!r}, which texts.yaml does not have"

    def check_parameter(self, required: Iterable[str]) -> Callable[[ParameterFile], Iterator[Mistake]]:
        """Return the check of a file of dated values. required: keys that the calculator needs."""

        def check(file: ParameterFile) -> Iterator[Mistake]:
            if missing := sorted(set(required) - file.values.keys()):
                yield ("values",), f"lack {', '.join(missing)}"
            for key, entries in file.values.items():
                yield from check_days([entry.valid_from for entry in entries], ("values", key))
                for number, entry in enumerate(entries):
                    place = ("values", key, number)
                    yield from self.check_source(entry.source, entry.verified, place)
                    yield from self.check_notes(entry.notes, place)

        return check

    def check_editions(self, file: list[EditionEntry]) -> Iterator[Mistake]:
        yield from check_days([edition.valid_from for edition in file], ())
        for number, edition in enumerate(file):
            yield from self.check_notes(edition.notes, (number,))
            for position, name in enumerate(edition.sources):
                if name not in self.sources:
                    yield (number, "sources", position), f"names {name!r}, which sources.yaml does not have"

    def check_conditions(self, file: list[ConditionEntry]) -> Iterator[Mistake]:
        for number, condition in enumerate(file):
            yield from self.check_source(condition.source, condition.verified, (number,))


def read_rules(folder: Path) -> Rules:
    """Return the rules of a folder. Raises RulesError with every mistake of every file."""
    reader = RulesReader(folder)
    texts = reader.read("texts.yaml", dict[str, Text])
    sources = reader.read("sources.yaml", dict[str, RuleSource])
    reader.stop_if_wrong()
    assert texts is not None and sources is not None  # noqa: S101, PT018 - else it has stopped
    reader.texts, reader.sources = texts, sources
    editions = reader.read("editions.yaml", Editions, reader.check_editions)
    conditions = reader.read("conditions.yaml", list[ConditionEntry], reader.check_conditions)
    required = REQUIRED_KEYS | {f"items/{item}": LEVELS for item in Item}
    files: dict[str, ParameterFile] = {}
    for file in sorted(folder.glob("*/*.yaml")):
        name = file.relative_to(folder).with_suffix("").as_posix()
        model = ItemFile if file.parent.name == "items" else ParameterFile
        model_rows = reader.read(f"{name}.yaml", model, reader.check_parameter(required.get(name, ())))
        if model_rows is not None:
            files[name] = model_rows
    absent = [name for name in required if not (folder / f"{name}.yaml").is_file()]
    reader.problems += [f"{folder / name}.yaml: is missing" for name in absent]
    reader.stop_if_wrong()
    assert editions is not None and conditions is not None  # noqa: S101, PT018 - else it has stopped
    return make_rules(folder, files, editions, conditions, texts, sources)


def make_rules(
    folder: Path,
    files: Mapping[str, ParameterFile],
    editions: list[EditionEntry],
    conditions: list[ConditionEntry],
    texts: Mapping[str, str],
    sources: Mapping[str, RuleSource],
) -> Rules:
    """Build the rules from the parsed files. Raises RulesError for a value that begins too late."""
    parameters = {
        name: {
            key: tuple(make_dated(entry, file, sources[entry.source]) for entry in values)
            for key, values in file.values.items()
        }
        for name, file in files.items()
    }
    begins = editions[0].valid_from
    check_beginnings(folder, parameters, begins)
    return Rules(
        parameters=parameters,
        items={
            name.removeprefix("items/"): ItemRule(file.name, file.table, file.unit.removeprefix("PLN/"), file.clause)
            for name, file in files.items()
            if isinstance(file, ItemFile)
        },
        editions=tuple(
            Edition(**dict(one) | {"sources": tuple(sources[name] for name in one.sources), "notes": tuple(one.notes)})
            for one in editions
        ),
        conditions=tuple(RuleCondition(**dict(one) | {"source": sources[one.source]}) for one in conditions),
        texts=texts,
        changes=days_of_changes(parameters, editions, conditions),
    )


def make_dated(entry: DatedEntry, file: ParameterFile, source: RuleSource) -> Dated:
    unit, clause, notes = entry.unit or file.unit, entry.clause or file.clause, tuple(entry.notes)
    facts = (entry.valid_from, unit, clause, source, entry.verified, notes)
    return Dated(None, *facts) if entry.value is None else DatedValue(Decimal(entry.value), *facts)


def days_of_changes(
    parameters: Mapping[str, Values], editions: list[EditionEntry], conditions: list[ConditionEntry]
) -> tuple[date, ...]:
    """Return the days on which a rule changes, ascending, from the first edition on."""
    days = {edition.valid_from for edition in editions}
    days |= {edition.contracts_until + timedelta(days=1) for edition in editions}
    days |= {entry.valid_from for keys in parameters.values() for values in keys.values() for entry in values}
    days |= {day for condition in conditions for day in (condition.valid_from, condition.valid_to) if day}
    return tuple(sorted(day for day in days if day >= editions[0].valid_from))


def check_beginnings(folder: Path, parameters: Mapping[str, Values], begins: date) -> None:
    """Raise RulesError for a value that begins after the first edition, so that it might not be in force."""
    late = [
        f"{folder / name}.yaml: {key} begins on {entries[0].valid_from}, after the programme ({begins})"
        for name, keys in parameters.items()
        for key, entries in keys.items()
        if entries[0].valid_from > begins
    ]
    if late:
        raise RulesError("; ".join(late))
