"""What is kept of people, and for how long. The periods are those of the code that keeps or erases the data."""

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from django.conf import settings
from django.urls import reverse

from pages.page import Crumb, Page

AS_OF = date(2026, 11, 21)
"""The day on which the text last changed; renew it with every change."""

LINK_HOURS = 48
"""How long the link in an e-mail can be opened that confirms a request."""

REQUEST_DAYS = 90
"""How long after the decision a request keeps the data of who sent it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyPage(Page):
    """operator: who runs the service. contact: an e-mail address, "" when none is given."""

    template: ClassVar[str] = "pages/privacy"

    operator: str
    contact: str
    link_hours: int
    request_days: int


def privacy_page() -> PrivacyPage:
    """The page. No query."""
    return PrivacyPage(
        title="Prywatność",
        description="Jakie dane osób przechowujemy, po co i jak długo. Kalkulator dotacji niczego nie zapisuje.",
        path=reverse("privacy"),
        crumbs=(Crumb.home(),),
        as_of=AS_OF,
        data_status="obowiązuje",
        operator=settings.OPERATOR_NAME,
        contact=settings.CONTACT_EMAIL,
        link_hours=LINK_HOURS,
        request_days=REQUEST_DAYS,
    )
