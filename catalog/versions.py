"""Versions of the data sets, which snapshots and the validators of responses depend on.

Code that changes rows calls `bump_version` for their data set in the same transaction. A version key is unique even
after a rollback, because it includes the time of the change.
"""

from collections.abc import Mapping
from types import MappingProxyType

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from catalog.models import Dataset
from fueldepot.data import snapshot

RUNS = "runs"
"""Key of the import runs, beside those of the data sets; every run changes it."""

READ = f"""
    SELECT slug, version || '.' || extract(epoch FROM changed_at) FROM catalog_dataset WHERE version > 0
    UNION ALL
    (SELECT '{RUNS}', id || '.' || extract(epoch FROM finished) FROM catalog_importrun ORDER BY id DESC LIMIT 1)
"""  # noqa: S608 - a constant


def read_versions() -> Mapping[str, str]:
    """Return the version keys of all written data sets by slug: "version.epoch seconds". One query."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return MappingProxyType(dict(cursor.fetchall()))


def bump_version(slug: str, **values: object) -> None:
    """Increment the version of a data set, in the transaction that changes its rows.

    values: other fields of its Dataset to update. One query, two for a data set written for the first time.
    """
    values["changed_at"] = timezone.now()
    if not Dataset.objects.filter(slug=slug).update(version=F("version") + 1, **values):
        Dataset.objects.create(slug=slug, version=1, **({"row_count": 0, "source": ""} | values))
    transaction.on_commit(snapshot.store.note_change)
