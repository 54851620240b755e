"""Comparison of the day of a source with the day of the stored data, and with today.

Days are compared where both are known. The importer decides about an older source: refuse it or skip it. A source of a
later day than tomorrow is always refused, and such a day, stored earlier, does not count.
"""

from datetime import date, timedelta

from catalog.models import Dataset, ImportRun


def last_valid_day(today: date) -> date:
    """Return tomorrow: the latest day that a file may be of. Publishers date some files a day ahead."""
    return today + timedelta(days=1)


def newer_day(as_of: date | None, stored: date | None) -> date | None:
    """Return the stored day if it is newer than `as_of`, else None."""
    return stored if as_of and stored and as_of < stored else None


def day_of_dataset(dataset: Dataset.Slug, *, until: date = date.max, publisher: str | None = None) -> date | None:
    """Return the day that a data set is current to, None if unknown or later than `until`. One query.

    publisher: as the data set names it; None for any.
    """
    stored = Dataset.objects.filter(slug=dataset, as_of__lte=until)
    if publisher is not None:
        stored = stored.filter(source=publisher)
    return stored.values_list("as_of", flat=True).first()


def day_of_publication(source: str, dataset: Dataset.Slug, *, publisher: str, until: date = date.max) -> date | None:
    """Return the day of the last file imported from a source that is dated at most `until`.

    Falls back to the day of the data set if it has only this publisher. source: its id. Files
    of other sources and skipped files do not count. At most two queries.
    """
    good = ImportRun.objects.filter(source=source, outcome__in=ImportRun.GOOD, file_date__lte=until)
    day = good.order_by("-finished", "-pk").values_list("file_date", flat=True).first()
    return day if day is not None else day_of_dataset(dataset, until=until, publisher=publisher)
