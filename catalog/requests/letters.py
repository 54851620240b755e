"""Letters to the authors of requests. Plain text; nothing in them was written by whoever filled in a form.

Anybody can type anybody's address into a form, so a letter says only what the catalog itself knows: which entry, what
kind of request, which fields. What an editor writes goes to confirmed addresses only.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string
from django.urls import reverse

from catalog.links import depot_url, site_url
from catalog.models import Depot, DepotRequest
from catalog.requests import proposals

logger = logging.getLogger(__name__)

KINDS = {
    DepotRequest.Kind.CORRECT: "poprawka danych",
    DepotRequest.Kind.CLAIM: "przejęcie wpisu",
    DepotRequest.Kind.DELETE: "usunięcie wpisu",
    DepotRequest.Kind.ADD: "brakujący skład",
    DepotRequest.Kind.PRICE: "cena opału",
}


@dataclass(frozen=True, slots=True)
class Letter:
    """A message that is ready to be sent. request_id: for the log, which never holds an address."""

    request_id: int
    message: EmailMessage


def link_letter(request: DepotRequest, token: str) -> Letter:
    """Asks the author to confirm. Reads the depot: select it."""
    confirm = site_url(reverse("request-confirm")) + f"?odnosnik={token}"
    return _letter(request, "link", "potwierdź swoje zgłoszenie", link=confirm)


def accepted_letter(request: DepotRequest) -> Letter:
    """Tells what was accepted, and what was not. Reads the depot: select it."""
    groups = proposals.groups_in(request.proposed)
    taken = set(request.accepted_fields)
    correction = request.kind == DepotRequest.Kind.CORRECT
    return _letter(
        request,
        "accepted",
        "przyjęte",
        accepted=[group.label for group in groups if correction and group.name in taken],
        left=[group.label for group in groups if correction and group.name not in taken],
    )


def rejected_letter(request: DepotRequest) -> Letter:
    """Tells why nothing came of it. Reads the depot: select it."""
    return _letter(request, "rejected", "odrzucone")


def superseded_letter(request: DepotRequest) -> Letter:
    """Tells that the entry was removed before anybody decided. Reads the depot: select it."""
    return _letter(request, "superseded", "nieaktualne")


def send(letters: Sequence[Letter]) -> list[int]:
    """Send letters over one connection. Returns the numbers of the requests whose letter could not be sent."""
    failed: list[int] = []
    connection = get_connection()
    for letter in letters:
        letter.message.connection = connection
        try:
            connection.open()  # does nothing while it is open
            letter.message.send()
        except (SMTPException, OSError, ValueError) as error:
            # The text of the error may hold the address.
            logger.error("letter of request %s not sent: %s", letter.request_id, type(error).__name__)
            failed.append(letter.request_id)
            connection.close()
    connection.close()
    return failed


def _letter(request: DepotRequest, template: str, outcome: str, **values: Any) -> Letter:
    depot = request.depot
    published = depot is not None and depot.publication == Depot.Publication.PUBLISHED
    body = render_to_string(
        f"mail/{template}.txt",
        {
            "request": request,
            "kind": KINDS[DepotRequest.Kind(request.kind)],
            "depot": depot,
            "depot_url": depot_url(depot.pk, depot.name) if depot is not None and published else "",
            "site_name": settings.SITE_NAME,
            "site_url": settings.SITE_URL,
            "contact": settings.CONTACT_EMAIL,
            **values,
        },
    )
    message = EmailMessage(
        subject=f"{settings.SITE_NAME}: zgłoszenie nr {request.pk}, {outcome}",
        body=body.strip() + "\n",
        to=[request.email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    return Letter(request.pk, message)
