"""Import of fetched sources, stricter than for a file chosen by a person, because its report is not read."""

from dataclasses import replace
from datetime import date

from catalog.importers import as_of
from catalog.importers.download import Download
from catalog.importers.publications import Publication
from catalog.importers.registry import steps_for
from catalog.importers.runner import ImportStep
from catalog.importers.sync import ImportRefused, Options, Report

MOST_REJECTED = 0.20
"""Share of unusable rows above which a file is refused as one of another kind."""

BY_HAND = "look at it, and if it is right give it to the import command as a file"


def step_of(publication: Publication, download: Download) -> ImportStep:
    """Return the import step of a downloaded file. Raises BadInput."""
    (step,) = steps_for([download.path], publication.dataset)
    return check_row_count(step, publication, most_rejected=MOST_REJECTED)


def check_row_count(step: ImportStep, publication: Publication, *, most_rejected: float = 1.0) -> ImportStep:
    """Wrap a step to refuse it if its report is suspicious.

    The step has written by then; the refusal rolls it back with the transaction.
    """

    def checked(options: Options) -> Report:
        until = as_of.last_valid_day(options.today)
        newest = as_of.day_of_publication(publication.id, publication.dataset, publisher=step.source, until=until)
        report = step.sync(options)
        check(report, publication, newest=None if options.allow_older else newest, most_rejected=most_rejected)
        return report

    return replace(step, sync=checked)


def check(report: Report, publication: Publication, *, newest: date | None, most_rejected: float) -> None:
    """Raise ImportRefused for a source that is older than stored, too small, or largely unusable."""
    if newer := as_of.newer_day(report.as_of, newest):
        raise ImportRefused(
            f"{report.title}: is of {report.as_of}, older than what is stored ({newer}); "
            "wait for a newer one, or add --allow-older"
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
