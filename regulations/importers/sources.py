"""The source of the legal state: acts in the gazettes of the voivodeships, entered by editors into YAML files."""

from collections.abc import Iterator
from pathlib import Path

from catalog.importers import registry
from catalog.importers.parsers.files import FileStart
from catalog.importers.records import Extract
from catalog.importers.runner import ImportStep
from catalog.importers.source import DataSource, FileFormat
from catalog.models import Dataset
from regulations.importers import records
from regulations.importers.records import StateRecord
from regulations.importers.sync import sync_regulations
from regulations.models import LegalState, Resolution

GAZETTES = "https://dziennikiurzedowe.gov.pl/"


def recognises(start: FileStart) -> bool:
    """Whether a file is YAML, by its name."""
    return start.path.suffix in records.YAML_SUFFIXES


def parse(*paths: Path) -> Extract[StateRecord]:
    """Parse files, one a voivodeship. Raises BadInput."""
    return Extract(tuple(records.parse(path) for path in paths))


FORMAT = FileFormat("regulations", recognises, parse, r".*\.ya?ml", in_parts=True, named=False)

SOURCE = DataSource(
    id="regulations",
    order=70,
    dataset=Dataset.Slug.REGULATIONS,
    title="Uchwały antysmogowe",
    publisher="dzienniki urzędowe województw",
    credit="dzienniki urzędowe województw i źródła podane przy każdym akcie",
    licence="akty normatywne, bez ochrony prawnoautorskiej (art. 4 ustawy o prawie autorskim)",
    terms=GAZETTES,
    formats=(FORMAT,),
    write=sync_regulations,
    model=Resolution,
    # The common entrance to the gazettes; each act names its own address in regulations/data.
    url=GAZETTES,
    rhythm_days=180,
    min_rows=1,
    confirmed=False,
)

SOURCES = (SOURCE,)


def file_step(paths: list[Path]) -> ImportStep:
    """Return the step that imports files."""
    return registry.step(paths, SOURCE, FORMAT)


def missing_steps() -> Iterator[ImportStep]:
    """Yield the step that loads the starter data, where the table is empty."""
    if not LegalState.objects.exists():
        yield file_step(records.find_files([records.DATA]))
