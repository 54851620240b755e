"""Reader of the project's YAML files: a validated object, or all mistakes of a file at once.

A file is described by a pydantic model. Mistakes (invalid YAML, repeated, unknown or missing keys, wrong types) are
raised as one InvalidYaml on one line, each with its row. YAML itself would silently keep the last of two equal keys.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

try:
    from yaml import CSafeLoader as _FastLoader
except ImportError:
    from yaml import SafeLoader as _FastLoader  # type: ignore[assignment]

MAX_DEPTH = 30
"""Maximum nesting. The loader of libyaml is recursive and would crash the process."""

MAX_SHOWN = 60
"""Maximum length of a wrong value in a message."""

Location = tuple[int | str, ...]
Mistake = tuple[Location, str]
"""Location in the document, as keys and indexes, and the mistake there."""

Model = TypeVar("Model", bound=BaseModel)

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
    "model_attributes_type": "must be a mapping",
}
"""Messages instead of pydantic's own, by type of the error."""


class InvalidYaml(Exception):
    """A file is invalid. mistakes: (row or None, message), by row. reason: all of them on one line."""

    def __init__(self, path: Path, mistakes: Iterable[tuple[int | None, str]]) -> None:
        self.path = path
        self.mistakes = sorted(mistakes, key=lambda mistake: mistake[0] or 0)
        parts = (f"row {row}: {text}" if row else text for row, text in self.mistakes)
        self.reason = _printable("; ".join(parts))
        super().__init__(f"{path}: {self.reason}")


class StrictModel(BaseModel):
    """A mapping of a file: no unknown keys, strict types, no conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, str_strip_whitespace=True)


class _Loader(_FastLoader):
    """Keeps an invalid date as text, so that its model refuses it with its row."""

    def construct_day(self, node: Any) -> date | str:
        try:
            return self.construct_yaml_timestamp(node)
        except ValueError:
            return str(node.value)


_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_day)


def read_yaml(path: Path, model: type[Model], check: Callable[[Model], Iterable[Mistake]] | None = None) -> Model:
    """Return the content of a file as `model`.

    check: yields mistakes that the model cannot see, such as references to unknown names. Called only if everything
    else is valid. Raises InvalidYaml.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidYaml(path, [(None, f"cannot be read: {error}")]) from error
    try:
        node, content = _parse(path, text)
    except yaml.YAMLError as error:
        raise InvalidYaml(path, [(_row_of_error(error, text), f"is no YAML: {_problem(error)}")]) from error
    mistakes = [(key.start_mark.line + 1, f"{key.value!r} stands twice") for key in _repeated_keys(node)]
    try:
        parsed = model.model_validate(content)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            place = tuple(part for part in details["loc"] if part != "[key]")
            mistakes.append(_locate(node, place, _describe(details)))
        raise InvalidYaml(path, mistakes) from None
    if check and not mistakes:
        mistakes = [_locate(node, place, text) for place, text in check(parsed)]
    if mistakes:
        raise InvalidYaml(path, mistakes)
    return parsed


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


def _row_of_error(error: yaml.YAMLError, text: str) -> int | None:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    position = getattr(error, "position", None)
    return None if position is None else text.count("\n", 0, position) + 1


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)


def _repeated_keys(node: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    yield key
                seen.add((key.tag, key.value))
            yield from _repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated_keys(item)


def _locate(node: yaml.Node | None, place: Location, text: str) -> tuple[int | None, str]:
    """Return the row of a location, or of its nearest existing parent, and "deadlines 3 (klasa-3-4), kind " + text."""
    row = node.start_mark.line + 1 if node is not None else None
    words: list[str] = []
    for part in place:
        start, node = _child(node, part)
        row = start.start_mark.line + 1 if start is not None else row
        if isinstance(part, int):
            key = getattr(_child(node, "key")[1], "value", None)
            words[-1:] = [f"{words[-1] if words else 'item'} {part + 1}{f' ({key})' if key else ''}"]
        else:
            words.append(part)
    return row, f"{', '.join(words)} {text}" if words else text


def _child(node: yaml.Node | None, part: int | str) -> tuple[yaml.Node | None, yaml.Node | None]:
    """Return the key, or the item itself, and the value of a part of a node; None for both if there is no such part."""
    if isinstance(node, yaml.MappingNode):
        pairs = (pair for pair in reversed(node.value) if getattr(pair[0], "value", None) == str(part))
        return next(pairs, (None, None))
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None, None


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


def _printable(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
