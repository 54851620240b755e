import sys

import pytest

from catalog.importers import sources
from catalog.importers.sources import all_sources, read_sources


@pytest.fixture
def add_source(tmp_path_factory, monkeypatch):
    """Add a source by one module: `add_source(name, text)`."""
    folder = tmp_path_factory.mktemp("sources")
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(folder)])
    names = []

    def add(name, text):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        names.append(name)
        all_sources.cache_clear()
        read_sources.cache_clear()

    yield add
    for name in names:
        sys.modules.pop(f"catalog.importers.sources.{name}", None)
        delattr(sources, name)
    all_sources.cache_clear()
    read_sources.cache_clear()
