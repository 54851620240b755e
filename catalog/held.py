"""What a process makes of whole data sets and holds until one of them changes, so that requests find it ready.

For what is small, read often and changed seldom: the legal states, the index of names. A change is seen a moment later
at most (`versions.POLL_SECONDS`), as it is by validators and kept answers.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from catalog import versions

Made = TypeVar("Made")

_all: list["Held[object]"] = []


class Held(Generic[Made]):
    """Something made of data sets. Threads share it, so nobody may change what they find in it.

    Nothing is held while none of them has a version: rows that none speaks of would change unseen, and without rows
    there is nothing to spare.
    """

    def __init__(self, make: Callable[[], Made], *slugs: str) -> None:
        """make: reads the rows. slugs: of every data set that it reads."""
        self._make, self._slugs = make, slugs
        self._known: tuple[str, Made] | None = None
        self._making = Lock()
        _all.append(self)  # type: ignore[arg-type] # what is in it does not matter there

    def current(self) -> Made:
        """What is held; made anew first where a data set has changed. Costs what `versions.current` costs."""
        return self._of(versions.stamp(*self._slugs))

    def lasting(self) -> Made | None:
        """The same, but None where it would be made for this question alone."""
        stamp = versions.stamp(*self._slugs)
        return self._of(stamp) if versioned(stamp) else None

    def _of(self, stamp: str) -> Made:
        known = self._known
        if known is not None and known[0] == stamp:
            return known[1]
        with self._making:
            # Whoever waited here for another thread finds its work done.
            known = self._known
            if known is None or known[0] != stamp:
                known = versions.settled(self._make, *self._slugs)
                self._known = known if versioned(known[0]) else None
        return known[1]

    def forget(self) -> None:
        """Make it anew at the next question."""
        self._known = None


def versioned(stamp: str) -> bool:
    """Whether any data set of a stamp has a version."""
    return bool(stamp.strip("- "))


def prepare() -> None:
    """Make whatever this process will hold, so that those it forks share the memory."""
    for held in _all:
        held.current()


def forget() -> None:
    """Drop whatever this process holds."""
    for held in _all:
        held.forget()
