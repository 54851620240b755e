"""Rows that follow a depot when depots are merged, restored or erased: the registry of their handlers.

`AppConfig.ready` registers them, in this order:

- `owner_links` (`catalog/apps.py`): permanent links of owners, `catalog/submissions/owner_links.py`
- `prices` (`prices/apps.py`): prices with their decisions, `prices/handlers.py`

Submissions follow without a handler (`merging.move_submissions`). Rows of erased depots need none either:
`moderation.erase_demonstration` finds their tables by their relations.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import AbstractBaseUser


@dataclass(frozen=True, slots=True)
class Follower:
    """How the rows of one kind follow a depot.

    name: key in the record of the merge. label: Polish name of the rows. move(loser, survivor, editor, day): returns
    the ids of the moved rows. bring_back(ids, depots, depot, editor, day): moves rows, now at one of the depots, back
    to `depot`. count(depot ids): number of related rows. erased: called in the transaction that has erased the
    demonstration depots and their rows, to bump versions.
    """

    name: str
    label: str
    move: Callable[[int, int, AbstractBaseUser, date], list[int]]
    bring_back: Callable[[Collection[int], Collection[int], int, AbstractBaseUser | None, date], None]
    count: Callable[[Collection[int]], int]
    erased: Callable[[], None] = lambda: None


FOLLOWERS: list[Follower] = []
