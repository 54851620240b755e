"""Good answers that this process has given lately, so that the same question is not worked out twice.

An answer is found by its validator (`catalog.validators`), which names the release, the versions of the data it rests
on, and the whole question: what is found is never out of date, and what has become so is never asked for again and
falls out. Nothing here matters: a process that starts with an empty memory answers the same.
"""

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

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


class Memory:
    """Answers by validator, the longest unasked-for dropped first. Shared by the threads of a process."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._lock = Lock()

    def get(self, validator: str) -> Answer | None:
        """The answer with this validator, if it is kept."""
        with self._lock:
            answer = self._answers.get(validator)
            if answer is not None:
                self._answers.move_to_end(validator)
            return answer

    def keep(self, validator: str, answer: Answer) -> None:
        """Keep an answer, and drop the oldest ones that no longer fit."""
        size = _size(answer)
        if size > min(MAX_ANSWER_BYTES, self.max_bytes):
            return
        with self._lock:
            replaced = self._answers.pop(validator, None)
            if replaced is not None:
                self.bytes -= _size(replaced)
            self._answers[validator] = answer
            self.bytes += size
            while self.bytes > self.max_bytes:
                _, dropped = self._answers.popitem(last=False)
                self.bytes -= _size(dropped)

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._answers.clear()
            self.bytes = 0


def _size(answer: Answer) -> int:
    return len(answer.body) + OVERHEAD_BYTES


answers = Memory()
"""The memory of this process."""
