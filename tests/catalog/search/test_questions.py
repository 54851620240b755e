"""How often people find what they mean, on the half of the questions that nobody tuned on."""

from collections import defaultdict

import pytest

from tests.catalog.search.country import PUBLISHED, register_of, search_of
from tests.catalog.search.questions import held_out

pytestmark = pytest.mark.slow

AIMS = {
    "clean": (1.0, 1.0),
    "error": (0, 0.92),
    "diacritics": (0, 0.98),
    "context": (0.97, 0),
    "village with context": (0.99, 0),
    "short": (0, 0.93),
    "district": (0.97, 0),
    "unit in words": (0.97, 0),
    "postcode with place": (0.97, 0),
    "address": (0.97, 0),
    "fuel": (0.95, 0),
    "nonsense": (1.0, 1.0),
}
"""Shares of questions with the right municipality first, and among the first three; of nonsense, without any hit."""


@pytest.mark.parametrize("origin", ["starter", PUBLISHED])
def test_aims_hold_on_questions_held_out(origin):
    register = register_of(origin)
    search, questions, answers = search_of(register), held_out(register), defaultdict(list)
    assert len(questions) >= 1000
    for question in questions:
        hits = [search.index.teryt(number) in question.meant for number in search.find(question.text, 8).numbers[:3]]
        right = hits if question.meant else [not hits]
        answers[question.kind.partition(":")[0]].append((right[:1] == [True], any(right), question.text))
    for kind, aims in AIMS.items():
        asked = len(answers[kind])
        assert asked >= 20, kind
        firsts, threes = ([row[column] for row in answers[kind]] for column in (0, 1))
        missed = [text for _, any_right, text in answers[kind] if not any_right]
        assert sum(firsts) / asked >= aims[0], (kind, missed)
        assert sum(threes) / asked >= aims[1], (kind, missed)
