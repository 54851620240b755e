"""From a source of catalog/sources.yaml to the step that imports its current file, with a sharper eye than for a file
that a person chose: what looks wrong is refused, for nobody is there to look at it.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from catalog.importers import age
from catalog.importers.download import Download, Fetcher
from catalog.importers.publications import Publication
from catalog.importers.run import Step
from catalog.importers.steps import steps_for
from catalog.importers.sync import ImportRefused, Options, Report

MOST_REJECTED = 0.20
"""Share of the rows that may be unusable before the file counts as one of another make."""

BY_HAND = "look at it, and if it is right give it to the import command as a file"


def fetched_step(publication: Publication, fetcher: Fetcher) -> tuple[Step, Download]:
    """Fetch a source. Returns the step that imports it, and the file. Raises DownloadFailed and BadInput."""
    download = fetcher.fetch(publication)
    return step_of(publication, download), download


def step_of(publication: Publication, download: Download) -> Step:
    """The step that imports a fetched file. Raises BadInput."""
    (step,) = steps_for([download.path], publication.dataset)
    return guarded(step, publication, most_rejected=MOST_REJECTED)


def guarded(step: Step, publication: Publication, *, most_rejected: float = 1.0) -> Step:
    """The step, refused when its report looks wrong.

    The step writes before that is known; the refusal undoes it with the transaction.
    """
    sync: Callable[[Options], Report] = step.sync

    def checked(options: Options) -> Report:
        newest = age.day_of_publication(publication.id, publication.dataset, publisher=step.source)
        report = sync(options)
        check(report, publication, newest=newest, most_rejected=most_rejected)
        return report

    return replace(step, sync=checked)


def check(report: Report, publication: Publication, *, newest: date | None, most_rejected: float) -> None:
    """Raise ImportRefused for a source that is older than what is stored, too small, or largely unusable."""
    if newer := age.newer_day(report.as_of, newest):
        raise ImportRefused(
            f"{report.title}: is of {report.as_of}, older than what is stored ({newer}); "
            f"wait for a newer one, or {BY_HAND}"
        )
    used = report.rows + len(report.skipped)
    rejected = len(report.rejected)
    if rejected > most_rejected * (used + rejected):
        note = report.rejected[0]
        raise ImportRefused(
            f"{report.title}: {rejected} of {used + rejected} rows cannot be used, for example {note.key}: "
            f"{note.reason}; {BY_HAND}"
        )
    if used + rejected < publication.min_rows:
        raise ImportRefused(
            f"{report.title}: has {used + rejected} rows, fewer than the {publication.min_rows} that {publication.id} "
            f"must have; {BY_HAND}"
        )
