"""How often people find what they mean, on the half of the questions that nobody tuned on."""

import pytest

from tests import SHARED
from tests.catalog.search.country import published_register, questions_of, search_of, starter_register
from tests.catalog.search.hits import count_hits
from tests.catalog.search.questions import halves

pytestmark = pytest.mark.slow

SHARED_DATA = SHARED / "data"

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


@pytest.fixture(
    scope="module",
    params=[
        "starter",
        pytest.param(
            "published",
            marks=[
                pytest.mark.full_scale,
                pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="needs the publishers' files"),
            ],
        ),
    ],
)
def table(request):
    register = starter_register() if request.param == "starter" else published_register(SHARED_DATA)
    _, held_out = halves(questions_of(register))
    assert len(held_out) >= 1000
    return count_hits(search_of(register), held_out)


@pytest.mark.parametrize(("kind", "aims"), AIMS.items())
def test_aims_hold_on_questions_held_out(table, kind, aims):
    hits = table[kind]
    assert hits.asked >= 20
    assert hits.at_1 >= aims[0], hits.missed
    assert hits.at_3 >= aims[1], hits.missed
