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
    """Something made of data sets. Threads share it, so nobody may change what they find in it."""

    lasting = True
    """Tests write rows without raising versions; for them nothing is held from one question to the next."""

    def __init__(self, make: Callable[[], Made], *slugs: str) -> None:
        """make: reads the rows. slugs: of every data set that it reads."""
        self._make, self._slugs = make, slugs
        self._known: tuple[str, Made] | None = None
        self._making = Lock()
        _all.append(self)  # type: ignore[arg-type] # what is in it does not matter there

    def current(self) -> Made:
        """What is held; made anew first where a data set has changed. Costs what `versions.current` costs."""
        stamp = versions.stamp(*self._slugs)
        known = self._known
        if known is not None and known[0] == stamp and self.lasting:
            return known[1]
        with self._making:
            # Whoever waited here for another thread finds its work done.
            known = self._known
            if known is None or known[0] != stamp or not self.lasting:
                known = self._known = versions.settled(self._make, *self._slugs)
        return known[1]

    def forget(self) -> None:
        """Make it anew at the next question."""
        self._known = None


def prepare() -> None:
    """Make whatever this process will hold, so that those it forks share the memory."""
    for held in _all:
        held.current()


def forget() -> None:
    """Drop whatever this process holds."""
    for held in _all:
        held.forget()
