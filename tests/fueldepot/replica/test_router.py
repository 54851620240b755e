"""Where queries go: the object layer, statements by hand, and what a process keeps of either database."""

import re
from pathlib import Path

import pytest
from django.conf import settings as project
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connections, router
from django.test.utils import CaptureQueriesContext
from fueldepot.replica.router import Router

from catalog import boundaries, databases, versions
from catalog.models import Boundary, Dataset, Depot
from prices.models import DepotPrice
from regulations.models import Deadline
from tests.factories import BoundaryFactory

# Beside the importers. They change rows, or decide on a change.
WRITERS = {
    "catalog/bulk.py",
    "catalog/findings.py",
    "catalog/history.py",
    "catalog/requests/limits.py",
    "catalog/search.py",
    "prices/figures.py",
}


@pytest.mark.parametrize("model", [Depot, DepotPrice, Deadline, Dataset])
def test_our_rows_are_read_where_the_request_reads(model):
    assert router.db_for_read(model) == databases.PRIMARY
    with databases.using(databases.REPLICA):
        assert router.db_for_read(model) == databases.REPLICA
        with databases.using(databases.PRIMARY):
            assert router.db_for_read(model) == databases.PRIMARY
        assert router.db_for_write(model) == databases.PRIMARY
    assert databases.alias() == databases.PRIMARY


@pytest.mark.parametrize("model", [User, Session])
def test_accounts_and_sessions_are_read_from_the_primary(model):
    with databases.using(databases.REPLICA):
        assert router.db_for_read(model) == databases.PRIMARY


def test_only_changing_is_noticed():
    with databases.watching_writes():
        router.db_for_read(Depot)
        assert not databases.wrote()
        router.db_for_write(Depot)
        assert databases.wrote()
    assert not databases.wrote()


def test_migrations_run_on_the_primary_alone():
    assert Router().allow_migrate(databases.REPLICA, "catalog") is False
    assert Router().allow_migrate(databases.PRIMARY, "catalog") is None


def test_statements_by_hand_say_which_database_they_mean():
    """Whoever reads by Django's own `connection` reads the primary, also when the request reads the replica."""
    found = set()
    for app in ("catalog", "prices", "regulations", "subsidy", "pages"):
        for path in (Path(project.BASE_DIR) / app).rglob("*.py"):
            if re.search(r"^from django\.db import .*\bconnection\b", path.read_text(), re.MULTILINE):
                found.add(path.relative_to(project.BASE_DIR).as_posix())
    assert {path for path in found if "/migrations/" not in path and "/importers/" not in path} == WRITERS


def test_stamps_are_known_of_each_database(replica):
    versions.raise_version(Dataset.Slug.DEPOTS)
    on_primary = versions.stamp(Dataset.Slug.DEPOTS)
    with databases.using(replica), CaptureQueriesContext(connections[replica]) as asked:
        assert versions.stamp(Dataset.Slug.DEPOTS) == on_primary
        versions.stamp(Dataset.Slug.DEPOTS)
    assert len(asked) == 1


@pytest.fixture
def lagging(replica):
    """A replica that has nothing yet: empty tables hide those of the database."""
    connection = connections[replica]
    tables = ["catalog_dataset", "catalog_importrun", "catalog_boundary", "catalog_municipality", "catalog_county"]
    with connection.cursor() as cursor:
        for table in [*tables, "catalog_voivodeship"]:
            cursor.execute(f"CREATE TEMPORARY TABLE {table} (LIKE public.{table})")
    return replica


def test_the_index_of_boundaries_is_that_of_the_version_read(lagging):
    BoundaryFactory()
    versions.raise_version(Dataset.Slug.BOUNDARIES)
    assert Boundary.objects.count() == 1
    assert len(boundaries.current().municipalities) == 1
    with databases.using(lagging):
        assert boundaries.current().municipalities == []
    assert len(boundaries.current().municipalities) == 1
