"""How often people find what they mean, on the half of the questions that nobody tuned on."""

import pytest

from tests.catalog.search.country import PUBLISHED, questions_of, register_of, search_of
from tests.catalog.search.questions import count_hits, halves

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
"""Shares of questions with the right municipality first, and among the first three."""


@pytest.mark.parametrize("origin", ["starter", PUBLISHED])
def test_aims_hold_on_questions_held_out(origin):
    register = register_of(origin)
    _, held_out = halves(questions_of(register))
    assert len(held_out) >= 1000
    table = count_hits(search_of(register), held_out)
    for kind, aims in AIMS.items():
        hits = table[kind]
        assert hits.asked >= 20, kind
        assert hits.at_1 >= aims[0], (kind, hits.missed)
        assert hits.at_3 >= aims[1], (kind, hits.missed)
