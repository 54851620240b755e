"""The YAML files of the legal state, read into plain dictionaries of text, dates and lists.

The form of a file is described in `regulations/data/README.md`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from catalog.importers.records import BadInput
from catalog.yaml_loader import PlainLoader
from regulations.models import Deadline, Scope, Source, write_sources

DATA = Path(__file__).resolve().parent.parent / "data"
"""The state that comes with the project."""

Values = dict[str, Any]

KEY_FORM = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
CODE_FORM = re.compile(r"[0-9]{4}([0-9]{3})?", re.ASCII)

SCOPE_FIELDS = ("units", "partly", "excluded")
ACT_TEXTS = ("title", "number", "publication", "text_url", "note")
AMENDMENT_TEXTS = ("number", "publication", "text_url", "changes", "note")
ACT_DAYS = ("adopted", "in_force_from")


@dataclass(frozen=True, slots=True)
class StateRecord:
    """One file. Each part: key → values of the columns, as the models name them; absent text is "".

    amendments: "key of the act/key" → values.
    """

    path: Path
    teryt: str
    values: Values
    resolutions: dict[str, Values]
    amendments: dict[str, Values]
    deadlines: dict[str, Values]
    bans: dict[str, Values]


YAML = frozenset({".yaml", ".yml"})
"""How files of the legal state end."""


def find_files(sources: list[Path]) -> list[Path]:
    """The YAML files among files and folders, in order.

    Raises BadInput for a folder without one, and for a file that is given twice.
    """
    found: list[Path] = []
    for source in sources:
        if source.is_dir():
            inside = sorted(path for path in source.iterdir() if path.suffix in YAML)
            if not inside:
                raise BadInput(source, "holds no YAML file")
            found += inside
        else:
            found.append(source)
    for path, again in Counter(path.resolve() for path in found).items():
        if again > 1:
            raise BadInput(path, "is given twice")
    return found


def parse(path: Path) -> StateRecord:
    """Read one file. Raises BadInput, naming file and place, for anything that is not of the described form."""
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), PlainLoader)  # noqa: S506 - a safe loader
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(path, f"cannot be read: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadInput(path, f"is no YAML: {error}", row=mark.line + 1 if mark else None) from error
    except RecursionError:
        raise BadInput(path, "nests its values too deeply") from None
    return _Reader(path).state(document)


class _Reader:
    """Checks every value of a document on its way into a record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sources: Mapping[str, Any] = {}
        self.scopes: Mapping[str, Any] = {}

    def fail(self, where: str, reason: str) -> BadInput:
        return BadInput(self.path, f"{where}: {reason}")

    def state(self, document: Any) -> StateRecord:
        top = self.mapping(document, "the file")
        teryt = top.get("voivodeship")
        if not isinstance(teryt, str) or not re.fullmatch("[0-9]{2}", teryt, re.ASCII):
            raise self.fail("voivodeship", f"is {teryt!r}; give two digits in quotation marks")
        self.sources = self.mapping(top.get("sources") or {}, "sources")
        self.scopes = self.mapping(top.get("scopes") or {}, "scopes")
        as_of = self.day(top, "as_of", "the file")
        if as_of is None:
            raise self.fail("as_of", "is missing; give the day the state is current to")
        values = {
            "as_of": as_of,
            "summary": self.text(top, "summary", "the file"),
            "note": self.text(top, "note", "the file"),
            "sources": self.source_text(list(self.sources), "sources"),
        }
        resolutions, amendments = {}, {}
        for where, key, item in self.items(top, "resolutions"):
            resolutions[key] = self.act(item, where)
            for inner, inner_key, change in self.items(item, "amendments", where):
                amendments[f"{key}/{inner_key}"] = {
                    **{name: self.text(change, name, inner, required=name == "changes") for name in AMENDMENT_TEXTS},
                    **{name: self.day(change, name, inner) for name in ACT_DAYS},
                    "sources": self.source_text(change.get("sources"), inner),
                }
        deadlines = {key: self.deadline(item, where) for where, key, item in self.items(top, "deadlines")}
        bans = {key: self.ban(item, where) for where, key, item in self.items(top, "bans")}
        if (deadlines or bans) and not resolutions:
            raise self.fail("resolutions", "are missing although there are deadlines or bans")
        return StateRecord(self.path, teryt, values, resolutions, amendments, deadlines, bans)

    def act(self, item: Mapping[str, Any], where: str) -> Values:
        return {
            **{name: self.text(item, name, where, required=name == "title") for name in ACT_TEXTS},
            **{name: self.day(item, name, where) for name in ACT_DAYS},
            **self.scope(item, where),
            "sources": self.source_text(item.get("sources"), where),
        }

    def deadline(self, item: Mapping[str, Any], where: str) -> Values:
        kind = item.get("kind")
        if kind not in Deadline.Kind.values:
            raise self.fail(where, f"kind is {kind!r}; give one of {', '.join(Deadline.Kind.values)}")
        day = self.day(item, "date", where)
        if day is None:
            raise self.fail(where, "date is missing")
        return {
            "date": day,
            "kind": kind,
            "applies_to": self.text(item, "applies_to", where, required=True),
            "description": self.text(item, "description", where, required=True),
            **self.provision(item, where),
        }

    def ban(self, item: Mapping[str, Any], where: str) -> Values:
        return {
            "fuel": self.text(item, "fuel", where, required=True),
            "detail": self.text(item, "detail", where),
            "from_date": self.day(item, "from_date", where),
            **self.provision(item, where),
        }

    def provision(self, item: Mapping[str, Any], where: str) -> Values:
        values = {
            **self.scope(item, where),
            "valid_from": self.day(item, "valid_from", where),
            "valid_to": self.day(item, "valid_to", where),
            "sources": self.source_text(item.get("sources"), where),
        }
        if values["valid_from"] and values["valid_to"] and values["valid_to"] <= values["valid_from"]:
            raise self.fail(where, "valid_to is not after valid_from")
        values["caveat"] = self.text(item, "caveat", where) or values["caveat"]
        return values

    def scope(self, item: Mapping[str, Any], where: str) -> Values:
        """The columns of a scope that the file names."""
        name = item.get("scope")
        if not isinstance(name, str) or name not in self.scopes:
            raise self.fail(where, f"scope is {name!r}; give one of {', '.join(self.scopes)}")
        found = self.mapping(self.scopes[name], f"scopes, {name}")
        area = found.get("area")
        if area not in Scope.Area.values:
            raise self.fail(f"scopes, {name}", f"area is {area!r}; give one of {', '.join(Scope.Area.values)}")
        codes = {field: self.codes(found.get(field) or [], f"scopes, {name}") for field in SCOPE_FIELDS}
        uncertain = found.get("uncertain", False)
        if not isinstance(uncertain, bool):
            raise self.fail(f"scopes, {name}", f"uncertain is {uncertain!r}; give true or false")
        if (area == Scope.Area.LISTED) != bool(codes["units"] or (area == Scope.Area.LISTED and codes["partly"])):
            raise self.fail(f"scopes, {name}", "units are given for the area listed, and only for it")
        return {
            "scope": self.text(found, "text", f"scopes, {name}", required=True),
            "area": area,
            **codes,
            "uncertain": uncertain,
            "caveat": self.text(found, "caveat", f"scopes, {name}"),
        }

    def codes(self, found: Any, where: str) -> list[str]:
        if not isinstance(found, list):
            raise self.fail(where, f"codes are {found!r}; give a list")
        for code in found:
            if not isinstance(code, str) or not CODE_FORM.fullmatch(code):
                raise self.fail(where, f"a code is {code!r}; give four or seven digits in quotation marks")
        return list(found)

    def items(
        self, parent: Mapping[str, Any], name: str, where: str = ""
    ) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Where each item of a list stands, its key, and itself."""
        seen = set()
        listed = parent.get(name) or []
        if not isinstance(listed, list):
            raise self.fail(where or name, f"{name} is no list")
        for number, item in enumerate(listed, start=1):
            place = f"{where + ', ' if where else ''}{name} {number}"
            found = self.mapping(item, place)
            key = found.get("key")
            if not isinstance(key, str) or not KEY_FORM.fullmatch(key):
                raise self.fail(place, f"key is {key!r}; give small letters, digits and dashes")
            if key in seen:
                raise self.fail(place, f"key {key!r} stands twice")
            seen.add(key)
            yield f"{place} ({key})", key, found

    def mapping(self, found: Any, where: str) -> Mapping[str, Any]:
        if not isinstance(found, dict):
            raise self.fail(where, "is no mapping of names to values")
        return found

    def text(self, item: Mapping[str, Any], name: str, where: str, *, required: bool = False) -> str:
        found = item.get(name)
        if found is None and not required:
            return ""
        if not isinstance(found, str) or not found.strip():
            raise self.fail(where, f"{name} is {found!r}; give text{'' if required else ' or null'}")
        return found.strip()

    def day(self, item: Mapping[str, Any], name: str, where: str) -> date | None:
        found = item.get(name)
        if found is not None and type(found) is not date:
            raise self.fail(where, f"{name} is {found!r}; give a day as YYYY-MM-DD or null")
        return found

    def source_text(self, keys: Any, where: str) -> str:
        """Sources named by their keys, as their column keeps them."""
        if keys is not None and not isinstance(keys, list):
            raise self.fail(where, f"sources is {keys!r}; give a list of keys")
        found = []
        for key in keys or []:
            if not isinstance(key, str) or key not in self.sources:
                raise self.fail(where, f"source {key!r} is not among the sources of the file")
            source = self.mapping(self.sources[key], f"sources, {key}")
            place = f"sources, {key}"
            found.append(
                Source(self.text(source, "title", place, required=True), self.text(source, "url", place, required=True))
            )
        return write_sources(found)
