"""Keyed hashes of addresses, and signed links.

Hashes are keyed with the site's secret, so that addresses cannot be guessed from a leaked table. Links are stored as
hashes only, so that a leaked table confirms nothing.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.core import signing
from django.urls import reverse
from django.utils.crypto import salted_hmac

from catalog.services import Refusal
from catalog.submissions.limits import LINK_HOURS, LINK_LIFE, hash_mailbox
from fueldepot.http.links import site_url

_LINK_SALT = "catalog.request.link"


class InvalidToken(Refusal):
    status, title = 404, "Odnośnik jest niepełny"
    reason = "Skopiuj go z wiadomości w całości: czasem dzieli się na dwa wiersze."


class LinkExpired(Refusal):
    status, title = 410, "Odnośnik wygasł"
    reason = f"Działał {LINK_HOURS} godzin. Zgłoszenie się nie liczy, ale możesz wysłać je jeszcze raz."
    onward, onward_label = "form", "Wypełnij formularz jeszcze raz"


@dataclass(frozen=True, slots=True)
class SignedLink:
    """A link to one page, whose token is signed and holds JSON. parameter: of the query, which no log keeps."""

    salt: str
    route: str
    parameter: str = "znak"
    life: timedelta | None = None

    @property
    def signer(self) -> Any:
        return signing.TimestampSigner(salt=self.salt) if self.life else signing.Signer(salt=self.salt)

    def token(self, content: Any) -> str:
        return str(self.signer.sign_object(content))

    def path_of(self, token: str) -> str:
        return f"{reverse(self.route)}?{self.parameter}={token}"

    def path(self, content: Any) -> str:
        return self.path_of(self.token(content))

    def url(self, content: Any) -> str:
        return site_url(self.path(content))

    def read(self, token: str, refusal: Refusal | None = None) -> Any:
        """Return the content of a token. Raises the refusal, or InvalidToken, also for one older than `life`."""
        try:
            return self.signer.unsign_object(token, **({"max_age": self.life} if self.life else {}))
        except signing.BadSignature:
            raise refusal or InvalidToken() from None


STATUS = SignedLink("catalog.request.status", "submission-status")
"""The page of a visit. Content: the id of its first submission, signed so that ids cannot be guessed."""

QUESTION = SignedLink("catalog.request.question", "submission-answer")
"""The page that answers a question. Content: its id."""

RESTORE = SignedLink("catalog.request.restore", "submission-restore")
"""By which the author of an accepted deletion asks for the entry back. Content: id of the deletion."""

OWNER = SignedLink("catalog.owner.link", "owner", "odnosnik")
"""An owner's link. Content: its id and serial."""

CHANGE = SignedLink("catalog.owner.change", "owner-undo")
"""By which the owner undoes a change or a later one. Content: ids of the owner's link and of the decision."""

OBJECTION = SignedLink("catalog.request.objection", "owner-object")
"""By which an owner objects to a claim. Content: ids of the claim and of the owner's link."""

SUBSCRIPTION = SignedLink("catalog.subscription.link", "alerts-confirm", "odnosnik", LINK_LIFE)
"""Confirms a subscription. Content: its id."""

READER = SignedLink("catalog.subscription.reader", "alerts-mine")
"""The page on which a reader changes or ends all letters to one address. Content: its hash."""

END = SignedLink(READER.salt, "alerts-end")
"""To which a mail program posts to end all letters to one address. The token is that of `READER`."""


def hash_email(email: str) -> str:
    return salted_hmac("catalog.request.email", email.strip().lower(), algorithm="sha256").hexdigest()


def address(email: str) -> dict[str, str]:
    """Return the columns of an address: itself and its hashes."""
    return {"email": email, "email_hash": hash_email(email), "mailbox_hash": hash_mailbox(email)}


def new_token(submission_id: int, on: datetime) -> tuple[str, str]:
    """Return a new token that confirms a submission, and its hash."""
    until = int((on + LINK_LIFE).timestamp())
    token = signing.dumps({"r": submission_id, "u": until, "k": secrets.token_urlsafe(12)}, salt=_LINK_SALT)
    return token, hash_token(token)


def read_token(token: str, on: datetime) -> int:
    """Return the id of a token's submission. Raises InvalidToken and LinkExpired. Does not know whether it was used."""
    try:
        content = signing.loads(token, salt=_LINK_SALT)
    except signing.BadSignature:
        raise InvalidToken from None
    submission_id: int = content["r"]
    if content["u"] <= on.timestamp():
        raise LinkExpired(submission_id)
    return submission_id


def hash_token(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()
