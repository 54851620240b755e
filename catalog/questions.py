"""Of which state of the data the questions were answered that a thread has put to the database for one answer.

A statement can tell the state it saw, by a column `versions.stamp_sql`. Where all of them did and it is the state that
the answer is stamped with, nobody has to ask once more whether the data changed meanwhile (`catalog.validators`). The
same goes for an answer made without any question, from what the process holds of that state.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from catalog import databases


class Questions:
    """Statements sent since `counted` began whose state nobody knows."""

    def __init__(self) -> None:
        self.open = 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        """Count a statement; the signature is that of Django's database instrumentation."""
        self.open += 1
        return execute(sql, params, many, context)


class _Counting(threading.local):
    questions: Questions | None = None


_counting = _Counting()


@contextmanager
def counted() -> Iterator[Questions]:
    """Count the statements that this thread sends to the database that it reads."""
    questions = _counting.questions = Questions()
    try:
        with databases.connection().execute_wrapper(questions):
            yield questions
    finally:
        _counting.questions = None


def close_last() -> None:
    """Note that the last statement was answered of the state that the whole answer will be stamped with."""
    if _counting.questions is not None:
        _counting.questions.open -= 1
