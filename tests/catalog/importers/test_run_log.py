"""Origins of import runs."""

from catalog.importers.run_log import RunOrigin


def test_of_a_file_that_is_gone_no_checksum_is_noted(tmp_path):
    origin = RunOrigin.of_files("teryt-simc", "places", (tmp_path / "gone.csv",))
    assert (origin.source, origin.file_name, origin.checksum, origin.file_size) == ("teryt-simc", "gone.csv", "", 0)
