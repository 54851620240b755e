"""Origins of import runs."""

from catalog.importers.run_log import RunOrigin
from catalog.importers.runner import ImportStep
from catalog.models import Dataset


def test_of_a_file_that_is_gone_no_checksum_is_noted(tmp_path):
    step = ImportStep(
        Dataset.Slug.PLACES, "GUS", lambda options: None, source_id="teryt-simc", files=(tmp_path / "gone.csv",)
    )
    origin = RunOrigin.of_step(step)
    assert (origin.source, origin.file_name, origin.checksum, origin.file_size) == ("teryt-simc", "gone.csv", "", 0)
