"""Operations on depots, shared by admin, forms and commands. Each is one transaction.

`moderation`: verify, remove, restore, one depot or many. `batches`: undo a bulk decision. `editing`: edit and add
depots. `merging`: merge or mark as distinct. `publishing`: publish held, removed or merged depots with their related
rows. `drafting`: changes that need approval. `voivodeship_claims`: which editor works on which voivodeship. Accepted
submissions make the same changes: `catalog.submissions`.
"""

from catalog.services.batches import BATCH_HANDLERS, UNDONE, BatchAlreadyUndone, Undone, undo_batch
from catalog.services.editing import (
    EDITABLE,
    DemonstrationWithContact,
    DepotEditConflict,
    EditConflict,
    NothingToChange,
    add_depot,
    check_edit_version,
    edit_depot,
    edit_version,
    find_repeated,
)
from catalog.services.merging import MERGE_HANDLERS, MergeHandler, MergeRefused, mark_distinct, merge_depots
from catalog.services.moderation import (
    DEMONSTRATION_HANDLERS,
    BulkResult,
    DepotIsPublished,
    DepotIsRemoved,
    DepotIsUnverified,
    RestoringNeedsReason,
    confirm_fuels,
    erase_demonstration,
    needs_reason,
    publish_depots,
    remove_depot,
    remove_depots,
    reset_depots,
    revoke_verification,
    verify_depot,
    verify_depots,
    why_fuels_not_confirmed,
    why_not_published,
    why_not_removed,
    why_not_reset,
)
from catalog.services.publishing import publish_depot
from catalog.services.viewing import find_viewers, mark_viewing
from catalog.services.voivodeship_claims import (
    VoivodeshipTaken,
    claimed_codes,
    release_voivodeship,
    take_voivodeship,
)

__all__ = [
    "BATCH_HANDLERS",
    "DEMONSTRATION_HANDLERS",
    "EDITABLE",
    "MERGE_HANDLERS",
    "UNDONE",
    "BatchAlreadyUndone",
    "BulkResult",
    "DemonstrationWithContact",
    "DepotEditConflict",
    "DepotIsPublished",
    "DepotIsRemoved",
    "DepotIsUnverified",
    "EditConflict",
    "MergeHandler",
    "MergeRefused",
    "NothingToChange",
    "RestoringNeedsReason",
    "Undone",
    "VoivodeshipTaken",
    "add_depot",
    "check_edit_version",
    "claimed_codes",
    "confirm_fuels",
    "edit_depot",
    "edit_version",
    "erase_demonstration",
    "find_repeated",
    "find_viewers",
    "mark_distinct",
    "mark_viewing",
    "merge_depots",
    "needs_reason",
    "publish_depot",
    "publish_depots",
    "release_voivodeship",
    "remove_depot",
    "remove_depots",
    "reset_depots",
    "revoke_verification",
    "take_voivodeship",
    "undo_batch",
    "verify_depot",
    "verify_depots",
    "why_fuels_not_confirmed",
    "why_not_published",
    "why_not_removed",
    "why_not_reset",
]
