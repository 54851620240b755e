"""The point amid others."""

import numpy as np
import pytest

from catalog.territory import coordinates as module
from catalog.territory.coordinates import medoid


def number(points, weights, allowed=None):
    allowed = None if allowed is None else np.array(allowed)
    return medoid(np.array(points, float), np.array(weights), allowed)


def test_one_point_is_amid_itself():
    assert number([(3, 4)], [0]) == 0


def test_the_point_nearest_to_the_weight_of_all():
    line = [(0, 0), (10, 0), (20, 0), (90, 0)]
    assert number(line, [1, 1, 2, 1]) == 2
    assert number(line, [1, 1, 1, 9]) == 3


def test_of_equal_sums_the_heaviest_then_the_first():
    assert number([(0, 0), (3, 0)], [1, 1]) == 0
    assert number([(0, 0), (3, 0), (6, 0), (3, 0)], [1, 1, 1, 2]) == 3


def test_only_points_that_are_allowed():
    assert number([(0, 0), (1, 0), (2, 0), (9, 0)], [1, 1, 1, 1], [True, False, False, True]) == 0


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_blocks_change_nothing(monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK", block)
    points = np.random.default_rng(1).normal(size=(60, 2)) * 1e4
    sums = np.hypot(*(points[:, None] - points).T).sum(axis=0)
    assert medoid(points, np.ones(60, int)) == sums.argmin()
