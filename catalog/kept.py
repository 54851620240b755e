"""Good answers that this process has given lately, so that the same question is not worked out twice.

An answer is found by its validator (`catalog.validators`), which names the release, the versions of the data it rests
on, and the whole question: what is found is never out of date, and what has become so is never asked for again and
falls out. Nothing here matters: a process that starts with an empty memory answers the same.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

Thing = TypeVar("Thing")

MAX_BYTES = 4 * 1024 * 1024
"""What all kept answers of a process may take."""

MAX_ANSWER_BYTES = 256 * 1024
"""A larger answer is not kept: it would drive out too many others."""

OVERHEAD_BYTES = 600
"""Roughly what keeping costs beside the body: headers, key and the order."""


class Answer(NamedTuple):
    """A good answer as it was given. headers: those that the view set."""

    body: bytes
    headers: tuple[tuple[str, str], ...]


class Memory(Generic[Thing]):
    """Things by key, the longest unasked-for dropped first. Shared by the threads of a process.

    size: of a thing, in bytes.
    """

    def __init__(self, size: Callable[[Thing], int], max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._size = size
        self._things: OrderedDict[Hashable, Thing] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Thing | None:
        """What is kept under this key."""
        with self._lock:
            thing = self._things.get(key)
            if thing is not None:
                self._things.move_to_end(key)
            return thing

    def get_each(self, keys: Iterable[Hashable]) -> list[Thing | None]:
        """What is kept under each of these keys, in their order."""
        with self._lock:
            found = []
            for key in keys:
                thing = self._things.get(key)
                if thing is not None:
                    self._things.move_to_end(key)
                found.append(thing)
            return found

    def keep(self, key: Hashable, thing: Thing) -> None:
        """Keep something, and drop the oldest that no longer fits."""
        size = self._size(thing)
        if size > min(MAX_ANSWER_BYTES, self.max_bytes):
            return
        with self._lock:
            replaced = self._things.pop(key, None)
            if replaced is not None:
                self.bytes -= self._size(replaced)
            self._things[key] = thing
            self.bytes += size
            while self.bytes > self.max_bytes:
                _, dropped = self._things.popitem(last=False)
                self.bytes -= self._size(dropped)

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._things.clear()
            self.bytes = 0


def size_of_answer(answer: Answer) -> int:
    """What keeping an answer takes."""
    return len(answer.body) + OVERHEAD_BYTES


answers = Memory(size_of_answer, MAX_BYTES)
"""By validator, those of this process."""
