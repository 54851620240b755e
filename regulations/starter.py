"""Starter data of the legal state."""

from collections.abc import Iterator

from catalog.importers.runner import ImportStep
from regulations.importers.records import DATA, find_files
from regulations.importers.sources import file_step
from regulations.models import LegalState


def missing_steps() -> Iterator[ImportStep]:
    """Yield the step that loads the state, where the table is empty."""
    if not LegalState.objects.exists():
        yield file_step(find_files([DATA]))
