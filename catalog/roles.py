"""The two roles at the editors' desk, as Django groups. `fueldepot/migrations/0001_editor_groups.py` creates them."""

EDITOR = "Redaktor"
"""Verifies, edits, adds, removes and merges depots; decides submissions and prices; maintains the legal state."""

CHIEF = "Redaktor naczelny"
"""Rights besides those of EDITOR: plausible ranges of prices, deleting rows of the legal state, editors' accounts."""
