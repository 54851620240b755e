"""What people do to depots. Admin, forms and commands all call these; each is one transaction.

`states`: checked, removed, and back, one depot or many. `editing`: fields of a depot, and new depots. `merging`: two
entries of one depot. `publishing`: what was held back, removed or merged, with what had followed it. Requests of owners
and readers end in the same changes: `catalog.requests`.
"""

from catalog.actions.editing import (
    EDITABLE,
    DemonstrationWithContact,
    DepotChangedMeanwhile,
    NothingToChange,
    add_depot,
    check_unchanged,
    edit_depot,
    opened_at,
)
from catalog.actions.merging import FOLLOWERS, Follower, MergeRefused, keep_apart, merge_depots
from catalog.actions.publishing import publish_depot
from catalog.actions.states import (
    Decided,
    DepotIsPublished,
    DepotIsRemoved,
    DepotIsUnverified,
    RestoringNeedsReason,
    erase_demonstration,
    needs_reason,
    publish_depots,
    remove_depot,
    remove_depots,
    reset_depot,
    reset_depots,
    verify_depot,
    verify_depots,
    why_not_published,
    why_not_removed,
    why_not_reset,
)

__all__ = [
    "EDITABLE",
    "FOLLOWERS",
    "Decided",
    "DemonstrationWithContact",
    "DepotChangedMeanwhile",
    "DepotIsPublished",
    "DepotIsRemoved",
    "DepotIsUnverified",
    "Follower",
    "MergeRefused",
    "NothingToChange",
    "RestoringNeedsReason",
    "add_depot",
    "check_unchanged",
    "edit_depot",
    "erase_demonstration",
    "keep_apart",
    "merge_depots",
    "needs_reason",
    "opened_at",
    "publish_depot",
    "publish_depots",
    "remove_depot",
    "remove_depots",
    "reset_depot",
    "reset_depots",
    "verify_depot",
    "verify_depots",
    "why_not_published",
    "why_not_removed",
    "why_not_reset",
]
