"""The rehearsal of docs/refresh.md, as an operator calls it."""

import subprocess
import sys

import pytest

from tests import ROOT
from tests.conftest import SHARED_DATA


def rehearse(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.ops.rehearsal", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.full_scale
def test_the_whole_chain():
    """On the publishers' files, or on a small country where they are missing."""
    country = SHARED_DATA.is_dir()
    printed = rehearse(*[str(SHARED_DATA)] * country)
    assert (printed.count(": imported: "), printed.count(": unchanged: ")) == (6, 6)
    assert "nothing is due; the next is osm-depots on " in printed
    assert printed.count("\n200 /") == 6
    assert f"teryt-simc: imported: {102_913 if country else 7} rows" in printed
    assert f"osm-depots: imported: {6586 if country else 12} rows" in printed
