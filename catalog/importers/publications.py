"""Sources in `catalog/sources.yaml`: publisher, licence, interval, address. Parsed strictly.

A missing, misspelt or invalid value raises SourcesError with file, source and key on one line.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, RootModel, StringConstraints

from catalog.importers.parsers.formats import Format
from catalog.models import Dataset
from fueldepot.data.yaml_reader import InvalidYaml, Mistake, StrictModel, read_yaml

SOURCES_FILE = Path(__file__).resolve().parent.parent / "sources.yaml"

OTHER_FORMS = ("bdl", "regulations")
"""Formats that apps above the catalog import."""

MEGABYTE = 1_000_000

METHOD_KEYS = {
    "file": ("file", "max_megabytes"),
    "form": ("file", "max_megabytes", "button"),
    "overpass": ("file", "max_megabytes", "query"),
    "api": ("file", "max_megabytes"),
    "manual": (),
}
"""Keys by method: each source has exactly those of its method."""


class SourcesError(Exception):
    """The file of sources is invalid; the message names the file, and row, source and key of every mistake."""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def check_address(url: str) -> str:
    """Raise ValueError for a URL that may not be requested."""
    if not allowed_address(url):
        raise ValueError(f"is {url!r}; it must be an https address, or http to this machine")
    return url


Text = Annotated[str, StringConstraints(min_length=1)]
Address = Annotated[Text, AfterValidator(check_address)]
SourceId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,39}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}\.(zip|json|csv)$")]


class PublicationEntry(StrictModel):
    """Keys of a source, documented at the top of the file. A key that the method does not have is "" or 0."""

    # A strict model accepts only members of an enumeration; the file has their values.
    dataset: Annotated[Dataset.Slug, Field(strict=False)]
    title: Text
    publisher: Text
    licence: Text
    attribution: Text
    terms: Address
    rhythm_days: Annotated[int, Field(ge=1, le=1000)]
    login_free: bool
    forms: Annotated[list[str], Field(min_length=1)]
    method: Literal["file", "form", "overpass", "api", "manual"]
    url: Address
    min_rows: Annotated[int, Field(ge=1, le=10_000_000)]
    confirmed: bool
    evidence: Text
    file: FileName = ""
    max_megabytes: Annotated[int, Field(ge=1, le=4_000)] = 0
    button: Text = ""
    query: Text = ""


class Publication(PublicationEntry):
    """A source. rhythm_days: interval between imports. forms: possible formats of its files, preferred first."""

    id: SourceId
    max_bytes: int

    @property
    def fetched(self) -> bool:
        """Whether it is fetched automatically."""
        return self.method != "manual"


class PublicationsFile(RootModel[Annotated[dict[SourceId, PublicationEntry], Field(min_length=1)]]):
    """The sources by id."""


def check_sources(file: PublicationsFile) -> Iterator[Mistake]:
    """Yield keys that a method lacks or does not allow, and formats that are unknown or repeated."""
    known = {*(form.value for form in Format), *OTHER_FORMS}
    taken: dict[str, str] = {}
    for name, entry in file.root.items():
        needed = METHOD_KEYS[entry.method]
        for key in ("file", "max_megabytes", "button", "query"):
            given = key in entry.model_fields_set
            if key in needed and not given:
                yield (name, key), f"is missing; the method {entry.method} needs it"
            if key not in needed and given:
                yield (name, key), f"is unknown to the method {entry.method}"
        if not entry.login_free and entry.method != "manual":
            yield (name, "login_free"), "is no: a source that needs a login must have the method manual"
        for number, form in enumerate(entry.forms):
            if form not in known:
                yield (name, "forms", number), f"is {form!r}; it must be one of {', '.join(sorted(known))}"
            elif form in taken:
                yield (name, "forms", number), f"is {form!r}, which is {taken[form]}'s already"
            taken.setdefault(form, name)


@cache
def read_publications(path: Path = SOURCES_FILE) -> Mapping[str, Publication]:
    """Return the sources of a file by id, in order. Raises SourcesError."""
    try:
        entries = read_yaml(path, PublicationsFile, check_sources).root
    except InvalidYaml as error:
        raise SourcesError(str(error)) from error
    return {
        name: Publication.model_construct(id=name, max_bytes=entry.max_megabytes * MEGABYTE, **dict(entry))
        for name, entry in entries.items()
    }


def publication_of(form: str) -> str:
    """Return the id of the source of a format, "" for none. Reads the project's own file."""
    return next((one.id for one in read_publications().values() if form in one.forms), "")
