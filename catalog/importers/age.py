"""Whether a source is older than what is stored: then it would undo newer changes.

Days are compared where both are known. What is done about an older source its importer says: refuse it, pass over it.
"""

from datetime import date

from catalog.models import Dataset, ImportRun


def newer_day(as_of: date | None, stored: date | None) -> date | None:
    """The day of what is stored, if a source of the day `as_of` is older than that; else None."""
    return stored if as_of and stored and as_of < stored else None


def day_of_dataset(dataset: Dataset.Slug, *, publisher: str | None = None) -> date | None:
    """The day that a data set is current to, None when that is unknown. One query.

    publisher: as the data set names it; None for whoever published what is stored.
    """
    stored = Dataset.objects.filter(slug=dataset)
    if publisher is not None:
        stored = stored.filter(source=publisher)
    return stored.values_list("as_of", flat=True).first()


def day_of_publication(source: str, dataset: Dataset.Slug, *, publisher: str) -> date | None:
    """The day of the dated file that a source brought in last, or that of the data set if only its publisher made it.

    source: its id in catalog/sources.yaml. What other sources brought into the same data set does not count, and a
    file that was passed over has no day. Two queries at most.
    """
    good = ImportRun.objects.filter(source=source, outcome__in=ImportRun.GOOD, file_date__isnull=False)
    day = good.order_by("-finished", "-pk").values_list("file_date", flat=True).first()
    return day if day is not None else day_of_dataset(dataset, publisher=publisher)
