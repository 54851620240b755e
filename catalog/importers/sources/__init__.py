"""What a source of a publisher is, how its files are recognised, and the values of `catalog/sources.yaml`.

An operator changes these. One module a publisher lists its `SOURCES`; nothing else names them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from django.apps import apps
from django.db.models import Model, QuerySet
from pydantic import AfterValidator, Field, StringConstraints

from catalog.importers.parsers.files import FileStart, check_whole, starts
from catalog.importers.records import BadInput, Extract, Options, Report
from catalog.models import Dataset
from fueldepot.data.yaml_reader import Mistake, StrictModel, read_yaml
from fueldepot.http.links import is_loopback

if TYPE_CHECKING:
    from catalog.importers.download import Download, Fetcher
    from catalog.importers.runner import ImportStep


SOURCES_FILE = Path(__file__).resolve().parents[2] / "sources.yaml"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of the files of a source. parse: takes one file, or all if `in_parts`. named: reports name the files.

    usual_name: pattern of lower-case names; a file with such a name and another content is damaged.
    """

    name: str
    recognises: Callable[[FileStart], bool]
    parse: Callable[..., Extract[Any]]
    usual_name: str = ""
    in_parts: bool = False
    named: bool = True


class Rank(NamedTuple):
    """Rank of a kind of rows among those of other sources, higher is better; why others are not taken beside them."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """A source: what it is, how its files are recognised and written, whence and how often they are fetched.

    order: of imports, later sources build on earlier ones. credit: publisher as data sets name it. needs: data set
    without which nothing can be imported. built_on: other data sets after whose change a file may give other rows.
    rows: stored rows of this source, None if a file is all of its data set. lent: rows that files of another publisher
    have from this one. starter: credit and day of `rows` in the starter data. dated: whether an older file is refused.
    ranks: by kind of row, where rows of a better source stay.

    file: name of what a GET of `url` fetches, "" if it is brought by hand from there. button: of the ASP.NET page that
    is sent back for the file. query: sent to Overpass by POST. fetch: asks an API. confirmed: whether the address is
    documented or lately tried. most_rejected: share of unusable rows above which a fetched file is refused as one of
    another kind.
    """

    id: str
    order: int
    dataset: Dataset.Slug
    title: str
    publisher: str
    credit: str
    licence: str
    terms: str
    formats: tuple[FileFormat, ...]
    write: Callable[[Extract[Any], Options], Report]
    url: str
    rhythm_days: int
    needs: Dataset.Slug | None = None
    built_on: tuple[Dataset.Slug, ...] = ()
    rows: QuerySet[Any] | None = field(default=None, repr=False)
    lent: QuerySet[Any] | None = field(default=None, repr=False)
    starter: tuple[str, date] | None = None
    dated: bool = False
    model: type[Model] | None = None
    ranks: Mapping[str, Rank] = field(default_factory=dict)
    confirmed: bool = False
    file: str = ""
    min_rows: int = 0
    most_rejected: float = 0.2
    max_megabytes: float = 0
    button: str = ""
    query: str = ""
    fetch: "Callable[[DataSource, Fetcher], tuple[ImportStep, Download]] | None" = None

    @property
    def fetched(self) -> bool:
        return bool(self.file)

    @property
    def max_bytes(self) -> int:
        return int(self.max_megabytes * 1_000_000)


@cache
def all_sources() -> Mapping[str, DataSource]:
    """Return `SOURCES` of every module here, and of `sources.py` of every app above, by id, in their order."""
    names = [f"{__name__}.{module.name}" for module in iter_modules(__path__)]
    names += [f"{app.name}.sources" for app in apps.get_app_configs() if (Path(app.path) / "sources.py").is_file()]
    sources = [source for name in names for source in import_module(name).SOURCES]
    return {source.id: source for source in sorted(sources, key=lambda source: (source.order, source.id))}


Recognised = tuple[DataSource, FileFormat]


def formats() -> list[Recognised]:
    """Return every format with its source, in the order of imports."""
    return [(source, format_) for source in all_sources().values() for format_ in source.formats]


def identify(path: Path) -> Recognised | None:
    """Return source and format of a file by its content, None if unknown. Raises BadInput for an unreadable one."""
    candidates = formats()
    for start in starts(path):
        for source, format_ in candidates:
            if format_.recognises(start):
                return source, format_
    return None


def recognise(path: Path) -> Recognised | None:
    """Return source and format of a file, None for others. Raises BadInput for a known name with other content."""
    reason, recognised = "its content is something else", None
    try:
        recognised = identify(path)
    except BadInput as error:
        reason = error.reason
    if recognised is None:
        for _, format_ in formats():
            if format_.usual_name and re.fullmatch(format_.usual_name, path.name.lower()):
                raise BadInput(path, f"is named like {format_.name.upper()} but {reason}")
    return recognised


def check(path: Path, source: DataSource) -> None:
    """Raise BadInput, with a remedy, unless a fetched file is whole and in the source's format. Reads all of it."""
    check_whole(path, Path(source.file).suffix)
    recognised = identify(path)
    names = [format_.name for format_ in source.formats]
    if recognised is None or recognised[1].name not in names:
        kind = f"looks like {recognised[1].name}" if recognised else "is of no known form"
        raise BadInput(path, f"{kind} instead of {' or '.join(names)}; the publisher may have changed it, look at it")


def allowed_address(url: str) -> bool:
    """Whether a URL may be requested: https, or http to this machine; without credentials."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return False
    if not host or parts.username or parts.password:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url))


def check_address(url: str) -> str:
    if not allowed_address(url):
        raise ValueError(f"is {url!r}; it must be an https address, or http to this machine")
    return url


class SourceSettings(StrictModel):
    url: Annotated[str, StringConstraints(min_length=1), AfterValidator(check_address)] = ""
    rhythm_days: Annotated[int, Field(ge=1, le=1000)] = 1
    min_rows: Annotated[int, Field(ge=1, le=10_000_000)] = 1
    max_megabytes: Annotated[int, Field(ge=1, le=4_000)] = 1
    confirmed: bool = False


def check_settings(entries: dict[str, SourceSettings]) -> Iterator[Mistake]:
    sources = all_sources()
    for name, entry in entries.items():
        if name not in sources:
            yield (name,), f"is no source; the sources are {', '.join(sources)}"
        elif not sources[name].fetched and "max_megabytes" in entry.model_fields_set:
            yield (name, "max_megabytes"), "is unknown to the method manual"


@cache
def read_sources(path: Path | None = None) -> Mapping[str, DataSource]:
    """Return all sources by id, in their order, with the values of the project's file. Raises InvalidYaml.

    Of another file, a rehearsal's, only those that it names: it must lead to no other publisher.
    """
    entries = read_yaml(path or SOURCES_FILE, dict[str, SourceSettings], check_settings)
    return {
        name: replace(source, **entries[name].model_dump(exclude_unset=True)) if name in entries else source
        for name, source in all_sources().items()
        if path is None or name in entries
    }
