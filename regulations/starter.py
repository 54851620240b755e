"""The legal state that comes with the project."""

from collections.abc import Iterator

from catalog.importers.run import Step
from regulations.importers.records import DATA, find_files
from regulations.importers.sync import file_step
from regulations.models import LegalState


def missing_steps() -> Iterator[Step]:
    """The step that loads the state, where the database has none."""
    if not LegalState.objects.exists():
        yield file_step(find_files([DATA]))
