"""What happens to requests: submitted by a stranger, confirmed by e-mail, decided by an editor, erased with time.

`submitting` (until a request counts), `deciding`, `telling` and `erasing` are the actions. What they use: `proposals`
(the values that a request carries), `limits` (how many may come), `secrecy` (hashes and links), `letters` (what authors
are told), `claimants` (hints on who asks).

Each action is one transaction; `locking` says in which order it locks. Letters leave when the transaction is committed;
one that cannot be sent undoes nothing, and is kept in mind until it has been.
"""

from catalog.requests.deciding import (
    Decided,
    NothingAccepted,
    PlaceUnknown,
    ReasonMissing,
    RequestAlreadyDecided,
    accept_request,
    accept_requests,
    reject_request,
    reject_requests,
)
from catalog.requests.erasing import (
    KEPT,
    KEPT_FOR_LIMITS,
    Purged,
    is_purge_overdue,
    last_purge,
    purge_requests,
    record_purge,
)
from catalog.requests.submitting import (
    Author,
    DepotIsHeld,
    LinkAlreadyUsed,
    LinkForgotten,
    LinksSpent,
    LinkSuperseded,
    NothingChanged,
    check_published,
    confirm_request,
    get_confirmable,
    resend_link,
    submit_request,
)
from catalog.requests.telling import Told, resend_letters

__all__ = [
    "KEPT",
    "KEPT_FOR_LIMITS",
    "Author",
    "Decided",
    "DepotIsHeld",
    "LinkAlreadyUsed",
    "LinkForgotten",
    "LinkSuperseded",
    "LinksSpent",
    "NothingAccepted",
    "NothingChanged",
    "PlaceUnknown",
    "Purged",
    "ReasonMissing",
    "RequestAlreadyDecided",
    "Told",
    "accept_request",
    "accept_requests",
    "check_published",
    "confirm_request",
    "get_confirmable",
    "is_purge_overdue",
    "last_purge",
    "purge_requests",
    "record_purge",
    "reject_request",
    "reject_requests",
    "resend_letters",
    "resend_link",
    "submit_request",
]
