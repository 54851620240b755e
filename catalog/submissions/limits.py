"""Limits and locks: submissions per day by network, mailbox and depot, and letters per hour and mailbox.

Counted in the database, for all workers. Anybody can enter anybody's address and name any depot, so unconfirmed
submissions count against their network alone, and nobody can shut others out. Claims and deletions are counted apart
from the rest, so that other users of the same network cannot block an owner. The limit of letters counts all of them,
for an hour only, and delays the letter: the submission is accepted. Networks and mailboxes are counted by hashes, keyed
with the site's secret so that they cannot be guessed from a leaked table.

Rows are locked in one order, so that concurrent transactions wait and never deadlock: `wait_for_turn`, then depots by
number, then submissions by number. Inserting a submission or price locks its depot through the foreign key, so code
that inserts one locks the depot before any submission. So does the second UPDATE of a row within one transaction:
PostgreSQL checks the foreign key of a row version that the transaction itself has written.

Merging, the publishing of a depot, decisions about prices and the undoing of any decision take the turn `MERGING`:
which depots belong together, and so where their prices and owners' links are, then stays as it is while their rows are
locked.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b

from django.db import connection
from django.db.models import Count, Q
from django.utils.crypto import salted_hmac

from catalog.models import OwnerLink, Submission, Subscription
from catalog.services import Refusal
from fueldepot.http.caller_address import network_of

PER_NETWORK = 10
"""Unconfirmed submissions of one network."""

PER_MAILBOX = 10
"""Submissions of one mailbox: confirmed ones, and those of the same network.

Above nine, so that a price for each fuel may be sent separately.
"""

PER_DEPOT = 20
"""Confirmed submissions about one depot.

Claims and deletions have no such limit. Links sent before remain usable: an author with a link is never refused.
"""

PER_READER = 20
"""Confirmed subscriptions of one address."""

FARTHEST_KM = 30.0
"""Longest move of a depot by a correction, and longest distance of a new depot from its postcode; forms check them."""

COUNTED = (Submission, OwnerLink, Subscription)
"""Tables whose `letters_at` counts the letters to a mailbox."""

OWNERS_KINDS = (Submission.Kind.CLAIM, Submission.Kind.DELETE, Submission.Kind.RESTORE)

PERIOD = timedelta(days=1)

LETTERS_PER_MAILBOX = 3
"""Letters to one mailbox in `LETTERS_PERIOD`, whoever causes them: links, questions, decisions."""

LETTERS_PERIOD = timedelta(hours=1)

PAUSES = (timedelta(minutes=1), timedelta(minutes=5))
"""Pauses before the second letter of a submission, the third, and so on."""

LETTERS_PER_SUBMISSION = 1 + len(PAUSES)
"""Letters with a link per submission."""

LINK_HOURS = 48
"""Hours in which a letter's link confirms a submission or subscription. Afterwards it does not count."""

LINK_LIFE = timedelta(hours=LINK_HOURS)

MIN_FILL = timedelta(seconds=3)
"""Shortest time in which a person reads and fills in a form."""

FORM_LIFE = timedelta(hours=12)
"""A form left open for longer is shown again, with the entered values and the time of its first display."""

MERGING = "merging"

IPV6_SITE = 56
"""Prefix length of an IPv6 customer network: many customers get 256 /64 networks."""


class TooManyRequests(Refusal):
    """A limit is reached. Does not tell which one: that would reveal what others have sent.

    retry_at: latest time from which a retry is allowed; it takes the place of `{when}` in the reason.
    """

    status, title = 429, "Zbyt wiele zgłoszeń"
    reason = (
        "Przyszło już zbyt wiele zgłoszeń: z Twojej sieci, z tego adresu e-mail albo w sprawie tego wpisu. Spróbuj "
        "{when}. Niczego nie zapisaliśmy."
    )

    def __init__(self, retry_at: datetime, *args: object) -> None:
        super().__init__(*args)
        self.retry_at = retry_at


class LinkSentJustNow(TooManyRequests):
    """The pause since the last link of a submission is not over."""

    title = "Na następną wiadomość trzeba poczekać"
    reason = (
        "Odnośnik można wysłać jeszcze raz {when}. Do tego czasu sprawdź, czy wiadomość nie trafiła do folderu ze "
        "spamem."
    )
    onward, onward_label = "status", "Wróć do zgłoszenia"


def hash_mailbox(email: str) -> str:
    """Hash of a mailbox: ignores `+tag` and dots before the @.

    For counting only, not to identify authors: for some providers `jan.nowak` and `jannowak` are two mailboxes.
    """
    local, _, domain = email.strip().lower().rpartition("@")
    name = local.partition("+")[0].replace(".", "") or local
    mailbox = f"{name}@{'gmail.com' if domain == 'googlemail.com' else domain}"
    return salted_hmac("catalog.request.mailbox", mailbox, algorithm="sha256").hexdigest()


def hash_client(address: str) -> str:
    """Hash of a network address; of an IPv6 address its customer network."""
    network = network_of(address, IPV6_SITE)
    return salted_hmac("catalog.request.client", network, algorithm="sha256").hexdigest()


def wait_for_turn(*hashes: str) -> None:
    """Serialise transactions of the same networks, mailboxes or work. Call it before any row lock. One query."""
    with connection.cursor() as cursor:
        # Each a bigint of PostgreSQL; in one order, so that transactions never deadlock.
        digests = (blake2b(text.encode(), digest_size=8).digest() for text in hashes)
        keys = sorted(int.from_bytes(digest, signed=True) for digest in digests)
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])


def check_submission(submission: Submission, *, on: datetime) -> None:
    """Raise TooManyRequests unless one more is allowed. Exact after `wait_for_turn`. One query."""
    of_client, of_mailbox = Q(client_hash=submission.client_hash), Q(mailbox_hash=submission.mailbox_hash)
    of_depot = Q(depot=submission.depot_id, depot__isnull=False)
    is_confirmed = Q(confirmed_at__isnull=False)
    is_owners = submission.kind in OWNERS_KINDS
    recent = Submission.objects.filter(of_client | of_mailbox | of_depot, created_at__gt=on - PERIOD)
    counts = recent.filter(Q(kind__in=OWNERS_KINDS) if is_owners else ~Q(kind__in=OWNERS_KINDS)).aggregate(
        client=Count("pk", filter=of_client & ~is_confirmed),
        mailbox=Count("pk", filter=of_mailbox & (is_confirmed | of_client)),
        depot=Count("pk", filter=of_depot & is_confirmed),
    )
    is_depot_full = counts["depot"] >= PER_DEPOT and not is_owners
    if counts["client"] >= PER_NETWORK or counts["mailbox"] >= PER_MAILBOX or is_depot_full:
        raise TooManyRequests(on + PERIOD)


def mailbox_free_at(mailbox: str, on: datetime) -> datetime | None:
    """Return when a mailbox may get another letter, None for now. One query."""
    sent = recent_letters([mailbox], on).get(mailbox, [])
    return sent[-LETTERS_PER_MAILBOX] + LETTERS_PERIOD if len(sent) >= LETTERS_PER_MAILBOX else None


def recent_letters(mailboxes: Collection[str], on: datetime) -> dict[str, list[datetime]]:
    """Return when letters of the last `LETTERS_PERIOD` were sent, oldest first, by mailbox. At most one query."""
    counted = (model._default_manager.filter(mailbox_hash__in=mailboxes) for model in COUNTED)
    first, *others = (rows.values_list("mailbox_hash", "letters_at") for rows in counted)
    sent: dict[str, list[datetime]] = {}
    for mailbox, moments in first.union(*others, all=True):
        sent.setdefault(mailbox, []).extend(moment for moment in moments if moment > on - LETTERS_PERIOD)
    return {mailbox: sorted(moments) for mailbox, moments in sent.items()}


def next_letter_at(letters_at: Sequence[datetime]) -> datetime | None:
    """Return from when the link of a submission may be sent again; None if no letter was sent."""
    if not letters_at:
        return None
    return letters_at[-1] + PAUSES[min(len(letters_at), len(PAUSES)) - 1]
