"""The rehearsal of docs/refresh.md, as an operator calls it."""

import pytest

from tests.catalog.importers.parsers.helpers import shared
from tests.fueldepot.sharers import output_of, run_python


def rehearse(*args: str) -> str:
    return output_of(run_python("-m", "tests.ops.rehearsal", *args, limit_s=900))


def check(printed: str, *, places: int, depots: int) -> None:
    """What a rehearsal prints: all is imported once, found unchanged afterwards, and served."""
    assert (printed.count(": imported: "), printed.count(": unchanged: ")) == (6, 6)
    assert "nothing is due; the next is osm-depots on " in printed
    assert printed.count("\n200 /") == 6
    assert f"teryt-simc: imported: {places} rows" in printed
    assert f"osm-depots: imported: {depots} rows" in printed


@pytest.mark.release
@pytest.mark.slow
def test_the_whole_chain_of_a_small_country():
    """Before a release: `fueldepot/test_refresh.py` takes the same way in one process."""
    check(rehearse(), places=7, depots=12)


@pytest.mark.release
@pytest.mark.full_scale
def test_the_whole_chain():
    """Before a release: it takes minutes, and `test_full_scale` reads the same files."""
    check(rehearse(str(shared())), places=102_913, depots=6586)
