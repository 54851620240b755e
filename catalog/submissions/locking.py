"""The order in which depots and submissions are locked, so that concurrent transactions wait and never deadlock.

Depots first, by number; then submissions, by number. Inserting a submission or price locks its depot through the
foreign key, so code that inserts one locks the depot before any submission. So does the second UPDATE of a row within
one transaction: PostgreSQL checks the foreign key of a row version that the transaction itself has written.
"""

from django.db.models import QuerySet

from catalog.models import Submission


def lock_submissions(submissions: QuerySet[Submission]) -> None:
    """Lock submissions by number. Lock their depots before, where a depot is written too. One query."""
    list(submissions.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
