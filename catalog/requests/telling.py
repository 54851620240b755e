"""Telling authors what was decided, at once or, where the mail server was away, later."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from catalog.models import DepotRequest
from catalog.requests import letters

State = DepotRequest.State

LETTERS = {
    State.ACCEPTED: letters.accepted_letter,
    State.REJECTED: letters.rejected_letter,
    State.SUPERSEDED: letters.superseded_letter,
}
"""What its author is told of a request that is closed."""


@dataclass(frozen=True, slots=True)
class Told:
    """Numbers of requests: whose letter has left, and whose has not."""

    sent: tuple[int, ...]
    unsent: tuple[int, ...]


def tell(requests: Sequence[DepotRequest]) -> list[int]:
    """Send the letters about decisions and note which have left. Returns the numbers of those that have not.

    Reads the depots: select them. One statement.
    """
    unsent = letters.send([LETTERS[State(request.state)](request) for request in requests])
    sent = {request.pk for request in requests}.difference(unsent)
    DepotRequest.objects.filter(pk__in=sent).update(letter_owed=False)
    return unsent


@transaction.atomic
def resend_letters(*, requests: Collection[int] | None = None) -> Told:
    """Send again what could not be sent. requests: numbers, None for all; those whose author knows stay out.

    Nothing is kept longer for it: once personal data are erased there is nobody to write to. The letters leave before
    the transaction ends, unlike all others, so that of two who send at the same moment one finds nothing to do.
    """
    owed = DepotRequest.objects.untold().select_related("depot").order_by("pk")
    if requests is not None:
        owed = owed.filter(pk__in=requests)
    rows = list(owed.select_for_update(of=("self",), skip_locked=True))
    unsent = tell(rows)
    return Told(tuple(row.pk for row in rows if row.pk not in unsent), tuple(unsent))
