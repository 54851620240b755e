"""Polish formats."""

from pages import polish


def test_no_amount_is_a_dash():
    assert polish.zloty(None) == "–"
