"""How decisions about depots, pairs and voivodeships are undone; `journal.undo` calls these handlers.

`catalog.submissions.reopening` has those of submissions and owners' links; other apps have their own.
"""

from django.utils import timezone

from catalog import versions
from catalog.models import Dataset, Depot, NotDuplicate, VoivodeshipClaim
from catalog.services import journal, publishing
from catalog.services.journal import Undoing
from catalog.services.moderation import lock_depots
from fueldepot.data import history
from fueldepot.data.bulk import among


def undo_depots(undoing: Undoing) -> None:
    """Restore the values that a decision changed, and remove depots that it added. Eight statements.

    A depot whose changed values were changed again since is left alone.
    """
    spans = undoing.spans(Depot)
    depots = Depot.objects.filter(pk__in=among(spans))
    lock_depots(depots)
    restored = journal.restore_changes(Depot, undoing)
    restored += _remove_added(undoing)
    undoing.left += depots.exclude(pk__in=among(restored)).order_by("pk").only("name", "publication")
    versions.bump_version(Dataset.Slug.DEPOTS)


def _remove_added(undoing: Undoing) -> list[int]:
    """Remove the depots that a decision added and nobody has changed since. Returns their ids."""
    spans = undoing.spans(Depot)
    firsts = Depot.history.filter(history_id__in=[span.first for span in spans.values()], history_type=history.CREATED)
    added = list(firsts.values_list("id", flat=True))
    if not added:
        return []
    unchanged = [key for key in added if history.latest_id(Depot.history.model, key) == spans[key].last]
    today = timezone.localdate(undoing.on)
    Depot.objects.filter(pk__in=unchanged).update(
        publication=Depot.Publication.REMOVED,
        removal_reason=Depot.RemovalReason.MISTAKEN,
        removed_at=today,
        updated_at=today,
    )
    history.record_bulk(Depot, unchanged, by=undoing.by, reason=undoing.reason)
    undoing.restored += len(unchanged)
    return unchanged


def undo_merge(undoing: Undoing) -> None:
    """Publish the loser of a merge again, with the rows that moved, and restore what the survivor took over."""
    loser = Depot.objects.filter(pk=undoing.decision.details["loser"]).first()
    if loser is None:
        return
    if loser.merged_into_id is None:
        undoing.left.append(loser)
        return
    publishing.publish_depot(depot=loser, on=timezone.localdate(undoing.on), by=undoing.by, note=undoing.reason)
    undoing.restored += 1
    survivor = undoing.spans(Depot).get(undoing.decision.details["survivor"])
    restored = history.restore(Depot, [survivor] if survivor else [], following=journal.FOLLOWING["catalog.depot"])
    history.record_bulk(Depot, restored, by=undoing.by, reason=undoing.reason)
    undoing.restored += len(restored)


def undo_distinct(undoing: Undoing) -> None:
    """Report the pair as possible duplicates again. Two statements."""
    undoing.restored += NotDuplicate.objects.filter(pk__in=undoing.keys(NotDuplicate)).delete()[0]
    versions.bump_version(Dataset.Slug.DEPOTS)


def undo_claims(undoing: Undoing) -> None:
    """Release a voivodeship that was claimed, or give one back that was released, unless somebody else has it."""
    decision = undoing.decision
    for claim in VoivodeshipClaim.objects.select_for_update(of=("self",)).filter(pk__in=undoing.keys(VoivodeshipClaim)):
        standing = VoivodeshipClaim.objects.standing().filter(voivodeship=claim.voivodeship_id)
        if claim.released_at is None and claim.taken_at == decision.decided_at:
            claim.released_at, claim.released_by_id = undoing.on, undoing.by.pk if undoing.by else None
        elif claim.released_at == decision.decided_at and not standing.exists():
            claim.released_at = claim.released_by = None
        else:
            undoing.left.append(claim)
            continue
        claim.save(update_fields=["released_at", "released_by"])
        undoing.restored += 1
