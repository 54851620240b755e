"""The rehearsal of docs/refresh.md, as an operator calls it."""

import pytest

from tests.conftest import SHARED_DATA
from tests.fueldepot.sharers import run_python


def rehearse(*args: str) -> str:
    done = run_python("-m", "tests.ops.rehearsal", *args, limit_s=900)
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
