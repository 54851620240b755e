"""Ages of sources: which are due or overdue, and the days of what is stored of them.

A source of a later day than tomorrow is always refused, and such a day, stored earlier, does not count. Nor does a run
that ended later than tomorrow: the clock of the machine was wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from catalog.importers.sources import DataSource, all_sources, read_sources
from catalog.models import Dataset, ImportRun

GRACE_DAYS = 3
"""Days after the due day until a source is overdue: a publisher may be closed over a weekend."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source with its last successful run (`good`), its last and its first one; None for none."""

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

    def is_overdue(self, today: date, installed_on: date | None = None) -> bool:
        """installed_on: the day from which a source that was never tried counts, None if it does not count."""
        since = installed_on if self.source.fetched else None
        if run := self.good or self.first:
            since = timezone.localdate(run.finished)
        return since is not None and since + timedelta(days=self.source.rhythm_days + GRACE_DAYS) < today


def last_runs(sources: Mapping[str, DataSource] | None = None) -> list[SourceState]:
    """Return every source with its runs, in their order. One query."""
    newest = valid_runs().order_by("source", "-finished", "-pk").distinct("source").values("pk")
    oldest = valid_runs().order_by("source", "finished", "pk").distinct("source").values("pk")
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


def last_end(source: str) -> datetime | None:
    """Return when the last run of a source or of a nightly job ended, None for never. One query."""
    last: datetime | None = valid_runs().filter(source=source).aggregate(last=Max("finished"))["last"]
    return last


def valid_runs() -> QuerySet[ImportRun]:
    """Return the recorded runs that ended before this time tomorrow."""
    return ImportRun.objects.filter(finished__lt=timezone.now() + timedelta(days=1))


def last_valid_day(today: date) -> date:
    """Return tomorrow: the latest day that a file may be of. Publishers date some files a day ahead."""
    return today + timedelta(days=1)


def day_of_dataset(dataset: Dataset.Slug, *, until: date, publisher: str | None = None) -> date | None:
    """Return the day of a data set, None if unknown or later than `until`. publisher: as it names it. One query."""
    stored = Dataset.objects.filter(slug=dataset, as_of__lte=until)
    if publisher is not None:
        stored = stored.filter(source=publisher)
    return stored.values_list("as_of", flat=True).first()


def day_of_publication(source: DataSource, *, until: date) -> date | None:
    """Return the day of the last import from a source, dated at most `until`, else of the data set. Two queries."""
    good = ImportRun.objects.filter(source=source.id, outcome__in=ImportRun.GOOD, file_date__lte=until)
    day = good.order_by("-finished", "-pk").values_list("file_date", flat=True).first()
    return day if day is not None else day_of_dataset(source.dataset, until=until, publisher=source.credit)


def stored_day(source: DataSource, *, until: date = date.max) -> date | None:
    """Return the stored day of a source, in a data set that others may share, up to `until`."""
    if source.rows is None:
        return day_of_dataset(source.dataset, until=until)
    return day_of_publication(source, until=until)


def other_publishers(source: DataSource) -> dict[str, date | None]:
    """Return other publishers of a source's data set, with the day their rows are current to."""
    row = Dataset.objects.filter(slug=source.dataset).first()
    credited = row.sources if row else []
    days: dict[str, date | None] = {}
    for other in all_sources().values():
        if other.dataset != source.dataset or other.credit in {source.credit, *days} or other.rows is None:
            continue
        own = other.rows.exists()
        if own and other.starter and other.starter[0] in credited:
            days[other.starter[0]] = other.starter[1]
        elif own or (other.lent is not None and other.lent.exists()):
            days[other.credit] = stored_day(other)
    return days
