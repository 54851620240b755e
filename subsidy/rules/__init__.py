"""The programme as dated data in YAML files; no number of it stands in Python.

A `Dated` number has a first day, a unit, a clause, a source, and whether an official text confirms it.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, field_validator

from fueldepot.data.yaml_reader import StrictModel, Text

FILES = Path(__file__).parent


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


@dataclass(frozen=True, slots=True)
class Dated:
    """An entry from valid_from on. value: None ends the parameter. notes: names of texts that qualify it."""

    value: Decimal | None
    valid_from: date
    unit: str
    clause: str
    source: RuleSource
    verified: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatedValue(Dated):
    value: Decimal


@dataclass(frozen=True, slots=True)
class ItemRule:
    """An item of annex 2. unit: "pcs" or "m2". table: 1 documents, 2 heat source, 3 envelope and ventilation."""

    name: str
    table: int
    unit: str
    clause: str


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


Values = Mapping[str, tuple[Dated, ...]]


@dataclass(frozen=True, slots=True)
class RulesAt:
    """The rules between two changes. values, and what ended one: by path of the file without suffix, and key."""

    day: date
    edition: Edition
    conditions: tuple[RuleCondition, ...]
    items: Mapping[str, ItemRule]
    texts: Mapping[str, str]
    values: Mapping[tuple[str, str], DatedValue]
    ended: Mapping[tuple[str, str], Dated]

    @property
    def contracts_ended(self) -> bool:
        """Whether the last day on which an agreement can be signed has passed."""
        return self.day > self.edition.contracts_until

    def number(self, parameter: str, key: str) -> Decimal:
        """Return the number of a value. Raises KeyError where none is in force."""
        return self.values[parameter, key].value

    def text(self, name: str, /, **filled: object) -> str:
        return self.texts[name].format(**filled) if filled else self.texts[name]


@dataclass(frozen=True)
class Rules:
    """The rules of all days. parameters: path without suffix → key → entries, ascending by day."""

    parameters: Mapping[str, Values]
    items: Mapping[str, ItemRule]
    editions: Sequence[Edition]
    conditions: Sequence[RuleCondition]
    texts: Mapping[str, str]
    changes: tuple[date, ...]
    """Days on which a rule changes, ascending."""

    _known: dict[date, RulesAt] = field(default_factory=dict, compare=False, repr=False)

    @property
    def begins(self) -> date:
        return self.editions[0].valid_from

    def on(self, day: date) -> RulesAt:
        """Return the rules of a day, cached between changes. Raises ValueError before the first edition."""
        if day < self.begins:
            raise ValueError(f"the programme began on {self.begins}, after {day}")
        start = self.changes[bisect_right(self.changes, day) - 1]
        known = self._known.get(start)
        if known is None:
            known = self._known[start] = self._resolve(start)
        return known

    def _resolve(self, day: date) -> RulesAt:
        values: dict[tuple[str, str], DatedValue] = {}
        ended: dict[tuple[str, str], Dated] = {}
        for parameter, keys in self.parameters.items():
            for key, entries in keys.items():
                # The first entry is as old as the programme; `subsidy.rules.rule_files` refuses a younger one.
                entry = [entry for entry in entries if entry.valid_from <= day][-1]
                if isinstance(entry, DatedValue):
                    values[parameter, key] = entry
                else:
                    ended[parameter, key] = entry
        return RulesAt(
            day=day,
            edition=[edition for edition in self.editions if edition.valid_from <= day][-1],
            conditions=tuple(
                condition
                for condition in self.conditions
                if condition.valid_from <= day and (condition.valid_to is None or day < condition.valid_to)
            ),
            items=self.items,
            texts=self.texts,
            values=values,
            ended=ended,
        )


@lru_cache
def current() -> Rules:
    """Return the rules of this package's files, read once. Raises RulesError."""
    from subsidy.rules.rule_files import read_rules

    return read_rules(FILES)
