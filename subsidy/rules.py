"""The programme as dated data in the YAML files of `subsidy/data`; no number of it stands in Python.

A `Dated` number has a first day, a unit, a clause, a source, and whether an official text confirms it.
A missing, misspelt or mistyped entry stops the start; the message names file and row.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from fueldepot.data.yaml_reader import InvalidYaml, Number, StrictModel, Text, check_days, read_yaml
from subsidy.household_and_plan import LEVELS, Household, Item, Level, ProjectType

FILES = Path(__file__).parent / "data"


class RulesError(Exception):
    """A rule file is unreadable or invalid. The message names the file."""


class RuleSource(StrictModel):
    """The source of an entry. url: None when unknown. official: published by the programme itself."""

    title: Text
    url: Text | None
    official: bool
    read_on: date | None


def find_source(name: object, info: ValidationInfo) -> RuleSource:
    sources: Mapping[str, RuleSource] = (info.context or {})["sources"]
    if not isinstance(name, str) or name not in sources:
        raise ValueError(f"is {name!r}; sources.yaml has {', '.join(sources)}")
    return sources[name]


def check_text(name: str, info: ValidationInfo) -> str:
    if name not in (info.context or {})["texts"]:
        raise ValueError(f"names {name!r}, which texts.yaml does not have")
    return name


NamedSource = Annotated[RuleSource, BeforeValidator(find_source)]
"""A source, by its name in a file."""

TextName = Annotated[Text, AfterValidator(check_text)]


class SourcedRule(StrictModel):
    """An entry with its source. verified: whether that confirms it, as only an official one can."""

    source: NamedSource
    verified: bool

    @field_validator("verified")
    @classmethod
    def check_verified(cls, verified: bool, info: ValidationInfo) -> bool:
        if verified and "source" in info.data and not info.data["source"].official:
            raise ValueError("is yes, but the source is not official")
        return verified


class Dated(SourcedRule):
    """A number from a day on; null ends the parameter. unit, clause: those of the file if not stated."""

    valid_from: date
    value: Number | None
    unit: Text = ""
    clause: Text = ""
    notes: list[TextName] = []

    @property
    def number(self) -> Decimal:
        """The value of one that ends no parameter."""
        assert self.value is not None  # noqa: S101 - `RulesAt.values` has no others
        return self.value


class ParameterFile(StrictModel):
    """A file of dated values. Its validators know the keys that the calculator needs, and when the programme began."""

    description: Text
    unit: Text
    clause: Text
    values: dict[str, Annotated[list[Dated], Field(min_length=1), AfterValidator(check_days)]]

    @field_validator("values")
    @classmethod
    def check_values(cls, values: dict[str, list[Dated]], info: ValidationInfo) -> dict[str, list[Dated]]:
        required, begins = (info.context or {})["required"], (info.context or {})["begins"]
        late = {key: entries[0].valid_from for key, entries in values.items() if entries[0].valid_from > begins}
        mistakes = [f"{key} begins on {day}, after the programme ({begins})" for key, day in late.items()]
        if missing := sorted(set(required) - values.keys()):
            mistakes.append(f"lack {', '.join(missing)}")
        if (info.context or {})["never_ends"]:
            ended = [key for key, entries in values.items() if any(entry.value is None for entry in entries)]
            mistakes += [f"{key} is null, but every calculation needs a number" for key in ended]
        if mistakes:
            raise ValueError("; ".join(mistakes))
        unit, clause = info.data.get("unit"), info.data.get("clause")
        return {
            key: [row.model_copy(update={"unit": row.unit or unit, "clause": row.clause or clause}) for row in rows]
            for key, rows in values.items()
        }


ItemUnit = Literal["PLN/pcs", "PLN/m2"]
UNITS = tuple(unit.removeprefix("PLN/") for unit in get_args(ItemUnit))


class ItemFile(ParameterFile):
    """Limits of an item of annex 2. table: 1 documents, 2 heat source, 3 envelope and ventilation."""

    name: Text
    table: Literal[1, 2, 3]
    unit: ItemUnit

    @property
    def counted_in(self) -> str:
        """One of `UNITS`."""
        return self.unit.removeprefix("PLN/")


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


class RuleCondition(SourcedRule):
    """A requirement in words, from valid_from until the day before valid_to. applies: the situation it belongs to."""

    text: Text
    clause: Text
    applies: Situation
    valid_from: date
    valid_to: date | None = None


class Edition(StrictModel):
    """An edition of the programme. contracts_until: last day of agreements. notes: texts of every result."""

    valid_from: date
    as_of: date
    contracts_until: date
    sources: list[NamedSource] = []
    notes: list[TextName] = []


Editions = Annotated[list[Edition], Field(min_length=1), AfterValidator(check_days)]
"""Editions of the programme, the oldest first."""


@dataclass(frozen=True, slots=True)
class RulesAt:
    """The rules between two changes. values, and what ended one: by path of the file without suffix, and key."""

    day: date
    edition: Edition
    conditions: tuple[RuleCondition, ...]
    items: Mapping[str, ItemFile]
    texts: Mapping[str, str]
    values: Mapping[tuple[str, str], Dated]
    ended: Mapping[tuple[str, str], Dated]

    @property
    def contracts_ended(self) -> bool:
        """Whether the last day on which an agreement can be signed has passed."""
        return self.day > self.edition.contracts_until

    def number(self, parameter: str, key: str) -> Decimal:
        """Return the number of a value. Raises KeyError where none is in force."""
        return self.values[parameter, key].number

    def text(self, name: str, /, **filled: object) -> str:
        return self.texts[name].format(**filled) if filled else self.texts[name]


class Rules(NamedTuple):
    """The rules of all days. periods: between two changes each, ascending."""

    periods: tuple[RulesAt, ...]

    @property
    def begins(self) -> date:
        return self.periods[0].day

    def on(self, day: date) -> RulesAt:
        """Return the rules of a day. Raises ValueError before the first edition."""
        if day < self.begins:
            raise ValueError(f"the programme began on {self.begins}, after {day}")
        return self.periods[bisect_right(self.periods, day, key=lambda rules: rules.day) - 1]


REQUIRED_KEYS = {
    "levels/intensity": LEVELS,
    "levels/monthly_income": tuple(
        f"{level}/{household}" for level in LEVELS[1:] for household in (Household.MULTI, Household.SINGLE)
    ),
    "levels/annual_income": LEVELS[:1],
    "levels/business_revenue": LEVELS[1:],
    "levels/minimum_wage": ("monthly",),
    "levels/prefinancing": ("costs_percent", "days_for_works"),
    "project_types/heating_demand": ("type_2_from", "type_2_to"),
    "project_types/table_3_limit": tuple(
        f"{kind}/{level}" for kind in ProjectType for level in LEVELS if level != Level.HIGHEST or kind == 3
    ),
}
"""Keys that the calculator needs, apart from the limits of items."""

NEVER_END = REQUIRED_KEYS.keys() - {"levels/minimum_wage"}
"""Parameters that must always have a number. Limits of items may end; without the wage the revenue limit is left out.
"""

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
        context = {"texts": texts, "sources": sources, "required": keys, "begins": begins}
        content = read(f"{name}.yaml", model, **context, never_ends=name in NEVER_END)
        if content is not None:
            files[name] = content
    problems += [f"{folder / name}.yaml: is missing" for name in required if not (folder / f"{name}.yaml").is_file()]
    if problems or editions is None or conditions is None:
        raise RulesError("; ".join(problems))
    items = {name.removeprefix("items/"): file for name, file in files.items() if isinstance(file, ItemFile)}
    entries = {(name, key): rows for name, file in files.items() for key, rows in file.values.items()}

    def rules_at(day: date) -> RulesAt:
        # The first entry is as old as the programme; `ParameterFile` refuses a younger one.
        present = {key: [entry for entry in rows if entry.valid_from <= day][-1] for key, rows in entries.items()}
        return RulesAt(
            day=day,
            edition=[edition for edition in editions if edition.valid_from <= day][-1],
            conditions=tuple(
                condition
                for condition in conditions
                if condition.valid_from <= day and (condition.valid_to is None or day < condition.valid_to)
            ),
            items=items,
            texts=texts,
            values={key: entry for key, entry in present.items() if entry.value is not None},
            ended={key: entry for key, entry in present.items() if entry.value is None},
        )

    return Rules(tuple(map(rules_at, days_of_changes(entries.values(), editions, conditions))))


def days_of_changes(
    entries: Iterable[list[Dated]], editions: list[Edition], conditions: list[RuleCondition]
) -> list[date]:
    """Return the days on which a rule changes, ascending, from the first edition on."""
    days = {edition.valid_from for edition in editions}
    days |= {edition.contracts_until + timedelta(days=1) for edition in editions}
    days |= {entry.valid_from for rows in entries for entry in rows}
    days |= {day for condition in conditions for day in (condition.valid_from, condition.valid_to) if day}
    return sorted(day for day in days if day >= editions[0].valid_from)


@lru_cache
def current() -> Rules:
    """Return the rules of this package's files, read once. Raises RulesError."""
    return read_rules(FILES)
