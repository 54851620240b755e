"""Versions of the data sets: what snapshots, and through them the validators of answers, are compared with.

Code that changes rows calls `bump_version` for their data set in the same transaction. A version key is unique even
after a rollback, because it carries the moment of the change.
"""

from collections.abc import Mapping
from threading import Event
from types import MappingProxyType

from django.apps import apps
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

RUNS = "runs"
"""Besides the data sets: the key of the import runs, whether or not a run changed anything."""

UNKNOWN = "-"
"""The key of a data set that has never been written."""

READ = f"""
    SELECT slug, version || '.' || extract(epoch FROM changed_at) FROM catalog_dataset WHERE version > 0
    UNION ALL
    SELECT '{RUNS}', max(id) || '.' || extract(epoch FROM max(finished)) FROM catalog_importrun HAVING count(*) > 0
"""  # noqa: S608 - a constant

changed_here = Event()
"""Set when this process has committed a change that no snapshot of it holds yet."""


def read_versions() -> Mapping[str, str]:
    """Return the key of every data set that has been written, by slug: "version.epoch seconds". One query."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return MappingProxyType(dict(cursor.fetchall()))


def bump_version(slug: str, **values: object) -> None:
    """Raise the version of a data set, in the transaction that changes its rows.

    values: other fields of its Dataset that change with it. One query, two for a data set written for the first time.
    """
    # Asked for by name: this layer knows no models of the apps above it.
    datasets = apps.get_model("catalog", "Dataset")._default_manager
    values["changed_at"] = timezone.now()
    if not datasets.filter(slug=slug).update(version=F("version") + 1, **values):
        datasets.create(slug=slug, version=1, **({"row_count": 0, "source": ""} | values))
    transaction.on_commit(changed_here.set)
