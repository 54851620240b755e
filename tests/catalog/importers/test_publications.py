"""The file of sources."""

import pytest

from catalog.importers.source import SourcesError, read_sources


def test_a_file_of_sources_that_is_not_there(tmp_path):
    with pytest.raises(SourcesError, match="cannot be read: "):
        read_sources(tmp_path / "none.yaml")
