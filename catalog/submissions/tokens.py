"""Keyed hashes of addresses, and signed links.

Hashes are keyed with the site's secret, so that addresses cannot be guessed from a leaked table. Links are stored as
hashes only, so that a leaked table confirms nothing.
"""

import ipaddress
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

from catalog.services import Refusal

LINK_LIFE = timedelta(hours=48)

_LINK_SALT = "catalog.request.link"
_STATUS_SALT = "catalog.request.status"
_OWNER_SALT = "catalog.owner.link"
_QUESTION_SALT = "catalog.request.question"
_OBJECTION_SALT = "catalog.request.objection"
_CHANGE_SALT = "catalog.owner.change"
_RESTORE_SALT = "catalog.request.restore"
_SUBSCRIPTION_SALT = "catalog.subscription.link"
_READER_SALT = "catalog.subscription.reader"
_IPV6_SITE = 56
"""Prefix length of an IPv6 customer network: many customers get 256 /64 networks."""


class InvalidToken(Refusal):
    """The token is truncated, mistyped or forged."""

    status, title = 404, "Odnośnik jest niepełny"
    reason = "Skopiuj go z wiadomości w całości: czasem dzieli się na dwa wiersze."


class LinkExpired(Refusal):
    """The token is valid but older than `LINK_LIFE`."""

    status, title = 410, "Odnośnik wygasł"
    reason = (
        f"Działał {LINK_LIFE // timedelta(hours=1)} godzin. Zgłoszenie się nie liczy, ale możesz wysłać je jeszcze raz."
    )
    onward, onward_label = "form", "Wypełnij formularz jeszcze raz"


@dataclass(frozen=True, slots=True)
class SubmissionLink:
    """Content of a link: submission and expiry."""

    submission_id: int
    until: datetime


def hash_email(email: str) -> str:
    """Hash of an address, ignoring case."""
    return salted_hmac("catalog.request.email", email.strip().lower(), algorithm="sha256").hexdigest()


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
    try:
        ip = ipaddress.ip_address(address.strip())
    except ValueError:
        named = address
    else:
        mapped = getattr(ip, "ipv4_mapped", None)
        ip = mapped or ip
        named = str(ip if ip.version == 4 else ipaddress.ip_network((ip, _IPV6_SITE), strict=False))
    return salted_hmac("catalog.request.client", named, algorithm="sha256").hexdigest()


def new_token(submission_id: int, on: datetime) -> tuple[str, str]:
    """Return a new token and its hash."""
    until = int((on + LINK_LIFE).timestamp())
    token = signing.dumps({"r": submission_id, "u": until, "k": secrets.token_urlsafe(12)}, salt=_LINK_SALT)
    return token, hash_token(token)


def read_token(token: str, on: datetime) -> SubmissionLink:
    """Parse a token. Raises InvalidToken and LinkExpired. Does not know whether it was used."""
    try:
        content = signing.loads(token, salt=_LINK_SALT)
    except signing.BadSignature:
        raise InvalidToken from None
    link = SubmissionLink(content["r"], datetime.fromtimestamp(content["u"], UTC))
    if link.until <= on:
        raise LinkExpired(link.submission_id)
    return link


def status_reference(submission_id: int) -> str:
    """Return the signed id of a submission for the URL of its page, so that ids cannot be guessed."""
    return signing.Signer(salt=_STATUS_SALT).sign_object(submission_id)


def read_status_reference(reference: str) -> int | None:
    """Return the id of a submission, None for an invalid signature."""
    try:
        return int(signing.Signer(salt=_STATUS_SALT).unsign_object(reference))
    except signing.BadSignature:
        return None


def question_token(question_id: int) -> str:
    """Return the signed token of the page that answers a question."""
    return signing.Signer(salt=_QUESTION_SALT).sign_object(question_id)


def read_question_token(token: str) -> int:
    """Return the id of a question. Raises InvalidToken."""
    try:
        return int(signing.Signer(salt=_QUESTION_SALT).unsign_object(token))
    except signing.BadSignature:
        raise InvalidToken from None


def owner_token(link_id: int, serial: int) -> str:
    """Return the token of an owner's link."""
    return signing.Signer(salt=_OWNER_SALT).sign_object([link_id, serial])


def read_owner_token(token: str) -> tuple[int, int]:
    """Return id and serial of an owner's link. Raises InvalidToken."""
    try:
        link_id, serial = signing.Signer(salt=_OWNER_SALT).unsign_object(token)
    except signing.BadSignature:
        raise InvalidToken from None
    return link_id, serial


def objection_token(claim_id: int, link_id: int) -> str:
    """Return the token by which the owner with a link objects to a claim."""
    return signing.Signer(salt=_OBJECTION_SALT).sign_object([claim_id, link_id])


def read_objection_token(token: str) -> tuple[int, int]:
    """Return the ids of a claim and of the owner's link. Raises InvalidToken."""
    try:
        claim_id, link_id = signing.Signer(salt=_OBJECTION_SALT).unsign_object(token)
    except signing.BadSignature:
        raise InvalidToken from None
    return claim_id, link_id


def change_token(link_id: int, decision_id: int) -> str:
    """Return the token by which the owner with a link undoes a change or a later one."""
    return signing.Signer(salt=_CHANGE_SALT).sign_object([link_id, decision_id])


def read_change_token(token: str) -> tuple[int, int]:
    """Return the ids of an owner's link and of a decision. Raises InvalidToken."""
    try:
        link_id, decision_id = signing.Signer(salt=_CHANGE_SALT).unsign_object(token)
    except signing.BadSignature:
        raise InvalidToken from None
    return link_id, decision_id


def restore_token(deletion_id: int) -> str:
    """Return the token by which the author of an accepted deletion asks for the entry back."""
    return signing.Signer(salt=_RESTORE_SALT).sign_object(deletion_id)


def read_restore_token(token: str) -> int:
    """Return the id of a deletion. Raises InvalidToken."""
    try:
        return int(signing.Signer(salt=_RESTORE_SALT).unsign_object(token))
    except signing.BadSignature:
        raise InvalidToken from None


def subscription_token(subscription_id: int) -> str:
    """Return the token that confirms a subscription, valid for `LINK_LIFE`."""
    return signing.dumps(subscription_id, salt=_SUBSCRIPTION_SALT)


def read_subscription_token(token: str) -> int:
    """Return the id of a subscription. Raises InvalidToken, also for one that has expired."""
    try:
        return int(signing.loads(token, salt=_SUBSCRIPTION_SALT, max_age=LINK_LIFE))
    except signing.BadSignature:
        raise InvalidToken from None


def reader_token(email_hash: str) -> str:
    """Return the token of the page on which a reader changes or ends all letters to one address."""
    return signing.Signer(salt=_READER_SALT).sign_object(email_hash)


def read_reader_token(token: str) -> str:
    """Return the hash of a reader's address. Raises InvalidToken."""
    try:
        return str(signing.Signer(salt=_READER_SALT).unsign_object(token))
    except signing.BadSignature:
        raise InvalidToken from None


def hash_token(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def is_token(token: str, kept: str) -> bool:
    """Whether a stored hash is this token's."""
    return constant_time_compare(hash_token(token), kept)
