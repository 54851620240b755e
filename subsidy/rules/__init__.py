"""The programme as dated data: every amount, threshold, share, condition and sentence lies in the YAML files beside.

`current()` reads them once per process; `Rules.on(day)` is what held on a day. Each number is a `Dated`: it knows since
when it holds, its unit, its clause, where it was read and whether an official text confirms it. No number of the
programme stands in Python.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

FILES = Path(__file__).parent


class RulesError(Exception):
    """A rule file cannot be read, or says something that the calculator cannot use. The message names the file."""


class NotInForce(Exception):
    """A value has not begun, or has ended. entry: the entry that ends it, None before the first."""

    def __init__(self, day: date, entry: "Dated | None" = None) -> None:
        self.entry = entry
        super().__init__(f"nothing is in force on {day}")


@dataclass(frozen=True, slots=True)
class Source:
    """Where something was read. url: None where no address is known. official: the programme's own publisher."""

    title: str
    url: str | None
    official: bool
    read_on: date | None


@dataclass(frozen=True, slots=True)
class Dated:
    """A value from a day on. value: None ends the parameter. notes: names of the texts that qualify it."""

    value: Decimal | None
    valid_from: date
    unit: str
    clause: str
    source: Source
    verified: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InForce:
    """A value that holds, with all that is known of it."""

    value: Decimal
    valid_from: date
    unit: str
    clause: str
    source: Source
    verified: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemRule:
    """An item of annex 2. unit: pcs or m2. table: 1 documents, 2 heat source, 3 envelope and ventilation."""

    name: str
    table: int
    unit: str
    clause: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A requirement in words, from a day until the day before valid_to. applies: when it stands in an answer."""

    text: str
    clause: str
    applies: str
    valid_from: date
    valid_to: date | None
    source: Source
    verified: bool


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition of the programme. as_of: the day to which the newest source describes it.

    contracts_until: the last day on which an agreement can be signed. notes: texts for every answer.
    """

    valid_from: date
    as_of: date
    contracts_until: date
    sources: tuple[Source, ...]
    notes: tuple[str, ...]


Values = Mapping[str, tuple[Dated, ...]]


def value_at(values: Sequence[Dated], day: date) -> InForce:
    """The value in force on a day, with its clause and source.

    values: ascending by valid_from. Raises NotInForce before the first date and after an end.
    """
    number = bisect_right(values, day, key=lambda entry: entry.valid_from)
    if number == 0:
        raise NotInForce(day)
    entry = values[number - 1]
    if entry.value is None:
        raise NotInForce(day, entry)
    return InForce(entry.value, entry.valid_from, entry.unit, entry.clause, entry.source, entry.verified, entry.notes)


@dataclass(frozen=True, slots=True)
class RulesOn:
    """What holds on one day. Values are found by the path of their file and their key in it."""

    day: date
    edition: Edition
    conditions: tuple[Condition, ...]
    items: Mapping[str, ItemRule]
    texts: Mapping[str, str]
    values: Mapping[tuple[str, str], InForce]
    ended: Mapping[tuple[str, str], Dated]

    def value(self, parameter: str, key: str) -> InForce:
        """A value in force. Raises NotInForce where it has not begun or has ended; KeyError where no file has it."""
        found = self.values.get((parameter, key))
        if found is None:
            raise NotInForce(self.day, self.ended[parameter, key])
        return found

    def number(self, parameter: str, key: str) -> Decimal:
        """The bare number of a value in force."""
        return self.value(parameter, key).value

    def text(self, name: str, /, **filled: object) -> str:
        """A sentence, with its braces filled in."""
        return self.texts[name].format(**filled) if filled else self.texts[name]


@dataclass(frozen=True)
class Rules:
    """All files. parameters: path without suffix → key → entries in order of time."""

    parameters: Mapping[str, Values]
    items: Mapping[str, ItemRule]
    editions: tuple[Edition, ...]
    conditions: tuple[Condition, ...]
    texts: Mapping[str, str]
    changes: tuple[date, ...] = field(default=())
    """Days on which anything changes, ascending; between two of them every answer is the same."""

    _known: dict[date, RulesOn] = field(default_factory=dict, compare=False, repr=False)

    @property
    def begins(self) -> date:
        """The first day that can be asked for."""
        return self.editions[0].valid_from

    def on(self, day: date) -> RulesOn:
        """What holds on a day; raises NotInForce before the first edition. Resolved once for each stretch of days."""
        if day < self.begins:
            raise NotInForce(day)
        start = self.changes[bisect_right(self.changes, day) - 1]
        known = self._known.get(start)
        if known is None:
            known = self._known[start] = self._resolve(start)
        return known

    def _resolve(self, day: date) -> RulesOn:
        values: dict[tuple[str, str], InForce] = {}
        ended: dict[tuple[str, str], Dated] = {}
        for parameter, keys in self.parameters.items():
            for key, entries in keys.items():
                try:
                    values[parameter, key] = value_at(entries, day)
                except NotInForce as error:
                    ended[parameter, key] = error.entry or entries[0]
        return RulesOn(
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
    """The rules that lie beside this module. Raises RulesError, which names the file that is wrong."""
    from subsidy.rules.reading import read_rules

    return read_rules(FILES)
