"""The memory of answers that a process has given."""

from catalog.kept import MAX_ANSWER_BYTES, MAX_BYTES, OVERHEAD_BYTES, Answer, Memory, size_of_answer


def answer(size: int) -> Answer:
    return Answer(b"x" * size, (("Content-Type", "text/plain"),))


def test_gives_back_what_it_kept():
    memory = Memory(size_of_answer, MAX_BYTES)
    memory.keep('"a"', answer(3))
    assert memory.get('"a"') == answer(3)
    assert memory.get('"b"') is None


def test_drops_the_longest_unasked_for():
    memory = Memory(size_of_answer, 2 * (10 + OVERHEAD_BYTES))
    memory.keep('"a"', answer(10))
    memory.keep('"b"', answer(10))
    memory.get('"a"')
    memory.keep('"c"', answer(10))
    assert [memory.get(key) is not None for key in ('"a"', '"b"', '"c"')] == [True, False, True]
    assert memory.bytes == memory.max_bytes


def test_keeping_twice_counts_once():
    memory = Memory(size_of_answer, MAX_BYTES)
    memory.keep('"a"', answer(10))
    memory.keep('"a"', answer(20))
    assert memory.bytes == 20 + OVERHEAD_BYTES


def test_leaves_out_what_is_too_large():
    memory = Memory(size_of_answer, MAX_BYTES)
    memory.keep('"a"', answer(MAX_ANSWER_BYTES))
    assert memory.get('"a"') is None
    assert memory.bytes == 0


def test_forgets_everything():
    memory = Memory(size_of_answer, MAX_BYTES)
    memory.keep('"a"', answer(10))
    memory.forget()
    assert (memory.get('"a"'), memory.bytes) == (None, 0)
