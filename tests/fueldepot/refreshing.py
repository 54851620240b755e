"""`manage.py refresh` against local publishers."""

import io
import time
from types import SimpleNamespace

import pytest
from django.core.management import CommandError

from catalog.importers.freshness import last_runs
from prices import bdl
from tests import commands

ORDER = ["teryt-terc", "teryt-simc", "prg-boundaries", "geonames-postcodes", "osm-depots", "gus-bdl"]


class Rehearsal:
    """Publishers, their file of sources, and the command."""

    def __init__(self, publishers, sources):
        self.publishers, self.sources = publishers, sources

    def run(self, *args, **options):
        """Run. Returns what was printed, errors last."""
        self.err = io.StringIO()
        how = {"sources_file": self.sources, "stderr": self.err, "commit": True, **options}
        return commands.run("refresh", *args, **how) + self.err.getvalue()

    def fail(self, *args, match, **options):
        """Run, expecting a failure. Returns what was printed as an error, line by line."""
        with pytest.raises(CommandError, match=match) as failed:
            self.run(*args, **options)
        assert "\n" not in str(failed.value)
        return self.err.getvalue().splitlines()

    def overdue(self, on):
        return [state for state in last_runs() if state.is_overdue(on)]


def without_waiting(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bdl, "time", SimpleNamespace(sleep=lambda seconds: None, monotonic=time.monotonic))
