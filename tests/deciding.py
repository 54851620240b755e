"""Decisions about one submission, as the desk makes them."""

import pytest
from django.urls import reverse

from catalog.models import Decision
from catalog.services import journal
from catalog.submissions.decisions import PartDecision, decide
from tests.factories import NOW


def page(row):
    """The page of the desk about a row, such as a submission, which is decided there."""
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def accept_submission(*, submission, groups=None, values=None, **options):
    return decide(parts=[PartDecision(submission.pk, True, groups, values or {})], **options)


def reject_submission(*, submission, reason, **options):
    return decide(parts=[PartDecision(submission.pk, False)], reason=reason, **options)


def last():
    return Decision.objects.latest("pk")


def undo_nothing(decision, by, *staying):
    """Check that a decision is not undone, as all its rows have changed since. staying: those that its page names."""
    assert journal.find_changed_since(decision) == [*staying]
    with pytest.raises(journal.NothingToRestore):
        journal.undo(decision=decision, by=by, on=NOW)


def undo_at_the_desk(client, decision, **typed):
    return client.post(reverse("admin:catalog_decision_undo", args=[decision.pk]), typed)
