"""Submissions at the editors' desk: `queue` has the list and the decisions, `description` the context of the page."""

from catalog.admin.submissions.queue import SubmissionAdmin

__all__ = ["SubmissionAdmin"]
