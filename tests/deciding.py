"""Decisions about one submission, as the desk makes them."""

from catalog.submissions.decisions import PartDecision, decide


def accept_submission(*, submission, groups=None, values=None, **options):
    return decide(parts=[PartDecision(submission.pk, True, groups, values or {})], **options)


def reject_submission(*, submission, reason, **options):
    return decide(parts=[PartDecision(submission.pk, False)], reason=reason, **options)
