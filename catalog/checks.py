"""System checks of the catalog."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from catalog.importers.source import SourcesError, read_sources


@register()
def check_sources(**kwargs: Any) -> list[CheckMessage]:
    """catalog.E001: `catalog/sources.yaml` is valid."""
    try:
        read_sources()
    except SourcesError as error:
        return [Error(str(error), hint="mend the file; its head says what each key means", id="catalog.E001")]
    return []
