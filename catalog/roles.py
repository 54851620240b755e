"""The two roles at the editors' desk, as Django groups. `fueldepot/migrations/0001_editor_groups.py` creates them."""

from typing import Any

EDITOR = "Redaktor"
"""Verifies, edits, adds, removes and merges depots; decides submissions and prices; maintains the legal state."""

CHIEF = "Redaktor naczelny"
"""Rights besides those of EDITOR: plausible ranges of prices, deleting rows of the legal state, editors' accounts,
bulk actions without a limit, claims that an owner may still object to."""


def is_chief(user: Any) -> bool:
    """Whether a user is a superuser or a chief editor. At most one query."""
    return bool(user.is_superuser or user.groups.filter(name=CHIEF).exists())
