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


def check(printed: str) -> None:
    assert printed.count(": imported: ") == 6
    assert printed.count(": unchanged: ") == 6
    assert "nothing is due; the next is osm-depots on " in printed
    assert printed.count("\n200 /") == 6


@pytest.mark.slow
def test_the_whole_chain_on_a_small_country():
    check(rehearse())


@pytest.mark.full_scale
def test_the_whole_chain_on_the_publishers_files(shared_data):
    printed = rehearse(str(SHARED_DATA))
    check(printed)
    assert "teryt-simc: imported: 102913 rows" in printed
    assert "osm-depots: imported: 6586 rows" in printed
