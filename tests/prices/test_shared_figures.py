"""Answers that one process computes and the others take from the shared cache."""

from datetime import UTC, datetime, timedelta

import pytest

from catalog import fuels, shared_cache, versions
from catalog.models import Dataset
from prices import figures
from tests import factories
from tests.prices.helpers import ask

pytestmark = pytest.mark.django_db

TODAY = datetime(2026, 11, 21, 12, tzinfo=UTC).date()
READING, COMPUTING = 1, 4


@pytest.fixture
def prices():
    for amount in (1500, 1600, 1700):
        factories.DepotPriceFactory(price=amount)
    versions.raise_version(Dataset.Slug.PRICES)
    versions.current()


def in_another_process(today=TODAY):
    figures.forget()
    return ask("pellet", today)


def test_computed_once_for_all(redis, prices, django_assert_num_queries):
    with django_assert_num_queries(READING + COMPUTING):
        first = in_another_process()
    with django_assert_num_queries(READING):
        assert in_another_process() == first
    assert first["median"] == 1600
    (key,) = shared_cache.client().keys()
    assert 0 < shared_cache.client().ttl(key) <= figures.SHARED_S


def test_another_state_or_day_is_computed_anew(redis, prices, django_assert_num_queries):
    in_another_process()
    with django_assert_num_queries(READING + COMPUTING):
        in_another_process(TODAY + timedelta(days=1))
    factories.DepotPriceFactory(price=1800)
    versions.raise_version(Dataset.Slug.PRICES)
    with django_assert_num_queries(READING + COMPUTING):
        assert in_another_process()["n"] == 4


@pytest.mark.parametrize("rubbish", [b"", b"{}", b"[]", b"[1]", b'[["","","{}",""]]', b'[["",""]]', b"\xff"])
def test_rubbish_in_the_cache_is_not_served(redis, prices, rubbish):
    good = in_another_process()
    (key,) = shared_cache.client().keys()
    shared_cache.client().set(key, rubbish)
    assert in_another_process() == good


def test_without_redis_the_database_answers(redis, prices, django_assert_num_queries):
    first = in_another_process()
    redis.kill()
    redis.wait()
    with django_assert_num_queries(READING + COMPUTING):
        assert in_another_process() == first


def test_what_is_shared_is_all_that_was_made(prices, settings, monkeypatch):
    kept = {}

    class Cache:
        get = kept.get

        def set(self, key, value, ex):
            kept[key] = value

    settings.CACHE_URL = "redis://nowhere"
    monkeypatch.setattr(shared_cache, "client", lambda: Cache())
    fuel = fuels.BY_SLUG["pellet"]
    stamp = figures.current_stamp()
    made = figures.computed(fuel, TODAY, stamp)
    figures.forget()
    monkeypatch.setattr(figures, "make", None)
    assert figures.computed(fuel, TODAY, stamp) == made


def test_answers_of_a_later_state_are_not_remembered_as_earlier_ones(redis, prices):
    figures.computed(fuels.BY_SLUG["pellet"], TODAY, "a state that has gone")
    assert shared_cache.client().keys() == []
    stamp = figures.current_stamp()
    factories.DepotPriceFactory(price=1800)
    assert '"n":4' in figures.computed(fuels.BY_SLUG["pellet"], TODAY, stamp)[0][""].body


def test_answers_of_a_later_state_are_not_given_for_the_earlier_one(prices, monkeypatch):
    for slug in figures.RESTS_ON:
        versions.raise_version(slug)
    versions.forget()
    monkeypatch.setattr(figures, "stamp_read", lambda: "a state that came meanwhile")
    assert ask("pellet", TODAY)["n"] == 3
    factories.DepotPriceFactory(price=1800)
    assert ask("pellet", TODAY)["n"] == 4
