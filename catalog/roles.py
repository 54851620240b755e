"""The two roles at the editors' desk, as groups of Django. `fueldepot/migrations/0001_editor_groups.py` makes them."""

EDITOR = "Redaktor"
"""Checks, edits, adds, removes and merges depots; decides requests and prices; keeps the legal state."""

CHIEF = "Redaktor naczelny"
"""Besides: plausible ranges of prices, deleting rows of the legal state, accounts of editors."""
