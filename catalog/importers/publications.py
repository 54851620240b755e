"""What `catalog/sources.yaml` says of every source: publisher, licence, rhythm, address. Read strictly.

A missing, misspelt or odd value raises SourcesError with the file, the source and the key in one line.
"""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from catalog.importers.parsers.formats import Format
from catalog.models import Dataset
from catalog.yaml_loader import SafeLoader

SOURCES_FILE = Path(__file__).resolve().parent.parent / "sources.yaml"

METHODS = ("file", "form", "overpass", "api", "manual")
OTHER_FORMS = ("bdl", "regulations")
"""Forms that apps above the catalog read."""

MEGABYTE = 1_000_000

_ID = re.compile(r"[a-z][a-z0-9-]{1,39}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}\.(zip|json|csv)")


class SourcesError(Exception):
    """The file of sources cannot be read; the message names the file, the source and the key."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One source. rhythm_days: how often it is asked. forms: what its files may be, best first.

    Without a method that fetches (`manual`) there is no file, and max_bytes is 0.
    """

    id: str
    dataset: Dataset.Slug
    title: str
    publisher: str
    licence: str
    attribution: str
    terms: str
    rhythm_days: int
    forms: tuple[str, ...]
    method: str
    url: str
    file: str
    button: str
    query: str
    min_rows: int
    max_bytes: int
    confirmed: bool
    evidence: str

    @property
    def fetched(self) -> bool:
        """Whether it can be asked for without a person."""
        return self.method != "manual"


@cache
def read_publications(path: Path = SOURCES_FILE) -> Mapping[str, Publication]:
    """Every source of a file by its id, in the order of the file. Raises SourcesError."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), SafeLoader)  # noqa: S506 - a safe loader
    except (OSError, UnicodeDecodeError) as error:
        raise SourcesError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise SourcesError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict) or not content:
        raise SourcesError(f"{path}: must name the sources, each with its keys")
    found = {name: _read(path, name, values) for name, values in content.items()}
    taken: dict[str, str] = {}
    for publication in found.values():
        for form in publication.forms:
            if form in taken:
                raise SourcesError(f"{path}: {publication.id}: the form {form} is {taken[form]}'s already")
            taken[form] = publication.id
    return found


def publication_of(form: str) -> str:
    """The id of the source that files of a form come from; "" when there is none. Reads the project's own file."""
    return next((one.id for one in read_publications().values() if form in one.forms), "")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def allowed_address(url: str) -> bool:
    """Whether an address may be asked: https, or http to this machine; no name or password in it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return False
    if not host or parts.username or parts.password:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


ALWAYS = (
    "dataset",
    "title",
    "publisher",
    "licence",
    "attribution",
    "terms",
    "rhythm_days",
    "login_free",
    "forms",
    "method",
    "url",
    "min_rows",
    "confirmed",
    "evidence",
)
"""Keys of every source, in the order of the file; what else one has depends on its method."""


class _Strict:
    """The keys of one source, each of which must be asked for."""

    def __init__(self, path: Path, name: object, values: object) -> None:
        self.path, self.name = path, name
        if not isinstance(values, dict):
            self.fail("must be a mapping")
        self.left: dict[Any, Any] = dict(values) if isinstance(values, dict) else {}

    def fail(self, problem: str) -> Any:
        raise SourcesError(f"{self.path}: {self.name}: {problem}")

    def need(self, *names: str) -> None:
        """Name all that is missing at once."""
        missing = [name for name in names if name not in self.left]
        if missing:
            self.fail(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")

    def take(self, key: str, kind: type) -> Any:
        if key not in self.left:
            self.fail(f"{key} is missing")
        value = self.left.pop(key)
        # bool is an int to Python, and `rhythm_days: yes` would be one day.
        if type(value) is not kind or value == "":
            self.fail(f"{key} is {value!r}; it must be {kind.__name__}")
        return value

    def text(self, key: str) -> str:
        value: str = self.take(key, str)
        return value.strip()

    def one_of(self, key: str, known: tuple[str, ...]) -> str:
        value = self.text(key)
        if value not in known:
            self.fail(f"{key} is {value!r}; it must be one of {', '.join(known)}")
        return value

    def number(self, key: str, low: int, high: int) -> int:
        value: int = self.take(key, int)
        if not low <= value <= high:
            self.fail(f"{key} is {value}; it must be from {low} to {high}")
        return value

    def address(self, key: str) -> str:
        value = self.text(key)
        if not allowed_address(value):
            self.fail(f"{key} is {value!r}; it must be an https address, or http to this machine")
        return value


def _read(path: Path, name: object, values: object) -> Publication:
    keys = _Strict(path, name, values)
    if not isinstance(name, str) or not _ID.fullmatch(name):
        keys.fail("a source is named by small letters, digits and dashes, at most 40")
    keys.need(*ALWAYS)
    method = keys.one_of("method", METHODS)
    if not keys.take("login_free", bool) and method != "manual":
        keys.fail("needs a login, so its method must be manual")
    forms = tuple(keys.take("forms", list))
    known = (*(form.value for form in Format), *OTHER_FORMS)
    if not forms or any(form not in known for form in forms):
        keys.fail(f"forms is {list(forms)!r}; it must be a list of {', '.join(known)}")
    file = keys.text("file") if method != "manual" else ""
    if file and not _FILE.fullmatch(file):
        keys.fail(f"file is {file!r}; it must be a plain name that ends in .zip, .json or .csv")
    publication = Publication(
        id=str(name),
        dataset=Dataset.Slug(keys.one_of("dataset", tuple(Dataset.Slug.values))),
        title=keys.text("title"),
        publisher=keys.text("publisher"),
        licence=keys.text("licence"),
        attribution=keys.text("attribution"),
        terms=keys.address("terms"),
        rhythm_days=keys.number("rhythm_days", 1, 1000),
        forms=forms,
        method=method,
        url=keys.address("url"),
        file=file,
        button=keys.text("button") if method == "form" else "",
        query=keys.text("query") if method == "overpass" else "",
        min_rows=keys.number("min_rows", 1, 10_000_000),
        max_bytes=keys.number("max_megabytes", 1, 4_000) * MEGABYTE if method != "manual" else 0,
        confirmed=keys.take("confirmed", bool),
        evidence=keys.text("evidence"),
    )
    if keys.left:
        keys.fail(f"unknown: {', '.join(map(str, keys.left))}")
    return publication
