"""Reading the rule files: what is missing, misspelt or of the wrong kind stops the start and names the file."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from catalog.yaml_loader import SafeLoader
from subsidy.application import Item
from subsidy.rules import Condition, Dated, Edition, ItemRule, Rules, RulesError, Source

NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
UNITS = ("pcs", "m2")
TABLES = (1, 2, 3)
LEVELS = ("basic", "elevated", "highest")

REQUIRED_KEYS = {
    "levels/intensity": LEVELS,
    "levels/monthly_income": tuple(
        f"{level}/{household}" for level in LEVELS[1:] for household in ("multi_person", "single_person")
    ),
    "levels/annual_income": LEVELS[:1],
    "levels/business_revenue": LEVELS[1:],
    "levels/minimum_wage": ("monthly",),
    "project_types/heating_demand": ("type_2_from", "type_2_to"),
    "project_types/table_3_limit": tuple(
        f"{kind}/{level}" for kind in (1, 2, 3) for level in LEVELS if level != "highest" or kind == 3
    ),
}
"""What the calculator asks for, apart from the limits of items."""

APPLIES = frozenset(
    {
        "always",
        "upper",
        "highest",
        "old_source_stays",
        "source_replaced",
        "type_1",
        "type_2_with_envelope",
        "type_2_without_envelope",
        "type_3",
        "business",
        "business_limited",
        "business_unlimited",
    }
)


class Strict:
    """A mapping of a file, of which every key must be asked for exactly once."""

    def __init__(self, file: Path, content: Any, where: str = "") -> None:
        self.file, self.where = file, where
        if not isinstance(content, dict):
            self.fail("must be a mapping")
        self.left: dict[Any, Any] = dict(content)

    def fail(self, problem: str) -> Any:
        place = f"{self.where}: " if self.where else ""
        raise RulesError(f"{self.file}: {place}{problem}")

    def take(self, key: str, kind: type | tuple[type, ...], **default: Any) -> Any:
        """The value under a key. default: what stands for a missing one."""
        if key not in self.left:
            if "default" in default:
                return default["default"]
            self.fail(f"{key} is missing")
        value = self.left.pop(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if type(value) not in kinds:
            self.fail(f"{key} is {value!r}; it must be {' or '.join(one.__name__ for one in kinds)}")
        return value

    def names(self, key: str, known: Mapping[str, Any]) -> tuple[str, ...]:
        """A list of names, each of them known elsewhere."""
        names = self.take(key, list, default=[])
        for name in names:
            if name not in known:
                self.fail(f"{key} names {name!r}, which is nowhere")
        return tuple(names)

    def source(self, sources: Mapping[str, Source]) -> Source:
        """The source that is named."""
        name = self.take("source", str)
        if name not in sources:
            self.fail(f"source is {name!r}; sources.yaml has {', '.join(sources)}")
        return sources[name]

    def done(self) -> None:
        """Refuse what nobody asked for: it would be a misspelt key."""
        if self.left:
            self.fail(f"unknown: {', '.join(map(str, self.left))}")


def read_rules(folder: Path) -> Rules:
    """All rules of a folder. Raises RulesError."""
    texts = _read_texts(folder / "texts.yaml")
    sources = _read_sources(folder / "sources.yaml")
    parameters: dict[str, Mapping[str, tuple[Dated, ...]]] = {}
    items: dict[str, ItemRule] = {}
    for file in sorted(folder.glob("*/*.yaml")):
        name = file.relative_to(folder).with_suffix("").as_posix()
        parameters[name] = _read_parameter(file, items, sources, texts)
    for name, keys in (REQUIRED_KEYS | {f"items/{item}": LEVELS for item in Item}).items():
        if name not in parameters:
            raise RulesError(f"{folder / name}.yaml: is missing")
        if missing := set(keys) - set(parameters[name]):
            raise RulesError(f"{folder / name}.yaml: values lack {', '.join(sorted(missing))}")
    editions = _read_editions(folder / "editions.yaml", sources, texts)
    conditions = _read_conditions(folder / "conditions.yaml", sources)
    begins = editions[0].valid_from
    _check_beginnings(folder, parameters, begins)
    changes = {edition.valid_from for edition in editions}
    changes |= {entry.valid_from for keys in parameters.values() for entries in keys.values() for entry in entries}
    changes |= {day for condition in conditions for day in (condition.valid_from, condition.valid_to) if day}
    return Rules(parameters, items, editions, conditions, texts, tuple(sorted(day for day in changes if day >= begins)))


def _load(file: Path) -> Any:
    try:
        return yaml.load(file.read_text(encoding="utf-8"), SafeLoader)  # noqa: S506 - a safe loader
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        raise RulesError(f"{file}: {' '.join(str(error).split())}") from None


def _read_texts(file: Path) -> dict[str, str]:
    content = Strict(file, _load(file))
    return {name: content.take(name, str) for name in list(content.left)}


def _read_sources(file: Path) -> dict[str, Source]:
    found = {}
    for name, content in Strict(file, _load(file)).left.items():
        entry = Strict(file, content, name)
        found[name] = Source(
            title=entry.take("title", str),
            url=entry.take("url", (str, type(None))),
            official=entry.take("official", bool),
            read_on=entry.take("read_on", (date, type(None))),
        )
        entry.done()
    return found


def _read_parameter(
    file: Path, items: dict[str, ItemRule], sources: Mapping[str, Source], texts: Mapping[str, str]
) -> dict[str, tuple[Dated, ...]]:
    content = Strict(file, _load(file))
    content.take("description", str)
    unit, clause = content.take("unit", str), content.take("clause", str)
    if file.parent.name == "items":
        item = ItemRule(content.take("name", str), content.take("table", int), unit.removeprefix("PLN/"), clause)
        if item.unit not in UNITS or item.table not in TABLES:
            content.fail(f"unit is {unit!r} and table {item.table}; use PLN/pcs or PLN/m2, and table 1, 2 or 3")
        items[file.stem] = item
    values = content.take("values", dict)
    content.done()
    found = {}
    for key, entries in values.items():
        if not isinstance(entries, list) or not entries:
            content.fail(f"{key} must be a list of dated values")
        read = [_read_dated(Strict(file, entry, str(key)), unit, clause, sources, texts) for entry in entries]
        days = [entry.valid_from for entry in read]
        if days != sorted(set(days)):
            content.fail(f"{key}: valid_from must ascend, each day once")
        found[str(key)] = tuple(read)
    return found


def _read_dated(
    entry: Strict, unit: str, clause: str, sources: Mapping[str, Source], texts: Mapping[str, str]
) -> Dated:
    value = entry.take("value", (str, type(None)))
    if value is not None and not NUMBER.fullmatch(value):
        entry.fail(f'value is "{value}"; write a quoted decimal such as "192.50"')
    read = Dated(
        value=None if value is None else Decimal(value),
        valid_from=entry.take("valid_from", date),
        unit=entry.take("unit", str, default=unit),
        clause=entry.take("clause", str, default=clause),
        source=entry.source(sources),
        verified=entry.take("verified", bool),
        notes=entry.names("notes", texts),
    )
    if read.verified and not read.source.official:
        entry.fail("verified is yes, but the source is not official")
    entry.done()
    return read


def _read_editions(file: Path, sources: Mapping[str, Source], texts: Mapping[str, str]) -> tuple[Edition, ...]:
    content = _load(file)
    if not isinstance(content, list) or not content:
        raise RulesError(f"{file}: must be a list of editions")
    found = []
    for number, one in enumerate(content, start=1):
        entry = Strict(file, one, f"edition {number}")
        found.append(
            Edition(
                valid_from=entry.take("valid_from", date),
                as_of=entry.take("as_of", date),
                contracts_until=entry.take("contracts_until", date),
                sources=tuple(sources[name] for name in entry.names("sources", sources)),
                notes=entry.names("notes", texts),
            )
        )
        entry.done()
    if [edition.valid_from for edition in found] != sorted({edition.valid_from for edition in found}):
        raise RulesError(f"{file}: valid_from must ascend, each day once")
    return tuple(found)


def _read_conditions(file: Path, sources: Mapping[str, Source]) -> tuple[Condition, ...]:
    content = _load(file)
    if not isinstance(content, list):
        raise RulesError(f"{file}: must be a list of conditions")
    found = []
    for number, one in enumerate(content, start=1):
        entry = Strict(file, one, f"condition {number}")
        applies = entry.take("applies", str)
        if applies not in APPLIES:
            entry.fail(f"applies is {applies!r}; use one of {', '.join(sorted(APPLIES))}")
        found.append(
            Condition(
                text=entry.take("text", str),
                clause=entry.take("clause", str),
                applies=applies,
                valid_from=entry.take("valid_from", date),
                valid_to=entry.take("valid_to", date, default=None),
                source=entry.source(sources),
                verified=entry.take("verified", bool),
            )
        )
        entry.done()
    return tuple(found)


def _check_beginnings(folder: Path, parameters: Mapping[str, Mapping[str, tuple[Dated, ...]]], begins: date) -> None:
    """Every value has begun with the first edition, so that on any later day it either holds or has ended."""
    for name, keys in parameters.items():
        for key, entries in keys.items():
            if entries[0].valid_from > begins:
                raise RulesError(
                    f"{folder / name}.yaml: {key} begins on {entries[0].valid_from}, after the programme ({begins})"
                )
