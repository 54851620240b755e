"""Names in memory: the order of suggestions against its definition, on names of few letters."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.models import SearchEntry
from catalog.names import DEPTH, Names, read_names
from tests import factories

WORDS = st.text("ab", min_size=1, max_size=DEPTH + 3)
FOLDS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
DIGITS = st.text("012", min_size=5, max_size=5)


def index(folds: list[str], kind: str = "l") -> Names:
    """Names whose labels are their numbers."""
    count = len(folds)
    labels = "\n".join(str(number) for number in range(count))
    numbers = np.zeros(count, np.int32)
    return Names("\n".join(folds), labels, kind * count, "1261011" * count, "wieś", numbers, {"1261011": ("a", "b")})


def rank(fold: str, key: str) -> int | None:
    """How well a name fits: 0 is exact, 3 inside a word, None not at all."""
    if fold == key:
        return 0
    if fold.startswith(key):
        return 1
    if f" {key}" in fold:
        return 2
    return 3 if key in fold else None


@given(st.lists(FOLDS, min_size=1, max_size=60), FOLDS, st.integers(1, 9))
@example(["aaa"] * 3 + ["b aaa", "baaa aaa", "baaaaaaa"], "aaa", 9)
@example(["a" * (DEPTH + 1), "a" * DEPTH, "a" * (DEPTH + 2)], "a" * (DEPTH + 1), 9)
def test_names_come_by_fit_and_importance(folds, key, limit):
    fits = [(fit, number) for number, fold in enumerate(folds) if (fit := rank(fold, key)) is not None]
    assert index(folds).find(key, limit) == [number for _, number in sorted(fits)][:limit]


@given(st.lists(DIGITS, min_size=1, max_size=60), st.from_regex("[012_]{1,5}", fullmatch=True))
def test_postcodes_are_found_by_digits_at_their_places(codes, pattern):
    form = re.compile(pattern.replace("_", "."))
    found = [number for number, code in enumerate(codes) if form.match(code)]
    assert index(codes, "p").find_postcodes(pattern, 8) == found[:8]


def test_a_name_is_no_postcode():
    names_of_digits = index(["12345", "1"], "l")
    assert names_of_digits.find_postcodes("12", 8) == names_of_digits.find_postcodes("__3", 8) == []


@pytest.mark.parametrize("key", ["łódź", "\xff", "минск", "z" * 200])
def test_what_no_name_holds_is_not_found(key):
    assert index(["lodz", "minsk"]).find(key, 8) == []


@pytest.mark.django_db
def test_names_are_read_as_they_were_written():
    """All columns, in the order of importance."""
    krakow, zakopane = factories.krakow(), factories.zakopane()
    SearchEntry.objects.create(
        rank=1, kind="postcode", fold="30001", label="30-001 Kraków", description="kod", municipality=krakow
    )
    SearchEntry.objects.create(
        rank=0, kind="locality", fold="lopuszna", label="Łopuszna", description="wieś", municipality=zakopane
    )
    read = read_names()
    rows = [
        (read.kind(n), read.folds[n], read.labels[n], read.description(n), read.teryt(n), read.slugs[read.teryt(n)][0])
        for n in range(2)
    ]
    assert rows == [
        ("locality", "lopuszna", "Łopuszna", "wieś", zakopane.pk, zakopane.slug),
        ("postcode", "30001", "30-001 Kraków", "kod", krakow.pk, krakow.slug),
    ]


@pytest.mark.django_db
def test_an_empty_catalog_has_no_names():
    read = read_names()
    assert read.find("krakow", 8) == read.find_postcodes("30", 8) == read.find_postcodes("__1", 8) == []
