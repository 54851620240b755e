"""What a process holds of data sets until they change."""

import threading

import pytest
from catalog.held import Held
from django.db import transaction

from catalog import held, versions
from catalog.models import Dataset

DEPOTS, UNITS = Dataset.Slug.DEPOTS, Dataset.Slug.UNITS


@pytest.fixture
def made(db):
    """A thing that is held, and how often it was made. Its data set has a version, as after an import."""
    versions.raise_version(DEPOTS)
    times: list[int] = []

    def make():
        times.append(len(times) + 1)
        return times[-1]

    return Held(make, DEPOTS), times


@pytest.mark.django_db(transaction=True)
def test_is_made_once_until_one_of_its_data_sets_changes(made, django_assert_num_queries):
    thing, _ = made
    assert thing.current() == 1
    with django_assert_num_queries(0):
        assert thing.current() == 1
    versions.raise_version(UNITS)
    assert thing.current() == 1
    versions.raise_version(DEPOTS)
    assert thing.current() == 2


@pytest.mark.django_db
def test_rows_that_no_version_speaks_of_are_read_anew():
    times = []
    thing = Held(lambda: times.append(1), DEPOTS, UNITS)
    thing.current()
    thing.current()
    assert (times, thing.lasting()) == ([1, 1], None)
    versions.raise_version(UNITS)
    versions.forget()
    thing.current()
    thing.current()
    assert times == [1, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_a_change_while_it_is_made_is_seen_at_the_next_look():
    versions.raise_version(DEPOTS)
    seen = []

    def make():
        if not seen:
            versions.raise_version(DEPOTS)
        seen.append(len(seen))
        return seen[-1]

    thing = Held(make, DEPOTS)
    assert [thing.current(), thing.current(), thing.current()] == [0, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_what_could_not_be_made_is_tried_again():
    versions.raise_version(DEPOTS)
    answers = iter([ZeroDivisionError, "made"])

    def make():
        answer = next(answers)
        if answer is ZeroDivisionError:
            raise answer
        return answer

    thing = Held(make, DEPOTS)
    with pytest.raises(ZeroDivisionError):
        thing.current()
    assert thing.current() == "made"


@pytest.mark.django_db
def test_threads_that_want_it_at_once_make_it_once(made, monkeypatch):
    thing, times = made
    monkeypatch.setattr(versions, "stamp", lambda *slugs: "1.0")
    start = threading.Barrier(8)

    def ask():
        start.wait()
        thing.current()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert times == [1]


@pytest.mark.django_db
def test_everything_held_can_be_dropped(made):
    thing, times = made
    with transaction.atomic():
        thing.current()
        held.forget()
        thing.current()
    assert times == [1, 2]
