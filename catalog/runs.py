"""When each source was last brought in, and which are due or overdue."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q
from django.utils import timezone

from catalog.importers.publications import Publication, read_publications
from catalog.models import ImportRun

GRACE_DAYS = 3
"""How long after its day a source counts as late: a publisher may be closed over a weekend."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source and its runs. good: the last one that ended well; last: the last one; both None when there is none.

    first: the first one ever, which tells since when somebody has tried.
    """

    publication: Publication
    good: ImportRun | None
    last: ImportRun | None
    first: ImportRun | None

    @property
    def checked_on(self) -> date | None:
        """The day on which the source was last found to be current, None for never."""
        return timezone.localdate(self.good.finished) if self.good else None

    @property
    def due_on(self) -> date | None:
        """The day from which the source should be asked again, None for at once."""
        checked_on = self.checked_on
        return checked_on and checked_on + timedelta(days=self.publication.rhythm_days)

    def is_due(self, today: date) -> bool:
        """Whether the source should be asked."""
        due_on = self.due_on
        return due_on is None or due_on <= today

    def is_overdue(self, today: date) -> bool:
        """Whether the source should have been brought in some days ago. One that nobody ever tried is not overdue."""
        since = self.good or self.first
        if since is None:
            return False
        allowed = timedelta(days=self.publication.rhythm_days + GRACE_DAYS)
        return timezone.localdate(since.finished) + allowed < today


def last_runs(publications: Mapping[str, Publication] | None = None) -> list[SourceState]:
    """Every source with its runs, in the order of the file of sources. One query."""
    newest = ImportRun.objects.order_by("source", "-finished", "-pk").distinct("source").values("pk")
    oldest = ImportRun.objects.order_by("source", "finished", "pk").distinct("source").values("pk")
    ended_well = newest.filter(outcome__in=ImportRun.GOOD)
    wanted = ImportRun.objects.filter(Q(pk__in=newest) | Q(pk__in=oldest) | Q(pk__in=ended_well))
    runs = list(wanted.order_by("finished", "pk").defer("differences"))
    last = {run.source: run for run in runs}
    good = {run.source: run for run in runs if run.outcome in ImportRun.GOOD}
    first = {run.source: run for run in reversed(runs)}
    return [
        SourceState(one, good.get(one.id), last.get(one.id), first.get(one.id))
        for one in (publications if publications is not None else read_publications()).values()
    ]


def overdue_sources(today: date) -> list[SourceState]:
    """The sources that should have been brought in some days ago, in the order of the file. One query."""
    return [state for state in last_runs() if state.is_overdue(today)]
