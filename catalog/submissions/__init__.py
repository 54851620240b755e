"""Submissions of readers and owners: sent by a form, confirmed by e-mail, decided by an editor, erased in time.

Services: `intake` (until a submission counts), `questions` (to its author), `decisions`, `notifications`, `retention`,
`owner_links`. Their parts: `field_groups` (the values of a submission), `limits` (how many are accepted), `tokens`
(hashes and links), `emails` (texts of the letters), `claims` (hints on the author of a claim).

Each service is one transaction; `locking` defines the order of its locks. Letters are sent on commit. A letter that
could not be sent undoes nothing, and stays pending.
"""

from catalog.submissions.decisions import (
    DecisionResult,
    LocationOutsidePoland,
    NoFieldsAccepted,
    ReasonMissing,
    SubmissionAlreadyDecided,
    accept_submission,
    accept_submissions,
    reject_submission,
    reject_submissions,
)
from catalog.submissions.intake import (
    AlreadyClosed,
    Author,
    DepotIsHeld,
    LinkAlreadyUsed,
    NothingChanged,
    SubmissionDeleted,
    SubmissionPart,
    TokenSuperseded,
    TooManyEmails,
    check_published,
    confirm_submission,
    create_submission,
    get_confirmable,
    resend_link,
    withdraw_submission,
)
from catalog.submissions.notifications import Told, resend_letters
from catalog.submissions.retention import (
    KEPT,
    KEPT_FOR_LIMITS,
    KEPT_UNDECIDED,
    WARNED_BEFORE,
    Purged,
    expiring,
    is_purge_overdue,
    last_purge,
    purge_submissions,
    record_purge,
    warn_of_expiry,
)

__all__ = [
    "KEPT",
    "KEPT_FOR_LIMITS",
    "KEPT_UNDECIDED",
    "WARNED_BEFORE",
    "AlreadyClosed",
    "Author",
    "DecisionResult",
    "DepotIsHeld",
    "LinkAlreadyUsed",
    "LocationOutsidePoland",
    "NoFieldsAccepted",
    "NothingChanged",
    "Purged",
    "ReasonMissing",
    "SubmissionAlreadyDecided",
    "SubmissionDeleted",
    "SubmissionPart",
    "TokenSuperseded",
    "Told",
    "TooManyEmails",
    "accept_submission",
    "accept_submissions",
    "check_published",
    "confirm_submission",
    "create_submission",
    "expiring",
    "get_confirmable",
    "is_purge_overdue",
    "last_purge",
    "purge_submissions",
    "record_purge",
    "reject_submission",
    "reject_submissions",
    "resend_letters",
    "resend_link",
    "warn_of_expiry",
    "withdraw_submission",
]
