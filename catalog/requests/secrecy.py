"""Keyed hashes of addresses, and the links that confirm a request.

Hashes are keyed with the site's secret, so that whoever sees the table cannot try addresses against it. Of a link the
table holds a hash only, so that whoever sees the table cannot confirm anything either.
"""

import ipaddress
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

LINK_LIFE = timedelta(hours=48)

_LINK_SALT = "catalog.request.link"
_IPV6_SITE = 56
"""Bits of an IPv6 address that name a customer; the rest they choose themselves: many are given 256 networks."""


class LinkUnreadable(Exception):
    """The text is no link of ours: cut off, mistyped or invented."""


class LinkExpired(Exception):
    """The link is ours and older than `LINK_LIFE`."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a link says: which request, and until when it may be opened."""

    request_id: int
    until: datetime


def hash_email(email: str) -> str:
    """A hash that equal addresses share, whatever the case of their letters."""
    return salted_hmac("catalog.request.email", email.strip().lower(), algorithm="sha256").hexdigest()


def hash_mailbox(email: str) -> str:
    """A hash that addresses share which may lead to one mailbox: `+tag` and dots before the @ make no new one.

    To count, never to tell authors apart: some providers do tell `jan.nowak` and `jannowak` apart.
    """
    local, _, domain = email.strip().lower().rpartition("@")
    name = local.partition("+")[0].replace(".", "") or local
    mailbox = f"{name}@{'gmail.com' if domain == 'googlemail.com' else domain}"
    return salted_hmac("catalog.request.mailbox", mailbox, algorithm="sha256").hexdigest()


def hash_client(address: str) -> str:
    """A hash of a network address; of an IPv6 address its first 56 bits, which are one customer's."""
    try:
        ip = ipaddress.ip_address(address.strip())
    except ValueError:
        named = address
    else:
        mapped = getattr(ip, "ipv4_mapped", None)
        ip = mapped or ip
        named = str(ip if ip.version == 4 else ipaddress.ip_network((ip, _IPV6_SITE), strict=False))
    return salted_hmac("catalog.request.client", named, algorithm="sha256").hexdigest()


def new_token(request_id: int, on: datetime) -> tuple[str, str]:
    """A link's text, and the hash of it to keep."""
    until = int((on + LINK_LIFE).timestamp())
    token = signing.dumps({"r": request_id, "u": until, "k": secrets.token_urlsafe(12)}, salt=_LINK_SALT)
    return token, hash_token(token)


def read_token(token: str, on: datetime) -> Link:
    """What a link says. Raises LinkUnreadable and LinkExpired; whether it was used only the table knows."""
    try:
        said = signing.loads(token, salt=_LINK_SALT)
    except signing.BadSignature:
        raise LinkUnreadable from None
    link = Link(said["r"], datetime.fromtimestamp(said["u"], UTC))
    if link.until <= on:
        raise LinkExpired(link.request_id)
    return link


def hash_token(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def is_token(token: str, kept: str) -> bool:
    """Whether a kept hash is this link's."""
    return constant_time_compare(hash_token(token), kept)
