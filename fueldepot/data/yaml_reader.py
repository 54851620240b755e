"""Reader of the project's YAML files: a validated object, or all mistakes of a file at once.

A file is described by a pydantic model. Mistakes (invalid YAML, repeated, unknown or missing keys, wrong types) are
raised as one InvalidYaml on one line, each with its row. YAML itself would silently keep the last of two equal keys.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    GetPydanticSchema,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

_FastLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_DEPTH = 30
"""Maximum nesting. The loader of libyaml is recursive and would crash the process."""

MAX_SHOWN = 60
"""Maximum length of a wrong value in a message."""

Location = tuple[int | str, ...]
Mistake = tuple[Location, str]
"""Location in the document, as keys and indexes, and the mistake there."""

Rows = dict[tuple[str, ...], int | None]
"""Rows by keys and indexes, as text."""

Text = Annotated[str, StringConstraints(min_length=1)]
Digits = Annotated[str, StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)?$"), AfterValidator(Decimal)]
Number = Annotated[Decimal, GetPydanticSchema(lambda _, handler: handler(Digits))]
"""A quoted decimal such as "192.50"."""

Model = TypeVar("Model")

MESSAGES = {
    "extra_forbidden": "is unknown",
    "missing": "is missing",
    "string_type": "must be text, in quotation marks if it looks like something else",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
    "bool_type": "must be yes or no",
    "int_type": "must be a whole number",
    "date_type": "must be a day as YYYY-MM-DD",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
}
"""Messages instead of pydantic's own, by type of the error."""


class InvalidYaml(Exception):
    """A file is invalid. mistakes: (row or None, message), by row. reason: all of them on one line."""

    def __init__(self, path: Path, mistakes: Iterable[tuple[int | None, str]]) -> None:
        self.path = path
        self.mistakes = sorted(mistakes, key=lambda mistake: mistake[0] or 0)
        parts = (f"row {row}: {text}" if row else text for row, text in self.mistakes)
        self.reason = " ".join(printable("; ".join(parts)).split())
        super().__init__(f"{path}: {self.reason}")


class StrictModel(BaseModel):
    """A mapping of a file: no unknown keys, strict types, no conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, str_strip_whitespace=True)


class _Loader(_FastLoader):  # type: ignore[misc] # of libyaml, if PyYAML has it
    """Keeps an invalid date as text, so that its model refuses it with its row."""

    def construct_day(self, node: Any) -> date | str:
        try:
            day: date = self.construct_yaml_timestamp(node)
        except ValueError:
            return str(node.value)
        return day


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_day)


def read_yaml(
    path: Path,
    model: type[Model],
    check: Callable[[Model], Iterable[Mistake]] | None = None,
    context: Mapping[str, Any] | None = None,
) -> Model:
    """Return the content of a file as `model`, a pydantic model or another type.

    check: yields mistakes that the model cannot see, such as references to unknown names. Called only if everything
    else is valid. context: of the model's validators. Raises InvalidYaml.
    """
    try:
        text = path.read_text(encoding="utf-8")
        node, content = _parse(path, text)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidYaml(path, [(None, f"cannot be read: {reason}")]) from error
    except yaml.reader.ReaderError as error:
        row = text.count("\n", 0, error.position) + 1
        raise InvalidYaml(path, [(row, f"is no YAML: {error.reason}")]) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise InvalidYaml(path, [(mark.line + 1 if mark else None, f"is no YAML: {error.problem}")]) from error
    rows: Rows = {(): node.start_mark.line + 1 if node else None}
    mistakes = list(_index(node, (), rows))
    invalid: Iterable[Mistake] = ()
    try:
        parsed: Model = TypeAdapter(model).validate_python(content, context=context)
    except ValidationError as error:
        invalid = [(details["loc"], _describe(details)) for details in error.errors(include_url=False)]
    else:
        if check and not mistakes:
            invalid = check(parsed)
    mistakes += [_locate(place, text, rows, content) for place, text in invalid]
    if mistakes:
        raise InvalidYaml(path, mistakes)
    return parsed


def check_days(entries: list[Any]) -> list[Any]:
    """Validate the days of entries from which each is valid. Raises ValueError."""
    days = [entry.valid_from for entry in entries]
    if days != sorted(set(days)):
        raise ValueError("valid_from must ascend, each day once")
    return entries


def _parse(path: Path, text: str) -> tuple[yaml.Node | None, Any]:
    """Return the node tree and the content of a text. Raises YAMLError, and InvalidYaml if nested too deeply."""
    depth = 0
    for event in yaml.parse(text, Loader=_FastLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        row = event.start_mark.line + 1 if event.start_mark else None
        if depth > MAX_DEPTH:
            raise InvalidYaml(path, [(row, "nests its values too deeply")])
        if isinstance(event, yaml.AliasEvent):
            raise InvalidYaml(path, [(row, f"*{event.anchor} is an alias; write the value out")])
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _index(node: yaml.Node | None, place: tuple[str, ...], rows: Rows) -> Iterator[tuple[int | None, str]]:
    """Store the rows of keys and items, and yield the keys that a mapping repeats."""
    children: list[tuple[str, yaml.Node, yaml.Node]] = []
    if isinstance(node, yaml.MappingNode):
        children = [(key.value, key, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        children = [(str(number), item, item) for number, item in enumerate(node.value)]
    seen = set()
    for part, start, value in children:
        row = start.start_mark.line + 1
        if part in seen:
            yield row, f"{part!r} stands twice"
        seen.add(part)
        rows[*place, part] = row
        yield from _index(value, (*place, part), rows)


def _locate(location: Location, text: str, rows: Rows, content: Any) -> tuple[int | None, str]:
    """Return the row of a location, or of its nearest existing parent, and "deadlines 3 (klasa-3-4), kind " + text."""
    row, words = rows[()], list[str]()
    place: tuple[str, ...] = ()
    for part in location:
        if part == "[key]":  # pydantic's word for a key that is invalid itself
            continue
        place = (*place, str(part))
        row = rows.get(place, row)
        content = content[part] if place in rows else None
        if isinstance(part, int):
            key = content.get("key") if isinstance(content, dict) else None
            words[-1:] = [f"{words[-1] if words else 'item'} {part + 1}{f' ({key})' if key else ''}"]
        else:
            words.append(part)
    return row, f"{', '.join(words)} {text}" if words else text


def _describe(error: Any) -> str:
    kind, value = error["type"], error["input"]
    if kind in {"missing", "extra_forbidden"}:
        return MESSAGES[kind]
    if kind in {"value_error", "assertion_error"}:
        return str(error["msg"]).removeprefix("Value error, ")
    if kind == "string_pattern_mismatch":
        rule = f"must have the form {error['ctx']['pattern']}"
    else:
        rule = MESSAGES.get(kind) or error["msg"].removeprefix("Input ").replace("should be", "must be")
    text = "null" if value is None else repr(value)
    return f"is {text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + '…'}; it {rule}"


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
