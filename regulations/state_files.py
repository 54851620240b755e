"""Parser of the YAML files of the legal state. `regulations/data/README.md` describes their format."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from catalog.importers.records import BadInput
from fueldepot.data.yaml_reader import InvalidYaml, Mistake, StrictModel, Text, read_yaml
from regulations.codes import Appliance, Condition, Exemption, FuelCode, Spared, write_spared
from regulations.models import Deadline, Scope, Source, write_sources

DATA = Path(__file__).resolve().parent / "data"

Values = dict[str, Any]

Day = date
TextOrNone = Annotated[Text | None, AfterValidator(lambda text: text or "")]
"""Optional text; absent text becomes "", as in the columns."""
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
UnitCode = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}([0-9]{3})?$")]
# Not strict: strict models accept only members of an enumeration, while files hold their values.
ApplianceCode = Annotated[Appliance, Field(strict=False)]
FuelValue = Annotated[FuelCode, Field(strict=False)]


class SourceFile(StrictModel):
    title: Text
    url: Text


class ScopeFile(StrictModel):
    text: Text
    area: Annotated[Scope.Area, Field(strict=False)]
    units: list[UnitCode] = []
    partly: list[UnitCode] = []
    excluded: list[UnitCode] = []
    uncertain: bool = False
    caveat: TextOrNone = ""
    part_caveat: TextOrNone = ""

    @model_validator(mode="after")
    def check_units(self) -> Self:
        listed = self.area == Scope.Area.LISTED
        if (listed and not (self.units or self.partly)) or (self.units and not listed):
            raise ValueError("units are given for the area listed, and only for it")
        return self

    def values(self) -> Values:
        return {"scope": self.text, **self.model_dump(mode="json", exclude={"text"})}


class Sourced(StrictModel, use_enum_values=True):
    key: Key
    sources: list[str] | None = None


class Scoped(Sourced):
    scope: str


class PublishedFile(Sourced):
    number: TextOrNone = ""
    adopted: date | None = None
    publication: TextOrNone = ""
    text_url: TextOrNone = ""
    in_force_from: date | None = None
    note: TextOrNone = ""


class AmendmentFile(PublishedFile):
    changes: Text


class ActFile(PublishedFile, Scoped):
    title: Text
    amendments: list[AmendmentFile] = []


class ProvisionFile(Scoped):
    valid_from: date | None = None
    valid_to: date | None = None
    caveat: TextOrNone = ""

    @model_validator(mode="after")
    def check_validity(self) -> Self:
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise ValueError("valid_to is not after valid_from")
        return self


class SparedFile(StrictModel):
    appliance: ApplianceCode
    started_before: date | None = None


class DeadlineFile(ProvisionFile):
    date: Day
    kind: Annotated[Deadline.Kind, Field(strict=False)]
    appliances: list[ApplianceCode] = []
    unclear_appliances: list[ApplianceCode] = []
    fuels: list[FuelValue] = []
    conditions: list[Annotated[Condition, Field(strict=False)]] = []
    exemptions: list[Annotated[Exemption, Field(strict=False)]] = []
    started_before: Day | None = None
    spared: list[SparedFile] = []
    applies_to: Text
    description: Text


class BanFile(ProvisionFile):
    fuel: Text
    fuels: list[FuelValue] = []
    detail: TextOrNone = ""
    from_date: date | None = None


class StateFile(StrictModel):
    """A file. left_out: remarks for readers of the file, not imported."""

    voivodeship: Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")]
    as_of: date
    summary: TextOrNone = ""
    note: TextOrNone = ""
    sources: dict[str, SourceFile] = {}
    scopes: dict[str, ScopeFile] = {}
    resolutions: list[ActFile] = []
    deadlines: list[DeadlineFile] = []
    bans: list[BanFile] = []
    left_out: list[Text] = []


class StateRecord(NamedTuple):
    """One file. parts: by name: key → values by column; amendments by "key of the act/key". Absent text is ""."""

    path: Path
    teryt: str
    values: Values
    parts: dict[str, dict[str, Values]]


YAML_SUFFIXES = frozenset({".yaml", ".yml"})


def find_files(sources: list[Path]) -> list[Path]:
    """Return files, and YAML files of folders, in order. Raises BadInput for an empty folder and a repeated file."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            inside = sorted(path for path in source.iterdir() if path.suffix.lower() in YAML_SUFFIXES)
            if not inside:
                raise BadInput(source, "holds no YAML file")
            files += inside
        else:
            files.append(source)
    for path, again in Counter(path.resolve() for path in files).items():
        if again > 1:
            raise BadInput(path, "is given twice")
    return files


def parse(path: Path) -> StateRecord:
    """Read one file. Raises BadInput with every mistake and its row."""
    try:
        return record_of(path, read_yaml(path, StateFile, check_names))
    except InvalidYaml as error:
        raise BadInput(path, error.reason) from error


def check_names(file: StateFile) -> Iterator[Mistake]:
    lists: list[tuple[tuple[str | int, ...], Sequence[Sourced]]] = [
        (("resolutions",), file.resolutions),
        (("deadlines",), file.deadlines),
        (("bans",), file.bans),
    ]
    lists += [(("resolutions", n, "amendments"), act.amendments) for n, act in enumerate(file.resolutions)]
    for place, items in lists:
        seen = set()
        for number, item in enumerate(items):
            if item.key in seen:
                yield (*place, number, "key"), f"{item.key!r} stands twice"
            seen.add(item.key)
            for position, name in enumerate(item.sources or []):
                if name not in file.sources:
                    yield (*place, number, "sources", position), f"{name!r} is not among the sources of the file"
            if isinstance(item, Scoped) and item.scope not in file.scopes:
                yield (*place, number, "scope"), f"is {item.scope!r}; give one of {', '.join(file.scopes)}"
    if (file.deadlines or file.bans) and not file.resolutions:
        yield ("resolutions",), "are missing although there are deadlines or bans"


def record_of(path: Path, file: StateFile) -> StateRecord:
    def source_text(keys: Iterable[str] | None) -> str:
        return write_sources(Source(file.sources[key].title, file.sources[key].url) for key in keys or ())

    def columns(item: Sourced, **more: Any) -> Values:
        """Return the values of an item with the columns of its scope and the text of its sources."""
        fields = item.model_dump(exclude={"key", "scope", "sources", "amendments", "spared", "caveat"})
        if isinstance(item, Scoped):
            fields |= file.scopes[item.scope].values()
        if isinstance(item, ProvisionFile) and item.caveat:
            fields["caveat"] = item.caveat
        return {**fields, "sources": source_text(item.sources), **more}

    parts = {
        "resolutions": {act.key: columns(act) for act in file.resolutions},
        "amendments": {
            f"{act.key}/{change.key}": columns(change) for act in file.resolutions for change in act.amendments
        },
        "deadlines": {
            row.key: columns(
                row, spared=write_spared(Spared(item.appliance, item.started_before) for item in row.spared)
            )
            for row in file.deadlines
        },
        "bans": {row.key: columns(row) for row in file.bans},
    }
    values = {"as_of": file.as_of, "summary": file.summary, "note": file.note, "sources": source_text(file.sources)}
    return StateRecord(path, file.voivodeship, values, parts)
