"""Comparison of the day of a source with the day of the stored data.

Days are compared where both are known. The importer decides about an older source: refuse it or skip it.
"""

from datetime import date

from catalog.models import Dataset, ImportRun


def newer_day(as_of: date | None, stored: date | None) -> date | None:
    """Return the stored day if it is newer than `as_of`, else None."""
    return stored if as_of and stored and as_of < stored else None


def day_of_dataset(dataset: Dataset.Slug, *, publisher: str | None = None) -> date | None:
    """Return the day that a data set is current to, None if unknown. One query.

    publisher: as the data set names it; None for any.
    """
    stored = Dataset.objects.filter(slug=dataset)
    if publisher is not None:
        stored = stored.filter(source=publisher)
    return stored.values_list("as_of", flat=True).first()


def day_of_publication(source: str, dataset: Dataset.Slug, *, publisher: str) -> date | None:
    """Return the day of the last dated file imported from a source.

    Falls back to the day of the data set if it has only this publisher. source: its id in catalog/sources.yaml. Files
    of other sources and skipped files do not count. At most two queries.
    """
    good = ImportRun.objects.filter(source=source, outcome__in=ImportRun.GOOD, file_date__isnull=False)
    day = good.order_by("-finished", "-pk").values_list("file_date", flat=True).first()
    return day if day is not None else day_of_dataset(dataset, publisher=publisher)
