"""Decisions about the prices of submissions, for their authors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.models import Submission
from catalog.submissions import letters


@dataclass(frozen=True, slots=True)
class PriceOutcome:
    """Decision about one price. fuel, value: in words. reason: why it was refused, "" if accepted."""

    fuel: str
    value: str
    reason: str


def record_price_outcomes(outcomes: Mapping[int, Sequence[PriceOutcome]], *, on: datetime) -> None:
    """Record the decisions about all prices of submissions; the letters are sent after the commit.

    outcomes: by id of the submission. Runs in the transaction of the decision. Two statements, none without outcomes.
    Erased submissions are skipped.
    """
    if not outcomes:
        return
    found = Submission.objects.filter(pk__in=outcomes, erased_at__isnull=True).select_related("depot").order_by("pk")
    rows = list(found.select_for_update(of=("self",)))
    for row in rows:
        decided = [[one.fuel, one.value, one.reason] for one in outcomes[row.pk]]
        row.proposed = row.proposed | {"outcomes": [*row.proposed.get("refused", []), *decided]}
        row.answered_at, row.notification_pending = on, True
    Submission.objects.bulk_update(rows, ["proposed", "answered_at", "notification_pending"], batch_size=500)
    letters.send_soon()
