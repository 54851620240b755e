"""Snapshots: built of one state, replaced when a version moves, kept while the database is away."""

import gc
import threading
import time
from contextlib import contextmanager
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.utils import timezone

from catalog.models import Dataset, ImportRun, Voivodeship
from catalog.models.territory_and_datasets import READ_VERSIONS
from fueldepot.data import snapshot
from fueldepot.data.snapshot import UNKNOWN, Snapshot
from tests import factories
from tests.beside import beside

pytestmark = pytest.mark.django_db

UNITS, DEPOTS = Dataset.Slug.UNITS, Dataset.Slug.DEPOTS


@pytest.fixture
def names(monkeypatch):
    """A snapshot of the names of voivodeships, one so far, alone in its process; `built` counts."""
    monkeypatch.setattr(snapshot.store, "snapshots", [])
    factories.krakow()
    Dataset.objects.bump_version(UNITS)

    def build():
        found.built += 1
        return tuple(Voivodeship.objects.order_by("teryt").values_list("name", flat=True))

    found = Snapshot(build, UNITS)
    found.built = 0
    return found


def rename(to):
    """Another process changes the data."""
    Voivodeship.objects.update(name=to)
    Dataset.objects.filter(slug=UNITS).update(version=F("version") + 1, changed_at=timezone.now())


def test_what_has_not_changed_is_built_once(names, django_assert_num_queries):
    first = names.get()
    assert first == ("małopolskie",)
    with django_assert_num_queries(0):
        assert names.get() is first
    Dataset.objects.bump_version(DEPOTS)
    with django_assert_num_queries(2):  # the versions, again in one transaction with the rows
        snapshot.refresh()
    with django_assert_num_queries(1):
        snapshot.refresh()
    assert names.get() is first
    assert names.built == 1


def read(names):
    """Return what a public request reads, and the version key that it is of."""
    with snapshot.consistent() as state:
        return names.get(), state.key(UNITS)


@pytest.mark.django_db(transaction=True)
def test_only_a_request_waits_for_the_change_of_its_process_once_it_is_committed(names, django_assert_num_queries):
    _, first = read(names)
    with transaction.atomic():
        Voivodeship.objects.update(name="inaczej")
        Dataset.objects.bump_version(UNITS)
        assert read(names) == (("małopolskie",), first)
    with django_assert_num_queries(0):
        assert names.get() == ("małopolskie",)
    content, second = read(names)
    assert (content, second) == (("inaczej",), Dataset.objects.read_versions()[UNITS])
    with django_assert_num_queries(0):
        assert read(names)[0] == names.get() == ("inaczej",)
    with transaction.atomic():
        Dataset.objects.bump_version(UNITS)
        undone = Dataset.objects.read_versions()[UNITS]
        transaction.set_rollback(True)
    assert read(names) == (content, second)
    Dataset.objects.bump_version(UNITS)
    assert read(names) == (content, Dataset.objects.read_versions()[UNITS])
    assert read(names)[1] != undone


@pytest.mark.django_db(transaction=True)
def test_what_is_built_is_of_one_state_whatever_is_written_meanwhile(names):
    build = names.build

    def build_while_somebody_writes():
        before = build()
        beside(lambda: rename("inaczej")).result()
        assert build() == before
        return before

    names.build = build_while_somebody_writes
    key = Dataset.objects.read_versions()[UNITS]
    assert names.get() == ("małopolskie",)
    assert snapshot.current().key(UNITS) == key
    names.build = build
    snapshot.store.poll()
    assert names.get() == ("inaczej",)


def test_a_request_reads_one_state(names):
    with snapshot.consistent() as state:
        before = names.get(), snapshot.current().key(UNITS)
        rename("inaczej")
        snapshot.refresh()
        assert (names.get(), snapshot.current().key(UNITS)) == before
        assert snapshot.current() is state
    assert names.get() == ("inaczej",)


def test_the_former_state_answers_while_another_is_built(names):
    names.get()
    seen = []
    build = names.build

    def build_slowly():
        seen.append(names.get())
        return build()

    names.build = build_slowly
    rename("inaczej")
    assert names.get() == ("małopolskie",)  # not built anew yet
    snapshot.store.poll()
    assert (seen, names.get()) == ([("małopolskie",)], ("inaczej",))


@pytest.mark.django_db(transaction=True)
def test_a_process_sees_its_own_change_while_another_thread_builds_it(names):
    names.get()
    build, building = names.build, threading.Event()

    def build_slowly():
        building.set()
        time.sleep(0.2)
        return build()

    names.build = build_slowly
    with transaction.atomic():
        Voivodeship.objects.update(name="inaczej")
        Dataset.objects.bump_version(UNITS)
    other = beside(snapshot.store.poll)
    assert building.wait(20)
    assert read(names)[0] == ("inaczej",)
    other.result()
    assert names.built == 2


def test_building_is_stopped_by_no_collection_of_garbage(names):
    """Among 100,000 depots each would stop all threads for half a second."""
    build, collecting = names.build, []
    names.build = lambda: collecting.append(gc.isenabled()) or build()
    names.get()
    assert (collecting, gc.isenabled()) == ([False], True)


def test_polling_reads_one_run_of_all():
    """Every worker reads the versions four times a second, and runs are kept forever."""
    now = timezone.now()
    ImportRun.objects.bulk_create(ImportRun(started=now, finished=now, outcome="unchanged") for _ in range(1000))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE catalog_importrun")
        cursor.execute(f"EXPLAIN {READ_VERSIONS}")
        plan = "".join(row[0] for row in cursor.fetchall())
    assert "Index Scan Backward using catalog_importrun_pkey" in plan
    newest = ImportRun.objects.latest("pk")
    assert Dataset.objects.read_versions()[Dataset.RUNS].partition(".")[0] == str(newest.pk)


@contextmanager
def frozen(monkeypatch):
    """A thread waits for the versions, which the database does not give until the block ends."""
    asked, answered = threading.Event(), threading.Event()

    def wait():
        asked.set()
        assert answered.wait(20)
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(snapshot, "AWAY_AFTER_S", 0.05)
    monkeypatch.setattr(snapshot.store, "read_versions", wait)
    other = beside(snapshot.store.poll)
    assert asked.wait(20)
    yield
    answered.set()
    other.result()


@pytest.mark.django_db(transaction=True)
def test_versions_that_do_not_come_hold_no_reader_and_mean_that_the_database_is_away(names, monkeypatch):
    before = read(names)
    Dataset.objects.bump_version(UNITS)
    with frozen(monkeypatch):
        assert read(names) == before
        time.sleep(2 * snapshot.AWAY_AFTER_S)
        assert snapshot.database_is_away()


@pytest.mark.django_db(transaction=True)
def test_a_change_that_cannot_be_built_leaves_the_former_state_and_is_tried_once_by_requests(names, caplog):
    before = read(names)
    build = names.build
    names.build = Mock(side_effect=ValueError("a row that nobody thought of"))
    Dataset.objects.bump_version(UNITS)
    assert [read(names), read(names)] == [before, before]
    assert caplog.text.count("could not be built") == 1
    snapshot.store.poll()
    assert (names.get(), caplog.text.count("could not be built")) == (before[0], 2)
    names.build = build
    assert snapshot.store.poll()
    assert read(names)[1] == Dataset.objects.read_versions()[UNITS]


def test_while_the_database_is_away_the_last_state_answers(names, monkeypatch, caplog):
    names.get()

    with monkeypatch.context() as broken:
        broken.setattr(snapshot.store, "read_versions", Mock(side_effect=OperationalError("connection refused")))
        snapshot.store.poll()
        snapshot.store.poll()
        snapshot.store.note_change()
        assert read(names)[0] == ("małopolskie",)
        assert snapshot.database_is_away()
    snapshot.store.poll()
    assert not snapshot.database_is_away()
    assert [record.getMessage() for record in caplog.records if record.name == snapshot.__name__] == [
        "the database does not answer; reading goes on from the last state",
        "the database answers again",
    ]


def test_without_a_state_a_missing_database_is_an_error(names, monkeypatch):
    monkeypatch.setattr(snapshot.store, "read_versions", Mock(side_effect=OperationalError("connection refused")))
    with pytest.raises(OperationalError):
        names.get()


def test_days_of_changes_and_what_the_first_version_of_a_data_set_is_told():
    assert snapshot.current().changed_on(UNITS) is None
    Dataset.objects.bump_version(UNITS, row_count=7, source="redakcja")
    Dataset.objects.bump_version(UNITS)
    snapshot.refresh()
    row = Dataset.objects.get(slug=UNITS)
    assert (row.version, row.row_count, row.source) == (2, 7, "redakcja")
    assert snapshot.current().changed_on(UNITS, DEPOTS) == timezone.localdate(row.changed_at)
    assert snapshot.current().key(DEPOTS) == UNKNOWN
