"""Merging two entries of one depot with the rows that follow it, and back, or marking them as distinct."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Decision, DecisionLine, Depot, NotDuplicate, OwnerLink, Submission
from catalog.services import Refusal, journal
from catalog.services.moderation import DepotIsErased, DepotIsRemoved, locked, save, set_removed, with_note
from catalog.submissions import limits, objections, owner_links
from fueldepot.data import history
from fueldepot.data.history import lock_rows, locking


@dataclass(frozen=True, slots=True)
class Follower:
    """How the rows of one kind follow a depot.

    name: key in the record of the merge. label: Polish name of the rows. move(loser, survivor, editor, day): returns
    the ids of the moved rows. bring_back(ids, depots, depot, editor, day): moves rows, now at one of the depots, back
    to `depot`. count(depot ids): number of related rows. erased: called in the transaction that has erased the
    demonstration depots and their rows, to bump versions.
    """

    name: str
    label: str
    move: Callable[[int, int, AbstractBaseUser, date], list[int]]
    bring_back: Callable[[Collection[int], Collection[int], int, AbstractBaseUser | None, date], None]
    count: Callable[[Collection[int]], int]
    erased: Callable[[], None] = lambda: None


FOLLOWERS: list[Follower] = []
"""Handlers of rows that follow a depot when it is merged, restored or erased, as `AppConfig.ready` adds them:

- `owner_links` (`catalog/apps.py`): permanent links of owners, `catalog/submissions/owner_links.py`
- `prices` (`prices/apps.py`): prices with their decisions, `prices/services.py`

Submissions follow without a handler (`move_submissions`). Rows of erased depots need none either:
`publishing.erase_demonstration` finds their tables by their relations.
"""


@transaction.atomic
def merge_depots(
    *, survivor: Depot, loser: Depot, take: Collection[str], by: AbstractBaseUser, on: date, unite_fuels: bool = False
) -> Decision | None:
    """Merge two depots. Returns the decision, None within another one.

    take: names of `Depot.PUBLIC_FIELDS` whose values the survivor takes from the loser; they count as confirmed.
    unite_fuels: the survivor gets the fuels of both, which count as confirmed.

    The loser becomes a removed duplicate that refers to the survivor, so its source id stays known and no import
    restores it. If the loser was confirmed by its owner, the survivor is from then on. Submissions and the rows of
    `FOLLOWERS` move to the survivor, the latter except those that have an equal one there. The moved rows are recorded,
    and move back if the loser is published again. Published prices bring their fuels along. Histories stay with their
    depots.

    Raises what `locked_pair` raises, and ValueError for a name that is not in `Depot.PUBLIC_FIELDS`.
    """
    taken = sorted(Depot.stated({*take, "fuels"} if unite_fuels else take), key=Depot.PUBLIC_FIELDS.index)
    limits.wait_for_turn(limits.MERGING)
    kept, gone = locked_pair(survivor, loser)
    title, now = f"Scalono: {gone.name} z wpisem {kept}", timezone.now()
    united = fuels.in_order({*kept.fuels, *gone.fuels})
    for name in taken:
        column = Depot.column(name)
        setattr(kept, column, getattr(gone, column))
    if unite_fuels:
        kept.fuels = list(united)
    kept.confirm(taken)
    inherits = gone.data_status == Depot.DataStatus.OWNER and kept.data_status != Depot.DataStatus.OWNER
    if inherits:
        kept.data_status, kept.verified_at = gone.data_status, gone.verified_at
        kept.verified_by_id = gone.verified_by_id
    if taken or inherits:
        kept.updated_at = on
    set_removed(gone, Depot.RemovalReason.DUPLICATE, on=on)
    gone.merged_into = kept
    former = list(Depot.objects.filter(merged_into=gone).values_list("pk", flat=True))
    merged, labels = f"scalono z wpisem {kept.pk}", ", ".join(Depot.label(name) for name in taken)
    with journal.recording(Decision.Kind.MERGE, by=by, on=now, title=title) as record:
        save(gone, by=by, reason=merged)
        Depot.objects.filter(pk__in=former).update(merged_into=kept)
        history.record_bulk(Depot, former, by=by, reason=merged)
        save(kept, by=by, reason=with_note(f"wchłonięto wpis {gone.pk}", labels))
        opened, closed = move_submissions(Submission.objects.filter(depot=gone), kept, now)
        superseded = Submission.objects.filter(pk__in=closed, decided_at=now)
        record.concern(Submission, superseded.values_list("pk", flat=True))
        if inherits:  # the status would let ended links work again
            owner_links.revoke_links(OwnerLink.objects.filter(depot=kept), on=now)
        if gone.data_status == Depot.DataStatus.OWNER:  # of two owners each has been told of claims of one entry
            objections.announce_again(Submission.objects.waiting().filter(depot=kept))
        record.details |= {
            "loser": gone.pk,
            "survivor": kept.pk,
            "absorbed": former,
            "open_submissions": opened,
            "closed_submissions": closed,
            "followers": {follower.name: follower.move(gone.pk, kept.pk, by, on) for follower in FOLLOWERS},
        }
    return record.decision


def locked_pair(survivor: Depot, loser: Depot) -> tuple[Depot, Depot]:
    """Return both rows, locked with those that the loser absorbed before.

    Raises DepotIsErased, DepotIsRemoved, and Refusal for a demonstration and a real depot, or a withheld survivor of a
    published loser.
    """
    lock_rows(Depot.objects.filter(Q(pk__in=[survivor.pk, loser.pk]) | Q(merged_into=loser)))
    kept, gone = locked(survivor), locked(loser)
    for row in (kept, gone):
        if row.publication == Depot.Publication.REMOVED:
            raise DepotIsRemoved(row.pk, reason="jeden z wpisów jest już usunięty")
    if (kept.source == Depot.Source.DEMO) != (gone.source == Depot.Source.DEMO):
        raise Refusal(reason="wpisu demonstracyjnego nie można scalić z prawdziwym")
    if (kept.publication, gone.publication) == (Depot.Publication.HELD, Depot.Publication.PUBLISHED):
        why = f"wpis {kept.pk} jest wstrzymany, więc z katalogu zniknęłyby oba; najpierw go opublikuj"
        raise Refusal(reason=f"{why} albo zostaw wpis {gone.pk}")
    return kept, gone


def move_submissions(submissions: QuerySet[Submission], kept: Depot, on: datetime) -> tuple[list[int], list[int]]:
    """Move submissions, closed ones too. A waiting one is superseded where its author has an equal one waiting there.

    Corrections accumulate: none equals another.

    Returns the ids of moved submissions: open ones, closed ones.
    """
    key = ("kind", "subject", "email_hash", "state")
    unique = Submission.objects.waiting().exclude(kind=Submission.Kind.CORRECT)
    standing = set(unique.filter(depot=kept).values_list(*key))
    rows = {pk: tuple(row) for pk, *row in locking(submissions).values_list("pk", *key)}
    superseded = [pk for pk, row in rows.items() if row in standing]
    Submission.objects.filter(pk__in=superseded).update(state=Submission.State.SUPERSEDED, decided_at=on)
    Submission.objects.filter(pk__in=rows).update(depot=kept)
    opened = [pk for pk, (*_, state) in rows.items() if state in Submission.OPEN and pk not in superseded]
    return opened, [pk for pk in rows if pk not in opened]


def find_merge(depot: Depot) -> Decision | None:
    """Return the decision that merged a depot into another, None if it was not recorded. One query."""
    return Decision.objects.filter(is_merge_of(depot)).order_by("-pk").first()


def is_merge_of(depot: Depot) -> Q:
    return Q(kind=Decision.Kind.MERGE, undone_at=None, details__loser=depot.pk)


def bring_back(depot: Depot, survivor: int, by: AbstractBaseUser | None, on: date) -> None:
    """Move back the rows that moved to the survivor of a merge, as far as they still exist.

    Submissions that an editor has decided since stay with the survivor, as do field values that it took over, but not
    the status of an owner. Submissions that a merge closed wait again. Prices move back with their decisions and fuels,
    since they were paid at this depot. Nothing moves back if the merge was not recorded.
    """
    merge = find_merge(depot)
    if merge is None:
        return
    moved = merge.details
    # The survivor may have been merged itself since; equal rows stayed at depots in between.
    heirs = [survivor, *Depot.objects.filter(merged_into=survivor).values_list("pk", flat=True)]
    followed = Submission.objects.filter(depot__in=heirs)
    undecided = followed.filter(pk__in=moved["open_submissions"]).exclude(decided_by__isnull=False)
    now = timezone.now()
    _, closed = move_submissions(followed.filter(pk__in=moved["closed_submissions"]) | undecided, depot, now)
    _let_wait_again(closed, merge, depot)
    absorbed = Depot.objects.filter(pk__in=moved["absorbed"], merged_into=survivor).order_by("pk")
    former = list(absorbed.values_list("pk", flat=True))
    Depot.objects.filter(pk__in=former).update(merged_into=depot)
    history.record_bulk(Depot, former, by=by, reason=f"wrócono do wpisu {depot.pk}")
    for follower in FOLLOWERS:
        follower.bring_back(moved["followers"].get(follower.name, []), heirs, depot.pk, by, on)
    return_status(merge, survivor, by, on)
    Decision.objects.filter(pk=merge.pk).update(undone_at=now, undone_by=by)


def _let_wait_again(closed: Collection[int], merge: Decision, depot: Depot) -> None:
    """Reopen submissions of a restored depot that its merge closed, or since then one of its survivor.

    Of equal ones the newest, unless another waits.
    """
    key = ("kind", "subject", "email_hash")
    later = Exists(Decision.objects.filter(kind=Decision.Kind.MERGE, decided_at=OuterRef("decided_at")))
    by_merge = Q(decided_at=merge.decided_at) | Q(later, pk__in=merge.details["open_submissions"])
    rows = Submission.objects.filter(by_merge, pk__in=closed, state=Submission.State.SUPERSEDED, erased_at=None)
    standing = Submission.objects.waiting().filter(depot=depot, **{name: OuterRef(name) for name in key})
    newest = rows.exclude(Exists(standing)).order_by(*key, "-confirmed_at").distinct(*key)
    again = {"state": Submission.State.WAITING, "decided_at": None, "expiry_letter_at": None}
    Submission.objects.filter(pk__in=newest.values("pk")).update(**again)


def return_status(merge: Decision, survivor: int, by: AbstractBaseUser | None, on: date) -> None:
    """Take from a survivor the status of an owner that a merge gave it, unless it has an owner itself.

    What an editor has checked since stays checked.
    """
    kept = Depot.objects.get(pk=survivor)
    line = merge.lines.filter(model=Depot._meta.label_lower, key=str(survivor)).first()
    has_owner = OwnerLink.objects.working().filter(depot=survivor).exists()
    if kept.data_status != Depot.DataStatus.OWNER or line is None or has_owner:
        return
    former = Depot.history.filter(id=survivor, history_id__lt=line.first).order_by("-history_id").first()
    if former is None or former.data_status == Depot.DataStatus.OWNER:
        return
    later = DecisionLine.objects.filter(model=line.model, key=line.key, first__gt=line.first)
    if later.filter(vouches__contains=["verified_at"]).exists():
        kept.data_status = Depot.DataStatus.VERIFIED
    else:
        kept.data_status, kept.verified_at = former.data_status, former.verified_at
        kept.verified_by_id = former.verified_by_id
    kept.updated_at = on
    save(kept, by=by, reason=f"wpis {merge.details['loser']} ma znów swojego właściciela")


@transaction.atomic
def mark_distinct(*, one: Depot, other: Depot, by: AbstractBaseUser, at: datetime) -> Decision | None:
    """Mark two depots as distinct. Returns the decision, None if they are marked already.

    Raises DepotIsErased.
    """
    first, second = sorted((one.pk, other.pk))
    if len(lock_rows(Depot.objects.filter(pk__in=[first, second]), no_key=True)) < 2:
        raise DepotIsErased
    pair, is_new = NotDuplicate.objects.get_or_create(
        first_id=first, second_id=second, defaults={"decided_by_id": by.pk, "decided_at": at}
    )
    if not is_new:
        return None
    title = f"To różne składy: {one.name} i {other.name}"
    with journal.recording(Decision.Kind.DISTINCT, by=by, on=at, title=title) as record:
        record.concern(NotDuplicate, [pair.pk])
        record.concern(Depot, [first, second])
    return record.decision
