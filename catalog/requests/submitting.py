"""From a stranger's form to a request that counts: taken in, its link sent, confirmed by whoever reads that address."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Func, Q, Value

from catalog.actions import DepotIsRemoved
from catalog.actions.states import locked
from catalog.models import Depot, DepotRequest, DepotRequestQuerySet
from catalog.requests import letters, limits, proposals, secrecy
from catalog.requests.locking import lock_requests
from catalog.requests.proposals import Values
from catalog.text import fold

REPEAT = timedelta(minutes=10)
"""The same form sent again within this time is a second click."""

SAID = ("proposed", "message", "claimant_role", "claimant_nip", "claimant_phone")
"""What an author says in a request."""

State = DepotRequest.State
Kind = DepotRequest.Kind


class DepotIsHeld(Exception):
    """The depot waits for an editor itself; the public cannot see it."""


class NothingChanged(Exception):
    """What is proposed is what the catalog says already."""


class LinkAlreadyUsed(Exception):
    """The request was confirmed before."""


class LinkSuperseded(Exception):
    """A newer link or a newer request has taken the place of this one."""


class LinkForgotten(Exception):
    """The link is good, but its request was erased."""


class LinksSpent(Exception):
    """The link of a request was sent as often as it may be."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who sends a request. client: their network address."""

    email: str
    client: str
    role: str = ""
    nip: str = ""
    phone: str = ""
    message: str = ""


@transaction.atomic
def submit_request(
    *, kind: Kind, depot: Depot | None, proposed: Values, subject: str = "", author: Author, on: datetime
) -> DepotRequest:
    """Take a request in and send its author the link that makes it count.

    proposed: for a correction and a new depot the wanted values, else what the kind needs. An unconfirmed request of
    the same author and network about the same is superseded, or returned, without another letter, where it says the
    same and is not older than `REPEAT`. One that waits stays, see `confirm_request`; so does one of another network,
    since anybody may know the address.
    Raises DepotIsRemoved, DepotIsHeld, NothingChanged, TooManyRequests.
    """
    email_hash, client_hash = secrecy.hash_email(author.email), secrecy.hash_client(author.client)
    mailbox_hash = secrecy.hash_mailbox(author.email)
    limits.wait_for_turn(client_hash, mailbox_hash)
    stored: dict[str, Any] = {}
    if depot is not None:
        depot = locked(depot)
        check_published(depot)
    if kind == Kind.CORRECT and depot is not None:
        known = proposals.values_of(depot)
        proposed = proposals.changes(known, proposed)
        if not proposed:
            raise NothingChanged(depot.pk)
        stored = {name: known[name] for name in proposed}
    if kind == Kind.ADD:
        subject = f"{fold(proposed['name'])} | {fold(proposed['place'])}"
    request = DepotRequest(
        depot=depot,
        kind=kind,
        subject=subject,
        proposed=dict(proposed),
        stored=stored,
        message=author.message,
        email=author.email,
        email_hash=email_hash,
        claimant_role=author.role,
        claimant_nip=author.nip,
        claimant_phone=author.phone,
        client_hash=client_hash,
        created_at=on,
    )
    earlier = _of_same_author(request).filter(state=State.UNCONFIRMED, client_hash=client_hash)
    repeated = _saying_same(earlier, request).filter(created_at__gt=on - REPEAT).first()
    if repeated is not None:
        return repeated
    limits.check_requests(limits.Counted(client_hash, mailbox_hash, request.depot_id), on)
    limits.check_links(mailbox_hash, on)
    earlier.update(state=State.SUPERSEDED, decided_at=on)
    request.save()
    _send_link(request, on)
    return request


@transaction.atomic
def resend_link(*, request: DepotRequest, on: datetime) -> DepotRequest:
    """Send a new link; the one before stops working.

    Raises LinkAlreadyUsed, LinkSuperseded, LinksSpent, and TooManyRequests before the pause is over or while the
    mailbox has had its letters.
    """
    mailbox_hash = secrecy.hash_mailbox(request.email)
    limits.wait_for_turn(mailbox_hash)
    stored = DepotRequest.objects.select_for_update(of=("self",)).select_related("depot").get(pk=request.pk)
    _check_unconfirmed(stored)
    if stored.mails_sent >= limits.LINKS_PER_REQUEST:
        raise LinksSpent(stored.pk)
    limits.check_pause(stored.links_at, on)
    limits.check_links(mailbox_hash, on)
    _send_link(stored, on)
    return stored


def get_confirmable(*, token: str, on: datetime) -> DepotRequest:
    """The request that a link would confirm, with its depot. Two queries.

    Raises LinkUnreadable, LinkExpired, LinkForgotten, LinkAlreadyUsed, LinkSuperseded, DepotIsRemoved, DepotIsHeld.
    """
    return _confirmable(token, on)


@transaction.atomic
def confirm_request(*, token: str, on: datetime) -> DepotRequest:
    """Make a request count: it waits for an editor from now on, or, a price, is passed on by the caller.

    A request of its author that waits and wants the same is superseded: of claims, deletions and new depots any about
    the same, of corrections one that says the same. Other corrections wait beside each other.
    Raises what `get_confirmable` raises.
    """
    found = _confirmable(token, on)
    if found.depot is not None:
        locked(found.depot)
        # Whoever had the lock before may have merged the entry into another, and the request is that one's now.
        found = _confirmable(token, on)
    else:
        limits.wait_for_turn(found.email_hash)  # no row to lock that two links of one author share
    waiting = _of_same_author(found).waiting()
    if found.kind == Kind.CORRECT:
        waiting = _saying_same(waiting, found)
    lock_requests(DepotRequest.objects.filter(Q(pk=found.pk) | Q(pk__in=waiting)))
    # Once more: whoever had its lock before may have confirmed it, or sent another link.
    request = _confirmable(token, on)
    waiting.update(state=State.SUPERSEDED, decided_at=on)
    request.confirmed_at = on
    if request.kind == Kind.PRICE:
        request.state, request.decided_at = State.PASSED_ON, on
    else:
        request.state = State.WAITING
    request.save()
    return request


def check_published(depot: Depot) -> None:
    """Raises DepotIsRemoved or DepotIsHeld unless the public sees the entry."""
    if depot.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(depot.pk)
    if depot.publication == Depot.Publication.HELD:
        raise DepotIsHeld(depot.pk)


def _send_link(request: DepotRequest, on: datetime) -> None:
    """Make a new link, keep its hash, and send it on commit. `mailed_at` says whether it has left."""
    token, request.token_hash = secrecy.new_token(request.pk, on)
    request.mails_sent += 1
    request.mailed_at = None
    # Counted before it leaves, so that nobody gets another one while the mail server takes its time. The hash may have
    # been erased since the letter before.
    request.links_at = [*request.links_at, on]
    request.mailbox_hash = secrecy.hash_mailbox(request.email)
    request.save(update_fields=["token_hash", "mails_sent", "mailed_at", "links_at", "mailbox_hash"])

    def send() -> None:
        if letters.send([letters.link_letter(request, token)]):
            without = Func(F("links_at"), Value(on), function="array_remove")
            DepotRequest.objects.filter(pk=request.pk).update(links_at=without)
        else:
            request.mailed_at = on
            request.save(update_fields=["mailed_at"])

    transaction.on_commit(send)


def _of_same_author(request: DepotRequest) -> DepotRequestQuerySet:
    """Requests of the same author, entry, kind and subject."""
    return DepotRequest.objects.filter(
        depot=request.depot, kind=request.kind, subject=request.subject, email_hash=request.email_hash
    )


def _saying_same(requests: DepotRequestQuerySet, request: DepotRequest) -> DepotRequestQuerySet:
    """Those of some requests that say what this one says."""
    return requests.filter(**{name: getattr(request, name) for name in SAID})


def _confirmable(token: str, on: datetime) -> DepotRequest:
    link = secrecy.read_token(token, on)
    request = DepotRequest.objects.select_related("depot").filter(pk=link.request_id).first()
    if request is None:
        raise LinkForgotten(link.request_id)
    _check_unconfirmed(request)
    if not secrecy.is_token(token, request.token_hash):
        raise LinkSuperseded(request.pk)
    if request.depot is not None:
        check_published(request.depot)
    return request


def _check_unconfirmed(request: DepotRequest) -> None:
    """Raises LinkAlreadyUsed and LinkSuperseded."""
    if request.confirmed_at is not None:
        raise LinkAlreadyUsed(request.pk)
    if request.state != State.UNCONFIRMED:
        raise LinkSuperseded(request.pk)
