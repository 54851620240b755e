"""How decisions are undone that the catalog makes: about depots, pairs, voivodeships, submissions and owners' links.

`journal.undo` calls these handlers. A submission waits again, and its author is told.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from catalog.models import (
    Dataset,
    Decision,
    Depot,
    FormerMunicipality,
    NotDuplicate,
    OwnerLink,
    Submission,
    Voivodeship,
    VoivodeshipClaim,
)
from catalog.services import Refusal, journal, merging, moderation, publishing
from catalog.services.journal import Lines, Undoing
from catalog.services.moderation import DepotIsRemoved, RestoringNeedsReason
from catalog.submissions import letters, objections
from catalog.submissions.owner_links import return_links, revoke_links
from catalog.submissions.retention import link_ends
from catalog.territory.boundaries import BoundaryIndex
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking


def undo_depots(undoing: Undoing) -> None:
    """Restore the values that a decision changed, and remove depots that it added. A dozen statements.

    A depot whose changed values were changed again since is left alone, as is one of `find_staying_depots`. Raises
    RestoringNeedsReason, see `undoing_needs_reason`, DepotIsRemoved of one that was claimed and removed since, and
    Refusal of a decision that separated merged depots.
    """
    if separated_merged(undoing):  # the rows that moved back would not move again
        raise Refusal(reason="ta decyzja przywróciła scalony wpis; żeby znów były jednym, scal je jeszcze raz")
    if not undoing.note and undoing_needs_reason(undoing):
        raise RestoringNeedsReason(undoing.decision.pk)
    # Prices have their turn after the version; survivors of entries written twice are locked by the commit itself.
    concerned = Depot.objects.filter(pk__in=among(undoing.keys(Depot)))
    rows = locking(concerned | Depot.objects.filter(pk__in=concerned.values("merged_into")))
    standing = {key for key, publication in rows.values_list("pk", "publication") if publication != REMOVED}
    depots = Depot.objects.filter(pk__in=among(undoing.spans(Depot)))
    if undoing.keys(OwnerLink) and depots.filter(publication=REMOVED, merged_into=None).exists():
        raise DepotIsRemoved(undoing.decision.pk)  # its claim could not wait again
    staying = {depot.pk for depot in find_staying_depots(undoing)}
    restored = restore_depots(undoing, {*undoing.spans(Depot)} - staying)
    undoing.changed[Depot] += len(restored)
    restored += _remove_added(undoing, staying)
    undoing.left += depots.exclude(pk__in=among(restored)).order_by("pk").only("name", "publication", "merged_into")
    _close_submissions(undoing, standing.intersection(restored))
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)


def restore_depots(undoing: Undoing, keys: Collection[int]) -> list[int]:
    """Restore depots that a decision changed, except those of `_find_vouched_since`. Nine statements at most.

    Returns the ids of restored ones. The caller locks them, and counts them.
    """
    spans = undoing.spans(Depot)
    chosen = [spans[key] for key in {*keys} - _find_vouched_since(undoing)]
    restored = history.restore(Depot, chosen, following=journal.following(undoing.decision))
    if restored:
        _leave_former_municipalities(restored)
        _confirm_again(undoing, restored)
        _record(undoing, restored)
    return restored


def _record(undoing: Undoing, depots: Collection[int]) -> None:
    """Write the history of depots as they are again. The decision vouches for them no more."""
    history.record_bulk(Depot, depots, by=undoing.by, reason=undoing.reason)
    keys = {str(key) for key in depots}
    vouching = [line.pk for line in undoing.lines if line.vouches and line.key in keys]
    undoing.decision.lines.filter(pk__in=vouching).update(vouches=[])


def _leave_former_municipalities(depots: Collection[int]) -> None:
    """Move restored depots from municipalities that have left the register since to their successors.

    Those of a merged or divided one go where they lie. One query without such depots, else four at most.
    """
    formers = FormerMunicipality.objects.all()
    gone = Depot.objects.filter(pk__in=among(depots), municipality_id__in=formers.values("pk"))
    moved = list(gone.only("lat", "lon", "municipality_id"))
    left = formers.in_bulk({depot.municipality_id for depot in moved}) if moved else {}
    index = None if all(former.whole for former in left.values()) else BoundaryIndex.load()
    for depot in moved:
        former = left[depot.municipality_id]
        located = index.find(depot.lat, depot.lon) if index and not former.whole else None
        depot.municipality_id = located.teryt if located else former.successor_id
    Depot.objects.bulk_update(moved, ["municipality"], batch_size=500)


def _confirm_again(undoing: Undoing, restored: Collection[int]) -> None:
    """Leave of the fields that a decision was about those confirmed for which another one vouches.

    Fuels whose prices are gone and which stayed for this decision go, too.
    """
    changed, histories = [], undoing.read_histories(restored)
    for depot in Depot.objects.filter(pk__in=among(restored)).only("confirmed_fields", "fuels", "fuels_priced"):
        before, own, since = histories[depot.pk]
        undone, own[0].vouches = {*own[0].vouches}, ()
        lines, priced = [*before, *own, *since], depot.fuels_priced
        standing, present = _confirmed_by(lines), {*lines[-1].confirmed_fields}
        confirmed = standing if Depot.NOBODY in undone else present - (undone - standing)
        stated = [fuel for fuel in depot.fuels if fuel in priced or not publishing.is_kept_in_vain(fuel, lines)]
        if (confirmed, stated) != ({*depot.confirmed_fields}, depot.fuels):
            depot.confirmed_fields = [name for name in Depot.PUBLIC_FIELDS if name in confirmed]
            depot.fuels = stated
            changed.append(depot)
    Depot.objects.bulk_update(changed, ["confirmed_fields", "fuels"], batch_size=500)


def _confirmed_by(lines: Lines) -> set[str]:
    """Return the fields that the first row has as confirmed, and those for which decisions vouch since."""
    names = {*lines[0].confirmed_fields}
    for line in lines:
        names = (set() if Depot.NOBODY in line.vouches else names).union(line.vouches)
    return names


def _find_vouched_since(undoing: Undoing) -> set[int]:
    """Return the depots that a later decision is about, too: it vouches for a field that this one changed.

    Or both checked the whole depot, or this one ended confirmations and an import has changed those fields since.
    """
    staying = set()
    for key, (before, own, since) in undoing.histories_since.items():
        again = {name for line in since for name in line.vouches}
        changed = _differing(before[-1], own[-1]) if before else {*Depot.PUBLIC_FIELDS}
        changed |= {"verified_at"}.intersection(own[0].vouches)  # also by the same person on the same day
        ended = {*before[-1].confirmed_fields}.difference(own[-1].confirmed_fields) if before else set()
        if changed & again or ended & _differing(own[-1], [*own, *since][-1]) - again:
            staying.add(key)
    return staying


def _differing(before: Any, line: Any) -> set[str]:
    """Return the fields of `Depot.CHECKED` in which two rows of the history differ."""
    columns = ((name, Depot.column(name)) for name in Depot.CHECKED)
    return {name for name, column in columns if getattr(before, column) != getattr(line, column)}


def find_staying_depots(undoing: Undoing) -> list[Depot]:
    """Return the depots that look as the decision left them, but stay. Four queries at most.

    - checked again since, see `_find_vouched_since`
    - added by it, and have absorbed another one since
    - removed by it and restored since, or claimed, and now merged
    - their hours were set by their owner, and merging handed them on
    """
    survivors = Depot.objects.filter(merged_into__in=undoing.added(Depot)).values("merged_into")
    staying = Q(pk__in=_find_vouched_since(undoing)) | Q(pk__in=survivors)
    if undoing.decision.kind == Decision.Kind.REMOVE or undoing.keys(OwnerLink):
        staying |= Q(merged_into__isnull=False)
    if undoing.decision.kind == Decision.Kind.OWNER:
        merges = Decision.objects.filter(kind=Decision.Kind.MERGE, undone_at=None, lines__vouches__contains=["hours"])
        losers = merges.filter(details__loser__in=[*undoing.spans(Depot)]).values_list("details__loser", flat=True)
        staying |= Q(pk__in=list(losers))
    return list(Depot.objects.filter(staying, pk__in=among(undoing.spans(Depot))).order_by("pk"))


def undoing_needs_reason(undoing: Undoing) -> bool:
    """Whether a decision accepted the deletion of a depot. Two queries, of a decision on submissions only."""
    if undoing.decision.kind != Decision.Kind.SUBMISSION:
        return False
    return _removed(undoing).filter(removal_reason=Depot.RemovalReason.OWNER).exists()


def _removed(undoing: Undoing) -> QuerySet[Any, int]:
    """Ids of the depots that a decision removed."""
    written = among([span.last for span in undoing.spans(Depot).values()])
    rows: QuerySet[Any] = Depot.history.filter(history_id__in=written, publication=REMOVED)
    return rows.values_list("id", flat=True)


def separated_merged(undoing: Undoing) -> bool:
    """Whether a decision restored a merged depot. One query, of a decision to publish only."""
    if undoing.decision.kind != Decision.Kind.PUBLISH:
        return False
    earlier = Depot.history.filter(id=OuterRef("id"), history_id__lt=OuterRef("history_id")).order_by("-history_id")
    firsts = among([span.first for span in undoing.spans(Depot).values()])
    lines = Depot.history.filter(history_id__in=firsts, merged_into=None)
    return bool(lines.annotate(former=Subquery(earlier.values("merged_into")[:1])).exclude(former=None).exists())


def _remove_added(undoing: Undoing, staying: Collection[int]) -> list[int]:
    """Remove depots that a decision added and nobody has changed since. Returns their ids. staying: ids to leave."""
    spans = undoing.spans(Depot)
    added = [spans[key] for key in undoing.added(Depot) if key not in staying]
    unchanged = history.find_untouched(Depot, added, ignored=journal.UNCOMPARED) if added else []
    today = timezone.localdate(undoing.on)
    mistaken = {"publication": REMOVED, "removal_reason": Depot.RemovalReason.MISTAKEN, "removed_at": today}
    Depot.objects.filter(pk__in=unchanged).update(**mistaken, updated_at=today)
    _record(undoing, unchanged)
    undoing.changed[Depot] += len(unchanged)
    return unchanged


def _close_submissions(undoing: Undoing, depots: Collection[int]) -> None:
    """Close what was sent meanwhile about those of the depots that are removed, as any removal does."""
    removed = list(Depot.objects.filter(pk__in=among(depots), publication=REMOVED).values_list("pk", flat=True))
    if removed:
        with journal.recording(Decision.Kind.UNDO, by=undoing.by) as record:  # joins that of `journal.undo`
            moderation.close_submissions(removed, record, undoing.on)
        letters.send_soon()


def undo_merge(undoing: Undoing) -> None:
    """Restore the loser of a merge, with the rows that moved, and what the survivor took over.

    The loser is withheld again if it was before the merge.
    """
    details = undoing.decision.details
    loser = Depot.objects.filter(pk=details["loser"]).first()
    if loser is None:
        return
    stored, survivor = publishing.lock_with_survivor(loser.pk)
    if survivor is None:
        undoing.left.append(loser)
        return
    # The survivor may have been merged since; what the loser refers to must not keep it from being restored.
    Depot.objects.filter(pk=loser.pk).update(merged_into=None)
    merged = {details["loser"], details["survivor"]}.intersection(undoing.spans(Depot))
    restored = restore_depots(undoing, merged)
    today = timezone.localdate(undoing.on)
    if loser.pk not in restored:  # its former values are unknown
        publishing.publish_depot(depot=loser, on=today, by=undoing.by, note=undoing.reason)
    merging.bring_back(stored, survivor, undoing.by, today)
    undoing.changed[Depot] += len({loser.pk, *restored})
    undoing.left += Depot.objects.filter(pk=details["survivor"]).exclude(pk__in=restored)
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)


def undo_distinct(undoing: Undoing) -> None:
    """Report the pair as possible duplicates again. One statement."""
    undoing.changed[NotDuplicate] += NotDuplicate.objects.filter(pk__in=undoing.keys(NotDuplicate)).delete()[0]


def undo_claims(undoing: Undoing) -> None:
    """Release a voivodeship that was claimed, or give one back that was released, unless somebody else has it."""
    decision = undoing.decision
    claims = VoivodeshipClaim.objects.filter(pk__in=undoing.keys(VoivodeshipClaim))
    lock_rows(Voivodeship.objects.filter(claims__in=claims), no_key=True)
    for claim in locking(claims):
        standing = VoivodeshipClaim.objects.standing().filter(voivodeship=claim.voivodeship_id)
        if claim.released_at is None and claim.taken_at == decision.decided_at:
            claim.released_at, claim.released_by_id = undoing.on, undoing.by.pk if undoing.by else None
        elif claim.released_at == decision.decided_at and not standing.exists():
            claim.released_at = claim.released_by = None
        else:
            undoing.left.append(claim)
            continue
        claim.save(update_fields=["released_at", "released_by"])
        undoing.changed[VoivodeshipClaim] += 1


State = Submission.State
Kind = Submission.Kind

REMOVED = Depot.Publication.REMOVED
CLOSED = (State.ACCEPTED, State.REJECTED, State.SUPERSEDED)


def undo_submissions(undoing: Undoing) -> None:
    """Reopen submissions that a decision closed. Eight statements. Prices are left to their own app."""
    closed = list(locking(_find_closed(undoing)).select_related("depot"))
    staying = dict.fromkeys(find_staying_submissions(undoing))
    again = [row for row in closed if row.confirmed_at is not None and row not in staying]
    undoing.left += staying
    _reopen_unconfirmed([row for row in closed if row.confirmed_at is None], undoing)
    for row in again:
        if row.kind == Kind.ADD:
            row.depot = None
        reopen(row)
    _return_to_separated([row for row in again if row.depot_id])
    store_reopened(again, undoing)


def _return_to_separated(rows: Sequence[Submission]) -> None:
    """Move submissions about a merged entry back to it, without saving, where that merge was undone after the decision.

    One stays where its author has the same waiting there. Three queries at most.
    """
    undone = Decision.objects.filter(kind=Decision.Kind.MERGE, undone_at__isnull=False)
    merges = undone.filter(details__survivor__in={row.depot_id for row in rows}).order_by("pk") if rows else ()
    details = [merge.details for merge in merges]
    homes = {(key, merge["survivor"]): merge["loser"] for merge in details for key in merge["open_submissions"]}
    depots = Depot.objects.published().in_bulk({*homes.values()}) if homes else {}
    waiting = Submission.objects.waiting().filter(depot__in=depots).exclude(kind=Kind.CORRECT)
    standing = set(waiting.values_list("depot", "kind", "subject", "email_hash")) if depots else set()
    for row in rows:
        home = depots.get(homes.get((row.pk, row.depot_id), 0))
        if home and (home.pk, row.kind, row.subject, row.email_hash) not in standing:
            row.depot = home


def _find_closed(undoing: Undoing) -> QuerySet[Submission]:
    return Submission.objects.filter(pk__in=undoing.keys(Submission), state__in=CLOSED)


def _reopen_unconfirmed(closed: Sequence[Submission], undoing: Undoing) -> None:
    """Let submissions be confirmed by the links of their authors that have not expired. At most one statement."""
    kept = find_kept(undoing)
    alive = [row.pk for row in closed if row.depot_id not in kept and undoing.on < link_ends(row)]
    if alive:
        rows = Submission.objects.filter(pk__in=alive, depot__publication=Depot.Publication.PUBLISHED)
        rows.update(state=State.UNCONFIRMED, decided_at=None)
        letters.send_soon()  # a link that was still to be sent


def find_staying_submissions(undoing: Undoing) -> list[Submission]:
    """Return the submissions that stay closed when a decision is undone, also before its depots are restored.

    One stays if its depot is in `undoing.left` or was removed since, if its author has sent the same anew, or if the
    author's data were erased. Three queries.
    """
    submissions = list(_find_closed(undoing).exclude(confirmed_at=None).select_related("depot").order_by("pk"))
    waiting = Submission.objects.waiting().exclude(kind=Kind.CORRECT)
    depots = [row.depot_id for row in submissions]
    columns = ("depot", "kind", "subject", "email_hash")
    standing = set(waiting.filter(Q(depot__in=depots) | Q(depot=None)).values_list(*columns))
    kept = find_kept(undoing)
    returning = set(_removed(undoing))
    staying = []
    for row in submissions:
        is_kept = row.depot_id in kept
        # An added depot is removed with the decision; that a removed one comes back is what a way back asks for.
        depot = None if row.kind == Kind.ADD and not is_kept else row.depot
        is_removed = depot is not None and depot.publication == REMOVED and depot.pk not in returning
        key = (depot and depot.pk, row.kind, row.subject, row.email_hash)
        if is_kept or (is_removed and row.kind != Kind.RESTORE) or row.erased_at is not None or key in standing:
            staying.append(row)
        elif row.kind != Kind.CORRECT:
            standing.add(key)
    return staying


def find_kept(undoing: Undoing) -> set[int | None]:
    """Return the depots that were left as they are, and the survivors of merged ones, which have their rows."""
    return {key for row in undoing.left if isinstance(row, Depot) for key in (row.pk, row.merged_into_id)} - {None}


def reopen(submission: Submission) -> None:
    """Let a submission wait again, without saving it; the author is told if a letter on a decision may have left."""
    if submission.state != State.PASSED_ON:
        submission.state, submission.decided_at, submission.decided_by = State.WAITING, None, None
        submission.reason, submission.accepted_fields, submission.expiry_letter_at = "", [], None
    submission.reopening_pending |= not submission.notification_pending or submission.letter_tried_at is not None
    submission.notification_pending = False


REOPENED_COLUMNS = (
    *("depot", "state", "decided_at", "decided_by", "reason", "accepted_fields"),
    *("proposed", "answered_at", "notification_pending", "reopening_pending", "expiry_letter_at"),
)


def store_reopened(submissions: list[Submission], undoing: Undoing) -> None:
    """Save reopened submissions and count them; the letters are sent after the commit. One statement."""
    Submission.objects.bulk_update(submissions, REOPENED_COLUMNS, batch_size=500)
    undoing.reopened += len(submissions)
    undoing.letters |= {row.email_hash for row in submissions if row.reopening_pending}
    if submissions:
        letters.send_soon()


def undo_owner_links(undoing: Undoing) -> None:
    """Revoke the link that an accepted claim granted, and bring those back that it replaced, one by one.

    Links of an entry that stays as it is stay, too: its claim is still accepted. The status of an owner goes with the
    link where a merge that was undone since had brought it.
    """
    at = undoing.decision.decided_at
    kept = find_kept(undoing)  # a link may stand at a depot between a merged one and the last survivor
    staying = Q(depot__in=kept) | Q(depot__merged_into__in=kept)
    rows = OwnerLink.objects.filter(pk__in=undoing.keys(OwnerLink)).exclude(staying)
    # Submissions and letters before links, as `letters` locks them. Who has been told since is no owner any more.
    since = Submission.objects.waiting().filter(depot__in=rows.values("depot"), owner_told_at__gte=at)
    objections.announce_again(since)
    undoing.changed[OwnerLink] += return_links(rows.filter(replaced_at=at, revoked_at=None), on=undoing.on)
    granted = list(locking(rows.filter(granted_at=at)))
    former = undoing.decision.details.get("replaced", {})  # of one whose own link had ended before, and ends again
    ending_again = [link for link in granted if str(link.pk) in former]
    for link in ending_again:
        OwnerLink.objects.filter(pk=link.pk).update(replaced_at=former[str(link.pk)])
    new = [link for link in granted if link not in ending_again]
    undoing.changed[OwnerLink] += revoke_links(new, on=undoing.on)
    separated = Decision.objects.filter(kind=Decision.Kind.MERGE, undone_at__isnull=False)
    for merge in separated.filter(details__survivor__in=[link.depot_id for link in new]).order_by("pk"):
        merging.return_status(merge, merge.details["survivor"], undoing.by, timezone.localdate(undoing.on))
