"""Snapshots: built of one state, replaced when a version moves, kept while the database is away."""

import threading
import time

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from catalog.models import Dataset, Voivodeship
from fueldepot.data import snapshot
from fueldepot.data.snapshot import Snapshot
from fueldepot.data.versions import UNKNOWN, bump_version, changed_here, read_versions
from tests import factories

UNITS, DEPOTS = Dataset.Slug.UNITS, Dataset.Slug.DEPOTS


@pytest.fixture
def names(monkeypatch):
    """A snapshot of the names of voivodeships, alone in its process; `built` counts."""
    monkeypatch.setattr(snapshot, "_snapshots", [])

    def build():
        found.built += 1
        return tuple(Voivodeship.objects.order_by("teryt").values_list("name", flat=True))

    found = Snapshot(build, UNITS)
    found.built = 0
    return found


def rename(to):
    """Another process changes the data."""
    Voivodeship.objects.update(name=to)
    bump_version(UNITS)
    changed_here.clear()


@pytest.mark.django_db
def test_what_has_not_changed_is_built_once(names, django_assert_num_queries):
    factories.krakow()
    bump_version(UNITS)
    first = names.get()
    assert first == ("małopolskie",)
    with django_assert_num_queries(0):
        assert names.get() is first
    bump_version(DEPOTS)
    with django_assert_num_queries(1):  # the versions
        snapshot.refresh()
    assert names.get() is first
    assert names.built == 1


@pytest.mark.django_db
def test_a_raised_version_builds_anew(names):
    factories.krakow()
    bump_version(UNITS)
    names.get()
    rename("inaczej")
    assert names.get() == ("małopolskie",)  # nobody has looked yet
    snapshot._poll()
    assert names.get() == ("inaczej",)


@pytest.mark.django_db(transaction=True)
def test_a_process_sees_its_own_change_at_once_and_only_when_it_is_committed(names):
    factories.krakow()
    bump_version(UNITS)
    names.get()
    with transaction.atomic():
        Voivodeship.objects.update(name="inaczej")
        bump_version(UNITS)
        assert names.get() == ("małopolskie",)
    assert names.get() == ("inaczej",)
    key = snapshot.current().key(UNITS)
    with transaction.atomic():
        bump_version(UNITS)
        transaction.set_rollback(True)
    assert snapshot.current().key(UNITS) == key
    bump_version(UNITS)
    assert snapshot.current().key(UNITS) != key


@pytest.mark.django_db(transaction=True)
def test_the_built_copy_does_not_wait_for_a_change_of_this_process(names, django_assert_num_queries):
    factories.krakow()
    bump_version(UNITS)
    first, key = names.get(), snapshot.current().key(UNITS)
    with django_assert_num_queries(0):
        assert snapshot.committed_key(UNITS) == key
    bump_version(UNITS)
    with django_assert_num_queries(0):
        assert names.get_built() is first
    with django_assert_num_queries(1):  # the versions
        committed = snapshot.committed_key(UNITS)
    assert committed == read_versions()[UNITS] != key
    assert names.built == 1
    names.get()
    with django_assert_num_queries(0):
        assert snapshot.committed_key(UNITS) == snapshot.current().key(UNITS) != key


@pytest.mark.django_db(transaction=True)
def test_a_key_that_was_undone_is_not_had_again():
    bump_version(UNITS)
    with transaction.atomic():
        bump_version(UNITS)
        undone = read_versions()[UNITS]
        transaction.set_rollback(True)
    bump_version(UNITS)
    assert read_versions()[UNITS] != undone


@pytest.mark.django_db(transaction=True)
def test_what_is_built_is_of_one_state_whatever_is_written_meanwhile(names):
    factories.krakow()
    bump_version(UNITS)
    read = names.build

    def build_while_somebody_writes():
        before = read()
        other = threading.Thread(target=rename_elsewhere)
        other.start()
        other.join()
        assert read() == before
        return before

    def rename_elsewhere():
        try:
            rename("inaczej")
        finally:
            connection.close()

    names.build = build_while_somebody_writes
    key = read_versions()[UNITS]
    assert names.get() == ("małopolskie",)
    assert snapshot.current().key(UNITS) == key
    names.build = read
    snapshot._poll()
    assert names.get() == ("inaczej",)


@pytest.mark.django_db
def test_a_request_reads_one_state(names):
    factories.krakow()
    bump_version(UNITS)
    with snapshot.consistent() as state:
        before = names.get(), snapshot.current().key(UNITS)
        rename("inaczej")
        snapshot.refresh()
        assert (names.get(), snapshot.current().key(UNITS)) == before
        assert snapshot.current() is state
    assert names.get() == ("inaczej",)


@pytest.mark.django_db
def test_the_former_state_answers_while_another_is_built(names):
    factories.krakow()
    bump_version(UNITS)
    names.get()
    seen = []
    read = names.build

    def build_slowly():
        seen.append(names.get())
        return read()

    names.build = build_slowly
    rename("inaczej")
    snapshot._poll()
    assert seen == [("małopolskie",)]
    assert names.get() == ("inaczej",)


@pytest.mark.django_db(transaction=True)
def test_a_process_sees_its_own_change_while_another_thread_builds_it(names):
    factories.krakow()
    bump_version(UNITS)
    names.get()
    read, building = names.build, threading.Event()

    def build_slowly():
        building.set()
        time.sleep(0.2)
        return read()

    def poll():
        try:
            snapshot._poll()
        finally:
            connection.close()

    names.build = build_slowly
    with transaction.atomic():
        Voivodeship.objects.update(name="inaczej")
        bump_version(UNITS)
    other = threading.Thread(target=poll)
    other.start()
    assert building.wait(20)
    assert names.get() == ("inaczej",)
    other.join()
    assert names.built == 2


@pytest.mark.django_db(transaction=True)
def test_a_change_that_the_database_does_not_give_holds_no_reader(names, monkeypatch):
    factories.krakow()
    bump_version(UNITS)
    names.get()
    monkeypatch.setattr(snapshot, "AWAY_AFTER_S", 0.05)
    monkeypatch.setattr(snapshot._Process, "is_behind", True)
    with snapshot._building:  # by a thread that waits for a frozen database
        assert names.get() == ("małopolskie",)


@pytest.mark.django_db
def test_while_the_database_is_away_the_last_state_answers(names, monkeypatch, caplog):
    factories.krakow()
    bump_version(UNITS)
    names.get()

    def fail():
        raise OperationalError("connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(snapshot, "read_versions", fail)
        snapshot._poll()
        snapshot._poll()
        changed_here.set()
        assert names.get() == ("małopolskie",)
        assert snapshot.database_is_away()
    snapshot._poll()
    assert not snapshot.database_is_away()
    assert [record.getMessage() for record in caplog.records if record.name == snapshot.__name__] == [
        "the database does not answer; reading goes on from the last state",
        "the database answers again",
    ]


@pytest.mark.django_db
def test_without_a_state_a_missing_database_is_an_error(names, monkeypatch):
    def fail():
        raise OperationalError("connection refused")

    monkeypatch.setattr(snapshot, "read_versions", fail)
    with pytest.raises(OperationalError):
        names.get()


def test_a_poll_without_an_answer_means_that_the_database_is_away(monkeypatch):
    monkeypatch.setattr(snapshot._Process, "polling_since", 100.0)
    monkeypatch.setattr(snapshot.time, "monotonic", lambda: 100.0 + snapshot.AWAY_AFTER_S)
    assert not snapshot.database_is_away()
    monkeypatch.setattr(snapshot.time, "monotonic", lambda: 100.1 + snapshot.AWAY_AFTER_S)
    assert snapshot.database_is_away()


@pytest.mark.django_db
def test_a_snapshot_that_cannot_be_built_leaves_the_former_one(names, caplog):
    factories.krakow()
    bump_version(UNITS)
    names.get()

    def fail():
        raise ValueError("a row that nobody thought of")

    names.build = fail
    rename("inaczej")
    snapshot._poll()
    assert names.get() == ("małopolskie",)
    assert "could not be built" in caplog.text


@pytest.mark.django_db
def test_days_of_changes():
    assert snapshot.changed_on(UNITS) is None
    bump_version(UNITS)
    snapshot.refresh()
    assert snapshot.changed_on(UNITS, DEPOTS) == timezone.localdate(Dataset.objects.get(slug=UNITS).changed_at)
    assert snapshot.current().key(DEPOTS) == UNKNOWN


@pytest.mark.django_db
def test_the_first_version_of_a_data_set_keeps_what_it_is_told():
    bump_version(DEPOTS, row_count=7, source="redakcja")
    bump_version(DEPOTS)
    row = Dataset.objects.get(slug=DEPOTS)
    assert (row.version, row.row_count, row.source) == (2, 7, "redakcja")
