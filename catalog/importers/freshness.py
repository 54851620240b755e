"""How old sources are: when each was last imported, which are due or overdue, and the days that their data are of.

Days of data are compared where both are known. The importer decides about an older source: refuse it or skip it. A
source of a later day than tomorrow is always refused, and such a day, stored earlier, does not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q
from django.utils import timezone

from catalog.importers.source import DataSource, read_sources
from catalog.models import Dataset, ImportRun

GRACE_DAYS = 3
"""Days after the due day until a source is overdue: a publisher may be closed over a weekend."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source and its runs. good: the last successful one; last: the last one; None for none.

    first: the first run ever.
    """

    source: DataSource
    good: ImportRun | None
    last: ImportRun | None
    first: ImportRun | None

    @property
    def checked_on(self) -> date | None:
        """Day on which the source was last found current, None for never."""
        return timezone.localdate(self.good.finished) if self.good else None

    @property
    def due_on(self) -> date | None:
        """Day from which the source is due, None for at once."""
        checked_on = self.checked_on
        return checked_on and checked_on + timedelta(days=self.source.rhythm_days)

    def is_due(self, today: date) -> bool:
        """Whether the source is due."""
        due_on = self.due_on
        return due_on is None or due_on <= today

    @property
    def never_loaded(self) -> bool:
        """Whether `refresh` fetches the source and it was never imported."""
        return self.good is None and self.source.fetched

    def is_overdue(self, today: date, installed_on: date | None = None) -> bool:
        """Whether the source is overdue.

        installed_on: the day from which a source that was never tried counts, None if it does not count.
        """
        run = self.good or self.first
        since = timezone.localdate(run.finished) if run else installed_on if self.source.fetched else None
        allowed = timedelta(days=self.source.rhythm_days + GRACE_DAYS)
        return since is not None and since + allowed < today


def last_runs(sources: Mapping[str, DataSource] | None = None) -> list[SourceState]:
    """Return every source with its runs, in their order. One query."""
    newest = ImportRun.objects.order_by("source", "-finished", "-pk").distinct("source").values("pk")
    oldest = ImportRun.objects.order_by("source", "finished", "pk").distinct("source").values("pk")
    ended_well = newest.filter(outcome__in=ImportRun.GOOD)
    selected = ImportRun.objects.filter(Q(pk__in=newest) | Q(pk__in=oldest) | Q(pk__in=ended_well))
    runs = list(selected.order_by("finished", "pk").defer("differences"))
    last = {run.source: run for run in runs}
    good = {run.source: run for run in runs if run.outcome in ImportRun.GOOD}
    first = {run.source: run for run in reversed(runs)}
    return [
        SourceState(source, good.get(source.id), last.get(source.id), first.get(source.id))
        for source in (sources if sources is not None else read_sources()).values()
    ]


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
